"""Settings of the run that make its numbers wrong: no fork, one fork, no warm-up."""

from collections.abc import Iterator

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.benchmark_discovery import BenchmarkMethod
from mutators.java.lint_rules.constants import resolve_whole_number
from mutators.java.lint_rules.declarations import Annotation, JavaMethod, TypeDeclaration
from mutators.java.lint_rules.project import JavaFile, JavaProject
from mutators.java.lint_rules.rules import NO_FORKS, NO_WARMUP, ONE_FORK
from mutators.java.lint_rules.scope import MethodScope
from mutators.java.lint_rules.tree import (
    list_arguments,
    read_part_text,
    read_text,
    strip_wrappers,
    walk_tree,
)

_LONGEST_CHAIN = 100
_BRANCHES = frozenset({"if_statement", "ternary_expression", "switch_expression"})
_OPTIONS = {
    "forks": (
        NO_FORKS,
        "starts the benchmarks in the JVM of JMH itself, where each runs with what ran there "
        "before.",
    ),
    "warmupIterations": (
        NO_WARMUP,
        "starts the benchmarks without warm-up, so their times hold those of the interpreter and "
        "of compilation.",
    ),
}
"""Options of JMH's builder that are 0: the rule, and what the program does."""


def find_bad_settings(benches: list[BenchmarkMethod]) -> Iterator[Smell]:
    """Yield what the annotations say that count for the benchmarks of a project."""
    for annotation, users in _group_by_annotation(benches, "Fork"):
        forks = _read_number(annotation, "value", users[0])
        if forks == 0:
            text = "{0} runs in the JVM of JMH itself, with what ran there before: its code is "
            text += "compiled for the profile of all of it."
            yield _make_smell(NO_FORKS.id, annotation, users, text)
        elif forks == 1:
            text = "{0} runs in a single JVM, so how much the times differ from JVM to JVM is "
            text += "not seen and the error that is reported is too small."
            yield _make_smell(ONE_FORK.id, annotation, users, text)
    for annotation, users in _group_by_annotation(benches, "Warmup"):
        multi_shot_benchmarks = [user for user in users if user.modes and not user.is_single_shot]
        if multi_shot_benchmarks and _read_number(annotation, "iterations", users[0]) == 0:
            text = "{0} is measured from its first call on, so its time holds that of the "
            text += "interpreter and of compilation."
            yield _make_smell(NO_WARMUP.id, annotation, multi_shot_benchmarks, text)


def find_bad_options(file: JavaFile, project: JavaProject) -> Iterator[Smell]:
    """Yield the programs in a file that start JMH without forks or without warm-up."""
    if b"OptionsBuilder" not in project.file_texts[file.path]:
        return
    may_be_single_shot = b"SingleShotTime" in project.file_texts[file.path]
    for declared in file.types:
        for method in declared.methods:
            scope = MethodScope(project, method)
            nodes = list(walk_tree(method.body)) if method.body is not None else []
            last_calls = _map_last_calls(nodes)
            for node in nodes:
                rule, text = _OPTIONS.get(_zero_option(node, scope), (None, ""))
                if rule is None or (rule is NO_WARMUP and may_be_single_shot):
                    continue
                if not _is_set_again(node, last_calls):
                    yield Smell(
                        rule=rule.id,
                        benchmark="",
                        span=declared.locate_node(node.child_by_field_name("name") or node),
                        text=f"{method.full_name} {text}",
                        top=method.first_line,
                        sure=Confidence.POSSIBLE if _is_conditional(node) else None,
                    )


def _group_by_annotation(
    benches: list[BenchmarkMethod], name: str
) -> Iterator[tuple[Annotation, list[BenchmarkMethod]]]:
    """Yield each annotation of a name with the benchmarks that it counts for."""
    users: dict[int, tuple[Annotation, list[BenchmarkMethod]]] = {}
    for bench in benches:
        annotation = bench.find_annotation(name)
        if annotation is not None and not _is_overridden(annotation, bench):
            users.setdefault(id(annotation), (annotation, []))[1].append(bench)
    yield from users.values()


def _is_overridden(annotation: Annotation, bench: BenchmarkMethod) -> bool:
    """Tell whether all heirs of the abstract class of a benchmark set this themselves."""
    owner = bench.method.owner
    if "abstract" not in owner.modifiers or annotation in bench.method.annotations:
        return False
    heirs = bench.project.list_heirs(owner)
    return bool(heirs) and all(heir.find_annotation(annotation.name) for heir in heirs)


def _read_number(annotation: Annotation, key: str, bench: BenchmarkMethod) -> int | None:
    return resolve_whole_number(annotation.values.get(key), bench.scope)


def _find_annotated_declaration(
    annotation: Annotation, bench: BenchmarkMethod
) -> JavaMethod | TypeDeclaration:
    """Return the declaration that bears an annotation."""
    if annotation in bench.method.annotations:
        return bench.method
    declaration: TypeDeclaration | None = bench.method.owner
    while declaration is not None:
        for ancestor in bench.project.walk_lineage(declaration):
            if annotation in ancestor.annotations:
                return ancestor
        declaration = declaration.outer
    return bench.method.owner


def _make_smell(
    rule: str, annotation: Annotation, users: list[BenchmarkMethod], text: str
) -> Smell:
    holder = _find_annotated_declaration(annotation, users[0])
    of_method = isinstance(holder, JavaMethod)
    subject = users[0].name if of_method else f"Each benchmark of {holder.name}"
    return Smell(
        rule=rule,
        benchmark=users[0].name if of_method else "",
        span=holder.locate_node(annotation.node),
        text=text.format(subject),
        top=holder.first_line,
    )


def _is_set_again(call: Node, last_calls: dict[tuple[str, str], int]) -> bool:
    """Tell whether a later call of the same chain, or on the same variable, sets the option."""
    name, outer = read_part_text(call, "name"), call.parent
    while outer is not None and outer.type == "method_invocation":
        if read_part_text(outer, "name") == name:
            return True
        outer = outer.parent
    builder = call.child_by_field_name("object")
    is_variable = builder is not None and builder.type == "identifier"
    return is_variable and call.start_byte < last_calls[read_text(builder), name]


def _map_last_calls(nodes: list[Node]) -> dict[tuple[str, str], int]:
    """Return where a variable's option is set last, by the names of both."""
    last_calls: dict[tuple[str, str], int] = {}
    for node in nodes:
        builder = node.child_by_field_name("object") if node.type == "method_invocation" else None
        if builder is not None and builder.type == "identifier":
            last_calls[read_text(builder), read_part_text(node, "name")] = node.start_byte
    return last_calls


def _is_conditional(node: Node) -> bool:
    """Tell whether code of a method runs in some cases only."""
    outer = node.parent
    while outer is not None and outer.type != "method_declaration":
        if outer.type in _BRANCHES:
            return True
        outer = outer.parent
    return False


def _zero_option(node: Node, scope: MethodScope) -> str:
    """Return the option that `new OptionsBuilder()....forks(0)` sets to 0, else an empty text."""
    if node.type != "method_invocation" or read_part_text(node, "name") not in _OPTIONS:
        return ""
    nodes = list_arguments(node)
    if len(nodes) != 1 or resolve_whole_number(nodes[0], scope) != 0:
        return ""
    inner_node = strip_wrappers(node.child_by_field_name("object"))
    for _ in range(_LONGEST_CHAIN):
        if inner_node is None or inner_node.type != "method_invocation":
            break
        inner_node = strip_wrappers(inner_node.child_by_field_name("object"))
    return (
        read_part_text(node, "name")
        if scope.resolve_type(inner_node).endswith("OptionsBuilder")
        else ""
    )
