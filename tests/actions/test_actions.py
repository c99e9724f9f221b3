"""The two actions, run by a local workflow runner on real repositories; GitHub is a fake one."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from fake_github import event, pull, serving

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
CACHE = "actions/cache@5a3ec84eff668545956fd18022155c47e93e2684"
DOWNLOAD = "actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093"
STUB = """name: stub
description: What it was called with, into a file.
inputs:
  path: {description: p, default: ""}
  key: {description: k, default: ""}
runs:
  using: composite
  steps:
    - shell: bash
      env: {WHERE: "${{ inputs.path }}"}
      run: |
        mkdir -p "$WHERE"
        if [ -n "$RESULT" ]; then cp "$RESULT" "$WHERE/compare.json"; fi
"""
AUDIT = """on: push
jobs:
  compare:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - id: audit
        uses: bench-audit/bench-audit@v1
        with:
          base: HEAD~1
          config: CONFIG
          python: PYTHON
          fail-on: nothing
      - env:
          OUTPUTS: ${{ toJSON(steps.audit.outputs) }}
        run: |
          printf '%s' "$OUTPUTS" > "$LEFT/outputs.json"
          cp "$(printf '%s' "$OUTPUTS" | jq -r .result)" "$LEFT/compare.json"
"""
COMMENT = """on: workflow_run
jobs:
  comment:
    runs-on: ubuntu-latest
    steps:
      - uses: bench-audit/bench-audit/comment@v1
        with:
          python: PYTHON
          token: a-token
"""

pytestmark = [pytest.mark.subject, pytest.mark.timed]


def git(folder, *arguments):
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", folder, *identity, *arguments), check=True, capture_output=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Return the tracked files of this project as a repository of its own, as a user's job has."""
    folder = tmp_path_factory.mktemp("action") / "bench-audit"
    listed = subprocess.run(
        ("git", "-C", ROOT, "ls-files", "-co", "--exclude-standard", "-z"),
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    return folder


@pytest.fixture
def stub(tmp_path):
    folder = tmp_path / "stub"
    folder.mkdir()
    (folder / "action.yml").write_text(STUB)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def act(folder, workflow, event, places, **environment):
    """Run a workflow in a repository, on this machine and offline but for what it installs."""
    file = folder.parent / "workflow.yml"
    file.write_text(workflow.replace("PYTHON", sys.executable))
    payload = folder.parent / "event.json"
    payload.write_text(json.dumps(event))
    local = [f"--local-repository={name}={path}" for name, path in places.items()]
    given = [f"--env={name}={value}" for name, value in environment.items()]
    return subprocess.run(
        (
            BIN / "act", "--workflows", file, "--eventpath", payload, "--platform",
            "ubuntu-latest=-self-hosted", "--action-offline-mode", *local, *given,
        ),
        cwd=folder,
        env={
            **os.environ,
            "DOCKER_HOST": "unix:///nonexistent",
            "HOME": str(folder.parent / "home"),
            "XDG_CACHE_HOME": str(folder.parent / "cache"),
            "GOCACHE": subprocess.check_output(("go", "env", "GOCACHE"), text=True).strip(),
        },
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )  # fmt: skip


@pytest.fixture
def repository(tmp_path):
    """Return a repository whose last commit makes its one method take twice as long.

    It waits, so that no other program on the machine has a say in how long it takes.
    """
    folder = tmp_path / "project"
    folder.mkdir()
    code = (
        'package tiny\n\nimport "time"\n\nfunc Add(x int) int {\n\ttime.Sleep(time.Millisecond)\n'
        "\treturn x + 1\n}\n"
    )
    bench = (
        'package tiny\n\nimport "testing"\n\nvar sink int\n\nfunc BenchmarkAdd(b *testing.B) {\n'
        "\tfor i := 0; i < b.N; i++ {\n\t\tsink = Add(sink + 1)\n\t}\n}\n"
    )
    (folder / "go.mod").write_text("module example.org/tiny\n\ngo 1.20\n")
    (folder / "tiny.go").write_text(code)
    (folder / "tiny_test.go").write_text(bench)
    asked = {
        "runs": 1,
        "controls": 0,
        "slowdown": 2.0,
        "plan": {"warmup": 5, "iterations": 15, "iteration_time": "10ms"},
        "compare": {"rounds": 4, "confirm": 5, "min_delta": 0.2},
    }
    (folder / "audit.json").write_text(json.dumps(asked))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "base")
    (folder / "tiny.go").write_text(code.replace("time.Millisecond", "2 * time.Millisecond"))
    git(folder, "commit", "-q", "-a", "-m", "slower")
    return folder


def test_both_actions_from_the_audit_to_the_comment(tmp_path, source, stub, repository):
    left = tmp_path / "left"
    left.mkdir()
    places = {"bench-audit/bench-audit@v1": source, CACHE: stub, DOWNLOAD: stub}

    ended = act(
        repository,
        AUDIT.replace("CONFIG", "audit.json"),
        {},
        places,
        LEFT=left,
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
    outputs = json.loads((left / "outputs.json").read_text())
    assert outputs["verdict"] == "pass"
    assert outputs["change"] == "regression"
    assert (outputs["regressions"], outputs["score"]) == ("1", "100")

    sha = "c" * 40
    with serving() as github:
        github.pulls = [pull(3, "d" * 40), pull(4, sha)]
        commented = act(
            repository,
            COMMENT,
            event(sha),
            {"bench-audit/bench-audit@v1": source, DOWNLOAD: stub},
            RESULT=left / "compare.json",
            GITHUB_API_URL=github.address,
        )

        assert commented.returncode == 0, commented.stdout + commented.stderr
        (comment,) = github.comments
    assert comment["body"].startswith("<!-- bench-audit -->\n## Benchmarks of ")
    assert "1 benchmark has a regression" in comment["body"]
    assert ("POST", "/repos/") in {(how, path[:7]) for how, path in github.calls}


def workflows(folder):
    """Copy all that GitHub would run to where its checkers look."""
    there = folder / ".github" / "workflows"
    there.mkdir(parents=True)
    for one in (ROOT / "examples" / "workflows").glob("*.yml"):
        shutil.copy(one, there)
    shutil.copy(ROOT / "action.yml", folder)
    shutil.copytree(ROOT / "comment", folder / "comment")
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
    assert len(files) == 2


def test_each_input_is_used_and_each_shell_is_named():
    """Which actionlint does not look at in actions."""
    for file in (ROOT / "action.yml", ROOT / "comment" / "action.yml"):
        action = yaml.safe_load(file.read_text())
        steps = action["runs"]["steps"]
        text = file.read_text()
        assert [one for one in action["inputs"] if f"inputs.{one}" not in text] == []
        assert [one for one in steps if "run" in one and one.get("shell") != "bash"] == []
        assert [one for one in steps if "${{" in one.get("run", "")] == []
        pinned = [one["uses"].partition("@")[2] for one in steps if "uses" in one]
        assert pinned
        assert all(len(one) == 40 for one in pinned)
