"""Audits on a cluster: the program as a process, a real scheduler and workers, a small suite."""

import itertools
import json
import os
import signal
import sqlite3
import time
from dataclasses import replace

import distributed
import pytest
from dask_daemon import dask_cluster
from real_program import (
    JAVA_RING,
    PYTHON_RING,
    QUICK,
    TINY,
    commit,
    everything,
    git,
    runs,
    tiny,
    write,
)

from auditor.abs.assemble import open_audit
from auditor.clusters import Cluster
from auditor.clusters import cluster as clusters
from auditor.clusters.worker import WorkerQuestion
from auditor.config import load_config
from auditor.config.places import choose_places
from auditor.core.errors import MachineError
from auditor.core.hosts import DaskSpec
from auditor.core.outcome import Measured
from auditor.core.plan import Purpose
from auditor.measure import schedules
from runners.hosts.clock import SystemClock

pytestmark = pytest.mark.subject


@pytest.fixture
def cluster(tmp_path):
    """A scheduler without workers yet."""
    folder = tmp_path / "cluster"
    folder.mkdir()
    with dask_cluster(folder) as result:
        yield result


def configured(tmp_path, cluster, **more):
    """Write a configuration that runs a suite there."""
    path = tmp_path / "config.json"
    dask = {
        "scheduler": cluster.address,
        "patience": "60s",
        "crowded": True,
        **more.pop("dask", {}),
    }
    settings = {"subject": str(PYTHON_RING), "harness": "pytest", "benchmarks": "tiny|push"}
    path.write_text(json.dumps({**QUICK, **settings, "dispatch": "dask", "dask": dask, **more}))
    return path


def add(cluster, tmp_path, number, **more):
    """Start a worker with a home of its own."""
    home = tmp_path / f"home-{number}"
    home.mkdir()
    home_variables = {name: str(home) for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")}
    return cluster.add(**home_variables, **more)


def await_workers(cluster, number):
    with distributed.Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(number, timeout=60)


def test_a_suite_is_measured_by_workers(program, cluster, tmp_path):
    before = everything(PYTHON_RING)
    for number in range(2):
        add(cluster, tmp_path, number)
    path = configured(tmp_path, cluster)

    document, _ = program.audited("stability", path, "-o", tmp_path / "out")

    assert [benchmark["runs"] for benchmark in document["benchmarks"]] == [2, 2]
    assert everything(PYTHON_RING) == before
    built = [any((tmp_path / f"home-{index}").rglob("built.json")) for index in range(2)]
    assert any(built)
    second_document, _ = program.audited("stability", path, "-o", tmp_path / "out")
    assert second_document["benchmarks"] == document["benchmarks"]


def test_two_revisions_are_compared_there(program, cluster, tmp_path):
    folder = tiny(tmp_path / "tiny")
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "base")
    write(folder, {"tiny.go": TINY.replace("n := 200", "n := 600")})
    commit(folder, "slower")
    for _ in range(2):  # `go env` is part of what is built
        cluster.add(XDG_CACHE_HOME=str(program.cache), HOME=str(program.home))
    await_workers(cluster, 2)
    path = configured(
        tmp_path,
        cluster,
        subject="tiny",
        harness="go",
        benchmarks="Add",
        compare={"rounds": 4, "confirm": 5, "min_delta": 0.2, "methods": 0},
    )
    store = tmp_path / "store.sqlite"

    document, _ = program.audited(
        "compare", "HEAD~1", "HEAD", path, "--store", store, "-o", tmp_path / "out"
    )

    assert document["change"] == "regression"


class Silent:
    """Hears what happens, and says nothing."""

    def phase_started(self, *_): ...
    def build_step(self, *_): ...
    def trial_ended(self, *_, **__): ...
    def report_caveat(self, *_): ...


def test_a_program_is_built_by_one_worker_and_run_by_the_others(program, cluster, tmp_path):
    folder = tiny(tmp_path / "tiny")
    homes = [tmp_path / "home-0", tmp_path / "home-1"]
    for trial in homes:
        cluster.add(XDG_CACHE_HOME=str(trial), XDG_STATE_HOME=str(trial), HOME=str(program.home))
    await_workers(cluster, 2)
    path = configured(tmp_path, cluster, subject=str(folder), harness="go", benchmarks="Add|Twice")
    environment = program.environment()
    config = load_config(str(path), {}, tmp_path)

    def built():
        return [file for home in homes for file in home.rglob("*.test")]

    with open_audit(config, choose_places(config, environment), environment, Silent()) as audit:
        parts = audit._parts
        trial, second_trial = (
            parts.make_trial(
                Purpose.SUITE, benchmark, schedules.make_plain_schedule(parts.request.plan, 100)
            )
            for benchmark in parts.suite.benchmarks
        )
        list(parts.dispatcher.run_trials([trial]))
        (first,) = built()
        first.write_bytes(first.read_bytes() + b"marked")
        runs = list(parts.dispatcher.run_trials([replace(trial, repetition=2), second_trial]))

    assert {type(run.outcome) for run in runs} == {Measured}
    programs = built()
    assert len(programs) == 2
    assert all(file.read_bytes().endswith(b"marked") for file in programs)


def test_a_java_suite_is_built_by_who_asks_and_run_by_workers_without_maven(
    program, cluster, tmp_path
):
    write(tmp_path / "bin", {"mvn": "#!/bin/sh\nexit 1\n"})
    (tmp_path / "bin" / "mvn").chmod(0o755)
    add(cluster, tmp_path, 0, PATH=f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    path = configured(
        tmp_path,
        cluster,
        subject=str(JAVA_RING),
        harness="jmh",
        benchmarks="Durations",
        plan={"forks": 1, "warmup": 2, "iterations": 3, "iteration_time": "20ms"},
    )

    document, _ = program.audited("stability", path, "-o", tmp_path / "out")

    assert {benchmark["runs"] for benchmark in document["benchmarks"]} == {2}
    (sent,) = (tmp_path / "home-0").rglob("sent-java-*")
    assert any(sent.rglob("*.class"))


@pytest.mark.parametrize(
    ("function_name", "message"),
    [
        ("find_own_version", "this is 0.0.1; install the same version"),
        ("hash_own_code", "other code of bench-audit .* than this; install the same version"),
        ("make_machine_key", "workers are of unlike machines"),
    ],
)
def test_a_worker_that_is_not_like_the_others_is_refused(
    cluster, tmp_path, monkeypatch, function_name, message
):
    add(cluster, tmp_path, 0)
    add(cluster, tmp_path, 1)
    spec = DaskSpec(scheduler=cluster.address, patience_seconds=60.0, crowded=True)
    with distributed.Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
        crew = Cluster(client, spec, SystemClock())
        kinds = itertools.count()
        replacements = {
            "find_own_version": lambda: "0.0.1",
            "hash_own_code": lambda: "another",
            "make_machine_key": lambda _: f"kind {next(kinds)}",
        }
        monkeypatch.setattr(clusters, function_name, replacements[function_name])

        with pytest.raises(MachineError, match=message):
            _ = crew.host_facts


def test_a_worker_with_another_python_is_refused(cluster, tmp_path, monkeypatch):
    add(cluster, tmp_path, 0)
    spec = DaskSpec(scheduler=cluster.address, patience_seconds=60.0, crowded=True)
    with distributed.Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=60)
        crew = Cluster(client, spec, SystemClock())
        monkeypatch.setattr(clusters.platform, "python_version", lambda: "3.99.1")

        with pytest.raises(MachineError, match=r"has Python .*, this is 3\.99\.1"):
            _ = crew.host_facts


def test_a_worker_that_lacks_us_is_told_what_to_install(cluster, tmp_path):
    add(cluster, tmp_path, 0)

    def absent():
        raise ModuleNotFoundError("No module named 'auditor'")

    with distributed.Client(cluster.address, set_as_default=False) as client:
        client.wait_for_workers(1, timeout=60)
        with pytest.raises(MachineError, match=r"cannot run bench-audit .*: install the same"):
            WorkerQuestion(client, absent, list(client.ncores())).wait_for_answer(30)


def stored(store):
    """Return how many runs there are, also while the file is made."""
    try:
        return len(runs(store))
    except sqlite3.OperationalError:
        return 0


def test_an_audit_whose_scheduler_is_lost_goes_on_with_another_one(program, cluster, tmp_path):
    add(cluster, tmp_path, 0)
    store = tmp_path / "store.sqlite"
    path = configured(tmp_path, cluster, stability_runs=60)
    audit = program.start("stability", path, "--store", store, "-q", "-o", tmp_path / "out")
    while not store.exists() or stored(store) <= 5:
        assert audit.poll() is None
        time.sleep(0.05)
    cluster.lose_scheduler()
    _, err = audit.communicate(timeout=120)

    assert audit.returncode == 4
    line = err.splitlines()[-1]
    assert line.startswith(
        "error[machine]: the scheduler stopped answering; measurements are kept: "
    )
    run_count = len(runs(store))
    (tmp_path / "other").mkdir()
    with dask_cluster(tmp_path / "other") as second_cluster:
        add(second_cluster, tmp_path, 1)
        path = configured(tmp_path, second_cluster, stability_runs=10)
        document, printed = program.audited(
            "stability", path, "--store", store, "-o", tmp_path / "out"
        )

    assert [benchmark["runs"] for benchmark in document["benchmarks"]] == [10, 10]
    assert run_count > 5
    assert "known already" in printed


def test_a_worker_that_joins_is_looked_at_like_those_that_were_there(cluster, tmp_path):
    add(cluster, tmp_path, 0)
    spec = DaskSpec(scheduler=cluster.address, patience_seconds=60.0, crowded=False)
    with distributed.Client(cluster.address, set_as_default=False) as client:
        crew = Cluster(client, spec, SystemClock())
        assert crew.host_facts.name
        first = set(client.ncores())
        add(cluster, tmp_path, 1)
        client.wait_for_workers(2, timeout=60)
        (newcomer,) = set(client.ncores()) - first

        assert f"{newcomer} and {first.pop()} are on one machine" in crew.explain_refusal(newcomer)

        cluster.workers[0].kill()
        cluster.workers[0].wait()
        add(cluster, tmp_path, 2, resources=())
        client.wait_for_workers(2, timeout=60)
        (bare,) = set(client.ncores()) - {newcomer}
        assert crew.explain_refusal(newcomer) == ""
        assert "are on one machine" in crew.explain_refusal(bare)
        cluster.workers[1].kill()
        while newcomer in client.ncores():
            time.sleep(0.05)
        assert crew.explain_refusal(newcomer) == f"{newcomer} has left"
        assert "without --resources machine=1" in crew.explain_refusal(bare)


def test_a_worker_that_does_not_answer_is_asked_again(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(clusters, "_ANSWER_SECONDS", 0.5)
    halted = add(cluster, tmp_path, 0)
    await_workers(cluster, 1)
    halted.send_signal(signal.SIGSTOP)
    spec = DaskSpec(scheduler=cluster.address, patience_seconds=0.0, crowded=True)
    with distributed.Client(cluster.address, set_as_default=False) as client:
        (address,) = client.ncores()
        with pytest.raises(MachineError, match=f"^{address} does not answer$"):
            _ = Cluster(client, spec, SystemClock()).host_facts

        add(cluster, tmp_path, 1)
        client.wait_for_workers(2, timeout=60)
        crew = Cluster(client, replace(spec, patience_seconds=60.0), SystemClock())
        assert crew.host_facts.name
        with pytest.raises(TimeoutError, match=f"^{address} does not answer$"):
            crew.explain_refusal(address)

        halted.send_signal(signal.SIGCONT)
        until = time.monotonic() + 60
        while True:
            try:
                assert crew.explain_refusal(address) == ""
                break
            except TimeoutError:
                assert time.monotonic() < until
                time.sleep(0.05)


def test_a_ceiling_ends_the_wait_for_the_first_worker(cluster):
    class Over:
        def replace_lost_machines(self):
            raise MachineError("the money is gone")

    spec = DaskSpec(scheduler=cluster.address, patience_seconds=600.0, crowded=True)
    with distributed.Client(cluster.address, set_as_default=False) as client:
        crew = Cluster(client, spec, SystemClock(), Over())

        with pytest.raises(MachineError, match="the money is gone"):
            _ = crew.host_facts


@pytest.mark.parametrize(
    ("workers", "dask", "message"),
    [
        (2, {"crowded": False}, "where they would measure each other; start one for each"),
        (0, {"patience": "1s"}, "the cluster has had no worker for 1 s; start some with"),
        (0, {"scheduler": "tcp://127.0.0.1:9"}, "no Dask scheduler answers at tcp://127.0.0.1:9"),
        (
            0,
            {"scheduler": "tls://127.0.0.1:9"},
            "tls://127.0.0.1:9 needs TLS certificates; set DASK_",
        ),
    ],
)
def test_a_cluster_that_cannot_be_used_is_one_line(  # noqa: PLR0917 a table
    program, cluster, tmp_path, workers, dask, message
):
    for number in range(workers):
        add(cluster, tmp_path, number)
    if workers:
        await_workers(cluster, workers)
    path = configured(tmp_path, cluster, dask=dask)

    line = program.refused("stability", path, "-q", "-o", tmp_path / "o", code=4, slug="machine")

    assert message in line


def test_a_scheduler_for_one_trial_after_the_other_is_refused(program, tmp_path):
    words = ("stability", ".", "--dispatch", "serial", "--scheduler", "tcp://10.0.0.1:8786")

    line = program.refused(*words, "-q", "-o", tmp_path / "o", code=2, slug="usage")

    assert "--scheduler names a cluster, but --dispatch serial uses none" in line


def test_a_worker_that_may_do_several_things_at_once_is_refused(program, cluster, tmp_path):
    add(cluster, tmp_path, 0, resources=())
    path = configured(tmp_path, cluster)

    line = program.refused("stability", path, "-q", "-o", tmp_path / "o", code=4, slug="machine")

    assert "was started without --resources machine=1" in line
