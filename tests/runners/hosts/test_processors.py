"""Processors of the benchmarks, apart from ours."""

import os

import pytest
from process_making import job, shell

from auditor.core.errors import ToolMissing, UsageError
from runners.hosts.local import LocalHost, parse_processors, reserve_processors


@pytest.mark.parametrize(
    ("text", "expected"),
    [("0", {0}), ("2-3", {2, 3}), ("0,2-4,7", {0, 2, 3, 4, 7}), ("1-1", {1})],
)
def test_numbers_are_read_as_people_write_them(text, expected):
    assert parse_processors(text) == expected


def test_a_job_runs_on_its_processors_and_is_a_smaller_machine(tmp_path):
    last = max(os.sched_getaffinity(0))
    host = LocalHost(processors=str(last))

    completed = host.run_process(
        shell("nproc; grep Cpus_allowed_list /proc/self/status", cwd=tmp_path)
    )

    assert completed.stdout.split() == [b"1", b"Cpus_allowed_list:", str(last).encode()]
    facts = dict(host.read_facts().facts)
    assert (facts["cores"], facts["pinned"]) == ("1", str(last))


def test_a_missing_program_is_said_with_processors_too(tmp_path):
    with pytest.raises(ToolMissing, match="no-such-program was not found on PATH"):
        LocalHost(processors="0").run_process(job("no-such-program", cwd=tmp_path))


def test_we_keep_off_their_processors_and_come_back():
    before = os.sched_getaffinity(0)
    reserved_processor = max(before)

    with reserve_processors(str(reserved_processor), "local.cpus"):
        assert os.sched_getaffinity(0) == (before - {reserved_processor} or before)
    assert os.sched_getaffinity(0) == before


def test_processors_that_there_are_not_are_one_line():
    with (
        pytest.raises(
            UsageError, match=r"processor 4000 at local.cpus does not exist; this machine has"
        ),
        reserve_processors("4000", "local.cpus"),
    ):
        raise AssertionError
