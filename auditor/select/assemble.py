"""A result of an ABS audit in, the answers of `select_benchmarks` out."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from auditor.abs import stored_result
from auditor.abs.document import Document
from auditor.abs.judge.outcomes import NOT_COUNTED
from auditor.abs.text.claims import ResultFacts
from auditor.compare import document as comparison_document
from auditor.config.quantities import parse_duration
from auditor.config.reading import list_names
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.files import own_files
from auditor.core.files.foreign_files import read_named, read_regular
from auditor.core.files.paths import is_file
from auditor.core.stability import BenchmarkVerdict
from auditor.languages.registry import LANGUAGES
from auditor.select import judge
from auditor.select.document import (
    CoveredMethod,
    HarnessCall,
    LostMethod,
    MostDetected,
    Pick,
    Proposal,
    RemovedBenchmark,
    SelectAnswer,
    Selection,
    UndecidedBenchmark,
)
from auditor.select.judge import Candidate, Choice
from reports import number_format, results

_INHERITED_CAVEATS = ("estimate", "filtered", "budget", "failed-benchmarks", "false-alarm")
"""Caveats of an audit that are caveats of a choice, too."""


def parse_budget(text: str | None) -> float | None:
    """Read a duration in seconds; raises UsageError."""
    try:
        return None if text is None else parse_duration(text)
    except ValueError as error:
        raise UsageError(f"{error}, at --budget") from error


def read_names(name_texts: Sequence[str], folder: Path) -> tuple[str, ...] | None:
    """Return names, those in files included (one a line, # for comments); None if none is given.

    A file may also be a result of compare (.json): the methods that head has changed or added.
    Raises UsageError for a file that cannot be read.
    """
    method_names: list[str] = []
    for text in name_texts:
        path = folder / text
        if not is_file(path):
            method_names.append(text)
            continue
        if path.suffix == ".json":
            method_names += [method.id for method in _read_comparison(path).patch.methods]
            continue
        try:
            lines = read_regular(path).decode().splitlines()
        except (OSError, ValueError) as error:
            raise UsageError(f"{text} is not a readable list of methods, one per line") from error
        method_names += list_names(lines)
    return tuple(dict.fromkeys(method_names)) if name_texts else None


def _read_comparison(path: Path) -> comparison_document.ComparisonDocument:
    content = read_named(path)
    try:
        return comparison_document.parse_document(content)
    except UsageError as error:
        raise UsageError(
            f"{path}: {own_files.describe_beginning(content, path) or error}"
        ) from error


@dataclass(frozen=True)
class CountedResult:
    """A result, and the methods of it that count: None for all."""

    document: Document
    changed: frozenset[str] | None = None

    @cached_property
    def detected_by(self) -> dict[str, tuple[str, ...]]:
        """Return who detects a method, for those that count and that somebody detects."""
        return {
            method.id: method.detected_by
            for method in self.document.methods
            if method.outcome not in NOT_COUNTED
            and method.detected_by
            and (self.changed is None or method.id in self.changed)
        }

    @cached_property
    def method_count(self) -> int:
        """Return how many methods count."""
        return sum(
            method.outcome not in NOT_COUNTED
            and (self.changed is None or method.id in self.changed)
            for method in self.document.methods
        )

    @cached_property
    def untimed_benchmarks(self) -> tuple[str, ...]:
        """Return the benchmarks that detect something and of which no time is known."""
        detecting_ids = {
            name for benchmark_ids in self.detected_by.values() for name in benchmark_ids
        }
        return tuple(
            benchmark.id
            for benchmark in self.document.benchmarks
            if benchmark.id in detecting_ids and not benchmark.seconds
        )

    @cached_property
    def benchmark_candidates(self) -> tuple[Candidate, ...]:
        """Return the benchmarks; one without a time counts as one of the usual length."""
        usual_seconds = median(
            [benchmark.seconds for benchmark in self.document.benchmarks if benchmark.seconds]
            or [1.0]
        )
        detects: dict[str, set[str]] = {
            benchmark.id: set() for benchmark in self.document.benchmarks
        }
        for method, benchmark_ids in self.detected_by.items():
            for benchmark_id in benchmark_ids:
                detects[benchmark_id].add(method)
        return tuple(
            Candidate(
                id=benchmark.id,
                seconds=benchmark.seconds or usual_seconds,
                max_spread=benchmark.max_spread,
                detects=frozenset(detects[benchmark.id]),
            )
            for benchmark in self.document.benchmarks
        )

    def build_answer_fields(
        self, names: Collection[str], caveats: Sequence[Caveat]
    ) -> dict[str, Any]:
        """Return what every answer says; `read_names` are all benchmarks that are to be run."""
        document = self.document
        audit_caveats = [caveat for caveat in document.caveats if caveat.slug in _INHERITED_CAVEATS]
        support = LANGUAGES.harnesses.get(document.harness)
        chosen_benchmarks = [
            benchmark for benchmark in document.benchmarks if benchmark.id in names
        ]
        all_ids = [benchmark.id for benchmark in document.benchmarks]
        subsets = (
            support.calls([benchmark.id for benchmark in chosen_benchmarks], all_ids)
            if support
            else ()
        )
        inexact_caveats = [
            Caveat("inexact-call", subset.problem) for subset in subsets if subset.problem
        ]
        if support and chosen_benchmarks and not subsets:
            text = "no command runs these benchmarks: their names are not those of the harness"
            inexact_caveats.append(Caveat("inexact-call", text))
        return {
            "subject": document.subject,
            "revision": document.revision,
            "harness": document.harness,
            "benchmarks": tuple(
                self._make_pick(benchmark, names) for benchmark in chosen_benchmarks
            ),
            "seconds": _sum_seconds(chosen_benchmarks),
            "suite_benchmarks": len(all_ids),
            "suite_seconds": _sum_seconds(document.benchmarks),
            "untimed": tuple(item.id for item in document.benchmarks if not item.seconds),
            "calls": tuple(
                HarnessCall(
                    pattern=subset.pattern,
                    skip=subset.skip,
                    package=subset.package,
                    parameters=dict(subset.parameters),
                    command=subset.shell_command,
                )
                for subset in subsets
            ),
            "caveats": (*audit_caveats, *caveats, *inexact_caveats),
        }

    def _make_pick(self, benchmark: BenchmarkVerdict, names: Collection[str]) -> Pick:
        detected_methods = [
            method
            for method, benchmark_ids in self.detected_by.items()
            if benchmark.id in benchmark_ids
        ]
        return Pick(
            id=benchmark.id,
            seconds=benchmark.seconds or None,
            max_spread=benchmark.max_spread,
            detects=tuple(detected_methods),
            alone=tuple(
                method
                for method in detected_methods
                if len(set(self.detected_by[method]) & set(names)) == 1
            ),
        )


def _sum_seconds(benchmarks: Sequence[BenchmarkVerdict]) -> float | None:
    """Add up how long benchmarks take; None where none is known that could be."""
    known_seconds = [benchmark.seconds for benchmark in benchmarks if benchmark.seconds]
    return sum(known_seconds) if known_seconds or not benchmarks else None


def select_benchmarks(
    document: Document, *, budget: float | None, nested: bool, changed: Sequence[str] | None
) -> Selection:
    """Return what to run within a budget, or at all where there is none. Raises UsageError."""
    changed_ids, unaudited = _split_names(changed, document)
    counted_result = CountedResult(document, changed_ids)
    if budget is not None and counted_result.untimed_benchmarks:
        raise UsageError(
            f"the time of {counted_result.untimed_benchmarks[0]} is unknown, so no budget can be "
            "kept; run bench-audit abs with stability_runs of 1 or more first "
            f"({stored_result.AUDIT_AGAIN})"
        )
    choice = _choose_benchmarks(counted_result, budget, nested=nested)
    run_ids = {candidate.id for candidate in choice.watchers}
    method_count, total = counted_result.method_count, document.scores.total
    return Selection(
        **counted_result.build_answer_fields(run_ids, _list_caveats(counted_result, unaudited)),
        budget=budget,
        nested=choice.nested,
        changed=None if changed_ids is None else tuple(sorted(changed_ids)),
        unaudited=unaudited,
        methods=tuple(
            method_id for method_id in counted_result.detected_by if method_id in choice.methods
        ),
        lost=tuple(
            LostMethod(method_id, benchmark_ids)
            for method_id, benchmark_ids in counted_result.detected_by.items()
            if method_id not in choice.methods
        ),
        counted=method_count,
        percent=100 * len(choice.methods) / method_count if method_count else None,
        total_percent=total.percent if changed_ids is None else None,
        most=MostDetected(choice.most, choice.proven, tuple(sorted(choice.conflicting))),
        cheapest=choice.cheapest,
    )


def _list_caveats(counted_result: CountedResult, unaudited: Sequence[str]) -> list[Caveat]:
    caveats = []
    if counted_result.untimed_benchmarks:
        text = f"unknown times of {', '.join(counted_result.untimed_benchmarks[:5])}: " + (
            "each counts as the median time of the others"
            if any(benchmark.seconds for benchmark in counted_result.document.benchmarks)
            else "all benchmarks count alike"
        )
        caveats.append(Caveat("unknown-time", text))
    if unaudited:
        text = (
            f"{number_format.format_count(len(unaudited), 'name')} not among the methods of this "
            f"result, so without known benchmarks: {', '.join(unaudited[:5])}"
        )
        caveats.append(Caveat("unaudited", text))
    return caveats


def _choose_benchmarks(
    counted_result: CountedResult, budget: float | None, *, nested: bool
) -> Choice:
    candidates = [
        candidate for candidate in counted_result.benchmark_candidates if candidate.detects
    ]
    if budget is None:
        return judge.choose_cheapest(candidates)
    return judge.choose_within_budget(candidates, budget, nested=nested)


def _split_names(
    changed: Sequence[str] | None, document: Document
) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """Return the methods of a result that names mean, and the names that mean none."""
    if changed is None:
        return None, ()
    ids_by_name = {
        name: [method.id for method in document.methods if _is_method_name(name, method.id)]
        for name in changed
    }
    method_ids = frozenset(
        method_id for matching_ids in ids_by_name.values() for method_id in matching_ids
    )
    return method_ids, tuple(name for name, matching_ids in ids_by_name.items() if not matching_ids)


def _is_method_name(name: str, method: str) -> bool:
    """Tell whether a name is a method's id, or its end, with or without its parameters."""
    ends = (f".{name}", f"/{name}")
    return any(
        full_name == name or full_name.endswith(ends)
        for full_name in (method, method.partition("(")[0])
    )


def propose_removal(document: Document) -> Proposal:
    """Return which benchmarks can go."""
    counted_result = CountedResult(document)
    unknown_ids = {
        benchmark.id
        for benchmark in document.benchmarks
        if not benchmark.seconds or not benchmark.means or benchmark.ending != "measured"
    }
    facts = ResultFacts(document)
    open_pairs = {
        (method, benchmark)
        for method, benchmark in _list_open_pairs(facts)
        if method not in counted_result.detected_by
    }
    unexamined_ids = {
        benchmark.id
        for benchmark in document.benchmarks
        if benchmark.id not in unknown_ids and not facts.is_mostly_examined(benchmark.id)
    }
    removal = judge.choose_removal(
        [item for item in counted_result.benchmark_candidates if item.id not in unknown_ids]
        if counted_result.detected_by  # else no evidence says that a benchmark is redundant
        else [],
        open_pairs=open_pairs,
        unknown=sorted(unknown_ids),
        unexamined=unexamined_ids,
    )
    removed_ids = {candidate.id for candidate, _ in removal.removed}
    kept_ids = {benchmark.id for benchmark in document.benchmarks} - removed_ids
    removed_benchmarks = [
        benchmark for benchmark in document.benchmarks if benchmark.id in removed_ids
    ]
    return Proposal(
        **counted_result.build_answer_fields(kept_ids, ()),
        removed=tuple(_list_removed(removal)),
        undecided=tuple(UndecidedBenchmark(*item) for item in sorted(removal.undecided.items())),
        unknown=removal.unknown,
        unexamined=tuple(sorted(unexamined_ids)),
        seconds_saved=_sum_seconds(removed_benchmarks),
        cheapest=removal.remaining.cheapest,
    )


def _list_open_pairs(facts: ResultFacts) -> Iterator[tuple[str, str]]:
    """Yield the (method, benchmark) that may turn out detections."""
    for pair in facts.document.pairs:
        if facts.is_open_pair(pair):
            yield pair.method, pair.benchmark
    for benchmark, methods in facts.removed_calls.items():
        for method in methods:
            yield method, benchmark


def _list_removed(removal: judge.Removal) -> Iterator[RemovedBenchmark]:
    for candidate, watched in removal.removed:
        yield RemovedBenchmark(
            id=candidate.id,
            seconds=candidate.seconds,
            max_spread=candidate.max_spread,
            watched=tuple(CoveredMethod(*detection) for detection in watched),
        )


def convert_to_plain(answer: SelectAnswer) -> results.PlainFields:
    """Return an answer as dictionaries, lists, strings and numbers."""
    plain_fields: results.PlainFields = msgspec.to_builtins(answer)
    return plain_fields
