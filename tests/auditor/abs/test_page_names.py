"""Names that mean harm, or only look strange, are text and nothing else."""

from itertools import cycle

import crowds
import msgspec
import pytest
from growth import growth

import examples
from auditor.abs import document_of_verdict
from auditor.abs.document import parse_document
from auditor.abs.page.report import render_page
from reports import names
from reports.results import format_json

NASTY = (
    "<script>document.title='owned'</script>",
    "</style></title></script><img src=http://invalid.test/x onerror=alert(1)>",
    "\"' onmouseover='alert(1)' x=\"",
    "]]><!-- <svg/onload=alert(1)>",
    "javascript:alert(1)//{{ 7 * 7 }}{% raw %}",
    "a\u202egnp.exe\u2066b\u200f",
    "zero\u200bwidth\ufeff",
    "long" + "x" * 10_000,
    "🚀👩\u200d💻",
    "| a | b |",
    "line\nbreak\r\ttab\x0b",
    "@team fixes #1",
    '=HYPERLINK("http://invalid.test")',
    "\x1b[31mred\x07\x9b",
    "nul\x00",
    "&lt;b&gt;&#60;",
    "عربي",
    "#next",
    "",
)


def nasty():
    """A document whose subject, methods and benchmarks all have such a name."""
    size = len(NASTY)
    verdict = examples.audit(methods=size, benchmarks=size)
    nasty_names = cycle(NASTY)
    ids = [
        *(method.id for method in verdict.methods),
        *(benchmark.id for benchmark in verdict.stability.benchmarks),
    ]
    called = {identifier: f"{next(nasty_names)}{index}" for index, identifier in enumerate(ids)}
    fields = {"subject": "".join(NASTY), "command": NASTY[0], "config": NASTY[1], "host": NASTY[5]}
    document = {
        **msgspec.to_builtins(document_of_verdict.build_abs_document(verdict, examples.context())),
        **fields,
    }
    return parse_document(format_json(crowds.renamed(document, called)))


@pytest.mark.browser
def test_a_result_full_of_nasty_names_is_harmless(visit):
    document = nasty()
    tab, noise = visit(document, viewport={"width": 390, "height": 800})
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")

    assert noise == []
    assert "owned" in tab.title()  # as a part of the subject's name
    assert tab.title().endswith("benchmark audit")
    assert tab.locator("img").count() == 0
    assert tab.evaluate("document.scripts.length") == 1
    assert tab.evaluate("document.documentElement.scrollWidth") <= 390
    keys = tab.locator("details.method .key").all_text_contents()
    assert keys == [names.escape_invisible(method.id) for method in document.methods]


@pytest.mark.browser
def test_links_to_nasty_names_lead_to_their_owners(visit):
    document = nasty()
    tab, _ = visit(document)

    for link in tab.locator(".matrix tbody th a").all():
        link_text = link.inner_text()
        place = link.get_attribute("href").removeprefix("#")
        owner = tab.locator(f"[id='{place}']").locator(
            "xpath=ancestor-or-self::*[self::details or self::tr][1]"
        )
        assert owner.locator(".name, .key").first.text_content() == link_text


def test_nothing_invisible_is_in_the_page():
    text = render_page(nasty())

    assert names.escape_invisible(text) == text
    assert "\\u202egnp.exe" in text
    assert "\\x1b[31mred" in text
    assert "👩\u200d💻" in text


def test_a_name_that_no_file_can_hold_is_written_all_the_same():
    document = document_of_verdict.build_abs_document(
        examples.audit(), examples.context(subject="half \ud83d")
    )

    assert "half \\ud83d" in render_page(document).encode().decode()


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("a\nb\tc", "a\\nb\\tc"),
        ("a\u202eb", "a\\u202eb"),
        ("\U000e0041", "\\U000e0041"),
        ("a", "a"),
    ],
)
def test_a_label_is_one_line_of_what_can_be_seen(name, label):
    assert names.format_label(name) == label


def test_a_long_label_keeps_its_beginning_and_its_end():
    label = names.format_label("begin" + "x" * 10_000 + "end")

    assert len(label) == names.MAX_LABEL_LENGTH
    assert label.startswith("begin")
    assert label.endswith("end")


def test_a_name_of_nothing_but_separators_takes_time_in_proportion_to_its_length():
    def shorten(letters):
        assert names.strip_shared_prefix(["." * letters]) == {"." * letters: "."}

    assert growth(shorten, 50_000, 400_000) < 24  # the square would be 64
