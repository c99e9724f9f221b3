"""What a run of the suite costs, what each benchmark buys with it, and which changes pay most."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from auditor.abs.document import Document
from auditor.abs.judge.indifference_zone import is_borderline
from auditor.abs.model import INJECTION, MethodVerdict, PairVerdict
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
    action: str
    points: float
    seconds: float
    measured: bool

    @property
    def effect(self) -> str:
        """Return the effect in words."""
        basis = "measured" if self.measured else "predicted"
        points = f"+{self.points:.3g} points" if self.points else "no points lost"
        if not self.seconds:
            return f"{points}, no time ({basis})"
        word = "more" if self.seconds > 0 else "less"
        return f"{points}, {number_format.format_seconds(abs(self.seconds))} {word} a run ({basis})"


def benchmark_values(document: Document) -> tuple[BenchmarkValue, ...]:
    """Return what each benchmark costs and buys, the most expensive first."""
    durations = [benchmark.seconds for benchmark in document.benchmarks if benchmark.seconds]
    suite_seconds, point = sum(durations), _compute_method_points(document)
    calls = {method.id: method.calls for method in document.methods if method.calls is not None}
    total_calls = sum(calls.values())
    values = [
        BenchmarkValue(
            benchmark=benchmark.id,
            seconds=benchmark.seconds,
            part=benchmark.seconds / suite_seconds if benchmark.seconds else None,
            alone=point * len(benchmark.unique),
            together=point * len(benchmark.shared),
            visible=benchmark.visible,
            used=sum(
                calls.get(method_id, 0) for method_id in (*benchmark.unique, *benchmark.shared)
            )
            / total_calls
            if total_calls
            else None,
        )
        for benchmark in document.benchmarks
    ]
    return tuple(sorted(values, key=lambda value: (-(value.seconds or 0.0), value.benchmark)))


def best_changes(document: Document) -> tuple[SuiteChange, ...]:
    """Return the changes that raise the score most for their time, and what pays for them.

    At most MOST: those that raise it first, a use of what is removed before a new benchmark, then
    the one that saves most. Empty where the score says nothing.
    """
    if not _compute_method_points(document) or any(
        caveat.slug == "score-mode" for caveat in document.caveats
    ):
        return ()
    facts = ResultFacts(document)
    raising = sorted(_suggest_result_uses(facts), key=lambda fix: (-fix.points, fix.owner))
    raising += _suggest_benchmarks(facts)
    saving = sorted(
        (*_suggest_drops(facts), *_suggest_shortening(document)), key=lambda drop: drop.seconds
    )
    saving_count = min(len(saving), max(1, MOST - len(raising)))
    return (*raising[: MOST - saving_count], *saving[:saving_count])


def _compute_method_points(document: Document) -> float:
    """Return the percent of the total score that a method is worth; 0 where none counts."""
    counted = document.scores.total.counted
    return 100 / counted if counted else 0.0


def _suggest_result_uses(facts: ResultFacts) -> Iterator[SuiteChange]:
    """Yield uses of results: a call that was removed is watched as soon as it is there."""
    for benchmark, methods in facts.removed_calls.items():
        more = f" and {len(methods) - 1} more" if len(methods) > 1 else ""
        were = "calls were" if more else "call was"
        yield SuiteChange(
            owner=benchmark,
            action=f"use the result of {methods[0]}{more}, whose {were} removed",
            points=_compute_method_points(facts.document) * len(methods),
            seconds=0.0,
            measured=False,
        )


def _suggest_benchmarks(facts: ResultFacts) -> list[SuiteChange]:
    """Return new benchmarks for methods that no benchmark covers, the most used first.

    What takes no time in the benchmarks that call it comes last.
    """
    document = facts.document
    times = [benchmark.seconds for benchmark in document.benchmarks if benchmark.seconds]
    lost = [method for method in document.methods if facts.lacks_benchmark(method.id)]
    lost.sort(
        key=lambda verdict: (
            _find_largest_share(facts, verdict.id) == 0.0,
            -(verdict.calls or 0),
        )
    )
    total_calls = sum(method.calls or 0 for method in document.methods)
    return [
        SuiteChange(
            owner=verdict.id,
            action=_describe_new_benchmark(facts, verdict.id) + _format_use(verdict, total_calls),
            points=_compute_method_points(document),
            seconds=median(times) if times else 0.0,
            measured=False,
        )
        for verdict in lost[:MOST]
    ]


def _describe_new_benchmark(facts: ResultFacts, method: str) -> str:
    share, most = _find_largest_share(facts, method), facts.bound_largest_share(method)
    is_generic = facts.methods_by_id[method].generic
    start = "by hand, as it is generic" if is_generic else "bench-audit trace --stubs begins one"
    if share is None or most is None:
        return f"write a benchmark for it ({start})"
    evidence = (
        f"it takes at most {number_format.format_share(most)} of those that call it"
        if share
        else "no CPU sample of those that call it is in it"
    )
    return f"write a benchmark of it alone ({start}), since {evidence}"


def _find_largest_share(facts: ResultFacts, method: str) -> float | None:
    """Return the largest share of a method in a benchmark, None where none is known."""
    shares = (pair.share for pair in facts.pairs_by_method[method] if pair.share is not None)
    return max(shares, default=None)


def _format_use(method: MethodVerdict, total_calls: int) -> str:
    if not method.calls:
        return ""
    part = method.calls / total_calls
    share_text = (
        number_format.format_share(part)
        if part >= _LEAST_SHOWN
        else f"below {number_format.format_share(_LEAST_SHOWN)}"
    )
    return f"; {share_text} of the counted calls"


def _suggest_drops(facts: ResultFacts) -> Iterator[SuiteChange]:
    """Yield benchmarks without which all is watched that is watched now."""
    for benchmark in facts.document.benchmarks:
        if benchmark.seconds and facts.is_droppable(benchmark.id):
            yield SuiteChange(
                owner=benchmark.id,
                action=f"drop it, or run it less often: {explain_redundancy(facts, benchmark)}",
                points=0.0,
                seconds=-benchmark.seconds,
                measured=not words.is_estimate(facts.document),
            )


def explain_redundancy(facts: ResultFacts, benchmark: BenchmarkVerdict) -> str:
    """Say why a benchmark is redundant, and how much of it was examined."""
    cause = "others detect all that it detects" if benchmark.shared else "it detects none of them"
    least, _ = facts.bound_examined_share(benchmark.id)
    return f"{cause}; the methods examined are at least {number_format.format_share(least)} of it"


def _suggest_shortening(document: Document) -> Iterator[SuiteChange]:
    """Yield benchmarks that see far more than they have to; scatter falls with the square root.

    What is watched measures as many iterations as it takes.
    """
    plan = document.plan
    if plan.iterations is None or plan.warmup is None:
        return
    suite_seconds = sum(benchmark.seconds or 0.0 for benchmark in document.benchmarks)
    detected_pairs: dict[str, list[PairVerdict]] = {name: [] for name in document.minimal_cover}
    for pair in document.pairs:
        if pair.outcome is Verdict.DETECTED and pair.benchmark in detected_pairs:
            detected_pairs[pair.benchmark].append(pair)
    for benchmark in document.benchmarks:
        least = _find_least_detected(detected_pairs.get(benchmark.id, ()))
        watched = any(caveat.slug in _WATCHED for caveat in benchmark.caveats)
        if (
            watched
            or benchmark.bucket in words.SHAKY
            or least is None
            or not benchmark.visible
            or not benchmark.seconds
        ):
            continue
        effect, margin = least
        part = (_SAFETY * benchmark.visible / min(effect, 2 * margin)) ** 2
        iterations = max(_LEAST_ITERATIONS, math.ceil(part * plan.iterations))
        saved = benchmark.seconds * (plan.iterations - iterations) / (plan.warmup + plan.iterations)
        if saved > _LEAST_SAVED * suite_seconds:
            visible_slowdown = benchmark.visible * math.sqrt(plan.iterations / iterations)
            yield SuiteChange(
                owner=benchmark.id,
                action=f"measure {iterations} iterations in place of {plan.iterations}: it would "
                f"see {number_format.format_factor(1 + visible_slowdown)} and has to see "
                f"{number_format.format_factor(1 + effect)}",
                points=0.0,
                seconds=-saved,
                measured=False,
            )


def _find_least_detected(pairs: Sequence[PairVerdict]) -> tuple[float, float] | None:
    """Return the smallest effect that a benchmark has detected, and by how much at least.

    None where it has detected none, or one by CPU samples or at the threshold.
    """
    effects = [
        (pair.effect, pair.effect - pair.threshold)
        for pair in pairs
        if pair.effect
        and pair.threshold is not None
        and pair.decided_by == INJECTION
        and not is_borderline(pair.caveats)
    ]
    if not effects or len(effects) < len(pairs):
        return None
    return min(effect for effect, _ in effects), min(margin for _, margin in effects)
