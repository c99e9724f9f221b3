"""A language of words whose machine does what its table says: all parts of a study, in memory.

A benchmark is a word, too. What it takes is made up from the truth below; nothing is started.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

import numpy as np
from builders import HOST, abs_request, crashed, timed_out
from toy_draws import draw_seed

from auditor.core.errors import OutOfTime
from auditor.core.mutant import InjectionKind, Overlay, OverlayFile, OverlayRefusal, VariantKind
from auditor.core.outcome import (
    Counted,
    Frame,
    Measured,
    MethodClock,
    NeverCalled,
    NotBuilt,
    Profiled,
    Stack,
    Window,
)
from auditor.core.plan import Layouts, Purpose, Run
from auditor.core.schedule import ArmName, Phase
from auditor.core.subject import Language, Method, Project
from auditor.core.suite import Benchmark, Suite
from auditor.core.values import (
    ALLOCATED,
    ALLOCATIONS,
    CLOCK_COST,
    METHOD_CALLS,
    METHOD_TIME,
    OPERATIONS,
    TIME,
    WALL,
    Series,
)
from auditor.languages.python import PYTHON
from auditor.measure.context import Deadline, StudyContext

PLAIN_SECONDS, TURN_SECONDS, CLOCK_SECONDS = 5e-5, 1e-9, 3e-8
NOISE = 0.002
PAIR_TURNS = 1.0
"""How many times as long as a calibration shows a turn takes in a pair."""
HIDDEN_SECONDS = 0.0
"""What of each wait hides behind what the processor does at the same time."""
LEAK = 0.0
"""What a slowed block takes longer whatever it waits, as part of the plain time."""

SHARES: Mapping[tuple[str, str], float] = {
    ("hop", "quick"): 0.05,
    ("hop", "long"): 0.9,
    ("skip", "short"): 0.35,
    ("trip", "long"): 0.5,
    ("hang", "short"): 0.5,
    ("shy", "short"): 0.5,
    ("odd", "short"): 0.5,
    ("late", "short"): 0.5,
}
"""(method, benchmark): the share of the operation that is spent in the calls of the method."""
CALLS: Mapping[tuple[str, str], int] = {}
"""How many calls an operation makes, where it is not one."""
ALLOCATES: Mapping[str, float] = {}
"""Bytes that an operation of a benchmark allocates."""
CLOCKED: Mapping[tuple[str, str], float] = {}
"""The share that calls seem to have while they are counted."""
IN_ONE_CALL: frozenset[str] = frozenset()
"""The benchmarks of which one call of the harness's holds all blocks."""
KEPT_METHODS: frozenset[str] = frozenset()
"""The methods that stay beside their slowed version."""
SLOW_CLOCKS: Mapping[tuple[str, str], float] = {}
"""Where the guest tells more seconds of a clock reading than one takes."""
SAMPLES_A_SECOND = 240
"""Of a profile."""
SAMPLED: Mapping[tuple[str, str], float] = SHARES
"""The shares that samples show."""
UNPROFILED: frozenset[str] = frozenset()
"""The benchmarks that crash when they are profiled."""
UNCOUNTED = {("hop", "quick")}
"""Where what is reported does not tell of an allocation."""
SET_UP = {("still", "short")}
TESTED = {"hop", "skip"}
FAILURES = {"trip": crashed(), "hang": timed_out()}
METHODS = ("hop", "skip", "idle", "still", "trip", "hang", "mute", "shy", "odd", "late")
BENCHMARKS = ("short", "quick", "long")


class Words:
    """The Mutator: `mute` is refused at once, `shy` when it is to be slowed."""

    turn_seconds = 2e-9
    probe_seconds = 1e-9
    comment_prefix = b"#"

    def find_methods(self, sources):
        return tuple(
            Method(
                language=Language.JAVA,
                id=f"toy.{name}",
                owner="toy",
                name=name,
                parameters=(),
                refusal="it has no body" if name == "mute" else None,
                keeps_original=name in KEPT_METHODS,
            )
            for name in METHODS
        )

    def list_method_texts(self, sources):
        return {}

    def matches_name(self, requested_name, method):
        return requested_name in (method.id, method.name)

    def build_overlay(self, sources, variant):
        if variant.kind is VariantKind.DELAYED and variant.methods[0].name == "shy":
            return OverlayRefusal("it does not want to")
        text = " ".join((variant.kind, *(method.name for method in variant.methods)))
        return Overlay(files=(OverlayFile("toy", text.encode()),))


@dataclass
class Machine:
    """The Dispatcher and the Clock: every process takes a second of a clock of its own.

    Counting fails in the `uncounted` benchmarks, and with the `unbuilt` ones nothing compiles that
    is changed. `later` is how much longer everything takes once the suite has been run. `odd` never
    compiles, `late` not when it is to be slowed. The process at `cut` does not end in time. `moved`
    is by how much a layout, or another overlay, changes the time of a benchmark. `slower` is how
    many times as long a benchmark takes (subject, benchmark).
    """

    now_seconds: float = 0.0
    uncounted: frozenset[str] = frozenset()
    unbuilt: frozenset[str] = frozenset()
    later: float = 1.0
    cut: int | None = None
    moved: float = 0.0
    slower: Mapping[tuple[str, str], float] = field(default_factory=dict)
    ended_trials: list = field(default_factory=list)

    def monotonic(self):
        return self.now_seconds

    def now(self):
        return f"second {self.now_seconds:.0f}"

    def run_trials(self, trials):
        for trial in trials:
            if len(self.ended_trials) == self.cut:
                raise OutOfTime("too late")
            self.now_seconds += 1.0
            self.ended_trials.append(trial)
            outcome = self._outcome(trial)
            yield Run(trial=trial, host=HOST, outcome=outcome, started=self.now(), seconds=1.0)

    def _outcome(self, trial):
        early = trial.purpose in (Purpose.PILOT, Purpose.SUITE)
        plain = PLAIN_SECONDS * (1 if early else self.later) * _moved(trial, self.moved)
        benchmark_name = trial.benchmark.name if trial.benchmark else None
        plain *= self.slower.get((trial.subject, benchmark_name), 1.0)
        profiled = trial.purpose is Purpose.PROFILE
        outcome = _profiled(trial) if profiled else _outcome(trial, plain)
        if trial.variant.kind is not VariantKind.PLAIN and benchmark_name in self.unbuilt:
            return NotBuilt(f"{benchmark_name}: cannot be changed")
        return (
            crashed()
            if isinstance(outcome, Counted) and benchmark_name in self.uncounted
            else outcome
        )


def _moved(trial, deviation):
    """Return how many times as long it takes where the code of this binary happens to lie."""
    binary = repr((trial.benchmark, trial.overlay_digest, trial.layout))
    return float(np.exp(np.random.default_rng(crc32(binary.encode())).normal(0, deviation)))


def _outcome(trial, plain):
    names = {method.name for method in trial.variant.methods}
    if "odd" in names:
        return NotBuilt("odd: syntax error")
    if "late" in names and trial.variant.kind is VariantKind.DELAYED:
        return NotBuilt("late: declared twice\nand more")
    if trial.variant.kind is VariantKind.COUNTING:
        windows = tuple(_window(trial, names, operations) for operations in (11, 100))
        one_call = trial.benchmark is not None and trial.benchmark.name in IN_ONE_CALL
        return Counted(windows, in_one_call=one_call, clocked=_clocked(trial, names))
    for name in names & FAILURES.keys():
        return FAILURES[name]
    name = next(iter(names), "")
    key = (name, trial.benchmark.name)
    if name and key not in SHARES and key not in SET_UP:
        return NeverCalled()
    return _measured(trial, plain, SHARES.get(key, 0.0))


def _profiled(trial):
    """Return samples just as the shares say: who has the larger share calls."""
    name = trial.benchmark.name
    if name in UNPROFILED:
        return crashed()
    shares = {
        method: share
        for (method, benchmark_name), share in SAMPLED.items()
        if benchmark_name == name
    }
    rng = np.random.default_rng(draw_seed(trial))
    frames = [Frame(f"toy.{text}") for text in shares] + [Frame(f"toy.{name}")]
    measured = [
        index
        for index, block in enumerate(trial.schedule.blocks)
        if block.phase is Phase.MEASUREMENT
    ]
    stacks = []
    samples_per_block = round(SAMPLES_A_SECOND * trial.schedule.seconds)
    draws = rng.permutation(
        (np.arange(samples_per_block * len(measured)) + 0.5) / (samples_per_block * len(measured))
    )
    for block, block_draws in zip(
        measured, draws.reshape(len(measured), samples_per_block), strict=True
    ):
        for draw in block_draws:
            inside = [index for index, share in enumerate(shares.values()) if draw < share]
            stacks.append(Stack(block, (*inside, len(shares)), 1))
    seconds = len(measured) * trial.schedule.seconds
    return Profiled(
        frames=tuple(frames),
        stacks=tuple(stacks),
        unattributed=0,
        background=0,
        period_seconds=0.004,
        cpu_seconds=seconds,
        timed_seconds=seconds,
        operations=round(seconds / PLAIN_SECONDS),
    )


def _clocked(trial, names):
    return tuple(
        MethodClock(f"toy.{name}", CLOCKED[name, benchmark_name] * PLAIN_SECONDS, PLAIN_SECONDS)
        for name in sorted(names)
        for benchmark_name in [trial.benchmark and trial.benchmark.name]
        if (name, benchmark_name) in CLOCKED
    )


def _window(trial, names, operations):
    if trial.benchmark is None:
        return Window(0, tuple((f"toy.{name}", 1) for name in sorted(names & TESTED)))
    calls = {}
    for name in names:
        key = (name, trial.benchmark.name)
        call_count = CALLS.get(key, 1) if key in SHARES else 0
        calls[f"toy.{name}"] = operations * call_count + (key in SET_UP)
    return Window(operations, tuple(sorted(calls.items())))


def _measured(trial, plain, share):
    rng = np.random.default_rng(draw_seed(trial))
    series_values = {}
    for index, block in enumerate(trial.schedule.blocks):
        arm = trial.schedule.arms[block.arm]
        leak = LEAK * plain if arm.name is ArmName.SLOWED else 0.0
        calls = CALLS.get(_key(trial), 1) if trial.variant.methods else 0
        waits = _waited(arm.delay, share * plain, calls)
        if trial.purpose is Purpose.PAIRS and arm.delay and arm.delay.wait is InjectionKind.WORK:
            waits *= PAIR_TURNS
        seconds = plain + leak + waits
        values = {TIME: seconds * rng.normal(1, NOISE), OPERATIONS: 100.0} | _also(trial)
        if arm.name is ArmName.CLOCKED and share:
            clock_cost = SLOW_CLOCKS.get(_key(trial), CLOCK_SECONDS)
            spent = 100 * (share * plain + calls * CLOCK_SECONDS)
            values |= {METHOD_CALLS: 100.0 * calls, METHOD_TIME: spent, CLOCK_COST: clock_cost}
        if trial.purpose is Purpose.PILOT:  # no set-up in front of a block
            values |= {WALL: 100.0 * seconds}
        if trial.schedule.has_allocating_arm:
            has_allocation = arm.name is ArmName.ALLOCATING and _key(trial) not in UNCOUNTED
            values |= {METHOD_CALLS: 100.0, ALLOCATIONS: 5.0 + has_allocation}
        for metric, value in values.items():
            series_values.setdefault((metric, arm.name, block.phase), []).append((index, value))
        if trial.schedule.stop and _has_decided(trial.schedule.stop, series_values):
            break
    series = (
        Series.from_values(metric, "s/op", arm, phase, points)
        for (metric, arm, phase), points in series_values.items()
    )
    return Measured(tuple(series))


def _also(trial):
    """Return what a block tells of its benchmark besides the time."""
    name = trial.benchmark.name
    return {ALLOCATED: ALLOCATES[name]} if name in ALLOCATES else {}


def _has_decided(stop, series_values):
    """Tell whether a process ends here, as the guests do it."""
    pairs = [
        [value for _, value in series_values.get((TIME, arm, Phase.MEASUREMENT), ())]
        for arm in (ArmName.PROBE, ArmName.SLOWED)
    ]
    critical = dict(stop.looks).get(len(pairs[0]))
    if len(pairs[0]) != len(pairs[1]) or critical is None:
        return False
    ratios = np.log(pairs[1]) - np.log(pairs[0])
    error = max(ratios.std(ddof=1), stop.least_deviation) / np.sqrt(len(ratios))
    low, high = ratios.mean() - critical * error, ratios.mean() + critical * error
    return low > stop.above or high < stop.below or critical * error <= stop.enough


def _key(trial):
    return trial.variant.methods[0].name, trial.benchmark.name


def _waited(delay, inside, calls):
    if delay is None or not inside or delay.wait in (InjectionKind.CLOCK, InjectionKind.ALLOCATE):
        return 0.0
    if delay.wait is InjectionKind.WORK:
        return max(0.0, delay.number * TURN_SECONDS - HIDDEN_SECONDS) * calls
    return delay.number * inside


class Memory(dict):
    """The Store."""

    def add_run(self, run):
        stored_run = self.get(run.trial.id)
        self[run.trial.id] = run if stored_run is None or stored_run.is_transient else stored_run

    def find_run(self, trial):
        run = self.get(trial.id)
        return run if run and run.answers_trial(trial) else None

    def has_run(self, trial):
        return self.find_run(trial) is not None

    def find_similar_runs(self, trial):
        trial_key = alike_key(trial)
        return [
            run
            for run in self.values()
            if alike_key(run.trial) == trial_key and isinstance(run.outcome, Measured)
            if run.trial.rough <= trial.rough
        ]


def alike_key(trial):
    size = len(trial.schedule.blocks), trial.schedule.seconds
    return trial.purpose, trial.overlay, trial.benchmark, trial.layout, size


def blocks_done(run):
    """Return the blocks that a process ran, which are fewer than planned where it has decided."""
    if not getattr(run.outcome, "series", ()):
        return len(run.trial.schedule.blocks)
    positions = [position for series in run.outcome.series for position in series.block_positions]
    return max(positions) + 1


class Listener:
    """The Observer."""

    def __init__(self):
        self.phases, self.caveats, self.reused = [], [], 0

    def phase_started(self, name, trials, seconds):
        self.phases.append((name, trials))

    def trial_ended(self, run, *, reused):
        self.reused += reused

    def report_caveat(self, caveat):
        self.caveats.append(caveat)


def request(**changes):
    """Return what is asked; `budget` is in seconds."""
    budget = changes.pop("budget", None)
    suite = replace(abs_request().suite, stability_runs=3, budget_seconds=budget)
    return abs_request(**{"suite": suite, "methods": METHODS, **changes})


def parts(study_request, store=None, machine=None, layouts=Layouts.OF_PROCESS, digest="toy"):
    """Return the parts of a study of the toy, `digest` is of the revision."""
    machine = machine or Machine()
    budget = study_request.suite.budget_seconds
    benchmarks = tuple(Benchmark(group="toy", name=name) for name in BENCHMARKS)
    return StudyContext(
        project=Project(
            name="toy",
            revision=digest,
            language=Language.PYTHON,
            harness="toy",
            root=Path("/nowhere"),
            digest=digest,
            parts=(),
            environment=(),
        ),
        suite=Suite(benchmarks),
        request=study_request.suite,
        fixed_operations=True,
        one_processor=True,
        layouts=layouts,
        figures=PYTHON.figures,
        mutator=Words(),
        dispatcher=machine,
        store=Memory() if store is None else store,
        observer=Listener(),
        clock=machine,
        deadline=None if budget is None else Deadline(machine, budget),
    )
