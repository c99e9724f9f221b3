"""The linter of Python benchmarks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import libcst as cst
from libcst import metadata

from auditor.core.contracts.lint import Smell, SourceFindings
from auditor.core.subject import SourceFile, Span
from mutators.python.lint_rules import (
    asv_discovery,
    effects,
    inputs,
    lazy,
    mutated,
    pyperf_discovery,
    pytest_discovery,
    registered,
    repeating,
    setups,
    tree,
)
from mutators.python.lint_rules.benchmark_discovery import BenchmarkSource, RuleHit, Search
from mutators.python.lint_rules.project import PythonFile, PythonProject
from mutators.python.lint_rules.rules import RULES

_SEARCHES: tuple[Search, ...] = (
    setups.find_timed_setup,
    mutated.find_mutated_inputs,
    registered.find_single_rounds,
    effects.find_timed_io,
    registered.find_call_results,
    inputs.find_unseeded_inputs,
    lazy.find_unused_generators,
    repeating.find_inner_loops,
    repeating.find_cached_calls,
    repeating.find_single_process,
)
_NEEDS = (
    *(
        "pyproject.toml",
        "setup.cfg",
        "tox.ini",
        "pytest.ini",
        "Pipfile",
        "environment.yml",
        "environment.yaml",
    ),
    *("requirements.txt", "requirements.in", "dev.txt", "dev.in", "test.txt", "test.in"),
    *("tests.txt", "tests.in", "testing.txt", "bench.txt", "bench.in", "benchmark.txt"),
    *("benchmarks.txt", "codspeed.txt", "codspeed.yml", "codspeed.yaml"),
)
"""Files that say what a project needs, or that CodSpeed runs it: `requirements/bench.txt`."""
_MOST = 150_000
"""How many nodes of timed code are looked at in a file, a function as often as it is timed.

Beyond that nothing is found: no file of a real suite has as many, and a hostile one may time a
large function many thousand times.
"""
_Lines = Mapping[cst.CSTNode, metadata.CodeRange]


@dataclass(frozen=True, slots=True)
class PythonLinter:
    """Looks at benchmarks of pytest-benchmark, CodSpeed, asv and pyperf."""

    rules = RULES
    file_suffixes = (".py", *_NEEDS)  # _NEEDS say which frameworks a project uses
    comment_prefix = "#"

    def may_hold(self, source: SourceFile, /) -> bool:
        """Tell whether the name and the bytes of a file allow a benchmark."""
        return source.path.endswith(".py") and _shows_any_benchmark(PythonFile(source))

    def find_smells(self, sources: Iterable[SourceFile], /) -> SourceFindings:
        """Return the benchmarks of a project and what the rules find in them."""
        project = PythonProject(sources)
        by_file: dict[str, list[BenchmarkSource]] = {}
        for module in _MODULES:
            for bench in module.find_benchmarks(project):
                by_file.setdefault(bench.file.path, []).append(bench)
        smells: list[Smell] = []
        names: list[str] = []
        for path in sorted(by_file):
            benchmark_sources = by_file[path]
            smells += _find_smells(benchmark_sources, project)
            names += dict.fromkeys(bench.name for bench in benchmark_sources)
        return SourceFindings(
            benchmarks=tuple(names),
            smells=tuple(smells),
            unread=tuple(file.path for file in project.files if _is_unreadable(file)),
        )


_MODULES = (pytest_discovery, asv_discovery, pyperf_discovery)


def _shows_any_benchmark(file: PythonFile) -> bool:
    return any(module.shows_benchmark(file) for module in _MODULES)


def _is_unreadable(file: PythonFile) -> bool:
    """Tell whether a file that plainly holds a benchmark cannot be read."""
    return _shows_any_benchmark(file) and file.module_tree is None


def _find_smells(benches: list[BenchmarkSource], project: PythonProject) -> list[Smell]:
    """Return what the rules find in the benchmarks of one file, each place once."""
    hits_by_place: dict[tuple[str, int], RuleHit] = {}
    left = _MOST
    for bench in benches:
        left = _subtract_timed_nodes(bench, left)
        if left < 0:
            break
        for search in _SEARCHES:
            for hit in search(bench, project):
                hits_by_place.setdefault((hit.rule.id, id(hit.node)), hit)
    if not hits_by_place:
        return []
    file = benches[0].file
    lines = tree.find_positions(file.module_tree) if file.module_tree is not None else {}
    smells = (_make_smell(hit, lines, file) for hit in hits_by_place.values())
    order = {rule.id: place for place, rule in enumerate(RULES)}
    return sorted(
        (smell for smell in smells if smell is not None),
        key=lambda smell: (smell.span.first_line, order[smell.rule], smell.text),
    )


def _subtract_timed_nodes(bench: BenchmarkSource, left: int) -> int:
    """Return what is left of a number of nodes, less those that a benchmark times."""
    for code in bench.timed:
        left -= len(code.own_nodes)
        if left < 0:
            break
    return left


def _make_smell(hit: RuleHit, lines: _Lines, file: PythonFile) -> Smell | None:
    """Return a finding with its lines, None where they are not known."""
    places = (hit.node, *(code.place for code in hit.bench.timed if code.place is not None))
    place = next((lines[node] for node in places if node in lines), None)
    if place is None:
        return None
    head = hit.head or (hit.node if hit.shared else hit.bench.declaration)
    return Smell(
        rule=hit.rule.id,
        benchmark="" if hit.shared else hit.bench.name,
        span=Span(file.path, place.start.line, place.end.line),
        text=hit.text,
        top=_first_line(head, lines) or place.start.line,
        sure=hit.sure,
    )


def _first_line(node: cst.CSTNode, lines: _Lines) -> int:
    """Return the line on which a declaration begins, with its decorators."""
    decorators = node.decorators if isinstance(node, cst.FunctionDef | cst.ClassDef) else ()
    lines_of_statements = [
        lines[decorator].start.line for decorator in (*decorators, node) if decorator in lines
    ]
    return min(lines_of_statements, default=0)
