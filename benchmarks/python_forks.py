"""Does a benchmark take as long in a fork of a shared process as in a process alone?

Each benchmark of a Python suite runs in both ways, in turns. Printed are the least time of an
operation as a fork over the least one alone, and the seconds of all processes.

    python benchmarks/python_forks.py FOLDER [--runs 5] [--most 40]
"""

import argparse
import os
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from auditor.core.outcome import Measured  # noqa: E402
from auditor.core.plan import Purpose, Run, Trial  # noqa: E402
from auditor.core.request import FolderSpec, PythonSpec  # noqa: E402
from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule  # noqa: E402
from auditor.core.values import TIME  # noqa: E402
from runners.grouping import DEFAULT_LIMIT  # noqa: E402
from runners.home import HomeFolder  # noqa: E402
from runners.hosts.clock import SystemClock  # noqa: E402
from runners.hosts.local import LocalHost  # noqa: E402
from runners.pybench.frontends import FRONTENDS, framework_of  # noqa: E402
from runners.pybench.harness import PythonHarness  # noqa: E402
from runners.pybench.project import prepare_project  # noqa: E402
from runners.subjects.place import place_subject  # noqa: E402
from runners.trial import TrialExecutor  # noqa: E402

SCHEDULE = Schedule(
    arms=(Arm(ArmName.PLAIN),),
    blocks=(*[Block(Phase.WARMUP, 0)] * 10, *[Block(Phase.MEASUREMENT, 0)] * 15),
    seconds=0.01,
)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="of a suite of Python")
    parser.add_argument("--runs", type=int, default=5, help="of each benchmark, in each way")
    parser.add_argument("--most", type=int, default=40, help="benchmarks, the first of the suite")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="python-forks-") as scratch:
        executor, trials = _make_trials(arguments.folder, Path(scratch), arguments.most)
        separate_runs, fork_runs = _run_in_turns(executor, trials, arguments.runs)
    _print_ratios(separate_runs, fork_runs)
    return 0


def _make_trials(folder: Path, scratch: Path, most: int) -> tuple[TrialExecutor, list[Trial]]:
    home, host = HomeFolder(scratch / "home"), LocalHost()
    variables = tuple(sorted({**os.environ, "HOME": str(scratch)}.items()))
    placed = place_subject(
        FolderSpec(folder.resolve()), home=home, host=host, environment=variables
    )
    frontend = FRONTENDS[framework_of(placed.tree)]
    project = prepare_project(
        placed, python=PythonSpec(), frontend=frontend, home=home, host=host, environment=variables
    )
    executor = TrialExecutor(
        project=project,
        launcher=PythonHarness(frontend),
        host=host,
        builds=scratch / "builds",
        clock=SystemClock(),
    )
    trials = [
        Trial(
            subject=project.digest,
            purpose=Purpose.SUITE,
            benchmark=benchmark,
            schedule=SCHEDULE,
            repetition=1,
            seed=1,
            timeout_seconds=60.0,
        )
        for benchmark in executor.discover_suite().benchmarks[:most]
    ]
    return executor, trials


def _run_in_turns(
    executor: TrialExecutor, trials: Sequence[Trial], runs: int
) -> tuple[list[Run], list[Run]]:
    """Return the runs alone and those as forks; which of the two is first alternates."""
    separate_runs: list[Run] = []
    fork_runs: list[Run] = []
    by_key = defaultdict[object, list[Trial]](list)
    for trial in trials:
        by_key[executor.find_sharing_key(trial)].append(trial)
    for repetition in range(1, runs + 1):
        for neighbours in by_key.values():
            for first in range(0, len(neighbours), DEFAULT_LIMIT):
                group = [
                    replace(trial, repetition=repetition)
                    for trial in neighbours[first : first + DEFAULT_LIMIT]
                ]
                if repetition % 2:
                    separate_runs += map(executor.run_trial, group)
                fork_runs += executor.run_together(group)
                if not repetition % 2:
                    separate_runs += map(executor.run_trial, group)
    return separate_runs, fork_runs


def _print_ratios(separate_runs: Sequence[Run], fork_runs: Sequence[Run]) -> None:
    separate_times = _find_least_times(separate_runs)
    fork_times = _find_least_times(fork_runs)
    ratios = sorted(
        fork_times[name] / separate_times[name]
        for name in fork_times.keys() & separate_times.keys()
    )
    if not ratios:
        raise SystemExit("no benchmark ran in both ways")
    print(
        f"{len(ratios)} benchmarks, fork over alone: {ratios[0]:.3f} to {ratios[-1]:.3f}, "
        f"median {median(ratios):.3f}"
    )
    print(
        f"seconds of all processes: {sum(run.seconds for run in separate_runs):.0f} alone, "
        f"{sum(run.seconds for run in fork_runs):.0f} as forks"
    )


def _find_least_times(runs: Sequence[Run]) -> dict[str, float]:
    """Return the least seconds of an operation of each benchmark that was measured."""
    least: dict[str, float] = {}
    for run in runs:
        series = (
            run.outcome.find_series(TIME, ArmName.PLAIN)
            if isinstance(run.outcome, Measured)
            else None
        )
        if run.trial.benchmark is not None and series is not None:
            name = run.trial.benchmark.id
            least[name] = min(least.get(name, min(series.values)), *series.values)
    return least


if __name__ == "__main__":
    sys.exit(main())
