"""Requests to end before a command is known and after it is done: one line, one exit code."""

import signal
import subprocess
import sys

import pytest

MESSAGE = "interrupted; what was measured is kept, the same command goes on"
SENDS = """
import atexit, os, signal, sys
from pathlib import Path

def send():
    for number in NUMBERS:
        os.kill(os.getpid(), number)

WHERE
sys.argv = ["bench-audit", "--version"]
from auditor.__main__ import entry
entry()
"""
WHILE_LOADED = """
class Finder:
    def find_spec(self, name, *rest):
        if name == "auditor.cli.context":
            send()

sys.meta_path.insert(0, Finder())
"""
IN_A_TEXT_THAT_IS_RUN = WHILE_LOADED.replace("send()", "exec('send()', {'send': send})")
"""As data classes are made: the interpreter takes that for the end of the program."""
WHERE_NOTHING_CAN_BE_RAISED = """
import time, weakref
from auditor.cli import main

class Lock:
    pass

def sleep(before=main.gc.collect):
    lock = Lock()
    reference = weakref.ref(lock, lambda _: send())
    del lock
    time.sleep(5)
    return before()

main.gc.collect = sleep
"""
"""As in callbacks of the import system: the interpreter drops what they raise."""
AT_THE_END = """
from auditor.cli import main

def collect(before=main.gc.collect):
    send()
    return before()

main.gc.collect = collect
"""
WHEN_ALL_IS_DONE = """
class Finder:
    def find_spec(self, name, *rest):
        if name == "auditor.cli.context":
            atexit.register(send)

sys.meta_path.insert(0, Finder())
"""
FLOOD = """
import subprocess

class Finder:
    def find_spec(self, name, *rest):
        if name == "auditor.cli.context":
            atexit.register(flood)

def flood():
    words = "while kill -INT $PPID && kill -TERM $PPID; do :; done"
    subprocess.Popen(("sh", "-c", words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

sys.meta_path.insert(0, Finder())
"""


def ended(folder, moment, *numbers):
    text = SENDS.replace("NUMBERS", str(tuple(map(int, numbers)))).replace("WHERE", moment)
    (folder / "sending.py").write_text(text)
    completed = subprocess.run(
        (sys.executable, "-m", "sending"), cwd=folder, capture_output=True, text=True, check=False
    )
    return completed.returncode, completed.stdout, completed.stderr


@pytest.mark.parametrize(
    "moment", [WHILE_LOADED, IN_A_TEXT_THAT_IS_RUN, WHERE_NOTHING_CAN_BE_RAISED, AT_THE_END]
)
@pytest.mark.parametrize(
    "numbers", [(signal.SIGINT,), (signal.SIGTERM, signal.SIGHUP), (signal.SIGHUP, signal.SIGINT)]
)
def test_a_request_at_any_moment_is_one_line(tmp_path, moment, numbers):
    code, _, err = ended(tmp_path, moment, *numbers)

    assert (code, err) == (130, f"{MESSAGE}\n")


@pytest.mark.parametrize("moment", [WHEN_ALL_IS_DONE, FLOOD])
def test_what_comes_when_all_is_done_changes_nothing(tmp_path, moment):
    code, out, err = ended(tmp_path, moment, signal.SIGINT, signal.SIGTERM)

    assert (code, err) == (0, "")
    assert out.startswith("bench-audit ")
