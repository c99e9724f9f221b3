from pathlib import Path

import pytest

from auditor.core.errors import FolderUnusable
from runners.home import Home


def test_nothing_is_made_before_it_is_asked_for(tmp_path):
    Home(tmp_path / "home")

    assert list(tmp_path.iterdir()) == []


def test_folders_are_apart_from_each_other(tmp_path):
    home = Home(tmp_path / "home")

    folders = {home.cache("x"), home.tools("x"), home.work("x"), home.subjects()}

    assert len(folders) == 4
    assert all(folder.is_dir() and folder.is_relative_to(home.root) for folder in folders)


def test_a_scratch_folder_is_gone_afterwards(tmp_path):
    home = Home(tmp_path)
    with home.scratch() as folder:
        (folder / "file").write_text("x")

    assert not folder.exists()


def test_a_file_in_the_way_is_said_in_one_line(tmp_path):
    (tmp_path / "home").write_text("")

    with pytest.raises(FolderUnusable, match="a file is in the way"):
        Home(tmp_path / "home").cache("x")


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a folder that refuses all")
def test_a_folder_that_refuses_even_root_is_said_in_one_line():
    with pytest.raises(FolderUnusable, match="cannot write /proc"):
        Home(Path("/proc/bench-audit")).cache("x")
