import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from page_text import unlinked

import examples
from auditor.abs import document_of_verdict
from auditor.abs.model import Density
from auditor.abs.page import suite
from auditor.abs.page.evidence import method_views
from auditor.abs.page.matrix import MatrixCell, pair_matrix
from auditor.abs.page.page_budget import choose_listed_pairs
from auditor.abs.page.report import abs_page, render_page
from auditor.abs.text import words
from auditor.abs.text.claims import OPEN
from auditor.core.caveats import Caveat
from auditor.core.result import Verdict
from reports import names, number_format, plots, wording

HOSTILE = "</style></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 1 }}"
VERDICTS = {
    "an ordinary one": examples.audit(),
    "one of three": examples.audit(methods=3, benchmarks=3),
    "a large one": examples.audit(methods=20, benchmarks=300, java=True),
    "methods but no benchmarks": examples.audit(methods=3, benchmarks=0),
    "benchmarks but no methods": examples.audit(methods=0, benchmarks=3),
    "an empty one": examples.nothing(),
    "one with calls in set-up": examples.in_set_up(),
    "a failed one": examples.all_crashed(),
    "a hostile one": examples.hostile(HOSTILE),
    "one with allocations": examples.allocated(examples.audit()),
    "a hostile one with allocations": examples.allocated(examples.hostile(HOSTILE)),
}
VOID = {"meta", "br", "img", "input", "link"}


class Reader(HTMLParser):
    """Collects tags, ids, links and text; fails where tags are not closed in order."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.ids, self.links, self.text = [], [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append((tag, attributes))
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if "href" in attributes:
            self.links.append(attributes["href"])
        if tag in {"td", "tr"} and self.open[-1] == "td":
            self.open.pop()  # HTML lets </td> and </tr> be left out
        if tag in {"tr"} and self.open[-1] == "tr":
            self.open.pop()
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self.open[-1] in {"td", "tr"} and self.open[-1] != tag:
            self.open.pop()
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def rendered(verdict, **changes):
    return render_page(document_of_verdict.build_abs_document(verdict, examples.context(**changes)))


def judged(verdict):
    return document_of_verdict.build_abs_document(verdict, examples.context())


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_tags_are_closed_ids_are_unique_and_links_lead_somewhere(verdict):
    read = Reader(rendered(verdict))

    assert read.open == []
    assert len(read.ids) == len(set(read.ids))
    assert {link.removeprefix("#") for link in read.links} <= set(read.ids)


@pytest.mark.parametrize("verdict", VERDICTS.values(), ids=VERDICTS)
def test_nothing_is_requested_from_anywhere(verdict):
    read = Reader(rendered(verdict))

    assert all(link.startswith("#") for link in read.links)
    assert not [
        attributes for _, attributes in read.tags if "src" in attributes or "style" in attributes
    ]
    assert [tag for tag, _ in read.tags].count("script") == 1
    style = rendered(examples.audit()).split("<style>")[1].split("</style>")[0]
    assert not re.search(r"@import|url\((?!#)", style)


def test_hostile_names_are_text_and_nothing_else():
    text = rendered(examples.hostile(HOSTILE), subject=HOSTILE, config=HOSTILE, command=HOSTILE)

    read = Reader(text)

    assert "<script>alert" not in text
    assert "img" not in {tag for tag, _ in read.tags}
    assert not [
        attributes for _, attributes in read.tags if any(key.startswith("on") for key in attributes)
    ]
    assert HOSTILE in "".join(read.text)


def test_the_same_document_gives_the_same_bytes():
    assert rendered(examples.audit()) == rendered(examples.audit())


def test_the_page_says_the_numbers_of_the_document():
    verdict = examples.audit()

    text = "".join(Reader(rendered(verdict)).text)

    assert "7 of 13" in text
    for score in (verdict.total, verdict.relative, verdict.absolute):
        assert number_format.format_percent(score.percent) in text
    for pair in verdict.pairs:
        assert number_format.format_effect(pair.effect) in text
        assert number_format.format_range(pair.interval, scale=100) in text
        assert number_format.format_share(pair.achieved_slowdown) in text
    for benchmark in verdict.stability.benchmarks:
        assert number_format.format_share(benchmark.max_spread) in text


def test_the_page_shows_the_curve_the_controls_and_what_can_be_seen():
    verdict = examples.audit()
    page = unlinked(rendered(verdict))
    without = rendered(replace(verdict, curve=None, controls=None))

    section = page.split('id="curve"')[1].split("</section>")[0]
    for point in verdict.curve.points:
        factor = number_format.format_factor(1 + point.slowdown)
        assert f'{factor}</th><td class="n">{point.covered} of' in section
    assert page.count("It detects") == 1
    for pair in verdict.curve.pairs:
        assert (
            f'data-v="{pair.slowdown:g}">{number_format.format_factor(1 + pair.slowdown)}</td>'
            in section
        )
    assert "A/A control: 0 of 11 pairs" in page
    assert 'data-sort="number">sees from</th>' in page
    for benchmark in verdict.stability.benchmarks:
        if benchmark.visible is not None and benchmark.visible < float("inf"):
            assert (
                f'<td class="n">{number_format.format_factor(1 + benchmark.visible)}</td>' in page
            )
    assert 'id="curve"' not in without
    assert "A/A control:" not in without


def test_the_density_is_shown_as_it_is_in_the_document():
    verdict = replace(examples.audit(), density=(Density(0, 1, 25.0), Density(2, 3, 75.0)))

    section = rendered(verdict).split('<section id="redundancy">')[1].split("</section>")[0]

    open_ = sum(method.outcome in OPEN for method in verdict.methods)
    none = f"no benchmark ({open_} of them open)"
    assert f'row">{none}</th><td class="n">1</td><td class="n">25\xa0%</td>' in section
    assert 'row">2 benchmarks</th><td class="n">3</td><td class="n">75\xa0%</td>' in section


def test_every_pair_that_is_reached_is_in_the_matrix_once():
    verdict = examples.audit()
    document = judged(verdict)

    matrix = pair_matrix(document, choose_listed_pairs(document).places)

    cells = [cell for line in matrix.lines for cell in line.cells if isinstance(cell, MatrixCell)]
    assert sorted(cell.kind for cell in cells) == sorted(pair.outcome for pair in verdict.pairs)
    assert [line.head.id for line in matrix.lines] == [method.id for method in verdict.methods]


def test_the_longer_list_runs_down_the_page():
    document = judged(examples.audit(methods=20, benchmarks=300, java=True))

    matrix = pair_matrix(document, choose_listed_pairs(document).places)

    assert len(matrix.heads) == 20
    assert len(matrix.lines) + len(matrix.idle) == 300
    assert matrix.corner == "benchmark / method"


def test_a_method_that_could_not_be_slowed_is_not_shown_as_not_called():
    document = judged(examples.audit())

    matrix = pair_matrix(document, choose_listed_pairs(document).places)

    refused = [line for line in matrix.lines if line.head.kind == Verdict.REFUSED]
    assert refused
    assert {cell.kind for line in refused for cell in line.cells} == {"na"}


def test_pairs_that_are_not_called_are_blank():
    verdict = examples.audit(methods=3, benchmarks=3)
    unreached = tuple(replace(pair, outcome=Verdict.UNREACHED) for pair in verdict.pairs)
    document = judged(replace(verdict, pairs=unreached))

    assert pair_matrix(document, choose_listed_pairs(document).places).heads == ()


def test_a_call_in_set_up_only_has_a_word_and_a_cell_of_its_own():
    document = judged(examples.in_set_up())

    matrix = pair_matrix(document, choose_listed_pairs(document).places)

    (line,) = [line for line in matrix.lines if line.head.kind == "set-up-only"]
    cells = [cell for cell in line.cells if isinstance(cell, MatrixCell)]
    assert [(cell.kind, cell.glyph, cell.anchor) for cell in cells] == [("set-up-only", "s", "")]
    assert line.head.word == "set-up only"
    assert line.total == number_format.NO_VALUE
    assert wording.SET_UP_ONLY in matrix.legend
    assert document.benchmarks[0].id not in [link.name for link in matrix.idle]
    text = unlinked(rendered(examples.in_set_up()))
    assert "called in set-up only, by 1 benchmark" in text
    assert "<b>1 set-up only</b>" in text


def test_a_benchmark_that_gave_nothing_is_not_said_to_call_nothing():
    document = judged(examples.all_crashed())

    assert pair_matrix(document, {}).idle == ()


def test_why_a_pair_is_undecided_is_said_once():
    reason = "the interval of the effect contains the threshold in at least one run"
    verdict = examples.audit()
    undecided_pair = next(pair for pair in verdict.pairs if pair.outcome is Verdict.INCONCLUSIVE)
    near_pair = replace(undecided_pair, reason=reason, caveats=(Caveat("near-threshold", reason),))
    undecided_method = replace(
        next(method for method in verdict.methods if method.id == undecided_pair.method),
        outcome=Verdict.INCONCLUSIVE,
        reason=reason,
        caveats=near_pair.caveats,
        detected_by=(),
    )
    only = replace(verdict, methods=(undecided_method,), pairs=(near_pair,), caveats=())

    section = rendered(only).split("<h3>Pair by pair</h3>")[1].split("</section>")[0]

    assert section.count(reason) == 1
    assert "whether one detects it is open" in section


def test_one_benchmark_calls_and_detects_in_the_singular():
    verdict = examples.audit(methods=3, benchmarks=3)
    left = verdict.stability.benchmarks[:1]
    lonely = replace(verdict, pairs=(), stability=replace(verdict.stability, benchmarks=left))

    document = judged(lonely)

    assert pair_matrix(document, {}).silent == "1 benchmark calls none of these methods"
    assert pair_matrix(judged(verdict), {}).silent.startswith("0 benchmarks call none")
    assert suite.redundancy_view(document).silent.endswith("of these methods")


def test_the_last_lines_of_a_failed_benchmark_are_folded_away_and_whole():
    reason = "run 1: exit code 2: \npanic: no\ngoroutine 20 [running]:\nring.go:7"
    verdict = examples.audit()
    failed = replace(verdict.stability.benchmarks[0], ending="crashed", reason=reason)

    text = rendered(replace(verdict, stability=replace(verdict.stability, benchmarks=(failed,))))

    assert "<summary>crashed: run 1: exit code 2: panic: no</summary>" in text
    assert "goroutine 20 [running]:\nring.go:7</pre>" in text


def test_a_part_larger_than_the_whole_is_marked():
    verdict = examples.audit()
    large = replace(verdict.pairs[0], share=3.31)
    fine = replace(verdict.pairs[1], share=1.0)
    dead = replace(verdict.pairs[2], share=3.0, outcome=Verdict.DEAD_CODE)
    document = judged(replace(verdict, pairs=(large, fine, dead)))

    views = {
        pair.benchmark.name: pair
        for view in method_views(document, choose_listed_pairs(document))
        for pair in view.pairs
    }

    short = names.strip_shared_prefix(benchmark.id for benchmark in document.benchmarks)
    assert views[short[large.benchmark]].share == "331\xa0% (!)"
    assert "must be too long" in views[short[large.benchmark]].facts
    assert "(!)" not in views[short[fine.benchmark]].share + views[short[dead.benchmark]].share


@pytest.mark.parametrize(
    ("most", "share_text"), [(0.171, "at most 18\xa0%"), (1.4, number_format.NO_VALUE)]
)
def test_a_share_of_which_only_a_limit_is_known_is_shown_so(most, share_text):
    verdict = examples.audit()
    short = replace(verdict.pairs[0], share=None, share_at_most=most)
    document = judged(replace(verdict, pairs=(short,)))

    (view,) = [
        pair
        for view in method_views(document, choose_listed_pairs(document))
        for pair in view.pairs
    ]

    assert view.share == share_text


def test_a_stability_result_has_a_page_without_scores():
    text = render_page(
        document_of_verdict.stability_document(examples.audit().stability, examples.context())
    )

    assert Reader(text).open == []
    assert "17 of 30 benchmarks stay within" in text
    assert 'id="matrix"' not in text


def test_caveats_of_pairs_are_counted_not_repeated():
    views = {caveat.slug: caveat for caveat in abs_page(judged(examples.audit())).closing.caveats}
    pair_count = sum(bool(pair.caveats) for pair in examples.audit().pairs)

    assert views["near-threshold"].scope == f"{pair_count} pairs"
    assert views["one-host"].scope == ""


@pytest.mark.parametrize(
    "plot",
    [
        plots.draw_score_bar(54.0, 85.0),
        plots.draw_part_bar([("detected", 2), ("missed", 1)]),
        plots.draw_forest(0.3, (0.2, 0.4), 0.3),
        plots.draw_forest(-9.0, None, 0.3),
        plots.draw_forest_axis("threshold"),
        plots.draw_arms([((1e-9, None, 1.1e-9), (2e-9, 2.1e-9)), ((1e-9,), (3e-9,))]),
        plots.draw_arms([((1e-9,), ())]),
        plots.draw_staircase([("1.05 x", 0.0), ("2 x", 62.5)]),
        plots.draw_spreads([0.0, 0.03, 0.5, 7.0]),
        plots.draw_run_means([1.0, 1.1, None], 0.05),
    ],
)
def test_plots_are_well_formed_and_say_what_they_show(plot):
    root = ET.fromstring(str(plot))  # noqa: S314 - our own text

    assert root.tag == "svg"
    assert root.attrib["aria-label"]


def test_there_is_no_plot_of_nothing():
    nothing = [
        plots.draw_part_bar([]), plots.draw_forest(None, None, 0.3),
        plots.draw_forest(0.3, None, None), plots.draw_forest(0.3, None, 0.0),
        plots.draw_arms([((), ())]), plots.draw_staircase([]), plots.draw_spreads([]),
        plots.draw_run_means([], 0.1),
    ]  # fmt: skip

    assert set(nothing) == {""}


def test_an_effect_as_large_as_needed_is_drawn_on_the_line_of_what_is_needed():
    needed = re.search(r'class="needed" d="M([\d.]+)', plots.draw_forest_scale())
    effect = re.search(r'class="dot big" d="M([\d.]+)', plots.draw_forest(0.3, None, 0.3))

    assert needed[1] == effect[1]


def test_how_to_repeat_it_says_where_the_configuration_comes_from():
    """The call names a file that is nowhere but on the page."""
    read = Reader(rendered(examples.audit(), command="bench-audit abs config.json"))

    message = " ".join(" ".join(read.text).split())
    assert "Save the configuration below as config.json , then call: bench-audit abs" in message


def test_an_audit_that_could_not_size_the_slowdown_asks_for_none():
    verdict = replace(examples.all_crashed(), slowdown=None)

    assert "would detect a slowdown is open" in words.format_headline(judged(verdict))
