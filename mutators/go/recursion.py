"""A function that calls itself: a wrapper takes the delay, its own calls go past it.

The wrapper has the function's name, the body gets another one, and self-calls in the body are
renamed. So only the outermost call waits, without a look-up per goroutine. What cannot be seen in
the text (calls through other types, embedded fields, values, function literals, other functions)
is found by the counting variant when it runs, and gets a guarded delay.
"""

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from auditor.core.edits import Edit
from mutators.go import tree
from mutators.go.lint_rules import syntax

PREFIX = "zzBenchAuditBody"
"""Of the renamed body; long enough to clash with nothing."""

_TYPES = frozenset({"function_type", "interface_type", "struct_type"})
"""Types whose parameters and methods have names that nothing outside them sees."""
_STACK_READERS = {
    "runtime": ("Caller", "Callers", "Stack"),
    "runtime/debug": ("PrintStack", "Stack"),
}
"""Functions of the standard library that tell which functions are being called."""

_DECLARING = (
    "parameter_declaration",
    "variadic_parameter_declaration",
    "var_spec",
    "const_spec",
    "type_spec",
    "type_alias",
)


def self_calls(declaration: Node, fields: frozenset[str]) -> list[Node]:
    """Return the names in the body's calls of the function itself.

    For a method these are calls on its receiver, or on one of `fields`, which are of its own type.
    A call that begins a goroutine is an outermost one there, and so may be one in a function
    literal: neither goes past the wrapper.
    """
    name = tree.read_text(declaration.child_by_field_name("name"))
    body = declaration.child_by_field_name("body")
    if body is None:
        return []
    holder, owner = tree.read_receiver(declaration)
    called = map(_find_called_name, _list_direct_calls(body))
    named = [node for node in called if node is not None and tree.read_text(node) == name]
    if not owner:
        return [node for node in named if node.type == "identifier"]
    return [node for node in named if _on_receiver(node, holder, fields)]


def _list_direct_calls(body: Node) -> Iterator[Node]:
    """Yield the calls that surely run in the goroutine of the function itself."""
    pending = [body]
    while pending:
        node = pending.pop()
        pending += reversed(
            [child for child in node.named_children if child.type != "func_literal"]
        )
        begins = node.parent is not None and node.parent.type == "go_statement"
        if node.type == "call_expression" and not begins:
            yield node


def _find_called_name(call: Node) -> Node | None:
    """Return the node that names what is called, past type arguments."""
    function = call.child_by_field_name("function")
    while function is not None and function.type in (
        "index_expression",
        "type_instantiation_expression",
    ):
        function = function.child_by_field_name("operand") or function.named_children[0]
    if function is not None and function.type == "selector_expression":
        return function.child_by_field_name("field")
    return function


def _on_receiver(called: Node, holder: str, fields: frozenset[str]) -> bool:
    selector = called.parent
    operand = selector.child_by_field_name("operand") if selector is not None else None
    if operand is None or not holder:
        return False
    text = tree.read_text(operand)
    return text == holder or text in {f"{holder}.{field}" for field in fields}


def explain_refusal(declaration: Node) -> str | None:
    """Say why a function that calls itself cannot have a wrapper; None if it can."""
    name = tree.read_text(declaration.child_by_field_name("name"))
    holder, owner = tree.read_receiver(declaration)
    if (holder if owner else name) in set(_list_declared_names(declaration)):
        return "it calls itself, and a name in it hides which calls these are"
    if calls_recover(declaration):
        return "it calls itself and recover, which works in a deferred function itself only"
    if reads_call_stack(declaration):
        return "it calls itself and reads the call stack, on which there would be one more function"
    fixed = [tree.read_text(declared) for _, _, declared in tree.list_parameters(declaration)]
    fixed.append(tree.read_text(declaration.child_by_field_name("result")))
    fixed.append(tree.read_text(declaration.child_by_field_name("type_parameters")))
    if any("\n" in text for text in fixed):
        return "it calls itself, and the types of its signature span several lines"
    return None


def _list_declared_names(declaration: Node) -> Iterator[str]:
    """Yield the names that are declared inside the function."""
    parts = ("parameters", "result", "body")
    for part in (declaration.child_by_field_name(key) for key in parts):
        if part is None or part.type in _TYPES:
            continue
        for node in syntax.walk_nodes(part, _TYPES):
            if node.type in _DECLARING:
                yield from (tree.read_text(name) for name in node.children_by_field_name("name"))
            elif any(child.type == ":=" for child in node.children):
                inner_node = node.child_by_field_name("left") or node.child_by_field_name("alias")
                yield from (
                    tree.read_text(child)
                    for child in (inner_node.named_children if inner_node else [])
                )


def calls_recover(declaration: Node) -> bool:
    """Tell whether the function itself, not a literal in it, calls recover."""
    pending = [declaration]
    while pending:
        node = pending.pop()
        called = node.child_by_field_name("function")
        if node.type == "call_expression" and tree.read_text(called) == "recover":
            return True
        pending += [child for child in node.named_children if child.type != "func_literal"]
    return False


def reads_call_stack(declaration: Node) -> bool:
    """Tell whether the function, or a literal in it, asks which functions are being called."""
    root = declaration.parent
    text = tree.read_text(declaration)
    if root is None or not ("Caller" in text or "Stack" in text):
        return False
    readers = {
        f"{package}.{name}"
        for path, names in _STACK_READERS.items()
        if (package := tree.imported_as(root, path))
        for name in names
    }
    return any(
        node.type == "selector_expression" and tree.read_text(node) in readers
        for node in tree.walk_tree(declaration)
    )


def wrap_function(
    declaration: Node, calls: Sequence[Node], statement: str, name: str | None = None
) -> list[Edit]:
    """Return the edits that put a wrapper with `statement` in front, on the same line.

    Its name is the function's own unless another one is given.
    """
    names = declaration.children_by_field_name("name")
    function_name = tree.read_text(names[0])
    body = f"{PREFIX}{function_name}"
    wrapper = _write_wrapper(declaration, name or function_name, body, statement)
    edits = [Edit.make_insertion(declaration.start_byte, wrapper.encode())]
    return edits + [
        Edit(node.start_byte, node.end_byte, body.encode()) for node in [*names, *calls]
    ]


def _write_wrapper(declaration: Node, name: str, body: str, statement: str) -> str:
    holder, owner = tree.read_receiver(declaration)
    receiver = tree.read_text(declaration.child_by_field_name("receiver"))
    generic = tree.read_text(declaration.child_by_field_name("type_parameters"))
    result = tree.read_text(declaration.child_by_field_name("result"))
    declared, passed = [], []
    for index, text in enumerate(tree.parameter_types(declaration)):
        declared.append(f"zzArgument{index} {text}")
        passed.append(f"zzArgument{index}" + ("..." if text.startswith("...") else ""))
    target = f"{holder}.{body}" if owner else f"{body}{type_arguments(declaration)}"
    call = f"{'return ' if result else ''}{target}({', '.join(passed)})"
    head = (
        f"func {receiver}{' ' if receiver else ''}{name}{generic}({', '.join(declared)}) {result}"
    )
    return f"{head} {{ {statement}; {call} }}; "


def type_arguments(declaration: Node) -> str:
    """Return the type arguments that hand the type parameters of a function on."""
    names = type_names(declaration)
    return f"[{', '.join(names)}]" if names else ""


def type_names(declaration: Node) -> list[str]:
    """Return the names of the type parameters of a function."""
    type_parameters = declaration.child_by_field_name("type_parameters")
    return [
        tree.read_text(name)
        for child in (type_parameters.named_children if type_parameters is not None else [])
        for name in child.children_by_field_name("name")
    ]
