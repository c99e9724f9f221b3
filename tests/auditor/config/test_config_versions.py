"""How one of two versions of a class is named; nothing is read but names."""

import os

import pytest

from auditor.config.concurrency import version_spec
from auditor.core.errors import UsageError
from auditor.core.request import ClassPathSpec, FolderSpec, GitSpec, MavenSpec


@pytest.fixture
def jar_folder(tmp_path):
    folder = tmp_path.resolve()
    (folder / "libs").mkdir()
    (folder / "none").mkdir()
    for name in ("a.jar", "libs/c.jar", "libs/b.JAR", "libs/notes.txt"):
        (folder / name).touch()
    return folder


def test_published_artifacts_and_revisions_are_named_as_subjects_are(jar_folder):
    assert version_spec("maven:g:a:1", jar_folder) == MavenSpec(
        group="g", artifact="a", version="1"
    )
    assert version_spec("git:.@v1", jar_folder) == GitSpec(str(jar_folder), "v1")


def test_a_folder_alone_may_be_a_project_and_a_jar_alone_is_a_class_path(jar_folder):
    assert version_spec("libs", jar_folder) == FolderSpec(jar_folder / "libs")
    assert version_spec(f"./libs{os.pathsep}", jar_folder) == FolderSpec(jar_folder / "libs")
    assert version_spec("a.jar", jar_folder) == ClassPathSpec((jar_folder / "a.jar",))


def test_the_first_entry_is_its_own_and_a_star_is_all_jars_in_order(jar_folder):
    jars = (jar_folder / "libs" / "b.JAR", jar_folder / "libs" / "c.jar")

    assert version_spec(f"a.jar{os.pathsep}none{os.pathsep}libs/*", jar_folder) == ClassPathSpec(
        (jar_folder / "a.jar",), (jar_folder / "none", *jars)
    )
    assert version_spec(f"libs/*{os.pathsep}a.jar", jar_folder) == ClassPathSpec(
        jars, (jar_folder / "a.jar",)
    )


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("b.jar", r"no such file or folder: .*/b\.jar; name jars or"),
        (f"a.jar{os.pathsep}libs/d.jar", r"no such file or folder: .*/libs/d\.jar; name"),
        ("mvn:g:a:1", "no such file or folder: .*/mvn; name"),
        ("none/*", "no jars in .*/none; name"),
        ("away/*", "no jars in .*/away; name"),
        ("", "a version is empty; name"),
        (os.pathsep, "a version is empty; name"),
        ("go:example.org/a@v1", "go:example.org/a@v1 is not a version of a Java class; name"),
        ("pypi:pluggy@1.7.0", "is not a version of a Java class; name"),
        ("git:.", "has no revision"),
        ("maven:g:a", "is not GROUP:ARTIFACT:VERSION"),
        ("~nobody-of-this-name/a.jar", "is not a path"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(version, message, jar_folder):
    with pytest.raises(UsageError, match=message) as failure:
        version_spec(version, jar_folder)

    assert "\n" not in str(failure.value)
