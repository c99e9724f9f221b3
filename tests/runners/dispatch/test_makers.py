"""Who has built a program."""

from dataclasses import replace

import pytest
from test_cluster import trial

from auditor.core.mutant import Overlay, OverlayFile
from auditor.core.suite import Benchmark
from runners.dispatch.cluster import ArtifactLocations, QueuedTrial, WorkerQueue, WorkerQueues

TRIAL = trial("a")


def test_the_two_that_had_it_last_are_asked_by_one_who_has_it_not():
    makers = ArtifactLocations()
    for worker in ("first", "second", "third"):
        makers.record_worker(TRIAL, worker)
    makers.record_worker(TRIAL, "first")

    assert makers.find_workers(trial("b", 2), "new") == ("third", "second")
    assert makers.find_workers(TRIAL, "third") == ()


def test_who_is_lost_is_not_asked():
    makers = ArtifactLocations()
    makers.record_worker(TRIAL, "first")
    makers.record_worker(TRIAL, "second")

    makers.forget_worker("first")

    assert makers.find_workers(TRIAL, "new") == ("second",)


@pytest.mark.parametrize(
    "changed_trial",
    [
        replace(TRIAL, subject="t"),
        replace(TRIAL, layout=3),
        replace(TRIAL, overlay=Overlay((OverlayFile("a.go", b"package a"),))),
        replace(TRIAL, benchmark=Benchmark(group="h", name="a")),
    ],
)
def test_another_program_has_other_makers(changed_trial):
    makers = ArtifactLocations()
    makers.record_worker(TRIAL, "first")

    assert makers.find_workers(changed_trial, "new") == ()


def test_unit_tests_of_a_package_have_a_program_of_their_own():
    tests = replace(TRIAL, benchmark=None, tests="g")
    makers = ArtifactLocations()
    makers.record_worker(tests, "first")

    assert makers.find_workers(tests, "new") == ("first",)
    assert makers.find_workers(replace(tests, tests="h"), "new") == ()


def test_unit_tests_of_packages_are_parted_among_workers():
    lanes = WorkerQueues(lambda _benchmark: None)
    lanes.each.update(one=WorkerQueue(), other=WorkerQueue())
    for package in "abcd":
        package_trial = replace(TRIAL, benchmark=None, tests=package)
        lanes.choose_queue(package_trial).waiting.append(QueuedTrial(package_trial))

    assert [len(lane.waiting) for lane in lanes.each.values()] == [2, 2]
