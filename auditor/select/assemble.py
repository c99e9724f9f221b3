"""A result of an ABS audit in, the answers of `select` out."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from auditor.abs import stored_result
from auditor.abs.document import Document
from auditor.abs.judge.outcomes import NOT_COUNTED, UNDECIDED
from auditor.abs.text.claims import ResultFacts
from auditor.compare import document as comparison_document
from auditor.config.quantities import seconds
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
from reports import results

_PASSED_ON = ("estimate", "filtered", "budget", "failed-benchmarks", "false-alarm")
"""Caveats of an audit that are caveats of a choice, too."""


def budget(written: str | None) -> float | None:
    """Read a duration in seconds; raises UsageError."""
    try:
        return None if written is None else seconds(written)
    except ValueError as error:
        raise UsageError(f"{error}, at --budget") from error


def names(written: Sequence[str], folder: Path) -> tuple[str, ...] | None:
    """Return names, those in files included (one a line, # for comments); None if none is given.

    A file may also be a result of compare (.json): the methods that head has changed or added.
    Raises UsageError for a file that cannot be read.
    """
    found: list[str] = []
    for text in written:
        path = folder / text
        if not is_file(path):
            found.append(text)
            continue
        if path.suffix == ".json":
            found += [method.id for method in _read_comparison(path).patch.methods]
            continue
        try:
            lines = read_regular(path).decode().splitlines()
        except (OSError, ValueError) as error:
            raise UsageError(f"{text} is not a readable list of methods, one per line") from error
        found += [line.strip() for line in lines if line.partition("#")[0].strip()]
    return tuple(dict.fromkeys(found)) if written else None


def _read_comparison(path: Path) -> comparison_document.ComparisonDocument:
    content = read_named(path)
    try:
        return comparison_document.read(content)
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
    def counted(self) -> int:
        """Return how many methods count."""
        return sum(
            method.outcome not in NOT_COUNTED
            and (self.changed is None or method.id in self.changed)
            for method in self.document.methods
        )

    @cached_property
    def untimed(self) -> tuple[str, ...]:
        """Return the benchmarks that detect something and of which no time is known."""
        watching = {name for found in self.detected_by.values() for name in found}
        return tuple(
            benchmark.id
            for benchmark in self.document.benchmarks
            if benchmark.id in watching and not benchmark.seconds
        )

    @cached_property
    def watchers(self) -> tuple[Candidate, ...]:
        """Return the benchmarks; one without a time counts as one of the usual length."""
        usual = median(
            [benchmark.seconds for benchmark in self.document.benchmarks if benchmark.seconds]
            or [1.0]
        )
        detects: dict[str, set[str]] = {
            benchmark.id: set() for benchmark in self.document.benchmarks
        }
        for method, found in self.detected_by.items():
            for name in found:
                detects[name].add(method)
        return tuple(
            Candidate(
                id=benchmark.id,
                seconds=benchmark.seconds or usual,
                max_spread=benchmark.max_spread,
                detects=frozenset(detects[benchmark.id]),
            )
            for benchmark in self.document.benchmarks
        )

    def answer(self, names: Collection[str], caveats: Sequence[Caveat]) -> dict[str, Any]:
        """Return what every answer says; `names` are all benchmarks that are to be run."""
        document = self.document
        passed_on = [caveat for caveat in document.caveats if caveat.slug in _PASSED_ON]
        support = LANGUAGES.harnesses.get(document.harness)
        chosen = [benchmark for benchmark in document.benchmarks if benchmark.id in names]
        known = [benchmark.id for benchmark in document.benchmarks]
        subsets = support.calls([benchmark.id for benchmark in chosen], known) if support else ()
        inexact = [Caveat("inexact-call", subset.problem) for subset in subsets if subset.problem]
        return {
            "subject": document.subject,
            "revision": document.revision,
            "harness": document.harness,
            "benchmarks": tuple(self._pick(benchmark, names) for benchmark in chosen),
            "seconds": _sum(chosen),
            "suite_benchmarks": len(known),
            "suite_seconds": _sum(document.benchmarks),
            "calls": tuple(
                HarnessCall(
                    pattern=subset.pattern,
                    skip=subset.skip,
                    package=subset.package,
                    parameters=dict(subset.parameters),
                    command=subset.command,
                )
                for subset in subsets
            ),
            "caveats": (*passed_on, *caveats, *inexact),
        }

    def _pick(self, benchmark: BenchmarkVerdict, names: Collection[str]) -> Pick:
        mine = [method for method, found in self.detected_by.items() if benchmark.id in found]
        return Pick(
            id=benchmark.id,
            seconds=benchmark.seconds or None,
            max_spread=benchmark.max_spread,
            detects=tuple(mine),
            alone=tuple(
                method for method in mine if len(set(self.detected_by[method]) & set(names)) == 1
            ),
        )


def _sum(benchmarks: Sequence[BenchmarkVerdict]) -> float | None:
    """Add up how long benchmarks take; None where none is known that could be."""
    known = [benchmark.seconds for benchmark in benchmarks if benchmark.seconds]
    return sum(known) if known or not benchmarks else None


def select(
    document: Document, *, budget: float | None, nested: bool, changed: Sequence[str] | None
) -> Selection:
    """Return what to run within a budget, or at all where there is none. Raises UsageError."""
    named, unaudited = _split_names(changed, document)
    subject = CountedResult(document, named)
    if budget is not None and subject.untimed:
        raise UsageError(
            f"the time of {subject.untimed[0]} is unknown, so no budget can be kept; run "
            f"bench-audit abs with stability_runs of 1 or more first ({stored_result.AUDIT_AGAIN})"
        )
    chosen = _choice(subject, budget, nested=nested)
    run = {watcher.id for watcher in chosen.watchers}
    counted, total = subject.counted, document.scores.total
    return Selection(
        **subject.answer(run, _caveats(subject, unaudited)),
        budget=budget,
        nested=nested,
        changed=None if named is None else tuple(sorted(named)),
        unaudited=unaudited,
        methods=tuple(one for one in subject.detected_by if one in chosen.methods),
        lost=tuple(
            LostMethod(one, by)
            for one, by in subject.detected_by.items()
            if one not in chosen.methods
        ),
        counted=counted,
        percent=100 * len(chosen.methods) / counted if counted else None,
        total_percent=total.percent if named is None else None,
        most=MostDetected(chosen.most, chosen.proven),
        cheapest=chosen.cheapest,
    )


def _caveats(subject: CountedResult, unaudited: Sequence[str]) -> list[Caveat]:
    caveats = []
    if subject.untimed:
        text = (
            f"unknown times of {', '.join(subject.untimed[:5])}: each counts as the median time "
            "of the others"
        )
        caveats.append(Caveat("unknown-time", text))
    if unaudited:
        text = (
            f"{len(unaudited)} of the given names are not methods of this result, so their "
            f"benchmarks are unknown: {', '.join(unaudited[:5])}"
        )
        caveats.append(Caveat("unaudited", text))
    return caveats


def _choice(subject: CountedResult, budget: float | None, *, nested: bool) -> Choice:
    watchers = [watcher for watcher in subject.watchers if watcher.detects]
    if budget is None:
        return judge.cheapest_choice(watchers)
    return judge.choice_within(watchers, budget, nested=nested)


def _split_names(
    changed: Sequence[str] | None, document: Document
) -> tuple[frozenset[str] | None, tuple[str, ...]]:
    """Return the methods of a result that names mean, and the names that mean none."""
    if changed is None:
        return None, ()
    meant = {
        name: [method.id for method in document.methods if _means(name, method.id)]
        for name in changed
    }
    known = frozenset(one for ids in meant.values() for one in ids)
    return known, tuple(name for name, ids in meant.items() if not ids)


def _means(name: str, method: str) -> bool:
    """Tell whether a name is a method's id, or its end, with or without its parameters."""
    ends = (f".{name}", f"/{name}")
    return any(one == name or one.endswith(ends) for one in (method, method.partition("(")[0]))


def propose(document: Document) -> Proposal:
    """Return which benchmarks can go."""
    subject = CountedResult(document)
    unknown = {
        benchmark.id
        for benchmark in document.benchmarks
        if not benchmark.seconds or not benchmark.means
    }
    unknown |= {benchmark.id for benchmark in document.benchmarks} - {
        pair.benchmark for pair in document.pairs
    }
    open_pairs = {
        (pair.method, pair.benchmark)
        for pair in document.pairs
        if pair.outcome in UNDECIDED and pair.method not in subject.detected_by
    }
    facts = ResultFacts(document)
    unexamined = {
        benchmark.id
        for benchmark in document.benchmarks
        if benchmark.id not in unknown and not facts.is_mostly_examined(benchmark.id)
    }
    removal = judge.removal(
        [watcher for watcher in subject.watchers if watcher.id not in unknown],
        open_pairs=open_pairs,
        unknown=sorted(unknown),
        unexamined=unexamined,
    )
    gone = {candidate.id for candidate, _ in removal.removed}
    stays = {benchmark.id for benchmark in document.benchmarks} - gone
    removed = [benchmark for benchmark in document.benchmarks if benchmark.id in gone]
    return Proposal(
        **subject.answer(stays, ()),
        removed=tuple(_removed(removal)),
        undecided=tuple(UndecidedBenchmark(*item) for item in sorted(removal.undecided.items())),
        unknown=removal.unknown,
        unexamined=tuple(sorted(unexamined)),
        seconds_saved=_sum(removed),
        cheapest=removal.kept.cheapest,
    )


def _removed(removal: judge.Removal) -> Iterator[RemovedBenchmark]:
    for candidate, watched in removal.removed:
        yield RemovedBenchmark(
            id=candidate.id,
            seconds=candidate.seconds,
            max_spread=candidate.max_spread,
            watched=tuple(CoveredMethod(*each) for each in watched),
        )


def plain(answer: SelectAnswer) -> results.Plain:
    """Return an answer as dictionaries, lists, strings and numbers."""
    builtins: results.Plain = msgspec.to_builtins(answer)
    return builtins
