"""Types and functions that the JSON results of all commands share.

The names of the types are promised to other programs (reports/schema). Every number may be null,
because JSON has neither NaN nor infinity.
"""

import inspect
import json
import math
from collections.abc import Callable, Iterator, Mapping
from types import UnionType
from typing import Any, TypeVar

import msgspec

from auditor.core.errors import UsageError
from auditor.core.jobs import HostInterference
from auditor.core.provenance import Context
from reports.field_descriptions import add_descriptions

NullableRange = tuple[float | None, float | None]
PlainFields = dict[str, object]
DocumentType = TypeVar("DocumentType")
StructType = TypeVar("StructType", bound=msgspec.Struct)
_LARGEST = 1e100
"""No measured or counted number is larger; sums and products of smaller ones stay finite."""


class MeasurementPlan(msgspec.Struct, frozen=True, kw_only=True):
    """How much was measured; null: unknown."""

    forks: int | None  # processes of a run
    warmup: int | None  # blocks before the measured ones
    iterations: int | None  # measured blocks of a process
    iteration_seconds: float | None  # of a block
    longest_seconds: float | None  # that a block may last, as one that allocates
    runs: int  # of each pair
    stability_runs: int  # runs of the suite
    wait: str  # how a delay passes its time


# The documents of most commands have these fields at the top level, as their schemas promise. For
# that reason the types of these documents inherit from this one.
class AuditSetting(msgspec.Struct, frozen=True, kw_only=True):
    """What was audited, where, how and with what: enough to do it again."""

    subject: str  # name of the audited code
    revision: str  # commit or version; empty: unknown
    language: str  # of the subject
    harness: str  # benchmark framework
    host: str  # where it was measured
    host_facts: dict[str, str]  # such as "cores": "8"
    seed: int | None  # decides everything that is random; null: unknown
    plan: MeasurementPlan  # how much was measured
    versions: dict[str, str]  # of the tools
    bench_audit: str  # its version
    command: str  # the command line
    config: str  # JSON text with all defaults filled in; empty: unknown
    started: str  # UTC, ISO 8601
    ended: str  # UTC, ISO 8601
    strain: HostInterference = msgspec.field(default_factory=HostInterference)
    """What kept the machine busy meanwhile."""


def copy_fields(
    kind: type[msgspec.Struct], source: object, /, **overrides: object
) -> dict[str, Any]:
    """Return the fields of `kind`: `overrides`, and the others from attributes of `source`."""
    names = (name for name in kind.__struct_fields__ if name not in overrides)
    return {**{name: getattr(source, name) for name in names}, **overrides}


def list_setting_fields(context: Context) -> PlainFields:
    """Return the fields of `AuditSetting` as plain values."""
    of_context = ("runs", "stability_runs", "wait")
    plan = {}
    for name in MeasurementPlan.__struct_fields__:
        source = context if name in of_context else context.plan
        plan[name] = None if source is None else getattr(source, name)
    return copy_fields(
        AuditSetting,
        context,
        host_facts=dict(context.host_facts),
        plan=plan,
        versions=dict(context.versions),
        bench_audit=context.version,
    )


def build_document(
    kind: type[StructType], context: Context, source: Any, /, **overrides: object
) -> StructType:
    """Return a result: its `overrides`, those of the context, the others from `source`."""
    values = {
        "caveats": (*source.caveats, *context.caveats),
        **list_setting_fields(context),
        **overrides,
    }
    return convert_fields(kind, copy_fields(kind, source, **values))


def convert_fields(kind: type[StructType], fields: PlainFields) -> StructType:
    """Return a result with these fields; numbers that JSON does not have are null."""
    tagged: PlainFields = {"schema": kind.__struct_config__.tag, **fields}
    return msgspec.convert(_convert_to_strict(msgspec.to_builtins(tagged)), kind)


def _convert_to_strict(value: object) -> object:
    """Return the value as strict JSON can hold it, at any depth.

    NaN and infinity become None, lone surrogates become escapes such as `\\udcff`.
    """
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            return {
                _convert_to_strict(key): _convert_to_strict(inner) for key, inner in value.items()
            }
        case list() | tuple():
            return [_convert_to_strict(inner) for inner in value]
        case _:
            return value


def format_json(document: object) -> str:
    """Return strict JSON with a line for each field and for each object of a list of objects.

    Line-based tools can search and compare such a text.
    """
    return "".join(format_json_parts(document))


def format_json_parts(document: object) -> Iterator[str]:
    """Yield the parts of `format_json`, so that memory never holds a large result twice."""
    fields = msgspec.json.decode(msgspec.json.encode(document), type=dict[str, msgspec.Raw])
    separator = "{"
    for name, value in fields.items():
        yield f"{separator}\n {msgspec.json.encode(name).decode()}: "
        yield from _format_field(bytes(value))
        separator = ","
    yield "\n}\n"


def _format_field(encoded_value: bytes) -> Iterator[str]:
    if not encoded_value.startswith(b"[{"):
        yield encoded_value.decode()
        return
    separator = "["
    for raw in msgspec.json.decode(encoded_value, type=list[msgspec.Raw]):
        yield f"{separator}\n  {bytes(raw).decode()}"
        separator = ","
    yield "\n ]"


def decode_document(
    kind: type[DocumentType] | UnionType,
    command: str,
    content: str | bytes,
    refuse_contradictions: Callable[[DocumentType], None] = lambda _: None,
) -> DocumentType:
    """Return the document that a command has written; raises UsageError for anything else.

    `refuse_contradictions` raises ValidationError.
    """
    try:
        document: DocumentType = msgspec.json.decode(content, type=kind)
        _refuse_huge_numbers(msgspec.json.decode(content))
        refuse_contradictions(document)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"this is not a result of bench-audit {command}: {error}") from error
    return document


def _refuse_huge_numbers(value: object, path: str = "$") -> None:
    """Raise ValidationError where a value of a damaged file is too large to calculate with.

    `value` is plain decoded JSON, and `path` is its place in the file.
    """
    match value:
        case dict():
            for key, inner in value.items():
                _refuse_huge_numbers(inner, f"{path}.{key}")
        case list():
            for inner in value:
                _refuse_huge_numbers(inner, f"{path}[...]")
        case int() | float() if abs(value) > _LARGEST:
            raise msgspec.ValidationError(f"Number out of range - at `{path}`")


def format_schema(kind: Any, title: str) -> str:
    """Return the JSON Schema of a type, or of a union of types, as text."""
    heading = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    schema = {**heading, **msgspec.json.schema(kind)}
    for definition in schema.get("$defs", {}).values():
        if "description" in definition:  # msgspec < 0.23 keeps the indentation of docstrings
            definition["description"] = inspect.cleandoc(definition["description"])
    add_descriptions(schema, kind)
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"
