"""An auditor that is killed, and two at once: the store is whole, nothing of the user's changes."""

import os
import re
import shutil
import signal
import sqlite3
import subprocess
import time
import zipfile
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from real_program import JAVA_RING, config, everything, left_behind, runs, tiny, write

from auditor.core.plan import REPEAT_OFFSET

pytestmark = pytest.mark.subject

MOMENTS = (0, 2, 12, 22, 25)
"""Runs that are known when an auditor is killed: none yet, pilot, suite, reach, calibration."""
METHODS = ["tiny.Add", "tiny.Unused"]
JAVA = {
    "harness": "jmh",
    "benchmarks": "Durations.micros$",
    "methods": ["org.example.ring.Work.micros", "org.example.ring.Work.unused"],
}
JAVA_MOMENTS = (0, 0, 1, 3, 5)
"""As above: twice while Maven is at work (or the guest is compiled), suite, reach, calibration."""
NEEDING = """package tiny

import "example.org/far"

func Far() int { return far.Far }
"""


def count_known(output):
    """Return how many processes an audit names as known before its first new one."""
    return int(re.search(r"going on where it stopped: (\d+) process", output)[1])


def has_repeats(store):
    """Tell whether runs of the suite were repeated, as the machine was busy: repeats are new."""
    with closing(sqlite3.connect(store)) as connection:
        (count,) = connection.execute(
            "SELECT count(*) FROM trial WHERE repetition > ?", (REPEAT_OFFSET,)
        ).fetchone()
    return count > 0


def remembered(home):
    """Fill the user's module cache with a module that can be had nowhere else."""
    place = home / "go/pkg/mod/cache/download/example.org/far/@v"
    mod = "module example.org/far\n"
    write(place, {"v1.2.3.info": '{"Version": "v1.2.3"}', "v1.2.3.mod": mod})
    with zipfile.ZipFile(place / "v1.2.3.zip", "w") as archive:
        archive.writestr("example.org/far@v1.2.3/go.mod", mod)
        archive.writestr("example.org/far@v1.2.3/far.go", "package far\n\nconst Far = 1\n")


def git(folder, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(
        ("git", *identity, *words), cwd=folder, check=True, capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_GLOBAL": "/dev/null"},
    )  # fmt: skip


@pytest.fixture
def checkout(module, program):
    """A repository with a change that is not committed, which needs the user's module cache."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    tiny(module, mod="module example.org/tiny\n\ngo 1.20\n\nrequire example.org/far v1.2.3\n")
    write(module, {"far.go": NEEDING})
    git(module, "init", "-q")
    git(module, "add", "-A")
    git(module, "commit", "-qm", "first")
    write(module, {"far.go": NEEDING + "\nfunc Farther() int { return Far() + 1 }\n"})
    remembered(program.home)
    write(program.home, {".m2/settings.xml": "<settings/>", ".m2/repository/a/a.pom": "<project/>"})
    write(program.home, {".config/go/env": "GOSUMDB=off\nGOFLAGS=-mod=mod\nGOPROXY=off\n"})
    return module


@pytest.fixture
def maven_checkout(tmp_path, program):
    """A Maven project in a repository, with a change that is not committed; a user of Maven."""
    for tool in ("git", "mvn", "javac"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    folder = Path(shutil.copytree(JAVA_RING, tmp_path / "ring"))
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    write(folder, {"src/main/java/org/example/ring/New.java": "package org.example.ring;\n"})
    write(program.home, {".m2/settings.xml": "<settings/>", ".m2/repository/a/a.pom": "<project/>"})
    return folder


def read_runs(store):
    """Return the runs in a store that may be in the making."""
    try:
        return runs(store) if store.exists() else {}
    except sqlite3.OperationalError:  # as long as the tables are not there
        return {}


def after(auditor, store, count):
    """Wait until so many runs are remembered, or the auditor has ended."""
    until = time.monotonic() + 60
    while len(read_runs(store)) < count and auditor.poll() is None and time.monotonic() < until:
        time.sleep(0.02)


def killed(program, call, store, moments, *, beginning, later):
    """Kill auditors, one at each of `moments`; return the runs that are known in the end.

    `beginning` and `later` are the longest waits, in seconds, after nothing and after some run.
    """
    rng, surviving_runs = np.random.default_rng(5), {}
    for count in moments:
        with program.start(*call, "--store", store) as auditor:
            after(auditor, store, count)
            time.sleep(rng.uniform(0.0, later if count else beginning))
            auditor.send_signal(signal.SIGKILL)
            auditor.communicate(timeout=60)
        assert auditor.returncode == -signal.SIGKILL
        assert left_behind(program.cache) == []
        stored_runs = read_runs(store)
        assert stored_runs.items() >= surviving_runs.items()
        surviving_runs = stored_runs
    return surviving_runs


def test_an_auditor_of_a_maven_project_that_is_killed_leaves_everything_as_it_was(
    program, maven_checkout, tmp_path
):
    config_file = config(tmp_path / "c.json", subject=str(maven_checkout), **JAVA)
    store = tmp_path / "s.sqlite"
    before = everything(maven_checkout, program.home, program.cwd)

    surviving_runs = killed(
        program, ("abs", config_file), store, JAVA_MOMENTS, beginning=8.0, later=1.0
    )
    document, messages = program.audited("abs", config_file, "--store", store)

    assert count_known(messages) == len(surviving_runs) or (
        has_repeats(store) and count_known(messages)
    )
    assert runs(store).items() >= surviving_runs.items()
    assert [method["outcome"] for method in document["methods"]][1:] == ["unreached"]
    assert left_behind(program.cache) == []
    assert everything(maven_checkout, program.home, program.cwd) == before


def test_an_auditor_that_is_killed_goes_on_and_leaves_everything_as_it_was(
    program, checkout, tmp_path
):
    config_file = config(
        tmp_path / "c.json", subject=str(checkout), methods=METHODS, stability_runs=10
    )
    store = tmp_path / "s.sqlite"
    before = everything(checkout, program.home, program.cwd)

    surviving_runs = killed(
        program, ("abs", config_file), store, MOMENTS, beginning=1.0, later=0.15
    )
    document, messages = program.audited("abs", config_file, "--store", store)

    assert count_known(messages) == len(surviving_runs) or (
        has_repeats(store) and count_known(messages)
    )
    assert runs(store).items() >= surviving_runs.items()
    assert [method["outcome"] for method in document["methods"]][1:] == ["unreached"]
    assert left_behind(program.cache) == []
    assert everything(checkout, program.home, program.cwd) == before


def test_a_polite_request_to_end_is_heard_and_what_was_measured_is_kept(program, module, tmp_path):
    config_file = config(tmp_path / "c.json", subject=str(module), stability_runs=1000)
    store = tmp_path / "s.sqlite"
    with program.start("abs", config_file, "--store", store) as auditor:
        after(auditor, store, 1)
        auditor.send_signal(signal.SIGTERM)
        stdout, stderr = auditor.communicate(timeout=60)

    assert (auditor.returncode, stdout) == (130, ""), stderr
    assert stderr.splitlines()[-1].startswith("interrupted; what was measured is kept")
    assert runs(store)
    assert left_behind(program.cache) == []


def test_two_auditors_share_a_store_and_a_subject(program, module, tmp_path):
    config_file = config(tmp_path / "c.json", subject=str(module), methods=METHODS)
    store = tmp_path / "s.sqlite"
    call = ("abs", config_file, "--store", store, "--format", "json")

    with program.start(*call) as first, program.start(*call) as second:
        answers = [auditor.communicate(timeout=240) for auditor in (first, second)]

    assert (first.returncode, second.returncode) == (0, 0), answers
    stored_runs = runs(store)
    _, messages = program.audited(*call[:-2])
    assert "processes are known already" in messages
    assert runs(store).items() >= stored_runs.items()
