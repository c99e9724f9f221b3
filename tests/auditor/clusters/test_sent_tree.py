"""A tree that a worker was sent is what it was, whatever has been done to it since."""

import os

import pytest

from auditor.clusters import worker
from auditor.core.errors import MachineError
from runners.home import HomeFolder
from runners.subjects.placed import PlacedSubject
from runners.tree_archive import pack_folders, unpack_folders


def recipe(folder, tree):
    placed = PlacedSubject(
        root=folder, tree=folder / "in", name="p", revision="", digest_of_tree="d"
    )
    return worker.SubjectRecipe(
        session="s", config="", placed=placed, tree=tree, built=None, digest="d"
    )


def test_what_a_benchmark_has_changed_is_replaced(tmp_path):
    (tmp_path / "sent" / "in").mkdir(parents=True)
    (tmp_path / "sent" / "in" / "data").write_text("as it was")
    (tmp_path / "sent" / "in" / "link").symlink_to("/usr/bin/env")
    sent = recipe(tmp_path / "sent", pack_folders([(".", tmp_path / "sent")]))
    home = HomeFolder(tmp_path / "home")
    first = worker._unpack_tree(sent, home)
    (first.tree / "data").write_text("changed")

    second = worker._unpack_tree(sent, home)

    assert second.tree == first.tree
    assert (second.tree / "data").read_text() == "as it was"
    assert (second.tree / "link").is_symlink()


def test_what_was_sent_counts_as_used_from_then_on_however_old_it_is(tmp_path):
    (tmp_path / "sent" / "in").mkdir(parents=True)
    os.utime(tmp_path / "sent", (1, 1))
    home = HomeFolder(tmp_path / "home")
    unpacked = unpack_folders(pack_folders([(".", tmp_path / "sent")]), "d", home)

    with home.make_scratch_folder():
        assert unpacked.is_dir()


def test_an_archive_that_is_none_is_one_line(tmp_path):
    with pytest.raises(MachineError, match="the received files cannot be unpacked"):
        worker._unpack_tree(recipe(tmp_path, b"nonsense"), HomeFolder(tmp_path / "home"))
