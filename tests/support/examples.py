"""Verdicts as a study would reach them, of any size, for tests and for looking at the page."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from builders import benchmark_verdict_of, method_verdict_of, pair_verdict_of

from auditor.abs.judge import allocations, cover
from auditor.abs.judge.abs_score import MethodData
from auditor.abs.judge.outcomes import NOT_COUNTED
from auditor.abs.model import (
    AbsVerdict,
    AllocationPair,
    Controls,
    Cover,
    CurvePoint,
    CurveStep,
    Density,
    DetectionCurve,
    MethodVerdict,
    PairCurve,
    PairRun,
    PairVerdict,
    RuleCount,
    Score,
)
from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.request import DetectionRule, Plan
from auditor.core.result import ReachState, Verdict
from auditor.core.stability import BenchmarkVerdict, Bucket, BucketCount, Duration, Stability
from auditor.core.subject import Language, Method, Span

SLOWDOWN = 0.6
GO_METHODS = (
    "UUID.String", "Parse", "ParseBytes", "New", "NewString", "Must", "UUID.MarshalText",
    "UUID.UnmarshalText", "UUID.MarshalBinary", "UUID.Scan", "NewSHA1", "NewMD5", "NewHash",
    "Validate", "MustParse", "UUID.URN", "UUID.Version", "UUID.Variant", "NewUUID", "NewV7",
)  # fmt: skip
GO_BENCHMARKS = (
    "Parse", "ParseBytes", "ParseBytesUnsafe", "ParseBytesCopy", "New", "UUID_String", "UUID_URN",
    "ParseBadLength", "ParseLen32Truncated", "ParseLen36Corrupted", "UUID_New", "UUID_NewPooled",
    "UUIDs_Strings", "Validate/canonical", "Validate/braced", "Scan/text", "Scan/binary",
)  # fmt: skip
JAVA_METHODS = (
    "StringSubstitutor.replace(String)", "StrBuilder.append(String)", "StrBuilder.append(char[])",
    "similarity.LevenshteinDistance.apply(CharSequence,CharSequence)", "WordUtils.capitalize",
    "StringEscapeUtils.escapeHtml4", "similarity.JaroWinklerSimilarity.apply",
    "translate.AggregateTranslator.translate(CharSequence,int,Writer)", "TextStringBuilder.append",
)  # fmt: skip
JAVA_BENCHMARKS = (
    "jmh.LongestCommonSubsequencePerformance.testLCSLen1", "jmh.StringSubstitutorBench.replace",
    "jmh.LevenshteinBench.apply", "jmh.WordUtilsBench.capitalize", "jmh.EscapeBench.escape",
)  # fmt: skip
BUCKET_ENDS = ((0.05, Bucket.BELOW_5), (0.1, Bucket.BELOW_10), (0.25, Bucket.BELOW_25),
               (0.5, Bucket.BELOW_50), (float("inf"), Bucket.ABOVE_50))  # fmt: skip


@dataclass(frozen=True)
class Names:
    methods: tuple[str, ...]
    benchmarks: tuple[str, ...]


def go_names(methods: int, benchmarks: int) -> Names:
    package = "github.com/google/uuid."
    return Names(
        tuple(
            package + GO_METHODS[index % 20] + (f"Of{index // 20}" if index >= 20 else "")
            for index in range(methods)
        ),
        tuple(
            package
            + "Benchmark"
            + GO_BENCHMARKS[index % 17]
            + (f"/n={index // 17}" if index >= 17 else "")
            for index in range(benchmarks)
        ),
    )


def java_names(methods: int, benchmarks: int) -> Names:
    package = "org.apache.commons.text."
    return Names(
        tuple(
            package + (f"gen{index // 9}." if index >= 9 else "") + JAVA_METHODS[index % 9]
            for index in range(methods)
        ),
        tuple(
            package + JAVA_BENCHMARKS[index % 5] + (f"[size={index // 5}]" if index >= 5 else "")
            for index in range(benchmarks)
        ),
    )


def bucket(spread: float) -> Bucket:
    return next(name for end, name in BUCKET_ENDS if spread < end or end == float("inf"))


def pair(method: str, benchmark: str, share: float, rng: np.random.Generator) -> PairVerdict:
    plain = float(10 ** rng.uniform(-8, -5))
    noise = float(rng.uniform(0.002, 0.08))
    effect = share * SLOWDOWN
    half = 2.8 * noise / 15**0.5
    threshold = SLOWDOWN / 2
    outcome = Verdict.INCONCLUSIVE
    if effect - half > threshold:
        outcome = Verdict.DETECTED
    elif effect + half < threshold:
        outcome = Verdict.MISSED
    runs = tuple(
        PairRun(
            effect=effect * float(rng.normal(1, 0.02)),
            interval=(effect - half, effect + half),
            p=6e-5 if effect > half else 0.31,
            significant=effect > half,
            large=effect > threshold,
            reference=tuple(float(plain * x) for x in rng.normal(1, noise, 15)),
            slowed=tuple(float(plain * x) for x in rng.normal(1 + effect, noise, 15)),
        )
        for _ in range(2)
    )
    calls = float(rng.choice([1.0, 1.0, 16.0, 1000.0]))
    near_threshold = Caveat("near-threshold", "the interval of the effect contains the threshold")
    return pair_verdict_of(
        method=method,
        benchmark=benchmark,
        outcome=outcome,
        reach=ReachState.IN_LOOP,
        effect=runs[0].effect,
        interval=runs[0].interval,
        p=runs[0].p,
        threshold=threshold,
        achieved_slowdown=float(rng.normal(SLOWDOWN, 0.03)),
        method_seconds=plain * share / calls,
        calls_per_operation=calls,
        share=share,
        wait="work" if plain < 1e-6 else "spin",
        runs=runs,
        caveats=(near_threshold,) if outcome is Verdict.INCONCLUSIVE else (),
    )


def failed(method: str, benchmark: str, outcome: Verdict) -> PairVerdict:
    reason = {Verdict.TIMED_OUT: "ended by the watchdog after 60 s", Verdict.CRASHED: "exit code 2"}
    return pair_verdict_of(
        method=method,
        benchmark=benchmark,
        outcome=outcome,
        reach=ReachState.IN_LOOP,
        reason=reason.get(outcome),
    )


def pairs_of(names: Names, rng: np.random.Generator) -> tuple[PairVerdict, ...]:
    pairs = []
    for index, method in enumerate(names.methods):
        if index % 5 == 4 or index % 11 == 9 or not names.benchmarks:
            continue
        lost = index % 7 == 3
        count = min(len(names.benchmarks), int(rng.integers(1, 6)))
        for benchmark_index in sorted(rng.choice(len(names.benchmarks), count, replace=False)):
            share = float(rng.uniform(0.02, 0.3) if lost else rng.choice([0.97, 0.9, 0.5, 0.35]))
            verdict = pair(method, names.benchmarks[benchmark_index], share, rng)
            kind = int(rng.integers(0, 25))
            if kind < 3:
                ended = (Verdict.TIMED_OUT, Verdict.CRASHED, Verdict.DEAD_CODE)[kind]
                verdict = failed(method, names.benchmarks[benchmark_index], ended)
            pairs.append(verdict)
    return tuple(pairs)


def method_of(index: int, method: str, pairs: tuple[PairVerdict, ...]) -> MethodVerdict:
    verdicts = [verdict for verdict in pairs if verdict.method == method]
    outcomes = {verdict.outcome for verdict in verdicts}
    order = (
        Verdict.DETECTED,
        Verdict.INCONCLUSIVE,
        Verdict.TIMED_OUT,
        Verdict.CRASHED,
        Verdict.MISSED,
    )
    outcome = next((candidate for candidate in order if candidate in outcomes), Verdict.MISSED)
    if not verdicts:
        outcome = Verdict.REFUSED if index % 11 == 9 else Verdict.UNREACHED
    return method_verdict_of(
        id=method,
        outcome=outcome,
        detected_by=tuple(
            verdict.benchmark for verdict in verdicts if verdict.outcome is Verdict.DETECTED
        ),
        reached_by=tuple(verdict.benchmark for verdict in verdicts),
        calls=int(120_000 / (index + 1) ** 1.4) + 3,
        span=Span("uuid.go", 40 + 12 * index, 47 + 12 * index),
        reason="the body is empty" if outcome is Verdict.REFUSED else None,
    )


def benchmark_of(
    index: int, benchmark: str, methods: tuple[MethodVerdict, ...], rng: np.random.Generator
) -> BenchmarkVerdict:
    verdicts = [method for method in methods if benchmark in method.detected_by]
    base = float(10 ** rng.uniform(-8, -4))
    means = tuple(float(x) for x in base * rng.normal(1, 10 ** rng.uniform(-2.7, -0.9), 5))
    if index % 13 == 12:
        return benchmark_verdict_of(
            id=benchmark, max_spread=None, bucket=None, means=means[:3], runs=3, seconds=4.1,
            ending="timed-out", reason="ended by the watchdog after 60 s in run 4",
            caveats=(Caveat("incomplete", "measured in 3 of 5 runs"),),
        )  # fmt: skip
    spread = (max(means) - min(means)) / (sum(means) / len(means))
    return benchmark_verdict_of(
        id=benchmark,
        max_spread=spread,
        bucket=bucket(spread),
        visible=float("inf") if index % 17 == 16 else 0.4 * spread,
        means=means,
        runs=5,
        seconds=float(rng.uniform(2, 6)),
        unique=tuple(verdict.id for verdict in verdicts if len(verdict.detected_by) == 1),
        shared=tuple(verdict.id for verdict in verdicts if len(verdict.detected_by) > 1),
    )


def stability_of(benchmarks: tuple[BenchmarkVerdict, ...]) -> Stability:
    verdicts = [benchmark for benchmark in benchmarks if benchmark.bucket is not None]
    counts = [(name, sum(verdict.bucket is name for verdict in verdicts)) for name in Bucket]
    return Stability(
        benchmarks=benchmarks,
        buckets=tuple(
            BucketCount(name, n, 100 * n / len(verdicts) if verdicts else 0.0) for name, n in counts
        ),
        suite_seconds=(126.2, 127.9, 125.5, 131.0) if benchmarks else (),
        runs=5,
        duration=Duration(mean=127.65, sd=2.45, limit=7200.0) if benchmarks else None,
    )


def score_of(methods: tuple[MethodVerdict, ...], excluded: tuple[str, ...]) -> Score:
    counted = [
        method for method in methods if method.outcome not in {Verdict.REFUSED, Verdict.INVALID}
    ]
    covered = sum(bool(set(verdict.detected_by) - set(excluded)) for verdict in counted)
    may = sum(
        verdict.outcome in {Verdict.INCONCLUSIVE, Verdict.CRASHED, Verdict.TIMED_OUT}
        for verdict in counted
    )
    n = len(counted)
    return Score(
        percent=100 * covered / n if n else None,
        bounds=(100 * covered / n, 100 * (covered + may) / n) if n else None,
        covered=covered,
        counted=n,
        excluded_benchmarks=excluded,
    )


def cover_of(methods: tuple[MethodVerdict, ...]) -> Cover:
    left = {verdict.id: set(verdict.detected_by) for verdict in methods if verdict.detected_by}
    chosen_benchmarks: list[str] = []
    while left:
        benchmarks = sorted({name for detecting in left.values() for name in detecting})
        best = max(
            benchmarks, key=lambda name: sum(name in detecting for detecting in left.values())
        )
        chosen_benchmarks.append(best)
        left = {method: detecting for method, detecting in left.items() if best not in detecting}
    return Cover(
        benchmarks=tuple(chosen_benchmarks),
        minimum=max(0, len(chosen_benchmarks) - 1),
        exact=not chosen_benchmarks,
    )


def density_of(methods: tuple[MethodVerdict, ...]) -> tuple[Density, ...]:
    counted = [
        method for method in methods if method.outcome not in {Verdict.REFUSED, Verdict.INVALID}
    ]
    numbers = [len(verdict.detected_by) for verdict in counted]
    return tuple(
        Density(n, numbers.count(n), 100 * numbers.count(n) / len(numbers))
        for n in sorted(set(numbers))
    )


def curve_of(methods: tuple[MethodVerdict, ...]) -> DetectionCurve:
    sizes = (0.05, 0.1, 0.2, 0.6)
    least = {
        verdict.id: sizes[index % 3]
        for index, verdict in enumerate(methods)
        if verdict.outcome is Verdict.DETECTED
    }
    counted = sum(method.outcome not in {Verdict.REFUSED, Verdict.INVALID} for method in methods)
    return DetectionCurve(
        pairs=tuple(
            PairCurve(
                method=method.id,
                benchmark=method.detected_by[0],
                slowdown=least[method.id],
                unnoticed=0.05 if least[method.id] > 0.05 else None,
                steps=(
                    CurveStep(
                        slowdown=0.6,
                        outcome=Verdict.DETECTED,
                        effect=None,
                        interval=None,
                        threshold=None,
                        achieved_slowdown=None,
                        reason=None,
                    ),
                ),
            )
            for method in methods
            if method.id in least
        ),
        points=tuple(
            CurvePoint(size, sum(value <= size for value in least.values()), counted)
            for size in sizes
        ),
    )


@cache
def audit(*, methods: int = 14, benchmarks: int = 30, java: bool = False) -> AbsVerdict:
    names = (java_names if java else go_names)(methods, benchmarks)
    rng = np.random.default_rng(7)
    pairs = pairs_of(names, rng)
    judged = tuple(method_of(index, name, pairs) for index, name in enumerate(names.methods))
    suite = tuple(benchmark_of(index, n, judged, rng) for index, n in enumerate(names.benchmarks))
    spreads = sorted(
        (verdict.max_spread, verdict.id) for verdict in suite if verdict.max_spread is not None
    )
    worst = tuple(name for _, name in spreads[round(0.95 * len(spreads)) :])
    above = tuple(verdict.id for verdict in suite if verdict.bucket is Bucket.ABOVE_50)
    total = score_of(judged, ())
    return AbsVerdict(
        slowdown=SLOWDOWN,
        slowdown_source="fixed",
        rule=DetectionRule.OURS,
        total=total,
        relative=score_of(judged, worst),
        absolute=score_of(judged, above),
        whole_list=None,
        methods=judged,
        pairs=pairs,
        stability=stability_of(suite),
        cover=cover_of(judged),
        density=density_of(judged),
        density_curve=cover.build_density_curve(
            {
                method.id: set(method.detected_by)
                for method in judged
                if method.outcome not in NOT_COUNTED
            }
        ),
        curve=curve_of(judged),
        controls=Controls(judged=11, alarms=(), bound=0.238, effects=(0.001, -0.002, 0.004)),
        rules=(
            RuleCount("test only", min(total.counted, total.covered + 2)),
            RuleCount("effect only", min(total.counted, total.covered + 1)),
            RuleCount("both", total.covered),
        ),
        caveats=(
            Caveat("one-host", "all was measured on one machine; another may answer otherwise"),
            Caveat("governor-unknown", "the frequency governor of the processor cannot be read"),
        ),
    )


def nothing() -> AbsVerdict:
    """No methods, no benchmarks: everything that can be None is."""
    return replace(audit(methods=0, benchmarks=0), slowdown=float("nan"), rules=(), caveats=())


def all_crashed() -> AbsVerdict:
    names = go_names(3, 2)
    pairs = tuple(failed(m, b, Verdict.CRASHED) for m in names.methods for b in names.benchmarks)
    methods = tuple(
        method_verdict_of(id=method, outcome=Verdict.CRASHED, reached_by=names.benchmarks)
        for method in names.methods
    )
    suite = tuple(
        benchmark_verdict_of(
            id=benchmark, max_spread=None, bucket=None, means=(), runs=0, seconds=None,
            ending="crashed", reason="exit code 2: panic: no such file",
        )
        for benchmark in names.benchmarks
    )  # fmt: skip
    zero = Score(percent=0.0, bounds=(0.0, 100.0), covered=0, counted=3, excluded_benchmarks=())
    return replace(
        nothing(), slowdown=SLOWDOWN, total=zero, relative=zero, absolute=zero, methods=methods,
        pairs=pairs, stability=replace(stability_of(suite), suite_seconds=(), duration=None),
    )  # fmt: skip


def hostile(name: str) -> AbsVerdict:
    """A finished audit in which everything that has a name is called `name`."""
    finished = audit()
    caveat = Caveat(name, name)
    return replace(
        finished,
        methods=tuple(
            replace(method, id=name + method.id, reason=name) for method in finished.methods
        ),
        pairs=tuple(
            replace(
                verdict,
                method=name + verdict.method,
                benchmark=name + verdict.benchmark,
                reason=name,
            )
            for verdict in finished.pairs
        ),
        stability=replace(
            finished.stability,
            benchmarks=tuple(
                replace(benchmark, id=name + benchmark.id, reason=name, caveats=(caveat,))
                for benchmark in finished.stability.benchmarks
            ),
        ),
        cover=replace(
            finished.cover, benchmarks=tuple(name + n for n in finished.cover.benchmarks)
        ),
        caveats=(caveat,),
    )


def context(**changes: object) -> Context:
    usual = Context(
        subject="github.com/google/uuid",
        revision="v1.6.0",
        language="go",
        harness="go",
        host="build-7",
        host_facts=(
            ("aslr", "on"), ("cores", "2"), ("cpu", "AMD EPYC 7B13"), ("governor", "unknown"),
            ("kernel", "6.1.0-28-amd64"), ("memory", "8 GiB"),
        ),
        seed=1,
        plan=Plan(forks=1, warmup=10, iterations=15, iteration_seconds=0.05),
        runs=2,
        stability_runs=5,
        wait="auto",
        versions=(("go", "go1.23.4"), ("git", "2.39.5"), ("python", "3.11.2")),
        version="0.1.0",
        command="bench-audit abs uuid.json",
        config='{\n  "subject": "go:github.com/google/uuid@v1.6.0",\n  "slowdown": 0.6\n}',
        started="2026-03-02T10:11:12Z",
        ended="2026-03-02T10:19:40Z",
    )  # fmt: skip
    return replace(usual, **changes)


def allocated(verdict: AbsVerdict) -> AbsVerdict:
    """Add allocations to a verdict: shown, hidden and undecided in turn."""
    outcomes = (Verdict.DETECTED, Verdict.MISSED, Verdict.INCONCLUSIVE)
    called = [
        pair_verdict
        for pair_verdict in verdict.pairs
        if pair_verdict.outcome is not Verdict.UNREACHED
    ]
    pairs = tuple(
        AllocationPair(
            method=pair_verdict.method,
            benchmark=pair_verdict.benchmark,
            outcome=outcomes[index % 3],
            unit="allocs/op",
            before=float(index),
            after=float(index + (index % 3 == 0)),
            rise=float(index % 3 == 0),
            interval=(0.0, 1.0),
            expected=1.0,
            calls_per_operation=1.0,
            plain=None,
            reason=None if index % 3 == 0 else "<b>what is reported</b> does not rise",
        )
        for index, pair_verdict in enumerate(called)
    )
    methods = tuple(MethodData(method=_method(method.id)) for method in verdict.methods)
    return replace(verdict, allocations=allocations.judge_allocations(64, methods, pairs))


def _method(name: str) -> Method:
    owner, _, last = name.rpartition(".")
    return Method(language=Language.GO, id=name, owner=owner, name=last, parameters=())


def in_set_up() -> AbsVerdict:
    """A finished audit in which one method that nobody calls is called in set-up."""
    finished = audit()
    set_up_method = next(
        method for method in finished.methods if method.outcome is Verdict.UNREACHED
    )
    benchmark = finished.stability.benchmarks[0].id
    method_verdict = replace(
        set_up_method, set_up_in=(benchmark,), reason="called in set-up only, by 1 benchmark"
    )
    verdict = pair_verdict_of(
        method=set_up_method.id,
        benchmark=benchmark,
        outcome=Verdict.UNREACHED,
        reach=ReachState.SET_UP_ONLY,
        reason="in set-up only",
    )
    methods = tuple(
        method_verdict if method is set_up_method else method for method in finished.methods
    )
    return replace(finished, methods=methods, pairs=(*finished.pairs, verdict))
