"""What a call is seen to change, by the bodies of what it calls."""

from enum import Enum, auto

from tree_sitter import Node

from mutators.java.lint_rules.declarations import JavaMethod
from mutators.java.lint_rules.known import is_pure_method, suggests_change, suggests_pure_query
from mutators.java.lint_rules.project import JavaProject
from mutators.java.lint_rules.scope import LocalVariable, MethodScope
from mutators.java.lint_rules.tree import (
    LITERALS,
    find_assigned_node,
    find_root_name,
    list_children,
    read_part_text,
    read_text,
    strip_wrappers,
    walk_tree,
)

_DEEPEST = 4
_MOST_NODES = 3000
_OPAQUE = frozenset({"lambda_expression", "method_reference", "synchronized_statement"})
_VALUES = frozenset(
    {"boolean", "byte", "char", "double", "float", "int", "long", "short", "String"}
    | {"Boolean", "Byte", "Character", "Double", "Float", "Integer", "Long", "Short"}
)
_WORKLESS = LITERALS | {"return_statement", "binary_expression", "null_literal", "string_fragment"}
_MAKES = frozenset({"object_creation_expression", "array_creation_expression", "array_initializer"})


class SideEffect(Enum):
    """Whether code changes what others can see. UNKNOWN: some of what it calls is not seen."""

    NONE = auto()
    UNKNOWN = auto()
    VISIBLE = auto()


class EffectAnalysis:
    """Answers for calls, and remembers the answers for methods."""

    def __init__(self, project: JavaProject) -> None:
        self._project = project
        self._known: dict[JavaMethod, SideEffect] = {}
        self._closed: dict[JavaMethod, bool] = {}

    def classify_call(self, call: Node, scope: MethodScope, depth: int = 0) -> SideEffect:
        """Return what a call changes besides its result."""
        name = read_part_text(call, "name")
        if is_pure_of_jdk(call, scope):
            return SideEffect.NONE
        callees = scope.find_callees(call)
        if not callees:
            return SideEffect.UNKNOWN
        effects = [self.classify_method(callee, depth + 1) for callee in callees]
        if SideEffect.VISIBLE in effects:
            return SideEffect.VISIBLE
        if SideEffect.UNKNOWN in effects:
            abstract = all(callee.body is None for callee in callees)
            return SideEffect.NONE if abstract and suggests_pure_query(name) else SideEffect.UNKNOWN
        return SideEffect.NONE

    def classify_method(self, method: JavaMethod, depth: int = 0) -> SideEffect:
        """Return what a method changes besides its result."""
        if method not in self._known:
            self._known[method] = SideEffect.UNKNOWN  # for calls of itself
            self._known[method] = self._analyse_body(method, depth)
        return self._known[method]

    def reads_nothing(self, method: JavaMethod, depth: int = 0) -> bool:
        """Tell whether a method's result hangs on its parameters and on constants alone."""
        if method not in self._closed:
            self._closed[method] = False  # for calls of itself
            self._closed[method] = depth <= _DEEPEST and self._is_closed(method, depth)
        return self._closed[method]

    def _is_closed(self, method: JavaMethod, depth: int) -> bool:
        if method.body is None:
            return False
        scope = MethodScope(self._project, method)
        for number, node in enumerate(walk_tree(method.body)):
            if node.type in ("this", "super") or number >= _MOST_NODES:
                return False
            member = (
                scope.resolve_field(node) if node.type in ("identifier", "field_access") else None
            )
            if member is not None and not (member.is_final and member.is_static):
                return False
            if node.type == "method_invocation" and not is_pure_of_jdk(node, scope):
                inner = scope.find_callees(node)
                if not all(self.reads_nothing(java_method, depth + 1) for java_method in inner):
                    return False
        return True

    def _analyse_body(self, method: JavaMethod, depth: int) -> SideEffect:
        body = method.body
        if body is None or depth > _DEEPEST or "synchronized" in method.modifiers:
            return SideEffect.UNKNOWN
        if _is_default(method) or self._project.is_overridden(method):
            return SideEffect.UNKNOWN
        scope = MethodScope(self._project, method)
        worst = SideEffect.NONE
        for number, node in enumerate(walk_tree(body)):
            effect = (
                self._classify_node(node, scope, depth)
                if number < _MOST_NODES
                else SideEffect.UNKNOWN
            )
            if effect is SideEffect.VISIBLE:
                return effect
            if effect is SideEffect.UNKNOWN:
                worst = effect
                if number >= _MOST_NODES:
                    break
        return worst

    def _classify_node(self, node: Node, scope: MethodScope, depth: int) -> SideEffect:
        changed = find_assigned_node(node)
        if changed is not None:
            return SideEffect.NONE if _is_its_own(changed, scope) else SideEffect.VISIBLE
        if node.type in _OPAQUE:
            return SideEffect.UNKNOWN
        if node.type != "method_invocation":
            return SideEffect.NONE
        receiver = strip_wrappers(node.child_by_field_name("object"))
        if receiver is not None and _is_made_here(receiver, scope):
            return SideEffect.NONE
        if receiver is not None and scope.resolve_type(receiver) == "Blackhole":
            return SideEffect.VISIBLE
        effect = self.classify_call(node, scope, depth)
        return (
            SideEffect.VISIBLE
            if effect is SideEffect.UNKNOWN and suggests_change(read_part_text(node, "name"))
            else effect
        )


def is_pure_of_jdk(call: Node, scope: MethodScope) -> bool:
    """Tell whether a call is of a method of the JDK that only computes."""
    receiver = strip_wrappers(call.child_by_field_name("object"))
    if receiver is None or scope.find_callees(call):
        return False
    name, kind = read_part_text(call, "name"), scope.resolve_type(receiver)
    if kind:
        return is_pure_method(kind, name, static=False)
    if receiver.type == "identifier" and read_text(receiver) not in scope.locals:
        return is_pure_method(read_text(receiver), name, static=True)
    return False


def does_nothing(method: JavaMethod) -> bool:
    """Tell whether a method only returns a constant, so that there is no work to leave out."""
    statements = list_children(method.body)
    if len(statements) != 1 or statements[0].type != "return_statement":
        return False
    return all(node.type in _WORKLESS for node in walk_tree(statements[0]))


def _is_default(method: JavaMethod) -> bool:
    """Tell whether a body is there to be overridden: what counts is that of some other type."""
    if method.modifiers & {"private", "static", "final"}:
        return False
    node = method.owner.node
    if node.type == "interface_declaration":
        return True
    return "abstract" in method.owner.modifiers


def gives_value(method: JavaMethod) -> bool:
    """Tell whether a method's result is a number, a text or such, and no object."""
    return method.result_type in _VALUES


def _is_its_own(changed: Node, scope: MethodScope) -> bool:
    """Tell whether what is assigned is a local variable, or part of what the method has made."""
    name = find_root_name(changed)
    if name not in scope.locals:
        return False
    return changed.type == "identifier" or _is_made(scope.find_variable(name))


def _is_made_here(receiver: Node, scope: MethodScope) -> bool:
    """Tell whether a call is on an object that the method has made, or on a chain of such calls."""
    node: Node | None = receiver
    while node is not None and node.type == "method_invocation":
        node = strip_wrappers(node.child_by_field_name("object"))
    if node is None:
        return False
    return node.type in _MAKES or _is_made(
        scope.find_variable(read_text(node)) if node.type == "identifier" else None
    )


def _is_made(variable: object) -> bool:
    if not isinstance(variable, LocalVariable) or variable.value is None:
        return False
    return variable.value.type in _MAKES


def has_function(call: Node) -> bool:
    """Tell whether a call gets code to run: a lambda, a method reference or a class of its own."""
    nodes = list_children(call.child_by_field_name("arguments"))
    return any(
        inner_node.type in (*_OPAQUE, "class_body")
        for node in nodes
        for inner_node in walk_tree(node)
    )
