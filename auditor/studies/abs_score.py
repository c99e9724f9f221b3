"""If a method got slower, would the suite notice? Plan, run, judge."""

from collections.abc import Mapping
from dataclasses import dataclass

from auditor.audits import abs_score, detection, reach
from auditor.audits.abs_score import AbsData, MethodData
from auditor.audits.pair import PairData
from auditor.audits.reach import Reach, State
from auditor.audits.stability import slowdown_size
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.request import AbsRequest
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.core.verdict import AbsVerdict, PairVerdict, Stability
from auditor.studies.methods import LARGEST_CHOICE, Candidates, candidates
from auditor.studies.pairs import Pair, PairRuns, PairStudy
from auditor.studies.parts import Parts
from auditor.studies.reach import map_reach
from auditor.studies.stability import judged
from auditor.studies.suite import Baseline, baseline

NOT_COUNTED = Reach(
    state=State.UNKNOWN,
    caveats=(Caveat("no-reach", "nobody has counted whether the benchmark calls the method"),),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The methods that are judged, and what is known of how they are called."""

    methods: tuple[Method, ...]
    invalid: Mapping[str, str]
    calls: Mapping[str, int]
    reach: Mapping[tuple[str, str], Reach]
    caveats: tuple[Caveat, ...]

    def of(self, method: Method, benchmark: Benchmark) -> Reach:
        """Return how a benchmark reaches a method."""
        return self.reach.get((method.id, benchmark.id), NOT_COUNTED)

    @property
    def slowable(self) -> tuple[Method, ...]:
        """Return the methods that a variant can be made of."""
        return tuple(
            method
            for method in self.methods
            if method.refusal is None and method.id not in self.invalid
        )


def audit(request: AbsRequest, parts: Parts) -> AbsVerdict:
    """Return the verdict; what the budget prevented is undecided in it."""
    found = candidates(request.methods, parts)
    said = detection.statement_beforehand(request.suite.plan, request.rule)
    if said:
        parts.observer.caveat(said)
    base = baseline(parts)
    steady = judged(base, parts)
    slowdown = _slowdown(request, steady)
    chosen = _choose(found, base, parts)
    measured = PairStudy(request, base, slowdown, parts).run(_pairs(request, chosen, base))
    pairs = _judged(request, chosen, base, {one.pair.key: one for one in measured}, slowdown)
    return abs_score.judge(
        AbsData(
            slowdown=slowdown,
            slowdown_source="auto" if request.slowdown is None else "fixed",
            rule=request.rule,
            methods=tuple(
                MethodData(
                    method=method,
                    calls=chosen.calls.get(method.id),
                    invalid=chosen.invalid.get(method.id),
                )
                for method in chosen.methods
            ),
            pairs=pairs,
            stability=steady,
            unfinished=frozenset(benchmark.id for benchmark in base.unfinished),
            caveats=(*([said] if said else []), *chosen.caveats, *_budget(parts)),
        )
    )


def _slowdown(request: AbsRequest, steady: Stability) -> float:
    if request.slowdown is not None:
        return request.slowdown
    spreads = [one.max_spread for one in steady.benchmarks if one.max_spread is not None]
    size = slowdown_size(spreads)
    if size is None:
        raise UsageError(
            'the slowdown "auto" cannot be sized: no benchmark was measured in all '
            f"{steady.runs} runs with any spread; give a number: --slowdown 0.6"
        )
    return size


def _choose(found: Candidates, base: Baseline, parts: Parts) -> Chosen:
    """Count the calls of all candidates; where the user named none, keep the most called."""
    slowable = [method for method in found.methods if method.refusal is None]
    counted = map_reach(slowable, base, parts, with_unit_tests=not found.fixed)
    calls = reach.usage((*counted.runs, *counted.usage))
    methods: tuple[Method, ...] = found.methods
    caveats: tuple[Caveat, ...] = ()
    if not found.fixed:
        names, how = reach.most_called(calls, LARGEST_CHOICE)
        by_id = {method.id: method for method in found.methods}
        methods, caveats = tuple(by_id[name] for name in names), (how,)
    return Chosen(
        methods=methods,
        invalid={method.id: message for method, message in counted.invalid},
        calls=calls,
        reach=reach.reach_map(counted.runs, methods),
        caveats=caveats,
    )


def _pairs(request: AbsRequest, chosen: Chosen, base: Baseline) -> list[Pair]:
    """Return the pairs worth measuring: those reached in the loop, with `exact` all."""
    return [
        Pair(
            method=method,
            benchmark=benchmark,
            calls=known.calls_per_operation,
            nested=known.nested,
        )
        for method in chosen.slowable
        for benchmark in base.usable
        for known in [chosen.of(method, benchmark)]
        if request.exact or known.may_be_in_loop
    ]


def _judged(
    request: AbsRequest,
    chosen: Chosen,
    base: Baseline,
    measured: Mapping[tuple[str, str], PairRuns],
    slowdown: float,
) -> tuple[PairVerdict, ...]:
    verdicts = []
    for method in chosen.slowable:
        for benchmark in base.usable:
            done = measured.get((method.id, benchmark.id))
            data = PairData(
                method=method.id,
                benchmark=benchmark,
                slowdown=slowdown,
                rule=request.rule,
                wanted=request.runs * request.suite.plan.forks,
                reach=chosen.of(method, benchmark),
                calibration=done.calibration if done else None,
                refusal=done.refusal if done else None,
                plain=base.of(benchmark),
                calibrating=done.calibrating if done else (),
                runs=done.runs if done else (),
            )
            verdicts.append(detection.judge_pair(data))
    return tuple(verdicts)


def _budget(parts: Parts) -> list[Caveat]:
    if parts.deadline is None or not parts.deadline.prevented:
        return []
    text = (
        f"the budget of {parts.request.budget_seconds:.0f} s was used up; what it prevented is "
        "undecided, and the same command goes on from here"
    )
    return [Caveat("budget", text)]
