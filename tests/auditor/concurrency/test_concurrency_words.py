"""What is said of two versions of a class: never a finding without votes and interval."""

import re
from dataclasses import fields, replace

import pytest
from concurrencies import PLAN, document, full_verdict, lane, make_race_test, timed, verdict
from msgspec import structs
from schema_checks import check_schema
from test_page_names import NASTY

from auditor.concurrency import document as concurrency_document
from auditor.concurrency import page
from auditor.concurrency import text as concurrency_words
from auditor.concurrency.document import ConcurrencyPlan
from auditor.concurrency.judge import oracle
from auditor.concurrency.markdown import render_markdown
from auditor.core.contracts.concurrency import SEQUENTIAL
from auditor.core.contracts.concurrency import RacePlan as RacePlanContract
from auditor.core.errors import UsageError
from reports import results

CALM = (1.0, 1.0, 1.0)
SLOWER, FASTER, OPEN = (1.4, 1.5, 1.4), (0.5, 0.6, 0.7), (None, None, 1.0)


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ").replace("\N{MULTIPLICATION SIGN}", "x")


@pytest.mark.parametrize("result", [full_verdict(), verdict(), verdict(lane(2, *OPEN))])
def test_a_result_satisfies_its_schema_and_is_read_back_the_same(result):
    json_text = results.format_json(document(result))

    check_schema("concurrency", json_text)
    assert concurrency_document.parse_document(json_text) == document(result)


def test_what_another_command_has_written_is_refused():
    with pytest.raises(UsageError, match="not a result of bench-audit concurrency"):
        concurrency_document.parse_document('{"schema": "bench-audit/abs/1"}')


def test_every_parameter_is_in_the_document():
    assert {field.name for field in fields(RacePlanContract)} - {"seed"} == set(
        ConcurrencyPlan.__struct_fields__
    )
    assert document().seed == PLAN.seed
    assert document().plan.threads == PLAN.threads


def test_sources_are_named_and_not_repeated():
    result = document()

    assert result.files == ("PoolTest1.java", "Main.java")
    assert "class PoolTest1" not in results.format_json(result)
    assert (result.tests[0].prefix, result.tests[0].suffixes) == (3, (8,) * 8)


def test_caveats_of_the_tests_and_of_the_verdict_are_told_together():
    assert [caveat.slug for caveat in document().caveats] == ["no-source", "busy-machine"]


def test_work_beside_the_races_is_said_first():
    busy = document()
    quiet = structs.replace(busy, caveats=())

    headline = page.build_view(quiet).headline
    assert page.build_view(busy).headline == f"Busy machine: {headline}"
    assert not headline.startswith("Busy")


def test_by_means_a_speed_up_lies_between_the_farthest_ends_of_their_intervals():
    (test,) = document(verdict(lane(8, 2.0, plan=replace(PLAN, strict=True)))).threads[0].tests

    low, high = test.speedup_interval
    assert low == pytest.approx(test.old_interval[0] / test.new_interval[1])
    assert high == pytest.approx(test.old_interval[1] / test.new_interval[0])
    assert low < test.speedup < high


def test_the_interval_of_a_number_of_threads_is_the_mean_of_those_of_its_tests():
    threads = document(verdict(lane(8, 2.0, 1.5, None))).threads[0]

    intervals = [test.speedup_interval for test in threads.tests if test.speedup_interval]
    assert len(intervals) == 2
    assert threads.speedup_interval == pytest.approx(
        [sum(ends) / 2 for ends in zip(*intervals, strict=True)]
    )


def test_an_interval_that_reaches_below_zero_has_no_upper_end():
    plan = replace(PLAN, acceptable_spread=0.9, processes=False)
    judged = oracle.judge_test(timed(times=1.0, noise=2.0), plan)
    threads = document(verdict(oracle.judge_threads(8, [judged], plan))).threads[0]

    assert judged.new[0] < 0
    assert threads.tests[0].speedup_interval == (0.0, None)
    assert threads.speedup_interval == (0.0, None)
    assert concurrency_words.format_interval(threads.speedup_interval) == "at least 0"


@pytest.mark.parametrize(
    ("lanes", "message"),
    [
        (
            [lane(2, *SLOWER), lane(8, *SLOWER, None)],
            "Regression: the new version is slower in 3 of 4 tests with 8 threads "
            "(1.43 x the time, interval 1.42 … 1.45; 1 inconclusive)",
        ),
        (
            [lane(2, *FASTER)],
            "Improvement: the new version is faster in 3 of 3 tests with 2 threads "
            "(0.589 x the time, interval 0.58 … 0.60)",
        ),
        (
            [lane(1, *SLOWER), lane(2, *CALM)],
            "No difference: with 2 threads neither version is 5 % faster in enough tests",
        ),
        (
            [lane(2, *CALM), lane(4, *CALM), lane(8, *OPEN)],
            "No difference: with 2 and 4 threads neither version is 5 % faster in enough tests; "
            "inconclusive with 8 threads",
        ),
        (
            [lane(2, *OPEN), lane(8, None)],
            "Cannot tell: too few tests are conclusive, 1 of 3 with 2 threads, 0 of 1 with "
            "8 threads",
        ),
        ([], "Cannot tell: no test was run"),
        (
            [lane(2, *SLOWER), lane(8, *FASTER)],
            "Cannot tell: the new version is slower in 3 of 3 tests with 2 threads (1.43 x the "
            "time, interval 1.42 … 1.45), but faster in 3 of 3 tests with 8 threads (0.589 x the "
            "time, interval 0.58 … 0.60)",
        ),
    ],
)
def test_the_headline_claims_no_more_than_is_known(lanes, message):
    assert plain(concurrency_words.format_headline(document(verdict(*lanes)))) == message


@pytest.mark.parametrize(
    ("most", "opposite", "message"),
    [
        (
            SLOWER,
            FASTER[0],
            "the new version is slower in 3 of 4 tests with 2 threads, faster in 1",
        ),
        (
            FASTER,
            SLOWER[0],
            "the new version is faster in 3 of 4 tests with 2 threads, slower in 1",
        ),
    ],
)
def test_the_headline_names_tests_that_say_the_opposite(most, opposite, message):
    headline = concurrency_words.format_headline(document(verdict(lane(2, *most, opposite))))

    assert f"{message} (all together " in plain(headline)


@pytest.mark.parametrize(
    ("lanes", "control", "message"),
    [
        ([lane(8, *SLOWER)], CALM, "do not show it: it is about threads that share the object"),
        ([lane(8, *SLOWER)], SLOWER, "show it, too: it is not only about concurrency"),
        ([lane(8, *SLOWER)], OPEN, "are inconclusive, so whether it is about concurrency is open"),
        ([lane(8, *CALM)], CALM, "in one thread: old faster in 0, new in 0, neither in 3; "),
        ([lane(8, *SLOWER)], None, "Whether one thread alone shows it, too, was not measured."),
    ],
)
def test_the_control_says_whether_it_is_about_concurrency(lanes, control, message):
    control = control and lane(SEQUENTIAL, *control)

    assert message in concurrency_words.describe_cause(document(verdict(*lanes, control=control)))


def test_nothing_is_said_of_a_control_that_was_not_measured_and_explains_nothing():
    assert concurrency_words.describe_cause(document(verdict(lane(8, *CALM)))) == ""


def test_the_smallest_test_that_shows_the_finding_stands_first():
    view = page.build_view(document())

    assert [(test.number, test.smallest) for test in view.tests] == [
        (3, True),
        (5, False),
        (4, False),
        (2, False),
        (1, False),
    ]
    assert view.smallest.endswith("test 3 is the smallest: 51 statements in all.")


def test_a_test_is_a_vote_with_its_interval_and_never_a_finding():
    view = page.build_view(document(verdict(lane(8, *SLOWER, None), lane(2, *SLOWER))))

    cells = [cell for row in view.tests for cell in row.cells]
    assert {cell.word.word for cell in cells if cell.word} == {"old faster", "inconclusive"}
    assert all(re.fullmatch(r"[\d.]+ … [\d.]+", cell.interval) for cell in cells if cell.times)
    assert [cell.note for cell in cells if not cell.times] == ["left out", "a suffix hung"]


def test_the_control_and_each_number_of_threads_have_a_row():
    rows = page.build_view(document()).rows

    assert [(row.threads, row.word.word, row.votes, row.left_out) for row in rows] == [
        ("1 (control)", "no difference", (0, 0, 5, 0), 0),
        ("2", "no difference", (1, 0, 3, 1), 0),
        ("4", "regression", (3, 0, 1, 1), 0),
        ("8", "regression", (3, 0, 1, 0), 1),
    ]


def test_a_steady_state_of_its_own_for_crowds_is_told():
    plan = RacePlanContract(crowded_seconds=40.0, steady_seconds=20.0)

    facts = dict(page.build_view(document(verdict(lane(8, *CALM), plan=plan))).closing.plan)

    assert plain(facts["a measurement"]).startswith("20 s, 40 s with more than 8 threads")


def test_curves_are_of_the_tests_that_are_conclusive_everywhere():
    assert page.find_conclusive_tests(document()) == {1, 2, 3, 4}
    assert page.find_conclusive_tests(document(verdict())) == frozenset()


def test_markdown_has_a_row_for_each_number_of_threads():
    text = render_markdown(document())

    assert text.startswith("## `org.example.Pool` under threads, `pool-1.3.jar … . at HEAD (b")
    assert "| 8 | ▲ regression | 3 | 0 | 1 | 0 | 0.65 | 0.65 … 0.66 |" in text
    assert "* `busy-machine`: something else ran, too" in text


def test_markdown_of_hostile_names_stays_text():
    result = verdict(
        lane(8, *SLOWER), tests=(make_race_test(1), make_race_test(2), make_race_test(3))
    )
    text = render_markdown(document(result, command="".join(NASTY), host=NASTY[0]))

    assert "\x1b" not in text
    assert not [line for line in text.splitlines() if line.startswith(("@", "<", "![", "="))]
