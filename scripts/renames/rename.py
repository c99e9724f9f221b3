"""Rename functions, methods, classes and variables by `names.tsv`; goes when they are renamed.

    python scripts/renames/rename.py scripts/renames/names.tsv
    ruff check --fix . && ruff format . && mypy && scripts/quick

Columns, separated by tabs: kind, path, qualified name, new name. A row of kind V (variable or
parameter) or M (constant, `-` for the module) has its old name before the new one. F is a function
or method, C a class. All rows say the names of before. Printed are the rows left out, by reason.

Names are resolved by scope and imports, not by types:

* imported names, attributes of modules, keyword arguments and strings of `setattr` follow;
* a private method is renamed where no other class of its module has one of that name;
* a public method is renamed where no other member and no common type has its name;
* fields, templates, guests of other interpreters, docs and `scripts/guards.toml` are left alone.

By hand: TypeVar strings, quoted annotations with brackets, and modules in a tuple whose functions
are called by one name (`module.find` in `mutators/python`, `module.read` in `auditor/importers`,
`module.show` in `auditor/housekeeping`). mypy and the tests name these places.
"""

import ast
import builtins
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[2]
FOLDERS = ("auditor", "mutators", "runners", "reports", "tests", "benchmarks", "scripts")
COMMON_TYPES: tuple[type, ...] = (
    *(str, bytes, dict, set, list, Path, re.Pattern, re.Match, Counter, ast.AST),
    *(np.ndarray, pd.DataFrame),
)
COMMON_ATTRIBUTES = {name for kind in COMMON_TYPES for name in dir(kind)}
SAFE_DECORATORS = {"property", "staticmethod", "classmethod", "cache", "cached_property"} | {
    "contextmanager",
    "override",
}

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Position: TypeAlias = tuple[int, int]  # line from 1, column in bytes from 0


@dataclass(eq=False, slots=True)
class Scope:
    """A module, class, function or comprehension."""

    node: ast.AST
    parent: "Scope | None"
    qualified_name: str  # empty for the module; that of the function for a comprehension
    bound: set[str] = field(default_factory=set)
    outer_names: set[str] = field(default_factory=set)  # declared global or nonlocal
    new_names: dict[str, str] = field(default_factory=dict)

    @property
    def is_class(self) -> bool:
        """Tell whether functions inside do not see the names of this scope."""
        return isinstance(self.node, ast.ClassDef)

    @property
    def is_comprehension(self) -> bool:
        """Tell whether `:=` binds outside of this scope."""
        return isinstance(self.node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp)

    def resolve(self, name: str) -> "Scope | None":
        """Return the scope that binds `name` for code in this one; None for builtins."""
        scope: Scope | None = self
        while scope:
            visible = scope is self or not scope.is_class
            if visible and name in scope.bound and name not in scope.outer_names:
                return scope
            scope = scope.parent
        return None


class Module(ast.NodeVisitor):
    """The names of one file: where they are bound and used."""

    def __init__(self, path: Path) -> None:
        """Read the file."""
        self.path, self.relative = path, str(path.relative_to(ROOT))
        self.lines = path.read_bytes().split(b"\n")
        self.tree = ast.parse(path.read_bytes())
        self.scope = self.top = Scope(self.tree, None, "")
        self.scopes = [self.top]
        self.uses: list[tuple[Scope, str, Position]] = []
        self.imports: list[tuple[Scope, ast.Import | ast.ImportFrom, ast.alias]] = []
        self.attributes: list[tuple[Scope, ast.Attribute]] = []
        self.calls: list[tuple[Scope, ast.Call]] = []
        for node in self.tree.body:
            self.visit(node)

    def locate(self, name: str, line: int, column: int) -> Position:
        """Return where the word stands from a position on."""
        word = re.compile(rb"\b" + name.encode() + rb"\b")
        while not (match := word.search(self.lines[line - 1], column)):
            line, column = line + 1, 0
        return line, match.start()

    def bind(self, name: str, position: Position, scope: Scope | None = None) -> None:
        """Note that a scope, else the present one, binds a name."""
        scope = scope or self.scope
        if name not in scope.outer_names:
            scope.bound.add(name)
        self.uses.append((scope, name, position))

    def enter(self, node: ast.AST, qualified_name: str, parts: Iterable[ast.AST]) -> Scope:
        """Visit the parts inside a new scope."""
        outer = self.scope
        self.scope = inner = Scope(node, outer, qualified_name)
        self.scopes.append(inner)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            for part in ast.walk(node):
                if isinstance(part, ast.Global | ast.Nonlocal):
                    inner.outer_names.update(part.names)
            for argument in arguments_of(node):
                self.bind(argument.arg, (argument.lineno, argument.col_offset))
        for part in parts:
            self.visit(part)
        self.scope = outer
        return inner

    def qualify(self, name: str) -> str:
        """Return the qualified name of a definition in the present scope."""
        return f"{self.scope.qualified_name}.{name}".lstrip(".")

    def visit_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        """Bind the name outside, and visit the body inside."""
        self.bind(node.name, self.locate(node.name, node.lineno, node.col_offset + 3))
        outside: list[ast.AST] = [*node.decorator_list]
        if isinstance(node, ast.ClassDef):
            outside += [*node.bases, *(keyword.value for keyword in node.keywords)]
        else:
            outside += outside_of(node)
        for part in outside:
            self.visit(part)
        self.enter(node, self.qualify(node.name), node.body)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_definition  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Visit the defaults outside, and the body inside."""
        for part in outside_of(node):
            self.visit(part)
        self.enter(node, self.scope.qualified_name, [node.body])

    def visit_comprehension_expression(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    ) -> None:
        """Visit the first iterable outside, and all else inside."""
        first, *more = node.generators
        self.visit(first.iter)
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self.enter(node, self.scope.qualified_name, [first.target, *first.ifs, *more, *values])

    visit_ListComp = visit_SetComp = visit_comprehension_expression  # noqa: N815
    visit_DictComp = visit_GeneratorExp = visit_comprehension_expression  # noqa: N815

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        """Bind the target outside of comprehensions."""
        scope = self.scope
        while scope.is_comprehension and scope.parent:
            scope = scope.parent
        self.bind(node.target.id, (node.target.lineno, node.target.col_offset), scope)
        self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        """Note a use, which may bind."""
        position = node.lineno, node.col_offset
        if isinstance(node.ctx, ast.Load):
            self.uses.append((self.scope, node.id, position))
        else:
            self.bind(node.id, position)

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        """Bind the name of the exception."""
        if node.name and node.type:
            end = node.type.end_lineno or 0, node.type.end_col_offset or 0
            self.bind(node.name, self.locate(node.name, *end))
        self.generic_visit(node)

    def visit_pattern(self, node: ast.MatchAs | ast.MatchStar) -> None:
        """Bind a capture, which ends its pattern."""
        if node.name:
            self.bind(node.name, (node.end_lineno, node.end_col_offset - len(node.name)))
        self.generic_visit(node)

    visit_MatchAs = visit_MatchStar = visit_pattern  # noqa: N815

    def visit_outer_names(self, node: ast.Global | ast.Nonlocal) -> None:
        """Note the names that belong to an outer scope."""
        for name in node.names:
            position = self.locate(name, node.lineno, node.col_offset + len("global"))
            self.uses.append((self.scope, name, position))

    visit_Global = visit_Nonlocal = visit_outer_names  # noqa: N815

    def visit_imports(self, node: ast.Import | ast.ImportFrom) -> None:
        """Bind what is imported; its positions are those of the aliases."""
        for alias in node.names:
            self.scope.bound.add(alias.asname or alias.name.split(".")[0])
            self.imports.append((self.scope, node, alias))

    visit_Import = visit_ImportFrom = visit_imports  # noqa: N815

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note an attribute."""
        self.attributes.append((self.scope, node))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Note a call, for its keywords and strings."""
        self.calls.append((self.scope, node))
        self.generic_visit(node)


def arguments_of(node: Function) -> list[ast.arg]:
    """Return all parameters of a function."""
    parts = node.args
    rest = [argument for argument in (parts.vararg, parts.kwarg) if argument]
    return [*parts.posonlyargs, *parts.args, *parts.kwonlyargs, *rest]


def outside_of(node: Function) -> list[ast.AST]:
    """Return the parts of a function that are evaluated where it is defined."""
    annotations = [argument.annotation for argument in arguments_of(node)]
    returns = [] if isinstance(node, ast.Lambda) else [node.returns]
    parts = [*node.args.defaults, *node.args.kw_defaults, *annotations, *returns]
    return [part for part in parts if part]


def end_of_attribute(node: ast.Attribute) -> Position:
    """Return where the name after the dot stands."""
    return node.end_lineno or 0, (node.end_col_offset or 0) - len(node.attr.encode())


class Renaming:
    """The rows, resolved against all files."""

    def __init__(self, rows: Iterable[list[str]]) -> None:
        """Read all files; `rows` are those of the table."""
        paths = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
        sources = [path for path in paths if not path.is_relative_to(ROOT / "tests" / "subjects")]
        self.modules = {module.relative: module for module in map(Module, sorted(sources))}
        self.left_out: list[tuple[str, ...]] = []  # reason first
        self.edits: dict[str, dict[Position, tuple[str, str]]] = defaultdict(dict)
        self.requested: dict[tuple[str, str], str] = {}  # (path, qualified name) to new name
        self.variables: list[tuple[str, str, str, str]] = []  # path, function, old name, new name
        for row in rows:
            self._take(*row)
        self.keywords: dict[str, list[tuple[Module, ast.Call, ast.keyword]]] = defaultdict(list)
        self.users: dict[str, set[str]] = defaultdict(set)  # paths that use an attribute
        for module in self.modules.values():
            for _, call in module.calls:
                for keyword in call.keywords:
                    self.keywords[keyword.arg or "**"].append((module, call, keyword))
            for _, node in module.attributes:
                self.users[node.attr].add(module.relative)
        self.module_aliases = {
            module.relative: dict(self._find_module_aliases(module))
            for module in self.modules.values()
        }

    def _take(self, kind: str, path: str, name: str, *names: str) -> None:
        if kind == "V":
            self.variables.append((path, name, names[0], names[1]))
        elif kind != "M":
            self.requested[path, name] = names[0]
        elif name == "-":
            self.requested[path, names[0]] = names[1]

    def apply(self) -> None:
        """Rename in all files."""
        self._choose_top_names()
        self._choose_methods()
        for row in self.variables:
            self._choose_variable(*row)
        self._drop_collisions()
        for module in self.modules.values():
            self._edit_names(module)
            self._edit_imports(module)
            self._edit_module_attributes(module)
            self._edit_strings(module)
        for path, edits in self.edits.items():
            self._write(self.modules[path], edits)

    def _file_of(self, dotted: str) -> str | None:
        stem = dotted.replace(".", "/")
        names = (f"{stem}.py", f"{stem}/__init__.py")
        return next((name for name in names if name in self.modules), None)

    def _source_of(self, module: Module, node: ast.ImportFrom) -> str:
        folder = module.relative.split("/")[: -node.level] if node.level else []
        return ".".join([*folder, *([node.module] if node.module else [])])

    def _find_module_aliases(self, module: Module) -> Iterator[tuple[str, str]]:
        for _, node, alias in module.imports:
            if isinstance(node, ast.ImportFrom):
                path = self._file_of(f"{self._source_of(module, node)}.{alias.name}")
                if path:
                    yield alias.asname or alias.name, path
            elif alias.asname and (path := self._file_of(alias.name)):
                yield alias.asname, path

    def _new_import(self, module: Module, node: ast.AST, alias: ast.alias) -> str | None:
        """Return the new name of what a `from` imports."""
        if not isinstance(node, ast.ImportFrom):
            return None
        path = self._file_of(self._source_of(module, node))
        return self.modules[path].top.new_names.get(alias.name) if path else None

    def _choose_top_names(self) -> None:
        for (path, name), new in self.requested.items():
            if "." not in name:
                top = self.modules[path].top
                if name in top.bound:
                    top.new_names[name] = new
                else:
                    self.left_out.append(("no such name", path, name, new))
        self._spread_imports()

    def _spread_imports(self) -> None:
        """Give imported names their new names, also where another file imports them again."""
        changed = True
        while changed:
            changed = False
            for module in self.modules.values():
                for scope, node, alias in module.imports:
                    new = self._new_import(module, node, alias)
                    if new and alias.asname in {None, alias.name}:
                        changed |= scope.new_names.get(alias.name) != new
                        scope.new_names[alias.name] = new

    def _choose_methods(self) -> None:
        definitions = self._find_member_definitions()
        for (path, name), new in self.requested.items():
            owner, _, method = name.rpartition(".")
            scopes = [scope for scope in self.modules[path].scopes if scope.qualified_name == owner]
            if not owner:
                continue
            if not scopes or method not in scopes[0].bound:
                self.left_out.append(("no such method", path, name, new))
            elif not scopes[0].is_class:
                self._choose_variable(path, owner, method, new)
            elif new in scopes[0].bound:
                self.left_out.append(("method exists", path, name, new))
            elif reason := self._why_not_method(path, method, definitions[method]):
                self.left_out.append((reason, path, name, new))
            else:
                scopes[0].new_names[method] = new
                self._edit_method_uses(path, method, new)

    def _find_member_definitions(self) -> dict[str, list[tuple[str, str]]]:
        """Return the (path, class) pairs that define each member; those set outside have ""."""
        definitions: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for module in self.modules.values():
            for scope in module.scopes:
                if scope.is_class:
                    for name in scope.bound:
                        definitions[name].add((module.relative, scope.qualified_name))
            for _, node in module.attributes:
                if isinstance(node.ctx, ast.Store):
                    definitions[node.attr].add((module.relative, ""))
        return defaultdict(list, {name: sorted(places) for name, places in definitions.items()})

    def _why_not_method(self, path: str, method: str, places: list[tuple[str, str]]) -> str | None:
        if not method.startswith("_"):
            if len(places) > 1 or method in COMMON_ATTRIBUTES:
                return "public name of several members"
            return "in a template" if self._is_in_template(method) else None
        if sum(place[0] == path for place in places) > 1:
            return "private name of several classes"
        defining = {place[0] for place in places}
        for user in self.users[method] - {path}:
            if user not in defining or self._imports_from(self.modules[user], path):
                return "private name used elsewhere"
        return None

    def _imports_from(self, module: Module, path: str) -> bool:
        return path in self.module_aliases[module.relative].values() or any(
            isinstance(node, ast.ImportFrom)
            and self._file_of(self._source_of(module, node)) == path
            for _, node, _ in module.imports
        )

    def _is_in_template(self, name: str) -> bool:
        templates = (ROOT / "reports" / "templates").rglob("*.j2")
        return any(re.search(rf"\.{name}\b", template.read_text()) for template in templates)

    def _edit_method_uses(self, path: str, method: str, new: str) -> None:
        for module in self.modules.values():
            if method.startswith("_") and module.relative != path:
                continue
            imported = {alias.asname or alias.name for _, _, alias in module.imports}
            for _, node in module.attributes:
                receiver = node.value.id if isinstance(node.value, ast.Name) else None
                if node.attr == method and receiver not in imported:
                    self._edit(module, end_of_attribute(node), method, new)

    def _choose_variable(self, path: str, function: str, old: str, new: str) -> None:
        module = self.modules[path]
        inside = [
            scope
            for scope in module.scopes
            if not scope.is_class and f"{scope.qualified_name}.".startswith(f"{function}.")
        ]
        binding = [scope for scope in inside if old in scope.bound]
        used = {name for scope, name, _ in module.uses if scope in inside}
        new_names = {name for scope in inside for name in scope.new_names.values()}
        if not binding:
            self.left_out.append(("no such variable", path, function, old, new))
        elif new in used | new_names:
            self.left_out.append(("name is used", path, function, old, new))
        elif any(not self._follows_calls(module, scope, old, new) for scope in binding):
            self.left_out.append(("parameter", path, function, old, new))
        else:
            for scope in binding:
                scope.new_names[old] = new

    def _follows_calls(self, module: Module, scope: Scope, old: str, new: str) -> bool:
        """Edit the keyword arguments of a renamed parameter; False where they cannot be known."""
        node = scope.node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            return True
        if old not in {argument.arg for argument in arguments_of(node)}:
            return True
        decorators = {ast.unparse(part).rpartition(".")[2] for part in node.decorator_list}
        keywords = self.keywords[old]
        is_method = "." in scope.qualified_name
        if not decorators <= SAFE_DECORATORS or (is_method and keywords):
            return False
        callees = {
            id(call): self._is_callee(caller, call, module, node.name)
            for caller, call, _ in keywords
        }
        if any(is_callee is None for is_callee in callees.values()):
            return False
        for caller, call, keyword in keywords:
            if callees[id(call)]:
                self._edit(caller, (keyword.lineno, keyword.col_offset), old, new)
        return True

    def _is_callee(self, caller: Module, call: ast.Call, module: Module, name: str) -> bool | None:
        """Tell whether a call is of a function of the module; None where it could be."""
        passed = any(isinstance(part, ast.Name) and part.id == name for part in call.args)
        match call.func:
            case ast.Name(id=called) if called == name:
                return caller is module or self._imports_from(caller, module.relative)
            case ast.Attribute(value=ast.Name(id=receiver), attr=called) if called == name:
                return self.module_aliases[caller.relative].get(receiver) == module.relative
        return None if passed else False

    def _drop_collisions(self) -> None:
        """Leave out new names of modules that something else has already."""
        while collisions := set(self._find_collisions()):
            for path, name in sorted(collisions):
                new = self.modules[path].top.new_names.pop(name)
                self.left_out.append(("collision", path, name, new))
            for module in self.modules.values():
                for scope, node, alias in module.imports:
                    if isinstance(node, ast.ImportFrom) and not self._new_import(
                        module, node, alias
                    ):
                        scope.new_names.pop(alias.name, None)

    def _find_collisions(self) -> Iterator[tuple[str, str]]:
        for module in self.modules.values():
            news = module.top.new_names
            counts = Counter(news.values())
            for name, new in news.items():
                if new in module.top.bound or counts[new] > 1 or hasattr(builtins, new):
                    yield self._origin(module, name)
            for scope, name, _ in module.uses:
                if (
                    name in news
                    and scope.resolve(name) is module.top
                    and self._is_bound_between(scope, news[name])
                ):
                    yield self._origin(module, name)

    def _is_bound_between(self, scope: Scope, new: str) -> bool:
        """Tell whether a function around a use binds the new name."""
        while scope.parent:
            if not scope.is_class and new in {scope.new_names.get(n, n) for n in scope.bound}:
                return True
            scope = scope.parent
        return False

    def _origin(self, module: Module, name: str) -> tuple[str, str]:
        """Return the path and name of what a name of a module was imported as."""
        for scope, node, alias in module.imports:
            bound = alias.asname or alias.name
            if scope is module.top and name == bound and isinstance(node, ast.ImportFrom):
                path = self._file_of(self._source_of(module, node))
                if path and alias.name in self.modules[path].top.new_names:
                    return self._origin(self.modules[path], alias.name)
        return module.relative, name

    def _edit(self, module: Module, position: Position, old: str, new: str) -> None:
        line, column = position
        text = module.lines[line - 1][column : column + len(old.encode())]
        if text == old.encode():
            self.edits[module.relative][position] = old, new
        else:
            self.left_out.append(("not found", module.relative, str(line), old, new))

    def _edit_names(self, module: Module) -> None:
        for scope, name, position in module.uses:
            owner = scope.resolve(name)
            if owner and name in owner.new_names:
                self._edit(module, position, name, owner.new_names[name])

    def _edit_imports(self, module: Module) -> None:
        for _, node, alias in module.imports:
            if new := self._new_import(module, node, alias):
                self._edit(module, (alias.lineno, alias.col_offset), alias.name, new)
                if alias.asname == alias.name:
                    column = (alias.end_col_offset or 0) - len(alias.name)
                    self._edit(module, (alias.end_lineno or 0, column), alias.name, new)

    def _edit_module_attributes(self, module: Module) -> None:
        imported = {(id(scope), alias.asname or alias.name) for scope, _, alias in module.imports}
        for scope, node in module.attributes:
            path = None
            if isinstance(node.value, ast.Name):
                owner = scope.resolve(node.value.id)
                if owner and (id(owner), node.value.id) in imported:
                    path = self.module_aliases[module.relative].get(node.value.id)
            elif isinstance(node.value, ast.Attribute):
                path = self._file_of(ast.unparse(node.value))
            if path and (new := self.modules[path].top.new_names.get(node.attr)):
                self._edit(module, end_of_attribute(node), node.attr, new)

    def _edit_strings(self, module: Module) -> None:
        """Edit `setattr(module, "name")`, "package.module.name" and quoted annotations."""
        for _, call in module.calls:
            match call.args:
                case [ast.Name(id=receiver), ast.Constant(value=str(name)) as text, *_]:
                    path = self.module_aliases[module.relative].get(receiver)
                    if path and (new := self.modules[path].top.new_names.get(name)):
                        self._edit(module, (text.lineno, text.col_offset + 1), name, new)
        for node in ast.walk(module.tree):
            match node:
                case ast.Constant(value=str(path_text)) if re.fullmatch(r"\w+(\.\w+)+", path_text):
                    dotted, _, name = path_text.rpartition(".")
                    path = self._file_of(dotted)
                    new = self.modules[path].top.new_names.get(name) if path else None
                    if new:
                        position = node.lineno, node.col_offset + 1
                        self._edit(module, position, path_text, f"{dotted}.{new}")
                case ast.AnnAssign() | ast.arg() | ast.FunctionDef() | ast.Subscript():
                    self._edit_quoted(module, node)

    def _edit_quoted(self, module: Module, node: ast.AST) -> None:
        for name in ("annotation", "returns", "slice"):
            part = getattr(node, name, None)
            for text in ast.walk(part) if isinstance(part, ast.AST) else ():
                match text:
                    case ast.Constant(value=str(value)) if value in module.top.new_names:
                        position = text.lineno, text.col_offset + 1
                        self._edit(module, position, value, module.top.new_names[value])

    def _write(self, module: Module, edits: dict[Position, tuple[str, str]]) -> None:
        """Write a file with its edits, and with the new names in backticks."""
        lines = [*module.lines]
        for (line, column), (old, new) in sorted(edits.items(), reverse=True):
            text = lines[line - 1]
            lines[line - 1] = text[:column] + new.encode() + text[column + len(old.encode()) :]
        content = b"\n".join(lines)
        for old, new in module.top.new_names.items():
            content = content.replace(f"`{old}`".encode(), f"`{new}`".encode())
        module.path.write_bytes(content)


def main() -> None:
    """Apply the rows of the table that is named."""
    rows = [line.split("\t") for line in Path(sys.argv[1]).read_text().splitlines()]
    renaming = Renaming(rows)
    renaming.apply()
    for row in renaming.left_out:
        sys.stdout.write("\t".join(row) + "\n")
    sys.stderr.write(f"{Counter(reason for reason, *_ in renaming.left_out).most_common()}\n")


if __name__ == "__main__":
    main()
