"""Whether runs are alike, in words and as coloured cells."""

import json
from dataclasses import replace
from itertools import combinations

import msgspec
import numpy as np
import pytest
from builders import CONTEXT

from auditor.core.caveats import Caveat
from auditor.core.series.similarity import Measure, PairSimilarity
from auditor.measure.run_similarity import PAPER, judge_runs
from auditor.similarity import document, page
from auditor.similarity.document import BenchmarkSimilarity
from reports import results

ALONG = np.arange(300)


def wave(seed, level=1.0, period=10.0):
    noise = np.random.default_rng(seed).normal(1, 0.001, len(ALONG))
    return level * (2 + np.sin(ALONG / period)) * noise


def runs(*odd, count=5):
    """Runs that are alike but for the odd ones."""
    return [wave(seed, *(10.0, 23.0) if seed in odd else ()) for seed in range(count)]


def scattered(seed, count=4):
    draw = np.random.default_rng(seed)
    return [draw.lognormal(level, 0.3, len(ALONG)) for level in range(count)]


NAMES = ("a.Similar", "a.Apart", "a.Scattered", "a.Single")
SIMILARITY_DOCUMENT = document.similarity_document(
    [
        judge_runs(name, benchmark_runs)
        for name, benchmark_runs in zip(
            NAMES, (runs(), runs(1), scattered(1), runs(count=1)), strict=True
        )
    ],
    (),
    CONTEXT,
)
SIMILAR, WITH_OUTLIER, SCATTERED, SINGLE = SIMILARITY_DOCUMENT.benchmarks


def test_what_the_machine_was_kept_from_stands_beside_what_was_found():
    strained = replace(CONTEXT, caveats=(Caveat("host-stolen", "the neighbours"),))
    similarity_document = document.similarity_document((), (), strained)

    assert [caveat.slug for caveat in similarity_document.caveats] == ["host-stolen"]


def benchmark(name, unlike=(), *, count=4, means=(0.0,) * 5, **more):
    """One whose pairs are dissimilar as told, by three of the measures."""
    similarities = [
        PairSimilarity(
            first=first,
            second=second,
            measures=(1.0, 1.0, 1.0, 0.0, 0.0) if bad else (0.0,) * 5,
            dissimilar=bad,
            distance=0.0,
        )
        for first, second in combinations(range(count), 2)
        for bad in [bool({first, second} & set(unlike))]
    ]
    fields = {
        "id": name, "runs": count, "values": 300, "dissimilar": bool(unlike), "outlier_runs": (),
        "means": means, "groups": (tuple(range(count)),), "pairs": tuple(similarities),
        "caveats": (),
    }  # fmt: skip
    return BenchmarkSimilarity(**fields | more)


def replace_benchmarks(*benchmarks):
    return msgspec.structs.replace(SIMILARITY_DOCUMENT, benchmarks=benchmarks)


def test_a_document_is_read_as_it_was_written():
    assert document.parse_document(results.format_json(SIMILARITY_DOCUMENT)) == SIMILARITY_DOCUMENT
    assert (
        json.loads(results.format_json(SIMILARITY_DOCUMENT))["schema"] == "bench-audit/similarity/1"
    )


def test_what_is_least_alike_comes_first():
    view = page.build_view(SIMILARITY_DOCUMENT)

    assert [(row.name, row.word.word) for row in view.rows] == [
        ("a.Scattered", "dissimilar"),
        ("a.Apart", "dissimilar"),
        ("a.Single", "cannot tell"),
        ("a.Similar", "similar"),
    ]
    assert view.headline == (
        "The runs of 2 of 4 benchmarks are dissimilar, 1 inconclusive; in 1 a run stands apart"
    )
    assert [(word.word, count) for _, word, count in view.legend] == [
        ("dissimilar", 2), ("cannot tell", 1), ("similar", 1)
    ]  # fmt: skip


def test_a_row_says_how_many_pairs_are_unlike_and_which_run_is():
    scattered, with_outlier, single, similar = page.build_view(
        SIMILARITY_DOCUMENT, ("mo", "tu", "we", "th", "fr")
    ).rows

    assert (scattered.unlike, scattered.pairs, scattered.outlier_text) == (6, 6, "")
    assert (with_outlier.unlike, with_outlier.pairs, with_outlier.outlier_text) == (4, 10, "2 (tu)")
    assert (single.pairs, single.values, single.heat) == (0, "", ())
    assert single.note.startswith("only 1 run has values")
    assert (similar.unlike, similar.values, len(similar.heat)) == (0, "300", 6)


def test_a_run_without_a_file_has_its_number_only():
    assert [row.outlier_text for row in page.build_view(SIMILARITY_DOCUMENT).rows] == [
        "",
        "2",
        "",
        "",
    ]


@pytest.mark.parametrize(
    ("runs", "description", "files"),
    [
        ((), "Each process of ring is a run; run 1 is the first one.", ()),
        (("run 1", "run 2"), "Runs have the numbers that they were made with.", ()),
        (("run 1", "b.json"), "Which run is which", ("run 1", "b.json")),
    ],
)
def test_what_the_runs_are_is_said(runs, description, files):
    view = page.build_view(replace_benchmarks(benchmark("b", {1}, count=2)), runs)

    assert (view.run_description, view.files) == (description, files)


def test_whether_a_suite_was_run_is_known_by_its_configuration():
    assert page.build_view(SIMILARITY_DOCUMENT).was_run
    assert not page.build_view(msgspec.structs.replace(SIMILARITY_DOCUMENT, config="")).was_run


def test_names_that_look_the_same_when_cut_are_shown_whole():
    long = [f"a.B.{'x' * 100}{middle}{'y' * 100}" for middle in ("one", "two")]
    view = page.build_view(
        replace_benchmarks(*(benchmark(name) for name in (*long, f"a.B.{'z' * 300}")))
    )

    first, second, third = (row.name for row in view.rows)
    assert [first, second] == [name.removeprefix("a.") for name in long]
    assert len(third) < 200


def test_the_runs_that_are_drawn_are_those_of_benchmarks_that_need_a_look():
    view = page.build_view(SIMILARITY_DOCUMENT, ("mo", "tu", "we", "th", "fr"))

    assert [(figure.name, figure.lines) for figure in view.figures] == [
        (
            "a.Apart",
            (
                "Run 2 (tu) stands apart: it is dissimilar to 4 of 4 others.",
                "SAME finds 2 groups: runs 1, 3 to 5 together; run 2 alone.",
            ),
        ),
        (
            "a.Scattered",
            (
                "No run stands apart: 6 of 6 pairs are dissimilar.",
                "SAME finds 4 groups: runs 1 to 4 each alone.",
            ),
        ),
    ]


def test_a_run_apart_is_drawn_of_a_similar_benchmark_too():
    similar_benchmark = benchmark("b", {0, 2}, count=6, dissimilar=False, outlier_runs=(0, 2))

    (figure,) = page.build_view(replace_benchmarks(similar_benchmark)).figures

    assert figure.lines[0] == "Runs 1, 3 stand apart: each is dissimilar to most others."


def test_of_many_benchmarks_the_first_are_shown_which_is_said():
    many = replace_benchmarks(*(benchmark(f"b{index}", {0, 1, 2, 3}) for index in range(201)))
    view = page.build_view(many)

    assert (len(view.rows), len(view.mapped), len(view.figures)) == (201, 200, 40)
    assert view.unmapped == "Of 201 benchmarks the first 200 are shown."
    assert view.left_out == "Of 201 benchmarks the first 40 are shown."
    assert (
        page.build_view(SIMILARITY_DOCUMENT).unmapped
        == page.build_view(SIMILARITY_DOCUMENT).left_out
        == ""
    )


def test_caveats_of_benchmarks_are_said_once():
    short = judge_runs("short", [wave(1)[:50], wave(2)[:50]])
    second_similarity = judge_runs("other", [wave(1)[:60], wave(2)[:60]])
    similarity_document = document.similarity_document([short, second_similarity], (), CONTEXT)

    (caveat,) = page.build_view(similarity_document).closing.caveats

    assert (caveat.slug, caveat.scope) == ("short-runs", "2 benchmarks")
    assert caveat.text.startswith("50 values per run are too few")
    assert caveat.text.endswith(", for example")


def test_each_measure_is_explained():
    assert tuple(page.MEASURES) == tuple(Measure)
    assert PAPER.theta == page.THETA


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (0.0, "near much-5"),
        (0.12, "near much-3"),
        (0.25, "near much-1"),
        (0.251, "far much-1"),
        (0.6, "far much-3"),
        (1.0, "far much-5"),
    ],
)
def test_a_cell_tells_its_side_of_the_threshold_and_how_far_from_it(value, kind):
    assert page.build_cell(value) == page.HeatmapCell(kind, f"{value:.2f}")


def test_applications_are_means_of_their_benchmarks():
    first_application = [
        benchmark(f"o__a#b{value}#", means=(value, 0.0, 0.0, 0.0, 0.0)) for value in (0.2, 0.4)
    ]
    second_application = benchmark("o__b#b#x=1&y=2", {0, 1, 2, 3}, means=(1.0,) * 5)
    unknown = benchmark("o__c#b#", means=None, dissimilar=None, count=1)

    first, second = page.list_applications([*first_application, second_application, unknown])

    assert (first.name, first.unlike, first.size) == ("o__b", 1, 1)
    assert (second.name, second.unlike, second.size) == ("o__a", 0, 2)
    assert [cell.text for cell in second.cells] == ["0.30", "0.00", "0.00", "0.00", "0.00", "0.06"]


@pytest.mark.parametrize("ids", [("o__a#b#", "o__a#c#"), ("o__a#b#", "p__b#c#", "pkg.B/#01"), ()])
def test_there_is_no_map_of_one_application_or_of_what_is_none(ids):
    assert page.list_applications([benchmark(name) for name in ids]) == ()


def test_runs_are_set_against_each_other_by_the_measures_above_the_threshold():
    heatmap = page.build_heatmap(benchmark("b", {1}, count=3, outlier_runs=(1,)))

    assert [(head.number, head.is_outlier) for head in heatmap.heads] == [
        ("1", False), ("2", True), ("3", False)
    ]  # fmt: skip
    texts = [[cell and cell.text for cell in line.cells] for line in heatmap.lines]
    assert texts == [[None, "3", "0"], ["3", None, "3"], ["0", "3", None]]
    assert [line.unlike for line in heatmap.lines] == ["1 of 2", "2 of 2", "1 of 2"]
    assert heatmap.lines[0].cells[1:] == (
        page.HeatmapCell("far much-1", "3"),
        page.HeatmapCell("near much-5", "0"),
    )
    assert heatmap.left_out == ""


def test_of_many_runs_those_that_are_unlike_most_are_drawn():
    heatmap = page.build_heatmap(benchmark("b", {40, 44}, count=45, outlier_runs=(40, 44)))

    assert [head.number for head in heatmap.heads if head.is_outlier] == ["41", "45"]
    assert len(heatmap.lines) == len(heatmap.lines[0].cells) == 30
    assert heatmap.lines[-1].unlike == "44 of 44"
    assert heatmap.left_out == "Of 45 runs the 30 are drawn that are unlike most others."


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (None, ""),
        (((0, 1, 2),), "SAME finds one group of all runs."),
        (((0, 1, 2, 4), (3,)), "SAME finds 2 groups: runs 1 to 3, 5 together; run 4 alone."),
        (((0, 1), (2, 3)), "SAME finds 2 groups: runs 1, 2 together; runs 3, 4 together."),
        (((1, 2), (3,), (0,)), "SAME finds 3 groups: runs 2, 3 together; runs 1, 4 each alone."),
    ],
)
def test_groups_are_said_in_words(groups, message):
    assert page.describe_groups(benchmark("b", groups=groups)) == message


def test_caveats_of_the_whole_come_first():
    short = judge_runs("short", [wave(1)[:50], wave(2)[:50]])
    of_all = Caveat("budget", "the budget was used up")
    similarity_document = document.similarity_document([short], [of_all], CONTEXT)

    first, second = page.build_view(similarity_document).closing.caveats

    assert (first.slug, first.text, second.slug) == ("budget", of_all.text, "short-runs")
