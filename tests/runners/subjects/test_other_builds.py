"""What is said of projects that build tools build which are not called here."""

import pytest
import subject_trees
from subject_trees import make

from auditor.core.errors import SubjectError
from auditor.core.request import FolderSpec, GitSpec
from runners.home import HomeFolder
from runners.subjects import placed
from runners.subjects.folder import place_folder, require_project_folder
from runners.subjects.placed import detect_kind
from runners.subjects.revision import place_revision


@pytest.mark.parametrize(
    ("file", "tool"),
    [
        ("build.sbt", "sbt builds it.*`sbt Jmh/assembly`"),
        ("build.mill", "Mill builds it"),
        ("MODULE.bazel", "Bazel builds it.*_deploy.jar"),
        ("build.xml", "Ant builds it"),
    ],
)
def test_the_way_through_a_jar_is_said(file, tool, tmp_path):
    (tmp_path / file).touch()

    with pytest.raises(SubjectError, match=tool) as failure:
        require_project_folder(tmp_path)

    assert "name a jar" in str(failure.value)


def test_a_build_tool_that_is_called_counts_first(tmp_path):
    (tmp_path / "build.sbt").touch()
    (tmp_path / "pom.xml").touch()

    assert require_project_folder(tmp_path) == tmp_path.resolve()


STRAY = {"tools__gen_test_dot_go": "package tools\n"}


def test_a_stray_go_test_makes_no_go_project_of_what_another_tool_builds(tmp_path):
    sbt = make(tmp_path / "sbt", build_dot_sbt="", **STRAY)
    committed = subject_trees.committed(tmp_path / "git", build_dot_sbt="", **STRAY)
    native = make(tmp_path / "native", CMakeLists_dot_txt="", **STRAY)
    home = HomeFolder(tmp_path / "home")

    with pytest.raises(SubjectError, match="sbt builds it"):
        require_project_folder(sbt)
    with pytest.raises(SubjectError, match="sbt builds it"):
        place_revision(GitSpec(str(committed), "HEAD"), home)
    with pytest.raises(SubjectError, match="no Go files of its own"):
        require_project_folder(native)
    assert detect_kind(make(tmp_path / "go", **STRAY)) == "go"
    assert (
        detect_kind(make(tmp_path / "both", CMakeLists_dot_txt="", a_dot_go="package a\n")) == "go"
    )


def test_the_users_home_and_what_is_around_it_are_no_go_trees(tmp_path, monkeypatch):
    home = make(tmp_path / "users" / "me", go__src__x__a_test_dot_go="package x\n")
    monkeypatch.setenv("HOME", str(home))

    assert detect_kind(home) is None
    assert detect_kind(tmp_path) is None
    assert detect_kind(home / "go" / "src" / "x") == "go"


def test_of_a_repository_around_the_home_only_the_folder_is_copied(tmp_path, monkeypatch):
    home = subject_trees.committed(
        tmp_path / "me", go__src__x__a_test_dot_go="package x\n", private="secret"
    )
    monkeypatch.setenv("HOME", str(home))

    copy = place_folder(FolderSpec(home / "go" / "src" / "x"), HomeFolder(tmp_path / "ours"))

    assert subject_trees.names(copy.root) == {"a_test.go", "go.mod"}


def test_the_search_for_go_tests_ends(tmp_path, monkeypatch):
    tree = make(tmp_path / "deep", a__b__c__m_test_dot_go="package c\n")
    monkeypatch.setattr(placed, "MOST_FOLDERS", 3)

    assert detect_kind(tree) is None
    with pytest.raises(SubjectError, match="below it in the first 3 folders"):
        require_project_folder(tree)
