"""What the documents have in common: a schema of their types, and the way in from text."""

import json
from typing import Any, TypeVar

import msgspec

from auditor.core.errors import UsageError

Kind = TypeVar("Kind")


def schema_of(kind: Any, title: str) -> str:
    """Return the JSON Schema of a type, or of a union of types, as text."""
    heading = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    found = {**heading, **msgspec.json.schema(kind)}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def read_as(kind: type[Kind], command: str, written: str | bytes) -> Kind:
    """Return the document that a command has written; raises UsageError for anything else."""
    try:
        return msgspec.json.decode(written, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"this is no result of bench-audit {command}: {error}") from error
