"""An interrupted program ends, whatever becomes of the exception."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BEGIN = """
import hashlib, sys, time
from auditor.cli.interrupts import InterruptHandler

interrupts = InterruptHandler(1.0)
interrupts.install_handlers()
"""
READY = "print('ready', flush=True)"
SWALLOWED = f"""
try:
    {READY}
    time.sleep(60)
except KeyboardInterrupt:
    pass
while True:
    time.sleep(60)
"""
ENDLESS = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2_000_000_000)"
"""Takes half an hour, and looks for no signals."""
IN_C = f"""
try:
    {READY}
    {ENDLESS}
except KeyboardInterrupt:
    {ENDLESS}
"""
TIDYING = f"""
try:
    {READY}
    time.sleep(60)
except KeyboardInterrupt:
    print("tidying", flush=True)
    time.sleep(0.5)
    print("tidy", interrupts.requested, flush=True)
    sys.exit(7)
"""


def started(rest):
    process = subprocess.Popen(
        (sys.executable, "-c", BEGIN + rest), cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("rest", [SWALLOWED, IN_C], ids=["swallowed", "in-c"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_program_that_an_interrupt_does_not_end_is_ended(rest, number):
    with started(rest) as process:
        process.send_signal(number)
        try:
            assert process.wait(60) == 130
        finally:
            process.kill()


def test_a_second_request_does_not_tear_off_what_is_tidied_up():
    with started(TIDYING) as process:
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "tidying\n"
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGTERM)

        assert process.stdout.readline() == "tidy True\n"
        assert process.wait(60) == 7


def test_what_is_to_be_ignored_is_ignored():
    """As nohup asks for."""
    ignoring = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
    process = subprocess.Popen(
        (
            sys.executable,
            "-c",
            f"{ignoring}{BEGIN}{READY}\ntime.sleep(0.5)\nprint('over', flush=True)",
        ),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGHUP)

        assert process.stdout.readline() == "over\n"
