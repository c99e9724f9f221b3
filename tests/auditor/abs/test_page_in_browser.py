import crowds
import pytest

import examples
from auditor.abs.page import anchors

HOSTILE = "</style><script>document.title='owned'</script><img src=http://invalid.test/x>"
ACROSS = "document.documentElement.scrollWidth"
OPEN_ALL = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def large():
    return crowds.crowd(40, 300, 10)


def find_drawn_pair(verdict):
    """A pair of the verdict that is drawn."""
    return next(pair for pair in verdict.pairs if pair.runs)


def test_a_page_asks_for_nothing_and_hostile_names_do_nothing(visit):
    tab, noise = visit(examples.hostile(HOSTILE))

    assert noise == []
    assert tab.title() == "github.com/google/uuid v1.6.0 – benchmark audit"  # noqa: RUF001 - the dash is meant
    assert tab.locator("img").count() == 0


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
@pytest.mark.parametrize("verdict", [examples.audit(), examples.hostile(HOSTILE * 3)])
def test_a_page_never_scrolls_sideways(visit, width, verdict):
    tab, _ = visit(verdict, viewport={"width": width, "height": 800})
    tab.evaluate(OPEN_ALL)

    assert tab.evaluate(ACROSS) <= width


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_a_cell_of_the_matrix_opens_the_numbers_of_its_pair(visit, script):
    tab, noise = visit(examples.audit(), java_script_enabled=script)

    tab.locator(".matrix td a").first.click()

    assert tab.locator("tbody:has(:target) svg.blocks").is_visible()
    assert tab.locator("tbody:has(:target)").count() == 1
    assert noise == []


def test_a_cell_is_opened_by_the_keyboard(visit):
    tab, _ = visit(examples.audit())

    tab.locator(".matrix td a").first.focus()
    tab.keyboard.press("Enter")

    assert tab.locator("tbody:has(:target) svg.blocks").is_visible()


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without script"])
def test_an_address_leads_to_a_method_a_benchmark_and_a_cell(visit, script):
    verdict = examples.audit()
    pair = find_drawn_pair(verdict)
    cell = anchors.pair_fragment(pair.method, pair.benchmark)
    for place in (
        anchors.method_fragment(pair.method),
        anchors.benchmark_fragment(pair.benchmark),
        cell,
    ):
        tab, _ = visit(verdict, place, java_script_enabled=script)

        assert tab.locator(":target").get_attribute("id") == place
        assert tab.locator(":target").is_visible()


def test_a_method_of_many_pairs_is_shown_from_its_beginning(visit):
    verdict = examples.audit()
    most = max(verdict.methods, key=lambda method: len(method.reached_by))
    place = anchors.method_fragment(most.id)

    tab, _ = visit(verdict, place, viewport={"width": 1000, "height": 500})

    top = tab.locator(f"[id='{place}']").evaluate("(one) => one.getBoundingClientRect().top")
    assert 0 < top < 250


def test_places_are_the_same_in_every_report():
    """A comment on a pull request may link to them."""
    assert anchors.method_fragment("uuid.Parse") == "method-uuid.Parse"
    assert anchors.benchmark_fragment("uuid.BenchmarkX/n=1").startswith(
        "benchmark-uuid.BenchmarkX-n-1-"
    )
    assert anchors.benchmark_fragment("a/b") != anchors.benchmark_fragment("a b")
    assert anchors.pair_fragment("a b", "c") != anchors.pair_fragment("a", "b c")
    assert anchors.pair_fragment("uuid.Parse", "uuid.BenchmarkParse") == "cell-aba682b50e"


@pytest.mark.parametrize("verdict", ["small", "large"])
def test_arrow_keys_walk_the_matrix(visit, verdict, large):
    tab, _ = visit(large if verdict == "large" else examples.audit())
    place = """() => {
        const cell = document.activeElement.closest("td");
        let column = 0;
        for (let at = cell.previousElementSibling; at; at = at.previousElementSibling)
            column += at.colSpan;
        return [cell.parentElement.rowIndex, column];
    }"""
    tab.locator(".matrix td a").first.focus()
    start = tab.evaluate(place)

    tab.keyboard.press("ArrowRight")
    right = tab.evaluate(place)
    tab.keyboard.press("ArrowLeft")
    back = tab.evaluate(place)
    tab.keyboard.press("ArrowDown")
    below = tab.evaluate(place)

    assert right[0] == start[0]
    assert right[1] > start[1]
    assert back == start
    assert below[0] > start[0]
    assert below[1] == start[1]


def test_the_filter_leaves_what_was_asked_for(visit):
    tab, _ = visit(examples.audit())

    tab.get_by_label("Filter methods").fill("newsha")

    assert tab.locator("details.method:visible").count() == 1
    assert tab.locator("#methods [role=status]").inner_text() == "1 of 14 shown"


def test_a_filter_by_outcome_leaves_rows_that_have_it(visit):
    verdict = examples.audit()
    tab, _ = visit(verdict)

    tab.locator("#matrix select").select_option("missed")
    tab.locator("#methods .kind").select_option("detected")

    missed = {pair.method for pair in verdict.pairs if pair.outcome == "missed"}
    assert tab.locator(".matrix tbody tr:visible").count() == len(missed)
    detected = [method for method in verdict.methods if method.outcome == "detected"]
    assert tab.locator("details.method:visible").count() == len(detected)


def test_a_link_into_what_a_filter_hides_shows_it(visit):
    verdict = examples.audit()
    tab, _ = visit(verdict)
    tab.get_by_label("Filter methods").fill("no method is called this")

    tab.locator(".matrix td a").first.click()

    assert tab.locator("tbody:has(:target) svg.blocks").is_visible()


def test_a_click_on_a_heading_sorts_and_another_one_turns_the_order(visit):
    verdict = examples.audit()
    tab, _ = visit(verdict)
    tab.evaluate(OPEN_ALL)
    head = tab.locator(".spread th", has_text="spread").first
    rows = tab.locator(".spread tbody tr")
    spreads = {
        anchors.benchmark_fragment(benchmark.id): benchmark.max_spread
        for benchmark in verdict.stability.benchmarks
    }

    head.get_by_role("button").click()
    down = [spreads[row.get_attribute("id")] for row in rows.all()]
    state = head.get_attribute("aria-sort")
    head.get_by_role("button").press("Enter")
    up = [spreads[row.get_attribute("id")] for row in rows.all()]

    values = sorted(spread for spread in spreads.values() if spread is not None)
    missing = [None] * (len(spreads) - len(values))
    assert (state, down) == ("descending", [*values[::-1], *missing])
    assert (head.get_attribute("aria-sort"), up) == ("ascending", [*values, *missing])


def test_methods_are_put_in_the_order_that_is_chosen(visit):
    verdict = examples.audit()
    tab, _ = visit(verdict)
    names = tab.locator("details.method .key")
    order = tab.locator("#methods .order")

    order.select_option("name")
    by_name = names.all_text_contents()
    order.select_option("")
    as_audited = names.all_text_contents()

    assert as_audited == [method.id for method in verdict.methods] != by_name
    assert sorted(by_name, key=str.lower) == by_name


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


def test_thirty_benchmarks_fit_on_paper(visit):
    """A4, turned, has 273 mm between its margins."""
    wide = round(273 / 25.4 * 96)
    tab, _ = visit(examples.allocated(examples.audit()), viewport={"width": wide, "height": 700})

    tab.emulate_media(media="print")

    assert tab.evaluate(ACROSS) <= wide
    assert tab.locator("#matrix .scroll").evaluate("(one) => one.scrollWidth") <= wide


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_follows_the_colour_scheme(visit, scheme):
    tab, _ = visit(examples.audit(), color_scheme=scheme)

    ground = tab.evaluate("getComputedStyle(document.body).backgroundColor")

    assert (ground == "rgb(20, 23, 26)") == (scheme == "dark")


def test_a_stretch_of_blank_cells_keeps_every_cell_below_its_heading(visit, large):
    tab, _ = visit(large)

    misplaced_cells = tab.evaluate("""() => {
        const heads = [...document.querySelectorAll(".matrix thead th")];
        const lefts = heads.map((head) => head.getBoundingClientRect().left);
        const wrong = [];
        for (const link of [...document.querySelectorAll(".matrix td a")].slice(0, 400)) {
            let column = 0;
            const cell = link.closest("td");
            for (let at = cell.previousElementSibling; at; at = at.previousElementSibling)
                column += at.colSpan;
            const left = cell.getBoundingClientRect().left;
            if (Math.abs(left - lefts[column]) > 1) wrong.push([column, left, lefts[column]]);
        }
        return wrong;
    }""")

    assert misplaced_cells == []
