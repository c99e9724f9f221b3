"""The linter of JMH benchmarks: finds them, and asks each rule."""

import re
from collections.abc import Iterable, Iterator

from auditor.core.contracts.lint import Smell, SourceFindings
from auditor.core.subject import SourceFile
from mutators.java.lint_rules.benchmark_discovery import (
    BenchmarkMethod,
    find_benchmarks,
    has_benchmarks,
    list_jmh_files,
)
from mutators.java.lint_rules.effects import EffectAnalysis
from mutators.java.lint_rules.fixtures import find_invocation_fixtures, find_unseeded_inputs
from mutators.java.lint_rules.growth import find_growing_states
from mutators.java.lint_rules.inputs import find_constant_inputs, find_final_states
from mutators.java.lint_rules.loops import find_repeating_loops
from mutators.java.lint_rules.project import JavaProject
from mutators.java.lint_rules.results import (
    find_overwritten_results,
    find_unrelated_return,
    find_unused_results,
)
from mutators.java.lint_rules.rules import RULES
from mutators.java.lint_rules.settings import find_bad_options, find_bad_settings
from mutators.java.lint_rules.sharing import find_shared_states

_JAVA_SUFFIX = ".java"
_SKIPPED_SUFFIXES = (".kt", ".scala", ".groovy")
"""Of languages that JMH benchmarks are written in, and that no rule reads."""
_SKIPPED_BENCHMARK = re.compile(rb"^\s*@(?:[\w.]+\.)?Benchmark\b", re.MULTILINE)


class JavaLinter:
    """Looks at the sources of a suite of JMH benchmarks."""

    rules = RULES
    file_suffixes = (_JAVA_SUFFIX, *_SKIPPED_SUFFIXES)
    comment_prefix = "//"

    def may_hold(self, source: SourceFile, /) -> bool:
        """Tell whether the bytes of a file allow a benchmark."""
        return b"org.openjdk.jmh" in source.text and b"@" in source.text

    def find_smells(self, sources: Iterable[SourceFile], /) -> SourceFindings:
        """Return the benchmarks of all sources of a project, and what the rules find."""
        all_sources = list(sources)
        other_sources = [file for file in all_sources if file.path.endswith(_SKIPPED_SUFFIXES)]
        java_sources = [file for file in all_sources if file.path.endswith(_JAVA_SUFFIX)]
        project = JavaProject(java_sources)
        files = list(list_jmh_files(project))
        methods_by_file = {file.path: find_benchmarks(file, project) for file in files}
        benches = [method for methods in methods_by_file.values() for method in methods]
        smells = {*_find_smells(benches, EffectAnalysis(project))}
        for file in files:
            smells |= {*find_bad_options(file, project)}
        return SourceFindings(
            benchmarks=tuple(
                name
                for benchmark_methods in methods_by_file.values()
                for name in dict.fromkeys(
                    benchmark_method.name for benchmark_method in benchmark_methods
                )
            ),
            smells=tuple(sorted(smells, key=_make_sort_key)),
            unread=tuple(
                java_file.path
                for java_file in files
                if java_file.root.has_error and has_benchmarks(java_file, project)
            ),
            skipped=tuple(
                source.path for source in other_sources if _SKIPPED_BENCHMARK.search(source.text)
            ),
        )


def _find_smells(benches: list[BenchmarkMethod], effects: EffectAnalysis) -> Iterator[Smell]:
    for bench in benches:
        yield from find_unused_results(bench, effects)
        yield from find_overwritten_results(bench, effects)
        yield from find_unrelated_return(bench)
        yield from find_constant_inputs(bench, effects)
        yield from find_repeating_loops(bench)
        yield from find_shared_states(bench)
        yield from find_growing_states(bench)
    yield from find_final_states(benches, effects)
    yield from find_invocation_fixtures(benches)
    yield from find_unseeded_inputs(benches)
    yield from find_bad_settings(benches)


def _make_sort_key(smell: Smell) -> tuple[str, int, str, str]:
    return smell.span.file, smell.span.first_line, smell.rule, smell.text
