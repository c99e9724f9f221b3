"""This project as the repository that a job gets its actions from."""

import shutil
import subprocess

import pytest
from acting import ROOT, git


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return the tracked files of this project as a repository of its own, as a user's job has."""
    folder = tmp_path_factory.mktemp("action") / "bench-audit"
    file_list = subprocess.run(
        ("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"),
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, file_list.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    return folder
