"""Functions of Python that cannot get slower, since they do next to nothing themselves."""

import ast
from collections.abc import Iterable, Iterator

Definition = ast.FunctionDef | ast.AsyncFunctionDef

_HARMLESS = frozenset(
    {"property", "cached_property", "staticmethod", "classmethod", "abstractmethod", "override"}
)
"""Decorators that add nothing to a call; others may do all the work."""
_PLAIN = frozenset({"staticmethod", "classmethod", "abstractmethod", "override", "overload"})
"""Decorators that add nothing to the reading of an attribute."""


def why_trivial(node: Definition, modules: frozenset[str], computed: frozenset[str]) -> str | None:
    """Return why a function cannot get slower; None where it can.

    `modules` are the names that the file imports from the standard library, `computed` those whose
    reading may run a function of the library.
    """
    if set(map(last_name, node.decorator_list)) - _HARMLESS:
        return None
    body = [statement for statement in node.body if not _is_nothing(statement)]
    if not body:
        return "its body is empty"
    if len(body) != 1:
        return None
    if isinstance(body[0], ast.Raise) and "NotImplemented" in ast.unparse(body[0]):
        return "it is abstract"
    if computed.intersection(_list_read_attributes(body[0])):
        return None
    return _why_single(body[0], modules)


def _list_read_attributes(node: ast.stmt) -> Iterator[str]:
    """Yield the attributes that are read as they are, called ones left out."""
    called = {id(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}
    for inner_node in ast.walk(node):
        if isinstance(inner_node, ast.Attribute) and id(inner_node) not in called:
            yield inner_node.attr


def _why_single(only: ast.stmt, modules: frozenset[str]) -> str | None:
    """Return why the only statement of a function cannot get slower."""
    if isinstance(only, ast.Assign) and len(only.targets) == 1:
        plain = _is_plain(only.targets[0]) and _is_plain(only.value)
        return "it only sets a field" if plain else None
    if isinstance(only, ast.Return) and (only.value is None or _is_plain(only.value)):
        return "it only returns a field or a constant"
    value = only.value if isinstance(only, ast.Return | ast.Expr) else None
    return "it only calls the standard library" if _is_platform_call(value, modules) else None


def _is_nothing(node: ast.stmt) -> bool:
    """Tell whether a statement is `pass`, a docstring or `...`."""
    constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return constant or isinstance(node, ast.Pass)


def _is_plain(node: ast.expr) -> bool:
    """Tell whether an expression is a name, an attribute or a constant."""
    if isinstance(node, ast.Attribute):
        return _is_plain(node.value)
    return isinstance(node, ast.Name | ast.Constant)


def _is_platform_call(node: ast.expr | None, modules: frozenset[str]) -> bool:
    """Tell whether it is a call of the standard library that hands over constants at most."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    expressions = [*node.args, *(keyword.value for keyword in node.keywords)]
    module = node.func.value
    is_standard_module = isinstance(module, ast.Name) and module.id in modules
    return is_standard_module and all(
        isinstance(expression, ast.Constant) for expression in expressions
    )


def computed_names(modules: Iterable[ast.Module]) -> frozenset[str]:
    """Return the names of attributes of a library whose reading may run a function: properties."""
    return frozenset(
        name
        for module in modules
        for node in ast.walk(module)
        for name in _list_computed_names(node)
    )


def _list_computed_names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, Definition):
        decorators = (last_name(decorator) for decorator in node.decorator_list)
        if any(decorator not in _PLAIN for decorator in decorators):
            yield node.name
    elif (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and "property" in last_name(node.value.func)
    ):
        yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def last_name(expression: ast.expr) -> str:
    """Return the last part of a dotted name, empty for another expression."""
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else ""


def standard_modules(module: ast.Module, names: frozenset[str]) -> frozenset[str]:
    """Return what a file calls the modules among `names` that it imports as a whole."""
    return frozenset(
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.Import)
        for alias in node.names
        if alias.name.partition(".")[0] in names
    )
