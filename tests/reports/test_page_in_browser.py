import shutil

import pytest
from playwright.sync_api import sync_playwright

import examples
from reports import record
from reports.page import page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
"""None: Playwright's own, which `scripts/browser` has installed."""
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
HOSTILE = "</style><script>document.title='owned'</script><img src=http://invalid.test/x>"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser, tmp_path):
    """Open a verdict's page offline; gives the tab and what it asked for or complained about."""
    contexts = []

    def opened(verdict, **options):
        file = tmp_path / "report.html"
        file.write_text(page(record.document(verdict, examples.context())), encoding="utf-8")
        contexts.append(browser.new_context(offline=True, **options))
        tab = contexts[-1].new_page()
        noise = []
        tab.on("console", lambda message: noise.append(message.text))
        tab.on("pageerror", lambda error: noise.append(str(error)))
        tab.on("request", lambda request: noise.append(request.url))
        tab.goto(file.as_uri())
        assert noise.pop(0) == file.as_uri()
        return tab, noise

    yield opened
    for context in contexts:
        context.close()


def test_a_page_asks_for_nothing_and_hostile_names_do_nothing(visit):
    tab, noise = visit(examples.hostile(HOSTILE))

    assert noise == []
    assert tab.title() == "github.com/google/uuid v1.6.0 – benchmark audit"  # noqa: RUF001 - the dash is meant
    assert tab.locator("img").count() == 0


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
@pytest.mark.parametrize("verdict", [examples.audit(), examples.hostile(HOSTILE * 3)])
def test_a_page_never_scrolls_sideways(visit, width, verdict):
    tab, _ = visit(verdict, viewport={"width": width, "height": 800})
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_cell_of_the_matrix_opens_the_numbers_of_its_pair(visit):
    tab, noise = visit(examples.audit())

    tab.locator(".matrix td a").first.click()

    assert tab.locator("tbody:target").is_visible()
    assert noise == []


def test_the_filter_leaves_what_was_asked_for(visit):
    tab, _ = visit(examples.audit())

    tab.get_by_label("Filter methods").fill("newsha")

    assert tab.locator("details.method:visible").count() == 1


def test_a_page_can_be_read_without_script(visit):
    tab, _ = visit(examples.audit(), java_script_enabled=False)

    assert tab.get_by_role("heading", level=1).is_visible()
    assert not tab.get_by_label("Filter methods").is_visible()
    tab.locator("details.method > summary").first.click()
    assert tab.locator("details.method").first.locator("table").is_visible()


def test_printing_shows_what_is_folded_away(visit):
    tab, _ = visit(examples.audit())

    tab.emulate_media(media="print")

    assert tab.locator("details.method").first.locator("table").is_visible()
    assert not tab.locator("nav").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_colour_scheme(visit, scheme):
    tab, _ = visit(examples.audit(), color_scheme=scheme)

    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")

    assert (ground == "rgb(20, 23, 26)") == (scheme == "dark")
