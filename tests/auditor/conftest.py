"""The real program, with caches that are filled once, and pages in a browser."""

import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright
from real_program import Program, tiny

import examples
from auditor.abs import document_of_verdict
from auditor.abs.model import AbsVerdict
from auditor.abs.page.report import render_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
"""None: Playwright's own, which `scripts/browser` has installed."""
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open the page of a verdict or a document, or what is one already, offline.

    Gives the tab and what it asked for or complained about; `fragment` is the part after #.
    """
    contexts = []

    def opened(content, fragment="", **options):
        verdict = isinstance(content, AbsVerdict)
        document = (
            document_of_verdict.build_abs_document(content, examples.context())
            if verdict
            else content
        )
        file = tmp_path / "report.html"
        file.write_text(
            content if isinstance(content, str) else render_page(document), encoding="utf-8"
        )
        contexts.append(browser.new_context(offline=True, **options))
        tab = contexts[-1].new_page()
        noise = []
        tab.on("console", lambda message: noise.append(message.text))
        tab.on("pageerror", lambda error: noise.append(str(error)))
        tab.on("request", lambda request: noise.append(request.url))
        tab.on("dialog", lambda dialog: noise.append(dialog.message))
        tab.goto(file.as_uri() + (f"#{fragment}" if fragment else ""))
        assert noise.pop(0).partition("#")[0] == file.as_uri()
        return tab, noise

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture(params=[("light", 360), ("light", 1400), ("dark", 360), ("dark", 1400)], ids=str)
def faults_of(request, visit):
    """Return what is wrong with a page in a window of one colour scheme and width."""
    scheme, width = request.param

    def list_faults(html):
        tab, noise = visit(html, color_scheme=scheme, viewport={"width": width, "height": 900})
        violations = Axe().run(tab).response["violations"]
        faults = [
            (violation["id"], violation["nodes"][0]["html"][:120]) for violation in violations
        ]
        is_wide = tab.evaluate("document.documentElement.scrollWidth") > width
        return [*faults, *noise, *(["it scrolls sideways"] if is_wide else [])]

    return list_faults


@pytest.fixture
def visit_hostile(visit):
    """Open a page with hostile names, none of which became markup."""

    def opened(html, **options):
        tab, noise = visit(html, **options)
        assert noise == []
        assert tab.title() != "owned"
        assert (tab.locator("script").count(), tab.locator("img").count()) == (1, 0)
        return tab

    return opened


@pytest.fixture(scope="session")
def shared_cache(warm, tmp_path_factory):
    cache = tmp_path_factory.mktemp("program-cache")
    warm.home(cache / "bench-audit")
    return cache


@pytest.fixture
def program(tmp_path, shared_cache):
    return Program.below(tmp_path, shared_cache)


@pytest.fixture
def module(tmp_path):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    return tiny(tmp_path / "tiny")
