"""Gates that people can live with: accepted misses, and new misses against a baseline."""

import json
from dataclasses import replace
from datetime import date

import msgspec
import pytest
from builders import method_verdict_of
from cli_acting import CONTEXT, FakeAudit, Stage, pair, score, verdict
from comparisons import benchmark, build_comparison
from page_text import unlinked

from auditor.abs import document_of_verdict
from auditor.abs.baseline_renewal import renew_baseline, renew_baseline_file
from auditor.abs.judge.indifference_zone import BORDERLINE
from auditor.abs.second_look import SecondLook, list_sure_outcomes
from auditor.compare import gates
from auditor.compare.model import BenchmarkComparison, Patch
from auditor.compare.page import format_patch_headline
from auditor.core.accepted import AcceptedMiss
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit, NoBenchmarks, OutOfTime, UsageError
from auditor.core.request import FURTHER, CurveMode
from auditor.core.result import Verdict
from reports import results

SUBJECT = "go:example.org/ring@v1"
FIXED = ("--slowdown", "0.6")


def name(short):
    return f"example.org/ring.{short}"


def accepted(short, *, left_out=True, expired=False):
    return AcceptedMiss(
        method=name(short),
        reason="[b]called[/b] by tests only",
        until=date(2026, 1, 1) if expired else None,
        location="ring.go:12",
        expired=expired,
        left_out=left_out,
    )


def outcomes(**by_name):
    return tuple(
        method_verdict_of(id=name(short_name), outcome=outcome)
        for short_name, outcome in by_name.items()
    )


@pytest.fixture
def stage(tmp_path):
    return Stage(str(tmp_path))


@pytest.mark.parametrize(
    ("without", "code", "message"),
    [
        (score(1, counted=1), 0, "gate passed: at least 60 %, the total score without 1 accepted"),
        (score(1, counted=2), 1, "gate failed: at least 60 %"),
        (score(1, undecided=1), 5, "without 1 accepted misses is between 50 % and 100 %"),
        (score(0, counted=0), 5, "no verdict: each method that counts is an accepted miss"),
        (None, 1, "gate failed: at least 60 %, the total score is 50 %"),
    ],
)
def test_the_gate_looks_at_the_score_without_accepted_misses(stage, capsys, without, code, message):
    accepted_misses = () if without is None else (accepted("Pop"),)
    stage = stage.with_audit(
        total=score(1), changes={"accepted": accepted_misses, "without_accepted": without}
    )

    assert stage.call("abs", SUBJECT, *FIXED, "--fail-under", "60") == code
    assert message in capsys.readouterr().err


def test_accepted_misses_are_shown_with_their_reasons_and_beside_the_total(stage, capsys):
    accepted_misses = (
        accepted("Pop"),
        accepted("Push", left_out=False),
        accepted("Len", expired=True),
    )
    stage = stage.with_audit(
        changes={"accepted": accepted_misses, "without_accepted": score(1, counted=1)}
    )

    stage.call("abs", SUBJECT)
    output = capsys.readouterr().out

    assert "Accepted misses" in output
    assert "• example.org/ring.Pop: [b]called[/b] by tests only (for good; ring.go:12)" in output
    assert "ring.Push: [b]called[/b] by tests only (it is none; ring.go:12)" in output
    assert "(until 2026-01-01, so it counts again; ring.go:12)" in output
    assert "without accepted    100\xa0%" in output
    page = (stage.opened[0][1].output / "report.html").read_text()
    assert "accepted misses left out" in unlinked(page)


@pytest.mark.parametrize(
    ("limit", "title"),
    [
        ("40", "<b>Gate passed</b>, exit code 0<"),
        ("60", "<b>Gate failed</b>, exit code 1<"),
    ],
)
def test_the_page_says_what_the_gate_said_also_where_o_names_it(
    stage, tmp_path, capsys, limit, title
):
    copy = tmp_path / "copy.html"

    stage.call("abs", SUBJECT, *FIXED, "--fail-under", limit, "-o", str(copy))

    reason = next(line for line in capsys.readouterr().err.splitlines() if line.startswith("gate"))
    for path in (stage.opened[0][1].output / "report.html", copy):
        page = path.read_text()
        assert title in page
        assert f"<li>{reason}</li>" in page


def test_the_page_says_what_is_worth_an_undecided_gate(stage):
    open_ = stage.with_audit(total=score(1, undecided=1))

    assert open_.call("abs", SUBJECT, *FIXED, "--fail-under", "60", "--inconclusive", "pass") == 0

    page = (open_.opened[0][1].output / "report.html").read_text()
    assert "<b>No verdict</b>, exit code 0 in the place of 5, by --inconclusive<" in page


def test_the_old_name_of_the_flag_still_works(stage):
    stage.call("abs", SUBJECT, *FIXED, "--fail-under", "40")
    stage.call("abs", SUBJECT, *FIXED, "--fail-under", "40")

    assert [config.gates.min_score for config, _ in stage.opened] == [40.0, 40.0]


@pytest.fixture
def against(stage, tmp_path, capsys):
    """Return how an audit ends, and what it says, beside a baseline of other outcomes."""
    path = tmp_path / "before.json"

    def called(before, now, *flags, accepted_misses=(), **more):
        old = replace(verdict(score(1)), methods=outcomes(**before))
        path.write_text(results.format_json(document_of_verdict.build_abs_document(old, CONTEXT)))
        pairs = (replace(pair(Verdict.DETECTED, 0.6), method=name("Push")),)
        changes = {"methods": outcomes(**now), "pairs": pairs, "accepted": accepted_misses, **more}
        acting = stage.with_audit(changes=changes)
        code = acting.call("abs", SUBJECT, *FIXED, "--baseline", str(path), *flags)
        return code, capsys.readouterr().err

    return called


BASELINE_OUTCOMES = {"Push": Verdict.DETECTED, "Pop": Verdict.DETECTED, "Len": Verdict.MISSED}


@pytest.mark.parametrize(
    ("pop", "flags", "code", "message"),
    [
        (Verdict.DETECTED, (), 0, "gate passed: no method of before.json is newly missed"),
        (Verdict.MISSED, (), 1, "gate failed: detected in before.json, missed now: "),
        (Verdict.UNREACHED, (), 1, "missed now: example.org/ring.Pop"),
        (Verdict.INCONCLUSIVE, (), 5, "gate undecided: detected in before.json, open now: exam"),
        (Verdict.CRASHED, (), 5, "open now"),
        (Verdict.REFUSED, (), 5, "open now"),
        (Verdict.INCONCLUSIVE, ("--inconclusive", "fail"), 1, "gate undecided"),
        (Verdict.INCONCLUSIVE, ("--inconclusive", "pass"), 0, "gate undecided"),
        (Verdict.DETECTED, ("--fail-under", "90"), 1, "gate failed: at least 90 %"),
        (Verdict.MISSED, ("--fail-under", "10"), 1, "gate passed: at least 10 %"),
        (Verdict.INCONCLUSIVE, ("--fail-under", "90"), 1, "gate undecided"),
    ],
)
def test_only_new_misses_fail_beside_a_baseline(against, pop, flags, code, message):
    ended, err = against(BASELINE_OUTCOMES, {**BASELINE_OUTCOMES, "Pop": pop}, *flags)

    assert ended == code
    assert message in err


@pytest.mark.parametrize(
    ("pop", "code", "message"),
    [
        (Verdict.DETECTED, 0, "gate passed: no method of before.json is newly missed"),
        (Verdict.MISSED, 5, "gate undecided: detected in before.json, open now: exam"),
    ],
)
def test_an_estimate_passes_a_baseline_and_fails_none(against, pop, code, message):
    estimate = (Caveat("estimate", "predicted"),)

    exit_code, errors = against(
        BASELINE_OUTCOMES, {**BASELINE_OUTCOMES, "Pop": pop}, caveats=estimate
    )

    assert exit_code == code
    assert message in errors


def test_the_methods_of_a_baseline_are_those_of_the_audit(stage, tmp_path):
    path = tmp_path / "before.json"
    old = replace(verdict(score(1)), methods=outcomes(**BASELINE_OUTCOMES))
    path.write_text(results.format_json(document_of_verdict.build_abs_document(old, CONTEXT)))

    stage.call("abs", SUBJECT, *FIXED, "--baseline", str(path))

    assert stage.opened[0][0].request.baseline_methods == tuple(map(name, BASELINE_OUTCOMES))


def test_an_accepted_miss_is_no_new_one(against):
    code, _ = against(
        BASELINE_OUTCOMES,
        {**BASELINE_OUTCOMES, "Pop": Verdict.MISSED},
        accepted_misses=(accepted("Pop"),),
    )

    assert code == 0


def test_an_accepted_miss_that_has_expired_is_a_new_one(against):
    accepted_misses = (accepted("Pop", left_out=False, expired=True),)

    code, _ = against(
        BASELINE_OUTCOMES,
        {**BASELINE_OUTCOMES, "Pop": Verdict.MISSED},
        accepted_misses=accepted_misses,
    )

    assert code == 1


def test_a_method_that_is_not_audited_any_more_is_named(against):
    code, err = against(BASELINE_OUTCOMES, {"Push": Verdict.DETECTED, "Clear": Verdict.MISSED})

    assert code == 0
    assert "no longer audited: example.org/ring.Pop" in err


def test_a_baseline_of_which_nothing_is_audited_passes_nothing(against):
    code, err = against(BASELINE_OUTCOMES, {"Clear": Verdict.UNREACHED})

    assert code == 5
    assert "gate undecided: nothing that before.json detects is audited: example.org/ring.P" in err


def test_a_baseline_that_detects_nothing_is_refused(against):
    code, err = against({"Push": Verdict.MISSED, "Pop": Verdict.INCONCLUSIVE}, BASELINE_OUTCOMES)

    assert code == 2
    assert "before.json detects no method, so a gate on it can never fail; make it anew" in err


@pytest.mark.parametrize("text", ["", "[]", "5", "no"])
def test_a_baseline_whose_configuration_was_edited_is_refused(stage, tmp_path, capsys, text):
    path = tmp_path / "before.json"
    old = replace(verdict(score(1)), methods=outcomes(**BASELINE_OUTCOMES))
    document = document_of_verdict.build_abs_document(old, CONTEXT)
    path.write_text(results.format_json(msgspec.structs.replace(document, config=text)))

    assert stage.call("abs", SUBJECT, *FIXED, "--baseline", str(path)) == 2
    assert "before.json: `config` is not a configuration; make it anew" in capsys.readouterr().err


def test_a_baseline_is_read_before_anything_is_measured(stage, tmp_path, capsys):
    path = tmp_path / "before.json"
    good = results.format_json(document_of_verdict.build_abs_document(verdict(score(1)), CONTEXT))
    answers = {}
    for text, flags in (
        (good, ("--slowdown", "auto")),
        (good, ("--slowdown", "0.2")),
        (good, (*FIXED, "--rule", "paper")),
        ("{}", FIXED),
        (json.dumps({**json.loads(good), "schema": "bench-audit/stability/1"}), FIXED),
    ):
        path.write_text(text)
        assert stage.call("abs", SUBJECT, *flags, "--baseline", str(path)) == 2
        answers[text == good, *flags[:2]] = capsys.readouterr().err
    path.unlink()
    assert stage.call("abs", SUBJECT, *FIXED, "--baseline", str(path)) == 2

    assert stage.opened == []
    assert "a gate needs a fixed slowdown" in answers[True, "--slowdown", "auto"]
    assert (
        "with the slowdown 0.6 and the rule ours, this audit has 0.2"
        in answers[True, "--slowdown", "0.2"]
    )


MISSED_TWICE = {"methods": outcomes(Push=Verdict.MISSED, Pop=Verdict.MISSED)}
PAIRS = (pair(Verdict.MISSED, effect=0.1),)


def looked_twice(stage, second, **changes):
    """Return a stage whose first audit has missed both methods, and whose second has `second`."""
    result = stage.with_audit(total=score(0), changes={**MISSED_TWICE, "pairs": PAIRS, **changes})
    result.later = FakeAudit(total=score(0), changes={"methods": outcomes(**second)})
    return result


@pytest.mark.parametrize(
    ("second", "code", "messages"),
    [
        (
            {"Push": Verdict.MISSED, "Pop": Verdict.MISSED},
            1,
            ["gate failed: at least 60 %", "second look: 2 methods missed again"],
        ),
        (
            {"Push": Verdict.MISSED, "Pop": Verdict.DETECTED},
            1,
            [
                "gate failed: at least 60 %",
                "at most 50 %",
                "unsure of example.org/ring.Pop: missed",
            ],
        ),
        (
            {"Push": Verdict.INCONCLUSIVE, "Pop": Verdict.DETECTED},
            5,
            [
                "gate undecided: at least 60 %",
                "unsure of example.org/ring.Pop: missed at first, detected when measured again",
                "unsure of example.org/ring.Push: missed at first, undecided when measured again",
            ],
        ),
    ],
)
def test_no_score_fails_by_what_one_look_has_missed(stage, capsys, second, code, messages):
    stage = looked_twice(stage, second)

    assert stage.call("abs", SUBJECT, *FIXED, "--fail-under", "60") == code

    output = capsys.readouterr().err
    assert all(message in output for message in messages)


def test_a_second_look_takes_the_methods_in_question_with_new_measurements(stage):
    stage = looked_twice(stage, {"Push": Verdict.MISSED, "Pop": Verdict.MISSED})
    stage.call("abs", SUBJECT, *FIXED, "--fail-under", "60", "--seed", "7")

    (first, first_places), (second, second_places) = stage.opened
    assert second.request.methods == (name("Push"), name("Pop"))
    assert (first.request.suite.seed, second.request.suite.seed) == (7, 7 + FURTHER)
    assert second.request.suite.benchmarks == r"^(example\.org/ring\.BenchmarkPush)$"
    assert (second.request.controls, second.request.curve) == (0, CurveMode.NONE)
    assert second_places == replace(first_places, output=first_places.output / "second-look")
    assert (first_places.output / "second-look" / "result.json").exists()


def test_all_benchmarks_are_looked_at_again_where_none_reached_a_method(stage):
    methods = outcomes(Push=Verdict.MISSED, Pop=Verdict.UNREACHED)
    stage = looked_twice(stage, {"Push": Verdict.MISSED, "Pop": Verdict.UNREACHED}, methods=methods)

    assert stage.call("abs", SUBJECT, *FIXED, "--fail-under", "60") == 1

    assert stage.opened[1][0].request.suite.benchmarks == ".*"


@pytest.mark.parametrize(("flags", "code"), [(("--fail-under", "60", "--so-far"), 5), ((), 0)])
def test_what_fails_no_gate_or_measures_nothing_is_not_looked_at_twice(stage, flags, code):
    stage = looked_twice(stage, {"Push": Verdict.DETECTED, "Pop": Verdict.DETECTED})

    assert stage.call("abs", SUBJECT, *FIXED, *flags) == code

    assert len(stage.opened) == 1


def borderline(**by_name):
    """Return outcomes of methods whose effect may lie at the threshold."""
    caveats = (Caveat(BORDERLINE, "the effect may lie at the threshold"),)
    return tuple(replace(outcome, caveats=caveats) for outcome in outcomes(**by_name))


def test_a_borderline_miss_fails_no_gate(stage, tmp_path, capsys):
    path = tmp_path / "before.json"
    path.write_text(
        results.format_json(document_of_verdict.build_abs_document(verdict(score(1)), CONTEXT))
    )
    methods = (*borderline(Push=Verdict.MISSED), *outcomes(Pop=Verdict.MISSED))
    fails, undecided, baseline_stage = (
        looked_twice(stage, {"Pop": Verdict.MISSED}, methods=methods) for _ in range(3)
    )

    assert fails.call("abs", SUBJECT, *FIXED, "--fail-under", "60") == 1
    assert fails.opened[1][0].request.methods == (name("Pop"),)
    assert "at most 50 %" in capsys.readouterr().err
    assert undecided.call("abs", SUBJECT, *FIXED, "--fail-under", "40") == 5
    assert baseline_stage.call("abs", SUBJECT, *FIXED, "--baseline", str(path)) == 5
    assert "open now: example.org/ring.Push" in capsys.readouterr().err


def test_an_accepted_borderline_miss_adds_nothing_to_the_score_that_is_possible(stage, capsys):
    changes = {
        "methods": (
            *borderline(Pop=Verdict.MISSED),
            *outcomes(Push=Verdict.DETECTED, Len=Verdict.MISSED),
        ),
        "accepted": (accepted("Pop"),),
        "without_accepted": score(1, counted=2),
        "pairs": PAIRS,
    }
    stage = stage.with_audit(total=score(1, counted=3), changes=changes)
    stage.later = FakeAudit(total=score(0), changes={"methods": outcomes(Len=Verdict.MISSED)})

    assert stage.call("abs", SUBJECT, *FIXED, "--fail-under", "60") == 1
    assert "is 50 %" in capsys.readouterr().err


def test_a_second_look_that_misses_at_the_limit_is_unsure():
    methods = (*borderline(a=Verdict.MISSED), *outcomes(b=Verdict.MISSED))

    look = SecondLook.from_outcomes([method.id for method in methods], list_sure_outcomes(methods))

    assert look.unsure_methods == {name("a")}


def test_benchmarks_that_do_not_reach_a_method_are_not_looked_at_again(stage):
    unreached_pair = replace(pair(Verdict.UNREACHED, None), benchmark=name("BenchmarkApart"))
    stage = looked_twice(stage, {"Push": Verdict.MISSED}, pairs=(*PAIRS, unreached_pair))

    stage.call("abs", SUBJECT, *FIXED, "--fail-under", "60")

    assert stage.opened[1][0].request.suite.benchmarks == r"^(example\.org/ring\.BenchmarkPush)$"


@pytest.mark.parametrize("error", [NoBenchmarks("none match"), OutOfTime("over"), UsageError("no")])
def test_a_second_look_that_cannot_be_had_fails_no_gate(stage, capsys, error):
    stage = looked_twice(stage, {})
    stage.later = FakeAudit(failure=error)

    assert stage.call("abs", SUBJECT, *FIXED, "--fail-under", "60") == 5
    assert f"not measured again: {error}" in capsys.readouterr().err


def test_a_baseline_of_another_limit_is_refused(stage, tmp_path, capsys):
    path = tmp_path / "before.json"
    old = json.loads(
        results.format_json(document_of_verdict.build_abs_document(verdict(score(1)), CONTEXT))
    )
    path.write_text(json.dumps({**old, "config": json.dumps({"min_delta": 0.05})}))

    assert stage.call("abs", SUBJECT, *FIXED, "--baseline", str(path)) == 2
    assert "made with a min_delta of 5%, this audit has no min_delta" in capsys.readouterr().err


def test_a_comparison_whose_gate_can_never_fire_is_refused(stage, tmp_path, capsys):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"subject": SUBJECT, "rule": "gate", "min_delta": 0.2}))

    flags = ("--slowdown", "10%", "--fail-under", "80%")
    assert stage.call("compare", "HEAD~1", "HEAD", str(config), *flags) == 2
    assert "a gate at 20% can never fire" in capsys.readouterr().err


def test_a_gate_keeps_a_quarter_of_the_budget_for_a_second_look(stage, capsys):
    stage.call("abs", SUBJECT, *FIXED, "--fail-under", "40", "--budget", "10m")
    stage.call("abs", SUBJECT, *FIXED, "--budget", "10m")

    assert [config.request.suite.budget_seconds for config, _ in stage.opened] == [450, 600]
    assert capsys.readouterr().err.count("are kept for a second look") == 1


def test_a_budget_without_time_for_a_second_look_fails_no_gate(stage, capsys):
    stage = looked_twice(stage, {"Push": Verdict.MISSED, "Pop": Verdict.MISSED})

    assert stage.call("abs", SUBJECT, *FIXED, "--fail-under", "60", "--budget", "9s") == 5

    assert len(stage.opened) == 1
    assert "the budget left too little time to measure again" in capsys.readouterr().err


def test_a_baseline_gate_fails_by_new_misses_that_are_missed_again(stage, tmp_path, capsys):
    path = tmp_path / "before.json"
    path.write_text(
        results.format_json(document_of_verdict.build_abs_document(verdict(score(1)), CONTEXT))
    )
    flags = ("--baseline", str(path))

    missed_again = looked_twice(stage, {"Push": Verdict.MISSED})
    assert missed_again.call("abs", SUBJECT, *FIXED, *flags) == 1
    assert missed_again.opened[1][0].request.methods == (name("Push"),)
    flipped = looked_twice(stage, {"Push": Verdict.DETECTED})
    assert flipped.call("abs", SUBJECT, *FIXED, *flags) == 5
    assert "gate undecided: detected in before.json, open now: example.org/ring.Push" in (
        capsys.readouterr().err
    )


def test_a_gate_on_methods_that_are_not_slowed_is_refused(stage, capsys):
    flags = ("--methods", "0", "--fail-under", "80")

    assert stage.call("compare", "HEAD~1", "HEAD", SUBJECT, *flags) == 2
    assert "--methods 0 slows none" in capsys.readouterr().err


@pytest.mark.parametrize("command", [("abs", SUBJECT), ("compare", "HEAD~1", "HEAD", SUBJECT)])
@pytest.mark.parametrize("limit", ["800", "-1", "nan", "inf"])
def test_a_limit_that_no_score_can_miss_or_meet_is_refused(stage, capsys, command, limit):
    assert stage.call(*command, *FIXED, "--fail-under", limit) == 2

    errors = capsys.readouterr().err
    assert errors.startswith("error[usage]: ")
    assert f"{limit} is not a percentage from 0 to 100" in errors
    assert errors.count("\n") == 1


LOST = BenchmarkComparison(id=name("BenchmarkLost"), reason="it cannot be listed in head: no")


PATCH = Patch(
    changed=("a", "b"),
    added=(),
    removed=(),
    verdict=replace(
        verdict(score(0)),
        methods=tuple(method_verdict_of(id=letter, outcome=Verdict.MISSED) for letter in "ab"),
    ),
)


@pytest.mark.parametrize(
    ("unsure", "code", "message"),
    [
        ((), Exit.GATE_FAILED, "gate failed: at least 60 % of what changed, it is 0 %"),
        (("a",), Exit.GATE_FAILED, "gate failed: at least 60 % of what changed, it is at most 5"),
        (("a", "b"), Exit.NO_VERDICT, "gate undecided: at least 60 % of what changed, it is 0 to"),
    ],
)
def test_no_gate_on_changed_methods_fails_by_one_look(unsure, code, message):
    document = build_comparison(benchmark("a"), patch=PATCH)

    ended, (line,) = gates.judge_gates(
        document, fail_on_regression=False, fail_under=60, unsure_methods=unsure
    )

    assert (ended, line[: len(message)]) == (code, message)
    assert gates.list_missed_methods(document, 60) == ("a", "b")
    assert gates.list_missed_methods(document, 60, ("b",)) == ("a",)
    assert gates.list_missed_methods(document, None) == ()


@pytest.mark.parametrize(
    ("document", "code", "message"),
    [
        (
            build_comparison(added=("new",)),
            Exit.NO_VERDICT,
            "no verdict: no benchmark is in both: 1 only in",
        ),
        (build_comparison(), Exit.NO_VERDICT, "no verdict: no benchmark is in both"),
        (
            build_comparison(removed=("old",)),
            Exit.NO_VERDICT,
            "no verdict: no benchmark is in both: 0 only in",
        ),
        (build_comparison(benchmark("same"), removed=("old",)), Exit.OK, "gate passed"),
        (build_comparison(LOST), Exit.NO_VERDICT, "no verdict: every benchmark is inconclusive"),
        (
            build_comparison(LOST, BenchmarkComparison(id="same", same=True)),
            Exit.NO_VERDICT,
            "no verdict: every benchmark that differs is inconclusive",
        ),
        (
            build_comparison(LOST, patch=PATCH),
            Exit.NO_VERDICT,
            "gate undecided: every benchmark is inconclusive",
        ),
        (
            build_comparison(added=("new",), patch=PATCH),
            Exit.NO_VERDICT,
            "gate undecided: no benchmark is in both: 1 only in head",
        ),
        (
            build_comparison(BenchmarkComparison(id="same", same=True)),
            Exit.OK,
            "gate passed: no regression",
        ),
        (
            build_comparison(replace(LOST, fails_in_head=True), benchmark("same")),
            Exit.NO_VERDICT,
            "gate undecided: 1 benchmark cannot run in head",
        ),
        (
            build_comparison(benchmark("a"), benchmark("b", 1.2, fresh=False)),
            Exit.NO_VERDICT,
            "gate undecided: 1 suspected regression not confirmed",
        ),
        (
            build_comparison(LOST, benchmark("slower", 1.3)),
            Exit.GATE_FAILED,
            "gate failed: 1 regression",
        ),
        (
            build_comparison(LOST, benchmark("same")),
            Exit.OK,
            "gate passed: no regression; 1 benchmark inconclusive",
        ),
        (
            build_comparison(replace(LOST, calls_changed=True), benchmark("same")),
            Exit.NO_VERDICT,
            "gate undecided: 1 benchmark of changed methods inconclusive",
        ),
    ],
)
def test_no_regression_is_not_found_in_what_is_gone(document, code, message):
    ended, (line,) = gates.judge_gates(document, fail_on_regression=True, fail_under=None)

    assert ended is code
    assert line.startswith(message)


@pytest.mark.parametrize(
    ("patch", "code", "message"),
    [
        (Patch(changed=(), added=(), removed=()), Exit.OK, "gate passed: "),
        (
            Patch(changed=(), added=(), removed=(), refused=("a", "b")),
            Exit.NO_VERDICT,
            "gate undecided: at least 80 % of what changed; 2 changed methods cannot be slowed",
        ),
        (
            Patch(changed=(), added=(), removed=(), unknown=3),
            Exit.NO_VERDICT,
            "gate undecided: at least 80 % of what changed; 3 methods without a source",
        ),
    ],
)
def test_methods_of_which_nothing_is_known_pass_no_gate(patch, code, message):
    document = build_comparison(benchmark("a"), patch=patch)

    ended, (line,) = gates.judge_gates(document, fail_on_regression=False, fail_under=80)

    assert (ended, line[: len(message)]) == (code, message)
    differs = not (patch.refused or patch.unknown)
    assert ("No method of the library differs" in format_patch_headline(document)) is differs


@pytest.mark.parametrize(
    ("limit", "code", "message"),
    [
        (15, Exit.OK, "it is at least 20 %; 8 methods not slowed"),
        (80, Exit.NO_VERDICT, "it is 20 to 100 %; 8 methods not slowed"),
    ],
)
def test_methods_that_were_not_slowed_may_be_missed_or_detected(limit, code, message):
    slowed = replace(
        verdict(score(2, counted=2)),
        methods=tuple(method_verdict_of(id=letter, outcome=Verdict.DETECTED) for letter in "ab"),
    )
    patch = replace(PATCH, changed=tuple("abcdefghij"), verdict=slowed)

    ended, (line,) = gates.judge_gates(
        build_comparison(benchmark("a"), patch=patch), fail_on_regression=False, fail_under=limit
    )

    assert ended is code
    assert line.endswith(message)


def test_changed_methods_that_cannot_be_slowed_may_be_missed_or_detected():
    detected = replace(
        verdict(score(1, counted=1)),
        methods=(method_verdict_of(id="a", outcome=Verdict.DETECTED),),
    )
    patch = Patch(changed=("a",), added=(), removed=(), refused=("b",), verdict=detected)

    ended, (line,) = gates.judge_gates(
        build_comparison(benchmark("a"), patch=patch), fail_on_regression=False, fail_under=80
    )

    assert ended is Exit.NO_VERDICT
    assert line.endswith("it is 50 to 100 %; 1 method not slowed")


def test_an_accepted_miss_fails_no_gate_on_changed_methods():
    missed = PATCH.verdict
    first_miss = replace(accepted("a"), method="a")
    patch = replace(
        PATCH, verdict=replace(missed, accepted=(first_miss,), without_accepted=score(0, counted=1))
    )
    document = build_comparison(benchmark("a"), patch=patch)

    assert gates.list_missed_methods(document, 60) == ("b",)
    ended, _ = gates.judge_gates(
        document, fail_on_regression=False, fail_under=60, unsure_methods=("a",)
    )
    assert ended is Exit.GATE_FAILED  # the accepted miss says nothing of the others
    second_miss = replace(first_miss, method="b")
    none_counts = replace(
        missed, accepted=(first_miss, second_miss), without_accepted=score(0, counted=0)
    )
    document = build_comparison(benchmark("a"), patch=replace(PATCH, verdict=none_counts))
    ended, (line,) = gates.judge_gates(document, fail_on_regression=False, fail_under=60)
    assert ended is Exit.NO_VERDICT
    assert line.endswith("each changed method that counts is an accepted miss")
    assert "their misses are accepted" in format_patch_headline(document)


def test_nothing_compared_is_no_verdict_without_a_gate_too():
    def ended(document):
        return gates.judge_gates(document, fail_on_regression=False, fail_under=None)

    no_overlap = "no verdict: no benchmark is in both: 2 only in head, 1 only in base"
    assert ended(build_comparison(added=("a", "b"), removed=("c",))) == (
        Exit.NO_VERDICT,
        [no_overlap],
    )
    assert ended(build_comparison(benchmark("same"), added=("a",))) == (Exit.OK, [])
    message = "no verdict: every benchmark is inconclusive"
    assert ended(build_comparison(LOST)) == (Exit.NO_VERDICT, [message])
    open_verdict = replace(
        verdict(replace(score(0, counted=1), bounds=(0.0, 100.0))),
        methods=(method_verdict_of(id="a", outcome=Verdict.INCONCLUSIVE),),
    )
    open_patch = Patch(changed=("a",), added=(), removed=(), verdict=open_verdict)
    assert ended(build_comparison(LOST, patch=open_patch)) == (Exit.NO_VERDICT, [message])
    suspicion = f"{message}; 1 suspected regression not confirmed"
    suspected = build_comparison(benchmark("a", 1.2, fresh=False), patch=open_patch)
    assert ended(suspected) == (Exit.NO_VERDICT, [suspicion])


def test_a_baseline_keeps_what_a_new_result_leaves_open(tmp_path):
    def result(**changes):
        by_name = changes.pop("methods")
        made_of = replace(verdict(score(1)), methods=outcomes(**by_name), **changes)
        return document_of_verdict.build_abs_document(made_of, CONTEXT)

    old = {"Push": Verdict.DETECTED, "Pop": Verdict.DETECTED, "Len": Verdict.INCONCLUSIVE}
    new = {"Push": Verdict.INCONCLUSIVE, "Pop": Verdict.MISSED, "Len": Verdict.DETECTED}
    baseline, path = tmp_path / "baseline" / "result.json", tmp_path / "result.json"
    path.write_text(results.format_json(result(methods=old)))
    renew_baseline_file(baseline, path)
    path.write_text(results.format_json(result(methods=new)))
    renew_baseline_file(baseline, path)

    def detected():
        methods = json.loads(baseline.read_text())["methods"]
        return [method["id"] for method in methods if method["outcome"] == "detected"]

    assert detected() == [name("Push"), name("Len")]
    limit = msgspec.structs.replace(result(methods=new), config=json.dumps({"min_delta": 0.05}))
    assert renew_baseline(result(methods=old), limit) == limit
    uncertain = msgspec.structs.replace(
        result(methods=new), methods=borderline(Pop=Verdict.MISSED, Push=Verdict.DETECTED)
    )
    assert renew_baseline(result(methods=old), uncertain).methods[0].outcome is Verdict.DETECTED
    path.write_text(results.format_json(result(methods=new, slowdown=0.2)))
    renew_baseline_file(baseline, path)
    assert detected() == [name("Len")]
    baseline.write_text("{")
    renew_baseline_file(baseline, path)
    assert detected() == [name("Len")]
