"""Go trees without go.mod: the one that their copy gets, and the path of its module."""

import os
from pathlib import PurePosixPath

import pytest
from fake_host import FakeHost
from growth import growth
from subject_trees import committed, git, make

from auditor.core.files.foreign_files import BEGINNING
from auditor.core.request import FolderSpec, GitSpec
from runners.home import HomeFolder
from runners.subjects.gopath import GENERATED_HEADER, add_module_file, find_generated_module
from runners.subjects.place import place_subject
from runners.subjects.placed import detect_kind
from runners.subjects.tree_entries import TreeEntry

TESTED = 'package ring_test\n\nimport (\n\t"testing"\n\n\t"example.org/own/ring"\n)\n'


def refuse(job):
    raise AssertionError(f"nothing should be run: {job}")


def placed(spec, tmp_path):
    return place_subject(
        spec, home=HomeFolder(tmp_path / "home"), host=FakeHost(refuse), environment=()
    )


def module_of(spec, tmp_path):
    lines = (placed(spec, tmp_path).tree / "go.mod").read_text().splitlines()
    assert lines[0] == GENERATED_HEADER
    return next(line for line in lines if line.startswith("module ")).removeprefix("module ")


@pytest.mark.parametrize(
    ("files", "path"),
    [
        (
            {"ring_dot_go": 'package ring // import "example.org/own/ring"\n'},
            "example.org/own/ring",
        ),
        ({"ring_test_dot_go": TESTED}, "example.org/own/ring"),
        (
            {
                "ring_dot_go": 'package ring\n\nimport "example.org/own/ring/inner/deep"\n',
                "inner__deep__deep_dot_go": "package deep\n",
            },
            "example.org/own/ring",
        ),
        ({"ring_dot_go": 'package ring\n\nimport "example.org/other/lib"\n'}, "ring"),
    ],
)
def test_the_sources_say_the_path_of_the_module(tmp_path, files, path):
    folder = make(tmp_path / "ring", **files)

    assert module_of(FolderSpec(folder), tmp_path) == path
    assert not (folder / "go.mod").exists()


@pytest.mark.parametrize(
    "address",
    [
        "https://example.org/own/ring.git",
        "git@example.org:own/ring.git",
        "ssh://git@example.org/own/ring",
    ],
)
def test_the_origin_says_it_where_the_sources_do_not(tmp_path, address):
    folder = committed(tmp_path / "ring", ring_dot_go="package ring\n")
    git(folder, "remote", "add", "origin", address)

    assert module_of(FolderSpec(folder), tmp_path) == "example.org/own/ring"
    assert module_of(GitSpec(str(folder), "HEAD"), tmp_path) == "example.org/own/ring"


def test_an_origin_that_is_no_text_leaves_the_name_of_the_folder(tmp_path):
    folder = committed(tmp_path / "ring", ring_dot_go="package ring\n")
    git(folder, "config", "remote.origin.url", os.fsdecode(b"\xff"))

    assert module_of(GitSpec(str(folder), "HEAD"), tmp_path).isascii()


def test_a_module_around_our_own_folder_is_not_the_module_of_a_copy(tmp_path):
    folder = committed(tmp_path / "ring", ring_dot_go="package ring\n")
    make(tmp_path / "work", go_dot_mod="module example.org/around\n")

    assert module_of(GitSpec(str(folder), "HEAD"), tmp_path / "work") == "ring"


def test_a_folder_of_such_a_repository_is_part_of_its_module(tmp_path):
    folder = committed(
        tmp_path / "ring",
        ring_dot_go='package ring // import "example.org/own/ring"\n',
        inner__a_test_dot_go="package inner\n",
    )

    result = placed(FolderSpec(folder / "inner"), tmp_path)

    assert result.tree == result.root / "inner"
    assert find_generated_module(result.tree) == result.root


def test_vendored_packages_need_a_version_that_asks_for_no_list_of_them(tmp_path):
    plain = make(tmp_path / "plain", ring_dot_go="package ring\n")
    vendored = make(
        tmp_path / "vendored", ring_dot_go="package ring\n", vendor__a__a_dot_go="package a\n"
    )

    texts = [
        (placed(FolderSpec(folder), tmp_path).tree / "go.mod").read_text()
        for folder in (plain, vendored)
    ]

    assert ["go 1.13" in text for text in texts] == [False, True]


def test_a_folder_with_another_project_or_a_module_below_is_no_such_tree(tmp_path):
    inner = {"tool__go_dot_mod": "module example.org/t\n", "tool__a_test_dot_go": "package t\n"}

    assert detect_kind(make(tmp_path / "a", ring_dot_go="package ring\n")) == "go"
    assert detect_kind(make(tmp_path / "b", setup_dot_py="", ring_dot_go="package r\n")) == "python"
    assert detect_kind(make(tmp_path / "c", **inner)) is None
    assert find_generated_module(make(tmp_path / "d", go_dot_mod="module example.org/d\n")) is None


@pytest.mark.parametrize("is_committed", [True, False])
def test_a_folder_inside_a_module_is_copied_with_it(tmp_path, is_committed):
    make_folder = committed if is_committed else make
    module = {"go_dot_mod": "module example.org/m\n", "a__b__c_test_dot_go": "package b\n"}
    folder = make_folder(tmp_path / "m", **module)

    result = placed(FolderSpec(folder / "a" / "b"), tmp_path)

    assert result.tree == result.root / "a" / "b"
    assert (result.root / "go.mod").read_text() == "module example.org/m\n"


def test_an_import_comment_that_no_path_can_be_is_passed_over(tmp_path):
    folder = make(tmp_path / "ring")
    folder.mkdir()
    (folder / "a.go").write_bytes(b'package a // import "x.y/\xff"\n')

    assert module_of(FolderSpec(folder), tmp_path) == "ring"


def test_of_a_file_without_end_only_the_beginning_is_read(tmp_path):
    folder = make(
        tmp_path / "ring",
        ring_dot_go=f'//{" " * BEGINNING}\npackage ring // import "example.org/own/ring"\n',
    )

    assert module_of(FolderSpec(folder), tmp_path) == "ring"


@pytest.mark.parametrize(
    "make_imports",
    [lambda n: b"import (\n" * n, lambda n: b'import "a.b/' + b"x/" * 4 * n + b'"\n'],
)
def test_the_time_grows_with_the_size_of_a_source_not_with_its_square(make_imports):
    def read(size):
        entries = [TreeEntry(PurePosixPath("a.go"), b"package a\n\n" + make_imports(size))]
        add_module_file(entries, PurePosixPath(), "a")

    assert growth(read, 2_000, 16_000) < 24
