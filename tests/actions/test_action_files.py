"""The actions and the example workflows, as those see them who look for holes in such files."""

import shutil
import subprocess

import pytest
import yaml
from acting import BIN, ROOT

pytestmark = pytest.mark.subject
OTHERS = ("comment", "lint")
"""Actions beside that of the top level."""


def workflows(folder):
    """Copy all that GitHub would run to where its checkers look."""
    there = folder / ".github" / "workflows"
    there.mkdir(parents=True)
    for one in (ROOT / "examples" / "workflows").glob("*.yml"):
        shutil.copy(one, there)
    shutil.copy(ROOT / "action.yml", folder)
    for name in OTHERS:
        shutil.copytree(ROOT / name, folder / name)
    return folder


def test_zizmor_finds_nothing(tmp_path):
    found = subprocess.run(
        (BIN / "zizmor", "--offline", "--no-progress", "--persona=pedantic", workflows(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )

    assert found.returncode == 0, found.stdout + found.stderr
    assert "No findings" in found.stdout


def test_zizmor_finds_what_is_wrong(tmp_path):
    """Else its silence would mean nothing."""
    folder = workflows(tmp_path)
    file = folder / "action.yml"
    file.write_text(file.read_text().replace('-- "$BASE"', '-- "${{ inputs.base }}"'))

    found = subprocess.run(
        (BIN / "zizmor", "--offline", "--no-progress", folder), capture_output=True, check=False
    )

    assert found.returncode != 0


def test_actionlint_finds_nothing(tmp_path):
    folder = workflows(tmp_path)
    files = sorted((folder / ".github" / "workflows").iterdir())

    found = subprocess.run(
        (BIN / "actionlint", *files), capture_output=True, text=True, check=False
    )

    assert (found.returncode, found.stdout) == (0, "")
    assert len(files) == 3


def test_each_input_is_used_and_each_shell_is_named():
    """Which actionlint does not look at in actions."""
    for file in (ROOT / "action.yml", *(ROOT / name / "action.yml" for name in OTHERS)):
        action = yaml.safe_load(file.read_text())
        steps = action["runs"]["steps"]
        text = file.read_text()
        assert [one for one in action["inputs"] if f"inputs.{one}" not in text] == []
        assert [one for one in steps if "run" in one and one.get("shell") != "bash"] == []
        assert [one for one in steps if "${{" in one.get("run", "")] == []
        pinned = [one["uses"].partition("@")[2] for one in steps if "uses" in one]
        assert bool(pinned) is (file.parent.name != "lint")  # which needs no other
        assert all(len(one) == 40 for one in pinned)
