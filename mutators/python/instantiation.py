"""Which classes of a library cannot be instantiated by a call of their name."""

import ast
from collections.abc import Iterable, Mapping, Sequence

from auditor.core.subject import SourceFile
from mutators.python.functions import list_decorator_names, parse_module
from mutators.python.trivial import Definition

_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})


def judge_classes(sources: Iterable[SourceFile]) -> dict[str, bool]:
    """Return for each class, by its last name, whether a call of it would fail.

    It is abstract, a protocol or an enumeration. Of classes with the same name any one decides.
    """
    classes: dict[str, list[ast.ClassDef]] = {}
    for source in sources:
        module = parse_module(source)
        for node in ast.walk(module) if module is not None else ():
            if isinstance(node, ast.ClassDef):
                classes.setdefault(node.name, []).append(node)
    return {
        name: any(map(_is_protocol, nodes))
        or _is_enumeration(name, classes, frozenset())
        or any(_list_members(name, classes, frozenset()).values())
        for name, nodes in classes.items()
    }


def _list_bases(node: ast.ClassDef) -> list[str]:
    """Return the last names of what a class extends, without type arguments."""
    plain = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    return [ast.unparse(base).rpartition(".")[2] for base in plain]


def _is_protocol(node: ast.ClassDef) -> bool:
    return "Protocol" in _list_bases(node)


def _is_enumeration(
    name: str, classes: Mapping[str, Sequence[ast.ClassDef]], below: frozenset[str]
) -> bool:
    return name in _ENUMS or any(
        _is_enumeration(base, classes, below | {name})
        for node in classes.get(name, ())
        for base in _list_bases(node)
        if base not in below | {name}
    )


def _list_members(
    name: str, classes: Mapping[str, Sequence[ast.ClassDef]], below: frozenset[str]
) -> dict[str, bool]:
    """Return the members of a class and of its bases, and whether each is abstract."""
    members: dict[str, bool] = {}
    for node in classes.get(name, ()):
        for statement in node.body:
            members.update(_read_members(statement))
        for base in _list_bases(node):
            if base not in below | {name}:
                members = _list_members(base, classes, below | {name}) | members
    return members


def _read_members(statement: ast.stmt) -> dict[str, bool]:
    if isinstance(statement, Definition):
        names = list_decorator_names(statement)
        return {
            statement.name: any(name.rpartition(".")[2].startswith("abstract") for name in names)
        }
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [statement.target]
        if isinstance(statement, ast.AnnAssign) and statement.value is not None
        else []
    )
    return {target.id: False for target in targets if isinstance(target, ast.Name)}
