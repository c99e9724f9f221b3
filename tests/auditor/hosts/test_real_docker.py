"""Audits in containers: the program as a process, a real daemon, a small suite of Go and Python."""

import json
import shutil
import time
from contextlib import suppress

import pytest
from docker.errors import NotFound
from docker_daemon import IMAGE, JAVA_IMAGE, client, import_go, import_java
from real_program import (
    JAVA_RING,
    PLAN,
    PYTHON_RING,
    QUICK,
    Program,
    commit,
    everything,
    git,
    is_done,
    ring,
    write,
)

from runners.hosts.daemon import LABEL

pytestmark = pytest.mark.subject
MEASURES = ("BENCH_AUDIT_SECONDS=", "BENCH_AUDIT_MEMBERS=")
"""Beginnings of variables that a process of a benchmark has, and one that forks for several."""


@pytest.fixture
def program(tmp_path, docker):
    """The program, told where the daemon is."""
    below = Program.below(tmp_path, tmp_path / "cache")
    return Connected(below, docker)


class Connected:
    """Calls of the program that know a daemon."""

    def __init__(self, program, docker):
        self._program = program
        self._where = {"DOCKER_HOST": docker}

    def audited(self, *words):
        return self._program.audited(*words, **self._where)

    def call(self, *words):
        return self._program.call(*words, **self._where)

    def start(self, *words):
        return self._program.start(*words, **self._where)

    def refused(self, *words, **expected):
        return self._program.refused(*words, **expected, **self._where)


def configured(tmp_path, subject, **more):
    """Write a configuration that runs a suite in containers."""
    path = tmp_path / "config.json"
    default_section = {"image": IMAGE, "network": "host", "memory": "1g", "environment": []}
    docker = {**default_section, **more.pop("docker", {})}
    path.write_text(
        json.dumps({**QUICK, "subject": str(subject), "host": "docker", "docker": docker, **more})
    )
    return path


def measuring(api):
    """Tell whether a benchmark runs in a container, and not only what makes the subject ready."""
    for container in api.containers(filters={"label": LABEL}):
        with suppress(NotFound):
            variables = api.inspect_container(container)["Config"]["Env"]
            if any(variable.startswith(MEASURES) for variable in variables):
                return True
    return False


@pytest.mark.parametrize("host", ["docker", "local"])
def test_what_a_killed_auditor_has_left_running_is_removed_by_the_next_one(
    program, docker, tmp_path, host
):
    """Also by one that has no containers of its own, and would be measured beside them."""
    long = configured(
        tmp_path, PYTHON_RING, harness="pytest", plan={**PLAN, "iteration_time": "20s"}
    )
    long = long.rename(tmp_path / "long.json")
    path = configured(tmp_path, PYTHON_RING, harness="pytest", benchmarks="tiny|push")
    killed = program.start("stability", long, "-q", "-o", tmp_path / "killed")
    with client(docker) as api:
        while not measuring(api):
            assert killed.poll() is None
            time.sleep(0.05)
        killed.kill()
        killed.communicate()
        left = api.containers(filters={"label": LABEL})

        program.call("stability", path, "--host", host, "-q", "-o", tmp_path / "out")

        assert left
        assert api.containers(all=True, filters={"label": LABEL}) == []


def test_a_suite_is_built_and_measured_in_containers(program, docker, tmp_path):
    before = everything(PYTHON_RING)
    path = configured(tmp_path, PYTHON_RING, harness="pytest", benchmarks="tiny|push")

    document, _ = program.audited("stability", path, "-o", tmp_path / "out")

    assert document["host_facts"]["container"] == "docker"
    assert document["host_facts"]["memory"] == "1024 MiB"
    assert [benchmark["runs"] for benchmark in document["benchmarks"]] == [2, 2]
    assert everything(PYTHON_RING) == before
    with client(docker) as api:
        assert api.containers(all=True, filters={"label": LABEL}) == []

    local_call = program.call("stability", path, "--host", "local", "-o", tmp_path / "out")

    assert is_done(local_call), local_call
    assert "Side by side" in local_call.stdout
    assert ", containers" in local_call.stdout
    page = (tmp_path / "out" / "stability.html").read_text()
    assert "violins" in page
    assert "in a container" in page


def test_a_jmh_suite_is_built_and_measured_in_containers(program, docker, tmp_path):
    import_java(docker)
    before = everything(JAVA_RING)
    path = configured(
        tmp_path,
        JAVA_RING,
        harness="jmh",
        benchmarks="Durations",
        docker={"image": JAVA_IMAGE, "memory": "2g"},
        plan={"forks": 1, "warmup": 2, "iterations": 3, "iteration_time": "20ms"},
    )

    document, _ = program.audited("stability", path, "-o", tmp_path / "out")

    assert document["host_facts"]["container"] == "docker"
    assert {benchmark["runs"] for benchmark in document["benchmarks"]} == {2}
    assert all(None not in benchmark["means"] for benchmark in document["benchmarks"])
    assert everything(JAVA_RING) == before


def test_a_go_suite_is_built_slowed_and_measured_in_containers_of_our_image(
    program, docker, tmp_path
):
    import_go(docker)
    subject = ring(tmp_path / "ring")
    before = everything(subject)
    path = configured(
        tmp_path,
        subject,
        harness="go",
        benchmarks="^BenchmarkLarge$",
        methods=["example.org/ring.Large"],
        docker={"image": None},
    )

    document, _ = program.audited("abs", path, "-o", tmp_path / "out")

    (pair,) = document["pairs"]
    with client(docker) as api:
        image_id = api.inspect_image("bench-audit/go")["Id"]
    assert document["host_facts"]["image"] == image_id
    assert document["versions"]["go"].startswith("go1.")
    assert pair["calls_per_operation"] == 1.0
    assert pair["effect"] > 0.0
    assert all(run["reference"] and run["slowed"] for run in pair["runs"])
    assert everything(subject) == before


def test_a_revision_runs_in_the_image_of_its_own_dockerfile(program, docker, tmp_path):
    folder = write(tmp_path / "ring", {"bench/Dockerfile": f"FROM {IMAGE}\nENV MADE_OF=head\n"})
    shutil.copytree(PYTHON_RING, folder, dirs_exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    commit(folder, "with a Dockerfile")
    write(folder, {"bench/Dockerfile": "FROM absent:1\n"})
    docker_section = {"image": None, "dockerfile": "subject:bench/Dockerfile"}
    settings = {"harness": "pytest", "benchmarks": "tiny", "docker": docker_section}
    path = configured(tmp_path, f"git:{folder}@main", **settings)

    document, _ = program.audited("stability", path, "-o", tmp_path / "out")

    with client(docker) as api:
        image = api.inspect_image(document["host_facts"]["image"])
    assert "MADE_OF=head" in image["Config"]["Env"]
    assert [benchmark["runs"] for benchmark in document["benchmarks"]] == [2]

    words = ("-q", "-o", tmp_path / "out")
    path = configured(tmp_path, folder, **settings)
    line = program.refused("stability", path, *words, code=3, slug="build-failed")
    assert "bench/Dockerfile does not build" in line.partition("\n")[0]


@pytest.mark.parametrize(
    ("subject", "message"),
    [
        (PYTHON_RING, "python-ring has no file bench/Dockerfile, which docker.dockerfile names"),
        (
            "pypi:pluggy@1.6.0",
            "needs a subject that is a folder or a git revision; name a Dockerfile",
        ),
    ],
)
def test_a_dockerfile_that_the_subject_does_not_have_is_one_line(
    program, tmp_path, subject, message
):
    docker_section = {"image": None, "dockerfile": "subject:bench/Dockerfile"}
    path = configured(tmp_path, subject, harness="pytest", docker=docker_section)

    line = program.refused("stability", path, "-q", "-o", tmp_path / "out", code=2, slug="usage")

    assert message in line


@pytest.mark.parametrize(
    ("docker_section", "code", "slug", "message"),
    [
        ({"image": "absent:1"}, 4, "resolve-failed", "the image absent:1 is not present"),
        ({"memory": "lots"}, 2, "usage", "'lots' is not a size"),
        ({"dockerfile": "Dockerfile"}, 2, "usage", "docker sets both image and dockerfile"),
        ({"environment": ["NOT_SET_HERE"]}, 2, "usage", "NOT_SET_HERE at docker.environment"),
    ],
)
def test_what_cannot_be_is_one_line(  # noqa: PLR0917 a table
    program, tmp_path, docker_section, code, slug, message
):
    path = configured(tmp_path, PYTHON_RING, harness="pytest", docker=docker_section)

    line = program.refused("stability", path, "-q", "-o", tmp_path / "out", code=code, slug=slug)

    assert message in line


def test_an_image_is_asked_for_where_only_a_look_would_tell_the_language(program, tmp_path):
    path = configured(tmp_path, "git:/nonexistent@main", docker={"image": None})

    line = program.refused("stability", path, "-q", "-o", tmp_path / "out", code=2, slug="usage")

    assert "set docker.image, docker.dockerfile or the harness" in line
