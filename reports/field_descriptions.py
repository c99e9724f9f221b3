"""Descriptions of fields: the string below a field, or the comment at the end of its line."""

import ast
import inspect
import io
import re
import tokenize
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import ModuleType
from typing import Any

import msgspec
from msgspec.inspect import DataclassType, NamedTupleType, StructType

_DIRECTIVES = ("# noqa", "# type:", "# pragma")
"""Comments for checkers, which describe nothing."""
_NONE_WORD = re.compile(r"\bNone\b")


def describe_fields(source: str) -> Iterator[tuple[ast.ClassDef, dict[str, str]]]:
    """Yield the classes of a module with the description of each field; empty: there is none."""
    comments = _collect_comments(source)
    for definition in ast.walk(ast.parse(source)):
        if isinstance(definition, ast.ClassDef):
            yield (
                definition,
                {
                    ast.unparse(field.target): _read_string(next_statement)
                    or comments.get(field.end_lineno, "")
                    for field, next_statement in pairwise([*definition.body, None])
                    if isinstance(field, ast.AnnAssign)
                    and "ClassVar" not in ast.unparse(field.annotation)
                },
            )


def add_descriptions(schema: Mapping[str, Any], kind: Any) -> None:
    """Add the descriptions of fields to the JSON Schema of a type, where it has none of its own."""
    definitions = schema.get("$defs", {})
    for type_ in _find_types(msgspec.inspect.type_info(kind), set()):
        descriptions = _collect_descriptions(type_.cls)
        properties = definitions.get(type_.cls.__name__, {}).get("properties", {})
        for field in type_.fields:
            text = descriptions.get(field.name)
            if text and field.encode_name in properties:
                properties[field.encode_name].setdefault(
                    "description", _NONE_WORD.sub("null", text)
                )


def _collect_comments(source: str) -> dict[int | None, str]:
    return {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith(_DIRECTIVES)
    }


def _read_string(statement: ast.stmt | None) -> str:
    match statement:
        case ast.Expr(value=ast.Constant(value=str(text))):
            return " ".join(text.split())
    return ""


def _collect_descriptions(cls: type) -> dict[str, str]:
    """Return the descriptions of a type's fields, those of its bases included."""
    descriptions: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        module = inspect.getmodule(base)
        if isinstance(module, ModuleType) and module.__name__.startswith(("auditor.", "reports.")):
            for definition, texts in describe_fields(inspect.getsource(module)):
                if definition.name == base.__name__:
                    descriptions |= texts
    return descriptions


def _find_types(
    part: Any, visited: set[type]
) -> Iterator[StructType | DataclassType | NamedTupleType]:
    """Yield the types with fields that a type is made of, each once."""
    if isinstance(part, StructType | DataclassType | NamedTupleType):
        if part.cls in visited:
            return
        visited.add(part.cls)
        yield part
    if isinstance(part, tuple):
        for member in part:
            yield from _find_types(member, visited)
    elif isinstance(part, msgspec.Struct):
        for name in part.__struct_fields__:
            yield from _find_types(getattr(part, name), visited)
