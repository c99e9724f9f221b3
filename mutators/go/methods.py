"""The functions and methods of a Go library, and why some of them cannot be slowed."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from posixpath import basename, dirname

from tree_sitter import Node

from auditor.core.subject import Language, Method, SourceFile, SourceRole, Span
from mutators.go import dual_body, recursion, tree
from mutators.go.declared_types import DeclaredTypes
from mutators.go.lint_rules import syntax

_ITERATOR = "an iterator: calling it runs nothing of the loop that it returns"
_CONVERSION = "http.HandlerFunc"
"""The conversion that most middleware makes; others are known by the type of the result."""
_LAZY = ("bytes", "maps", "slices", "strings")
"""Packages of the standard library whose iterators do nothing before their loop."""

_LITERALS = frozenset(
    {
        "int_literal", "float_literal", "imaginary_literal", "rune_literal", "true", "false", "nil",
        "interpreted_string_literal", "raw_string_literal",
    }
)  # fmt: skip
_NAMES = frozenset({"identifier", "iota"})
_STANDARD = syntax.split_words(
    "archive bufio bytes cmp compress container context crypto database debug embed encoding "
    "errors expvar flag fmt go hash html image index io iter log maps math mime net os path "
    "plugin reflect regexp runtime slices sort strconv strings structs sync syscall testing text "
    "time unicode unique unsafe weak"
)
"""Where paths of the standard library begin. A module's own path may have no dot, either."""

_FORBIDDEN = re.compile(rb"^//go:(nosplit|systemstack|nowritebarrier\w*|yeswritebarrierrec)\b")
"""Directives under which a deferred call may not be compiled or linked."""
_SUPPORTING = frozenset({"example", "examples", "bench", "benchmark", "benchmarks"})
"""Folders of packages that show or measure a library; no client calls them."""
_END_LIKE_TESTS = frozenset({"attest", "contest", "fastest", "greatest", "latest", "protest"})
"""Names that end as those of packages for tests do, such as `iotest`."""
_CONSTRAINT = re.compile(rb"^//go:build [^\r\n]*", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class MethodDeclaration:
    """A declaration in a file, the method that it is, and the names in it that call it."""

    method: Method
    declaration: Node
    self_calls: tuple[Node, ...]


def list_declared_methods(
    source: SourceFile, root: Node, types: DeclaredTypes
) -> Iterator[MethodDeclaration]:
    """Yield what a file declares; a blank name, which nobody can call, is left out.

    `types` are those of all its package's files.
    """
    for declaration in tree.list_functions(root):
        if tree.read_text(declaration.child_by_field_name("name")) == "_":
            continue
        _, receiver = tree.read_receiver(declaration)
        owner = types.resolve_owner(source.unit, receiver)
        owner_fields = types.own_fields.get(f"{source.unit}.{owner}", frozenset())
        calls = tuple(recursion.self_calls(declaration, owner_fields))
        method = _make_method(source, root, declaration, owner, calls)
        method = replace(
            method,
            public=_is_public(method, declaration, types),
            trivial=why_trivial(declaration, root),
            generic=tree.is_generic(declaration),
        )
        yield MethodDeclaration(method, declaration, calls)


def list_excluded_methods(
    sources: Iterable[SourceFile], packages: Container[tuple[str, str]]
) -> Iterator[Method]:
    """Yield what files declare that belong to one of `packages` (unit, name) but are not built.

    Beside them lie programs that belong to none, such as those that write sources.
    """
    for source in sources:
        if source.role is not SourceRole.LEFT_OUT:
            continue
        root = tree.parse_source(source.text)
        if (source.unit, tree.read_package_name(root)) in packages:
            reason = f"left out by the build tags in force ({_describe_constraint(source, root)})"
            for declaration in list_declared_methods(source, root, DeclaredTypes()):
                yield replace(declaration.method, refusal=reason)


def select_importable_methods(
    methods: Sequence[Method], programs: Container[str], measured: Iterable[str]
) -> Sequence[Method]:
    """Leave only those public that clients import.

    Those of `internal`, of a program, of examples, of benchmarks and of helpers for tests are not.
    `programs` are folders, `measured` those with benchmarks. Where nothing can be imported, or only
    what cannot be has benchmarks, as in a service, all that is exported counts but examples,
    benchmarks and helpers for tests.
    """

    def is_hidden(folder: str) -> bool:
        return "internal" in folder.split("/") or folder in programs

    def is_library(folder: str) -> bool:
        return _SUPPORTING.isdisjoint(folder.split("/")) and not helps_tests(folder)

    def is_client_api(folder: str) -> bool:
        return is_library(folder) and not is_hidden(folder)

    folders = set(filter(is_library, measured))
    inner = bool(folders) and all(map(is_hidden, folders))
    for is_offered in (is_library,) if inner else (is_client_api, is_library):
        offered = [
            replace(method, public=method.public and is_offered(_read_folder(method)))
            for method in methods
        ]
        if any(method.public and method.refusal is None for method in offered):
            return offered
    return methods


def helps_tests(folder: str) -> bool:
    """Tell by a folder's names whether its package helps tests, as `testutil` and `iotest` do."""
    return any(
        name.startswith("test") or (name.endswith("test") and name not in _END_LIKE_TESTS)
        for name in folder.split("/")
    )


def _read_folder(method: Method) -> str:
    return dirname(method.span.file) if method.span else ""


def benchmark_folders(sources: Iterable[SourceFile]) -> Iterator[str]:
    """Yield the folders of files with benchmarks."""
    for source in sources:
        if source.role is SourceRole.BENCHMARKS and tree.BENCHMARK.search(source.text):
            yield dirname(source.path)


def _describe_constraint(source: SourceFile, root: Node) -> str:
    """Return what keeps a file out of the build: a line in it, its language, or its name."""
    if match := _CONSTRAINT.search(source.text):
        return match.group().decode(errors="replace")
    return 'import "C"' if tree.imported_as(root, "C") else basename(source.path)


def _make_method(
    source: SourceFile, root: Node, declaration: Node, owner: str, self_calls: Sequence[Node]
) -> Method:
    name = tree.read_text(declaration.child_by_field_name("name"))
    inside = f"{source.unit}.{owner}" if owner else source.unit
    refusal = _explain_refusal(declaration, name, owner)
    if refusal is None:
        refusal = _explain_iterator(declaration, root)
    if refusal is None and self_calls:
        refusal = recursion.explain_refusal(declaration)
    return Method(
        language=Language.GO,
        id=f"{inside}.{name}",
        owner=inside,
        name=name,
        parameters=tree.parameter_types(declaration),
        span=Span(source.path, declaration.start_point.row + 1, declaration.end_point.row + 1),
        refusal=refusal,
        keeps_original=refusal is None and dual_body.can_copy(declaration),
    )


def _is_public(method: Method, declaration: Node, types: DeclaredTypes) -> bool:
    """Tell whether clients can call it, if they can import its package."""
    if declaration.type == "function_declaration":
        return method.name[:1].isupper() and not _is_fuzz_entry(declaration)
    owner = method.owner.rpartition(".")[2]
    is_offered = method.owner in types.offered and method.id not in types.shadowed
    is_known = owner[:1].isupper() or is_offered or method.id in types.implementing
    return method.name[:1].isupper() and is_known


def _is_fuzz_entry(declaration: Node) -> bool:
    """Tell whether it is an entry point of go-fuzz, which nothing but that tool calls."""
    name = tree.read_text(declaration.child_by_field_name("name"))
    return (
        name.startswith("Fuzz")
        and not name[4:5].islower()
        and tree.parameter_types(declaration) == ("[]byte",)
        and tree.result_types(declaration) == ("int",)
    )


def _explain_refusal(declaration: Node, name: str, owner: str) -> str | None:
    if declaration.has_error:
        return "its source could not be parsed"
    if declaration.child_by_field_name("body") is None:
        return "it has no body in Go: assembly or another package provides it"
    if not owner and name in ("init", "main"):
        return f"{name} is called by the runtime, not by users"
    if directive := _find_directive(declaration):
        return f"it is marked {directive}, which allows no deferred call"
    return None


def _find_directive(declaration: Node) -> str:
    """Return a directive above the declaration that forbids what we insert."""
    above = declaration.prev_sibling
    line = declaration.start_point.row
    while above is not None and above.type == "comment" and above.end_point.row >= line - 1:
        if above.text and (match := _FORBIDDEN.match(above.text)):
            return match.group().decode()
        line = above.start_point.row
        above = above.prev_sibling
    return ""


def why_trivial(declaration: Node, root: Node) -> str | None:
    """Return why a function cannot get slower; None where it can, or has no body."""
    body = declaration.child_by_field_name("body")
    if body is None or declaration.has_error:
        return None
    if _makes_only_function(declaration):
        return "it only makes a function: the work is in that one"
    statements = syntax.list_statements(body)
    if not statements:
        return "its body is empty"
    return _why_single(statements[0], root) if len(statements) == 1 else None


def _why_single(only: Node, root: Node) -> str | None:
    """Return why the only statement of a function cannot get slower."""
    if only.type == "assignment_statement" and only.child_count == 3:
        sides = _list_sides(only)
        return "it only sets a field" if sides and all(map(_is_plain, sides)) else None
    if only.type not in {"return_statement", "expression_statement"}:
        return None
    values = [value for child in only.named_children for value in syntax.list_values(child)]
    if only.type == "return_statement" and all(map(_is_plain, values)):
        return "it only returns a field or a constant"
    if len(values) == 1 and _is_platform_call(values[0], root):
        return "it only calls the standard library"
    return None


def _list_sides(assignment: Node) -> list[Node]:
    operator = assignment.child_by_field_name("operator")
    if operator is None or tree.read_text(operator) != "=":
        return []
    return [value for side in assignment.named_children for value in syntax.list_values(side)]


def _is_plain(node: Node) -> bool:
    """Tell whether an expression is a name, a field or a literal."""
    if node.type == "selector_expression":
        operand = node.child_by_field_name("operand")
        return operand is not None and _is_plain(operand)
    return node.type in _LITERALS or node.type in _NAMES


def _is_platform_call(node: Node, root: Node) -> bool:
    """Tell whether it is a call of the standard library that hands over literals at most."""
    if node.type != "call_expression":
        return False
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or function.type != "selector_expression":
        return False
    if any(child.type not in _LITERALS for child in arguments.named_children):
        return False
    operand = function.child_by_field_name("operand")
    return operand is not None and tree.read_text(operand) in _standard_packages(root)


def _standard_packages(root: Node) -> frozenset[str]:
    """Return the names of imported packages of the standard library."""
    packages = set()
    for node in (
        inner_node for child in root.named_children for inner_node in tree.walk_tree(child)
    ):
        if node.type == "import_spec":
            path = tree.read_text(node.child_by_field_name("path")).strip('"`')
            if path.partition("/")[0] in _STANDARD:
                alias = tree.read_text(node.child_by_field_name("name"))
                packages.add(alias or path.rsplit("/", 1)[-1])
    return frozenset(packages)


def _explain_iterator(declaration: Node, root: Node) -> str | None:
    """Return why a delay would miss the work, where that is in the iterator that is returned.

    The statements in front of it may hold no call and no loop: these would be work of the function.
    """
    statements, value = _find_returned_value(declaration)
    if value is None or any(map(_may_work, statements[:-1])):
        return None
    result = tree.read_text(declaration.child_by_field_name("result"))
    literal = _find_literal(value, result)
    if literal is not None:
        return _ITERATOR if _is_iterator(literal) else None
    return _ITERATOR if _forwards_iterator(value, result, root) else None


def _makes_only_function(declaration: Node) -> bool:
    """Tell whether all that a function does is to return a function literal."""
    statements, value = _find_returned_value(declaration)
    if value is None or len(statements) > 1:
        return False
    return (
        _find_literal(value, tree.read_text(declaration.child_by_field_name("result"))) is not None
    )


def _find_returned_value(declaration: Node) -> tuple[list[Node], Node | None]:
    """Return the statements of a function, and the only value that the last one returns."""
    statements = list(syntax.list_statements(declaration.child_by_field_name("body")))
    if not statements or statements[-1].type != "return_statement":
        return statements, None
    values = [value for child in statements[-1].named_children for value in _list_values(child)]
    return statements, values[0] if len(values) == 1 else None


def _may_work(statement: Node) -> bool:
    return any(
        node.type in ("call_expression", "for_statement") for node in tree.walk_tree(statement)
    )


def _list_values(node: Node) -> list[Node]:
    return [syntax.strip_parentheses(value) for value in syntax.list_values(node)]


def _find_literal(value: Node, result: str) -> Node | None:
    """Return a function literal, also below a conversion of it; None for anything else."""
    if value.type == "func_literal":
        return value
    arguments = value.child_by_field_name("arguments")
    operands = arguments.named_children if arguments else [value.child_by_field_name("operand")]
    if len(operands) != 1 or operands[0] is None or operands[0].type != "func_literal":
        return None
    converted = tree.read_text(value).partition("(")[0]
    return operands[0] if converted in (result, _CONVERSION) else None


def _is_iterator(literal: Node) -> bool:
    """Tell whether the only parameter is a function that answers whether to go on."""
    parameters = tree.list_parameters(literal)
    if len(parameters) != 1 or literal.child_by_field_name("result") is not None:
        return False
    _, _, declared = parameters[0]
    answer = tree.read_text(declared.child_by_field_name("result"))
    return declared.type == "function_type" and answer == "bool"


def _forwards_iterator(value: Node, result: str, root: Node) -> bool:
    """Tell whether it is an iterator of the standard library, over what needs no call."""
    package = tree.imported_as(root, "iter")
    if package is None or not result.startswith(f"{package}.Seq"):
        return False
    callee, _, _ = tree.read_text(value).partition(".")
    calls = [node for node in tree.walk_tree(value) if node.type == "call_expression"]
    return calls == [value] and any(callee == tree.imported_as(root, path) for path in _LAZY)
