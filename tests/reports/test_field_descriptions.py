import json

from auditor.abs.document import AbsOrStability
from reports.field_descriptions import describe_fields
from reports.results import format_schema

SOURCE = '''
class Pair:
    """A pair; `left` is no field of it."""

    kinds: ClassVar[int] = 2
    method: str  # id of the method
    text: str = "#"
    seconds: float | None = None
    """Time of a call,
    in seconds; None: unknown."""
    size: int  # noqa: A003
'''


def test_a_field_is_described_by_its_comment_or_by_the_string_below_it():
    ((definition, descriptions),) = describe_fields(SOURCE)

    assert definition.name == "Pair"
    assert descriptions == {
        "method": "id of the method",
        "text": "",
        "seconds": "Time of a call, in seconds; None: unknown.",
        "size": "",
    }


def test_schemas_describe_fields_those_of_bases_too():
    definitions = json.loads(format_schema(AbsOrStability, "A result"))["$defs"]

    document = definitions["Document"]["properties"]
    assert "null: the time ended" in document["slowdown"]["description"]
    assert document["seed"]["description"] == "decides everything that is random; null: unknown"
    assert "benchmark's id" in definitions["PairVerdict"]["properties"]["benchmark"]["description"]
