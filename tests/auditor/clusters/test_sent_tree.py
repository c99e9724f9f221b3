"""A tree that a worker was sent is what it was, whatever has been done to it since."""

import os
import time

import pytest

from auditor.clusters import worker
from auditor.core.errors import MachineError
from runners.home import Home
from runners.sent import packed, unpacked
from runners.subjects.placed import Placed


def recipe(folder, tree):
    placed = Placed(root=folder, tree=folder / "in", name="p", revision="", digest_of_tree="d")
    return worker.Recipe(session="s", config="", placed=placed, tree=tree, built=None, digest="d")


def test_what_a_benchmark_has_changed_is_replaced(tmp_path):
    (tmp_path / "sent" / "in").mkdir(parents=True)
    (tmp_path / "sent" / "in" / "data").write_text("as it was")
    (tmp_path / "sent" / "in" / "link").symlink_to("/usr/bin/env")
    sent = recipe(tmp_path / "sent", packed([(".", tmp_path / "sent")]))
    home = Home(tmp_path / "home")
    first = worker._unpacked(sent, home)
    (first.tree / "data").write_text("changed")

    again = worker._unpacked(sent, home)

    assert again.tree == first.tree
    assert (again.tree / "data").read_text() == "as it was"
    assert (again.tree / "link").is_symlink()


def test_what_nobody_has_used_for_a_month_is_removed(tmp_path):
    (tmp_path / "sent" / "in").mkdir(parents=True)
    home = Home(tmp_path / "home")
    archive = packed([(".", tmp_path / "sent")])
    old, used, other = (unpacked(archive, name, home) for name in ("old", "used", "other"))
    kept = home.subjects() / "of-this-machine"
    kept.mkdir()
    (old / "in").chmod(0o555)
    for folder, days in ((old, 31), (used, 31), (other, 29), (kept, 99)):
        then = time.time() - days * 86_400
        os.utime(folder, (then, then))

    assert unpacked(archive, "used", home) == used

    assert not old.exists()
    assert all(folder.exists() for folder in (used, other, kept))


def test_an_archive_that_is_none_is_one_line(tmp_path):
    with pytest.raises(MachineError, match="what was sent cannot be unpacked"):
        worker._unpacked(recipe(tmp_path, b"nonsense"), Home(tmp_path / "home"))
