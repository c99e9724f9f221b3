"""The JSON Schemas that are checked in."""

import json
from pathlib import Path

import jsonschema

SCHEMAS = Path(__file__).parents[2] / "reports" / "schema"


def check_schema(name, document):
    """Fail unless a document, as text or parsed, is what `NAME.schema.json` says."""
    parsed = json.loads(document) if isinstance(document, str) else document
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(parsed)
