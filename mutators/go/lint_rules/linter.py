"""A look at the benchmarks of a Go project."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tree_sitter import Node

from auditor.core.contracts.lint import Smell, SourceFindings
from auditor.core.subject import SourceFile, Span
from mutators.go import tree
from mutators.go.lint_rules import (
    counting,
    preparing,
    repeating,
    reset,
    state,
    syntax,
    timing,
    unused,
)
from mutators.go.lint_rules.benchmark_discovery import (
    BenchmarkDeclaration,
    NodeFinding,
    find_declarations,
)
from mutators.go.lint_rules.brief import ShortCallDetector
from mutators.go.lint_rules.names import NameScope
from mutators.go.lint_rules.packages import MODULE, FileScope, ProjectPackages
from mutators.go.lint_rules.rules import RULES


@dataclass(frozen=True, slots=True)
class GoLinter:
    """Finds smells in the benchmarks of `_test.go` files."""

    rules = RULES
    file_suffixes = (".go", MODULE)  # MODULE says how packages are imported
    comment_prefix = "//"

    def may_hold(self, source: SourceFile, /) -> bool:
        """Tell whether the name and the bytes of a file allow a benchmark."""
        return (
            source.path.endswith("_test.go")
            and not _is_left_alone(source.path)
            and b"testing" in source.text
            and b"B" in source.text
        )

    def find_smells(self, sources: Iterable[SourceFile], /) -> SourceFindings:
        """Return the benchmarks and their smells, in the order of files and lines."""
        files = sorted(sources, key=lambda file: file.path)
        packages = ProjectPackages.from_sources(files)
        benchmarks: list[str] = []
        smells: list[Smell] = []
        unread: list[str] = []
        for source in files:
            if not self.may_hold(source):
                continue
            root = tree.parse_source(source.text)
            declarations = find_declarations(source, root)
            benchmarks += [
                declaration.name for declaration in declarations if declaration.is_benchmark
            ]
            if root.has_error and (declarations or tree.BENCHMARK.search(source.text)):
                unread.append(source.path)
            smells += sorted(_find_smells(declarations, packages), key=_make_sort_key)
        return SourceFindings(
            benchmarks=tuple(benchmarks), smells=tuple(smells), unread=tuple(unread)
        )


def _is_left_alone(path: str) -> bool:
    """Tell whether the go tool never looks at a file, by its name or that of a folder around it."""
    return any(part == "testdata" or part.startswith(("_", ".")) for part in path.split("/"))


def _make_sort_key(smell: Smell) -> tuple[int, int, str]:
    return smell.span.first_line, smell.span.last_line, smell.rule


def _find_smells(
    declarations: list[BenchmarkDeclaration], packages: ProjectPackages
) -> Iterator[Smell]:
    home = (
        FileScope.from_file(declarations[0].source.unit, declarations[0].root)
        if declarations
        else None
    )
    for part in declarations:
        if home is not None and not part.declaration.has_error:
            for finding in _collect_findings(part, packages, home):
                yield _make_smell(part, finding)


def _collect_findings(
    part: BenchmarkDeclaration, packages: ProjectPackages, home: FileScope
) -> Iterator[NodeFinding]:
    names = NameScope.from_declaration(packages, home, part.declaration)
    brief = ShortCallDetector(packages)
    yield from counting.find_unrepeated_work(part)
    yield from counting.find_ended_loops(part)
    yield from counting.find_growing_work(part, names)
    yield from counting.find_nested_repetition(part)
    yield from unused.find_unused_results(part, names)
    yield from preparing.find_preparation(part, names, brief)
    yield from timing.find_timer_stops(part, names, brief)
    yield from reset.find_timed_setup(part, names)
    yield from state.find_leaking_state(part, names)
    yield from repeating.find_inner_loops(part, names)
    yield from repeating.find_constant_inputs(part, names)
    yield from state.find_unreported_allocations(part, names)


def _make_smell(part: BenchmarkDeclaration, finding: NodeFinding) -> Smell:
    node: Node = finding.node
    return Smell(
        rule=finding.rule.id,
        benchmark=part.benchmark,
        span=Span(part.source.path, syntax.find_first_line(node), int(node.end_point[0]) + 1),
        text=finding.text,
        top=syntax.find_first_line(part.declaration),
        calls=finding.calls,
        overlapping=finding.overlapping,
        sure=finding.sure,
    )
