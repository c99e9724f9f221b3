"""What a session refuses before anything is built, and how many processes it runs at a time."""

import json

import pytest
from fake_host import FakeHost

from auditor import session
from auditor.config import load_config
from auditor.config.settings import HARNESSES
from auditor.core.errors import UsageError
from auditor.core.jobs import HostFacts
from auditor.languages.model import Machine
from auditor.languages.registry import LANGUAGES
from auditor.languages.subject_setup import other_suites_note, prepare_project
from runners.home import HomeFolder
from runners.subjects.place import place_subject


def ready(folder, **keys):
    def nothing(job):
        raise AssertionError(job)

    (folder / "c.json").write_text(json.dumps(keys))
    machine = Machine(home=HomeFolder(folder / "home"), host=FakeHost(nothing), environment=())
    config = load_config("c.json", {}, folder)
    return prepare_project(
        config, place_subject(config.subject, **machine.preparation_arguments), machine
    )


def test_artifacts_of_maven_are_no_go_suite(tmp_path):
    with pytest.raises(UsageError, match="Maven artifacts hold no Go benchmarks"):
        ready(tmp_path, subject="maven:org.example:ring:1", harness="go")


def test_a_jar_is_no_go_suite(tmp_path):
    (tmp_path / "benchmarks.jar").write_bytes(b"")

    with pytest.raises(UsageError, match="a jar holds no Go benchmarks; leave out the harness"):
        ready(tmp_path, subject="benchmarks.jar", harness="go")


def note(folder, harness):
    return other_suites_note(folder, harness, LANGUAGES.of_harness(harness))


@pytest.mark.parametrize(
    "words", [{"profiles": ["x"]}, {"flags": ["-Dx"]}, {"jdk": "21"}, {"gradle": "g"}]
)
def test_profiles_and_flags_are_for_maven_and_gradle(words, tmp_path):
    (tmp_path / "ring").mkdir()
    (tmp_path / "ring" / "go.mod").write_text("module example.org/ring\n")

    with pytest.raises(UsageError, match="profiles, flags, jdk and gradle work only with JMH"):
        ready(tmp_path, subject={"path": "ring", **words})


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"tags": ["x"]}, "profiles, flags, jdk, gradle and tags do not work with Python"),
        ({"allocations": True}, "allocations are not available"),
        ({"subject": "maven:g:a:1", "harness": "pytest"}, "hold no Python benchmarks"),
    ],
)
def test_what_a_python_suite_has_not_is_refused(options, reason, tmp_path):
    (tmp_path / "ring").mkdir()
    (tmp_path / "ring" / "pyproject.toml").write_text("")

    with pytest.raises(UsageError, match=reason):
        ready(tmp_path, **{"subject": "ring", **options})


def test_suites_of_other_languages_are_named_and_how_to_choose_them(tmp_path):
    (tmp_path / "go.mod").write_text("module m\n")
    (tmp_path / "m_test.go").write_text("package m\nfunc BenchmarkM(b *testing.B) {}\n")

    assert note(tmp_path, "go") == ""
    assert note(tmp_path, "asv") == (
        "auditing the asv suite; other suites: . (go, 1 benchmark); choose with "
        "--harness, or name the folder"
    )


def test_frameworks_of_one_language_are_no_suites_of_others(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "test_a.py").write_text("def test_a(benchmark): pass\n")

    assert note(tmp_path, "asv") == ""
    assert ". (pytest, 1 benchmark)" in note(tmp_path, "jmh")


def test_build_tags_are_gos(tmp_path):
    subject = tmp_path / "ring"
    subject.mkdir()
    (subject / "pom.xml").write_text("<project/>")

    with pytest.raises(UsageError, match="tags work only with Go"):
        ready(tmp_path, subject="ring", tags=["purego"])


def test_every_harness_of_the_configuration_is_there():
    assert sorted(HARNESSES) == sorted(LANGUAGES.harnesses)


@pytest.mark.parametrize(
    ("facts", "jobs"),
    [
        ({"cores": "1"}, 1),
        ({"cores": "2"}, 2),
        ({"cores": "64"}, 4),
        ({"cores": "4", "smt": "on"}, 2),
        ({"cores": "2", "smt": "on"}, 1),
        ({"cores": "4", "smt": "off"}, 4),
        ({"cores": "8", "quota": "150000 100000"}, 1),
        ({"cores": "8", "quota": "300000 100000"}, 3),
        ({"cores": "8", "quota": "max"}, 4),
        ({"cores": "unknown"}, 1),
        ({}, 1),
    ],
)
def test_as_many_run_at_a_time_as_there_are_cores_for(facts, jobs):
    assert session._count_jobs(HostFacts("made up", tuple(facts.items()))) == jobs
