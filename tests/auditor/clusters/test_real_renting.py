"""Machines that are rented for an audit are gone after it, however it ends."""

import json
import os
import re
import signal
import sqlite3
import sys
import time
from contextlib import suppress
from pathlib import Path

import made_up_cloud
import pytest
from made_up_cloud import LATE_SECONDS, LIST, REMOVE, ended, machines
from real_program import PYTHON_RING, QUICK, runs, write
from ssh_daemon import NAME, daemon

pytestmark = pytest.mark.subject

TESTS = Path(__file__).parents[2]
KNOWN_BY_FEW = "a-word-of-power"


@pytest.fixture
def cloud(tmp_path):
    folder = tmp_path / "cloud"
    folder.mkdir()
    yield folder
    made_up_cloud.end(folder)


def audit(tmp_path, cloud, *, repeated=2, **rented):
    """Return the words of an audit on two rented machines, and the variables that it needs."""
    rent_settings = {
        "cluster": "made_up_cloud.MadeUpCloud",
        "options": {"folder": str(cloud), "name": "{id}", "secret": KNOWN_BY_FEW},
        "workers": 2,
        "listed_by": ["sh", "-c", LIST, "sh", str(cloud)],
        "removed_by": ["sh", "-c", REMOVE, "sh", str(cloud), "{machines}"],
        **rented,
    }
    (tmp_path / "rented.json").write_text(json.dumps(rent_settings))
    audit_settings = {"subject": str(PYTHON_RING), "harness": "pytest", "benchmarks": "tiny|push"}
    dask = {"patience": "60s", "crowded": True}
    path = tmp_path / "config.json"
    path.write_text(
        json.dumps({**QUICK, **audit_settings, "stability_runs": repeated, "dask": dask})
    )
    words = ("stability", path, "--rent", tmp_path / "rented.json", "-o", tmp_path / "out")
    return words, {"PYTHONPATH": str(TESTS)}


def test_an_audit_runs_on_machines_that_are_gone_afterwards(program, cloud, tmp_path):
    words, variables = audit(tmp_path, cloud, hourly=0.5)

    document, err = program.audited(*words, **variables)

    assert [benchmark["runs"] for benchmark in document["benchmarks"]] == [2, 2]
    assert "3 machines: about 0.0" in err
    assert machines(cloud) == []
    assert ended(cloud)
    assert KNOWN_BY_FEW.encode() not in (tmp_path / "out" / "store.sqlite").read_bytes()
    assert "Nothing is rented." in program.call("hosts", "list").stdout


def test_a_dry_run_rents_nothing(program, cloud, tmp_path):
    words, variables = audit(tmp_path, cloud)

    for arguments in ((*words, "--dry-run"), ("abs", *words[1:], "--so-far")):
        answer = program.call(*arguments, **variables)

        assert (answer.returncode, answer.stdout) == (2, "")
        assert "--dry-run and --so-far rent no machines; replace" in answer.stderr
    assert (machines(cloud), rented(program)) == ([], [])

    settings = json.loads(words[1].read_text())
    settings = {**settings, "dispatch": "dask", "dask": {"rent": str(words[3])}}
    words[1].write_text(json.dumps(settings))
    command, path, *_ = words
    plan = program.call(command, path, "--dispatch", "serial", "--dry-run", **variables)
    assert (plan.returncode, machines(cloud)) == (0, []), plan


def rented(program):
    return list((program.state / "bench-audit" / "rented").glob("*.json"))


def stored(tmp_path):
    store = tmp_path / "out" / "store.sqlite"
    try:
        return len(runs(store)) if store.exists() else 0
    except sqlite3.OperationalError:  # it is being made
        return 0


MOMENTS = {
    "before there is any": lambda program, _cloud, _out: rented(program),
    "with workers": lambda _program, cloud, _out: len(machines(cloud)) == 3,
    "while they measure": lambda _program, _cloud, out: stored(out) > 0,
    "while they are removed": lambda _program, cloud, _out: (cloud / "removing").exists(),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_a_killed_audit_has_rented_is_removed_by_hosts_clean(program, cloud, tmp_path, moment):
    at_the_end = moment == "while they are removed"
    if at_the_end:
        (cloud / "slow").touch()
    words, variables = audit(tmp_path, cloud, repeated=1 if at_the_end else 200)
    with program.start(*words, **variables) as process:
        until = time.monotonic() + 120
        while not MOMENTS[moment](program, cloud, tmp_path):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < until
            time.sleep(0.01)
        process.kill()
    (cloud / "slow").unlink(missing_ok=True)
    time.sleep(LATE_SECONDS / 2)  # what was asked for last is still to come

    assert " killed " in program.call("hosts", "list").stdout
    cleaned = program.call("hosts", "clean")

    assert cleaned.returncode == 0, cleaned
    assert "of made_up_cloud.MadeUpCloud: " in cleaned.stdout
    assert machines(cloud) == []
    assert ended(cloud)
    assert rented(program) == []
    assert program.call("hosts", "clean").stdout == "No machine is left behind.\n"


def test_the_next_audit_that_rents_removes_them_and_an_interrupt_leaves_none(
    program, cloud, tmp_path
):
    words, variables = audit(tmp_path, cloud, repeated=200)
    with program.start(*words, **variables) as process:
        while len(machines(cloud)) < 3:
            assert process.poll() is None, process.communicate()
            time.sleep(0.01)
        process.kill()
    first = set(machines(cloud))

    with program.start(*words, **variables) as process:
        while not stored(tmp_path):
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        assert not first & set(machines(cloud))
        assert " runs " in program.call("hosts", "list").stdout
        assert program.call("hosts", "clean").stdout == "No machine is left behind.\n"
        assert len(machines(cloud)) == 3
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)

    assert process.returncode == 130, err
    assert "2 were found and removed" in err or "3 were found and removed" in err
    assert machines(cloud) == []
    assert ended(cloud)


@pytest.mark.timed
def test_a_ceiling_ends_an_audit_and_keeps_what_was_measured(program, cloud, tmp_path):
    # Enough for forty seconds of three machines at 24 an hour each.
    words, variables = audit(
        tmp_path, cloud, repeated=1000, hourly=24.0, most_money=0.8, most_time="1h"
    )

    answer = program.call(*words, **variables)

    assert answer.returncode == 4, answer
    assert "the ceiling of what is rented is reached" in answer.stderr
    assert stored(tmp_path) > 0
    assert machines(cloud) == []
    assert ended(cloud)


SLOW = {
    "pyproject.toml": """[project]
name = "lib"
version = "1"

[build-system]
requires = []
build-backend = "slow"
backend-path = ["."]
""",
    "lib/__init__.py": "",
    "tests/test_lib.py": "import lib\n\n\ndef test_tiny(benchmark):\n    benchmark(dir, lib)\n",
    "slow.py": """import pathlib, time
pathlib.Path({begun!r}).touch()
time.sleep(600)
""",
}


def test_a_ceiling_ends_what_is_built_by_who_asks(program, cloud, tmp_path):
    started_file = tmp_path / "begun"
    sources = {
        name: text.replace("{begun!r}", repr(str(started_file))) for name, text in SLOW.items()
    }
    words, variables = audit(tmp_path, cloud, most_time="40s")
    document = json.loads(words[1].read_text())
    words[1].write_text(json.dumps({**document, "subject": str(write(tmp_path / "lib", sources))}))

    answer = program.call(*words, **variables)

    assert answer.returncode == 4, answer
    assert "the ceiling of what is rented is reached" in answer.stderr
    assert started_file.exists()
    assert machines(cloud) == []
    assert ended(cloud)


@pytest.fixture
def over_ssh(program, tmp_path):
    """What audits on machines of ours, as the documentation has it, but for where these are."""
    page = (TESTS.parent / "docs" / "reference" / "cluster.md").read_text()
    (snippet,) = [text for text in page.split("```") if text.startswith("json") and "SSHCl" in text]
    (tmp_path / "ssh").mkdir()
    with daemon(tmp_path / "ssh", shared=True) as server:
        rented = json.loads(snippet.removeprefix("json"))
        rented["listed_by"] = [*rented["listed_by"][:4], NAME]
        document = {
            "HOME": program.home,
            "XDG_CACHE_HOME": program.cache,
            "PATH": os.environ["PATH"],
        }
        python = " ".join([*(f"{key}={value}" for key, value in document.items()), sys.executable])
        options = rented["options"]
        options["remote_python"] = options["remote_python"].replace(
            "/opt/bench-audit/bin/python", python
        )
        options["hosts"] = ["127.0.0.1"] * 3
        options["connect_options"] = {
            "port": server.port,
            "client_keys": [str(server.folder / "client")],
            "known_hosts": str(server.folder / "known"),
        }
        options["scheduler_options"]["dashboard"] = False

        def audit_over_ssh(**more):
            words, variables = audit(tmp_path, tmp_path, workers=None, **rented, **more)
            return words, {**variables, "PATH": server.environment["PATH"]}

        yield audit_over_ssh
        for process_id in started_over_ssh(program):
            os.kill(process_id, signal.SIGKILL)


def started_over_ssh(program, within=0.0):
    """Return the processes of its clusters that are there, after waiting for them to end."""
    cache_variable = f"XDG_CACHE_HOME={program.cache}\0".encode()
    until = time.monotonic() + within
    while True:
        process_ids = []
        for path in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                content = (path / "environ").read_bytes()
                process_ids += [int(path.name)] * (
                    b"BENCH_AUDIT_RENTED=" in content and cache_variable in content
                )
        if not process_ids or time.monotonic() > until:
            return process_ids
        time.sleep(0.1)


def test_a_cluster_is_started_over_ssh(program, over_ssh):
    words, variables = over_ssh()

    document, err = program.audited(*words, **variables)

    assert [benchmark["runs"] for benchmark in document["benchmarks"]] == [2, 2]
    assert re.search(r"rented: dask\.distributed\.SSHCluster for \d min", err)
    assert not started_over_ssh(program, within=20.0)


def test_what_a_killed_audit_has_started_over_ssh_is_ended_by_hosts_clean(
    program, over_ssh, tmp_path
):
    words, variables = over_ssh(repeated=200)
    with program.start(*words, **variables) as process:
        while not stored(tmp_path):
            assert process.poll() is None, process.communicate()
            time.sleep(0.1)
        process.kill()
    assert started_over_ssh(program, within=2.0)

    cleaned = program.call("hosts", "clean", PATH=variables["PATH"])

    assert cleaned.returncode == 0, cleaned
    assert "of dask.distributed.SSHCluster: " in cleaned.stdout
    assert not started_over_ssh(program, within=1.0)
    assert rented(program) == []


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"cluster": "nowhere.Cloud"}, (4, "No module named 'nowhere'")),
        ({"options": {}}, (4, "cannot be started: TypeError")),
        ({"listed_by": []}, (2, "stay rented")),
        (
            {"cluster": "made_up_cloud.TalkativeCloud"},
            (4, "cannot be started: ValueError: nobody is known by *** in /"),
        ),
    ],
)
def test_what_cannot_be_rented_is_said_in_one_line(program, cloud, tmp_path, settings, expected):
    words, variables = audit(tmp_path, cloud, **settings)
    code, message = expected

    answer = program.call(*words, "-vv", **variables)

    assert (answer.returncode, answer.stdout) == (code, "")
    (line,) = [
        splitline for splitline in answer.stderr.splitlines() if splitline.startswith("error[")
    ]
    assert message in line
    contents = [path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert KNOWN_BY_FEW.encode() not in b"".join([answer.stderr.encode(), *contents])
    assert machines(cloud) == []
