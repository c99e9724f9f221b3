"""What of other projects' formats we use, as JSON Schemas written here.

Not their own schemas: these hold what is used, and nothing else is allowed, so a key that is
spelled wrongly is found, which the originals would let pass.
"""


def closed(required, **properties):
    return {
        "type": "object",
        "required": required.split(),
        "properties": properties,
        "additionalProperties": False,
    }


TEXT = {"type": "string"}
NONEMPTY = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 1}
MESSAGE = closed("text", text=NONEMPTY)
LEVEL = {"enum": ["none", "note", "warning", "error"]}

_RULE = closed(
    "id", id=NONEMPTY, shortDescription=MESSAGE, help=MESSAGE,
    defaultConfiguration=closed("", level=LEVEL),
)  # fmt: skip
_PLACE = closed(
    "", artifactLocation=closed(
        "", uri={"type": "string", "pattern": r"^([A-Za-z0-9\-._~/]|%[0-9A-F]{2})*$"},
        uriBaseId=NONEMPTY,
    ),
    region=closed("", startLine=COUNT, endLine=COUNT),
)  # fmt: skip
_LOGICAL = closed("", fullyQualifiedName=TEXT, kind=NONEMPTY)
_LOCATION = closed(
    "", physicalLocation=_PLACE, logicalLocations={"type": "array", "items": _LOGICAL}
)
_RESULT = closed(
    "message ruleId locations", ruleId=NONEMPTY, ruleIndex={"type": "integer", "minimum": 0},
    level=LEVEL, message=MESSAGE,
    locations={"type": "array", "items": _LOCATION, "minItems": 1, "maxItems": 1},
    partialFingerprints={"type": "object", "additionalProperties": NONEMPTY},
    suppressions={
        "type": "array", "uniqueItems": True,
        "items": closed("kind", kind={"enum": ["inSource", "external"]}, justification=TEXT),
    },
)  # fmt: skip
_NOTE = closed("message", level=LEVEL, message=MESSAGE)
_RUN = closed(
    "tool results",
    tool=closed("driver", driver=closed(
        "name", name=NONEMPTY, version=NONEMPTY,
        rules={"type": "array", "uniqueItems": True, "items": _RULE},
    )),
    automationDetails=closed("", id=NONEMPTY),
    invocations={"type": "array", "items": closed(
        "executionSuccessful", executionSuccessful={"type": "boolean"},
        toolExecutionNotifications={"type": "array", "items": _NOTE},
    )},
    originalUriBaseIds={
        "type": "object", "additionalProperties": closed("", description=MESSAGE),
    },
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    results={"type": "array", "items": _RESULT},
)  # fmt: skip
SARIF = closed(
    "version runs", version={"const": "2.1.0"}, runs={"type": "array", "items": _RUN},
    **{"$schema": {"type": "string", "format": "uri"}},
)  # fmt: skip
"""SARIF 2.1.0, sections 3.13 to 3.34."""

_POSITION = closed("line column", line=COUNT, column=COUNT)
_TESTS = {"type": "array", "items": TEXT}
_MUTANT = closed(
    "id mutatorName location status", id=TEXT, mutatorName=NONEMPTY, description=TEXT,
    replacement=TEXT, coveredBy=_TESTS, killedBy=_TESTS, statusReason=TEXT,
    location=closed("start end", start=_POSITION, end=_POSITION),
    status={"enum": ["Killed", "Survived", "NoCoverage", "CompileError", "RuntimeError",
                     "Timeout", "Ignored", "Pending"]},
)  # fmt: skip
_FILE = closed(
    "language source mutants", language=NONEMPTY, source=TEXT,
    mutants={"type": "array", "uniqueItems": True, "items": _MUTANT},
)  # fmt: skip
_TEST = closed("id name", id=TEXT, name=TEXT)
_SHARE = {"type": "integer", "minimum": 0, "maximum": 100}
MUTATION = closed(
    "schemaVersion thresholds files",
    schemaVersion={"type": "string", "pattern": r"^[12](\.(0|[1-9]\d*)){0,2}$"},
    thresholds=closed("high low", high=_SHARE, low=_SHARE),
    framework=closed("name", name=NONEMPTY, version=NONEMPTY),
    config={"type": "object"},
    files={"type": "object", "additionalProperties": _FILE},
    testFiles={
        "type": "object",
        "additionalProperties": closed("tests", tests={"type": "array", "items": _TEST}),
    },
)  # fmt: skip
"""The mutation-testing report schema, version 2 (stryker-mutator/mutation-testing-elements)."""

BADGE = closed(
    "schemaVersion label message color", schemaVersion={"const": 1}, label=TEXT, message=NONEMPTY,
    color={"enum": ["brightgreen", "yellow", "red", "lightgrey", "orange"]},
)  # fmt: skip
"""The endpoint badge of shields.io."""

_NUMBER = {"type": "number"}
_METRIC = closed("value", value=_NUMBER, lower_value=_NUMBER, upper_value=_NUMBER)
BMF = {
    "type": "object",
    "propertyNames": {"minLength": 1, "maxLength": 1024},
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"minLength": 1, "maxLength": 64},
        "additionalProperties": _METRIC,
    },
}
"""The Bencher Metric Format (https://bencher.dev/bmf.json, with the limits of its manual)."""
