"""What a host does when the time for all processes is up."""

from dataclasses import replace
from pathlib import Path

import pytest
from fake_host import FakeHost

from auditor.core.errors import Exit, OutOfTime
from auditor.core.jobs import CompletedProcess, Invocation
from runners.hosts.limited import GRACE_SECONDS, LimitedHost


def over():
    return OutOfTime("the budget was used up")


def job(seconds):
    return Invocation(argv=("go",), cwd=Path("/"), environment=(), timeout_seconds=seconds)


@pytest.mark.parametrize(
    ("left", "timeout", "limit"),
    [
        (100.0, 60.0, 60.0),
        (10.0, 60.0, 10.0 + GRACE_SECONDS),
        (0.0, 60.0, GRACE_SECONDS),
        (0.5 - GRACE_SECONDS, 60.0, 0.5),
        (0.0, 1.0, 1.0),
    ],
)
def test_no_process_has_more_time_than_there_is(left, timeout, limit):
    host = FakeHost(lambda _: CompletedProcess(exit_code=0))

    LimitedHost(host, lambda: left, over).run_process(job(timeout))

    assert [invocation.timeout_seconds for invocation in host.jobs] == [limit]


def test_when_all_time_is_over_no_process_is_started():
    host = FakeHost(lambda _: CompletedProcess(exit_code=0))

    with pytest.raises(OutOfTime):
        LimitedHost(host, lambda: -GRACE_SECONDS, over).run_process(job(0.1))

    assert host.jobs == []


def test_a_process_that_used_up_its_own_time_has_timed_out():
    answer = CompletedProcess(exit_code=None)

    assert (
        LimitedHost(FakeHost(lambda _: answer), lambda: 100.0, over).run_process(job(60.0))
        is answer
    )


def test_a_process_that_the_end_stopped_answers_with_its_part_where_that_is_of_use():
    answer = CompletedProcess(exit_code=None)
    divisible = replace(job(60.0), keeps_partial_results=True)

    assert (
        LimitedHost(FakeHost(lambda _: answer), lambda: 10.0, over).run_process(divisible) is answer
    )


def test_a_process_that_the_end_stopped_gives_no_answer():
    host = LimitedHost(FakeHost(lambda _: CompletedProcess(exit_code=None)), lambda: 10.0, over)

    with pytest.raises(OutOfTime, match="the budget was used up") as caught:
        host.run_process(job(60.0))

    assert caught.value.exit_code == Exit.NO_VERDICT


def test_the_machine_is_the_one_behind_it():
    host = FakeHost(lambda _: CompletedProcess(exit_code=0))

    assert LimitedHost(host, lambda: 1.0, over).read_facts() == host.read_facts()
