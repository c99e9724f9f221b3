"""The page of `similarity`: maps that can be read, names that mean harm, no barrier."""

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe
from test_page_names import NASTY
from test_similarity_words import SIMILARITY_DOCUMENT, SINGLE, benchmark, replace_benchmarks

from auditor.core.caveats import Caveat
from auditor.similarity import page
from reports import names

pytestmark = pytest.mark.browser

DAYS = ("monday.json", "tuesday.json", "wednesday.json", "thursday.json", "friday.json")
CORPUS = replace_benchmarks(
    *(
        benchmark(
            f"owner__{name}#b.B{index}#x={index}", {0, 1, 2, 3} if index else (), means=(high,) * 5
        )
        for name, high in (("quiet", 0.1), ("loud", 0.9))
        for index in range(2)
    )
)
CELLS = "[...document.querySelectorAll('{} td:not(.total, .na)')].map((one) => one.innerText)"


def nasty():
    hostile_benchmarks = [
        benchmark(
            f"{name}{index}",
            {0, 1, 2, 3},
            outlier_runs=(0,),
            means=(index / len(NASTY),) * 5,
            caveats=(Caveat("runs-cut", name),),
        )
        for index, name in enumerate(NASTY)
    ]
    return replace_benchmarks(*hostile_benchmarks)


@pytest.mark.parametrize("width", [360, 1400])
def test_hostile_names_leave_no_markup(visit_hostile, width):
    files = (*NASTY, *DAYS)
    tab = visit_hostile(page.render_html(nasty(), files), viewport={"width": width, "height": 900})
    assert tab.locator("#benchmarks tbody tr").count() == len(NASTY)
    assert tab.locator("header ol li").count() == len(files)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    labels = tab.locator("#mapped .key").all_text_contents()
    assert sorted(labels) == sorted(
        names.format_label(f"{name}{index}") for index, name in enumerate(NASTY)
    )


def test_runs_are_called_by_their_files(visit):
    tab, _ = visit(page.render_html(SIMILARITY_DOCUMENT, DAYS))

    assert tab.locator("header ol li").all_inner_texts() == list(DAYS)
    row = tab.locator("#benchmarks tbody tr", has_text="a.Apart")
    assert row.locator("td").nth(4).inner_text() == "2 (tuesday.json)"
    assert (
        tab.locator("#runs figure").first.locator("th.apart").all_text_contents()
        == ["run 2 stands apart"] * 2
    )


def test_runs_of_one_file_are_its_processes(visit):
    tab, _ = visit(page.render_html(SIMILARITY_DOCUMENT, ()))

    assert tab.locator("header").inner_text().count("Each process of ring is a run") == 1
    assert tab.locator("header ol").count() == 0


@pytest.mark.parametrize(
    ("config", "message"), [("{}", "Each benchmark was run"), ("", "Nothing was run")]
)
def test_a_page_says_whether_anything_was_run(visit, config, message):
    tab, _ = visit(
        page.render_html(msgspec.structs.replace(SIMILARITY_DOCUMENT, config=config), ())
    )

    assert message in tab.locator("header p").nth(1).inner_text()
    assert ("copies of the subject" in tab.locator("footer").inner_text()) == bool(config)


def test_of_a_single_run_nobody_can_tell(visit):
    tab, noise = visit(page.render_html(replace_benchmarks(SINGLE), DAYS[:1]))

    assert noise == []
    assert tab.locator("h1").inner_text() == (
        "The runs of 0 of 1 benchmark are dissimilar, 1 inconclusive"
    )
    assert tab.locator("#benchmarks tbody tr td").first.inner_text() == "? cannot tell"
    assert tab.locator("main > section").evaluate_all("(all) => all.map((one) => one.id)") == [
        "benchmarks", "caveats", "host", "again", "words"
    ]  # fmt: skip


def test_a_map_has_the_measures_of_each_application_and_each_benchmark(visit):
    tab, _ = visit(page.render_html(CORPUS, ()))
    applications, benchmarks = tab.locator("#measures table").all()

    assert applications.locator("tbody th").all_inner_texts() == ["owner__loud", "owner__quiet"]
    assert applications.locator(".total").all_inner_texts()[1:] == ["1 of 2", "1 of 2"]
    assert tab.evaluate(CELLS.format("#measures table")) == [
        *["0.90"] * 6, *["0.10"] * 6,
        *["0.90"] * 6, *["0.10"] * 6, *["0.90"] * 6, *["0.10"] * 6,
    ]  # fmt: skip
    assert benchmarks.locator("td.far").count() == 12


def test_a_pair_has_the_number_of_measures_that_count(visit):
    tab, _ = visit(
        page.render_html(replace_benchmarks(benchmark("b", {1}, count=3, outlier_runs=(1,))), ())
    )

    assert tab.evaluate(CELLS.format("#runs")) == ["3", "0", "3", "3", "0", "3"]
    assert tab.locator("#runs .total").all_inner_texts() == ["unlike", "1 of 2", "2 of 2", "1 of 2"]


def test_tables_are_sorted_and_filtered(visit):
    tab, _ = visit(page.render_html(SIMILARITY_DOCUMENT, ()))
    rows = tab.locator("#benchmarks tbody tr:visible th")
    mapped = tab.locator("#mapped tr:visible th")

    tab.locator("#benchmarks th", has_text="dissimilar pairs").get_by_role("button").click()
    assert rows.all_inner_texts() == ["a.Scattered", "a.Apart", "a.Similar", "a.Single"]
    tab.locator("#benchmarks .kind").select_option("missed")
    assert rows.all_inner_texts() == ["a.Scattered", "a.Apart"]
    tab.locator("#measures th", has_text="M4").get_by_role("button").click()
    tab.locator("#measures th", has_text="M4").get_by_role("button").click()
    assert mapped.first.inner_text() == "a.Similar"
    tab.get_by_label("Filter rows").fill("sca")
    assert mapped.all_inner_texts() == ["a.Scattered"]


@pytest.mark.parametrize("document", [SIMILARITY_DOCUMENT, CORPUS], ids=["files", "a corpus"])
def test_axe_finds_nothing(faults_of, document):
    assert faults_of(page.render_html(document, DAYS)) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_step_of_the_colours_can_be_read_and_told_from_the_others(visit, scheme):
    values = [0.01, 0.06, 0.11, 0.16, 0.21, 0.3, 0.45, 0.6, 0.75, 0.9]
    steps = replace_benchmarks(
        *(benchmark(f"b{index}", means=(value,) * 5) for index, value in enumerate(values))
    )
    tab, _ = visit(page.render_html(steps, ()), color_scheme=scheme)
    tab.locator("#mapped").scroll_into_view_if_needed()

    contrast = {"runOnly": ["color-contrast"], "resultTypes": ["violations", "passes"]}
    response = Axe().run(tab, context="#mapped", options=contrast).response

    assert response["violations"] == []
    (passed,) = response["passes"]
    assert len(passed["nodes"]) >= 6 * len(values)
    grounds = tab.locator("#mapped td:first-of-type").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert len(set(grounds)) == len(values)


def test_a_page_of_many_benchmarks_can_be_sent():
    many = replace_benchmarks(
        *(benchmark(f"org.example.B{index}", {0, 1, 2}, count=10) for index in range(1000))
    )

    assert len(page.render_html(many, ()).encode()) <= 1_000_000
