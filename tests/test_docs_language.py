"""The length and the language of the documentation, and what is generated in it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.config.settings import json_schema

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
sys.path.append(str(ROOT / "scripts"))

import configuration_page  # noqa: E402 scripts are no package
import prose  # noqa: E402

HOW_TO, EXPLANATION, TOTAL = 500, 1_500, 42_000
MESSAGES, MESSAGES_NOW = 5_500, 7_500
"""What messages.md may have in the total, and what it may have until it is rewritten."""


def words(path):
    """Count what has a letter or a digit: a bar of a table is no word."""
    return sum(1 for word in path.read_text().split() if re.search(r"\w", word))


@pytest.fixture(scope="module")
def counts():
    return {path.relative_to(DOCS): words(path) for path in sorted(DOCS.rglob("*.md"))}


def test_no_page_is_too_long(counts):
    for page, count in counts.items():
        print(f"{count:6,} {page}")  # noqa: T201 for `pytest -s`
    limits = {"how-to": HOW_TO, "explanation": EXPLANATION}

    long = {
        str(page): count
        for page, count in counts.items()
        if count > limits.get(page.parts[0], TOTAL)
    }
    assert long == {}


def test_all_pages_together_are_not_too_long(counts):
    messages = counts[Path("messages.md")]

    assert messages <= MESSAGES_NOW
    assert sum(counts.values()) - max(0, messages - MESSAGES) <= TOTAL


def test_each_page_is_of_one_kind(counts):
    start = {"index.md", "installation.md", "glossary.md", "messages.md"}
    kinds = {"tutorials", "how-to", "reference", "explanation", "lint"}

    assert {page.name for page in counts if len(page.parts) == 1} == start
    assert {page.parts[0] for page in counts if len(page.parts) > 1} == kinds


def test_the_language_follows_the_rules():
    process = subprocess.run(
        (sys.executable, ROOT / "scripts" / "prose.py"), capture_output=True, text=True, check=False
    )

    assert (process.returncode, process.stdout) == (0, "")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("# Is it slow?\n", "question"),
        ("word " * 31 + "\n", "a sentence of 31 words"),
        ("Four words are here. " * 21 + "\n", "a paragraph of 84 words"),
        ("* That is said of a run.\n", "'is said'"),
    ],
)
def test_a_fault_of_language_is_found(text, fault):
    (only_fault,) = prose.faults("docs/page.md", text)

    assert fault in only_fault


def test_code_and_tables_are_no_sentences():
    text = f"```text\n{'word ' * 50}\n```\n\n| {'word ' * 50} |\n\n> {'word ' * 50}\n"

    assert list(prose.faults("docs/page.md", text)) == []


def test_the_page_about_the_configuration_is_current():
    page = configuration_page.PAGE.read_text()
    schemas = json.loads(json.dumps(json_schema()))["$defs"]

    assert configuration_page.current(page, schemas) == page


def test_the_page_about_the_configuration_has_all_keys_within_sections():
    page = configuration_page.PAGE.read_text()

    assert {"`plan.forks`", "`python.installer`", "`profiles`", "`until`"} <= set(
        re.findall(r"^\| (`[^`]+`) \|", page, re.MULTILINE)
    )
