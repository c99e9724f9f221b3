"""What a run of the suite costs, what each benchmark buys with it, and which changes pay most."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from auditor.abs.document import Document
from auditor.abs.model import MethodVerdict
from auditor.abs.text import words
from auditor.abs.text.claims import ResultFacts
from auditor.core.result import Verdict
from auditor.core.stability import BenchmarkVerdict
from reports import number_format

MOST = 3
_SAFETY = 2.0
"""How many times smaller than what it has to detect a shortened benchmark still sees."""
_LEAST_ITERATIONS = 5
_WATCHED = frozenset({"warm-after", "not-seen-warm"})
"""What is said of a benchmark whose processes were watched."""
_LEAST_SHOWN = 0.001
_LEAST_SAVED = 0.05
"""Of the suite's time; less is not worth a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchmarkValue:
    """What a benchmark costs and what it buys."""

    benchmark: str  # the benchmark's id
    seconds: float | None  # duration in a suite run; None: unknown
    part: float | None  # its part of the time of a suite run; None: unknown
    alone: float  # points of the total score that are lost without it
    together: float  # points of the total score that other benchmarks hold as well
    visible: float | None  # smallest slowdown of its operation that shows; None: unknown
    used: float | None  # part of all counted calls that go to methods it detects; None: unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteChange:
    """Something to do: what of, what for, and what it does to the score and to a run.

    `points` are percent of the total score, `seconds` of a run of the suite, below zero where they
    are saved. What is not `measured` is predicted.
    """

    owner: str
    what: str
    points: float
    seconds: float
    measured: bool

    @property
    def effect(self) -> str:
        """Return the effect in words."""
        how = "measured" if self.measured else "predicted"
        points = f"+{self.points:.3g} points" if self.points else "no points lost"
        if not self.seconds:
            return f"{points}, no time ({how})"
        word = "more" if self.seconds > 0 else "less"
        return f"{points}, {number_format.seconds(abs(self.seconds))} {word} a run ({how})"


def benchmark_values(document: Document) -> tuple[BenchmarkValue, ...]:
    """Return what each benchmark costs and buys, the most expensive first."""
    known = [benchmark.seconds for benchmark in document.benchmarks if benchmark.seconds]
    whole, point = sum(known), _point(document)
    calls = {method.id: method.calls for method in document.methods if method.calls is not None}
    every = sum(calls.values())
    found = [
        BenchmarkValue(
            benchmark=benchmark.id,
            seconds=benchmark.seconds,
            part=benchmark.seconds / whole if benchmark.seconds else None,
            alone=point * len(benchmark.unique),
            together=point * len(benchmark.shared),
            visible=benchmark.visible,
            used=sum(calls.get(each, 0) for each in (*benchmark.unique, *benchmark.shared)) / every
            if every
            else None,
        )
        for benchmark in document.benchmarks
    ]
    return tuple(sorted(found, key=lambda value: (-(value.seconds or 0.0), value.benchmark)))


def best_changes(document: Document) -> tuple[SuiteChange, ...]:
    """Return the changes that raise the score most for their time, and what pays for them.

    At most MOST: those that raise it first, a use of what is removed before a new benchmark, then
    the one that saves most. Empty where the score says nothing.
    """
    if not _point(document) or any(caveat.slug == "score-mode" for caveat in document.caveats):
        return ()
    facts = ResultFacts(document)
    raising = sorted(_fixes(facts), key=lambda fix: (-fix.points, fix.owner))
    raising += _stubs(facts)
    saving = sorted((*_drops(facts), *_shorter(document)), key=lambda drop: drop.seconds)
    kept = min(len(saving), max(1, MOST - len(raising)))
    return (*raising[: MOST - kept], *saving[:kept])


def _point(document: Document) -> float:
    """Return the percent of the total score that a method is worth; 0 where none counts."""
    counted = document.scores.total.counted
    return 100 / counted if counted else 0.0


def _fixes(facts: ResultFacts) -> Iterator[SuiteChange]:
    """Yield uses of results: a call that was removed is watched as soon as it is there."""
    for benchmark, methods in facts.removed_calls.items():
        more = f" and {len(methods) - 1} more" if len(methods) > 1 else ""
        were = "calls were" if more else "call was"
        yield SuiteChange(
            owner=benchmark,
            what=f"use the result of {methods[0]}{more}, whose {were} removed",
            points=_point(facts.document) * len(methods),
            seconds=0.0,
            measured=False,
        )


def _stubs(facts: ResultFacts) -> list[SuiteChange]:
    """Return new benchmarks for methods that no benchmark covers, the most used first."""
    document = facts.document
    times = [benchmark.seconds for benchmark in document.benchmarks if benchmark.seconds]
    lost = [method for method in document.methods if facts.lacks_benchmark(method.id)]
    lost.sort(key=lambda verdict: -(verdict.calls or 0))
    every = sum(method.calls or 0 for method in document.methods)
    return [
        SuiteChange(
            owner=verdict.id,
            what="write a benchmark for it (bench-audit trace --stubs begins one)"
            + _use(verdict, every),
            points=_point(document),
            seconds=median(times) if times else 0.0,
            measured=False,
        )
        for verdict in lost[:MOST]
    ]


def _use(method: MethodVerdict, every: int) -> str:
    if not method.calls:
        return ""
    part = method.calls / every
    shown = (
        number_format.share(part)
        if part >= _LEAST_SHOWN
        else f"below {number_format.share(_LEAST_SHOWN)}"
    )
    return f"; {shown} of the counted calls"


def _drops(facts: ResultFacts) -> Iterator[SuiteChange]:
    """Yield benchmarks without which all is watched that is watched now."""
    for benchmark in facts.document.benchmarks:
        if benchmark.seconds and facts.is_droppable(benchmark.id):
            yield SuiteChange(
                owner=benchmark.id,
                what=f"drop it, or run it less often: {explain_redundancy(facts, benchmark)}",
                points=0.0,
                seconds=-benchmark.seconds,
                measured=not words.is_estimate(facts.document),
            )


def explain_redundancy(facts: ResultFacts, benchmark: BenchmarkVerdict) -> str:
    """Say why a benchmark is redundant, and how much of it was examined."""
    why = "others detect all that it detects" if benchmark.shared else "it detects none of them"
    least, _ = facts.examined(benchmark.id)
    return f"{why}; the methods examined are at least {number_format.share(least)} of it"


def _shorter(document: Document) -> Iterator[SuiteChange]:
    """Yield benchmarks that see far more than they have to; scatter falls with the square root.

    What is watched measures as many iterations as it takes.
    """
    plan = document.plan
    if plan.iterations is None or plan.warmup is None:
        return
    whole = sum(benchmark.seconds or 0.0 for benchmark in document.benchmarks)
    for benchmark in document.benchmarks:
        least = _least_noticed(document, benchmark)
        watched = any(caveat.slug in _WATCHED for caveat in benchmark.caveats)
        if (
            watched
            or benchmark.bucket in words.SHAKY
            or least is None
            or not benchmark.visible
            or not benchmark.seconds
        ):
            continue
        part = (_SAFETY * benchmark.visible / least) ** 2
        iterations = max(_LEAST_ITERATIONS, math.ceil(part * plan.iterations))
        saved = benchmark.seconds * (plan.iterations - iterations) / (plan.warmup + plan.iterations)
        if saved > _LEAST_SAVED * whole:
            seen = benchmark.visible * math.sqrt(plan.iterations / iterations)
            yield SuiteChange(
                owner=benchmark.id,
                what=f"measure {iterations} iterations in place of {plan.iterations}: it would see "
                f"{number_format.times(1 + seen)} and has to see {number_format.times(1 + least)}",
                points=0.0,
                seconds=-saved,
                measured=False,
            )


def _least_noticed(document: Document, benchmark: BenchmarkVerdict) -> float | None:
    """Return the smallest effect that the benchmark has detected; None where it has none."""
    if benchmark.id not in document.minimal_cover:
        return None
    return min(
        (
            pair.effect
            for pair in document.pairs
            if pair.benchmark == benchmark.id and pair.outcome is Verdict.DETECTED and pair.effect
        ),
        default=None,
    )
