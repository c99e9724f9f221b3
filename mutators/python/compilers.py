"""Which functions of a library a JIT compiler makes machine code of: what we insert would go, too.

A compiler is a decorator (`@numba.njit`, `@functools.partial(numba.njit, nogil=True)`), gets
another name (`fast = numba.njit(nogil=True)`), or is called (`area = numba.njit(_area)`).
"""

import ast
from collections.abc import Iterator, Mapping

from auditor.core.subject import SourceFile
from mutators.python.trivial import Definition, last_name

_KNOWN = frozenset(
    {"jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil", "script", "jitclass"}
    | {"register_jitable"}
)
"""Last names of compilers."""
_OWNERS = {"vectorize": ("numba", "nb"), "script": ("jit",)}
"""Modules of the compilers that others have namesakes of."""
_MOST_NAMES = 5
"""Names that a compiler is handed on by, the next for the last."""


def compiler_names(modules: Mapping[SourceFile, ast.Module]) -> frozenset[str]:
    """Return the last names of compilers: the known ones, and those that a library gives them."""
    bindings = [
        binding
        for source, module in modules.items()
        if _mentions(source, _KNOWN)
        for binding in _list_bindings(module)
    ]
    names = _KNOWN
    for _ in range(_MOST_NAMES):
        names |= {name for name, value in bindings if find_compiler(value, names)}
    return names


def choose_compilers(module: ast.Module, compilers: frozenset[str]) -> frozenset[str]:
    """Return the compilers of a library that a file has.

    A function of the file compiles nothing, nor do `vectorize` and `script` of most modules.
    """
    imported_names = {
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if not _is_compilers_module(alias.name, node.module or "")
    }
    return compilers - imported_names - _list_function_names(module)


def compiled_functions(
    source: SourceFile, module: ast.Module, compilers: frozenset[str]
) -> dict[str, str]:
    """Return the functions of a file that it hands to a compiler, and the name of that."""
    if not _mentions(source, compilers):
        return {}
    functions = _list_function_names(module)
    return {
        name: compiler
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and (compiler := find_compiler(node.func, compilers))
        for name in functions & _list_arguments(node)
    }


def find_compiler(expression: ast.expr, compilers: frozenset[str]) -> str:
    """Return the name of the compiler that an expression is, empty where it is none."""
    match expression:
        case ast.Name(id=name) if name in compilers:
            return name
        case ast.Attribute(value=owner, attr=name) if name in compilers:
            return name if _is_compilers_module(name, last_name(owner)) else ""
        case ast.Call(func=function, args=[first, *_]) if last_name(function) == "partial":
            return find_compiler(first, compilers)
        case ast.Call(func=function):
            return find_compiler(function, compilers)
    return ""


def _is_compilers_module(name: str, module: str) -> bool:
    """Tell whether what a module calls `name` may be a compiler: numpy.vectorize is none."""
    owners = _OWNERS.get(name)
    return owners is None or module.rpartition(".")[2] in owners


def _mentions(source: SourceFile, names: frozenset[str]) -> bool:
    return any(name.encode() in source.text for name in names)


def _list_bindings(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a file gives to expressions that may be compilers.

    What a compiler makes of a function is none: `step = jax.jit(lambda x: x + 1)`.
    """
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if _is_compilers_module(alias.name, node.module or ""):
                    yield alias.asname or alias.name, ast.Name(alias.name)
        elif isinstance(node, ast.Assign) and not _is_compiled_result(node.value):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def _is_compiled_result(value: ast.expr) -> bool:
    return isinstance(value, ast.Call) and bool(value.args) and last_name(value.func) != "partial"


def _list_function_names(module: ast.Module) -> frozenset[str]:
    return frozenset(node.name for node in ast.walk(module) if isinstance(node, Definition))


def _list_arguments(call: ast.Call) -> frozenset[str]:
    """Return the names that a call hands over."""
    return frozenset(argument.id for argument in call.args if isinstance(argument, ast.Name))
