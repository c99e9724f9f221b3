"""What every host keeps: how processes end, what comes back of them, and that nothing is left."""

import os
import time
from pathlib import Path

import pytest
from host_making import Place, docker_place, small_disk, ssh_place
from process_making import job, shell
from ssh_daemon import SMALL

from auditor.core.errors import FolderUnusable, ToolMissing
from auditor.core.jobs import OutputMonitor
from runners.hosts.docker import DockerHost
from runners.hosts.interference import STAT
from runners.hosts.local import LocalHost

BEATS = 'trap "" INT TERM; while true; do echo beat >> beats; sleep 0.02; done'
COUNTS = "i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); echo $i{}; sleep 0.01; {} done"


HOSTS = ["local", *(pytest.param(kind, marks=pytest.mark.subject) for kind in ("docker", "ssh"))]


@pytest.fixture(params=HOSTS)
def place(request, tmp_path):
    """A host of each kind."""
    if request.param == "local":
        yield Place(LocalHost(), tmp_path, tmp_path)
    elif request.param == "docker":
        yield docker_place(request.getfixturevalue("docker"), tmp_path)
    else:
        with ssh_place(request.getfixturevalue("ssh"), tmp_path.name) as result:
            yield result


@pytest.fixture(params=HOSTS)
def small_place(request, tmp_path):
    """One whose files are on a disk of some MiB."""
    if request.param == "ssh":
        with ssh_place(request.getfixturevalue("ssh"), SMALL) as result:
            yield result
        return
    with small_disk(tmp_path / "disk") as disk:
        if request.param == "local":
            yield Place(LocalHost(), disk, disk)
        else:
            yield docker_place(request.getfixturevalue("docker"), disk)


def ran(place, text, **more):
    """Return how a shell's words ended."""
    return place.host.run_process(shell(text, cwd=place.folder, **more))


def still(path):
    """Tell whether nobody writes to a file any more."""
    before = path.read_bytes()
    assert before
    time.sleep(0.3)
    return path.read_bytes() == before


def test_both_streams_come_back(place):
    answer = ran(place, "echo out; echo err >&2; exit 3")

    assert (answer.exit_code, answer.stdout, answer.stderr) == (3, b"out\n", b"err\n")
    assert (answer.truncated, answer.timed_out, answer.enough) == (False, False, False)


@pytest.mark.parametrize("code", [0, 1, 42, 127, 255])
def test_a_code_comes_back_as_it_is(place, code):
    assert ran(place, f"exit {code}").exit_code == code


@pytest.mark.parametrize(("name", "number"), [("KILL", 9), ("SEGV", 11), ("TERM", 15)])
def test_a_signal_is_a_negative_code(place, name, number):
    assert ran(place, f"kill -s {name} $$").exit_code == -number


def test_a_job_gets_the_environment_it_is_given_and_nothing_of_ours(place, monkeypatch):
    monkeypatch.setenv("BENCH_AUDIT_SECRET", "hidden")

    lines = place.host.run_process(job("env", cwd=place.folder)).stdout.decode().splitlines()

    assert [line for line in lines if not line.startswith("HOME=")] == ["PATH=/usr/bin:/bin"]


def test_standard_input_is_empty(place):
    assert place.host.run_process(job("cat", cwd=place.folder)).exit_code == 0


def test_it_runs_in_the_folder_that_it_is_given(place):
    assert ran(place, "pwd").stdout.decode().strip() == str(place.folder)


def test_files_are_written_before_and_read_after(place):
    answer = ran(
        place,
        "cat deep/in > out",
        files=((Path("deep/in"), b"hello"),),
        collects=(Path("out"), place.folder / "out", Path("absent")),
    )

    assert answer.files == {Path("out"): b"hello", place.folder / "out": b"hello"}


def test_output_is_bytes(place):
    answer = ran(place, r"printf '\377\376\000\r\n'; printf '\200' >&2")

    assert (answer.stdout, answer.stderr) == (b"\xff\xfe\x00\r\n", b"\x80")


def test_names_of_files_are_bytes(place):
    name = Path(os.fsdecode(b"na\xffme"))

    answer = ran(place, "cat na* > out; cat out > $(printf 'o\\376')", files=((name, b"x"),))
    second_answer = ran(place, "cat o*", collects=(name, Path(os.fsdecode(b"o\xfe"))))

    assert (answer.exit_code, second_answer.stdout) == (0, b"xx")
    assert second_answer.files == {name: b"x", Path(os.fsdecode(b"o\xfe")): b"x"}


def test_a_disk_that_a_process_has_filled_is_said_and_is_no_crash(small_place):
    with pytest.raises(FolderUnusable, match=r"the disk .* is full"):
        ran(small_place, "cat /dev/zero > big; exit 1")


def test_100_megabytes_of_output_are_neither_kept_nor_waited_for(place):
    text = "echo first; head -c 100000000 /dev/zero; echo last; echo err >&2"

    answer = ran(place, text, output_limit=1000)

    assert answer.exit_code == 0
    assert answer.truncated
    assert len(answer.stdout) == 1000
    assert answer.stdout.startswith(b"first\n")
    assert answer.stdout.endswith(b"last\n")
    assert answer.stderr == b"err\n"


def test_the_watchdog_ends_a_job_and_keeps_what_it_said(place):
    answer = ran(place, "echo started; sleep 600", timeout=1.0)

    assert answer.timed_out
    assert answer.stdout == b"started\n"


def test_the_watchdog_kills_processes_that_ignore_every_request(place):
    answer = ran(place, f"({BEATS}) & {BEATS}", timeout=1.0)

    assert answer.timed_out
    assert still(place.process_folder / "beats")


def test_what_a_job_leaves_behind_is_killed_at_its_end(place):
    answer = ran(place, f"({BEATS}) > /dev/null 2>&1 & sleep 0.3; echo done")

    assert (answer.exit_code, answer.stdout) == (0, b"done\n")
    assert still(place.process_folder / "beats")


def test_it_says_how_long_a_job_took(place):
    start_seconds = time.monotonic()
    answer = ran(place, "sleep 0.5")

    assert 0.5 <= answer.seconds <= time.monotonic() - start_seconds


def test_it_says_what_kept_the_machine_from_it(place):
    strain = ran(place, "i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done").strain

    assert (strain.stolen is not None) is Path(STAT).exists()
    assert 0.0 <= (strain.stolen or 0.0) < 1.0
    in_container = isinstance(place.host, DockerHost)
    assert (strain.foreign is not None) is (Path(STAT).exists() and not in_container)


def test_a_missing_program_is_said(place):
    with pytest.raises(ToolMissing, match="no-such-program was not found"):
        place.host.run_process(job("no-such-program", cwd=place.folder))


def test_a_missing_folder_is_not_taken_for_a_missing_program(place):
    with pytest.raises(FolderUnusable, match="no such folder"):
        place.host.run_process(job("true", cwd=place.folder / "absent"))


def test_a_file_in_the_way_of_a_folder_is_one_line(place):
    (place.folder / "deep").write_text("")

    with pytest.raises(FolderUnusable, match="a file is in the way"):
        ran(place, "true", files=((Path("deep/in"), b""),))


@pytest.mark.parametrize("path", [Path("shown"), None])
def test_a_process_ends_once_it_has_shown_enough(place, path):
    judged_seconds = []

    def judge(seconds, lasted):
        judged_seconds.append(seconds)
        return 0.2 if len(judged_seconds) == 3 else None

    def read(data):
        return [(float(line), 0.01) for line in data.split()]

    text = COUNTS.format(" >> shown" if path else "", "")
    answer = ran(place, text, follow=OutputMonitor(read=read, judge=judge, path=path))

    assert (answer.exit_code, answer.enough) == (0, True)
    assert judged_seconds == [1.0, 2.0, 3.0]


def test_facts_are_the_same_each_time_and_have_no_empty_values(place):
    facts = place.host.read_facts()

    assert facts == place.host.read_facts()
    assert facts.name == LocalHost().read_facts().name
    assert all(value for _, value in facts.facts)
    assert list(facts.facts) == sorted(facts.facts)
    assert {"aslr", "cores", "cpu", "governor", "kernel", "memory", "os", "smt", "turbo"} <= set(
        dict(facts.facts)
    )
