"""Python source as libcst's tree: the few questions that the rules ask of it."""

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from functools import cache

import libcst as cst
from libcst import metadata

Function = cst.FunctionDef | cst.Lambda
Bindings = Mapping[str, list[cst.BaseExpression | None]]
"""By name (`data`, `self.data`) what is assigned to it; None where that is no plain value."""

_LAYOUT = re.compile(r"whitespace|lpar|rpar|comma|lines|semicolon|header|footer|indent|equal")


def find_positions(module: cst.Module) -> Mapping[cst.CSTNode, metadata.CodeRange]:
    """Return the lines of the nodes, none where the tree is too deep for that."""
    try:
        wrapper = metadata.MetadataWrapper(module, unsafe_skip_copy=True)
        return wrapper.resolve(metadata.PositionProvider)
    except RecursionError:
        return {}


@cache
def _list_child_fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if not _LAYOUT.search(field.name))


def list_children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes right below one, without those that are only layout."""
    for name in _list_child_fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            yield value
        elif isinstance(value, list | tuple):
            yield from (inner_node for inner_node in value if isinstance(inner_node, cst.CSTNode))


def walk_tree(*nodes: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes and all below them, in the order of the text."""
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(list(list_children(node)))


def walk_own_nodes(*nodes: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes and all below them, without what is inside functions and classes there."""
    pending = list(reversed(nodes))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
            pending += reversed(list(list_children(node)))


def collect_ids_below(nodes: Iterable[cst.CSTNode], *kinds: type[cst.CSTNode]) -> set[int]:
    """Return the identities of what is inside nodes of some kinds, and of these."""
    node_ids: set[int] = set()
    for node in walk_own_nodes(*nodes):
        if id(node) in node_ids or isinstance(node, kinds):
            node_ids.add(id(node))
            if not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.Lambda):
                node_ids |= {id(child) for child in list_children(node)}
    return node_ids


def list_read_names(*nodes: cst.CSTNode) -> Iterator[str]:
    """Yield the names that stand in some code, without attributes and names of arguments."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        match node:
            case cst.Name():
                yield node.value
            case cst.Attribute():
                pending.append(node.value)
            case cst.Arg():
                pending.append(node.value)
            case _:
                pending += list_children(node)


def list_body_nodes(function: Function) -> tuple[cst.CSTNode, ...]:
    """Return the statements of a function, or the expression of a lambda."""
    if isinstance(function, cst.Lambda):
        return (function.body,)
    return tuple(function.body.body)


def split_statement_lines(nodes: Iterable[cst.CSTNode]) -> Iterator[cst.CSTNode]:
    """Yield the nodes with those simple statements that share a line one by one."""
    for node in nodes:
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite):
            yield from node.body
        else:
            yield node


def list_calls(*nodes: cst.CSTNode) -> Iterator[cst.Call]:
    """Yield the calls that some statements make themselves."""
    return (call for call in walk_own_nodes(*nodes) if isinstance(call, cst.Call))


def read_dotted_name(node: cst.CSTNode | None) -> str:
    """Return `a.b.c` as it stands there, empty where the node is anything else."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return ""
    return ".".join((node.value, *reversed(parts)))


def format_code(node: cst.CSTNode) -> str:
    """Return the source of a node in one line, shortened where it is long."""
    try:
        text = " ".join(cst.Module(body=[]).code_for_node(node).split())
    except RecursionError:
        return "..."
    return text if len(text) <= 60 else text[:57] + "..."


def list_positional_parameters(function: Function) -> tuple[str, ...]:
    """Return the names of the parameters that take arguments by position, in their order."""
    parameter_nodes = function.params
    return tuple(
        posonly_parameter.name.value
        for posonly_parameter in (*parameter_nodes.posonly_params, *parameter_nodes.params)
    )


def list_all_parameters(function: Function) -> frozenset[str]:
    """Return the names of all parameters."""
    parameter_nodes = function.params
    stars = [
        parameter
        for parameter in (parameter_nodes.star_arg, parameter_nodes.star_kwarg)
        if isinstance(parameter, cst.Param)
    ]
    rest = (
        kwonly_parameter.name.value for kwonly_parameter in (*parameter_nodes.kwonly_params, *stars)
    )
    return frozenset((*list_positional_parameters(function), *rest))


def list_decorator_names(node: cst.FunctionDef | cst.ClassDef) -> list[str]:
    """Return the dotted names of the decorators, without their arguments."""
    plain = (
        decorator.decorator.func
        if isinstance(decorator.decorator, cst.Call)
        else decorator.decorator
        for decorator in node.decorators
    )
    return [read_dotted_name(expression) for expression in plain]


def find_bindings(nodes: Iterable[cst.CSTNode]) -> dict[str, list[cst.BaseExpression | None]]:
    """Return what some statements assign to names and to attributes of names."""
    values_by_name: dict[str, list[cst.BaseExpression | None]] = {}
    for node in walk_own_nodes(*nodes):
        for target, value in _list_assignments(node):
            for name, single in _list_target_names(target):
                values_by_name.setdefault(name, []).append(value if single else None)
    return values_by_name


def _list_assignments(node: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.BaseExpression | None]]:
    """Yield the targets of a node, each with what it gets."""
    match node:
        case cst.Assign():
            yield from ((target.target, node.value) for target in node.targets)
        case cst.AnnAssign() | cst.NamedExpr():
            yield node.target, node.value
        case cst.AugAssign() | cst.For():
            yield node.target, None
        case cst.CompFor():
            yield node.target, None
        case cst.AsName() | cst.FunctionDef() | cst.ClassDef() | cst.ImportAlias():
            yield node.name, None


def _list_target_names(target: cst.CSTNode) -> Iterator[tuple[str, bool]]:
    """Yield the names in a target, each with whether it is all of it."""
    if isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            yield from ((name, False) for name, _ in _list_target_names(element.value))
    elif name := read_dotted_name(target):
        yield name, True


def evaluate_constant(node: cst.CSTNode | None) -> object:
    """Return the value of a literal number or text, None where the node is something else."""
    if not isinstance(node, cst.Integer | cst.Float | cst.SimpleString | cst.ConcatenatedString):
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd escapes in strings
            return node.evaluated_value
    except (SyntaxError, ValueError, RecursionError):  # too many digits, or escapes of no name
        return None


def find_argument(call: cst.Call, name: str, place: int) -> cst.BaseExpression | None:
    """Return the argument that a call gives by name or by place."""
    plain = [
        positional_argument
        for positional_argument in call.args
        if positional_argument.keyword is None
    ]
    for given_argument in call.args:
        if given_argument.keyword is not None and given_argument.keyword.value == name:
            return given_argument.value
    if place < len(plain) and not any(
        positional_argument.star for positional_argument in plain[: place + 1]
    ):
        return plain[place].value
    return None


def has_splat(call: cst.Call) -> bool:
    """Tell whether a call hands on arguments that it does not name (`*a`, `**k`)."""
    return any(given_argument.star for given_argument in call.args)


def is_generator(function: cst.FunctionDef) -> bool:
    """Tell whether calling a function runs nothing of its body: it holds a `yield` of its own."""
    return any(isinstance(node, cst.Yield) for node in walk_own_nodes(*list_body_nodes(function)))


def split_words(*names: str) -> frozenset[str]:
    """Return the words of some names, in lower case: `time_readCSV` gives time, read and csv."""
    split = (re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name) for name in names)
    return frozenset(word.lower() for part in split for word in part)
