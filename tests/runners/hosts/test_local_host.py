import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from process_making import gone, job, number_in, shell

from auditor.core.errors import FolderUnusable, SubjectError, ToolMissing
from auditor.core.jobs import Completed
from runners.hosts.clock import SystemClock
from runners.hosts.fake import FakeHost
from runners.hosts.local import LocalHost

ROOT = Path(__file__).parents[3]


LEFT = {
    "a pipe": ("mkfifo out", "no regular file"),
    "a link": ("ln -s /proc/self/environ out", "it is a link"),
    "a device": ("ln -s /dev/zero out", "it is a link"),
    "a folder": ("mkdir out", "it is a folder"),
    "a hole of 60 GB": ("truncate -s 60G out", "holds more than 512 MiB"),
}


@pytest.mark.parametrize(("text", "said"), LEFT.values(), ids=LEFT)
def test_what_a_job_leaves_is_read_where_it_is_a_small_regular_file(tmp_path, text, said):
    with pytest.raises(SubjectError, match=said) as refused:
        LocalHost().run(shell(text, cwd=tmp_path, collects=(Path("out"),)))

    assert f"{tmp_path / 'out'}, which the suite has left" in str(refused.value)


def test_the_watchdog_kills_grandchildren_that_ignore_every_request(tmp_path):
    text = 'trap "" INT TERM; sh -c \'trap "" INT TERM; echo $$ > pid; sleep 600\' & sleep 600'

    answer = LocalHost().run(shell(text, cwd=tmp_path, timeout=0.5))

    assert answer.timed_out
    assert gone(number_in(tmp_path / "pid"))


def test_what_a_job_leaves_behind_is_killed_at_its_end(tmp_path):
    answer = LocalHost().run(shell("sleep 600 & echo $! > pid; echo done", cwd=tmp_path))

    assert answer.exit_code == 0
    assert gone(number_in(tmp_path / "pid"))


def test_a_process_that_left_the_group_cannot_make_us_wait(tmp_path):
    text = (
        "import os, time\n"
        "if os.fork():\n    time.sleep(0.3)\n    print('parent', flush=True)\n    os._exit(0)\n"
        "os.setsid()\n"
        "open('pid', 'w').write(f'{os.getpid()}\\n')\n"
        "time.sleep(600)\n"
    )
    try:
        answer = LocalHost().run(job(sys.executable, "-c", text, cwd=tmp_path))
    finally:
        os.kill(number_in(tmp_path / "pid"), signal.SIGKILL)

    assert answer.exit_code == 0
    assert answer.stdout == b"parent\n"


def test_a_killed_auditor_leaves_nothing_running(tmp_path):
    text = (
        "import sys; from pathlib import Path\n"
        "from auditor.core.jobs import Invocation\n"
        "from runners.hosts.local import LocalHost\n"
        "LocalHost().run(Invocation(argv=('sh', '-c', 'sh -c \"echo \\\\$\\\\$ > pid; sleep 600\"'"
        " ' & sleep 600'), cwd=Path(sys.argv[1]), environment=(('PATH', '/usr/bin:/bin'),),"
        " timeout_seconds=600))\n"
    )
    with subprocess.Popen((sys.executable, "-c", text, str(tmp_path)), cwd=ROOT) as auditor:
        pid = number_in(tmp_path / "pid")
        auditor.kill()

    assert gone(pid)


def test_an_interrupted_auditor_leaves_nothing_running(tmp_path):
    text = (
        "import sys; from pathlib import Path\n"
        "from auditor.core.jobs import Invocation\n"
        "from runners.hosts.local import LocalHost\n"
        "try:\n"
        "    LocalHost().run(Invocation(argv=('sh', '-c', 'echo $$ > pid; sleep 600'),"
        " cwd=Path(sys.argv[1]), environment=(('PATH', '/usr/bin:/bin'),), timeout_seconds=600))\n"
        "except KeyboardInterrupt:\n    sys.exit(130)\n"
    )
    with subprocess.Popen((sys.executable, "-c", text, str(tmp_path)), cwd=ROOT) as auditor:
        pid = number_in(tmp_path / "pid")
        auditor.send_signal(signal.SIGINT)

    assert auditor.returncode == 130
    assert gone(pid)


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
        "    LocalHost().run(Invocation(argv=('sleep', '600'), cwd=Path(sys.argv[1]),"
        " environment=(('PATH', '/usr/bin:/bin'),), timeout_seconds=600))\n"
        "except KeyboardInterrupt:\n"
        "    back = signal.getsignal(signal.SIGINT) is signal.default_int_handler\n"
        "    sys.exit(130 if back else 1)\n"
    )
    done = subprocess.run((sys.executable, "-c", text, str(tmp_path)), cwd=ROOT, check=False)

    assert done.returncode == 130
    assert gone(number_in(tmp_path / "pid"))


def test_a_missing_program_is_said_with_where_it_was_looked_for(tmp_path):
    with pytest.raises(ToolMissing, match="no-such-program was not found on PATH"):
        LocalHost().run(job("no-such-program", cwd=tmp_path))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no device that is always full")
def test_a_full_disk_is_one_line(tmp_path):
    with pytest.raises(FolderUnusable, match="the disk is full"):
        LocalHost().run(job("true", cwd=tmp_path, files=((Path("/dev/full"), b"x" * 10),)))


def test_the_fake_host_remembers_what_it_was_asked(tmp_path):
    host = FakeHost(lambda asked: Completed(exit_code=0, stdout=asked.argv[0].encode()))

    answer = host.run(job("true", cwd=tmp_path))

    assert answer.stdout == b"true"
    assert [asked.argv for asked in host.jobs] == [("true",)]
    assert host.facts() == host.facts()


def test_the_clock_goes_forward_and_tells_the_time_zone():
    clock = SystemClock()

    assert clock.monotonic() <= clock.monotonic()
    assert clock.now().endswith("+00:00")
