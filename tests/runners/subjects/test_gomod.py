"""What is read of go.mod and go.work, whatever a stranger has written there."""

import os

import pytest
from subject_trees import make

from runners.subjects.gomod import find_replacements, list_workspace_modules, read_module_path


@pytest.mark.parametrize(
    "text",
    [
        "module\n",
        "module (\n)\n",
        "replace\n",
        "replace a =>\n",
        "replace => ./a\n",
        "use\n",
        '""\n',
    ],
)
def test_lines_without_their_words_say_nothing(tmp_path, text):
    folder = make(tmp_path / "m", go_dot_mod=text, go_dot_work=text, a__go_dot_mod="module a\n")

    assert read_module_path(folder) == ""
    assert find_replacements(folder) == ()
    assert list_workspace_modules(folder) == ()


@pytest.mark.parametrize("odd", ["./\0", "./" + "a" * 5000, "./a/go.mod"])
def test_what_is_no_folder_replaces_nothing_and_is_in_no_workspace(tmp_path, odd):
    folder = make(
        tmp_path / "m",
        go_dot_mod=f"module m\nreplace x => {odd}\nreplace y => ./a\n",
        go_dot_work=f"use {odd}\nuse ./a\n",
        a__go_dot_mod="module a\n",
    )

    assert [replacement.module for replacement in find_replacements(folder)] == ["y"]
    assert list_workspace_modules(folder) == (folder / "a",)


def test_a_pipe_in_the_place_of_a_file_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "go.mod")

    assert read_module_path(tmp_path) == ""


def test_a_link_to_a_file_is_followed_as_go_does(tmp_path):
    folder = make(tmp_path / "m", real__mod="module example.org/m\n")
    (folder / "go.mod").symlink_to("real/mod")

    assert read_module_path(folder) == "example.org/m"
