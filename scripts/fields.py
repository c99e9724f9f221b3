"""Refuse types of more than five fields with a field that nothing describes beside it.

A field is described by a string right below it, by a comment at the end of its line, or by the
description in its annotation.
The types are those of the product; protocols, and fields of a class itself, are not counted.
"""

import ast
import io
import sys
import tokenize
from collections.abc import Iterator
from itertools import pairwise

from sizes import FOLDERS, ROOT

MOST_UNDESCRIBED = 5


def comment_lines(text: str) -> set[int]:
    """Return the numbers of the lines with a comment that is more than a checker's directive."""
    return {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
        and not token.string.startswith(("# noqa", "# type:", "# pragma"))
    }


def is_string(statement: ast.stmt | None) -> bool:
    """Return whether a statement is a string by itself."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def fields(definition: ast.ClassDef) -> Iterator[tuple[ast.AnnAssign, bool]]:
    """Yield the fields of a class, and whether each has a string or description."""
    if any("Protocol" in ast.unparse(base) for base in definition.bases):
        return
    for statement, below in pairwise([*definition.body, None]):
        if isinstance(statement, ast.AnnAssign) and "ClassVar" not in ast.unparse(
            statement.annotation
        ):
            yield statement, is_string(below) or "description=" in ast.unparse(statement)


def undescribed(text: str) -> Iterator[tuple[ast.ClassDef, list[str]]]:
    """Yield the types of a module with too many fields, and their fields without description."""
    commented = comment_lines(text)
    for definition in ast.walk(ast.parse(text)):
        if not isinstance(definition, ast.ClassDef):
            continue
        own = list(fields(definition))
        names = [
            ast.unparse(field.target)
            for field, is_described in own
            if not is_described and field.end_lineno not in commented
        ]
        if names and len(own) > MOST_UNDESCRIBED:
            yield definition, names


def main() -> int:
    """Check every module of the product."""
    product = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    faults = [
        f"{path}:{definition.lineno}: describe below the field in {definition.name}: "
        + ", ".join(names)
        for path in product
        for definition, names in undescribed(path.read_text())
    ]
    sys.stderr.write("".join(fault + "\n" for fault in faults))
    return 1 if faults or not product else 0


if __name__ == "__main__":
    sys.exit(main())
