"""`trace --clients` as a process: what the tests of other projects call of a library."""

import csv
import json
import shutil
import signal
import sqlite3
import time

import pytest
from real_program import (
    PYTHON_RING,
    RING,
    commit,
    config,
    everything,
    git,
    left_behind,
    running,
    write,
)

pytestmark = pytest.mark.subject

TRACED = PYTHON_RING.with_name("python-traced")
PROJECT = """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "{name}"
version = "1"
[tool.setuptools]
py-modules = [{modules}]
[tool.pytest.ini_options]
testpaths = ["."]
"""
BEADS = "import beads\n\ndef test_it():\n    assert beads.double(2) == 4\n    beads.twice(3)\n"
BENCHMARKS = """import beads


def test_double(benchmark):
    benchmark(beads.double, 3)
"""


def client(folder, **files):
    head = {"pyproject.toml": PROJECT.format(name=folder.name, modules="")}
    return write(folder, {**head, **{f"{name}.py": text for name, text in files.items()}})


@pytest.fixture
def library(tmp_path):
    folder = shutil.copytree(TRACED / "library", tmp_path / "beads")
    return write(folder, {"test_bench.py": BENCHMARKS})


@pytest.fixture
def places(tmp_path):
    return ("--store", tmp_path / "s.sqlite", "-o", tmp_path / "out")


def test_clients_are_traced_and_failing_ones_reported(program, library, places, tmp_path):
    jeweller = shutil.copytree(TRACED / "client", tmp_path / "jeweller")
    clients = [
        jeweller,
        client(tmp_path / "small", test_small=BEADS),
        client(tmp_path / "idle", test_idle="def test_nothing():\n    pass\n"),
        client(tmp_path / "untested", module=""),
        client(tmp_path / "broken", test_broken="import not_there\n"),
        client(tmp_path / "endless", test_endless="import time\n\ndef test_end(): time.sleep(600)"),
        RING,
    ]
    before = [everything(folder) for folder in (library, *clients)]

    answer = program.call(
        "trace", "--library", library, "--clients", *clients, *places, "--format", "json",
        "--client-timeout", "20s", "--jobs", "3", "--top", "2",
    )  # fmt: skip

    assert answer.returncode == 0, answer
    document = json.loads(answer.stdout)
    reasons = {
        traced_client["name"].rpartition("/")[2]: traced_client["reason"]
        for traced_client in document["clients"]
    }
    assert (reasons.pop("jeweller"), reasons.pop("small")) == (None, None)
    assert reasons.pop("idle") == "its tests call no public method of beads"
    assert reasons.pop("untested") == "pytest finds no unit tests"
    assert "No module named 'not_there'" in reasons.pop("broken")
    assert "ended by the watchdog after 2" in reasons.pop("endless")
    assert "is not a Python project" in reasons.pop("go-ring")
    assert reasons == {}
    methods = {method["id"].removeprefix("beads."): method for method in document["methods"]}
    double = methods["double"]
    assert (double["outside"], double["clients"], double["by_client"]) == (4016, 2, [4015, 1])
    assert [name for name, profile in methods.items() if profile["often_used"]] == [
        "double",
        "fail",
    ]
    assert [everything(folder) for folder in (library, *clients)] == before
    # pip asks rustc for its version; where that is rustup's, it writes down its settings.
    assert {path.name for path in program.home.iterdir()} <= {".rustup"}
    rows = list(csv.DictReader((tmp_path / "out" / "profile.csv").read_text().splitlines()))
    assert rows[0]["method"] == "beads.double"
    assert "most of all beads.double" in (tmp_path / "out" / "profile.html").read_text()
    report = program.call("report", library, "--of", "profile", *places[:2], "--format", "csv")
    assert len(report.stdout.splitlines()) == len(methods) + 1

    second_answer = program.call(
        "trace", "--library", library, "--clients", *clients, *places, "--format", "json",
        "--client-timeout", "20s", "--top", "2", "--rank", "clients",
    )  # fmt: skip

    assert json.loads(second_answer.stdout)["methods"][0] == double
    with sqlite3.connect(tmp_path / "s.sqlite") as connection:
        (runs,) = connection.execute("SELECT count(*) FROM run").fetchone()
    assert runs == 6  # each client's once; one could not be made ready


def test_an_audit_slows_down_what_clients_call(program, library, places, tmp_path):
    small = client(tmp_path / "small", test_small=BEADS)
    config_path = config(
        tmp_path / "c.json",
        subject=str(library),
        clients=[{"path": str(small), "tests": ["test_small.py"]}],
    )

    answer = program.call("abs", config_path, *places, "--format", "json", "--estimate")

    assert answer.returncode in (0, 5), answer  # that of the verdict, which is of no interest here
    document = json.loads(answer.stdout)
    assert [method["id"] for method in document["methods"]] == ["beads.double"]
    (text,) = [
        caveat["text"] for caveat in document["caveats"] if caveat["slug"] == "methods-profile"
    ]
    assert "the methods are the 1 public ones that the tests of 1 client" in text

    plain = config(tmp_path / "plain.json", subject=str(library))
    plain_answer = program.call("abs", plain, *places, "--format", "json", "--estimate")
    assert [method["id"] for method in json.loads(plain_answer.stdout)["methods"]] == [
        "beads.double"
    ]
    profile_answer = program.call("trace", config_path, *places, "--format", "csv")
    assert profile_answer.stdout.splitlines()[1].startswith("1,beads.double,True,1,")


def test_go_clients_are_traced(program, places, tmp_path):
    workspace = shutil.copytree(TRACED.with_name("go-traced"), tmp_path / "both")
    git(workspace, "init", "-q")
    commit(workspace, "both")
    (workspace / "client" / "idle_test.go").write_text("package jeweller\n\nvar _ int = 1.5\n")
    before = everything(workspace, program.home)
    clients = [f"git:{workspace / 'client'}@HEAD", workspace / "client", TRACED / "client"]

    answer = program.call(
        "trace",
        "--library",
        workspace / "library",
        "--clients",
        *clients,
        *places,
        "--format",
        "json",
    )

    assert answer.returncode == 0, answer
    document = json.loads(answer.stdout)
    first, second, third = (traced_client["reason"] for traced_client in document["clients"])
    assert first is None
    assert second is None  # its other package's tests run
    assert document["clients"][1]["missing"].startswith("packages of tests that do not build: 1;")
    assert "is not a Go project" in third
    methods = {method["id"].rpartition(".")[2]: method for method in document["methods"]}
    assert (methods["Double"]["by_client"][0], methods["Double"]["indirect"] > 5) == (4013, True)
    assert methods["Double"]["inside"] is None
    assert everything(workspace, program.home) == before


def test_java_clients_are_traced(program, places, tmp_path):
    workspace = shutil.copytree(TRACED.with_name("java-traced"), tmp_path / "both")
    git(workspace, "init", "-q")
    before = everything(workspace)
    write(program.home / ".m2" / "repository", {"org/example/kept.txt": "kept"})
    at_home = everything(program.home)
    clients = [workspace / "client", TRACED / "client"]

    answer = program.call(
        "trace",
        "--library",
        workspace / "library",
        "--clients",
        *clients,
        *places,
        "--format",
        "json",
    )

    assert answer.returncode == 0, answer
    document = json.loads(answer.stdout)
    assert document["clients"][0]["tests"] == 6
    assert "is not a Java project" in document["clients"][1]["reason"]
    methods = {method["id"]: method for method in document["methods"]}
    twice = methods["org.example.beads.Beads.twice"]
    assert (twice["outside"], twice["inside"]) == (4004, 4)
    assert twice["span"]["file"].endswith("Beads.java")
    assert methods["org.example.beads.Beads.never"]["clients"] == 0
    assert methods["org.example.beads.Beads.countDown"]["arguments"] == [["5"]]
    assert everything(workspace) == before
    assert everything(program.home) == at_home


def test_an_interrupt_ends_what_runs_side_by_side(program, library, places, tmp_path, shared_cache):
    code = "import time\n\ndef test_end():\n    time.sleep(600)\n"
    clients = [client(tmp_path / name, test_endless=code) for name in ("one", "two")]
    words = ("trace", "--library", library, "--clients", *clients, "--jobs", "2", *places)
    with program.start(*words) as auditor:
        for _ in range(600):
            if sum("zz_bench_audit_tests" in line for line in running()) >= 2:
                break
            time.sleep(0.1)
        else:
            pytest.fail("two clients' tests never ran side by side")
        auditor.send_signal(signal.SIGINT)
        _, output = auditor.communicate(timeout=60)
    assert (auditor.returncode, output.splitlines()[-1][:11]) == (130, "interrupted"), output
    assert left_behind(shared_cache) == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--library", "LIBRARY"), "no code given whose calls are counted"),
        (("--library", "LIBRARY", "--suite"), "leave out --library and --clients"),
        (("LIBRARY", "LIBRARY", "--clients", "CLIENT"), "give only one project"),
        (("--library", "LIBRARY", "--clients", "nowhere"), "no such folder"),
        (("--library", "LIBRARY", "--suite", "--format", "csv"), "leave out --library"),
    ],
)
def test_a_wrong_call_is_answered_with_one_line(program, library, tmp_path, words, message):
    named = {"LIBRARY": library, "CLIENT": tmp_path}
    line = program.refused(
        "trace", *(named.get(word, word) for word in words), code=2, slug="usage"
    )

    assert message in line


def test_clients_of_what_is_no_project_are_refused(program, tmp_path, places):
    (tmp_path / "empty").mkdir()
    words = ("trace", "--library", tmp_path / "empty", "--clients", TRACED / "client", *places)

    assert "is not a project that can be audited" in program.refused(*words, code=3, slug="subject")


def test_all_clients_failing_is_no_profile(program, library, places, tmp_path):
    idle = client(tmp_path / "idle", test_idle="def test_nothing():\n    pass\n")

    answer = program.call("trace", "--library", library, "--clients", idle, *places)

    assert answer.returncode == 3
    assert "no client of beads could be traced" in answer.stderr
    assert "its tests call no public method of beads" in answer.stderr
    assert not (tmp_path / "out" / "profile.json").exists()
