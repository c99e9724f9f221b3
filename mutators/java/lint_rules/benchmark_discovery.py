"""The benchmarks of a project, and what their annotations say of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from auditor.core.contracts.lint import Confidence, Smell
from mutators.java.lint_rules.constants import resolve_whole_number
from mutators.java.lint_rules.declarations import Annotation, Field, JavaMethod, TypeDeclaration
from mutators.java.lint_rules.project import JavaFile, JavaProject
from mutators.java.lint_rules.scope import MethodScope
from mutators.java.lint_rules.tree import (
    LOOPS,
    read_part_text,
    read_text,
    strip_wrappers,
    walk_tree,
)

_JMH = "org.openjdk.jmh.annotations"
_BENCHMARK = re.compile(
    rb"@\s*(?:org\s*\.\s*openjdk\s*\.\s*jmh\s*\.\s*annotations\s*\.\s*)?Benchmark\b"
)
_MODES = frozenset({"Throughput", "AverageTime", "SampleTime", "SingleShotTime", "All"})
_SINGLE_SHOT = {"SingleShotTime"}
_ABOUT_COMPILER = re.compile(r"(?i)eliminat|folding|compiler")
_HANDLES_ERRORS = frozenset({"printStackTrace", "fail", "error", "exit", "addSuppressed"})
_MANY = frozenset({"MAX", "HALF_MAX"})


@dataclass(frozen=True, eq=False)
class BenchmarkMethod:
    """A method with @Benchmark."""

    method: JavaMethod
    project: JavaProject

    @property
    def name(self) -> str:
        """Return its name without the package."""
        return self.method.full_name

    @property
    def body(self) -> Node:
        """Return its block; that of an abstract one is its declaration."""
        return self.method.body or self.method.node

    @cached_property
    def scope(self) -> MethodScope:
        """Return the names that it sees."""
        return MethodScope(self.project, self.method)

    def make_smell(
        self, rule: str, node: Node, text: str, *, sure: Confidence | None = None
    ) -> Smell:
        """Return a smell of it at one of its nodes."""
        return Smell(
            rule=rule,
            benchmark=self.name,
            span=self.method.locate_node(node),
            text=text,
            top=self.method.first_line,
            sure=sure,
        )

    def find_annotation(self, name: str) -> Annotation | None:
        """Return the annotation that counts for it."""
        return self.project.find_annotation(name, self.method)

    @cached_property
    def modes(self) -> frozenset[str]:
        """Return the modes that it runs in; none where the source does not show them."""
        annotation = self.find_annotation("BenchmarkMode")
        words = (
            frozenset(annotation.list_words())
            if annotation is not None
            else frozenset({"Throughput"})
        )
        return words if words <= _MODES else frozenset()

    @property
    def is_single_shot(self) -> bool:
        """Tell whether it runs once for each iteration, or may do so for all that is shown."""
        return self.modes <= _SINGLE_SHOT

    @cached_property
    def thread_text(self) -> str:
        """Return how many threads run it, as the source puts it; empty for one and if unknown."""
        annotation = self.find_annotation("Threads")
        for node in annotation.list_values() if annotation is not None else ():
            if read_text(node).rpartition(".")[2] in _MANY:
                return read_text(node)
            number = resolve_whole_number(node, self.scope)
            if number is not None and number != 1:
                return str(number)
        return ""

    @cached_property
    def state_classes(self) -> tuple[TypeDeclaration, ...]:
        """Return the classes of the states that it uses: its own, and those of its parameters."""
        kinds = (kind for kind, _ in self.method.parameters)
        named = (self.project.find_type(kind, self.method.owner) for kind in kinds)
        return (
            self.method.owner,
            *(declaration for declaration in named if declaration is not None),
        )

    def is_in_state(self, declared: Field) -> bool:
        """Tell whether a field is one of its states, or of what these extend."""
        return any(
            declared.owner in self.project.walk_lineage(state) for state in self.state_classes
        )

    @cached_property
    def has_loop(self) -> bool:
        """Tell whether it does something more than once."""
        return any(node.type in LOOPS for node in walk_tree(self.body))

    @property
    def is_about_compiler(self) -> bool:
        """Tell whether it says that what the compiler leaves out is what it is about."""
        return _ABOUT_COMPILER.search(self.name) is not None

    @cached_property
    def _catching_ranges(self) -> list[tuple[int, int]]:
        """Return where exceptions are caught that may be what is measured."""
        ranges = []
        for node in walk_tree(self.body):
            clauses = [child for child in node.children if child.type == "catch_clause"]
            if clauses and not all(_handles_error(clause) for clause in clauses):
                ranges.append((node.start_byte, node.end_byte))
        return ranges

    def expects_exception(self, node: Node) -> bool:
        """Tell whether a part of it may be there for the exception that it throws."""
        return any(first <= node.start_byte < last for first, last in self._catching_ranges)

    def is_sink(self, node: Node | None) -> bool:
        """Tell whether an expression is a Blackhole."""
        return self.scope.resolve_type(node) == "Blackhole"

    def feeds_blackhole(self, call: Node) -> bool:
        """Tell whether a call hands values to a Blackhole."""
        receiver = strip_wrappers(call.child_by_field_name("object"))
        return receiver is not None and (
            self.is_sink(receiver) or read_text(receiver) == "Blackhole"
        )


def _handles_error(clause: Node) -> bool:
    """Tell whether a catch clause is for what should not happen."""
    for node in walk_tree(clause):
        if node.type == "throw_statement":
            return True
        if node.type == "method_invocation" and read_part_text(node, "name") in _HANDLES_ERRORS:
            return True
    return False


def list_jmh_files(project: JavaProject) -> Iterator[JavaFile]:
    """Yield the files that may use JMH, in the order of their paths."""
    for path, text in sorted(project.file_texts.items()):
        if b"org.openjdk.jmh" in text:
            yield project.load_file(path)


def has_benchmarks(file: JavaFile, project: JavaProject) -> bool:
    """Tell whether a file has benchmarks of JMH in it, and not of another harness."""
    if file.imports.get("Benchmark", f"{_JMH}.Benchmark") != f"{_JMH}.Benchmark":
        return False
    return _BENCHMARK.search(project.file_texts[file.path]) is not None


def find_benchmarks(file: JavaFile, project: JavaProject) -> list[BenchmarkMethod]:
    """Return the benchmarks of a file; one whose own syntax is broken is left out."""
    if not has_benchmarks(file, project):
        return []
    return [
        BenchmarkMethod(method, project)
        for declaration in file.types
        for method in declaration.methods
        if method.find_annotation("Benchmark") is not None and not method.node.has_error
    ]


def find_state_scope(declared: TypeDeclaration, project: JavaProject) -> str:
    """Return the scope of a state (`Benchmark`, `Thread`, `Group`), empty where it has none."""
    for ancestor in project.walk_lineage(declared):
        annotation = ancestor.find_annotation("State")
        if annotation is not None:
            return next(iter(annotation.list_words()), "")
    return ""


def read_called_name(call: Node) -> str:
    """Return the name of what a call or a constructor's call calls."""
    if call.type == "object_creation_expression":
        return read_part_text(call, "type").partition("<")[0].rpartition(".")[2]
    return read_part_text(call, "name")
