"""Accepted misses: found in sources, and left out of one score."""

from dataclasses import replace
from datetime import date
from itertools import product

import pytest
from builders import benchmark_verdict, method, pair_verdict, stability

from auditor.abs.judge.abs_score import AbsData, MethodData, judge_audit
from auditor.abs.judge.accepted_misses import apply_accepted_misses, find_marked_misses
from auditor.core.accepted import AcceptedMiss
from auditor.core.errors import UsageError
from auditor.core.request import DetectionRule
from auditor.core.result import Verdict
from auditor.core.subject import SourceFile, SourceRole, Span

TODAY = date(2026, 6, 15)
SOURCE = """package ring

// Push adds.
//
// bench-audit:ignore   it is only called in tests
func Push() {}

//bench-audit:ignore slow by design
// and has been so for long
func Pop() {}

// bench-audit:ignored is another word
func Len() {}

// bench-audit:ignore of what comes next

func Peek() {}

func Do() { // bench-audit:ignore inside
}
func Clear() {}
"""


def locate_method(name, text=SOURCE, file="ring.go"):
    line = next(
        n
        for n, source_line in enumerate(text.splitlines(), 1)
        if source_line.startswith(f"func {name}(")
    )
    return replace(method(name), span=Span(file, line, line))


def source(text=SOURCE, path="ring.go"):
    return SourceFile(
        path=path, unit="example.org/ring", role=SourceRole.LIBRARY, text=text.encode()
    )


def test_markers_above_a_method_are_found_with_their_reasons():
    methods = [locate_method(name) for name in ("Push", "Pop", "Len", "Peek", "Do", "Clear")]

    marked_reasons = {
        marked_miss.method: (marked_miss.reason, marked_miss.location)
        for marked_miss in find_marked_misses(methods, [source()], b"//")
    }

    assert marked_reasons == {
        "example.org/ring.Push": ("it is only called in tests", "ring.go:5"),
        "example.org/ring.Pop": ("slow by design", "ring.go:8"),
    }


def test_lines_that_end_as_on_windows_are_read_too():
    text = SOURCE.replace("\n", "\r\n")

    (marked_miss,) = find_marked_misses([locate_method("Push")], [source(text)], b"//")

    assert marked_miss.reason == "it is only called in tests"


def test_a_method_without_a_place_or_of_another_file_has_no_marker():
    assert not list(
        find_marked_misses(
            [method("Push"), locate_method("Push", file="other.go")], [source()], b"//"
        )
    )


def test_a_marker_without_a_reason_is_an_error():
    text = "// bench-audit:ignore\nfunc Push() {}\n"

    with pytest.raises(
        UsageError, match=r"ring\.go:1: the accepted miss of example\.org/ring\.Push has"
    ):
        list(find_marked_misses([locate_method("Push", text)], [source(text)], b"//"))


OUTCOMES = (Verdict.DETECTED, Verdict.MISSED, Verdict.INCONCLUSIVE, Verdict.UNREACHED)


def verdict(**outcomes):
    return judge_audit(
        AbsData(
            slowdown=0.6,
            slowdown_source="fixed",
            rule=DetectionRule.OURS,
            methods=tuple(MethodData(method=method(name)) for name in outcomes),
            pairs=tuple(pair_verdict(name, outcome=outcome) for name, outcome in outcomes.items()),
            stability=stability([benchmark_verdict("BenchmarkPush")]),
        )
    )


def accepting(*names, until=None):
    return {
        text: AcceptedMiss(
            method=text,
            reason="why",
            until=until,
            location="configuration",
            expired=False,
            left_out=False,
        )
        for text in (method(name).id for name in names)
    }


def test_what_is_accepted_and_missed_leaves_one_score_and_stays_in_the_total():
    before = verdict(Push=Verdict.DETECTED, Pop=Verdict.MISSED, Len=Verdict.MISSED)

    abs_verdict = apply_accepted_misses(before, accepting("Pop"), TODAY)

    assert abs_verdict.total == before.total
    assert (abs_verdict.without_accepted.covered, abs_verdict.without_accepted.counted) == (1, 2)
    assert (abs_verdict.without_accepted.percent, abs_verdict.without_accepted.bounds) == (
        50.0,
        (50.0, 50.0),
    )
    assert [(miss.method, miss.left_out) for miss in abs_verdict.accepted] == [
        (method("Pop").id, True)
    ]


@pytest.mark.parametrize(
    ("until", "left_out"), [(date(2026, 6, 15), True), (date(2026, 6, 14), False), (None, True)]
)
def test_it_is_accepted_through_its_last_day(until, left_out):
    before = verdict(Push=Verdict.DETECTED, Pop=Verdict.MISSED)

    abs_verdict = apply_accepted_misses(before, accepting("Pop", until=until), TODAY)

    (miss,) = abs_verdict.accepted
    assert (miss.left_out, miss.expired) == (left_out, not left_out)
    assert (abs_verdict.without_accepted is None) is not left_out
    assert [caveat.slug for caveat in abs_verdict.caveats if caveat.slug == "expired-ignore"] == (
        [] if left_out else ["expired-ignore"]
    )


def test_what_is_detected_counts_although_it_is_accepted():
    abs_verdict = apply_accepted_misses(
        verdict(Push=Verdict.DETECTED, Pop=Verdict.MISSED), accepting("Push"), TODAY
    )

    assert abs_verdict.without_accepted is None
    assert not abs_verdict.accepted[0].left_out
    assert abs_verdict.caveats[-1].slug == "needless-ignore"


def test_what_is_not_audited_changes_nothing():
    before = verdict(Push=Verdict.DETECTED)

    assert apply_accepted_misses(before, accepting("Pop"), TODAY) == before


def test_no_score_is_left_where_all_is_accepted():
    abs_verdict = apply_accepted_misses(verdict(Pop=Verdict.MISSED), accepting("Pop"), TODAY)

    assert (abs_verdict.without_accepted.percent, abs_verdict.without_accepted.bounds) == (
        None,
        None,
    )


@pytest.mark.parametrize("outcomes", list(product(OUTCOMES, repeat=3)))
def test_the_bounds_are_what_the_undecided_may_turn_out_to_give(outcomes):
    """The least and the most of the scores that any settling of what is open would give."""
    names = ("Push", "Pop", "Len")
    abs_verdict = apply_accepted_misses(
        verdict(**dict(zip(names, outcomes, strict=True))), accepting("Len"), TODAY
    )
    score = abs_verdict.without_accepted

    if score is None or score.bounds is None:
        assert outcomes[2] is Verdict.DETECTED
        return
    either = (Verdict.DETECTED, Verdict.MISSED)
    settled = [either if outcome is Verdict.INCONCLUSIVE else (outcome,) for outcome in outcomes]
    later = [
        apply_accepted_misses(
            verdict(**dict(zip(names, combination, strict=True))), accepting("Len"), TODAY
        )
        for combination in product(*settled)
    ]
    scores = [
        (later_verdict.without_accepted or later_verdict.total).percent for later_verdict in later
    ]
    assert score.bounds == pytest.approx((min(scores), max(scores)))
