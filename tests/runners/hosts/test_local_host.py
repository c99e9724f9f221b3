import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fake_host import FakeHost
from process_making import alive, job, number_in, processes_with_parent, shell, wait_until_gone

from auditor.core.errors import FolderUnusable, MachineError, SubjectError, ToolMissing
from auditor.core.jobs import CompletedProcess
from runners.hosts.clock import SystemClock
from runners.hosts.descendants import JobCaps
from runners.hosts.local import LocalHost

ROOT = Path(__file__).parents[3]


LEFT = {
    "a pipe": ("mkfifo out", "not a regular file"),
    "a link": ("ln -s /proc/self/environ out", "it is a symbolic link"),
    "a device": ("ln -s /dev/zero out", "it is a symbolic link"),
    "a folder": ("mkdir out", "it is a folder"),
    "a hole of 60 GB": ("truncate -s 60G out", "is larger than 512 MiB"),
}


@pytest.mark.parametrize(("text", "message"), LEFT.values(), ids=LEFT)
def test_what_a_job_leaves_is_read_where_it_is_a_small_regular_file(tmp_path, text, message):
    with pytest.raises(SubjectError, match=message) as refused:
        LocalHost().run_process(shell(text, cwd=tmp_path, collects=(Path("out"),)))

    assert f"{tmp_path / 'out'}, which the suite has left" in str(refused.value)


def test_the_watchdog_kills_grandchildren_that_ignore_every_request(tmp_path):
    text = 'trap "" INT TERM; sh -c \'trap "" INT TERM; echo $$ > pid; sleep 600\' & sleep 600'

    answer = LocalHost().run_process(shell(text, cwd=tmp_path, timeout=0.5))

    assert answer.timed_out
    assert wait_until_gone(number_in(tmp_path / "pid"))


def test_what_a_job_leaves_behind_is_killed_at_its_end(tmp_path):
    answer = LocalHost().run_process(shell("sleep 600 & echo $! > pid; echo done", cwd=tmp_path))

    assert answer.exit_code == 0
    assert wait_until_gone(number_in(tmp_path / "pid"))


DAEMON = """
import os, time
if os.fork():
    time.sleep(0.3)
    print('parent', flush=True)
    os._exit(0)
os.setsid()
if os.fork():
    os._exit(0)
open('pid', 'w').write(f'{os.getpid()}\\n')
time.sleep(600)
"""
LEAVING = {
    "a double fork": (sys.executable, "-c", DAEMON),
    "setsid": ("sh", "-c", "setsid sh -c 'echo $$ > pid; sleep 600; :' & sleep 0.3; echo parent"),
    "job control": ("sh", "-c", "set -m; sleep 600 & echo $! > pid; echo parent"),
}


@pytest.mark.parametrize("words", LEAVING.values(), ids=LEAVING)
def test_a_process_that_left_the_group_ends_with_its_job(tmp_path, words):
    before = processes_with_parent(os.getpid())

    answer = LocalHost().run_process(job(*words, cwd=tmp_path))

    assert not alive(number_in(tmp_path / "pid"))
    assert answer.exit_code == 0
    assert answer.stdout == b"parent\n"
    assert processes_with_parent(os.getpid()) <= before


def test_what_left_a_job_ends_with_the_last_of_those_beside_it(tmp_path):
    """Whose it is cannot be told, and the other one may need it."""
    host = LocalHost()
    with ThreadPoolExecutor() as pool:
        longer = pool.submit(
            host.run_process,
            shell("echo $$ > long; until [ -e end ]; do sleep 0.1; done", cwd=tmp_path),
        )
        number_in(tmp_path / "long")
        host.run_process(job(sys.executable, "-c", DAEMON, cwd=tmp_path))
        daemon = number_in(tmp_path / "pid")
        assert alive(daemon)
        assert not longer.done()
        (tmp_path / "end").touch()

    assert longer.result().exit_code == 0
    assert not alive(daemon)


def test_children_of_ours_that_are_no_jobs_stay(tmp_path):
    with subprocess.Popen(("sleep", "600"), start_new_session=True) as child:
        LocalHost().run_process(shell("exit", cwd=tmp_path))
        assert alive(child.pid)
        child.kill()


CAPPED = {
    "memory of one process": (
        JobCaps(memory=64 << 20),
        "x = bytearray(200 << 20)\ntime.sleep(60)",
        "64 MiB of memory (local.memory)",
    ),
    "memory of a process that has left": (
        JobCaps(memory=64 << 20),
        "if not os.fork():\n    os.setsid()\n    x = bytearray(200 << 20)\ntime.sleep(60)",
        "64 MiB of memory (local.memory)",
    ),
    "processes": (
        JobCaps(processes=20),
        "for _ in range(40):\n    if not os.fork():\n        break\ntime.sleep(60)",
        "20 processes and threads (local.processes)",
    ),
    "threads": (
        JobCaps(processes=20),
        "for _ in range(40): threading.Thread(target=time.sleep, args=(60,)).start()",
        "20 processes and threads (local.processes)",
    ),
}


@pytest.mark.parametrize(("caps", "text", "message"), CAPPED.values(), ids=CAPPED)
def test_a_job_that_takes_more_than_it_may_is_ended(tmp_path, caps, text, message):
    words = (sys.executable, "-c", f"import os, threading, time\n{text}")
    host = LocalHost(caps=caps)

    answer = host.make_measuring_host(()).run_process(job(*words, cwd=tmp_path))

    assert answer.exhausted == message
    assert answer.exit_code == -signal.SIGKILL
    with pytest.raises(MachineError, match=re.escape(f"needs more than {message} to build the")):
        host.run_process(job(*words, cwd=tmp_path))


def test_a_job_within_its_limits_is_left_alone(tmp_path):
    host = LocalHost(caps=JobCaps(memory=256 << 20, processes=20))

    answer = host.make_measuring_host(()).run_process(shell("sleep 0.3; echo done", cwd=tmp_path))

    assert (answer.exit_code, answer.exhausted, answer.stdout) == (0, "", b"done\n")


def test_a_host_that_measures_is_stopped_with_its_own(tmp_path):
    host = LocalHost()
    same = host.make_measuring_host(())
    host.stop_processes()

    with pytest.raises(MachineError, match="because another step failed"):
        same.run_process(shell("sleep 60", cwd=tmp_path))


def test_a_killed_auditor_leaves_nothing_running(tmp_path):
    text = (
        "import sys; from pathlib import Path\n"
        "from auditor.core.jobs import Invocation\n"
        "from runners.hosts import local\n"
        "folder, capped = Path(sys.argv[1]), local.enforce_caps\n"
        "def kept(*given): (folder / 'kept').write_text('1\\n'); return capped(*given)\n"
        "local.enforce_caps = kept\n"
        "local.LocalHost().run_process(Invocation(argv=('sh', '-c',"
        " 'sh -c \"echo \\\\$\\\\$ > pid; sleep 600\" & sleep 600'), cwd=folder,"
        " environment=(('PATH', '/usr/bin:/bin'),), timeout_seconds=600))\n"
    )
    with subprocess.Popen((sys.executable, "-c", text, str(tmp_path)), cwd=ROOT) as auditor:
        pid = number_in(tmp_path / "pid")
        number_in(tmp_path / "kept")  # by then the keeper has been told of the process
        auditor.kill()

    assert wait_until_gone(pid)


def test_an_interrupted_auditor_leaves_nothing_running(tmp_path):
    text = (
        "import sys; from pathlib import Path\n"
        "from auditor.core.jobs import Invocation\n"
        "from runners.hosts.local import LocalHost\n"
        "try:\n"
        "    LocalHost().run_process(Invocation(argv=('sh', '-c', 'echo $$ > pid; sleep 600'),"
        " cwd=Path(sys.argv[1]), environment=(('PATH', '/usr/bin:/bin'),), timeout_seconds=600))\n"
        "except KeyboardInterrupt:\n    sys.exit(130)\n"
    )
    with subprocess.Popen((sys.executable, "-c", text, str(tmp_path)), cwd=ROOT) as auditor:
        pid = number_in(tmp_path / "pid")
        auditor.send_signal(signal.SIGINT)

    assert auditor.returncode == 130
    assert wait_until_gone(pid)


def test_an_auditor_that_is_interrupted_while_it_starts_a_process_leaves_none(tmp_path):
    text = (
        "import os, signal, subprocess, sys; from pathlib import Path\n"
        "from auditor.core.jobs import Invocation\n"
        "from runners.hosts.local import LocalHost\n"
        "class Interrupted(subprocess.Popen):\n"
        "    def __init__(self, words, **more):\n"
        "        super().__init__(words, **more)\n"
        "        if words[0] == 'sleep':\n"
        "            Path(sys.argv[1], 'pid').write_text(f'{self.pid}\\n')\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "subprocess.Popen = Interrupted\n"
        "try:\n"
        "    LocalHost().run_process(Invocation(argv=('sleep', '600'), cwd=Path(sys.argv[1]),"
        " environment=(('PATH', '/usr/bin:/bin'),), timeout_seconds=600))\n"
        "except KeyboardInterrupt:\n"
        "    back = signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
        "    sys.exit(130 if back else 1)\n"
    )
    completed = subprocess.run((sys.executable, "-c", text, str(tmp_path)), cwd=ROOT, check=False)

    assert completed.returncode == 130
    assert wait_until_gone(number_in(tmp_path / "pid"))


def test_a_missing_program_is_said_with_where_it_was_looked_for(tmp_path):
    with pytest.raises(ToolMissing, match="no-such-program was not found on PATH"):
        LocalHost().run_process(job("no-such-program", cwd=tmp_path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no device that is always full")
def test_a_full_disk_is_one_line(tmp_path):
    with pytest.raises(FolderUnusable, match="the disk is full"):
        LocalHost().run_process(job("true", cwd=tmp_path, files=((Path("/dev/full"), b"x" * 10),)))


def test_the_fake_host_remembers_what_it_was_asked(tmp_path):
    host = FakeHost(
        lambda invocation: CompletedProcess(exit_code=0, stdout=invocation.argv[0].encode())
    )

    answer = host.run_process(job("true", cwd=tmp_path))

    assert answer.stdout == b"true"
    assert [invocation.argv for invocation in host.jobs] == [("true",)]
    assert host.read_facts() == host.read_facts()


def test_the_clock_goes_forward_and_tells_the_time_zone():
    clock = SystemClock()

    assert clock.monotonic() <= clock.monotonic()
    assert clock.now().endswith("+00:00")
