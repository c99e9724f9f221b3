"""Refuse types of more than five fields with a field that nothing describes beside it.

A field is described by a string right below it, by a comment at the end of its line, or by the
description in its annotation.
The types are those of the product; protocols, and fields of a class itself, are not counted.
"""

import ast
import sys
from collections.abc import Iterator

from sizes import FOLDERS, ROOT

from reports.field_descriptions import describe_fields

MOST_UNDESCRIBED = 5


def undescribed(source: str) -> Iterator[tuple[ast.ClassDef, list[str]]]:
    """Yield the types of a module with too many fields, and their fields without description."""
    for definition, descriptions in describe_fields(source):
        in_annotation = {
            ast.unparse(statement.target)
            for statement in definition.body
            if isinstance(statement, ast.AnnAssign) and "description=" in ast.unparse(statement)
        }
        names = [
            name for name, text in descriptions.items() if not text and name not in in_annotation
        ]
        is_protocol = any("Protocol" in ast.unparse(base) for base in definition.bases)
        if names and len(descriptions) > MOST_UNDESCRIBED and not is_protocol:
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
