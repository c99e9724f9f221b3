"""Programs that another machine has made are run, and not made again."""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from watchers import blocks

from auditor.core.errors import FolderUnusable
from auditor.core.jobs import Invocation
from auditor.core.mutant import Overlay
from auditor.core.outcome import Skipped
from auditor.core.plan import Purpose, Trial
from auditor.core.ports import Build
from auditor.core.subject import Language, Project
from auditor.core.suite import Benchmark
from runners.dispatch.machine import MachineDispatcher
from runners.folders import locate_run_folder
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.programs import is_program_built
from runners.trial import TrialRunner, no_artifact_source

LOCAL_PROGRAM, REMOTE_PROGRAM = b"#!/bin/sh\necho ours\n", b"#!/bin/sh\necho theirs\n"


class Launcher:
    """Makes a program where it is missing, and runs it; the outcome is what it says."""

    def __init__(self):
        self.program = None

    def plan_build(self, project, overlay, build_folder):
        return Build()

    def plan_launch(self, project, trial, build_folder):
        self.program = build_folder / "bin" / "a.test"
        if not is_program_built(self.program):
            yield self._job("/bin/sh", "-c", "cp ours bin/a.test && chmod +x bin/a.test")
        yield self._job(str(self.program))

    def _job(self, *argv):
        build_folder = self.program.parent.parent
        makes = self.program if len(argv) > 1 else None
        return Invocation(
            argv=argv,
            cwd=build_folder,
            environment=(("PATH", os.defpath),),
            timeout_seconds=30.0,
            files=((build_folder / "ours", LOCAL_PROGRAM), (build_folder / "bin" / "launch", b"")),
            makes=makes,
            builds=makes is not None,
        )

    def read_outcome(self, trial, answers):
        return Skipped(b" ".join(answer.stdout for answer in answers).decode().strip())


class Slowly(Launcher):
    """Takes a while to make it, and says in a file that it does."""

    def plan_launch(self, project, trial, build_folder):
        for job in super().plan_launch(project, trial, build_folder):
            words = f"sleep 0.3; echo made >> made; {job.argv[-1]}"
            yield replace(job, argv=("/bin/sh", "-c", words)) if job.makes else job


class BrokenOff(Launcher):
    """Is killed when half of the program is there, at the first time."""

    def plan_launch(self, project, trial, build_folder):
        first = self.program is None
        for job in super().plan_launch(project, trial, build_folder):
            half = "head -c 15 ours > bin/a.test && chmod +x bin/a.test && kill -9 $$"
            yield replace(job, argv=(*job.argv[:2], half)) if first else job


class Noting:
    """This machine; notes which folders a process may write."""

    def __init__(self, process_log, writable=()):
        self._process_log = process_log
        self._writable = writable

    def make_measuring_host(self, writable):
        return Noting(self._process_log, writable)

    def read_facts(self):
        return LocalHost().read_facts()

    def run_process(self, job):
        self._process_log.append((job.argv[0].rpartition("/")[2], self._writable))
        return LocalHost().run_process(job)


def project(folder):
    """Return a project in a folder."""
    return Project(
        name="p",
        revision="",
        language=Language.GO,
        harness="go",
        root=folder,
        digest="d",
        parts=(),
        environment=(),
    )


def ran(folder, elsewhere, host=None, launcher=None, at_a_time=1, **more):
    builds = folder / "builds"
    launcher = launcher or Launcher()
    runner = TrialRunner(
        project=project(folder),
        launcher=launcher,
        host=host or LocalHost(),
        builds=builds,
        clock=SystemClock(),
        elsewhere=elsewhere,
        **more,
    )
    trial = Trial(
        subject="d",
        purpose=Purpose.REACH if at_a_time > 1 else Purpose.SUITE,
        benchmark=Benchmark(group="g", name="a"),
        schedule=blocks(1),
        repetition=1,
        seed=1,
        timeout_seconds=30.0,
    )
    with ThreadPoolExecutor(at_a_time) as pool:
        reasons = [run.outcome.reason for run in pool.map(runner.run_trial, [trial] * 2)]
    return reasons, launcher.program, builds


class Spans(Launcher):
    """Has a program for each variant; notes when it is made and when it runs."""

    def plan_launch(self, project, trial, build_folder):
        # Each launcher remembers one program.
        for job in Launcher().plan_launch(project, trial, build_folder):
            kind = "made" if job.makes else "ran"
            note = f"echo {kind} $(date +%s%N) $(sleep 0.3; date +%s%N) >> {project.root}/spans"
            yield replace(job, argv=("/bin/sh", "-c", f"{note}; {job.argv[-1]}"))


class AtTheSecondTime(Launcher):
    """Cannot be built at the first time."""

    def plan_launch(self, project, trial, build_folder):
        first = self.program is None
        for job in super().plan_launch(project, trial, build_folder):
            yield replace(job, argv=("/bin/sh", "-c", "exit 1")) if first else job


class StepAtTheSecondTime(Launcher):
    """Cannot be made ready for a variant at the first time."""

    def __init__(self):
        super().__init__()
        self._codes = [1]

    def plan_build(self, project, overlay, build_folder):
        code = self._codes.pop() if self._codes else 0
        step = Invocation(
            argv=("/bin/sh", "-c", f"exit {code}"),
            cwd=project.root,
            environment=(("PATH", os.defpath),),
            timeout_seconds=30.0,
        )
        return Build(steps=(step,))


VARIANTS = ("one", "two", "three")


def timing(folder, launcher):
    """Return what runs trials of a project in a folder."""
    return TrialRunner(
        project=project(folder),
        launcher=launcher,
        host=LocalHost(),
        builds=folder / "builds",
        clock=SystemClock(),
    )


def trial(variant, number, **more):
    """Return a calibration of a variant."""
    return Trial(
        subject="d",
        purpose=Purpose.CALIBRATION,
        overlay=Overlay(instructions=(variant,)),
        benchmark=Benchmark(group="g", name="a"),
        schedule=blocks(1),
        repetition=number,
        seed=1,
        timeout_seconds=30.0,
        **more,
    )


def test_nothing_is_built_while_something_is_timed_roughly(tmp_path):
    """But several are timed at a time."""
    runner = timing(tmp_path, Spans())
    trials = [trial(variant, n, rough=True) for n in (1, 2) for variant in VARIANTS]
    with ThreadPoolExecutor(3) as pool:
        assert len([*pool.map(runner.run_trial, trials)]) == 6

    build_spans, ran = spans(tmp_path)
    assert (len(build_spans), len(ran)) == (3, 6)
    assert not [
        span for build in build_spans for span in (*build_spans, *ran) if at_once(build, span)
    ]
    assert [span for span in ran for second_span in ran if at_once(span, second_span)]


def test_what_is_timed_alone_is_built_several_at_a_time_and_not_while_something_is_timed(tmp_path):
    dispatcher = MachineDispatcher(tmp_path / "lock", 2, lambda: None)
    dispatcher.register_runner(["d"], timing(tmp_path, Spans()))
    trials = [trial(variant, n) for n in (1, 2) for variant in VARIANTS]

    assert [run.trial for run in dispatcher.run_trials(trials)] == trials

    build_spans, ran = spans(tmp_path)
    assert (len(build_spans), len(ran)) == (3, 6)
    assert [
        span for span in build_spans for second_span in build_spans if at_once(span, second_span)
    ]
    assert not [span for timed in ran for span in (*build_spans, *ran) if at_once(timed, span)]


@pytest.mark.parametrize("launcher", [AtTheSecondTime, StepAtTheSecondTime])
def test_what_does_not_build_beside_others_is_built_again_by_itself(tmp_path, launcher):
    dispatcher = MachineDispatcher(tmp_path / "lock", 2, lambda: None)
    dispatcher.register_runner(["d"], timing(tmp_path, launcher()))

    outcomes = [run.outcome for run in dispatcher.run_trials([trial("one", 1)])]

    assert outcomes == [Skipped("ours")]


def test_a_program_that_a_built_variant_lacks_is_still_to_be_made(tmp_path):
    launcher = Launcher()
    runner = timing(tmp_path, launcher)
    own_trial = trial("one", 1)
    runner.run_trial(own_trial)
    assert runner.is_prepared(own_trial)

    launcher.program.unlink()

    assert not runner.is_prepared(own_trial)


def spans(folder):
    """Return when programs were made, and when they ran."""
    lines = [line.split() for line in (folder / "spans").read_text().splitlines()]
    span_rows = [(kind, int(started), int(ended)) for kind, started, ended in lines]
    build_spans = [span for span in span_rows if span[0] == "made"]
    return build_spans, [span for span in span_rows if span[0] == "ran"]


def at_once(first, second):
    return first is not second and first[1] < second[2] and second[1] < first[2]


def test_a_program_that_two_need_at_a_time_is_made_once(tmp_path):
    reasons, program, _ = ran(tmp_path, no_artifact_source, launcher=Slowly(), at_a_time=2)

    assert reasons == ["ours", "ours"]
    assert (program.parent.parent / "made").read_text() == "made\n"


@pytest.mark.parametrize(("artifact", "output"), [(REMOTE_PROGRAM, "theirs"), (None, "ours")])
def test_what_another_has_is_run_and_asked_for_once(artifact, output, tmp_path):
    requested_paths = []

    def elsewhere(path):
        requested_paths.append(path)
        return artifact

    reasons, program, builds = ran(tmp_path, elsewhere)

    assert reasons == [output, output]
    assert requested_paths == [program.relative_to(builds)]
    assert not requested_paths[0].is_absolute()
    assert {path.name for path in program.parent.iterdir()} == {"a.test", "a.test.made", "launch"}


def test_nobody_is_asked_unless_there_is_somebody(tmp_path):
    reasons, _, _ = ran(tmp_path, no_artifact_source)

    assert reasons == ["ours", "ours"]


def test_what_was_broken_off_is_built_again(tmp_path):
    reasons, _, _ = ran(tmp_path, no_artifact_source, launcher=BrokenOff())

    assert reasons == ["", "ours"]


def test_what_is_measured_may_not_write_what_others_are_built_with_or_run(tmp_path):
    process_log = []
    cache = tmp_path / "cache"

    _, _, builds = ran(tmp_path, no_artifact_source, Noting(process_log), writes=(cache,))

    measured = ("a.test", (locate_run_folder(builds / Overlay().digest),))
    assert process_log == [("sh", (builds, cache)), measured, measured]


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    def elsewhere(path):
        (tmp_path / "builds" / path).mkdir(parents=True)
        return REMOTE_PROGRAM

    with pytest.raises(FolderUnusable, match=r"a\.sent"):
        ran(tmp_path, elsewhere)
