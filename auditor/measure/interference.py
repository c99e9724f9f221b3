"""Caveats of a machine that was strained or changed while it measured; `core.busy`: a busy one."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from auditor.core import busy
from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.plan import Purpose, Run
from auditor.core.ports import Observer
from auditor.core.units import format_percent

STOLEN = 0.01
"""The share of all processors' time that another virtual machine may have had."""
THROTTLED = 0.01
"""The share of time that our cgroup may have been stopped for its quota, or the hottest
processor slowed down."""
DRIFT = 0.03
"""How far apart the thirds of a long run may lie in what the fixed loop took."""
LEAST_LOOPS = 12
"""Fewer are no long run."""
STRAGGLE = 0.10
"""How much longer the fixed loop may take on one of several machines."""
_FEW = 3
"""Fewer looks at a machine tell nothing of it."""
_JITTER_LOOKS = 5
"""Fewer looks have no tenths to compare."""
_DOUBT = 0.01
_ORDERS = 999

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class NotedProcess:
    """A process, and what kept the machine busy meanwhile."""

    machine: str  # name of the machine
    started: str  # UTC, ISO 8601
    seconds: float  # from start to end
    strain: HostInterference  # what kept the machine busy meanwhile
    loop_seconds: float | None  # of a fixed loop just before; None: it was not run
    benchmark: str = ""  # the benchmark's id; empty: the subject's own tests
    purpose: Purpose = Purpose.SUITE  # what the process was for


def combine_interference(processes: Sequence[NotedProcess]) -> HostInterference:
    """Return the strain of all processes, each as long as it took."""
    return HostInterference.combine_processes(
        (process.seconds, process.strain) for process in processes
    )


def describe_interference(processes: Sequence[NotedProcess]) -> Iterator[Caveat]:
    """Say what kept the machine from its work, and whether it became another one meanwhile."""
    interference = combine_interference(processes)
    if machine := busy.describe_machine(interference):
        text = (
            f"{machine}: times and spreads measured meanwhile are not reliable; verdicts rest on "
            "randomised interleaving and CPU samples; end other work before the next audit"
        )
        yield Caveat(busy.SLUG, text)
    if (stolen := interference.stolen or 0.0) > STOLEN:
        max_share = max(process.strain.stolen or 0.0 for process in processes)
        text = (
            f"other virtual machines used {format_percent(stolen, 1)} of the processors' time, and "
            f"{format_percent(max_share, 1)} during one process; use a machine of your own"
        )
        yield Caveat("host-stolen", text)
    if (throttled := interference.throttled or 0.0) > THROTTLED:
        text = (
            f"a cgroup's CPU quota paused processes for {format_percent(throttled, 1)} of the "
            "time; raise the quota"
        )
        yield Caveat("host-throttled", text)
    if (hot := interference.hot or 0.0) > THROTTLED:
        text = (
            f"a processor was too hot and slowed down for {format_percent(hot, 1)} of the time; "
            "cool the machine, or turn turbo off (bench-audit doctor --tune)"
        )
        yield Caveat("host-hot", text)
    yield from _describe_moved_benchmarks(processes)
    loops_by_machine = _collect_loops(processes)
    yield from _describe_speed_changes(loops_by_machine)
    suite_runs = [process for process in processes if process.purpose is Purpose.SUITE]
    yield from _describe_jitter(_collect_loops(suite_runs))


def _collect_loops(processes: Sequence[NotedProcess]) -> dict[str, list[float]]:
    """Return the seconds of the fixed loop by machine, in the order of time, each look once."""
    loops_by_machine: dict[str, dict[float, None]] = {}
    for process in sorted(processes, key=lambda noted_process: noted_process.started):
        machine_loops = loops_by_machine.setdefault(process.machine, {})
        if process.loop_seconds is not None:
            machine_loops[process.loop_seconds] = None
    return {machine: [*loops] for machine, loops in loops_by_machine.items()}


def _describe_jitter(loops_by_machine: Mapping[str, Sequence[float]]) -> Iterator[Caveat]:
    for machine, loops in loops_by_machine.items():
        if len(loops) < _JITTER_LOOKS or (jitter := _measure_jitter(loops)) <= USABLE:
            continue
        machine_label = "the machine" if len(loops_by_machine) == 1 else machine
        text = (
            f"{machine_label} is noisy: a fixed loop varied by {format_percent(jitter)} (10th to "
            f"90th percentile of {len(loops)} samples), so differences between runs of the suite "
            "are partly the machine's"
        )
        yield Caveat(busy.JITTER_SLUG, text)


def _describe_speed_changes(loops_by_machine: Mapping[str, Sequence[float]]) -> Iterator[Caveat]:
    for machine, excess in find_slow_machines(loops_by_machine).items():
        text = (
            f"{machine} is slower than the other machines: a fixed loop took "
            f"{format_percent(excess)} longer there; check what else runs on it, or leave it out"
        )
        yield Caveat("worker-slow", text)
    for machine, loops in loops_by_machine.items():
        if (ratio := measure_drift(loops)) is not None:
            machine_label = "the machine" if len(loops_by_machine) == 1 else machine
            text = (
                f"{machine_label} changed speed: a fixed loop took {format_percent(ratio, 1)} "
                f"longer in one third of the time than in another ({len(loops)} samples); "
                "interleaved measurements are not affected, runs of the suite are"
            )
            yield Caveat("host-drift", text)


def _describe_moved_benchmarks(processes: Sequence[NotedProcess]) -> Iterator[Caveat]:
    machines: dict[str, set[str]] = {}
    for process in processes:
        machines.setdefault(process.benchmark, set()).add(process.machine)
    if moved := sorted(
        name for name, machine_names in machines.items() if name and len(machine_names) > 1
    ):
        benchmarks = "1 benchmark was" if len(moved) == 1 else f"{len(moved)} benchmarks were"
        text = (
            f"{benchmarks} measured on several machines ({', '.join(moved[:5])}), "
            "as one was lost; to measure them anew, use another --store"
        )
        yield Caveat("benchmarks-moved", text)


def find_slow_machines(looks: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Return machines that take longer for the same loop than the others do, and by how much.

    `looks` are the seconds of the loop by machine; those with few are not judged.
    """
    medians = {
        name: float(np.median(seconds)) for name, seconds in looks.items() if len(seconds) >= _FEW
    }
    slow_machines = {}
    for name, machine_median in medians.items():
        other_medians = [seconds for other_name, seconds in medians.items() if other_name != name]
        if (
            other_medians
            and (excess := machine_median / float(np.median(other_medians)) - 1.0) > STRAGGLE
        ):
            slow_machines[name] = excess
    return slow_machines


def measure_drift(loops: Sequence[float]) -> float | None:
    """Return how much slower the slowest third is than the fastest, where that is no chance.

    `loops` are seconds in the order of time. Their thirds' medians are compared with those of the
    same numbers in other orders: a machine that only jitters has no order.
    """
    if len(loops) < LEAST_LOOPS:
        return None
    values = np.asarray(loops, dtype=np.float64)
    observed_drift = _compare_thirds(values)
    if observed_drift <= DRIFT:
        return None
    random = np.random.default_rng(len(loops))
    by_chance = sum(
        _compare_thirds(random.permutation(values)) >= observed_drift for _ in range(_ORDERS)
    )
    return observed_drift if (1 + by_chance) / (1 + _ORDERS) <= _DOUBT else None


def _compare_thirds(values: Numbers) -> float:
    medians = [float(np.median(part)) for part in np.array_split(values, 3)]
    return max(medians) / min(medians) - 1.0


class NoiseRating(StrEnum):
    """How well a machine can be measured on."""

    QUIET = "quiet"
    USABLE = "usable"
    NOISY = "noisy"


QUIET, USABLE = 0.02, 0.10
"""How far apart the 10th and the 90th percentile of the loop may lie, relative to the median."""
_STOLEN_USABLE = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseProbe:
    """How steadily a machine runs the same loop."""

    loops: int  # number of loops
    seconds: float  # median time of a loop
    jitter: float  # from the 10th to the 90th percentile, relative to the median
    worst: float  # excess of the longest loop, relative to the median
    strain: HostInterference  # what kept the machine busy meanwhile
    rating: NoiseRating  # of the machine


def advise_on_noise(rating: NoiseRating, interference: HostInterference) -> Iterator[Caveat]:
    """Say what to do about a machine that is not quiet, before it is measured on."""
    if rating is NoiseRating.QUIET:
        return
    causes = [
        text
        for value, most, text in (
            (
                interference.stolen,
                STOLEN,
                "other virtual machines use its processors: use a machine of your own",
            ),
            (
                interference.throttled,
                THROTTLED,
                "a cgroup limits processor time: raise the quota",
            ),
            (
                interference.hot,
                THROTTLED,
                "it is too hot and slows down: cool it, or turn turbo off",
            ),
        )
        if (value or 0.0) > most
    ]
    remedies = "; ".join(causes) or "end other work here, or use a machine without neighbours"
    if rating is NoiseRating.USABLE:
        yield Caveat("host-usable", f"small effects need more runs on this machine; {remedies}")
        return
    text = (
        f"measurements vary much on this machine now; {remedies}; until then use more --runs, and "
        '--interleave with the rule "paper"'
    )
    yield Caveat("host-noisy", text)


def _measure_jitter(loops: Sequence[float]) -> float:
    """Return how far the 10th and the 90th percentile of the loop lie apart, over the median."""
    low, middle, high = (float(quantile) for quantile in np.quantile(loops, (0.1, 0.5, 0.9)))
    return (high - low) / middle


def rate_noise(took: Sequence[float], strain: HostInterference) -> NoiseProbe:
    """Rate a machine by what a fixed loop took on it, at least once."""
    values = np.asarray(took, dtype=np.float64)
    middle = float(np.median(values))
    jitter = _measure_jitter(took)
    stolen, stopped = strain.stolen or 0.0, max(strain.throttled or 0.0, strain.hot or 0.0)
    if jitter <= QUIET and stolen <= STOLEN and stopped <= THROTTLED:
        rating = NoiseRating.QUIET
    elif jitter <= USABLE and stolen <= _STOLEN_USABLE and stopped <= _STOLEN_USABLE:
        rating = NoiseRating.USABLE
    else:
        rating = NoiseRating.NOISY
    return NoiseProbe(
        loops=len(values),
        seconds=middle,
        jitter=jitter,
        worst=float(values.max()) / middle - 1.0,
        strain=strain,
        rating=rating,
    )


class InterferenceLog:
    """An observer between studies and another observer; notes each trial once."""

    def __init__(self, inner: Observer) -> None:
        """Take who else listens."""
        self._inner = inner
        self._noted: dict[str, NotedProcess] = {}
        self._last: dict[str, str] = {}

    @property
    def noted_processes(self) -> tuple[NotedProcess, ...]:
        """Return what was noted of runs that belong to a result, whenever they were made."""
        return tuple(self._noted.values())

    def machine_of(self, benchmark: str) -> str | None:
        """Return the machine that measured a benchmark last, by its id, as far as it was heard."""
        return self._last.get(benchmark)

    def phase_started(self, name: str, trials: int, seconds: float) -> None:
        """Pass it on."""
        self._inner.phase_started(name, trials, seconds)

    def build_step(self, text: str) -> None:
        """Pass it on."""
        self._inner.build_step(text)

    def trial_ended(self, run: Run, *, reused: bool) -> None:
        """Note what was beside it, and pass it on."""
        name = run.trial.benchmark.id if run.trial.benchmark else ""
        # That a process waited for another one of ours is not the machine's doing.
        strain = run.strain if run.trial.is_exclusive else replace(run.strain, waited=None)
        self._noted[run.trial.id] = NotedProcess(
            machine=run.host.name,
            started=run.started,
            seconds=run.seconds,
            strain=strain,
            loop_seconds=run.loop_seconds,
            benchmark=name,
            purpose=run.trial.purpose,
        )
        self._last[name] = run.host.name
        self._inner.trial_ended(run, reused=reused)

    def report_caveat(self, caveat: Caveat) -> None:
        """Pass it on."""
        self._inner.report_caveat(caveat)
