"""What kept the machine from a process, where not all of it can be counted."""

from pathlib import Path

import pytest
from fake_host import FakeHost
from watchers import blocks

from auditor.core.jobs import CompletedProcess, HostInterference, Invocation
from auditor.core.outcome import Skipped
from auditor.core.plan import Purpose, Trial
from auditor.core.ports import Build
from auditor.core.subject import Language, Project
from auditor.core.suite import Benchmark
from runners.hosts.clock import SystemClock
from runners.hosts.reference_workload import LoopTiming
from runners.trial import TrialRunner


class Launcher:
    """Starts one process."""

    def plan_build(self, project, overlay, build_folder):
        return Build()

    def plan_launch(self, project, trial, build_folder):
        yield Invocation(argv=("run",), cwd=build_folder, environment=(), timeout_seconds=1.0)

    def read_outcome(self, trial, answers):
        return Skipped("")


def ran(strain, loop, folder, purpose=Purpose.SUITE, *, rough=False):
    """Return the strain of a process, and what the loop waited before it."""
    project = Project(
        name="p", revision="1", language=Language.PYTHON, harness="toy", root=Path("/nowhere"),
        digest="d", parts=(), environment=(),
    )  # fmt: skip
    trial = Trial(
        subject="d", purpose=purpose, benchmark=Benchmark(group="g", name="b"),
        schedule=blocks(), repetition=1, seed=1, timeout_seconds=1.0, rough=rough,
    )  # fmt: skip
    host = FakeHost(lambda _: CompletedProcess(exit_code=0, seconds=1.0, strain=strain))
    runner = TrialRunner(
        project=project,
        launcher=Launcher(),
        host=host,
        builds=folder,
        clock=SystemClock(),
        loop=lambda: LoopTiming(0.2, loop),
    )
    return runner.run_trial(trial).strain


@pytest.mark.parametrize(
    ("strain", "loop", "waited"),
    [
        (HostInterference(waited=0.9), 0.01, 0.01),  # a container whose threads wait for each other
        (HostInterference(waited=0.9), 0.8, 0.8),
        (HostInterference(waited=0.3), 0.8, 0.3),
        (HostInterference(waited=0.9), None, 0.9),
        (HostInterference(waited=0.9, foreign=0.5), 0.01, 0.9),
        (HostInterference(), 0.8, None),
    ],
)
def test_a_process_beside_unknown_others_waited_no_more_for_them_than_one_thread_does(
    strain, loop, waited, tmp_path
):
    assert ran(strain, loop, tmp_path).waited == waited


def test_a_pilot_tells_that_it_waited_also_beside_others(tmp_path):
    strain = HostInterference(waited=0.9, foreign=0.5)

    assert ran(strain, 0.0, tmp_path, Purpose.PILOT).waited == 0.9
    assert ran(strain, 0.0, tmp_path, Purpose.PILOT, rough=True).waited == 0.9


def test_what_runs_beside_others_of_ours_has_waited_for_them(tmp_path):
    assert (
        ran(HostInterference(waited=0.9, foreign=0.5), 0.8, tmp_path, Purpose.REACH).waited is None
    )
