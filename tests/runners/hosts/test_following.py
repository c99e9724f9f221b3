"""Processes that are looked at while they run, and end once they have shown enough."""

import subprocess
import sys
from pathlib import Path

import pytest
from process_making import number_in, shell, wait_until_gone

from auditor.core.errors import SubjectError
from auditor.core.jobs import OutputMonitor
from runners.hosts.following import OutputFollower
from runners.hosts.limited import LimitedHost
from runners.hosts.local import LocalHost

ROOT = Path(__file__).parents[3]
OUTPUT_FILE = Path("shown")
COUNTS = "i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); echo $i{}; sleep 0.01; {} done"
LOOKS = COUNTS.format(" >> shown", "if [ -e enough ]; then break; fi;") + "; echo down > torn"
DEAF = COUNTS.format(" >> shown", "")
PRINTS = COUNTS.format("", "")
LOW = 0.2
"""Seconds of grace for a process that does not use them."""


class Counting:
    """Reads whole lines, each an iteration, and has enough after some; remembers them."""

    def __init__(self, enough, grace=30.0):
        self.enough = enough
        self.grace = grace
        self.seen = []
        self._rest = b""

    def read(self, data):
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [(float(line), 0.01) for line in lines]

    def judge(self, seconds, lasted):
        self.seen.append(seconds)
        return self.grace if len(self.seen) == self.enough else None

    def make_monitor(self, path=OUTPUT_FILE, enough=Path("enough")):
        return OutputMonitor(read=self.read, judge=self.judge, path=path, enough=enough)


def raising(path):
    def judge(seconds, lasted):
        raise ZeroDivisionError("a watcher that fails")

    return OutputMonitor(read=Counting(1).read, judge=judge, path=path, enough=Path("enough"))


def lines(path):
    return path.read_text().splitlines()


def test_a_process_that_looks_for_the_file_ends_by_itself(tmp_path):
    counting = Counting(3)

    answer = LocalHost().run_process(
        shell(LOOKS, cwd=tmp_path, collects=(OUTPUT_FILE,), follow=counting.make_monitor())
    )

    assert (answer.exit_code, answer.enough, answer.timed_out) == (0, True, False)
    assert counting.seen == [1.0, 2.0, 3.0]
    assert (tmp_path / "torn").exists()
    assert 3 <= len(answer.files[OUTPUT_FILE].split()) < 2000


def test_a_process_that_does_not_look_is_ended_after_its_grace(tmp_path):
    counting = Counting(3, LOW)

    answer = LocalHost().run_process(shell(DEAF, cwd=tmp_path, follow=counting.make_monitor()))

    assert (answer.exit_code, answer.enough) == (0, True)
    assert (tmp_path / "enough").exists()
    assert 3 < len(lines(tmp_path / OUTPUT_FILE)) < 2000


def test_what_is_printed_can_be_followed_and_is_kept(tmp_path):
    counting = Counting(3)

    answer = LocalHost().run_process(
        shell(PRINTS, cwd=tmp_path, follow=counting.make_monitor(path=None, enough=None))
    )

    assert (answer.exit_code, answer.enough) == (0, True)
    assert answer.stdout.startswith(b"1\n2\n3\n")
    assert len(answer.stdout.split()) < 2000


def test_a_group_that_ignores_requests_is_killed(tmp_path):
    text = (
        f'trap "" INT TERM; sh -c "trap \\"\\" INT TERM; echo \\$\\$ > pid; sleep 600" & '
        f"while [ ! -s pid ]; do sleep 0.01; done; {PRINTS}"
    )

    answer = LocalHost().run_process(
        shell(text, cwd=tmp_path, follow=Counting(30).make_monitor(path=None, enough=None))
    )

    assert answer.enough
    assert wait_until_gone(number_in(tmp_path / "pid"))


@pytest.mark.parametrize("code", [0, 1])
def test_what_a_process_does_when_it_is_asked_to_end_is_no_failure(tmp_path, code):
    """Nobody could tell it before; what had shown enough has not failed."""
    text = f'trap "touch asked; exit {code}" TERM; {PRINTS}'

    answer = LocalHost().run_process(
        shell(text, cwd=tmp_path, follow=Counting(3).make_monitor(path=None, enough=None))
    )

    assert (answer.exit_code, answer.enough) == (0, True)
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize(("text", "path"), [(DEAF, OUTPUT_FILE), (PRINTS, None)])
def test_a_watcher_that_fails_leaves_nothing_running(tmp_path, text, path):
    with pytest.raises(ZeroDivisionError, match="a watcher that fails"):
        LocalHost().run_process(shell(f"echo $$ > pid; {text}", cwd=tmp_path, follow=raising(path)))

    assert wait_until_gone(number_in(tmp_path / "pid"))


def test_one_that_fails_after_it_was_told_has_failed(tmp_path):
    answer = LocalHost().run_process(
        shell(f"{LOOKS}; exit 4", cwd=tmp_path, follow=Counting(3).make_monitor())
    )

    assert (answer.exit_code, answer.enough) == (4, True)


@pytest.mark.parametrize("enough", [3, 4])
def test_what_a_process_shows_at_its_end_is_looked_at_and_its_code_stays(tmp_path, enough):
    counting = Counting(enough)

    answer = LocalHost().run_process(
        shell(
            "printf '1\\n2\\n3\\n' >> shown; exit 3", cwd=tmp_path, follow=counting.make_monitor()
        )
    )

    assert counting.seen == [1.0, 2.0, 3.0]
    assert answer.exit_code == 3


def test_what_ended_an_older_process_does_not_end_the_next(tmp_path):
    (tmp_path / "enough").touch()
    counting = Counting(20)

    answer = LocalHost().run_process(shell(LOOKS, cwd=tmp_path, follow=counting.make_monitor()))

    assert answer.enough
    assert len(counting.seen) == 20


@pytest.mark.parametrize(
    "swap",
    [
        "ln -s {}/victim told/enough",
        "mv told was; ln -s {} told",
        "mv told was; mkdir told",
        "rm -r told",
        "mkfifo told/enough",
    ],
)
def test_what_tells_it_is_made_nowhere_else_whatever_the_process_puts_there(tmp_path, swap):
    work_folder, outside_folder = tmp_path / "theirs", tmp_path / "ours"
    for folder in (work_folder, outside_folder, work_folder / "told"):
        folder.mkdir()
    follow = Counting(3, LOW).make_monitor(enough=Path("told/enough"))

    answer = LocalHost().run_process(
        shell(f"{swap.format(outside_folder)}; {DEAF}", cwd=work_folder, follow=follow)
    )

    assert (answer.exit_code, answer.enough) == (0, True)
    assert list(outside_folder.iterdir()) == []


def test_what_tells_it_lies_in_no_folder_that_a_link_leads_out_to(tmp_path):
    work_folder, outside_folder = tmp_path / "theirs", tmp_path / "ours"
    for folder in (work_folder, outside_folder):
        folder.mkdir()
    (outside_folder / "enough").write_text("mine")
    (work_folder / "told").symlink_to(outside_folder)
    invocation = shell(
        DEAF, cwd=work_folder, follow=Counting(3).make_monitor(enough=Path("told/enough"))
    )

    with pytest.raises(SubjectError, match="nothing was read or written through it"):
        OutputFollower(invocation, work_folder)

    assert (outside_folder / "enough").read_text() == "mine"


def test_one_that_never_shows_enough_has_timed_out(tmp_path):
    counting = Counting(5000)

    answer = LocalHost().run_process(
        shell(DEAF, cwd=tmp_path, timeout=0.5, follow=counting.make_monitor())
    )

    assert answer.timed_out
    assert not answer.enough
    assert counting.seen


def test_a_grace_is_no_longer_than_the_time_that_is_left(tmp_path):
    host = LimitedHost(LocalHost(), lambda: 0.0, AssertionError)

    answer = host.run_process(
        shell(DEAF, cwd=tmp_path, follow=Counting(3, grace=600.0).make_monitor())
    )

    assert answer.enough
    assert answer.exit_code == 0


def test_a_file_that_is_not_there_yet_is_waited_for(tmp_path):
    counting = Counting(3)

    answer = LocalHost().run_process(
        shell(f"sleep 0.1; {LOOKS}", cwd=tmp_path, follow=counting.make_monitor())
    )

    assert answer.enough
    assert counting.seen == [1.0, 2.0, 3.0]


def test_a_killed_auditor_leaves_no_followed_process(tmp_path):
    text = (
        "import sys; from pathlib import Path\n"
        "from auditor.core.jobs import Invocation, OutputMonitor\n"
        "from runners.hosts.local import LocalHost\n"
        "folder = Path(sys.argv[1])\n"
        "def look(_): (folder / 'looked').write_text('1\\n'); return ()\n"
        "LocalHost().run_process(Invocation("
        "argv=('sh', '-c', 'echo $$ > pid; echo > shown; sleep 600'), cwd=folder,"
        " environment=(('PATH', '/usr/bin:/bin'),), timeout_seconds=600,"
        " follow=OutputMonitor(read=look, path=folder / 'shown')))\n"
    )
    with subprocess.Popen((sys.executable, "-c", text, str(tmp_path)), cwd=ROOT) as auditor:
        pid = number_in(tmp_path / "pid")
        number_in(tmp_path / "looked")  # the keeper is told of a process before that is looked at
        auditor.kill()

    assert wait_until_gone(pid)
