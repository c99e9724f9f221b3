import os
import stat
import time
from pathlib import Path, PurePosixPath

import pytest

from auditor.core.errors import FolderUnusable
from runners.home import HomeFolder
from runners.subjects.tree_entries import TreeEntry, place_entries


def test_nothing_is_made_before_it_is_asked_for(tmp_path):
    HomeFolder(tmp_path / "home")

    assert list(tmp_path.iterdir()) == []


def test_nobody_else_may_look_into_it(tmp_path):
    home = HomeFolder(tmp_path / "a" / "home")

    home.make_subjects_folder()

    assert home.root.stat().st_mode & 0o777 == 0o700


def test_folders_are_apart_from_each_other(tmp_path):
    home = HomeFolder(tmp_path / "home")

    folders = {
        home.make_cache_folder("x"),
        home.make_tool_folder("x"),
        home.make_work_folder("x"),
        home.make_subjects_folder(),
    }

    assert len(folders) == 4
    assert all(folder.is_dir() and folder.is_relative_to(home.root) for folder in folders)


def test_a_scratch_folder_is_gone_afterwards(tmp_path):
    home = HomeFolder(tmp_path)
    with home.make_scratch_folder() as folder:
        (folder / "file").write_text("x")

    assert not folder.exists()


def aged(folder, days):
    """Have a folder as if it were used last so many days ago."""
    then = time.time() - days * 86_400
    os.utime(folder, (then, then))
    return folder


def test_what_nobody_has_used_for_a_month_is_removed_with_what_is_read_only_in_it(tmp_path):
    home = HomeFolder(tmp_path)
    folders = [
        home.make_subjects_folder() / "content", home.make_work_folder("java-1"),
        home.make_builds_folder("digest"), home.make_cache_folder("maven"),
        home.make_tool_folder("agent"),
    ]  # fmt: skip
    for folder in folders:
        (folder / "locked").mkdir(parents=True)
        (folder / "locked" / "file").write_text("x")
        (folder / "locked").chmod(0o555)
        aged(folder, 31)
    recent = home.make_subjects_folder() / "recent"
    recent.mkdir()
    aged(recent, 29)

    with home.make_scratch_folder():
        pass

    assert [folder.exists() for folder in folders] == [False, False, False, True, True]
    assert recent.exists()


def test_read_only_folders_are_made_writable_before_they_are_removed(tmp_path, monkeypatch):
    """Who is root removes them anyway."""
    home, modes = HomeFolder(tmp_path), []
    (home.make_work_folder("old") / "locked").mkdir()
    (home.make_work_folder("old") / "locked").chmod(0o555)
    aged(home.root / "work" / "old", 31)
    monkeypatch.setattr(
        "runners.home.shutil.rmtree",
        lambda folder, **_: modes.extend(path.stat().st_mode & 0o777 for path in folder.iterdir()),
    )

    with home.make_scratch_folder():
        assert modes == [0o755]


def test_what_is_asked_for_again_counts_as_used(tmp_path):
    home = HomeFolder(tmp_path)
    for ask in (home.make_work_folder, home.make_builds_folder):
        aged(ask("digest"), 31)
        reused_folder = ask("digest")

        with home.make_scratch_folder():
            assert reused_folder.is_dir()


def test_a_tree_that_is_asked_for_again_counts_as_used(tmp_path):
    home = HomeFolder(tmp_path)
    entries = [TreeEntry(PurePosixPath("go.mod"), b"module m", executable=False)]
    tree, *_ = place_entries(entries, home)
    aged(tree, 29)
    place_entries(entries, home)

    assert tree.stat().st_mtime > time.time() - 86_400


def test_where_an_old_link_leads_nothing_is_touched(tmp_path):
    home = HomeFolder(tmp_path / "home")
    foreign_folder = tmp_path / "theirs"
    (foreign_folder / "folder").mkdir(parents=True)
    (foreign_folder / "folder").chmod(0o700)
    foreign_folder.chmod(0o700)
    old = [home.make_work_folder("old") / "inside", home.make_work_folder("x").parent / "link"]
    for link in old:
        link.symlink_to(foreign_folder)
        os.utime(link, (1, 1), follow_symlinks=False)
    aged(home.root / "work" / "old", 31)
    os.mkfifo(home.make_work_folder("x").parent / "pipe")
    aged(home.make_work_folder("x").parent / "pipe", 31)

    with home.make_scratch_folder():
        pass

    assert not (home.root / "work" / "old").exists()
    assert [
        stat.S_IMODE(folder.stat().st_mode)
        for folder in (foreign_folder, foreign_folder / "folder")
    ] == [0o700] * 2


def test_a_file_in_the_way_is_said_in_one_line(tmp_path):
    (tmp_path / "home").write_text("")

    with pytest.raises(FolderUnusable, match="a file is in the way"):
        HomeFolder(tmp_path / "home").make_cache_folder("x")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that refuses all")
def test_a_folder_that_refuses_even_root_is_said_in_one_line():
    with pytest.raises(FolderUnusable, match="cannot write /proc"):
        HomeFolder(Path("/proc/bench-audit")).make_cache_folder("x")
