"""Containers: what a stranger's code can do in one, what it cannot, and what is left of it."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from docker_daemon import IMAGE, client
from host_making import MEMORY, connected, docker_host, docker_place, small_disk
from process_making import job, shell

from auditor.core.errors import (
    BuildFailed,
    FolderUnusable,
    MachineError,
    ResolveFailed,
    SubjectError,
)
from auditor.core.jobs import OutputMonitor
from runners.hosts.daemon import LABEL, DockerDaemon

pytestmark = pytest.mark.subject
ROOT = Path(__file__).parents[3]
DEVOUR = "x = bytearray({}); x[::4096] = bytes(len(x[::4096]))"
RUNS = """
import sys, time
sys.path[:0] = sys.argv[1:3]
from host_making import docker_place
from pathlib import Path
from process_making import shell
place = docker_place(sys.argv[3], Path(sys.argv[4]))
try:
    place.host.run_process(shell("echo up > up; sleep 600", cwd=place.folder, timeout=600))
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.fixture
def place(docker, tmp_path):
    """A host of containers for what is measured."""
    return docker_place(docker, tmp_path)


@pytest.fixture
def small_place(docker, tmp_path):
    """One whose files are on a disk of 16 MiB."""
    with small_disk(tmp_path / "disk") as disk:
        yield docker_place(docker, disk)


def capture_output(place, text, **more):
    """Return what a shell's words print."""
    answer = place.host.run_process(shell(text, cwd=place.folder, **more))
    assert answer.exit_code == 0, answer.format_tail()
    return answer.stdout.decode()


def failed(place, text):
    """Return the complaint of a shell's words, which have to fail."""
    answer = place.host.run_process(shell(text, cwd=place.folder))
    assert answer.exit_code not in (0, None)
    return answer.stderr.decode()


def left(docker):
    """Return the containers of ours that there are."""
    with client(docker) as api:
        return api.containers(all=True, filters={"label": LABEL})


def test_a_process_is_no_root_and_cannot_become_more(place):
    status = dict(
        line.split(":", 1)
        for line in capture_output(place, "cat /proc/self/status").splitlines()
        if ":" in line
    )

    assert set(status["Uid"].split()) == {str(os.getuid() or 65534)}
    assert {status[field].strip() for field in ("CapEff", "CapPrm", "CapBnd")} == {"0" * 16}
    assert status["NoNewPrivs"].strip() == "1"


def test_nothing_can_be_written_but_what_is_handed_out(place):
    assert "Read-only file system" in failed(place, "touch /etc/here")
    assert "Read-only file system" in failed(place, f"touch {place.folder.parent}/subjects/here")
    assert capture_output(place, "touch here /tmp/here && echo fine") == "fine\n"
    assert (place.folder / "here").exists()


def test_temporary_files_are_gone_after_each_process_and_may_be_run(place):
    text = "printf '#!/bin/sh\\necho run\\n' > /tmp/one; chmod 700 /tmp/one; /tmp/one; ls /tmp/o*"

    assert capture_output(place, text) == "run\n/tmp/one\n"
    assert "one" not in capture_output(place, "ls /tmp").split()


def test_there_is_no_network_while_measuring_and_one_before(docker, tmp_path):
    text = "cat /proc/net/dev"

    measured = docker_place(docker, tmp_path / "a")
    before = docker_host(docker, tmp_path / "b")
    fetched = before.run_process(shell(text, cwd=tmp_path / "b" / "home")).stdout.decode()

    assert [
        line.split(":")[0].strip() for line in capture_output(measured, text).splitlines()[2:]
    ] == ["lo"]
    assert len(fetched.splitlines()) > 3


def test_a_subject_is_made_ready_where_all_of_our_folder_can_be_written(docker, tmp_path):
    host, home = docker_host(docker, tmp_path), tmp_path / "home"

    answer = host.run_process(
        shell("mkdir deep; echo made > deep/one; ls /", cwd=home / "subjects")
    )

    assert (home / "subjects" / "deep" / "one").read_text() == "made\n"
    assert "own" not in answer.stdout.decode().split()


def test_an_image_whose_root_has_a_home_of_its_own_lets_us_through_to_ours(docker, tmp_path):
    """As that of every image does, and ours is where root's cache is."""
    (tmp_path / "Dockerfile").write_text(f"FROM {IMAGE}\nRUN mkdir -m 700 /root\n")
    connected(docker).build_image(tmp_path / "Dockerfile", "bench-audit-test/closed")
    home = Path("/root") if os.getuid() == 0 else tmp_path
    folder = Path(tempfile.mkdtemp(prefix="bench-audit-test-", dir=home))
    try:
        place = docker_place(docker, folder, image="bench-audit-test/closed")

        assert (
            capture_output(place, "echo written > one; cat one; ls /root").split()[0] == "written"
        )
    finally:
        shutil.rmtree(folder)


def test_memory_that_is_used_up_is_told_from_a_crash(place):
    code = DEVOUR.format(2 * MEMORY)
    main_process = place.host.run_process(job("python3", "-c", code, cwd=place.folder))
    child = place.host.run_process(shell(f"python3 -c '{code}'; exit 3", cwd=place.folder))
    crash = place.host.run_process(job("python3", "-c", "import os; os.abort()", cwd=place.folder))

    assert (main_process.exit_code, main_process.exhausted) == (
        -9,
        "256 MiB of memory (docker.memory)",
    )
    assert (child.exit_code, child.exhausted) == (3, "256 MiB of memory (docker.memory)")
    assert (crash.exit_code, crash.exhausted) == (-6, "")


def test_memory_that_is_used_up_while_a_subject_is_made_ready_is_the_machine_s_fault(
    docker, tmp_path
):
    host = docker_host(docker, tmp_path)

    with pytest.raises(MachineError, match="python3 needs more than 256 MiB of memory"):
        host.run_process(job("python3", "-c", DEVOUR.format(2 * MEMORY), cwd=tmp_path / "home"))


def test_a_flood_of_processes_ends_at_the_limit(docker, tmp_path):
    place = docker_place(docker, tmp_path, processes=24)
    text = "for i in $(seq 100); do sleep 5 & done"

    answer = place.host.run_process(shell(text, cwd=place.folder))

    assert "fork" in answer.stderr.decode().lower()


def test_the_processors_can_be_chosen(docker, tmp_path):
    place = docker_place(docker, tmp_path, cpus="0")

    assert capture_output(place, "nproc") == "1\n"
    assert dict(place.host.read_facts().facts)["cores"] == "1"


def test_facts_tell_the_image_and_the_limits(place, docker):
    facts = dict(place.host.read_facts().facts)

    assert facts["container"] == "docker"
    assert facts["image"] == connected(docker).fetch_image(IMAGE).digest
    assert facts["memory"] == "256 MiB"


def test_the_image_s_variables_are_known_and_not_inherited(place, docker):
    assert connected(docker).fetch_image(IMAGE).variables["IMAGE_SAYS"] == "hello"
    assert "IMAGE_SAYS" not in capture_output(place, "env")


def test_an_image_that_cannot_be_had_is_one_line(docker):
    with pytest.raises(ResolveFailed, match="the image absent:1 is not present and cannot be"):
        connected(docker).fetch_image("absent:1")


def test_an_image_is_built_of_a_dockerfile_and_what_fails_is_said(docker, tmp_path):
    (tmp_path / "Dockerfile").write_text(f"FROM {IMAGE}\nENV MADE_HERE=yes\n")
    (tmp_path / "Broken").write_text(f"FROM {IMAGE}\nCOPY absent /\n")

    built = connected(docker).build_image(tmp_path / "Dockerfile", "bench-audit-test/made")

    assert built.variables["MADE_HERE"] == "yes"
    with pytest.raises(BuildFailed, match=r"Broken does not build; it said:(.|\n)*absent"):
        connected(docker).build_image(tmp_path / "Broken", "bench-audit-test/broken")


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("unix:///nonexistent/socket", r"does not answer \("),
        ("tcp://192.0.2.1:2375", "may run on another machine"),
    ],
)
def test_a_daemon_that_is_not_there_is_one_line(address, message):
    with pytest.raises(MachineError, match=message) as raised:
        DockerDaemon({"DOCKER_HOST": address}, "here")
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "ln -s /etc/shadow schedule",
        "mkdir d; ln -s /etc d/inner; true",
        "ln -s /usr/lib tools; ln -s tools/../../etc/passwd schedule",
        "ln -s ../../../.. up",
    ],
)
def test_a_link_that_leads_to_somebody_s_files_is_removed_and_said(place, text):
    with pytest.raises(SubjectError, match="created a link at") as raised:
        place.host.run_process(shell(text, cwd=place.folder))

    assert "it was removed" in str(raised.value)
    links = [path for path in place.folder.rglob("*") if path.is_symlink()]
    assert [str(link.readlink()) for link in links] in ([], ["/usr/lib"])


def test_links_to_tools_and_within_the_folder_stay(place):
    text = "mkdir bin; ln -s /usr/bin/python3 bin/python3; ln -s python3 bin/python; ln -s bin/.. a"

    with pytest.raises(SubjectError):
        place.host.run_process(shell(text, cwd=place.folder))

    assert (place.folder / "bin" / "python").is_symlink()


def test_a_file_of_ours_is_not_written_through_a_link(place, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (place.folder / "schedule").symlink_to(victim)

    with pytest.raises(SubjectError, match="nothing was read or written through it"):
        place.host.run_process(
            shell("true", cwd=place.folder, files=((place.folder / "schedule", b"theirs"),))
        )

    assert victim.read_text() == "mine"


def test_what_tells_a_process_to_end_is_not_made_through_its_link(place, tmp_path):
    victim = tmp_path / "victim"
    follow = OutputMonitor(
        read=lambda data: [(1.0, 1.0)] if data else [],
        judge=lambda *_: 0.5,
        path=Path("shown"),
        enough=Path("enough"),
    )
    text = f"ln -s {victim} enough; echo 1 > shown; sleep 600"

    with pytest.raises(SubjectError, match=f"created a link at .*enough to {victim}"):
        place.host.run_process(shell(text, cwd=place.folder, follow=follow))

    assert not victim.exists()


def started(docker, folder):
    """Start an auditor that runs a container for ten minutes; return once that is up."""
    words = (sys.executable, "-c", RUNS, str(ROOT / "tests"), str(Path(__file__).parent), docker)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    auditor = subprocess.Popen((*words, str(folder)), cwd=ROOT, env=environment)
    until = time.monotonic() + 60
    while not (folder / "home" / "work" / "up").exists():
        assert auditor.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)
    return auditor


def test_a_container_of_a_killed_auditor_is_found_and_removed(docker, tmp_path):
    with started(docker, tmp_path) as auditor:
        assert connected(docker).remove_orphans() == 0, "its auditor still runs"
        auditor.kill()
    assert len(left(docker)) == 1

    assert connected(docker).remove_orphans() == 1
    assert left(docker) == []


def test_an_interrupted_auditor_leaves_no_container(docker, tmp_path):
    with started(docker, tmp_path) as auditor:
        auditor.send_signal(signal.SIGINT)

    assert auditor.returncode == 130
    assert left(docker) == []


def test_what_other_threads_run_can_be_ended(place, docker):
    raised = []

    def work():
        try:
            capture_output(place, "echo up > up; sleep 600", timeout=600)
        except MachineError as error:
            raised.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    while not (place.folder / "up").exists():
        time.sleep(0.05)
    place.host.stop_processes()
    thread.join(60)

    assert raised == ["sh was stopped because another step failed"]
    assert left(docker) == []


def test_containers_carry_no_variable_of_ours(place, docker, monkeypatch):
    monkeypatch.setenv("BENCH_AUDIT_TOKEN", "secret")

    answer = place.host.run_process(shell("env; cat /proc/1/environ", cwd=place.folder))

    assert b"secret" not in answer.stdout
    with client(docker) as api:
        assert "secret" not in json.dumps(api.containers(all=True))


@pytest.mark.parametrize("file", ["big", "/tmp/big"])  # noqa: S108 the container's
def test_a_disk_that_is_full_is_said_and_is_no_crash(small_place, file):
    with pytest.raises(FolderUnusable, match=r"^sh could not write: the disk .* is full; make "):
        small_place.host.run_process(
            shell(f"cat /dev/zero > {file}; exit 1", cwd=small_place.folder)
        )

    assert capture_output(small_place, "rm -f big; echo goes on") == "goes on\n"


def test_what_only_says_that_a_disk_is_full_has_failed_by_itself(place):
    text = "echo no space left on device >&2; exit 1"

    assert place.host.run_process(shell(text, cwd=place.folder)).exit_code == 1
