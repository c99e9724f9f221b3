"""A Docker daemon that goes away, or hangs, in the midst of its work."""

import os
import threading
import time

import pytest
from fake_docker import answering
from process_making import shell

from auditor.core.errors import MachineError, ResolveFailed
from runners.home import HomeFolder
from runners.hosts import daemon as daemons
from runners.hosts import docker as containers
from runners.hosts.clock import SystemClock
from runners.hosts.daemon import Image
from runners.hosts.docker import ContainerLimits, DockerHost
from runners.hosts.following import OutputFollower
from runners.hosts.output_watch import OutputWatch, WatchedProcess

IMAGE = Image("some:1", "sha256:1", {})


def ran(daemon, folder):
    """Return how a process ends."""
    home = HomeFolder(folder / "home", mode=0o755)
    host = DockerHost(
        daemon=daemon,
        image=IMAGE,
        limits=ContainerLimits(memory=1 << 30, processes=64),
        home=home,
        private_home=HomeFolder(folder / "own"),
        network="host",
    )
    return host.run_process(shell("true", cwd=home.make_subjects_folder(), timeout=600))


@pytest.fixture(autouse=True)
def quickly(monkeypatch):
    """Have no lag, and no patience, that a test would wait for."""
    monkeypatch.setattr(containers, "_LAG_SECONDS", 0.1)


@pytest.mark.parametrize(
    ("failing_request", "action"),
    [
        ("create", "make a container for sh"),
        ("attach", "hand on the output of sh"),
        ("start", "start sh"),
        ("wait", "wait for sh"),
        ("inspect", "tell how sh has ended"),
        ("remove", "remove the container of sh"),
    ],
)
def test_a_daemon_that_goes_away_is_one_line_at_once(tmp_path, failing_request, action):
    start = time.monotonic()

    with answering(tmp_path, failing_request) as (daemon, requests):
        with pytest.raises(MachineError, match=f"has not answered, asked to {action}") as raised:
            ran(daemon, tmp_path)
        assert requests[-1] == ("create" if failing_request == "create" else "remove")

    assert str(tmp_path / "socket") in str(raised.value)
    assert "see whether it still runs" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert time.monotonic() - start < 60


@pytest.mark.parametrize("failing_request", ["start", "inspect"])
def test_one_that_hangs_is_not_waited_for_without_end(tmp_path, monkeypatch, failing_request):
    monkeypatch.setattr(daemons, "SECONDS", 0.5)

    with (
        answering(tmp_path, failing_request, hangs=True) as (daemon, _),
        pytest.raises(MachineError, match=r"has not answered, asked to .*timed out"),
    ):
        ran(daemon, tmp_path)


def test_a_signal_that_is_not_answered_ends_nothing(tmp_path):
    with answering(tmp_path, "kill") as (daemon, requests):
        assert ran(daemon, tmp_path).exit_code == 0
        assert "kill" in requests


def test_one_that_goes_away_before_anything_runs_is_one_line(tmp_path):
    for number, (failing_request, call, error) in enumerate(
        (
            ("list", lambda daemon: daemon.remove_orphans(), MachineError),
            ("remove", lambda daemon: daemon.remove_orphans(), MachineError),
            ("look", lambda daemon: daemon.fetch_image("some:1"), MachineError),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with (
            answering(folder, failing_request) as (daemon, _),
            pytest.raises(error, match="has not answered"),
        ):
            call(daemon)


def test_a_wait_that_fails_is_an_end(tmp_path):
    """Nothing else would tell of one, until the time is up."""

    def fails():
        raise ResolveFailed("of a kind that nobody expects")

    follower = OutputFollower(shell("true", cwd=tmp_path))
    empty = []
    raised = []
    before, threading.excepthook = (
        threading.excepthook,
        lambda hook_args: raised.append(hook_args.exc_type),
    )
    try:
        watched = WatchedProcess(
            stdout=_closed(), stderr=_closed(), wait=fails, signal=empty.append
        )
        watch = OutputWatch(watched, SystemClock(), 1000, follower)
        assert not watch.wait_until(time.monotonic() + 60)
        watch.drain_pipes()
    finally:
        threading.excepthook = before
    assert raised == [ResolveFailed]
    assert empty == []


def _closed():
    """Return the end of a pipe from which nothing comes."""
    reads, writes = os.pipe()
    os.close(writes)
    return reads
