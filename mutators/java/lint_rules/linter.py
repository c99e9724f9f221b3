"""The linter of JMH benchmarks: finds them, and asks each rule."""

from collections.abc import Iterable, Iterator

from auditor.core.contracts.lint import Smell, SmellRule, SourceFindings
from auditor.core.subject import SourceFile
from mutators.java.lint_rules.benchmark_discovery import (
    BenchmarkMethod,
    benchmarks,
    files_of_jmh,
    holds,
)
from mutators.java.lint_rules.effects import Effects
from mutators.java.lint_rules.fixtures import invocation_fixtures, unseeded_inputs
from mutators.java.lint_rules.growth import growing_states
from mutators.java.lint_rules.inputs import constant_inputs, final_state
from mutators.java.lint_rules.loops import repeating_loops
from mutators.java.lint_rules.project import JavaProject
from mutators.java.lint_rules.results import other_returned, unused_results
from mutators.java.lint_rules.rules import RULES
from mutators.java.lint_rules.settings import options, settings
from mutators.java.lint_rules.sharing import shared_states


class JavaLinter:
    """Looks at the sources of a suite of JMH benchmarks."""

    @property
    def rules(self) -> tuple[SmellRule, ...]:
        """Return what it looks for."""
        return RULES

    @property
    def endings(self) -> tuple[str, ...]:
        """Return those of Java files."""
        return (".java",)

    @property
    def comment(self) -> str:
        """Return what a line of comment begins with."""
        return "//"

    def may_hold(self, source: SourceFile, /) -> bool:
        """Tell whether the bytes of a file allow a benchmark."""
        return b"org.openjdk.jmh" in source.text and b"@" in source.text

    def look(self, sources: Iterable[SourceFile], /) -> SourceFindings:
        """Return the benchmarks of all sources of a project, and what the rules find."""
        project = JavaProject(sources)
        files = list(files_of_jmh(project))
        methods_by_file = {file.path: benchmarks(file, project) for file in files}
        benches = [method for methods in methods_by_file.values() for method in methods]
        smells = {*_of_all(benches, Effects(project))}
        for file in files:
            smells |= {*options(file, project)}
        return SourceFindings(
            benchmarks=tuple(
                name
                for benchmark_methods in methods_by_file.values()
                for name in dict.fromkeys(
                    benchmark_method.name for benchmark_method in benchmark_methods
                )
            ),
            smells=tuple(sorted(smells, key=_place)),
            unread=tuple(
                java_file.path
                for java_file in files
                if java_file.root.has_error and holds(java_file, project)
            ),
        )


def _of_all(benches: list[BenchmarkMethod], effects: Effects) -> Iterator[Smell]:
    for bench in benches:
        yield from unused_results(bench, effects)
        yield from other_returned(bench)
        yield from constant_inputs(bench, effects)
        yield from repeating_loops(bench)
        yield from shared_states(bench)
        yield from growing_states(bench)
    yield from final_state(benches, effects)
    yield from invocation_fixtures(benches)
    yield from unseeded_inputs(benches)
    yield from settings(benches)


def _place(smell: Smell) -> tuple[str, int, str, str]:
    return smell.span.file, smell.span.first_line, smell.rule, smell.text
