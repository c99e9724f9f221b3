"""Which functions of a Python library its users may call: what its public modules show of them.

A name is shown by a public module if it is in `__all__`, or, where there is none or what it has
cannot be read, if it does not begin with an underscore and is defined there, or imported there from
the library into a package's `__init__` or under its own name (`import x as x`). Names lead to where
they are defined. Of a class that is shown all methods without an underscore are public, those of
its bases too.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.core.subject import SourceFile
from mutators.python.functions import LOCALS, is_private

_DEPTH = 20
"""Names that lead to names that lead to names: more is a circle."""
_CHANGES = frozenset({"append", "extend", "insert", "remove", "pop", "clear"})
_AS_PROGRAM = "__name__ == '__main__'"


@dataclass(slots=True)
class ModuleApi:
    """What a module defines, imports and shows."""

    name: str  # dotted
    is_package: bool  # whether it is an `__init__`
    all_parts: tuple[ast.expr, ...] | None = None
    """What `__all__` is put together of; None: there is none."""
    imported: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Module and name that each imported name comes from."""
    shown_imports: set[str] = field(default_factory=set)
    """Names imported under their own name (`import x as x`)."""
    starred: list[str] = field(default_factory=list)
    """Modules whose names it takes over with a star."""
    defined: set[str] = field(default_factory=set)  # names of its functions and classes
    bases: dict[str, tuple[ast.expr, ...]] = field(default_factory=dict)
    """Bases of each of its classes."""


class LibraryApi:
    """The public names of a library."""

    def __init__(self, sources: Mapping[SourceFile, ast.Module]) -> None:
        """Take the modules of the library."""
        apis = (_read_module_api(source, tree) for source, tree in sources.items())
        self._modules = {module.name: module for module in apis}
        self._shown = frozenset(
            place
            for module in self._modules.values()
            if not is_private(module.name) and not module.name.endswith(".__main__")
            for name in self._list_shown_names(module)
            if (place := self.find_definition(module.name, name)) is not None
        )
        self._shown |= frozenset(self._find_base_classes(self._shown))

    def is_public(self, module: str, name: str) -> bool:
        """Tell whether users may call a function by its qualified name in the module it is in."""
        if LOCALS in name:
            return False
        first, _, rest = name.partition(".")
        if (module, first) not in self._shown:
            return False
        *owners, last = rest.split(".") if rest else [first]
        return not any(map(is_private, owners)) and (not rest or not is_private(last))

    def find_definition(
        self, module: str, name: str, depth: int = _DEPTH
    ) -> tuple[str, str] | None:
        """Return the module and the name that a name leads to, None where that is elsewhere."""
        api = self._modules.get(module)
        if api is None or not depth:
            return None
        if name in api.defined:
            return module, name
        if name in api.imported:
            return self.find_definition(*api.imported[name], depth - 1)
        for star_module in api.starred:
            if (place := self.find_definition(star_module, name, depth - 1)) is not None:
                return place
        return None

    def find_class(self, module: str, node: ast.expr) -> tuple[str, str] | None:
        """Return where the class is defined that an expression in a module means, if here."""
        if isinstance(node, ast.Name):
            return self.find_definition(module, node.id)
        if isinstance(node, ast.Attribute):
            owner = self._resolve_module(self._modules[module], node.value)
            return None if owner is None else self.find_definition(owner.name, node.attr)
        return None

    def find_class_place(self, path: str) -> tuple[str, str] | None:
        """Return the module that defines a class, and its last name, by a dotted name of it."""
        module = self.find_module(path)
        first, _, rest = path.removeprefix(f"{module}.").partition(".")
        place = self.find_definition(module, first)
        return (place[0], rest.rpartition(".")[2]) if place and rest else place

    def find_module(self, path: str) -> str:
        """Return the longest part in front of a dotted name that is a module, empty if none is."""
        owner = path.rpartition(".")[0]
        return owner if not owner or owner in self._modules else self.find_module(owner)

    def is_covered(self, module: str) -> bool:
        """Tell whether the name of a module, or of a package around it, leads to something else.

        That is so where a package imports a name that it has as a module, too.
        """
        owner, _, last = module.rpartition(".")
        api = self._modules.get(owner)
        if api is None:
            return False
        own_place = owner, last
        is_imported = api.imported.get(last, own_place) != own_place
        return is_imported or bool(self.find_definition(*own_place)) or self.is_covered(owner)

    def _list_shown_names(self, module: ModuleApi) -> Iterator[str]:
        """Yield what a module shows, what it takes over with a star included.

        Its own `__getattr__` and `__dir__` are for the interpreter.
        """
        if (declared_names := self._read_dunder_all(module, _DEPTH)) is not None:
            yield from declared_names
            return
        yield from (name for name in module.defined if not name.startswith("_"))
        exposed_imports = module.imported if module.is_package else module.shown_imports
        yield from (name for name in exposed_imports if not name.startswith("_"))
        for star_module in module.starred:
            if star_module in self._modules and star_module != module.name:
                yield from self._list_starred_names(self._modules[star_module], _DEPTH)

    def _list_starred_names(self, module: ModuleApi, depth: int) -> Iterator[str]:
        if (declared_names := self._read_dunder_all(module, depth)) is not None:
            yield from declared_names
        elif depth:
            yield from (
                name for name in (*module.defined, *module.imported) if not name.startswith("_")
            )
            for star_module in module.starred:
                if star_module in self._modules:
                    yield from self._list_starred_names(self._modules[star_module], depth - 1)

    def _read_dunder_all(self, module: ModuleApi, depth: int) -> tuple[str, ...] | None:
        """Return the names in `__all__`, None where there is none or it cannot be read."""
        if module.all_parts is None or not depth:
            return None
        return self._join_name_parts(module, module.all_parts, depth)

    def _join_name_parts(
        self, module: ModuleApi, nodes: Sequence[ast.expr], depth: int
    ) -> tuple[str, ...] | None:
        names: list[str] = []
        for node in nodes:
            more = self._read_name_part(module, node, depth)
            if more is None:
                return None
            names.extend(more)
        return tuple(names)

    def _read_name_part(
        self, module: ModuleApi, node: ast.expr, depth: int
    ) -> tuple[str, ...] | None:
        """Return what a part of `__all__` has, None where it cannot be read."""
        match node:
            case ast.Constant(value=str(name)):
                return (name,)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return self._join_name_parts(module, parts, depth)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._join_name_parts(module, [left, right], depth)
            case (
                ast.Starred(value=inner)
                | ast.Call(func=ast.Name(id="list" | "tuple" | "set" | "sorted"), args=[inner])
            ):
                return self._read_name_part(module, inner, depth)
            case ast.Attribute(value=owner, attr="__all__"):
                owner_module = self._resolve_module(module, owner)
                return (
                    None if owner_module is None else self._read_dunder_all(owner_module, depth - 1)
                )
        return None

    def _resolve_module(self, module: ModuleApi, node: ast.expr) -> ModuleApi | None:
        """Return the module of the library that an expression in another one is."""
        if isinstance(node, ast.Name):
            # A package has its modules by their names as soon as anything has imported them.
            module_name, name = module.imported.get(node.id, (module.name, node.id))
            return self._modules.get(f"{module_name}.{name}".removeprefix("."))
        if isinstance(node, ast.Attribute):
            owner = self._resolve_module(module, node.value)
            return None if owner is None else self._modules.get(f"{owner.name}.{node.attr}")
        return None

    def _find_base_classes(self, classes: frozenset[tuple[str, str]]) -> Iterator[tuple[str, str]]:
        """Yield the classes that public ones inherit from, and those that these do."""
        waiting, visited_places = list(classes), set(classes)
        while waiting:
            module, name = waiting.pop()
            for base in self._modules[module].bases.get(name, ()):
                place = self.find_class(module, base)
                if place is not None and place not in visited_places:
                    visited_places.add(place)
                    waiting.append(place)
                    yield place


def _read_module_api(source: SourceFile, tree: ast.Module) -> ModuleApi:
    module = ModuleApi(source.unit, source.path.endswith("__init__.py"))
    for node in _list_module_statements(tree.body):
        _read_statement(node, module)
    return module


def _list_module_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a module, those in its `if` and `try` too.

    What it does only where it is the program is no part of it for who imports it.
    """
    for node in body:
        if isinstance(node, ast.If) and _asks_for_program(node.test):
            yield from _list_module_statements(node.orelse)
            continue
        yield node
        if isinstance(node, ast.If | ast.Try | ast.With):
            for name in ("body", "orelse", "finalbody"):
                yield from _list_module_statements(getattr(node, name, []))
            for handler in getattr(node, "handlers", []):
                yield from _list_module_statements(handler.body)


def _asks_for_program(test: ast.expr) -> bool:
    """Tell whether a condition holds of no module that is imported."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(map(_asks_for_program, test.values))
    return ast.unparse(test) == _AS_PROGRAM


def _read_statement(node: ast.stmt, module: ModuleApi) -> None:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        module.defined.add(node.name)
    elif isinstance(node, ast.ClassDef):
        module.defined.add(node.name)
        bases = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
        module.bases[node.name] = tuple(bases)
    elif isinstance(node, ast.ImportFrom):
        _read_import(node, module)
    elif isinstance(node, ast.Import):
        for name in node.names:
            module_name, _, last = name.name.rpartition(".")
            first = name.name.partition(".")[0]
            module.imported[name.asname or first] = (
                (module_name, last) if name.asname else ("", first)
            )
    elif isinstance(node, ast.Expr | ast.For):
        _read_growth(node, module)
    elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
        _read_assignment(node, module)


def _read_import(node: ast.ImportFrom, module: ModuleApi) -> None:
    module_name = _resolve_import_module(node, module)
    for alias_node in node.names:
        if alias_node.name == "*":
            module.starred.append(module_name)
            continue
        name = alias_node.asname or alias_node.name
        module.imported[name] = (module_name, alias_node.name)
        if alias_node.asname == alias_node.name:
            module.shown_imports.add(name)


def _resolve_import_module(node: ast.ImportFrom, module: ModuleApi) -> str:
    """Return the absolute name of the module that is imported from."""
    if not node.level:
        return node.module or ""
    parts = module.name.split(".")
    package_parts = parts[: len(parts) - node.level + module.is_package]
    return ".".join([*package_parts, *filter(None, [node.module])])


def _read_assignment(node: ast.Assign | ast.AugAssign | ast.AnnAssign, module: ModuleApi) -> None:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if "__all__" in names and node.value is not None:
        more = module.all_parts if isinstance(node, ast.AugAssign) else ()
        module.all_parts = (*(more or ()), node.value)
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
        # `new = old`: another name of what is defined here.
        for name in names:
            module.imported.setdefault(name, (module.name, node.value.id))


def _read_growth(node: ast.Expr | ast.For, module: ModuleApi) -> None:
    """Note what is put into `__all__`; what a loop or another method does cannot be read."""
    match node:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id="__all__"), attr="extend" | "append"),
                args=[more],
            )
        ):
            module.all_parts = (*(module.all_parts or ()), more)
        case _ if any(map(_changes_dunder_all, ast.walk(node))):
            module.all_parts = (*(module.all_parts or ()), ast.Name("__all__"))


def _changes_dunder_all(node: ast.AST) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id="__all__"), attr=name):
            return name in _CHANGES
        case ast.AugAssign(target=ast.Name(id="__all__")):
            return True
    return False
