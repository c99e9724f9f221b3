"""The two actions, run by a local workflow runner on real repositories; GitHub is a fake one."""

import json

import pytest
from acting import act, git
from fake_github import event, pull, serving

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


@pytest.fixture
def stub(tmp_path):
    folder = tmp_path / "stub"
    folder.mkdir()
    (folder / "action.yml").write_text(STUB)
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    return folder


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
