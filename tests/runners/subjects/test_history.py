"""Commits of real repositories."""

import subprocess

import pytest

from auditor.core.errors import UsageError
from auditor.core.request import FolderSpec, GoModuleSpec
from runners.subjects.repository import find_commits, list_recent_commits


def git(folder, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    call = ["git", *identity, *words]
    return subprocess.run(call, cwd=folder, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def folder(tmp_path):
    repository = tmp_path / "ring"
    (repository / "deep").mkdir(parents=True)
    git(repository, "init", "--quiet", "-b", "main")
    for number, (name, message) in enumerate(
        [
            ("ring.go", "first\n\nwith a body\nof two lines"),
            ("deep/b ä.go", "second; \x1f odd"),
            ("ring.go", "third"),
        ]
    ):
        (repository / name).write_text(f"package ring // {number}\n")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", "-m", message)
    return repository


def test_the_newest_is_first_and_each_has_its_parent_and_files(folder):
    result = list_recent_commits(FolderSpec(folder), 10)

    assert [commit.title for commit in result] == ["third", "second; \x1f odd", "first"]
    assert [commit.parent for commit in result] == [result[1].id, result[2].id, ""]
    assert [commit.files for commit in result] == [("ring.go",), ("deep/b ä.go",), ("ring.go",)]
    assert result[2].message == "with a body\nof two lines"
    assert len(result[0].day) == len("2026-01-02")
    assert len(list_recent_commits(FolderSpec(folder), 2)) == 2


def test_of_a_folder_inside_a_repository_only_what_changes_it_counts(folder):
    (commit,) = [
        commit for commit in list_recent_commits(FolderSpec(folder / "deep"), 10) if commit.files
    ]

    assert commit.files == ("b ä.go",)


def test_merges_are_left_out_unless_they_are_named(folder):
    git(folder, "checkout", "--quiet", "-b", "side", "HEAD~1")
    (folder / "side.go").write_text("package ring\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "side")
    git(folder, "checkout", "--quiet", "main")
    git(folder, "merge", "--quiet", "--no-ff", "-m", "merged", "side")

    assert "merged" not in [commit.title for commit in list_recent_commits(FolderSpec(folder), 10)]
    (merge,) = find_commits(FolderSpec(folder), ["HEAD"])
    assert (merge.title, merge.files) == ("merged", ("side.go",))
    assert merge.parent == git(folder, "rev-parse", "HEAD^1").strip()


@pytest.mark.parametrize("name", ["nowhere", "--all", "-1"])
def test_a_commit_that_does_not_exist_is_refused(folder, name):
    with pytest.raises(UsageError, match=f"no such commit: {name}; write a hash"):
        find_commits(FolderSpec(folder), [name])


def test_what_has_no_past_is_refused(tmp_path):
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError, match="the subject has no history"):
        list_recent_commits(FolderSpec(tmp_path / "plain"), 10)
    with pytest.raises(UsageError, match="the subject has no history"):
        list_recent_commits(GoModuleSpec("example.org/a", "v1.0.0"), 10)


def test_a_repository_without_a_commit_says_so(tmp_path):
    (tmp_path / "new").mkdir()
    git(tmp_path / "new", "init", "--quiet")
    with pytest.raises(UsageError, match="the repository has no commit yet"):
        list_recent_commits(FolderSpec(tmp_path / "new"), 10)
