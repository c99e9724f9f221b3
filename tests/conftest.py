"""What holds for every test: nothing is left behind."""

import os
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("ci")

# A shell without job control lets what it starts in the background ignore interrupts, and what
# that starts, too: then a test that interrupts would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests that run side by side are told that their terminal is narrow; they have none.
os.environ.pop("COLUMNS", None)


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    before = (dict(os.environ), Path.cwd(), set(threading.enumerate()))
    yield
    environment, folder, threads = before
    now = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"}
    environment.pop("PYTEST_CURRENT_TEST", None)

    assert now == environment
    assert Path.cwd() == folder
    left = [one for one in threading.enumerate() if one not in threads and not one.daemon]
    assert not left


collect_ignore = ["subjects"]
"""Projects that the tests audit; what they have for tests is theirs."""
