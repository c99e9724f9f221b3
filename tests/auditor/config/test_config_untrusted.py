"""A configuration that a stranger may have written."""

import json

import pytest

from auditor.config import load_config
from auditor.core.errors import UsageError
from auditor.core.hosts import DockerSpec

FILES = ("go.mod", "names.txt", "model.json")

REACHING = [
    ({"host": "docker"}, "host is not allowed with --untrusted: .* choose it with --host"),
    ({"docker": {"environment": ["TOKEN"]}}, "docker is not allowed .* --host docker:IMAGE"),
    ({"ssh": {"environment": ["TOKEN"]}}, "ssh is not allowed"),
    ({"dispatch": "dask"}, "dispatch is not allowed"),
    ({"dask": {"scheduler": "tcp://127.0.0.1:1"}}, "dask is not allowed"),
    ({"local": {"environment": ["TOKEN"]}}, "local is not allowed"),
    ({"python": {"requirements": ["a"]}}, "python is not allowed"),
    ({"store": "here.sqlite"}, "store is not allowed"),
    ({"clients": [{"path": "."}]}, "clients is not allowed"),
    ({"methods": "names.txt"}, "methods may not name a file"),
    ({"warmup": {"model": "model.json"}}, "warmup.model is not allowed"),
    ({"subject": ".."}, "subject must be the configuration's folder"),
    ({"subject": {"path": "/"}}, "subject must be the configuration's folder"),
    (
        {"subject": {"path": ".", "jdk": "/any/folder"}},
        "subject.jdk may not name a folder .* number",
    ),
    ({"subject": {"path": ".", "jdk": "17\n"}}, "subject.jdk may not name a folder"),
    ({"subject": {"path": ".", "gradle": "/any/program"}}, "subject.gradle is not allowed"),
    ({"subject": {"path": ".", "gradle": "gradle"}}, "subject.gradle is not allowed"),
    *(
        (
            {"subject": {"path": ".", "flags": ["--offline", flag]}},
            "subject.flags may not name files",
        )
        for flag in (
            "-I/any/init.gradle",
            "--init-script=../init.gradle",
            "-f..",
            "-s~/settings.xml",
            "-Dmaven.ext.class.path=/any/a.jar",
            "-Dmaven.repo.local=${user.home}",
            "-PrepositoryUrl=https://example.org",
            "-Dpath=C:\\any",
        )
    ),
    ({"subject": {"git": ".@HEAD"}}, "subject must be the configuration's folder"),
    (
        {"subject": {"maven": "a:b:1", "extra": ["c:d:1"]}},
        "subject must be the configuration's folder",
    ),
    ({"subject": "go:example.org/ring@v1"}, "subject must be the configuration's folder"),
]
"""Keys that reach out of a project, and what is said of each."""


def loaded(folder, changes=None, *, untrusted=True, **keys):
    """Return what a configuration inside a project asks for."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    for name in FILES:
        (project / name).write_text("module a\n")
    (project / "bench.json").write_text(json.dumps({"subject": ".", **keys}))
    return load_config("project/bench.json", changes or {}, folder, untrusted=untrusted)


@pytest.mark.parametrize(("keys", "message"), REACHING)
def test_what_reaches_out_of_the_project_is_refused(tmp_path, keys, message):
    with pytest.raises(UsageError, match=f"^project/bench.json: {message}"):
        loaded(tmp_path, **keys)


def test_what_stays_inside_is_taken(tmp_path):
    config = loaded(tmp_path, methods=["a.Push"], slowdown=0.7, gates={"min_score": 40})

    assert config.request.methods == ("a.Push",)
    assert loaded(tmp_path, untrusted=False, store="here.sqlite").store is not None


def test_a_subject_may_choose_what_its_build_does(tmp_path):
    flags = ["--offline", "-PjmhVersion=1.37", "-pl=:library,!:docs", "-Dargs=-Xmx1g [a] #b"]
    subject = {"path": ".", "jdk": "17", "profiles": ["bench"], "flags": flags}

    words = loaded(tmp_path, subject=subject).build

    assert (words.jdk, words.profiles, words.flags) == ("17", ("bench",), tuple(flags))


@pytest.mark.parametrize("subject", [{"path": ".", "flags": "-x"}, {"path": ".", "jdk": 17}, []])
def test_values_of_another_type_are_refused_in_one_line(tmp_path, subject):
    with pytest.raises(UsageError, match=r"^project/bench\.json: ") as failure:
        loaded(tmp_path, subject=subject)

    assert "\n" not in str(failure.value)


def test_a_link_does_not_make_another_folder_the_projects_own(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "inside").symlink_to("../elsewhere")

    with pytest.raises(UsageError, match="subject must be the configuration's folder"):
        loaded(tmp_path, subject="inside")


def test_the_host_and_the_image_come_from_the_command_line(tmp_path):
    docker = loaded(tmp_path, {"host": "docker:golang:1.24"}).docker

    assert isinstance(docker, DockerSpec)
    assert docker.image == "golang:1.24"


def test_an_image_on_the_command_line_is_taken_in_the_place_of_a_dockerfile(tmp_path):
    section = {"dockerfile": "Dockerfile", "network": "none"}
    config = loaded(tmp_path, {"host": "docker:golang:1.24"}, untrusted=False, docker=section)

    assert config.host == "docker"
    assert (config.docker.image, config.docker.dockerfile) == ("golang:1.24", None)
    assert config.docker.network == "none"
