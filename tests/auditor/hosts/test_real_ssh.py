"""Audits on another machine: the program as a process, a real daemon of ssh, small real suites."""

import json

import pytest
from real_program import JAVA_RING, PYTHON_RING, QUICK, Program, everything, tiny
from ssh_daemon import NAME

pytestmark = pytest.mark.subject


@pytest.fixture
def program(tmp_path, ssh):
    """The program, with an ssh that knows the machine."""
    return Connected(Program.below(tmp_path, tmp_path / "cache"), ssh)


class Connected:
    """Calls of the program that find the machine."""

    def __init__(self, program, ssh):
        self._program = program
        self._where = {"PATH": ssh.environment["PATH"]}

    def audited(self, *words):
        return self._program.audited(*words, **self._where)

    def refused(self, *words, **expected):
        return self._program.refused(*words, **expected, **self._where)


def configured(tmp_path, ssh, subject, **more):
    """Write a configuration that runs a suite there; return where its files are there."""
    folder = ssh.folder / "here" / tmp_path.name
    path = tmp_path / "config.json"
    section = {"folder": str(folder), "path": ["/usr/local/go/bin"]}
    settings = {"subject": str(subject), "host": f"ssh:{NAME}", "ssh": section}
    path.write_text(json.dumps({**QUICK, **settings, **more}))
    return path, ssh.folder / "there" / tmp_path.name


@pytest.mark.parametrize(
    ("subject", "harness", "benchmarks"),
    [
        (PYTHON_RING, "pytest", "tiny|push"),
        (None, "go", "Add|Twice"),
        (JAVA_RING, "jmh", "Shares.tenth|Leases.four"),
    ],
)
def test_a_suite_is_built_and_measured_there(  # noqa: PLR0917 a table
    program, ssh, tmp_path, subject, harness, benchmarks
):
    subject = subject or tiny(tmp_path / "tiny")
    before = everything(subject)
    path, remote_folder = configured(tmp_path, ssh, subject, harness=harness, benchmarks=benchmarks)

    document, _ = program.audited("stability", path, "-o", tmp_path / "out")

    assert [benchmark["runs"] for benchmark in document["benchmarks"]] == [2, 2]
    assert everything(subject) == before
    (machine_folder,) = remote_folder.iterdir()
    built = "builds" if harness == "go" else "work"
    assert {entry.name for entry in (machine_folder / "tree").iterdir()} >= {"subjects", built}
    assert list((machine_folder / "state" / "jobs").iterdir()) == []


def test_the_doctor_looks_at_that_machine(program, ssh, tmp_path):
    path, _ = configured(tmp_path, ssh, PYTHON_RING)

    document, _ = program.audited("doctor", path, "--probe")

    assert document["harnesses"]["pytest"] is True
    assert document["probe"]["loops"] == 60
    assert document["host"]["cores"] != "unknown"


def test_a_machine_that_cannot_be_used_is_one_line(program, ssh, tmp_path):
    path, _ = configured(tmp_path, ssh, PYTHON_RING, harness="pytest")
    words = ("stability", path, "--host", "ssh:stranger", "-q", "-o", tmp_path / "out")

    line = program.refused(*words, code=4, slug="machine")

    assert "Host key verification failed" in line
