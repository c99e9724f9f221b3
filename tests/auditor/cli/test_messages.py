import ast
import re
from pathlib import Path

from auditor.core.errors import AuditError, Exit

ROOT = Path(__file__).parents[3]
PAGE = ROOT.joinpath("docs", "messages.md").read_text()
ENTRIES = re.findall(r"^### (\S+)$", PAGE, re.MULTILINE)


def kinds(root):
    return [root, *(kind for subclass in root.__subclasses__() for kind in kinds(subclass))]


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
    at = takers(nodes)
    for node in nodes:
        if isinstance(node, ast.Call) and at.get(called(node), 99) < len(node.args):
            yield from words(node.args[at[called(node)]])
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "slug":
            chosen = node.value
            yield from words(chosen.body) if isinstance(chosen, ast.IfExp) else ()
            yield from words(chosen.orelse) if isinstance(chosen, ast.IfExp) else words(chosen)


def test_every_error_has_an_entry():
    slugs = {kind.slug for kind in kinds(AuditError) if kind.__module__.startswith("auditor.")}

    assert slugs - set(ENTRIES) == set()
    assert "internal" in ENTRIES


def test_every_caveat_has_an_entry():
    folders = ("auditor", "mutators", "runners", "reports")
    nodes = [
        node
        for folder in folders
        for path in ROOT.joinpath(folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
    ]
    slugs = {slug for slug in slugs_in(nodes) if isinstance(slug, str)}

    assert slugs - set(ENTRIES) == set()
    assert {"host-load", "too-short", "undershoot", "near-threshold"} <= slugs


def test_no_entry_is_there_twice():
    assert sorted(set(ENTRIES)) == sorted(ENTRIES)


def test_every_exit_code_is_documented():
    assert [code for code in Exit if f"\n| {int(code)} |" not in PAGE] == []
