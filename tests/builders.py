"""Plain functions that make data for tests; what a test does not name has a dull default."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass, replace
from typing import Any

import msgspec

from auditor.abs.model import MethodVerdict, PairVerdict
from auditor.core.jobs import HostFacts
from auditor.core.mutant import Delay, InjectionKind, Variant, VariantKind
from auditor.core.outcome import Counted, Crashed, Measured, Outcome, TimedOut, Window
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.provenance import Context
from auditor.core.request import AbsRequest, DetectionRule, Plan, SuiteRequest
from auditor.core.result import ReachState, Verdict
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.stability import BenchmarkVerdict, Stability
from auditor.core.subject import Language, Method
from auditor.core.suite import Benchmark
from auditor.core.values import CLOCK_COST, METHOD_CALLS, METHOD_TIME, OPERATIONS, TIME, Series

HOST = HostFacts("here", (("cores", "2"),))


def benchmark(name: str = "BenchmarkPush", *, threads: int = 1, concurrency: int = 1) -> Benchmark:
    return Benchmark(group="example.org/ring", name=name, threads=threads, concurrency=concurrency)


def method(name: str = "Push", *, refusal: str | None = None) -> Method:
    return Method(
        language=Language.GO,
        id=f"example.org/ring.{name}",
        owner="example.org/ring",
        name=name,
        parameters=(),
        refusal=refusal,
    )


def series(
    values: Iterable[float], arm: ArmName = ArmName.PLAIN, metric: str = TIME, *, first: int = 0
) -> Series:
    numbered_values = [(first + 2 * index, value) for index, value in enumerate(values)]
    return Series.from_values(metric, "s/op", arm, Phase.MEASUREMENT, numbered_values)


def schedule(arms: Sequence[Arm] = (Arm(ArmName.PLAIN),)) -> Schedule:
    blocks = tuple(Block(Phase.MEASUREMENT, index) for index in range(len(arms)))
    return Schedule(arms=tuple(arms), blocks=blocks, seconds=0.05)


def run(
    outcome: Outcome,
    *,
    purpose: Purpose = Purpose.SUITE,
    of_benchmark: Benchmark | None = None,
    repetition: int = 1,
    fork: int = 1,
    arms: Sequence[Arm] = (Arm(ArmName.PLAIN),),
    seconds: float = 1.0,
    host: HostFacts = HOST,
) -> Run:
    trial = Trial(
        subject="digest",
        purpose=purpose,
        variant=Variant(VariantKind.PLAIN),
        benchmark=of_benchmark or benchmark(),
        schedule=schedule(arms),
        repetition=repetition,
        fork=fork,
        seed=1,
        timeout_seconds=60.0,
    )
    return Run(
        trial=trial, host=host, outcome=outcome, started="2026-01-01T00:00:00Z", seconds=seconds
    )


def suite_run(values: Iterable[float], **more) -> Run:
    return run(Measured((series(values),)), **more)


def suite_runs(runs: Iterable[Iterable[float]], **more) -> tuple[Run, ...]:
    return tuple(
        suite_run(values, repetition=number, **more) for number, values in enumerate(runs, 1)
    )


def pair_run(
    probe: Iterable[float],
    slowed: Iterable[float],
    *,
    plain: Iterable[float] = (),
    wait: InjectionKind = InjectionKind.WORK,
    number: float = 100,
    **more,
) -> Run:
    """Return a process of a pair; with `plain` blocks beside the others where some are given."""
    arms = (Arm(ArmName.PROBE, Delay(wait, 0)), Arm(ArmName.SLOWED, Delay(wait, number)))
    block_series = (series(probe, ArmName.PROBE), series(slowed, ArmName.SLOWED, first=1))
    plain_values = tuple(plain)
    if plain_values:
        arms += (Arm(ArmName.PLAIN),)
        block_series += (series(plain_values, ArmName.PLAIN, first=2),)
    return run(Measured(block_series), purpose=Purpose.PAIRS, arms=arms, **more)


def mutant_run(values: Iterable[float], **more) -> Run:
    arms = (Arm(ArmName.SLOWED, Delay(InjectionKind.SLEEP, 0.6)),)
    outcome = Measured((series(values, ArmName.SLOWED),))
    return run(outcome, purpose=Purpose.MUTANT, arms=arms, **more)


def calibration_run(
    *,
    probe: float,
    slowed: float,
    turns: float,
    method_seconds: float,
    clock_cost: float = 0.0,
    calls: float = 1.0,
    blocks: int = 6,
    **more,
) -> Run:
    operations = 1000.0
    spent = (method_seconds + clock_cost) * calls * operations
    clocked = {
        METHOD_CALLS: calls * operations,
        METHOD_TIME: spent,
        CLOCK_COST: clock_cost,
        OPERATIONS: operations,
    }
    measured = [
        series([probe] * blocks, ArmName.PROBE),
        series([slowed] * blocks, ArmName.SLOWED, first=1),
        *(series([value] * blocks, ArmName.CLOCKED, name) for name, value in clocked.items()),
    ]
    arms = (
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, turns)),
        Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)),
    )
    return run(Measured(tuple(measured)), purpose=Purpose.CALIBRATION, arms=arms, **more)


def window(operations: int, calls: Mapping[str, int], nested: Sequence[str] = ()) -> Window:
    return Window(operations, tuple(sorted(calls.items())), tuple(nested))


def counted(
    *windows: Window,
    outside: Mapping[str, int] | None = None,
    set_up_apart: bool = False,
    in_one_call: bool = False,
) -> Counted:
    return Counted(
        windows, tuple(sorted((outside or {}).items())), set_up_apart, in_one_call=in_one_call
    )


def crashed(exit_code: int = 2, tail: str = "panic: no") -> Crashed:
    return Crashed(exit_code, tail)


def timed_out(after_seconds: float = 60.0) -> TimedOut:
    return TimedOut(after_seconds, "still running")


def replace_fields(value: Any, **changes: Any) -> Any:
    """Return a document, or a part of one, with other fields."""
    change = replace if is_dataclass(value) else msgspec.structs.replace
    return change(value, **changes)


def pair_verdict_of(**fields: Any) -> PairVerdict:
    """Return a pair of which nothing is known but its `fields`."""
    numbers = (
        "effect", "interval", "p", "threshold", "achieved_slowdown", "method_seconds",
        "calls_per_operation", "share", "wait", "reason",
    )  # fmt: skip
    nothing = dict.fromkeys(numbers) | {"reach": ReachState.UNKNOWN, "runs": (), "caveats": ()}
    return PairVerdict(**(nothing | fields))


def method_verdict_of(**fields: Any) -> MethodVerdict:
    """Return a method of which nothing is known but its `fields`."""
    lists = dict.fromkeys(("detected_by", "reached_by", "set_up_in", "caveats"), ())
    nothing = lists | dict.fromkeys(("calls", "span", "reason"))
    return MethodVerdict(**(nothing | fields))


def benchmark_verdict_of(**fields: Any) -> BenchmarkVerdict:
    """Return a measured benchmark that detects nothing but what its `fields` say."""
    nothing = {"unique": (), "shared": (), "ending": "measured", "reason": None, "caveats": ()}
    return BenchmarkVerdict(**(nothing | fields))


def pair_verdict(
    method_name: str = "Push",
    benchmark_name: str = "BenchmarkPush",
    outcome: Verdict = Verdict.DETECTED,
    **more,
) -> PairVerdict:
    called = ReachState.NOT_AT_ALL if outcome is Verdict.UNREACHED else ReachState.IN_LOOP
    values = {
        "method": method(method_name).id,
        "benchmark": benchmark(benchmark_name).id,
        "reach": called,
    }
    return pair_verdict_of(outcome=outcome, **(values | more))


def benchmark_verdict(name: str, max_spread: float | None = 0.01) -> BenchmarkVerdict:
    means = () if max_spread is None else (1e-6,)
    return benchmark_verdict_of(
        id=benchmark(name).id,
        max_spread=max_spread,
        bucket=None,
        means=means,
        runs=5 if means else 0,
        seconds=1.0,
    )


def stability(benchmarks: Sequence[BenchmarkVerdict]) -> Stability:
    return Stability(benchmarks=tuple(benchmarks), buckets=(), suite_seconds=(), runs=5)


def abs_request(*, forks: int = 1, iterations: int = 12, **changes: Any) -> AbsRequest:
    """Return what an audit asks, by delays alone; `changes` are its own fields."""
    suite = SuiteRequest(
        benchmarks="",
        plan=Plan(forks=forks, warmup=2, iterations=iterations, iteration_seconds=0.01),
        stability_runs=5,
        timeout_seconds=10.0,
        budget_seconds=None,
        seed=1,
    )
    default_request = AbsRequest(
        suite=suite,
        methods=None,
        runs=2,
        slowdown=0.6,
        wait=None,
        rule=DetectionRule.OURS,
        exact=False,
        shares=False,
    )
    return replace(default_request, **changes)


CONTEXT = Context(
    subject="ring",
    revision="v1",
    language="go",
    harness="go",
    host="abc",
    host_facts=(("cores", "2"),),
    seed=1,
    plan=Plan(forks=1, warmup=10, iterations=15, iteration_seconds=0.05),
    runs=2,
    stability_runs=5,
    wait="auto",
    versions=(("go", "1.22"),),
    version="1.0",
    command="bench-audit abs .",
    config="{}",
    started="2026-01-02T03:04:05Z",
    ended="2026-01-02T03:05:05Z",
)
