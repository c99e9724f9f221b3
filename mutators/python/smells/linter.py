"""The linter of Python benchmarks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import libcst as cst
from libcst import metadata

from auditor.core.smells import Looked, Rule, Smell
from auditor.core.subject import SourceFile, Span
from mutators.python.smells import (
    asv_benches,
    effects,
    inputs,
    lazy,
    mutated,
    pyperf_benches,
    pytest_benches,
    registered,
    setups,
    tree,
)
from mutators.python.smells.benches import Bench
from mutators.python.smells.hits import Hit, Search
from mutators.python.smells.project import File, Project
from mutators.python.smells.rules import RULES

_SEARCHES: tuple[Search, ...] = (
    setups.look,
    mutated.look,
    registered.one_round,
    effects.look,
    registered.result_of_call,
    inputs.look,
    lazy.look,
)
_Lines = Mapping[cst.CSTNode, metadata.CodeRange]


@dataclass(frozen=True, slots=True)
class PythonLinter:
    """Looks at benchmarks of pytest-benchmark, CodSpeed, asv and pyperf."""

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return all rules, those that are off too."""
        return RULES

    @property
    def comment(self) -> str:
        """Return what begins a line of comment."""
        return "#"

    def look(self, sources: Iterable[SourceFile], /) -> Looked:
        """Return the benchmarks of a project and what the rules find in them."""
        project = Project(sources)
        benches = [bench for module in _MODULES for bench in module.find(project)]
        by_file: dict[str, list[Bench]] = {}
        for bench in benches:
            by_file.setdefault(bench.file.path, []).append(bench)
        smells: list[Smell] = []
        names: list[str] = []
        for path in sorted(by_file):
            found = by_file[path]
            smells += _smells(found, project)
            names += [bench.name for bench in found]
        return Looked(
            benchmarks=tuple(dict.fromkeys(names)),
            smells=tuple(smells),
            unread=tuple(file.path for file in project.files if _unread(file)),
        )


_MODULES = (pytest_benches, asv_benches, pyperf_benches)


def _unread(file: File) -> bool:
    """Tell whether a file that plainly holds a benchmark cannot be read."""
    return any(each.holds(file) for each in _MODULES) and file.module is None


def _smells(benches: list[Bench], project: Project) -> list[Smell]:
    """Return what the rules find in the benchmarks of one file, each place once."""
    found: dict[tuple[str, int], Hit] = {}
    for bench in benches:
        for search in _SEARCHES:
            for hit in search(bench, project):
                found.setdefault((hit.rule.id, id(hit.node)), hit)
    if not found:
        return []
    file = benches[0].file
    lines = tree.positions(file.module) if file.module is not None else {}
    smells = (_smell(hit, lines, file) for hit in found.values())
    order = {rule.id: place for place, rule in enumerate(RULES)}
    return sorted(
        (one for one in smells if one is not None),
        key=lambda one: (one.span.first_line, order[one.rule], one.text),
    )


def _smell(hit: Hit, lines: _Lines, file: File) -> Smell | None:
    """Return a finding with its lines, None where they are not known."""
    places = (hit.node, *(code.place for code in hit.bench.timed if code.place is not None))
    place = next((lines[one] for one in places if one in lines), None)
    if place is None:
        return None
    head = hit.head or (hit.node if hit.shared else hit.bench.declaration)
    return Smell(
        rule=hit.rule.id,
        benchmark="" if hit.shared else hit.bench.name,
        span=Span(file.path, place.start.line, place.end.line),
        text=hit.text,
        top=_first_line(head, lines) or place.start.line,
    )


def _first_line(node: cst.CSTNode, lines: _Lines) -> int:
    """Return the line on which a declaration begins, with its decorators."""
    decorators = node.decorators if isinstance(node, cst.FunctionDef | cst.ClassDef) else ()
    found = [lines[one].start.line for one in (*decorators, node) if one in lines]
    return min(found, default=0)
