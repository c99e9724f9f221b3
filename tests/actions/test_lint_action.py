"""The action that looks at sources, run by a local workflow runner."""

import json

import pytest
from acting import act, git

pytestmark = pytest.mark.subject
LINT = """on: push
jobs:
  lint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - id: lint
        uses: bench-audit/bench-audit/lint@v1
        with:
          fail-on: likely
          without: py-io-in-timed py-unused-generator
          python: PYTHON
      - if: ${{ always() }}
        env:
          SARIF: ${{ steps.lint.outputs.sarif }}
        run: cp "$SARIF" "$LEFT/lint.sarif"
"""
TEST = "def test_x(benchmark):\n    benchmark.pedantic(len, [1], rounds=1)\n"


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "project"
    (folder / "tests").mkdir(parents=True)
    (folder / "tests" / "test_x.py").write_text(TEST)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")
    return folder


def test_findings_are_annotations_and_sarif_and_fail_the_job(tmp_path, source, repository):
    left = tmp_path / "left"
    left.mkdir()

    ended = act(repository, LINT, {}, {"bench-audit/bench-audit@v1": source}, LEFT=left)

    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "gate failed: 1 finding at least likely" in ended.stdout
    assert "::warning file=tests/test_x.py,line=2" in ended.stdout
    (run,) = json.loads((left / "lint.sarif").read_text())["runs"]
    assert [result["ruleId"] for result in run["results"]] == ["py-one-round"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert not rules & {"py-io-in-timed", "py-unused-generator"}
