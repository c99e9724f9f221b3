"""The two actions, run by a local workflow runner on real repositories; GitHub is a fake one."""

import json
import re
import subprocess
import sys

import pytest
from acting import BIN, ROOT, act, git
from fake_github import event, pull, serving

EXAMPLES = ROOT / "examples" / "workflows"
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
      env: {WHERE: "${{ inputs.path }}", KEY: "${{ inputs.key }}"}
      run: |
        mkdir -p "$WHERE"
        if [ -n "$LEFT" ]; then echo "PART $KEY" >> "$LEFT/stubs"; fi
        if [ -n "$RESULT" ]; then cp "$RESULT" "$WHERE/compare.json"; fi
"""
KEEPING = """name: keeping
description: A cache in a folder, whose newest entry with the wanted beginning is found.
inputs:
  path: {description: p, default: ""}
  key: {description: k, default: ""}
  restore-keys: {description: b, default: ""}
runs:
  using: composite
  steps:
    - shell: bash
      env:
        WHERE: "${{ inputs.path }}"
        KEY: "${{ inputs.key }}"
        BEGINNING: "${{ inputs.restore-keys }}"
      run: |
        if [ PART = save ]; then
          entry="$LEFT/cache/$(ls "$LEFT/cache" | wc -l)"
          mkdir "$entry"
          cp -r "$WHERE" "$entry/data"
          printf '%s' "$KEY" > "$entry/key"
          exit
        fi
        rm -rf "$WHERE"
        for entry in $(ls -dv "$LEFT/cache/"* | tac); do
          case "$(cat "$entry/key")" in
            "$BEGINNING"*) mkdir -p "$(dirname "$WHERE")"; cp -r "$entry/data" "$WHERE"; exit ;;
          esac
        done
"""
IDLE = """name: idle
description: Does nothing.
runs: {using: composite, steps: [{shell: bash, run: "true"}]}
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
CHOOSING = """on: pull_request
jobs:
  compare:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: bench-audit/bench-audit@v1
        with:
          python: TOOL
"""
TOOL = """#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\nexit 0\n' > "$3/bin/python"
printf '#!/bin/sh\necho "$@" > "$LEFT/called"\nexit ENDS\n' > "$3/bin/bench-audit"
chmod +x "$3/bin/python" "$3/bin/bench-audit"
"""
"""In the place of Python: makes an environment whose bench-audit notes how it is called."""
PROGRAM_TOOL = """#!/bin/sh
mkdir -p "$3/bin"
printf '#!/bin/sh\n[ "$1" != -I ] || exec INTERPRETER "$@"\n' > "$3/bin/python"
chmod +x "$3/bin/python"
ln -sf PROGRAM "$3/bin/bench-audit"
"""
"""In the place of Python: makes an environment with the bench-audit of these tests."""
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

pytestmark = pytest.mark.subject


def revision(folder, name):
    words = ("git", "-C", folder, "rev-parse", name)
    return subprocess.check_output(words, text=True).strip()


def action_repository(folder, text, parts=(".", "restore", "save")):
    for part in parts:
        (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / part / "action.yml").write_text(text.replace("PART", part))
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    return folder


@pytest.fixture
def stub(tmp_path):
    return action_repository(tmp_path / "stub", STUB)


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
    document = {
        "runs": 1,
        "controls": 0,
        "slowdown": "200%",
        "plan": {"warmup": 5, "iterations": 15, "iteration_time": "10ms"},
        "compare": {"rounds": 4, "confirm": 5, "min_delta": 0.2},
    }
    (folder / "audit.json").write_text(json.dumps(document))
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "base")
    (folder / "tiny.go").write_text(code.replace("time.Millisecond", "2 * time.Millisecond"))
    git(folder, "commit", "-q", "-a", "-m", "slower")
    return folder


@pytest.mark.timed
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
    marker, headline, *_ = comment["body"].splitlines()
    assert marker == "<!-- bench-audit -->"
    # A busy machine is named in front.
    assert re.match(r"## `(Busy machine .*: )?1 benchmark has a regression: tiny\.", headline)
    assert ("POST", "/repos/") in {(http_method, path[:7]) for http_method, path in github.calls}


@pytest.fixture
def merged(repository):
    """Return a pull request that is checked out merged with a main that has moved on since."""
    old = revision(repository, "main")
    git(repository, "switch", "-q", "-c", "pull")
    git(repository, "commit", "-q", "--allow-empty", "-m", "of the pull request")
    git(repository, "switch", "-q", "main")
    git(repository, "commit", "-q", "--allow-empty", "-m", "somebody else's")
    git(repository, "switch", "-q", "--detach")
    git(repository, "merge", "-q", "--no-ff", "-m", "merge", "pull")
    return {"base": {"sha": old}, "head": {"sha": revision(repository, "pull")}}


@pytest.fixture
def call(tmp_path, source, stub, repository, merged):
    """Return what runs the action on a pull request, and returns what that printed.

    What bench-audit is called with, and each part of the cache, is noted in a folder "left".
    """

    def called(event=merged, *, action_inputs="", ends=0):
        left, tool = tmp_path / "left", tmp_path / "tool"
        left.mkdir()
        tool.write_text(TOOL.replace("ENDS", str(ends)))
        tool.chmod(0o755)
        workflow = CHOOSING.replace("TOOL", str(tool)) + action_inputs
        places = {"bench-audit/bench-audit@v1": source, CACHE: stub}
        ended = act(repository, workflow, {"pull_request": event}, places, LEFT=left)
        assert ended.returncode == ends, ended.stdout + ended.stderr
        return ended.stdout

    return called


def revisions(folder):
    return tuple((folder / "left" / "called").read_text().partition(" -- ")[2].split()[:2])


def test_a_merged_pull_request_is_compared_with_what_it_is_merged_with(call, tmp_path):
    call()

    assert revisions(tmp_path) == ("HEAD^1", "HEAD")


def test_the_head_of_a_pull_request_is_compared_with_the_base_of_the_event(
    call, tmp_path, repository, merged
):
    git(repository, "switch", "-q", "pull")
    git(repository, "merge", "-q", "--no-ff", "-m", "what is new in main", "main")

    call({**merged, "head": {"sha": revision(repository, "pull")}})

    assert revisions(tmp_path) == (merged["base"]["sha"], "HEAD")


def test_a_base_that_is_given_stays(call, tmp_path):
    call(action_inputs="          base: v1\n")

    assert revisions(tmp_path) == ("v1", "HEAD")


@pytest.mark.parametrize(
    ("action_inputs", "parts"), [("", ["restore", "save"]), ("          cache: false\n", [])]
)
def test_what_was_measured_is_kept_where_the_gate_fails(call, tmp_path, action_inputs, parts):
    call(action_inputs=action_inputs, ends=1)

    stub_log = tmp_path / "left" / "stubs"
    calls = (
        [splitline.split() for splitline in stub_log.read_text().splitlines()]
        if stub_log.exists()
        else []
    )
    assert [part for part, _ in calls] == parts
    assert len({key for _, key in calls}) == bool(parts)


@pytest.fixture
def whole_suite(tmp_path, source, repository):
    """Return what runs the example workflow of `abs` on an event, with a cache that lasts."""
    left = tmp_path / "left"
    (left / "cache").mkdir(parents=True)
    workflow = (EXAMPLES / "bench-audit-abs.yml").read_text()
    tool = tmp_path / "tool"
    tool.write_text(
        PROGRAM_TOOL.replace("PROGRAM", str(BIN / "bench-audit")).replace(
            "INTERPRETER", sys.executable
        )
    )
    tool.chmod(0o755)
    text = f"          config: audit.json\n          python: {tool}\n          inconclusive: fail\n"
    workflow = workflow.replace("          command: abs\n", f"          command: abs\n{text}")
    idle = action_repository(tmp_path / "idle", IDLE, ["."])
    used = re.findall(r"uses: (actions/(?:setup-go|upload-artifact)@\w+)", workflow)
    places = {
        "bench-audit/bench-audit@" + "0" * 40: source,
        CACHE: action_repository(tmp_path / "keeping", KEEPING, ["restore", "save"]),
        **dict.fromkeys(used, idle),
    }
    repo = {"full_name": "some/project", "default_branch": "main"}

    def run(on, **event):
        return act(
            repository, workflow, {"repository": repo, **event}, places, on,
            LEFT=left, GITHUB_REPOSITORY="some/project",
        )  # fmt: skip

    return run


@pytest.mark.timed
def test_a_pull_request_is_held_against_what_the_default_branch_detects(
    whole_suite, repository, tmp_path
):
    main = whole_suite("push", ref="refs/heads/main")
    assert main.returncode == 0, main.stdout + main.stderr

    suite = repository / "tiny_test.go"
    suite.write_text(suite.read_text().replace("Add(sink + 1)", "sink + 1"))
    git(repository, "commit", "-q", "-a", "-m", "calls nothing")
    pull = {"head": {"repo": {"full_name": "some/project"}}}
    after = whole_suite("pull_request", pull_request=pull)

    assert after.returncode != 0
    assert "gate failed: detected in result.json, missed now: example.org/tiny.Add" in after.stdout
    keys = [
        key_file.read_text() for key_file in sorted((tmp_path / "left" / "cache").glob("*/key"))
    ]
    assert sum(":audit.json:" in key for key in keys) == 1


def test_a_command_that_there_is_not_ends_at_once(call, tmp_path):
    call(action_inputs="          command: measure\n", ends=1)

    assert not (tmp_path / "left" / "called").exists()


def test_the_whole_suite_is_audited_where_that_is_asked(call, tmp_path):
    output = call(action_inputs="          command: abs\n")

    assert "no baseline yet" in output

    called = (tmp_path / "left" / "called").read_text().split()
    assert called[:2] == ["abs", "--github"]
    assert called[-2:] == ["--", "."]
