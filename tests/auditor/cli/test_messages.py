"""The catalogue of messages: complete, short, with examples as the program prints them."""

import ast
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from auditor.core.errors import AuditError, Exit
from auditor.warmup.scorers.files import ModelUnusable

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "scripts"))

import messages_page  # noqa: E402 - scripts are no package

CATALOGUE = tomllib.loads(messages_page.CATALOGUE.read_text())
GROUPS = list(CATALOGUE["titles"])
ENTRIES = [(slug, entry) for group in GROUPS for slug, entry in CATALOGUE[group].items()]
MESSAGES = dict(ENTRIES)
FOLDERS = ("auditor", "mutators", "runners", "reports")
MOST_WORDS_OF_ENTRY = 40
MOST_WORDS_OF_PAGE = 5000
LEAST_LETTERS = 6
"""How many fixed letters a text in the code needs to be compared with an example."""
TEXT_ELSEWHERE = {
    "budget": "auditor/measure/context.py",
    "host-jitter": "auditor/measure/interference.py",
    "so-far": "auditor/measure/context.py",
    "busy-machine": "auditor/measure/stability_judge.py",
    "expected-time": "auditor/measure/planning/expected_time.py",
    "suite-choice": "runners/gobench/project.py",
    "not-as-written": "runners/jmh/listing.py",
    "length-fallback": "auditor/concurrency/judge/generation.py",
    "inexact-call": "runners/jmh/subset.py",
    "worker-refused": "auditor/clusters/cluster.py",
}
"""Modules that write the text of a caveat whose slug another module names."""


def kinds(root=AuditError):
    return [root, *(kind for subclass in root.__subclasses__() for kind in kinds(subclass))]


def errors():
    return {kind.slug: kind for kind in kinds() if kind.__module__.startswith("auditor.")}


def words(node):
    return [constant.value for constant in ast.walk(node) if isinstance(constant, ast.Constant)]


def called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def takers(nodes):
    """Functions with a parameter `slug`, and which one it is."""
    return {"Caveat": 0} | {
        node.name: [argument.arg for argument in node.args.args].index("slug")
        for node in nodes
        if isinstance(node, ast.FunctionDef)
        and "slug" in [argument.arg for argument in node.args.args]
    }


def slugs_in(nodes):
    """What is given as a slug, and what is assigned to a name `slug`."""
    slug_positions = takers(nodes)
    for node in nodes:
        if isinstance(node, ast.Call) and slug_positions.get(called(node), 99) < len(node.args):
            yield from words(node.args[slug_positions[called(node)]])
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "slug":
            slug_value = node.value
            yield from words(slug_value.body) if isinstance(slug_value, ast.IfExp) else ()
            yield from (
                words(slug_value.orelse) if isinstance(slug_value, ast.IfExp) else words(slug_value)
            )


@cache
def product_nodes():
    """Return the syntax nodes of each module of the product."""
    paths = [path for folder in FOLDERS for path in ROOT.joinpath(folder).rglob("*.py")]
    return {
        str(path.relative_to(ROOT)): list(ast.walk(ast.parse(path.read_text()))) for path in paths
    }


@cache
def constants():
    """Return the texts and names that occur in each module."""
    return {
        path: {node.value for node in nodes if isinstance(node, ast.Constant)}
        | {node.id for node in nodes if isinstance(node, ast.Name)}
        for path, nodes in product_nodes().items()
    }


@cache
def templates(path):
    """Return a pattern for each text of a module, whatever is formatted into it."""
    patterns = []
    for node in product_nodes()[path]:
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        if not isinstance(parts[0], ast.Constant | ast.FormattedValue):
            continue
        fixed = [part.value if isinstance(part, ast.Constant) else None for part in parts]
        letters = re.sub("[^A-Za-z]", "", "".join(text for text in fixed if isinstance(text, str)))
        if len(letters) >= LEAST_LETTERS:
            patterns.append(
                "".join(".*?" if text is None else re.escape(str(text)) for text in fixed)
            )
    return patterns


def writers(slug):
    """Return the modules that write texts with a slug."""
    if slug in TEXT_ELSEWHERE:
        return [TEXT_ELSEWHERE[slug]]
    names = {kind.__name__ for kind in kinds() if kind.slug == slug} or {slug}
    return [path for path, texts in constants().items() if texts & names]


def test_every_error_has_an_entry_with_its_exit_code():
    codes = {slug: int(kind.exit_code) for slug, kind in errors().items()}
    codes["internal"] = int(Exit.INTERNAL)

    assert ModelUnusable.slug in codes
    assert {slug: entry["exit_code"] for slug, entry in CATALOGUE["errors"].items()} == codes


def test_every_caveat_has_an_entry():
    nodes = [node for module in product_nodes().values() for node in module]
    slugs = {slug for slug in slugs_in(nodes) if isinstance(slug, str)}

    assert slugs - set(MESSAGES) == set()
    assert {"host-load", "too-short", "undershoot", "near-threshold"} <= slugs


def test_every_entry_is_of_a_slug_in_the_code():
    texts = set().union(*constants().values())

    assert set(MESSAGES) - texts == set()


def test_no_entry_is_there_twice():
    slugs = [slug for slug, _ in ENTRIES]

    assert sorted(set(slugs)) == sorted(slugs)
    assert set(CATALOGUE) == {"exit_codes", "titles", *GROUPS}


@pytest.mark.parametrize(("slug", "entry"), ENTRIES, ids=MESSAGES)
def test_every_entry_has_a_cause_a_remedy_and_an_example(slug, entry):
    assert set(entry) - {"exit_code"} == {"cause", "remedy", "example"}
    assert all(entry[key] for key in ("cause", "remedy", "example"))
    assert all(entry[key].endswith(".") for key in ("cause", "remedy"))
    assert len(f"{entry['cause']} {entry['remedy']}".split()) <= MOST_WORDS_OF_ENTRY


@pytest.mark.parametrize(("slug", "entry"), ENTRIES, ids=MESSAGES)
def test_the_example_is_a_text_of_the_code(slug, entry):
    patterns = [pattern for path in writers(slug) for pattern in templates(path)]

    assert any(re.match(pattern, entry["example"], re.DOTALL) for pattern in patterns)


def test_every_exit_code_is_documented():
    assert [int(code) for code in CATALOGUE["exit_codes"]] == sorted(map(int, Exit))


def test_the_page_is_current_and_short():
    text = messages_page.PAGE.read_text()

    assert text == messages_page.page(), "run scripts/messages_page.py"
    assert len(text.split()) <= MOST_WORDS_OF_PAGE
