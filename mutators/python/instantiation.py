"""Which classes of a library cannot be instantiated by a call of their name."""

import ast
from collections.abc import Mapping

from auditor.core.subject import SourceFile
from mutators.python.api import LibraryApi
from mutators.python.functions import list_decorator_names
from mutators.python.trivial import Definition

ClassPlace = tuple[str, str]
"""Module and last name of a class; the module is empty where it is not of the library."""
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})


class LibraryClasses:
    """The classes of a library by module and last name.

    Of classes with the same name in a module any one decides.
    """

    def __init__(self, modules: Mapping[SourceFile, ast.Module], api: LibraryApi) -> None:
        """Take the modules of the library and what their names lead to."""
        self._api = api
        self._classes: dict[ClassPlace, list[ast.ClassDef]] = {}
        for source, module in modules.items():
            for node in ast.walk(module):
                if isinstance(node, ast.ClassDef):
                    self._classes.setdefault((source.unit, node.name), []).append(node)

    def is_uncallable(self, place: ClassPlace) -> bool | None:
        """Tell whether a call of a class fails, None where it is not here.

        Such a class is abstract, a protocol or an enumeration.
        """
        if place not in self._classes:
            return None
        return (
            ("", "Protocol") in self._list_bases(place)
            or self._is_enumeration(place, frozenset())
            or any(self._list_members(place, frozenset()).values())
        )

    def _list_bases(self, place: ClassPlace) -> list[ClassPlace]:
        """Return what a class extends, without type arguments."""
        return [
            self._resolve_base(place[0], base)
            for node in self._classes.get(place, ())
            for base in node.bases
        ]

    def _resolve_base(self, module: str, base: ast.expr) -> ClassPlace:
        """Return the place of a base class; without a module where it is not of the library."""
        plain = base.value if isinstance(base, ast.Subscript) else base
        place = self._api.find_class(module, plain)
        if place in self._classes:
            return place
        first, _, rest = ast.unparse(plain).partition(".")
        last = rest.rpartition(".")[2] or first
        # A class inside of another class or of a function is no name of its module.
        is_inside = (module, first) in self._classes and (module, last) in self._classes
        return module if is_inside else "", last

    def _is_enumeration(self, place: ClassPlace, below: frozenset[ClassPlace]) -> bool:
        module, name = place
        return (not module and name in _ENUMS) or any(
            self._is_enumeration(base, below | {place})
            for base in self._list_bases(place)
            if base not in below | {place}
        )

    def _list_members(self, place: ClassPlace, below: frozenset[ClassPlace]) -> dict[str, bool]:
        """Return the members of a class and of its bases, and whether each is abstract."""
        members: dict[str, bool] = {}
        for node in self._classes.get(place, ()):
            for statement in node.body:
                members.update(_read_members(statement))
        for base in self._list_bases(place):
            if base not in below | {place}:
                members = self._list_members(base, below | {place}) | members
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
