"""The page of each rule of lint: its examples are true, and the table of all is complete."""

import re
from pathlib import Path

import pytest

from auditor.core.subject import SourceFile, SourceRole
from auditor.lint.assemble import LINTERS, list_rules

DOCS = Path(__file__).parents[1] / "docs"
PARTS = ["Before", "After", "What is looked for", "How sure", "Source"]
FENCES = {"go": "go", "jmh": "java", "py": "python"}
"""How code is fenced, by how ids of rules begin."""
PLACES = {"go": "deep/deep_test.go", "jmh": "deep/Deep.java", "py": "benchmarks/test_deep.py"}


def look(kind, text):
    """Look at a file; its first line may say where it is."""
    named = re.match(r"(?://|#) path: (\S+)\n", text)
    path = named[1] if named else PLACES[kind]
    source = SourceFile(path=path, unit="unit", role=SourceRole.BENCHMARKS, text=text.encode())
    findings = LINTERS[kind].find_smells([source])
    assert findings.benchmarks
    assert findings.unread == ()
    return {smell.rule for smell in findings.smells}


@pytest.mark.parametrize("rule", list_rules(), ids=lambda rule: rule.id)
def test_a_page_shows_what_its_rule_finds_and_what_not(rule):
    page = (DOCS / "lint" / f"{rule.id}.md").read_text(encoding="utf-8")
    kind = rule.id.partition("-")[0]
    before, after = re.findall(rf"```{FENCES[kind]}\n(.*?)```", page, re.DOTALL)

    assert page.startswith(f"# {rule.id}: {rule.title}\n")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE) == PARTS
    assert rule.id in look(kind, before)
    on = {smell_rule.id for smell_rule in list_rules() if smell_rule.on}
    assert not look(kind, after) & (on | {rule.id})


def test_no_page_is_of_a_rule_that_is_gone():
    assert {path.stem for path in (DOCS / "lint").glob("*.md")} == {
        rule.id for rule in list_rules()
    }


def test_the_table_has_all_rules():
    page = (DOCS / "reference" / "lint-rules.md").read_text()
    rows = re.findall(r"^\| \[([\w-]+)\]\(\.\./lint/([\w-]+)\.md\) \| (.*) \|$", page, re.MULTILINE)

    assert [row for row in rows if row[0] != row[1]] == []
    assert [(name, rest) for name, _, rest in rows] == [
        (rule.id, f"{rule.title} | {rule.sure} | {'' if rule.on else 'off'}")
        for rule in list_rules()
    ]


def test_a_page_tells_what_was_judged():
    judged = (DOCS.parent / "benchmarks" / "results" / "lint-findings.md").read_text(
        encoding="utf-8"
    )
    rows = dict(re.findall(r"^\| ((?:go|jmh|py)-[\w-]+) \| (\d+) \|", judged, re.MULTILINE))

    assert set(rows) == {rule.id for rule in list_rules()}
    for name, number in rows.items():
        page = (DOCS / "lint" / f"{name}.md").read_text(encoding="utf-8")
        message = (
            r"no finding|found nothing" if number == "0" else rf"\b{number} (finding|place|annot)"
        )
        assert re.search(message, page.partition("## How sure")[2]), name
