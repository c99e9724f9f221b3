"""Domain values as rows, and back where they are read again: what goes in comes out equal."""

import json
from dataclasses import asdict, astuple
from typing import Any, TypedDict, assert_never

import msgspec

from auditor.core.jobs import HostFacts, HostInterference
from auditor.core.mutant import Delay, InjectionKind
from auditor.core.outcome import (
    Counted,
    Crashed,
    Ending,
    Exhausted,
    Frame,
    Measured,
    MethodCalls,
    MethodClock,
    NeverCalled,
    NotBuilt,
    Outcome,
    Profiled,
    Skipped,
    Stack,
    TimedOut,
    Traced,
    Unreadable,
    Window,
    find_ending,
)
from auditor.core.plan import Trial
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.stop_rules import Criterion, StoppingRule, WarmupResult
from auditor.core.subject import Project
from auditor.core.suite import Benchmark, IterationSettings, Suite
from auditor.core.values import Series

Pairs = tuple[tuple[str, str], ...]
SeriesRow = tuple[str, str, str, str, bytes, bytes]


def dump_json(value: object) -> str:
    """Return JSON text that two equal values share."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def pairs_from_row(text: str) -> Pairs:
    """Read [[key, value], ...]."""
    return tuple((str(key), str(value)) for key, value in json.loads(text))


def project_to_row(project: Project) -> tuple[str, ...]:
    """Return what a reader of the file wants to know of a project."""
    return (
        project.digest,
        project.name,
        project.revision,
        project.language,
        project.harness,
        dump_json(project.options),
    )


def suite_to_row(suite: Suite) -> str:
    """Return the listing of a suite; its sources are left out."""
    benchmarks = [
        {
            "group": benchmark.group,
            "name": benchmark.name,
            "parameters": benchmark.parameters,
            "threads": benchmark.threads,
            "concurrency": benchmark.concurrency,
            "block_seconds": benchmark.block_seconds,
            "fixed_length_reason": benchmark.fixed_length_reason,
            "configured": benchmark.configured and asdict(benchmark.configured),
            "notes": benchmark.notes,
            "settings": benchmark.settings,
        }
        for benchmark in suite.benchmarks
    ]
    return dump_json({"benchmarks": benchmarks, "unusable": suite.unusable})


def suite_from_row(text: str) -> Suite:
    """Read a listing."""
    listing = json.loads(text)
    benchmarks = tuple(_parse_benchmark(benchmark) for benchmark in listing["benchmarks"])
    return Suite(benchmarks, (), _parse_pairs(listing["unusable"]))


def _parse_benchmark(row: dict[str, Any]) -> Benchmark:
    """Read a benchmark; rows of older programs have no notes, nor what is configured."""
    configured = row.get("configured")
    typed = {
        "parameters": _parse_pairs(row["parameters"]),
        "notes": tuple(row.get("notes", ())),
        "configured": configured and IterationSettings(**configured),
    }
    return Benchmark(**(row | typed))


def schedule_to_row(schedule: Schedule) -> str:
    """Return a schedule as JSON."""
    arms = [
        (arm.name, arm.delay.wait, arm.delay.number) if arm.delay else (arm.name,)
        for arm in schedule.arms
    ]
    blocks = [(block.phase, block.arm) for block in schedule.blocks]
    rest = {"seconds": schedule.seconds, "operations": schedule.operations}
    slow = {"slow_seconds": schedule.slow_seconds} if schedule.slow_seconds else {}
    return dump_json({"arms": arms, "blocks": blocks, **rest, **slow})


def schedule_from_row(text: str) -> Schedule:
    """Read a schedule."""
    row = json.loads(text)
    return Schedule(
        arms=tuple(
            Arm(ArmName(name), Delay(InjectionKind(delay[0]), delay[1]) if delay else None)
            for name, *delay in row["arms"]
        ),
        blocks=tuple(Block(Phase(phase), arm) for phase, arm in row["blocks"]),
        seconds=row["seconds"],
        operations=row["operations"],
        slow_seconds=row.get("slow_seconds", 0.0),
    )


def trial_to_row(trial: Trial) -> tuple[str | int | None, ...]:
    """Return what identifies a trial. One way: the asker of `find` has the trial itself."""
    return (
        trial.id,
        trial.subject,
        trial.purpose,
        trial.variant.kind,
        dump_json([method.id for method in trial.variant.methods]),
        int(trial.variant.guarded),
        trial.overlay_digest,
        trial.benchmark.id if trial.benchmark else None,
        schedule_to_row(trial.schedule),
        trial.repetition,
        trial.fork,
        trial.seed,
        trial.layout,
        watch_to_row(trial.watch),
        trial.tests,
        int(trial.rough),
    )


def watch_to_row(watch: StoppingRule | None) -> str:
    """Return how a process is watched as JSON, nothing where it is not."""
    return "" if watch is None else dump_json(asdict(watch))


def watch_from_row(text: str) -> StoppingRule | None:
    """Read how a process is watched."""
    if not text:
        return None
    row = json.loads(text)
    return StoppingRule(**{**row, "method": Criterion(row["method"])})


class TrialChanges(TypedDict):
    """What trials that are alike differ in."""

    schedule: Schedule
    repetition: int
    fork: int
    seed: int
    rough: bool


def trial_changes(row: tuple[str, int, int, int, int]) -> TrialChanges:
    """Read what a trial does not share with one that is alike."""
    schedule, repetition, fork, seed, rough = row
    return TrialChanges(
        schedule=schedule_from_row(schedule),
        repetition=repetition,
        fork=fork,
        seed=seed,
        rough=bool(rough),
    )


def host_to_row(host: HostFacts) -> str:
    """Return the facts as JSON."""
    return dump_json({"name": host.name, "facts": host.facts})


def host_from_row(text: str) -> HostFacts:
    """Read the facts."""
    row = json.loads(text)
    return HostFacts(row["name"], _parse_pairs(row["facts"]))


def strain_to_row(strain: HostInterference) -> str:
    """Return what is known of it; '' for nothing."""
    shares = {key: value for key, value in asdict(strain).items() if value is not None}
    return dump_json(shares) if shares else ""


def strain_from_row(text: str) -> HostInterference:
    """Return what `strain_to_row` wrote; raises ValueError, KeyError or TypeError."""
    return HostInterference(**json.loads(text)) if text else HostInterference()


def series_to_row(series: Series) -> SeriesRow:
    """Return a series as columns."""
    return (
        series.metric,
        series.unit,
        series.arm,
        series.phase,
        series.packed,
        series.positions,
    )


def series_from_row(row: SeriesRow) -> Series:
    """Read a series."""
    metric, unit, arm, phase, packed, positions = row
    return Series(
        metric=metric,
        unit=unit,
        arm=ArmName(arm),
        phase=Phase(phase),
        packed=packed,
        positions=positions,
    )


def outcome_to_row(outcome: Outcome) -> tuple[str, str]:
    """Return the word for an outcome and its payload as JSON, series apart."""
    return find_ending(outcome), dump_json(_make_payload(outcome))


def _make_payload(outcome: Outcome) -> dict[str, Any]:
    match outcome:
        case Measured():
            return {} if outcome.warmed is None else {"warmed": asdict(outcome.warmed)}
        case Counted(windows, outside, set_up_apart, missing, in_one_call, clocked, shares):
            window_rows = [(window.operations, window.calls, window.nested) for window in windows]
            fields = {"windows": window_rows, "outside": outside, "set_up_apart": set_up_apart}
            times = [astuple(method_clock) for method_clock in clocked]
            return {
                **fields,
                "missing": missing,
                "in_one_call": in_one_call,
                "clocked": times,
                "library_shares": shares,
            }
        case (
            Traced() | Profiled() | Skipped() | TimedOut() | Crashed() | Exhausted() | Unreadable()
            | NeverCalled() | NotBuilt()
        ):  # fmt: skip
            return asdict(outcome)
        case _:
            assert_never(outcome)


_WITHOUT_STRUCTURE: dict[
    Ending, type[Skipped | TimedOut | Crashed | Exhausted | Unreadable | NeverCalled | NotBuilt]
] = {
    Ending.SKIPPED: Skipped,
    Ending.TIMED_OUT: TimedOut,
    Ending.CRASHED: Crashed,
    Ending.EXHAUSTED: Exhausted,
    Ending.UNREADABLE: Unreadable,
    Ending.NEVER_CALLED: NeverCalled,
    Ending.NOT_BUILT: NotBuilt,
}


def outcome_from_row(word: str, payload: str, series: tuple[Series, ...]) -> Outcome:
    """Read an outcome; `series` are those of its run."""
    kind = Ending(word)
    if kind is Ending.COUNTED:
        return _parse_counted(payload)
    row = json.loads(payload)
    if kind is Ending.MEASURED:
        warmed = row.get("warmed")
        return Measured(series, _parse_warmup(warmed) if warmed else None)
    if kind is Ending.TRACED:
        calls = tuple(_parse_calls(call) for call in row["calls"])
        return Traced(**{**row, "calls": calls})
    if kind is Ending.PROFILED:
        return _parse_profile(row)
    return _WITHOUT_STRUCTURE[kind](**row)


def _parse_profile(row: dict[str, Any]) -> Profiled:
    stacks = (Stack(**{**stack, "frames": tuple(stack["frames"])}) for stack in row["stacks"])
    typed = {
        "frames": tuple(Frame(**frame) for frame in row["frames"]),
        "stacks": tuple(stacks),
        "code": tuple(Frame(**code_frame) for code_frame in row["code"]),
    }
    return Profiled(**{**row, **typed})


def _parse_warmup(row: dict[str, Any]) -> WarmupResult:
    return WarmupResult(**{**row, "method": Criterion(row["method"])})


def _parse_calls(row: dict[str, Any]) -> MethodCalls:
    return MethodCalls(**{**row, "arguments": tuple(map(tuple, row["arguments"]))})


def _parse_pairs(rows: list[list[str]]) -> Pairs:
    return tuple((key, value) for key, value in rows)


_Counts = tuple[tuple[str, int], ...]


class _CountedRow(msgspec.Struct):
    """A payload of counts, with the meaning of `Counted`.

    It has a number for each of many methods, so it is decoded by its types. Old rows lack those
    fields that have a default.
    """

    windows: tuple[tuple[int, _Counts, tuple[str, ...]], ...]
    """The fields of a `Window`."""
    outside: _Counts
    """Calls of set-up code."""
    set_up_apart: bool
    """Whether the windows lack these calls."""
    missing: str = ""
    """Whose calls may be missing."""
    in_one_call: bool = False
    """Whether a call of the harness held all blocks."""
    clocked: tuple[tuple[str, float, float], ...] = ()
    """The fields of a `MethodClock`."""
    library_shares: tuple[tuple[str, float], ...] = ()
    """Shares of the calls that the library itself made."""


_COUNTED_DECODER = msgspec.json.Decoder(_CountedRow)


def _parse_counted(payload: str) -> Counted:
    try:
        row = _COUNTED_DECODER.decode(payload)
    except msgspec.MsgspecError as error:
        raise ValueError(f"not a row of counts: {error}") from error
    return Counted(
        windows=tuple(Window(*window) for window in row.windows),
        outside=row.outside,
        set_up_apart=row.set_up_apart,
        missing=row.missing,
        in_one_call=row.in_one_call,
        clocked=tuple(MethodClock(*clock_row) for clock_row in row.clocked),
        library_shares=row.library_shares,
    )
