"""The meaning of a term is shown beside it: with a mouse, a keyboard, a finger, or no script."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from comparisons import full_comparison

import examples
from auditor.compare import page as comparison

TIP_BOX = "document.querySelector('.tip').getBoundingClientRect().toJSON()"

pytestmark = pytest.mark.browser


def term_in(tab, form):
    return tab.locator("#methods thead .term", has_text=form).first


def test_each_link_leads_to_its_meaning(visit):
    tab, _ = visit(examples.allocated(examples.audit()))

    lost = tab.evaluate("""[...document.querySelectorAll(".term")].filter(
        (term) => document.getElementById(term.hash.slice(1))?.tagName !== "DD").length""")

    assert lost == 0
    assert tab.locator(".term").count() > 20
    described = term_in(tab, "threshold").get_attribute("aria-describedby")
    assert "exceed" in tab.locator(f"#{described}").inner_text()


def test_a_mouse_shows_the_meaning_and_may_move_onto_it(visit):
    tab, _ = visit(examples.audit())
    tip = tab.locator(".tip")

    term_in(tab, "detects from").hover()
    tip.wait_for(state="visible")
    tip.hover()
    tab.wait_for_timeout(400)

    assert tip.inner_text().startswith("detects from: ")
    tab.keyboard.press("Escape")
    assert not tip.is_visible()


@pytest.mark.parametrize("width", [360, 800, 1400])
def test_the_keyboard_shows_the_meaning_within_the_window(visit, width):
    tab, _ = visit(examples.audit(), viewport={"width": width, "height": 700})
    term = tab.locator(".scores .term").last

    tab.locator(".scores .term").first.focus()
    while not term.evaluate("(link) => link === document.activeElement"):
        tab.keyboard.press("Tab")

    place = tab.evaluate(TIP_BOX)
    assert tab.locator(".tip").is_visible()
    assert place["left"] >= 0
    assert place["right"] <= width
    assert place["bottom"] <= 700
    tab.keyboard.press("Escape")
    assert not tab.locator(".tip").is_visible()


def test_a_finger_shows_the_meaning_and_hides_it(visit):
    tab, _ = visit(examples.audit(), has_touch=True, viewport={"width": 360, "height": 700})

    tab.locator(".scores .term").first.tap()
    appeared = tab.locator(".tip").is_visible()
    tab.locator("h1").tap()

    assert appeared
    assert not tab.locator(".tip").is_visible()
    assert "#term" not in tab.url


def test_without_script_a_term_leads_to_the_list(visit):
    tab, _ = visit(examples.audit(), java_script_enabled=False)

    tab.locator(".scores .term").first.click()

    assert tab.url.endswith("#term-total-score")
    assert tab.locator("#term-total-score").is_visible()


def test_a_heading_that_is_a_term_can_be_sorted_by(visit):
    tab, _ = visit(examples.audit())
    head = tab.locator(".method-table th", has_text="detected by")
    cells = tab.locator(".method-table tbody td:nth-child(4)")

    head.get_by_role("button", name="Sort by detected by").click()

    by_count = [int(text.split(" ")[0]) for text in cells.all_inner_texts() if text]
    assert by_count == sorted(by_count, reverse=True)
    assert head.get_attribute("aria-sort") == "descending"


def test_axe_finds_nothing_wrong_with_a_meaning_that_is_shown(visit):
    tab, _ = visit(comparison.render_html(full_comparison()))

    tab.locator("#benchmarks .term").first.click()

    assert tab.locator(".tip").is_visible()
    assert Axe().run(tab).response["violations"] == []
