"""What is shown of a comparison: words, Markdown, a page; names that mean harm stay names."""

import msgspec
import numpy as np
import pytest
from builders import benchmark_verdict, method, pair_verdict, stability
from comparisons import LIMITS, benchmark, build_comparison, full_comparison
from test_page_names import NASTY

from auditor.abs.judge import abs_score
from auditor.abs.judge.abs_score import AbsData, MethodData
from auditor.compare import page
from auditor.compare.document import ComparisonDocument
from auditor.compare.judge import judge_dimension
from auditor.compare.markdown import render_markdown
from auditor.compare.model import BenchmarkComparison, Dimension, Patch, Rounds
from auditor.compare.page import format_patch_headline
from auditor.compare.terminal import write_for_github
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from auditor.core.request import DetectionRule
from auditor.core.result import Verdict
from reports.markdown import MAX_COMMENT_BYTES


def test_what_matters_most_stands_first():
    view = page.build_view(full_comparison())

    assert view.headline.replace("\N{NO-BREAK SPACE}", " ") == (
        "2 benchmarks have a regression, 1 more is suspected: ring.BenchmarkPush, "
        "ring.BenchmarkLen; suspected and not confirmed: ring.BenchmarkDo, about 1.2 "
        "\N{MULTIPLICATION SIGN}"
    )
    assert [(row.name, row.word.word, row.dimension) for row in view.rows] == [
        ("ring.BenchmarkPush", "regression", "time"),
        ("ring.BenchmarkLen", "regression", "allocations"),
        ("ring.BenchmarkDo", "cannot tell", "time"),
        ("ring.BenchmarkBroken", "cannot tell", "time"),
        ("ring.BenchmarkPop", "improvement", "time"),
        ("ring.BenchmarkLen", "no change", "time"),
    ]
    assert view.rows[0].times.startswith("1.3")
    assert view.same == 1
    assert view.patch.startswith("2 methods of the library differ; ")


OPEN = BenchmarkComparison(id="open", reason="the time was up")


def test_the_headline_says_how_long_confirming_takes():
    result = build_comparison(benchmark("b", 1.2, fresh=False), confirming_seconds=170.0)

    assert page.format_headline(result).endswith("not confirmed; confirming takes about 3 min more")


@pytest.mark.parametrize(
    ("benchmarks", "message"),
    [
        ([], "No benchmark is in both revisions, so nothing was compared"),
        ([benchmark("a")], "No benchmark has a regression of 5 % or more"),
        ([OPEN], "Every benchmark is inconclusive"),
        (
            [benchmark("a"), OPEN],
            "No regression of 5 % or more was found; 1 benchmark inconclusive",
        ),
        (
            [OPEN, benchmark("b", 1.2, fresh=False)],
            "1 suspected regression (b, about 1.2 \N{MULTIPLICATION SIGN}), neither confirmed nor "
            "refuted",
        ),
        ([benchmark("b", 0.7, fresh=False)], "Every benchmark is inconclusive"),
    ],
)
def test_the_headline_claims_no_more_than_is_known(benchmarks, message):
    assert (
        page.format_headline(build_comparison(*benchmarks)).replace("\N{NO-BREAK SPACE}", " ")
        == message
    )


def test_markdown_has_a_row_for_each_and_names_in_code_spans():
    text = render_markdown(full_comparison())

    assert "| `ring.BenchmarkPush` | ▲ regression | time |" in text
    assert "New benchmarks: `ring.BenchmarkNew`" in text
    assert "| `ring.Twice` | new | \N{EN DASH} | not slowed down |" in text
    assert "* `no-source`: 3 methods have no source here" in text


def nasty():
    """Return a comparison in which all that a subject names is hostile."""
    return replaced(
        build_comparison(
            *(benchmark(name, 1 + index / 10) for index, name in enumerate(NASTY)),
            BenchmarkComparison(id="failed", reason="".join(NASTY)),
            added=NASTY,
            removed=NASTY,
            patch=Patch(changed=NASTY, added=(), removed=(), unwatched=NASTY),
            caveats=(Caveat("no-source", "".join(NASTY)),),
        )
    )


def replaced(document):
    plain = msgspec.to_builtins(document)
    plain |= {"subject": "".join(NASTY), "revision": NASTY[0], "base": NASTY[1]}
    return msgspec.convert(plain, ComparisonDocument)


@pytest.mark.browser
def test_hostile_names_leave_no_markup(visit_hostile):
    document = nasty()

    tab = visit_hostile(page.render_html(document))
    assert tab.locator("#benchmarks tbody tr").count() == len(NASTY) + 1
    text = render_markdown(document)
    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if line.startswith(("@", "<", "![", "="))]
    assert page.render_html(document) == page.render_html(document)


@pytest.mark.browser
def test_axe_finds_nothing(faults_of):
    assert faults_of(page.render_html(full_comparison())) == []


@pytest.mark.parametrize("limit", [10_000, 20_000, MAX_COMMENT_BYTES])
def test_markdown_keeps_within_its_room_and_says_what_is_left_out(limit):
    names = [f"example.org/ring.Benchmark{'N' * 300}{index}" for index in range(300)]
    document = build_comparison(
        *(benchmark(name, 1.3) for name in names),
        added=tuple(names),
        patch=Patch(changed=tuple(names), added=(), removed=(), unwatched=tuple(names)),
    )

    text = render_markdown(document, limit)

    assert len(text.encode()) <= limit
    assert " more are in the result." in text
    assert "300 benchmarks have a regression" in text


SUSPECTED = "1 suspected regression (b, about 1.2"


def test_a_suspicion_is_in_the_first_line_of_markdown():
    document = build_comparison(
        *(benchmark(f"a{index}") for index in range(30)), benchmark("b", 1.2, fresh=False)
    )

    first = render_markdown(document, 10_000).splitlines()[0]

    assert first.replace("\N{NO-BREAK SPACE}", " ").startswith(f"## {SUSPECTED}")


@pytest.mark.parametrize("code", [Exit.OK, Exit.NO_VERDICT, Exit.GATE_FAILED])
def test_a_suspicion_is_in_the_first_line_of_the_summary_whatever_the_gate_does(tmp_path, code):
    summary, output = tmp_path / "summary", tmp_path / "output"
    environment = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}

    gates = (code, ["gate undecided: 1 suspected regression not confirmed"])
    write_for_github(
        build_comparison(benchmark("b", 1.2, fresh=False)), gates, tmp_path, environment
    )

    first, _, second = summary.read_text().splitlines()[:3]
    assert SUSPECTED in first.replace("\N{NO-BREAK SPACE}", " ")
    assert second == f"* `{gates[1][0]}`"


def shown_value(text):
    """Return the number of a cell with its unit."""
    number, _, unit = text.partition("\N{NO-BREAK SPACE}")
    return float(number.replace(",", "")), unit


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("harness", ["go", "jmh"])
def test_the_numbers_of_a_row_multiply(seed, harness):
    """Rounds drift, processes are disturbed, and fresh rounds have another base than first ones."""
    rng = np.random.default_rng(seed)
    drift = np.exp(rng.normal(0, 0.4, (14, 1)))
    noise = np.exp(rng.normal(0, 0.05, (14, 3)) + 0.7 * (rng.random((14, 3)) < 0.2))
    times = 3e-8 * drift * noise * [1, 1, rng.uniform(0.8, 2.5)]
    counts = np.round(rng.uniform(0, 3) + np.zeros((14, 3)) + [0, 0, rng.integers(0, 3)])
    judged = tuple(
        judge_dimension(
            dimension,
            Rounds(first=tuple(map(tuple, all_[:6])), fresh=tuple(map(tuple, all_[6:]))),
            LIMITS,
        )
        for dimension, all_ in (
            (Dimension.TIME, times.tolist()),
            (Dimension.ALLOCATIONS, counts.tolist()),
        )
    )
    document = build_comparison(BenchmarkComparison(id="b", dimensions=judged))
    plain = msgspec.to_builtins(document)
    if harness == "jmh":
        plain["benchmarks"][0]["unit"] = "ops/ms"
    document = msgspec.convert(plain, ComparisonDocument)

    for row in page.build_view(document).rows:
        (base, unit), (head, _) = shown_value(row.base), shown_value(row.head)
        if row.dimension in {"time", "throughput"}:
            assert unit == {"go": "ns/op", "jmh": "ops/ms"}[harness]
        if row.times == "\N{EN DASH}":
            assert base == 0
        else:
            ratio, way = shown_value(row.times)
            quotient = base / head if way.endswith("as long") else head / base
            assert quotient == pytest.approx(ratio, rel=0.015)


def test_a_row_whose_ratio_is_paired_says_over_how_many_rounds():
    """The machine is slower in the rounds in which head's value is disturbed."""
    rng = np.random.default_rng(1)
    speed = np.repeat([1.0, 3.0], 4)[:, None]
    values = 1e-6 * speed * np.exp(rng.normal(0, 0.003, (8, 3))) * [1, 1, 1.5]
    values[0, 2] *= 3
    rounds = tuple(map(tuple, values.tolist()))
    judged = judge_dimension(Dimension.TIME, Rounds(first=rounds[:6], fresh=rounds), LIMITS)

    (row,) = page.build_view(
        build_comparison(BenchmarkComparison(id="b", dimensions=(judged,)))
    ).rows

    assert judged.paired
    assert judged.ratio == pytest.approx(1.5, rel=0.02)
    assert row.note == "paired over 8 rounds"


def test_what_comes_from_nothing_is_suspected_without_a_ratio():
    counts = ((0.0, 0.0, 3.0),) * 6
    judged = judge_dimension(Dimension.ALLOCATIONS, Rounds(first=counts), LIMITS)
    document = build_comparison(BenchmarkComparison(id="b", dimensions=(judged,)))

    assert page.format_headline(document).startswith(
        "1 suspected regression (b, 3 allocations for none), "
    )
    (row,) = page.build_view(document).rows
    assert (row.base, row.head, row.times) == ("0", "3", "\N{EN DASH}")


def test_what_few_rounds_suspect_is_told_with_its_size():
    judged = judge_dimension(Dimension.TIME, Rounds(first=((1.0, 1.0, 2.0),) * 2), LIMITS)
    document = build_comparison(BenchmarkComparison(id="b", dimensions=(judged,)))

    assert judged.ratio is None
    assert page.format_headline(document).startswith(
        "1 suspected regression (b, about 2\N{NO-BREAK SPACE}"
    )


def test_what_was_left_to_the_last_is_told_in_the_headline():
    open_ = BenchmarkComparison(id="o", reason="the time was up", calls_changed=False)

    message = page.format_headline(build_comparison(benchmark("a"), open_)).replace(
        "\N{NO-BREAK SPACE}", " "
    )

    assert message.endswith("1 benchmark that calls none of the changed methods inconclusive")


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        ([Verdict.INCONCLUSIVE], "slowdown is open for 1 changed or new method."),
        (
            [Verdict.MISSED],
            "the suite would detect none if they took 1.6\xa0\N{MULTIPLICATION SIGN} as long.",
        ),
        (
            [Verdict.DETECTED, Verdict.MISSED],
            "would detect 1 if they took 1.6\xa0\N{MULTIPLICATION SIGN} as long.",
        ),
        ([Verdict.DETECTED, Verdict.INCONCLUSIVE], "as long; 1 is open."),
        ([Verdict.INVALID], "1 method of the library differs; none of them can be slowed."),
    ],
)
def test_a_changed_method_without_a_verdict_is_not_counted_as_unnoticed(outcomes, message):
    methods = [method(f"M{index}") for index in range(len(outcomes))]
    verdict = abs_score.judge_audit(
        AbsData(
            slowdown=0.6,
            slowdown_source="fixed",
            rule=DetectionRule.OURS,
            methods=tuple(MethodData(method=changed_method) for changed_method in methods),
            pairs=tuple(
                pair_verdict(changed_method.name, "A", outcome)
                for changed_method, outcome in zip(methods, outcomes, strict=True)
            ),
            stability=stability([benchmark_verdict("A")]),
        )
    )
    patch = Patch(
        changed=tuple(changed_method.id for changed_method in methods),
        added=(),
        removed=(),
        verdict=verdict,
    )

    assert format_patch_headline(build_comparison(patch=patch)).endswith(message)


FAILING = BenchmarkComparison(id="broken", reason="it fails in head: no", fails_in_head=True)


@pytest.mark.parametrize(
    ("benchmarks", "ending"),
    [
        ([FAILING], "every benchmark is inconclusive; 1 cannot run in head"),
        ([benchmark("a"), FAILING], "1 benchmark inconclusive; 1 cannot run in head"),
    ],
)
def test_the_headline_counts_benchmarks_that_head_cannot_run(benchmarks, ending):
    assert page.format_headline(build_comparison(*benchmarks)).lower().endswith(ending)


def test_a_removed_method_is_a_difference():
    result = build_comparison(benchmark("a"), patch=Patch(changed=(), added=(), removed=("gone",)))

    assert format_patch_headline(result) == (
        "1 method of the library removed; none is changed or new."
    )


def test_a_caveat_of_both_studies_is_said_once():
    caveat = Caveat("budget", "the budget is used up")
    document = build_comparison(benchmark("a"), caveats=(caveat,))
    document = msgspec.structs.replace(
        document, patch=msgspec.structs.replace(document.patch, caveats=(caveat,))
    )

    assert page.build_view(document).caveats == (("budget", "the budget is used up"),)


def test_a_large_ratio_has_no_exponent():
    rounds = tuple((1e-6, 1.001e-6, 2345e-6 * (1 + index / 1000)) for index in range(6))
    judged = judge_dimension(Dimension.TIME, Rounds(first=rounds, fresh=rounds), LIMITS)
    (row,) = page.build_view(
        build_comparison(BenchmarkComparison(id="a", dimensions=(judged,)))
    ).rows

    assert row.times.startswith("2,35")
    assert "e+" not in row.times + row.interval + row.visible


@pytest.mark.parametrize("unit", ["ops/evil", "evil/op", "::error::x", "ns"])
def test_a_unit_that_is_none_leaves_times_as_they_are(unit):
    document = build_comparison(benchmark("a", 1.3))
    (compared,) = document.benchmarks
    strange = msgspec.structs.replace(compared, unit=unit)

    (row,) = page.build_view(msgspec.structs.replace(document, benchmarks=(strange,))).rows

    assert (row.dimension, row.base) == ("time", "1\N{NO-BREAK SPACE}µs")
