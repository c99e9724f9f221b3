"""What holds for every test: nothing is left behind."""

import os
import signal
import tempfile
import threading
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("ci")

# A shell without job control lets what it starts in the background ignore interrupts, nohup lets it
# ignore that the terminal was closed, and what that starts, too: then a test that sends such a
# request would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Maven runs for some seconds each time, too short for what the JVM's second compiler and more
# threads for the collection of garbage bring.
os.environ.setdefault("MAVEN_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

# Tests that run side by side are told that their terminal is narrow; they have none.
os.environ.pop("COLUMNS", None)


LONG = Path(__file__).with_name("long.txt")
LONG_ONES = [line for line in LONG.read_text().splitlines() if not line.startswith("#")]
TURNS = 32
TOGETHER = 8
"""Tests of a file that take their turn together, as they share what is set up for them."""


def number_turns(names):
    """Return the turn of each test that takes long, by name."""
    positions, turns = Counter(), {}
    for name in names:
        file = name.partition("::")[0]
        turns[name] = file, positions[file] // TOGETHER
        positions[file] += 1
    groups = {group: number for number, group in enumerate(dict.fromkeys(turns.values()))}
    return {name: groups[group] % TURNS for name, group in turns.items()}


TURN_OF = number_turns(LONG_ONES)
COLLECTED_IDS = set()
TIMED = set()


def pytest_addoption(parser):
    help_text = f"leave the marker `long` off one in {TURNS} of those that take longest"
    parser.addoption("--turn", type=int, metavar="N", help=help_text)


def pytest_itemcollected(item):
    COLLECTED_IDS.add(item.nodeid)
    if item.get_closest_marker("timed"):
        TIMED.add(item.path)
    turn = item.config.option.turn
    if item.nodeid in TURN_OF and (turn is None or TURN_OF[item.nodeid] != turn % TURNS):
        item.add_marker("long")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """Begin with files that run real tools: what takes longest may not be what is left at the end.

    The order is else that of the draw. A test that is named and is not there is an error.
    """
    files = {node_id.partition("::")[0] for node_id in COLLECTED_IDS}
    missing = {
        node_id for node_id in set(LONG_ONES) - COLLECTED_IDS if node_id.partition("::")[0] in files
    }
    if missing and not any("::" in argument for argument in config.args):
        raise pytest.UsageError(f"{LONG.name} names what is no test: {min(missing)}")
    if hidden := [path for path in TIMED if "mark.timed" not in path.read_text()]:
        raise pytest.UsageError(f"scripts/test finds files by mark.timed, not {min(hidden)}")
    slow = {item.path for item in items if item.get_closest_marker("subject")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    before = (dict(os.environ), Path.cwd(), set(threading.enumerate()))
    yield
    environment, folder, threads = before
    now = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"}
    environment.pop("PYTEST_CURRENT_TEST", None)

    assert now == environment
    assert Path.cwd() == folder
    left = [
        thread for thread in threading.enumerate() if thread not in threads and not thread.daemon
    ]
    assert not left


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    """Caches as earlier audits have left them."""
    from warm import of_run

    return of_run(tmp_path_factory)


@pytest.fixture(scope="session")
def docker():
    """The socket of a Docker daemon that is there for the tests of this process."""
    from docker_daemon import daemon, import_tools

    # Sockets have short paths, so it is not below the folder of the tests.
    below = tempfile.TemporaryDirectory(prefix="bench-docker-")
    with below as folder, daemon(Path(folder) / "d") as address:
        import_tools(address)
        yield address


@pytest.fixture(scope="session")
def ssh():
    """A machine that is reached over ssh, for the tests of this process."""
    from ssh_daemon import daemon

    with (
        tempfile.TemporaryDirectory(prefix="bench-ssh-") as folder,
        daemon(Path(folder)) as machine,
    ):
        yield machine


collect_ignore = ["subjects"]
"""Projects that the tests audit; what they have for tests is theirs."""
