"""How long processes take, learned while an audit runs."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from auditor.core.outcome import Measured
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.schedule import ArmName, Schedule
from auditor.core.suite import Benchmark
from auditor.core.values import OPERATIONS
from auditor.measure import readings

UNIT_TEST_SECONDS = 10.0
"""A guess at the subject's own unit tests: nothing is known of them before they have run."""
_PART_SECONDS = 2.0
"""A guess at a part of them, such as a package's."""
START_SECONDS = 0.5
"""A guess at the start of a process."""
_RECENT = 50
"""Processes of a purpose whose time tells that of the next one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFigures:
    """How many processes and how much time audits of a language have needed.

    `benchmarks/audit_figures.py` prints them from stores of audits. The defaults are those of Go:
    audits of google/uuid 1.6.0 and go-chi/chi 5.5.0 (20 methods, slowdown 0.6, defaults) on two
    cores with other load, 2026-11-28. The used part and the range are set so that audits of two
    more libraries (35 and 106 benchmarks, some six minutes each) lie within the range. No audit
    has confirmed them for other languages yet.
    """

    start_seconds: float
    """The time of a process beside its planned blocks."""
    build_seconds: float
    """The time in which the variant of a method is built."""
    pairs_per_benchmark: float = 1.7
    """Pairs in which a method is called, for each benchmark, of twenty methods."""
    calibrations: float = 1.3
    """Calibration processes for each pair."""
    pair_processes: float = 1.6
    """Processes that judge, for each pair."""
    further_processes: float = 0.9
    """Processes of controls and of the curve, for each pair."""
    used_part: float = 0.8
    """Part of their planned blocks that processes of pairs need: most end early."""
    result_seconds: float = 3.0
    """The time in which the result is judged and written."""
    low: float = 0.4
    """Fastest tenth of the measured times, relative to the expected ones."""
    high: float = 2.0
    """Slowest tenth of the measured times, relative to the expected ones."""


def schedule_seconds(schedule: Schedule) -> float:
    """Say roughly how long a schedule takes: its blocks, and the start of a process."""
    return START_SECONDS + len(schedule.blocks) * schedule.seconds


def expected_seconds(trial: Trial) -> float:
    """Say roughly how long a trial takes; of one that is watched, at most."""
    if trial.benchmark is None:
        return _PART_SECONDS if trial.tests else UNIT_TEST_SECONDS
    seconds = schedule_seconds(trial.schedule)
    return seconds if trial.watch is None else min(seconds, START_SECONDS + trial.watch.seconds)


class TrialTimes:
    """Expected times of trials, corrected by what the trials of an audit took so far.

    The plain process of a benchmark tells its operation's time and what precedes the first block.
    The processes of a purpose tell which part of their schedule they need.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._operation: dict[str, float] = {}
        """Seconds of a plain operation, by benchmark id."""
        self._start: dict[str, float] = {}
        """Seconds of a process beside its blocks, by benchmark id."""
        self._factors: defaultdict[Purpose, list[float]] = defaultdict(list)
        """Measured time / modelled time of the processes of a purpose, in their order."""

    @property
    def is_empty(self) -> bool:
        """Tell whether no plain process has told anything yet."""
        return not self._start

    def add_run(self, run: Run) -> None:
        """Learn from a process."""
        benchmark = run.trial.benchmark
        if benchmark is None or run.seconds <= 0:
            return
        if benchmark.id not in self._start:
            self._learn_benchmark(benchmark, run)
        model = self._model_seconds(run.trial)
        if model > 0:
            self._factors[run.trial.purpose].append(run.seconds / model)

    def estimate_seconds(self, trial: Trial) -> float:
        """Return how long a trial is likely to take."""
        if trial.benchmark is None or not self._start:
            return expected_seconds(trial)
        factors = self._factors.get(trial.purpose, [])[-_RECENT:]
        seconds = self._model_seconds(trial) * (median(factors) if factors else 1.0)
        return seconds if trial.watch is None else min(seconds, START_SECONDS + trial.watch.seconds)

    def start_seconds(self, benchmark: Benchmark) -> float:
        """Return what a process of a benchmark takes beside its blocks."""
        learned_seconds = self._start.get(benchmark.id)
        if learned_seconds is not None:
            return learned_seconds
        return median(self._start.values()) if self._start else START_SECONDS

    def block_seconds(self, benchmark: Benchmark, seconds: float, operations: int | None) -> float:
        """Return how long a block lasts that is planned with so many seconds."""
        operation = self._operation.get(benchmark.id)
        if operation is None:
            return seconds
        return operation * operations if operations is not None else max(seconds, operation)

    def _model_seconds(self, trial: Trial) -> float:
        """Return the time of the whole schedule, by what the benchmark's plain process took."""
        schedule, benchmark = trial.schedule, trial.benchmark
        if benchmark is None:
            return expected_seconds(trial)
        block = self.block_seconds(benchmark, schedule.seconds, schedule.operations)
        return self.start_seconds(benchmark) + len(schedule.blocks) * block

    def _learn_benchmark(self, benchmark: Benchmark, run: Run) -> None:
        """Learn from a plain process how long an operation and the start take."""
        times = readings.list_block_times(run, ArmName.PLAIN)
        if not times or not isinstance(run.outcome, Measured):
            return
        operation, blocks = median(times), len(run.trial.schedule.blocks)
        operation_series = run.outcome.find_series(OPERATIONS, ArmName.PLAIN)
        counts = operation_series.values if operation_series is not None else ()
        block = operation * median(counts) if counts else run.trial.schedule.seconds
        self._operation[benchmark.id] = operation
        self._start[benchmark.id] = max(0.0, run.seconds - blocks * block)
