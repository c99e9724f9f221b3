"""What a cluster costs beside its measuring: trials of a made-up harness on real workers of Dask.

    python benchmarks/scale.py [--trials 100000] [--workers 1,2,4,8,16] [--cores 2] [--seconds 60]
        [--killed 10000] [--draw FOLDER]

Printed are, for each number of workers, how many trials that do nothing are dispatched, stored and
awaited a second, what each costs a worker, the memory of the controller at each tenth of the way,
and the size of the store; then the share of workers' time that trials of one second get on as many
workers as there are cores; then how long a controller that was killed by SIGKILL half the way
needs until it goes on. All of that is of this machine: its cores are shared by all workers, the
scheduler and the controller. Drawn, if asked for, are `scale-throughput.svg` over the workers and
`scale-memory.svg` over the trials.
"""

import argparse
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import curve_drawing
from distributed import Client

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from dask_daemon import dask_cluster  # noqa: E402

from auditor.core.caveats import Caveat  # noqa: E402
from auditor.core.jobs import HostFacts  # noqa: E402
from auditor.core.outcome import Measured  # noqa: E402
from auditor.core.plan import Purpose, Run, Trial  # noqa: E402
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule  # noqa: E402
from auditor.core.suite import Benchmark  # noqa: E402
from auditor.core.values import TIME, Series  # noqa: E402
from auditor.store.sqlite import SqliteStore  # noqa: E402
from reports import charts  # noqa: E402
from reports.charts import Axes, ChartCurve, ChartPoint  # noqa: E402
from runners.dispatch.cluster import ClusterDispatcher  # noqa: E402
from runners.hosts.clock import SystemClock  # noqa: E402

HOST = HostFacts("made up", (("cores", "2"), ("cpu", "made up")))
BENCHMARKS = 1000
BLOCKS = 15
PLAN = Schedule(
    arms=(Arm(ArmName.PLAIN),),
    blocks=tuple(Block(Phase.MEASUREMENT, 0) for _ in range(BLOCKS)),
    seconds=0.1,
)
TENTHS = 10


def trials(many: int) -> Iterator[Trial]:
    """Yield the trials of a suite of 1,000 benchmarks, run after run."""
    for number in range(many):
        yield Trial(
            subject="made up",
            purpose=Purpose.SUITE,
            benchmark=Benchmark(group="made.up", name=f"Benchmark{number % BENCHMARKS}"),
            schedule=PLAN,
            repetition=1 + number // BENCHMARKS,
            seed=1,
            timeout_seconds=60,
        )


def work(seconds: float, trial: Trial, _makers: Sequence[str]) -> Run:
    """Take some time, and return what a process of a suite would."""
    time.sleep(seconds)
    values = enumerate(1e-6 * (1 + index / 100) for index in range(BLOCKS))
    series = Series.from_values(TIME, "s/op", ArmName.PLAIN, Phase.MEASUREMENT, values)
    return Run(trial=trial, host=HOST, outcome=Measured((series,)), started="", seconds=seconds)


class Crew:
    """Workers that need nothing but to know how long a trial takes, and end by themselves."""

    def __init__(self, seconds: float) -> None:
        """Take what each trial takes."""
        self._seconds = seconds

    def send_subject(self, _worker: str, _subject: str) -> tuple[float]:
        """Return what work is given besides its trial."""
        return (self._seconds,)

    def find_home_worker(self, _benchmark: str) -> None:
        """Have no worker that has measured before."""

    def explain_refusal(self, _worker: str) -> str:
        """Take everybody."""
        return ""

    def require_usable(self) -> None:
        """Go on: nothing is rented."""

    def stop_trials(self) -> None:
        """End nothing."""


@contextmanager
def cluster(workers: int) -> Iterator[Client]:
    """Give a cluster of processes on this machine, none of them this one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        dask_cluster(Path(folder)) as result,
        Client(result.address, set_as_default=False) as client,
    ):
        for _ in range(workers):
            result.add()
        client.wait_for_workers(workers, timeout=120)
        yield client


def dispatched(client: Client, seconds: float, store: SqliteStore, many: int) -> Iterator[int]:
    """Run what the store lacks of the trials; yields how many of them are done."""
    caveats: list[Caveat] = []
    dispatcher = ClusterDispatcher(
        client,
        work,
        Crew(seconds),
        clock=SystemClock(),
        on_caveat=caveats.append,
        allowed=lambda _trial: True,
        patience_seconds=60.0,
    )
    stored = 0

    def missing() -> Iterator[Trial]:
        nonlocal stored
        for trial in trials(many):
            if store.find_run(trial) is None:
                yield trial
            else:
                stored += 1

    for run_count, run in enumerate(dispatcher.run_trials(missing()), start=1):
        store.add_run(run)
        yield stored + run_count


def memory() -> float:
    """Return what this process has in memory, in MiB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass(frozen=True, slots=True)
class ClusterRun:
    """What so many workers did: trials a second, and the controller's MiB at each tenth."""

    workers: int
    rate: float
    memory: tuple[float, ...]


def curve(workers: Sequence[int], many: int, folder: Path) -> Iterator[ClusterRun]:
    """Print what trials that do nothing cost, by the number of workers; yields the same."""
    print(f"{many} trials that do nothing\n")
    print("workers  trials/s  ms a trial and worker  MiB at each tenth of the way       store, MiB")
    for number in workers:
        path = folder / f"{number}.sqlite"
        looks: list[float] = []
        with cluster(number) as client, SqliteStore(path, host=HOST) as store:
            started = time.monotonic()
            for trial_count in dispatched(client, 0.0, store, many):
                if trial_count % max(1, many // TENTHS) == 0:
                    looks.append(memory())  # noqa: PERF401 at its time
            took = time.monotonic() - started
        message = " ".join(f"{look:.0f}" for look in looks)
        size = path.stat().st_size / 2**20
        value = 1e3 * took * number / many
        print(
            f"{number:7}  {many / took:8.0f}  {value:21.2f}  {message:34} {size:10.1f}", flush=True
        )
        path.unlink()
        yield ClusterRun(number, many / took, tuple(looks))


def draw(cluster_runs: Sequence[ClusterRun], many: int, folder: Path) -> None:
    """Write the drawings: throughput over workers, memory over trials for fewest and most."""
    folder.mkdir(parents=True, exist_ok=True)
    rates = [(math.log2(run.workers), run.rate) for run in cluster_runs]
    _draw(
        folder / "scale-throughput.svg",
        f"Trials a second of {many:,} that do nothing, by the number of workers",
        ("workers (logarithmic)", "trials a second"),
        [(place, str(run.workers)) for (place, _), run in zip(rates, cluster_runs, strict=True)],
        {"": rates},
    )
    tenths = [many * (index + 1) / TENTHS for index in range(TENTHS)]
    _draw(
        folder / "scale-memory.svg",
        f"Memory of the controller while {many:,} trials are done",
        ("trials that are done", "MiB, by the number of workers"),
        [(place, f"{place:,.0f}") for place in tenths[1::2]],
        {
            str(fromkey.workers): [*zip(tenths, fromkey.memory, strict=False)]
            for fromkey in dict.fromkeys((cluster_runs[0], cluster_runs[-1]))
        },
    )


def _draw(
    path: Path,
    title: str,
    axes: tuple[str, str],
    named: Sequence[tuple[float, str]],
    curves: Mapping[str, Sequence[tuple[float, float]]],
) -> None:
    places = [place for points in curves.values() for place, _ in points]
    words = "; ".join(
        f"{name} {', '.join(f'{value:.0f}' for _, value in points)}".strip()
        for name, points in curves.items()
    )
    around = Axes(
        size=(600, 260),
        ends=(min(places), max(places)),
        named=tuple(named),
        across=axes[0],
        units=axes[1],
        most=charts.choose_ticks(max(value for points in curves.values() for _, value in points))[
            -1
        ],
    )
    chart_curves = [
        ChartCurve(
            name, kind, tuple(ChartPoint(place, value, value, value) for place, value in points)
        )
        for kind, (name, points) in zip(curve_drawing.KINDS, curves.items(), strict=False)
    ]
    path.write_text(
        curve_drawing.svg(title, f"{axes[1]}, from left to right: {words}", around, chart_curves)
    )


def efficiency(cores: int, seconds: float, folder: Path) -> float:
    """Print the share of the workers' time that trials of one second get; returns it."""
    many = max(cores, round(seconds)) * cores
    with (
        cluster(cores) as client,
        SqliteStore(folder / "second.sqlite", host=HOST) as store,
    ):
        started = time.monotonic()
        for _ in dispatched(client, 1.0, store, many):
            pass
        took = time.monotonic() - started
    share = many * 1.0 / (took * cores)
    print(f"\n{many} trials of 1 s on {cores} workers: {took:.1f} s, efficiency {share:.1%}")
    return share


def resumed(many: int, folder: Path) -> None:
    """Print how long a killed controller needs until its first new trial is done."""
    path = folder / "killed.sqlite"
    words = (sys.executable, __file__, "--controller", str(path), "--trials", str(many))
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        for line in child.stdout or ():
            if int(line) >= many // 2:
                break
        os.killpg(child.pid, signal.SIGKILL)
    with cluster(2) as client, SqliteStore(path, host=HOST) as store:
        started = time.monotonic()
        left = dispatched(client, 0.0, store, many)
        first = next(left)
        restart_seconds = time.monotonic() - started
        stored = max(left, default=first)
    print(
        f"\nkilled (SIGKILL) with {first - 1} of {many} trials stored; repeated, the first new one "
        f"is done after {restart_seconds:.1f} s, and {stored} are stored at the end"
    )


def controller(path: Path, many: int) -> None:
    """Run the trials, and say how many are done, until somebody ends it."""
    with cluster(2) as client, SqliteStore(path, host=HOST) as store:
        for trial_count in dispatched(client, 0.0, store, many):
            if trial_count % 50 == 0:
                print(trial_count, flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=100_000)
    parser.add_argument("--workers", default="1,2,4,8,16")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=60.0, help="of the trials of one second")
    parser.add_argument("--killed", type=int, help="trials of what is killed, else as many")
    parser.add_argument("--draw", type=Path, help="the folder for the drawings")
    parser.add_argument("--controller", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.controller:
        controller(args.controller, args.trials)
        return
    with tempfile.TemporaryDirectory() as folder:
        numbers = [int(number) for number in args.workers.split(",")]
        cluster_runs = [*curve(numbers, args.trials, Path(folder))]
        if args.draw:
            draw(cluster_runs, args.trials, args.draw)
        efficiency(args.cores, args.seconds, Path(folder))
        resumed(args.killed or args.trials, Path(folder))


if __name__ == "__main__":
    main()
