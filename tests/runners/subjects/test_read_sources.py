"""Sources that are only read: which files, and never through a link."""

import os
import subprocess

import pytest

from auditor.core.errors import SubjectError, UsageError
from auditor.core.request import FolderSpec, GitSpec, JarSpec
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.subjects.sources import read_subject_sources

ENDINGS = (".go", ".py")


@pytest.fixture
def read(tmp_path):
    def read(spec):
        environment = (("PATH", os.environ["PATH"]),)
        return read_subject_sources(
            spec,
            ENDINGS,
            home=HomeFolder(tmp_path / "our-home"),
            host=LocalHost(),
            environment=environment,
        )

    return read


@pytest.fixture
def folder(tmp_path):
    tree = tmp_path / "ring"
    (tree / "deep").mkdir(parents=True)
    (tree / "vendor" / "x").mkdir(parents=True)
    (tree / "ring.go").write_text("package ring\n")
    (tree / "deep" / "bench.py").write_bytes(b"\xff\xfe odd\n")
    (tree / "vendor" / "x" / "x.go").write_text("package x\n")
    (tree / "readme.md").write_text("no source")
    return tree


def git(folder, *words):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True)


def paths(listing):
    return [file.path for file in listing.files]


def test_a_folder_of_any_kind_is_read_in_place(read, folder, tmp_path):
    result = read(FolderSpec(folder))

    assert paths(result) == ["deep/bench.py", "ring.go"]
    assert result.files[0].text == b"\xff\xfe odd\n"
    assert (result.name, result.revision) == ("ring", "")
    assert not (tmp_path / "our-home").exists()


def test_of_a_repository_what_is_tracked_or_new_is_read(read, folder):
    (folder / ".gitignore").write_text("made.go\n")
    git(folder, "init", "--quiet")
    (folder / "go.mod").write_text("module example.org/ring\n")
    git(folder, "add", "ring.go", "go.mod", ".gitignore")
    git(folder, "commit", "--quiet", "-m", "first")
    (folder / "made.go").write_text("package made\n")
    (folder / "ring.go").write_text("package changed\n")

    result = read(FolderSpec(folder))

    assert paths(result) == ["deep/bench.py", "ring.go"]
    assert result.files[1].text == b"package changed\n"
    assert len(result.revision) == 12
    assert paths(read(FolderSpec(folder / "deep"))) == ["bench.py"]
    revision = read(GitSpec(repository=str(folder), revision="HEAD"))
    assert [file.text for file in revision.files] == [b"package ring\n"]


def test_links_pipes_large_and_missing_files_are_left_out(read, folder, tmp_path):
    outside = tmp_path / "secret.go"
    outside.write_text("package secret\n")
    (folder / "link.go").symlink_to(outside)
    (folder / "folder").symlink_to(tmp_path)
    os.mkfifo(folder / "pipe.go")
    (folder / "large.go").write_bytes(b"x" * 2_000_001)
    git(folder, "init", "--quiet")
    (folder / "gone.go").write_text("package gone\n")
    git(folder, "add", "gone.go")
    (folder / "gone.go").unlink()

    assert paths(read(FolderSpec(folder))) == ["deep/bench.py", "ring.go"]


def test_a_repository_that_cannot_be_read_is_refused(read, folder):
    git(folder, "init", "--quiet")
    (folder / ".git" / "index").write_text("broken")

    with pytest.raises(SubjectError, match="git cannot read the repository of"):
        read(FolderSpec(folder))


def test_odd_names_and_changed_kinds_of_files_do_no_harm(read, folder):
    (folder / os.fsdecode(b"odd\xff.go")).write_text("package odd\n")
    (folder / "loop.go").symlink_to("loop.go")
    git(folder, "init", "--quiet")
    git(folder, "add", "deep/bench.py", "loop.go")
    (folder / "deep" / "bench.py").unlink()
    (folder / "deep").rmdir()
    (folder / "deep").write_text("a file now")

    result = read(FolderSpec(folder))

    assert paths(result) == ["odd\ufffd.go", "ring.go"]


def test_large_files_are_apart(read, folder):
    (folder / "large.go").write_bytes(b"x" * 2_000_001)

    result = read(FolderSpec(folder))

    assert paths(result) == ["deep/bench.py", "ring.go"]
    assert [(source_file.path, len(source_file.text)) for source_file in result.large] == [
        ("large.go", 2_000_001)
    ]


def test_a_folder_that_is_tracked_and_is_a_link_now_is_not_followed(read, folder, tmp_path):
    git(folder, "init", "--quiet")
    git(folder, "add", "deep/bench.py")
    (folder / "deep").rename(tmp_path / "elsewhere")
    (folder / "deep").symlink_to(tmp_path / "elsewhere")

    assert paths(read(FolderSpec(folder))) == ["ring.go"]


def test_what_has_no_sources_is_refused_in_a_line(read, tmp_path):
    with pytest.raises(UsageError, match=r"no such folder: .*; name the folder of a project"):
        read(FolderSpec(tmp_path / "nowhere"))
    with pytest.raises(UsageError, match="an artifact has no benchmark sources"):
        read(JarSpec(tmp_path / "a.jar"))
