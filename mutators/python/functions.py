"""The functions and methods that a Python module defines, and why some cannot be slowed.

Which functions of a library a JIT compiler makes machine code of: what we insert would go, too.

A compiler is a decorator (`@numba.njit`, `@functools.partial(numba.njit, nogil=True)`), gets
another name (`fast = numba.njit(nogil=True)`), or is called (`area = numba.njit(_area)`).
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from auditor.core.subject import Language, Method, SourceFile, Span
from mutators.python.trivial import (
    Definition,
    computed_names,
    last_name,
    standard_modules,
    why_trivial,
)

_COMPILER_NAMES = frozenset(
    {"jit", "njit", "vectorize", "guvectorize", "cfunc", "stencil", "script", "jitclass"}
    | {"register_jitable"}
)
"""Last names of compilers."""
_OWNERS = {"vectorize": ("numba", "nb"), "script": ("jit",)}
"""Modules of the compilers that others have namesakes of."""
_MOST_NAMES = 5
"""Names that a compiler is handed on by, the next for the last."""

LOCALS = "<locals>"
"""What stands for a function in the name of one inside it, as in `__qualname__`."""
GENERATOR = "a generator: calling it runs nothing of its body"
_ACCESSORS = frozenset({"setter", "deleter"})
_FRAMES = frozenset({"locals", "vars", "dir", "eval", "exec"})
"""Calls without (or in spite of) arguments that see the names of the function around them."""


@dataclass(frozen=True, slots=True)
class FunctionDefinitions:
    """A function: the method that it is, and its definitions.

    A method may have several, as the branches of an `if` or the functions of a singledispatch are.
    """

    method: Method
    nodes: tuple[Definition, ...]

    @property
    def def_lines(self) -> tuple[int, ...]:
        """Return the lines of its `def`."""
        return tuple(node.lineno for node in self.nodes)

    @property
    def first_lines(self) -> tuple[int, ...]:
        """Return the lines on which its code begins for the interpreter: at its decorators."""
        return tuple([*node.decorator_list, node][0].lineno for node in self.nodes)


@dataclass(frozen=True, slots=True)
class LibraryNames:
    """Names that a library gives in one of its modules, and uses in others."""

    computed: frozenset[str]  # attributes whose reading may run a function
    compilers: frozenset[str]  # JIT compilers


def read_library_names(modules: Mapping[SourceFile, ast.Module]) -> LibraryNames:
    """Return the names of a library."""
    return LibraryNames(computed_names(modules.values()), _compiler_names(modules))


@dataclass(frozen=True, slots=True)
class _Place:
    """A definition in its module."""

    name: str  # qualified
    node: Definition
    decorators: tuple[ast.expr, ...]  # of what is around it, too

    @property
    def variable(self) -> str:
        """Return the name of the function in its scope, with the class that it is in."""
        return self.name.rpartition(f"{LOCALS}.")[2]


def defined_functions(
    source: SourceFile, module: ast.Module, names: LibraryNames
) -> list[FunctionDefinitions]:
    """Return each definition of a module of a library."""
    explain_trivial = partial(
        why_trivial,
        modules=standard_modules(module, sys.stdlib_module_names),
        computed=names.computed,
    )
    compilers = _choose_compilers(module, names.compilers)
    compiled = _compiled_functions(source, module, compilers)
    return [
        _make_function_definitions(
            source,
            place,
            _explain_compiler(place, compilers, compiled) or _explain_refusal(place.node),
            explain_trivial,
        )
        for place in _list_definitions(module.body, "")
    ]


def parse_module(source: SourceFile) -> ast.Module | None:
    """Return the module, None where nothing here can parse it."""
    try:
        return ast.parse(source.text)
    except (ValueError, RecursionError):
        return None
    except SyntaxError:
        from mutators.python import newer_syntax  # noqa: PLC0415 libcst is slow to load

        return newer_syntax.parse_newer_syntax(source.text)


def _list_definitions(
    body: Sequence[ast.stmt], prefix: str, around: tuple[ast.expr, ...] = ()
) -> Iterator[_Place]:
    """Yield the functions below some statements; `around` are the decorators around them."""
    for node in body:
        if isinstance(node, Definition):
            if any(map(_is_overload, node.decorator_list)):
                continue  # a stub for type checkers, which nothing calls
            name = f"{prefix}{_own_name(node)}"
            decorators = (*node.decorator_list, *around)
            yield _Place(name, node, decorators)
            yield from _list_definitions(node.body, f"{name}.{LOCALS}.", decorators)
        elif isinstance(node, ast.ClassDef):
            decorators = (*node.decorator_list, *around)
            yield from _list_definitions(node.body, f"{prefix}{node.name}.", decorators)
        else:
            for inner in _list_blocks(node):
                yield from _list_definitions(inner, prefix, around)


def _list_blocks(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a compound statement."""
    for name in ("body", "orelse", "finalbody"):
        if inner := getattr(node, name, None):
            yield inner
    for case in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield case.body


def _is_overload(decorator: ast.expr) -> bool:
    """Tell whether it is typing's, by whatever name that is imported; numba's has arguments."""
    return isinstance(decorator, ast.Name | ast.Attribute) and (
        ast.unparse(decorator).rpartition(".")[2] == "overload"
    )


def _own_name(node: Definition) -> str:
    """Return the name, with the part that it plays where it shares it with a property."""
    accessor = find_accessor(node)
    return f"{node.name}.{accessor}" if accessor else node.name


def find_accessor(node: Definition) -> str:
    """Return "setter" or "deleter" where it is that of a property, otherwise nothing."""
    attributes = (node for node in node.decorator_list if isinstance(node, ast.Attribute))
    return next((node.attr for node in attributes if node.attr in _ACCESSORS), "")


def _make_function_definitions(
    source: SourceFile,
    place: _Place,
    refusal: str | None,
    explain_trivial: Callable[[Definition], str | None],
) -> FunctionDefinitions:
    node = place.node
    owner, _, last = f"{source.unit}.{place.name}".rpartition(".")
    arguments = node.args
    named = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    return FunctionDefinitions(
        Method(
            language=Language.PYTHON,
            id=f"{source.unit}.{place.name}",
            owner=owner,
            name=last,
            parameters=tuple(argument.arg for argument in named),
            span=Span(source.path, node.lineno, node.end_lineno or node.lineno),
            refusal=refusal,
            trivial=explain_trivial(node),
        ),
        (node,),
    )


def is_private(path: str) -> bool:
    """Tell whether a part of a dotted name begins with an underscore; `__add__` is public."""
    return any(
        part.startswith("_") and not (part.startswith("__") and part.endswith("__"))
        for part in path.split(".")
    )


def _explain_compiler(
    place: _Place, compilers: frozenset[str], compiled: Mapping[str, str]
) -> str | None:
    """Return that a function is compiled, None where no compiler gets it as far as is known."""
    for decorator in place.decorators:
        if compiler := find_compiler(decorator, compilers):
            return explain_compiled(f"its decorator {compiler}")
    compiler = compiled.get(place.variable, "")
    return explain_compiled(compiler) if compiler else None


def explain_compiled(compiler: str) -> str:
    """Return why a function cannot be slowed that a JIT compiler makes machine code of."""
    return f"{compiler} compiles it: Python code laid over it would not run"


def _explain_refusal(node: Definition) -> str | None:
    if isinstance(node, ast.AsyncFunctionDef):
        return "a coroutine: other tasks run while it waits, so its time is not its own"
    if is_generator(node):
        return GENERATOR
    body_nodes = list(_walk_own_nodes(node))
    if any(map(_sees_names, body_nodes)) or _reads_own_frame(body_nodes):
        return "it looks at its own local variables, of which there would be one more"
    return None


def is_generator(node: Definition) -> bool:
    """Tell whether a call only makes a generator."""
    return any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in _walk_own_nodes(node))


def _walk_own_nodes(node: Definition) -> Iterator[ast.AST]:
    """Yield the nodes of a body, without those of functions and classes inside it."""
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        inner_node = waiting.pop()
        yield inner_node
        if not isinstance(inner_node, Definition | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(inner_node))


def _sees_names(node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
        return False
    return node.func.id in _FRAMES and (
        node.func.id in ("eval", "exec") or not (node.args or node.keywords)
    )


def _reads_own_frame(nodes: Sequence[ast.AST]) -> bool:
    """Tell whether a body reads the variables of its own frame, and not only of its callers'."""
    frames = {
        target.id
        for node in nodes
        if isinstance(node, ast.Assign) and _makes_own_frame(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    frames -= {
        _read_name(attribute.value) for attribute in attributes if attribute.attr == "f_back"
    }
    return any(
        attribute.attr == "f_locals"
        and (_makes_own_frame(attribute.value) or _read_name(attribute.value) in frames)
        for attribute in attributes
    )


def _read_name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _makes_own_frame(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=function, args=[] | [ast.Constant(value=0)]):
            return last_name(function) in ("currentframe", "_getframe")
    return False


def list_decorator_names(node: Definition) -> list[str]:
    """Return the dotted names of the decorators, the outermost first, without their arguments."""
    plain = (
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for decorator in node.decorator_list
    )
    return [
        ast.unparse(expression)
        for expression in plain
        if isinstance(expression, ast.Name | ast.Attribute)
    ]


def _compiler_names(modules: Mapping[SourceFile, ast.Module]) -> frozenset[str]:
    """Return the last names of compilers: the known ones, and those that a library gives them."""
    bindings = [
        binding
        for source, module in modules.items()
        if _mentions(source, _COMPILER_NAMES)
        for binding in _list_bindings(module)
    ]
    names = _COMPILER_NAMES
    for _ in range(_MOST_NAMES):
        names |= {name for name, value in bindings if find_compiler(value, names)}
    return names


def _choose_compilers(module: ast.Module, compilers: frozenset[str]) -> frozenset[str]:
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


def _compiled_functions(
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
