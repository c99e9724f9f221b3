"""WCAG 2.2 AA as axe-core checks it, with everything open and with everything closed."""

import crowds
import pytest
from axe_playwright_python.sync_playwright import Axe
from test_similarity_words import SIMILARITY_DOCUMENT

import examples
from auditor.abs import document_of_verdict
from auditor.similarity import page

LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {"runOnly": {"type": "tag", "values": LEVELS}, "resultTypes": ["violations"]}
PAGES = {
    "an audit with allocations": examples.allocated(examples.audit()),
    "an empty one": examples.nothing(),
    "a failed one": examples.all_crashed(),
    "one of three": examples.audit(methods=3, benchmarks=3),
    "stability alone": document_of_verdict.stability_document(
        examples.audit().stability, examples.context()
    ),
    "a large matrix": crowds.crowd(30, 150, 10),
    "runs that are unlike": page.render_html(
        SIMILARITY_DOCUMENT, [f"{index}.json" for index in range(5)]
    ),
}

pytestmark = pytest.mark.browser


def violations(tab):
    response = Axe().run(tab, options=OPTIONS).response["violations"]
    return [(violation["id"], violation["nodes"][0]["html"]) for violation in response]


@pytest.mark.parametrize("page_source", PAGES.values(), ids=PAGES)
def test_axe_finds_nothing(visit, page_source):
    tab, _ = visit(page_source)
    closed = violations(tab)

    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert closed == []
    assert violations(tab) == []


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_axe_finds_nothing_in_the_dark(visit, width):
    size = {"width": width, "height": 900}
    tab, _ = visit(PAGES["an audit with allocations"], color_scheme="dark", viewport=size)
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert violations(tab) == []


def test_axe_finds_what_is_wrong(visit):
    """Else its silence would mean nothing."""
    tab, _ = visit(examples.audit())
    tab.evaluate("document.querySelector('h1').style.color = '#ddd'")

    assert [slug for slug, _ in violations(tab)] == ["color-contrast"]
