"""A machine behind ssh: connections that are lost, a tree that is kept alike, and no secrets told.

What the machine sees is the folder `there` of its daemon, where we see `here`.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from host_making import remote_machine, ssh_place
from process_making import number_in, shell
from ssh_daemon import NAME, SMALL, daemon

from auditor.core.errors import FolderUnusable, MachineError
from auditor.core.jobs import OutputMonitor
from runners.hosts import local
from runners.hosts.clock import SystemClock
from runners.hosts.ssh.opening import connect_host

pytestmark = pytest.mark.subject
ROOT = Path(__file__).parents[3]
BEATS = 'trap "" INT TERM; while true; do echo beat >> beats; sleep 0.02; done'
COUNTS = "i=0; while [ $i -lt 150 ]; do i=$((i + 1)); echo $i; sleep 0.02; done"
RUNS = """
import sys
from contextlib import ExitStack
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from host_making import ssh_place
from process_making import shell
from ssh_daemon import SshDaemon
daemon = SshDaemon.__new__(SshDaemon)
daemon.folder = Path(sys.argv[3])
with ssh_place(daemon, sys.argv[4]) as place:
    place.host.run_process(shell(sys.argv[5], cwd=place.folder, timeout=600))
"""


@pytest.fixture
def name(tmp_path):
    """The name of a folder of our own on the machine."""
    return tmp_path.name


@pytest.fixture
def place(ssh, name):
    """A machine that is reached over ssh, for what is measured."""
    with ssh_place(ssh, name) as result:
        yield result


@pytest.fixture
def own_ssh(tmp_path_factory):
    """A daemon whose connections may be cut, as no other test uses it."""
    folder = tmp_path_factory.mktemp("ssh")
    with daemon(folder) as result:
        yield result


@contextmanager
def later(seconds, *steps):
    """Take steps at their time, some seconds from now and from each other."""

    def take():
        for step in steps:
            time.sleep(seconds)
            step()

    thread = threading.Thread(target=take)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def file_waiter(path):
    """Return a step that is taken once a file is there."""

    def wait():
        deadline = time.monotonic() + 60
        while not path.exists():
            assert time.monotonic() < deadline, f"{path} never came"
            time.sleep(0.02)

    return wait


def beating(path):
    before = path.read_bytes()
    time.sleep(0.5)
    return path.read_bytes() != before


def cleared(folder):
    """Tell whether a folder is empty, and stays so."""
    before = list(folder.iterdir())
    time.sleep(0.3)
    return not before and not list(folder.iterdir())


def numbers(chunks):
    def read(data):
        chunks.append(data)
        return ()

    return OutputMonitor(read=read)


def test_a_process_survives_that_the_connection_is_cut(own_ssh, name):
    chunks = []
    with ssh_place(own_ssh, name) as place, later(0.4, own_ssh.cut, own_ssh.cut, own_ssh.cut):
        answer = place.host.run_process(
            shell(f"{COUNTS}; exit 5", cwd=place.folder, follow=numbers(chunks))
        )

    counted = "".join(f"{number}\n" for number in range(1, 151)).encode()
    assert (answer.exit_code, answer.stdout, answer.stderr) == (5, counted, b"")
    assert b"".join(chunks) == counted


def test_it_is_picked_up_when_the_machine_can_be_reached_again(own_ssh, name):
    with ssh_place(own_ssh, name) as place, later(0.7, own_ssh.stop, own_ssh.cut, own_ssh.start):
        answer = place.host.run_process(shell(f"{COUNTS}; echo over > file", cwd=place.folder))

        assert answer.exit_code == 0
        assert answer.stdout.endswith(b"\n150\n")
        assert (place.folder / "file").read_text() == "over\n"


def test_a_machine_that_stays_away_is_said_and_what_runs_there_is_ended_next_time(own_ssh, name):
    with (
        ssh_place(own_ssh, name, patience_seconds=1.0) as place,
        later(0.1, file_waiter(place.process_folder / "beats"), own_ssh.stop, own_ssh.cut),
        pytest.raises(MachineError, match=f"the connection to {NAME} was lost, and could not be"),
    ):
        place.host.run_process(shell(BEATS, cwd=place.folder))
    assert beating(place.process_folder / "beats")
    own_ssh.start()

    with ssh_place(own_ssh, name):
        assert cleared(place.process_folder)


def test_an_interrupt_ends_what_runs_there(place):
    def judge(_seconds, _lasted):
        raise KeyboardInterrupt

    follow = OutputMonitor(read=lambda _: [(1.0, 1.0)], judge=judge)
    with pytest.raises(KeyboardInterrupt):
        place.host.run_process(shell(f"echo go; {BEATS}", cwd=place.folder, follow=follow))

    assert not beating(place.process_folder / "beats")


def test_what_a_killed_auditor_has_left_is_ended_when_the_next_one_comes(ssh, name):
    words = (
        sys.executable, "-c", RUNS, Path(__file__).parent, ROOT / "tests", ssh.folder, name,
        f"echo $$ > number; echo more > other; {BEATS}",
    )  # fmt: skip
    work = ssh.folder / "there" / name / "tree" / "work"
    with subprocess.Popen(words, cwd=ROOT, env=ssh.environment) as auditor:
        number_in(work / "number", within=30)
        assert beating(work / "beats")
        auditor.kill()

    with ssh_place(ssh, name) as place:
        assert cleared(place.process_folder)


def test_a_supervisor_that_is_ended_is_said_and_what_it_watched_is_ended(place, ssh, name):
    def end_supervisor():
        jobs = ssh.folder / "there" / name / "state" / "jobs"
        (supervisor,) = [path.read_text() for path in jobs.glob("*/supervisor")]
        os.kill(int(supervisor.partition("-")[0]), signal.SIGKILL)

    with (
        later(0.1, file_waiter(place.process_folder / "beats"), end_supervisor),
        pytest.raises(MachineError, match="ended before its process"),
    ):
        place.host.run_process(shell(BEATS, cwd=place.folder))

    assert not beating(place.process_folder / "beats")
    assert place.host.run_process(shell("exit 3", cwd=place.folder)).exit_code == 3


BUSY = """
echo on > on; n=0
until [ -e end ] || [ $n -gt 600 ]; do sleep .1; n=$((n + 1)); done
"""


@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.1, 0.5])
def test_a_job_that_waits_for_others_and_is_given_up_never_runs(ssh, name, seconds):
    failures = []

    def wait(place):
        try:
            place.host.run_process(shell("echo ran > ran", cwd=place.folder))
        except MachineError as error:
            failures.append(str(error))

    with ssh_place(ssh, name) as busy, ssh_place(ssh, f"{name}-2") as place:
        measuring = threading.Thread(
            target=busy.host.run_process, args=(shell(BUSY, cwd=busy.folder),)
        )
        measuring.start()
        while not (busy.process_folder / "on").exists():
            time.sleep(0.02)
        waiting = threading.Thread(target=wait, args=(place,))
        waiting.start()
        time.sleep(seconds)
        place.host.stop_processes()
        waiting.join()
        assert measuring.is_alive()
        (busy.process_folder / "end").touch()
        measuring.join()

        assert failures == ["sh was stopped because another step failed"]
        time.sleep(1.5)
        assert not (place.process_folder / "ran").exists()


def test_a_folder_whose_name_has_blanks_may_be_written(ssh, name):
    machine = remote_machine(ssh, name)
    with connect_host(machine, ssh.environment, SystemClock()) as (host, _):
        folder = machine.tree_folder / "a b 'c"
        folder.mkdir()
        (folder / "kept").write_text("mine")
        measured = host.make_measuring_host((folder,))

        assert measured.run_process(shell("cat kept; echo got > got", cwd=folder)).stdout == b"mine"
        assert sorted(path.name for path in folder.iterdir()) == ["got", "kept"]


def test_files_links_and_folders_take_each_others_places(place):
    for name in ("file", "gone/deep/in", "linked/in"):
        (place.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (place.folder / name).write_text(name)
    (place.folder / "link").symlink_to("linked")

    answer = place.host.run_process(
        shell(
            "rm -r link file gone; mkdir link file; echo 1 > link/new; echo 2 > file/new; "
            "mv linked other; ln -s other linked",
            cwd=place.folder,
        )
    )

    assert answer.exit_code == 0, answer
    texts = {str(path.relative_to(place.folder)) for path in place.folder.rglob("*")}
    assert texts == {"link", "link/new", "file", "file/new", "other", "other/in", "linked"}
    assert not (place.folder / "link").is_symlink()
    assert (place.folder / "linked").readlink() == Path("other")
    assert place.host.run_process(shell("ls -d gone; cat linked/in", cwd=place.folder)).stdout == (
        b"linked/in"
    )


def test_what_is_written_here_while_a_process_ends_there_stays(place):
    (place.folder / "old").write_text("old")
    place.host.run_process(shell("true", cwd=place.folder))
    stop = threading.Event()

    def write():
        for number in range(10_000):
            if stop.is_set():
                return
            (place.folder / f"new-{number}").write_text("new")
            time.sleep(0.001)

    writing = threading.Thread(target=write)
    writing.start()
    threads = [
        threading.Thread(
            target=place.host.run_process,
            args=(shell(f"echo {index} > made-{index}", cwd=place.folder),),
        )
        for index in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    writing.join()

    names = {path.name for path in place.folder.iterdir()}
    new_names = [file_name for file_name in names if file_name.startswith("new-")]
    assert {f"new-{index}" for index in range(len(new_names))} == set(new_names)
    assert {f"made-{index}" for index in range(6)} < names


def test_the_tree_is_kept_alike_in_both_directions(place):
    odd = "a b\n'c\" \\ ü €"
    (place.folder / odd).mkdir()
    (place.folder / odd / "in").write_text("first")
    (place.folder / "empty" / "deep").mkdir(parents=True)
    (place.folder / "program").write_text("#!/bin/sh\necho ran\n")
    (place.folder / "program").chmod(0o755)
    (place.folder / "link").symlink_to("program")

    answer = place.host.run_process(
        shell(
            "./link; ls -d empty/deep; cat */in; rm program; mkdir new; echo 2 > new/out; "
            "touch stays; chmod 750 stays; ln -s new/out inside; ln -s /etc/passwd away; rm link; "
            "mkdir bare; mkfifo pipe",
            cwd=place.folder,
        )
    )

    assert answer.stdout == b"ran\nempty/deep\nfirst"
    assert sorted(path.name for path in place.folder.iterdir()) == sorted(
        [odd, "bare", "empty", "inside", "new", "stays"]
    )
    assert (place.folder / "inside").read_text() == "2\n"
    assert (place.folder / "stays").stat().st_mode & 0o777 == 0o750
    assert (place.process_folder / "away").is_symlink()

    (place.folder / odd / "in").unlink()
    (place.folder / odd).rmdir()
    (place.folder / "inside").unlink()
    (place.folder / "inside").mkdir()
    (place.folder / "new" / "out").write_text("3\n")
    assert place.host.run_process(shell("ls; cat new/out", cwd=place.folder)).stdout == (
        b"away\nbare\nempty\ninside\nnew\npipe\nstays\n3\n"
    )


def test_what_is_measured_finds_the_caches_of_what_was_built(ssh, name):
    machine = remote_machine(ssh, name)
    with connect_host(machine, ssh.environment, SystemClock()) as (host, _):
        cache = machine.tree_folder / "cache" / "go" / "tmp"
        cache.mkdir(parents=True)
        (machine.tree_folder / "work").mkdir()
        host.run_process(shell("echo kept > kept; echo seen > ../../seen", cwd=cache))
        measured = host.make_measuring_host((machine.tree_folder / "work",))

        assert measured.run_process(shell("cat kept", cwd=cache)).stdout == b"kept\n"
    assert (machine.tree_folder / "cache" / "seen").read_text() == "seen\n"
    assert not (cache / "kept").exists()


def test_the_tree_is_alike_again_after_a_pause(ssh, name):
    with ssh_place(ssh, name) as place:
        place.host.run_process(shell("echo a > a; echo b > b; echo c > c", cwd=place.folder))
    (place.folder / "a").unlink()
    (place.folder / "b").write_text("mine")
    (place.process_folder / "extra").write_text("of nobody")
    sent = place.process_folder / "c"
    before = sent.stat().st_mtime_ns, sent.stat().st_ino

    with ssh_place(ssh, name) as place:
        answer = place.host.run_process(shell("ls; cat b", cwd=place.folder))

        assert answer.stdout == b"b\nc\nmine"
        assert (sent.stat().st_mtime_ns, sent.stat().st_ino) == before


def test_a_machine_that_was_emptied_gets_everything_anew(ssh, name):
    with ssh_place(ssh, name) as place:
        place.host.run_process(shell("echo a > a", cwd=place.folder))
    subprocess.run(("rm", "-rf", place.process_folder.parents[1]), check=True)

    with ssh_place(ssh, name) as place:
        assert place.host.run_process(shell("cat a", cwd=place.folder)).stdout == b"a\n"


@pytest.mark.parametrize("days", [-1, 1])
def test_a_machine_whose_clock_is_days_away_from_ours_is_kept_alike(place, days):
    then = time.time_ns() + days * 86_400 * 10**9
    names = ("kept", "changed", "removed")
    for name in names:
        (place.folder / name).write_text("here\n")
        os.utime(place.folder / name, ns=(then, then))
    kept_stat = (place.folder / "kept").stat()

    words = "cat kept changed removed; echo there > changed; rm removed; echo new > new"
    answer = place.host.run_process(shell(words, cwd=place.folder))

    assert answer.stdout == b"here\n" * 3
    left = {path.name: path.read_text() for path in place.folder.iterdir()}
    assert left == {"kept": "here\n", "changed": "there\n", "new": "new\n"}
    assert (place.folder / "kept").stat().st_ino == kept_stat.st_ino  # it was not fetched
    (place.folder / "new").write_text("her\n")  # as long as before
    os.utime(place.folder / "new", ns=(then, then))
    assert place.host.run_process(shell("cat new", cwd=place.folder)).stdout == b"her\n"


def test_a_key_that_only_an_agent_has_is_used(own_ssh, name):
    socket = own_ssh.folder / "agent"
    with subprocess.Popen(("ssh-agent", "-D", "-a", socket), stdout=subprocess.DEVNULL) as agent:
        file_waiter(socket)()
        agent_variables = {"SSH_AUTH_SOCK": str(socket)}
        words = ("ssh-add", "-q", own_ssh.folder / "client")
        subprocess.run(words, env=os.environ | agent_variables, check=True)
        (own_ssh.folder / "client").unlink()
        try:
            with (
                pytest.raises(MachineError, match="Permission denied"),
                connect_host(remote_machine(own_ssh, name), own_ssh.environment, SystemClock()),
            ):
                pass
            with connect_host(
                remote_machine(own_ssh, name), own_ssh.environment | agent_variables, SystemClock()
            ) as (
                host,
                _,
            ):
                assert host.read_facts().facts
        finally:
            agent.terminate()


def test_machines_that_share_their_files_send_none(tmp_path_factory, name):
    folder = tmp_path_factory.mktemp("ssh")
    with daemon(folder, shared=True) as result, ssh_place(result, name) as place:
        (place.folder / "in").write_text("here")
        job = shell("cat in; echo got > out; exit 3", cwd=place.folder, collects=(Path("out"),))
        answer = place.host.run_process(job)

        assert (answer.exit_code, answer.stdout) == (3, b"here")
        assert answer.files == {Path("out"): b"got\n"}
        assert not (folder / "there" / name).exists()


@pytest.mark.parametrize(
    "text",
    ["ln -s /proc/self/environ out", "mkfifo out", "truncate -s 513M out"],
    ids=["link", "pipe", "large"],
)
def test_nothing_is_taken_of_what_is_no_small_regular_file(place, text):
    job = shell(f"rm -f out; {text}", cwd=place.folder, collects=(Path("out"),))

    answer = place.host.run_process(job)

    assert (answer.exit_code, answer.files) == (0, {})


def test_no_variable_is_on_a_command_line_or_stays_in_a_file(place, ssh, name):
    job = shell("cat /proc/*/cmdline; ps -eo args; echo $TOKEN > /dev/null", cwd=place.folder)
    secret = "b" + "7" * 20

    def with_secret(invocation):
        return type(invocation)(
            argv=invocation.argv,
            cwd=invocation.cwd,
            environment=(*invocation.environment, ("TOKEN", secret)),
            timeout_seconds=invocation.timeout_seconds,
        )

    answer = place.host.run_process(with_secret(job))
    place.host.run_process(shell("true", cwd=place.folder))

    assert b"far.sh" in answer.stdout
    assert secret.encode() not in answer.stdout
    state_files = (ssh.folder / "there" / name / "state").rglob("*")
    assert not [path for path in state_files if path.is_file() and secret in path.read_text()]


def test_a_process_runs_on_the_processors_that_it_is_given(ssh, name):
    with ssh_place(ssh, name, processors="0") as place:
        assert place.host.run_process(shell("nproc", cwd=place.folder)).stdout == b"1\n"


def test_what_of_ours_runs_there_keeps_off_them_where_there_are_others(ssh, name):
    first, *other_processors = sorted(os.sched_getaffinity(0))
    assert other_processors, "one processor is too few to tell"
    with ssh_place(ssh, name, processors=str(first)) as place:
        # The parent of a process there is the supervisor.
        words = "taskset -pc $$; taskset -pc $PPID"
        lines = place.host.run_process(shell(words, cwd=place.folder)).stdout.decode().splitlines()

    process_cpus, supervisor_cpus = (
        local.parse_processors(line.rpartition(": ")[2]) for line in lines
    )
    assert process_cpus == {first}
    assert supervisor_cpus == set(other_processors)


def test_two_auditors_of_one_machine_measure_in_turns(ssh, name):
    spans = []

    def measure(auditor_number):
        with ssh_place(ssh, f"{name}-{auditor_number}") as place:
            answer = place.host.run_process(
                shell("date +%s%N; sleep 0.5; date +%s%N", cwd=place.folder)
            )
            spans.append(tuple(int(stamp) for stamp in answer.stdout.split()))

    threads = [threading.Thread(target=measure, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    first, second = sorted(spans)
    assert first[1] <= second[0]


def test_starting_twice_is_starting_once(place, monkeypatch):
    connection = place.host._connection
    ask = connection.call_verb

    def twice(verb, *words, **more):
        if verb == "start":
            ask(verb, *words, **more)
        return ask(verb, *words, **more)

    monkeypatch.setattr(connection, "call_verb", twice)
    place.host.run_process(shell("echo ran >> ran; sleep 0.2", cwd=place.folder))

    assert (place.folder / "ran").read_text() == "ran\n"


def test_of_endless_output_the_ends_are_kept_and_the_disk_is_spared(place, ssh, name):
    text = "echo first; i=0; while [ $i -lt 5 ]; do head -c 20000000 /dev/zero; i=$((i + 1)); "
    text += "sleep 1; done; du -sm ../../state >&2; echo last"

    answer = place.host.run_process(shell(text, cwd=place.folder, output_limit=1000))

    assert answer.truncated
    assert len(answer.stdout) == 1000
    assert answer.stdout.startswith(b"first\n")
    assert answer.stdout.endswith(b"last\n")
    assert int(answer.stderr.split()[0]) < 90


def test_a_disk_that_is_full_there_is_said_and_ends_nothing_else(ssh):
    with ssh_place(ssh, SMALL) as place:
        with pytest.raises(FolderUnusable, match=r"the disk of .* on bench-machine is full"):
            place.host.run_process(shell("cat /dev/zero > big; exit 1", cwd=place.folder))
        with pytest.raises(FolderUnusable, match=r"the disk of .* on bench-machine is full"):
            place.host.run_process(shell("true", cwd=place.folder))

    with ssh_place(ssh, SMALL) as place:
        assert place.host.run_process(shell("ls", cwd=place.folder)).exit_code == 0


def test_a_tree_that_is_larger_than_the_disk_there_is_said(ssh):
    with ssh_place(ssh, SMALL) as place:
        large = place.folder / "large"
        large.write_bytes(bytes(20_000_000))
        with pytest.raises(FolderUnusable, match=r"the disk of .* on bench-machine is full"):
            place.host.run_process(shell("true", cwd=place.folder))
        large.unlink()

        assert place.host.run_process(shell("ls", cwd=place.folder)).stdout == b""


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("stranger", "Host key verification failed"),
        ("nobody@bench-machine", "Permission denied"),
        ("nonexistent.invalid", "nonexistent.invalid cannot be used: ssh: Could not resolve"),
    ],
)
def test_a_machine_that_cannot_be_used_is_one_line(ssh, name, target, message):
    machine = remote_machine(ssh, name)
    unusable_machine = type(machine)(
        target=target, folder=machine.folder, processors="", patience_seconds=30.0
    )

    with (
        pytest.raises(MachineError, match=message) as raised,
        connect_host(unusable_machine, ssh.environment, SystemClock()),
    ):
        raise AssertionError(target)
    assert "\n" not in str(raised.value)


def test_stopping_ends_what_other_threads_run_there(place):
    failures = []

    def run():
        try:
            place.host.run_process(shell(BEATS, cwd=place.folder))
        except MachineError as error:
            failures.append(str(error))

    thread = threading.Thread(target=run)
    thread.start()
    while not (place.process_folder / "beats").exists():
        time.sleep(0.02)
    place.host.stop_processes()
    thread.join()

    assert failures == ["sh was stopped because another step failed"]
    assert not beating(place.process_folder / "beats")
