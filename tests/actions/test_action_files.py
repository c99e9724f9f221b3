"""The actions and the example workflows, as those see them who look for holes in such files."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import yaml
from acting import BIN, ROOT, git

pytestmark = pytest.mark.subject
INSTALLATION = (ROOT / "docs" / "installation.md").read_text()
ACTION_FOLDERS = ("comment", "lint")
"""Actions beside that of the top level."""


def workflows(folder):
    """Copy all that GitHub would run to where its checkers look."""
    workflow_folder = folder / ".github" / "workflows"
    workflow_folder.mkdir(parents=True)
    for place in ("examples/workflows", ".github/workflows"):
        for workflow in (ROOT / place).glob("*.yml"):
            shutil.copy(workflow, workflow_folder)
    shutil.copy(ROOT / ".github" / "dependabot.yml", workflow_folder.parent)
    shutil.copy(ROOT / "action.yml", folder)
    for name in ACTION_FOLDERS:
        shutil.copytree(ROOT / name, folder / name)
    return folder


def test_zizmor_finds_nothing(tmp_path):
    completed = subprocess.run(
        (BIN / "zizmor", "--offline", "--no-progress", "--persona=pedantic", workflows(tmp_path)),
        capture_output=True,
        text=True,
        check=False,
    )

    assert completed.returncode == 0, completed.stdout + completed.stderr
    assert "No findings" in completed.stdout


def test_zizmor_finds_what_is_wrong(tmp_path):
    """Else its silence would mean nothing."""
    folder = workflows(tmp_path)
    file = folder / "action.yml"
    file.write_text(file.read_text().replace('-- "$BASE"', '-- "${{ inputs.base }}"'))

    completed = subprocess.run(
        (BIN / "zizmor", "--offline", "--no-progress", folder), capture_output=True, check=False
    )

    assert completed.returncode != 0


def test_actionlint_finds_nothing(tmp_path):
    folder = workflows(tmp_path)
    files = sorted((folder / ".github" / "workflows").iterdir())

    completed = subprocess.run(
        (BIN / "actionlint", *files), capture_output=True, text=True, check=False
    )

    assert (completed.returncode, completed.stdout) == (0, "")
    assert len(files) == 8


def test_each_input_is_used_and_each_shell_is_named():
    """Which actionlint does not look at in actions."""
    for file in (ROOT / "action.yml", *(ROOT / name / "action.yml" for name in ACTION_FOLDERS)):
        action = yaml.safe_load(file.read_text())
        steps = action["runs"]["steps"]
        text = file.read_text()
        assert [
            input_name for input_name in action["inputs"] if f"inputs.{input_name}" not in text
        ] == []
        assert [step for step in steps if "run" in step and step.get("shell") != "bash"] == []
        assert [step for step in steps if "${{" in step.get("run", "")] == []
        pinned = [step["uses"].partition("@")[2] for step in steps if "uses" in step]
        assert bool(pinned) is (file.parent.name != "lint")  # which needs no other
        assert all(len(commit) == 40 for commit in pinned)


@pytest.fixture
def audit(tmp_path):
    """Return what runs the step that audits, with a program that prints its arguments."""
    tool = tmp_path / "place" / "tool" / "bin" / "bench-audit"
    tool.parent.mkdir(parents=True)
    tool.write_text('#!/bin/sh\necho "::error::a name"\necho "$*" > "$CALLED"\nexit 5\n')
    tool.chmod(0o755)
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    (script,) = (step["run"] for step in steps if step.get("id") == "audit")
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")

    def run_step(**values):
        inputs = {"COMMAND": "compare", "BASE": "", "HEAD": "HEAD", "CONFIG": ".", **values}
        inputs = {"USE": "none", "PULL_BASE": "", "PULL_HEAD": "", **inputs}
        called = tmp_path / "called"
        environment = {
            **os.environ, **inputs, "PLACE": str(tmp_path / "place"), "CALLED": str(called),
        }  # fmt: skip
        words = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script)
        ended = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        return ended, called.read_text().split(" -- ")[1].split()

    return folder, run_step


@pytest.mark.parametrize("command", ["abs", "compare"])
def test_nothing_that_the_audit_prints_is_a_command_to_the_runner(audit, command):
    _, run_step = audit

    tokens = set()
    for _ in range(2):
        ended, _ = run_step(COMMAND=command)

        first, printed, last = ended.stdout.splitlines()[-3:]
        token = first.removeprefix("::stop-commands::")
        assert (len(token), printed, last) == (32, "::error::a name", f"::{token}::")
        assert ended.returncode == 5
        tokens.add(token)
    assert len(tokens) == 2  # nobody knows the next


def test_a_head_that_is_not_merged_is_compared_with_where_it_began(audit):
    folder, run_step = audit
    git(folder, "commit", "-q", "--allow-empty", "-m", "the beginning")
    git(folder, "tag", "beginning")
    git(folder, "switch", "-q", "-c", "pull")
    git(folder, "commit", "-q", "--allow-empty", "-m", "of the pull request")
    git(folder, "switch", "-q", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "somebody else's")
    git(folder, "switch", "-q", "pull")
    beginning, main, pull = (
        subprocess.check_output(("git", "-C", folder, "rev-parse", name), text=True).strip()
        for name in ("beginning", "main", "pull")
    )

    _, words = run_step(PULL_BASE=main, PULL_HEAD=pull)
    _, unknown = run_step(PULL_BASE="c" * 40, PULL_HEAD=pull)

    assert words[:2] == [beginning, "HEAD"]
    assert unknown[:2] == ["c" * 40, "HEAD"]


def test_what_is_installed_is_locked():
    """One bad release of a dependency would otherwise run beside the token of the comment job."""
    for file in (ROOT / "action.yml", *(ROOT / name / "action.yml" for name in ACTION_FOLDERS)):
        steps = yaml.safe_load(file.read_text())["runs"]["steps"]
        lines = [line for step in steps for line in step.get("run", "").splitlines()]
        installs = [line for line in lines if line.strip().startswith('"${pip[@]}"')]
        assert len(installs) == 2
        assert "--require-hashes --only-binary :all: -r " in installs[0]
        assert "--no-deps --no-build-isolation " in installs[1]


@pytest.mark.parametrize("name", ["action", "comment", "release"])
def test_each_locked_package_has_a_version_and_hashes(name):
    text = (ROOT / "requirements" / f"{name}.txt").read_text().replace("\\\n", "")
    entries = text.splitlines()

    assert entries
    assert [entry for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_the_comment_job_has_what_it_imports_and_little_else():
    """Measured in an interpreter that has everything."""
    script = (
        "import sys, importlib.metadata as metadata\n"
        "import auditor.compare.command_comment\n"
        "names = metadata.packages_distributions()\n"
        "loaded = {name.partition('.')[0] for name in sys.modules}\n"
        "print(*{one.lower() for name in loaded for one in names.get(name, [])})"
    )
    process = subprocess.run(
        (sys.executable, "-c", script), cwd=ROOT, capture_output=True, text=True, check=True
    )
    text = (ROOT / "requirements" / "comment.txt").read_text()
    locked = {
        line.partition("==")[0].lower() for line in text.splitlines() if not line.startswith(" ")
    }

    imported = set(process.stdout.split()) - {"bench-audit", "setuptools", "typing_extensions"}
    assert {"click", "msgspec", "rich", "jinja2"} <= imported <= locked
    assert not {"numpy", "docker", "gitpython", "libcst"} & locked


def test_the_documented_line_installs_the_tool_of_a_commit(source, tmp_path):
    documented = re.search(r'python (-m pip install "bench-audit @ git\+)(\S+)@main"', INSTALLATION)
    words = shlex.split(documented[1] + f'file://localhost{source}@main"')
    subprocess.run((sys.executable, "-m", "venv", tmp_path / "tool"), check=True)

    subprocess.run((tmp_path / "tool" / "bin" / "python", *words, "--quiet"), check=True)

    program = tmp_path / "tool" / "bin" / "bench-audit"
    completed = subprocess.run((program, "--version"), check=True, capture_output=True, text=True)
    head = subprocess.check_output(("git", "-C", source, "rev-parse", "HEAD"), text=True)
    assert completed.stdout.strip().endswith(f"+g{head[:9]}")
