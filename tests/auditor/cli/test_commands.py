import json
import logging
import sqlite3

import numpy as np
import pytest
from cli_acting import Stage, method, pair, score

from auditor.abs.running import BY_COMMAND
from auditor.cli.interrupts import (
    INTERRUPT_HANDLER,
    INTERRUPT_MESSAGE,
    LOCAL_GRACE_SECONDS,
    REMOTE_GRACE_SECONDS,
)
from auditor.core.caveats import Caveat
from auditor.core.errors import BuildFailed, ToolMissing
from auditor.core.mutant import InjectionKind
from auditor.core.request import DetectionRule, GoModuleSpec
from auditor.core.result import Verdict
from auditor.measure.planning.preview import CountedMethod, Inventory
from auditor.store.audits import AuditRecord
from auditor.store.sqlite import SqliteStore

SUBJECT = "go:example.org/ring@v1"


@pytest.fixture
def stage(tmp_path):
    return Stage(str(tmp_path))


def output_of(stage):
    return stage.opened[-1][1].output


def test_an_audit_prints_the_answer_and_leaves_result_and_report(stage, capsys):
    code = stage.call("abs", SUBJECT)
    captured = capsys.readouterr()

    assert code == 0
    assert "would detect a 60\N{NO-BREAK SPACE}% slowdown in 1 of 2 methods" in captured.out
    assert "[red]Pop" in captured.out
    assert str(output_of(stage) / "report.html") in captured.err
    assert json.loads((output_of(stage) / "result.json").read_text())["subject"] == "ring"
    assert (output_of(stage) / "report.html").read_text().startswith("<!doctype html>")
    assert (output_of(stage) / "log").exists()


def test_as_json_stdout_is_exactly_one_document(stage, capsys):
    stage.call("abs", SUBJECT, "--format", "json")
    printed = capsys.readouterr().out

    assert json.loads(printed) == json.loads((output_of(stage) / "result.json").read_text())


def test_quiet_leaves_only_the_result(stage, capsys):
    stage.call("abs", SUBJECT, "--quiet")
    captured = capsys.readouterr()

    assert "would detect" in captured.out
    assert captured.err == ""


@pytest.mark.parametrize(
    ("total", "flags", "ends"),
    [
        (score(1), ["--fail-under", "50"], (0, "gate passed")),
        (score(1), ["--fail-under", "51"], (1, "gate failed")),
        (score(1, undecided=1), ["--fail-under", "51"], (5, "gate undecided")),
        (score(1, undecided=1), ["--fail-under", "50"], (0, "gate passed")),
        (score(0, undecided=1), ["--fail-under", "51"], (1, "at most 50 %")),
        (score(1, undecided=1), ["--fail-under", "51", "--inconclusive", "fail"], (1, "undecided")),
        (score(1, undecided=1), ["--fail-under", "51", "--inconclusive", "pass"], (0, "undecided")),
        (score(0, counted=0), [], (5, "no verdict: ")),
        (score(0, counted=0), ["--inconclusive", "pass"], (0, "no verdict: ")),
    ],
)
def test_a_gate_decides_the_exit_code(stage, capsys, total, flags, ends):
    code, message = ends
    stage = stage.with_audit(total=total)

    assert stage.call("abs", SUBJECT, "--slowdown", "0.6", *flags) == code
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("outcome", "pairs", "code"),
    [
        (Verdict.INCONCLUSIVE, (pair(Verdict.UNMEASURED, None),), 5),
        (Verdict.INCONCLUSIVE, (pair(Verdict.INCONCLUSIVE, 0.1),), 0),
        (Verdict.MISSED, (pair(Verdict.MISSED, 0.1), pair(Verdict.UNMEASURED, None)), 0),
        (Verdict.MISSED, (pair(Verdict.MISSED, None),), 0),
        (Verdict.DETECTED, (pair(Verdict.DETECTED, None),), 0),
        (Verdict.UNREACHED, (pair(Verdict.UNREACHED, None),), 0),
        (Verdict.TIMED_OUT, (pair(Verdict.TIMED_OUT, None),), 5),
        (Verdict.INVALID, (pair(Verdict.INVALID, 0.1),), 5),
    ],
)
def test_an_audit_that_judged_nothing_has_no_verdict(stage, capsys, outcome, pairs, code):
    stage = stage.with_audit(changes={"methods": (method(outcome),), "pairs": pairs})

    assert stage.call("abs", SUBJECT) == code
    assert ("no verdict: " in capsys.readouterr().err) is (code == 5)


def test_a_budget_that_ended_too_early_is_said_and_not_that_nothing_was_measured(stage, capsys):
    changes = {
        "methods": (method(Verdict.INCONCLUSIVE),),
        "pairs": (pair(Verdict.UNMEASURED, None),),
        "caveats": (Caveat("budget", "the budget of 60 s was used up"),),
    }
    stage = stage.with_audit(total=score(0, undecided=2), changes=changes)

    assert stage.call("abs", SUBJECT) == 5
    errors = capsys.readouterr().err
    assert f"go on: bench-audit abs {SUBJECT}\n" in errors
    assert "no verdict: each method was left open by the budget; the same command goes on" in errors


def test_an_audit_that_has_chosen_no_method_yet_says_why(stage, capsys):
    reason = "no method was chosen yet, as no calls were counted"
    caveats = (Caveat("methods-auto", reason),)
    stage = stage.with_audit(total=score(0, counted=0), changes={"methods": (), "caveats": caveats})

    assert stage.call("abs", SUBJECT) == 5
    captured = capsys.readouterr()
    assert "no verdict: no method was chosen (methods-auto)\n" in captured.err
    assert reason in captured.out
    assert reason not in captured.err


def test_an_audit_of_methods_that_cannot_be_slowed_says_that(stage, capsys):
    changes = {"methods": (method(Verdict.REFUSED),), "pairs": (pair(Verdict.REFUSED, None),)}
    stage = stage.with_audit(total=score(0, counted=0), changes=changes)

    assert stage.call("abs", SUBJECT) == 5
    assert "no verdict: no method could be slowed" in capsys.readouterr().err


LONG = "a" * 300


@pytest.mark.parametrize(
    "words",
    [
        ("abs", LONG),
        ("abs", "c.json"),
        ("analyze", LONG),
        ("steady", LONG),
        ("init", LONG),
        ("concurrency", "--class", "org.example.Pool", "--old", LONG, "--new", LONG),
        ("store", "merge", "in.sqlite", LONG),
    ],
)
def test_a_path_with_a_name_that_is_too_long_leads_nowhere(
    stage, capsys, monkeypatch, tmp_path, words
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.json").write_text(json.dumps({"subject": LONG}))

    assert stage.call(*words) == 2
    assert LONG in capsys.readouterr().err


def test_a_gate_without_a_fixed_slowdown_is_refused(stage, capsys):
    assert stage.call("abs", SUBJECT, "--fail-under", "50", "--slowdown", "auto") == 2
    assert "fixed slowdown" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("failure", "code", "message"),
    [
        (BuildFailed("go build ended with 1"), 3, "error[build-failed]: go build ended with 1"),
        (ToolMissing("no go"), 4, "error[tool-missing]: no go"),
        (KeyboardInterrupt(), 130, "interrupted; what was measured is kept"),
        (ZeroDivisionError("oops"), 70, "error[internal]: this is a bug in bench-audit"),
    ],
)
def test_every_kind_of_failure_has_its_exit_code(stage, capsys, failure, code, message):
    stage = stage.with_audit(failure=failure)

    assert stage.call("abs", SUBJECT) == code
    assert message in capsys.readouterr().err
    assert not (output_of(stage) / "result.json").exists()


def test_an_error_that_an_interrupt_has_caused_is_an_interrupt(stage, capsys, monkeypatch):
    monkeypatch.setattr(INTERRUPT_HANDLER, "requested", True)

    assert stage.with_audit(failure=BuildFailed("go was ended")).call("abs", SUBJECT) == 130
    assert capsys.readouterr().err.endswith(f"{INTERRUPT_MESSAGE}\n")


@pytest.mark.parametrize(
    ("host", "seconds"), [("local", LOCAL_GRACE_SECONDS), ("ssh:elsewhere", REMOTE_GRACE_SECONDS)]
)
def test_machines_elsewhere_have_longer_to_tidy_up(stage, monkeypatch, host, seconds):
    monkeypatch.setattr(INTERRUPT_HANDLER, "seconds", LOCAL_GRACE_SECONDS)

    stage.call("abs", SUBJECT, "--host", host)

    assert INTERRUPT_HANDLER.seconds == seconds


def test_an_error_brings_no_escapes_to_the_terminal(stage, capsys):
    failure = BuildFailed("go said: \x1b]0;owned\x07\x1b[2J all passed \u202e")

    assert stage.with_audit(failure=failure).call("abs", SUBJECT) == 3
    err = capsys.readouterr().err
    assert r"error[build-failed]: go said: \x1b]0;owned\x07\x1b[2J all passed \u202e" in err
    assert not {"\x1b", "\x07", "\u202e"} & set(err)


def test_a_bug_shows_its_traceback(stage, capsys):
    stage.with_audit(failure=ZeroDivisionError("oops")).call("abs", SUBJECT)

    assert "ZeroDivisionError: oops" in capsys.readouterr().err


def test_the_harness_can_be_named(stage):
    stage.call("abs", SUBJECT, "--harness", "jmh")

    assert stage.opened[0][0].harness == "jmh"


def test_flags_become_the_request(stage):
    stage.call(
        "abs", SUBJECT, "--method", "ring.Push", "--method", "ring.Pop", "--benchmarks", "^P",
        "--runs", "3", "--stability-runs", "4", "--slowdown", "0.6", "--wait", "work",
        "--exact", "--budget", "10m", "--seed", "7", "--fail-under", "40",
    )  # fmt: skip
    config = stage.opened[0][0]
    request = config.request

    assert config.subject == GoModuleSpec("example.org/ring", "v1")
    assert request.methods == ("ring.Push", "ring.Pop")
    assert (request.runs, request.slowdown, request.wait, request.exact) == (
        3,
        0.6,
        InjectionKind.WORK,
        True,
    )
    assert (request.suite.benchmarks, request.suite.stability_runs) == ("^P", 4)
    assert (request.suite.budget_seconds, request.suite.seed) == (450.0, 7)  # a gate's first look
    assert config.gates.min_score == 40.0


def test_trying_failures_again_is_no_part_of_the_configuration(stage):
    stage.call("abs", SUBJECT)
    stage.call("abs", SUBJECT, "--retry-failed")

    once, retrying = (config for config, _ in stage.opened)
    assert (once.retry_failed, retrying.retry_failed) == (False, True)
    assert once.text == retrying.text


def test_paper_means_its_rule_and_sleeping(stage):
    stage.call("abs", SUBJECT, "--paper")
    stage.call("abs", SUBJECT, "--paper", "--wait", "work")

    requests = [config.request for config, _ in stage.opened]
    assert [request.rule for request in requests] == [DetectionRule.PAPER, DetectionRule.PAPER]
    assert [request.wait for request in requests] == [InjectionKind.SLEEP, InjectionKind.WORK]


@pytest.mark.parametrize("min_delta", ["5%", "0.05"])
def test_where_a_gate_fires_is_a_percentage_or_a_number(stage, min_delta):
    stage.call("abs", SUBJECT, "--slowdown", "0.6", "--min-delta", min_delta)

    request = stage.opened[0][0].request
    assert (request.rule, request.min_delta) == (DetectionRule.GATE, pytest.approx(0.05))


@pytest.mark.parametrize(
    ("flags", "rule", "limit"),
    [
        (["--paper", "--min-delta", "5%"], DetectionRule.PAPER, 0.05),
        (["--rule", "paper", "--min-delta", "5%"], DetectionRule.PAPER, 0.05),
        (["--paper"], DetectionRule.PAPER, None),  # the gate's limit in the file is not the paper's
        ([], DetectionRule.GATE, 0.1),
    ],
)
def test_a_rule_that_is_named_keeps_its_name(stage, tmp_path, flags, rule, limit):
    config_path = tmp_path / "c.json"
    settings = {"subject": SUBJECT, "slowdown": 0.6, "rule": "gate", "min_delta": 0.1}
    config_path.write_text(json.dumps(settings))

    stage.call("abs", str(config_path), *flags)

    request = stage.opened[0][0].request
    assert (request.rule, request.min_delta) == (rule, limit)


def test_a_research_tools_own_test_counts_where_that_is_asked_for(stage, tmp_path):
    config_path = tmp_path / "theirs.json"
    tool_settings = {"degree_of_violation": "0.6", "confidence": "0.05", "min_effect_size": "0.3"}
    (tmp_path / "lib").mkdir()
    config_path.write_text(json.dumps({"project": "lib", **tool_settings}))

    stage.call("abs", str(config_path))
    stage.call("abs", str(config_path), "--as-configured")

    requests = [config.request for config, _ in stage.opened]
    assert [(request.rule, request.min_delta, request.significance) for request in requests] == [
        (DetectionRule.OURS, None, 0.01),
        (DetectionRule.GATE, pytest.approx(0.3), pytest.approx(0.05)),
    ]


def test_allocations_are_asked_for_with_a_size_from_the_file(stage, tmp_path):
    stage.call("abs", SUBJECT)
    stage.call("abs", SUBJECT, "--allocations")
    config_path = tmp_path / "c.json"
    config_path.write_text(
        json.dumps({"subject": SUBJECT, "allocations": True, "allocation_bytes": 8})
    )
    stage.call("abs", str(config_path))

    sizes = [config.request.allocation_bytes for config, _ in stage.opened]
    assert sizes == [None, 64, 8]


def test_output_and_store_are_chosen(stage, tmp_path):
    stage.call("abs", SUBJECT, "-o", str(tmp_path / "out"), "--store", str(tmp_path / "s.sqlite"))
    places = stage.opened[0][1]

    assert (places.output, places.store) == (tmp_path / "out", tmp_path / "s.sqlite")
    assert (tmp_path / "out" / "report.html").exists()


def test_a_dry_run_says_what_would_be_run_and_for_how_long(stage, capsys):
    assert stage.call("abs", SUBJECT, "--dry-run") == 0
    printed = capsys.readouterr().out

    assert "suite" in printed
    assert 'Judged by rule "ours", slowdown 50%.' in printed
    assert "At most 2 min (budget); expected 2 to 3 min." in printed
    assert "Without a budget at most about 3 min, if all goes as badly as it can." in printed
    assert "Nothing was measured; a suite that was not known yet was built and listed" in printed
    assert "no outcome can be significant [few-pairs]" in printed
    assert not (output_of(stage) / "result.json").exists()


def test_a_dry_run_is_not_what_was_found_so_far(stage, capsys):
    assert stage.call("abs", SUBJECT, "--dry-run", "--so-far") == 2
    assert "choose one" in capsys.readouterr().err


def test_what_was_found_so_far_is_said_to_be_so(stage, capsys):
    assert stage.call("abs", SUBJECT, "--so-far") == 0
    assert "nothing was run for this [so-far]" in capsys.readouterr().out


def test_a_dry_run_says_what_it_takes_the_flags_for(stage, capsys):
    flags = ("--slowdown", "1.8x", "--min-delta", "0.05", "--fail-under", "80")
    assert stage.call("abs", SUBJECT, "--dry-run", *flags) == 0

    printed = " ".join(capsys.readouterr().out.split())
    assert (
        'Judged by rule "gate", slowdown 80%, an effect counts from 5% on, the total score has '
        "to be at least 80%."
    ) in printed


def test_a_dry_run_as_json_is_one_document(stage, capsys):
    stage.call("abs", SUBJECT, "--dry-run", "--format", "json")

    document = json.loads(capsys.readouterr().out)
    assert document["seconds"] == 190.0
    assert document["expected"] == {"low": 100.0, "high": 180.0, "budget": 150.0}


@pytest.mark.parametrize(
    ("flags", "trials"),
    [((), 5), (("--stability-runs", "3"), 3), (("--stability-runs", "1"), 1)],
)
def test_a_dry_run_of_the_suite_alone_has_no_other_phases(stage, capsys, flags, trials):
    assert stage.call("stability", SUBJECT, "--dry-run", "--format", "json", *flags) == 0

    phases = json.loads(capsys.readouterr().out)["phases"]
    assert [phase["name"] for phase in phases] == ["suite runs"]
    assert stage.opened[0][0].request.suite.stability_runs == trials
    assert list(output_of(stage).iterdir()) == [output_of(stage) / "log"]


@pytest.mark.parametrize(("spread", "code"), [(0.02, 0), (None, 5)])
def test_stability_has_a_verdict_only_with_a_spread(stage, capsys, spread, code):
    stage = stage.with_audit(spread=spread)

    assert stage.call("stability", SUBJECT, "--stability-runs", "3") == code
    assert "BenchmarkPush" in capsys.readouterr().out
    assert stage.opened[0][0].request.suite.stability_runs == 3
    assert (output_of(stage) / "stability.json").exists()


@pytest.mark.parametrize(("spread", "code"), [(0.02, 0), (None, 5)])
def test_a_single_run_is_asked_for_its_values_alone(stage, spread, code):
    stage = stage.with_audit(spread=spread)

    assert stage.call("stability", SUBJECT, "--stability-runs", "1") == code
    assert stage.opened[0][0].request.suite.stability_runs == 1


def store_audit(stage, *flags, command="abs", started="2026-01-02T03:04:05Z", **changes):
    """Call a command, and put what it was asked and answered into the store, as a real one would.

    `changes` are keys of its result. Return the result and the report, as they are written.
    """
    stage.call(command, SUBJECT, *flags)
    config, places = stage.opened[-1]
    files = BY_COMMAND[command]
    document = json.loads((places.output / files.result).read_text()) | changes
    record = AuditRecord(
        command=command,
        subject="digest",
        config=config.text,
        tools=(),
        version="1.0",
        started=started,
    )
    with SqliteStore(places.store) as store:
        store.end_audit(store.add_audit(record), "2026-01-02T03:05:05Z", json.dumps(document))
    return document, (places.output / files.report).read_text()


def test_a_report_is_made_again_from_the_store(stage, capsys):
    document, page = store_audit(stage)
    (output_of(stage) / "result.json").unlink()
    (output_of(stage) / "report.html").unlink()
    capsys.readouterr()

    assert stage.call("report", SUBJECT) == 0
    captured = capsys.readouterr()
    assert "would detect" in captured.out
    assert "the result of bench-audit abs, begun at 2026-01-02T03:04:05Z" in captured.err
    assert json.loads((output_of(stage) / "result.json").read_text()) == document
    assert (output_of(stage) / "report.html").read_text() == page
    assert len(stage.opened) == 1


def test_a_report_is_that_of_the_same_configuration_not_of_the_last_audit(stage, capsys, tmp_path):
    document, _ = store_audit(stage, revision="asked for")
    store_audit(stage, "--slowdown", "0.9", revision="something else")
    capsys.readouterr()

    assert stage.call("report", SUBJECT, "--format", "json") == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == document
    documents = [json.loads(path.read_text()) for path in tmp_path.glob("**/result.json")]
    assert document in documents
    assert "other-configuration" not in captured.err


def test_a_report_of_another_configuration_says_which_one_it_is(stage, capsys, tmp_path):
    store_audit(stage, "--slowdown", "0.9", started="2026-05-06T07:08:09Z")
    capsys.readouterr()

    assert stage.call("report", SUBJECT, "--quiet") == 0
    captured = capsys.readouterr()
    assert "note[other-configuration]: no stored audit has exactly these options" in captured.err
    assert "(slowdown: asked the default, shown 0.9)" in captured.err
    assert "bench-audit abs, begun at 2026-05-06T07:08:09Z" in captured.err
    headline = "Not the audit that was asked for: This suite would detect"
    assert headline in captured.out
    assert any(headline in path.read_text() for path in tmp_path.glob("**/report.html"))


def test_an_audit_that_was_interrupted_has_no_report(stage, capsys):
    document, _ = store_audit(stage)
    config, places = stage.opened[-1]
    broken_off = AuditRecord(
        command="abs",
        subject="digest",
        config=config.text,
        tools=(),
        version="1.0",
        started="later",
    )
    with SqliteStore(places.store) as store:
        store.add_audit(broken_off)
    capsys.readouterr()

    assert stage.call("report", SUBJECT, "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == document


def test_the_report_of_another_command_can_be_had(stage, capsys):
    document, _ = store_audit(stage)
    store_audit(stage, command="stability")
    capsys.readouterr()

    assert stage.call("report", SUBJECT, "--of", "abs", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == document
    assert stage.call("report", SUBJECT, "--of", "judge") == 2


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("config", "[]"),
        ("config", "{}"),
        ("config", "7"),
        ("config", "{"),
        ("document", "{}"),
        ("document", "[1]"),
        ("document", "null"),
        ("document", "{"),
        ("document", "[" * 100_000),
    ],
)
def test_what_no_audit_leaves_in_a_store_is_damage_and_overwrites_nothing(
    stage, capsys, column, value
):
    store_audit(stage)
    places = stage.opened[0][1]
    contents = {path: path.read_bytes() for path in places.output.glob("re*")}
    connection = sqlite3.connect(places.store)
    connection.execute(f"UPDATE audit SET {column} = ?", (value,))  # noqa: S608 one of ours
    connection.commit()
    connection.close()

    assert stage.call("report", SUBJECT) == 4
    assert "is damaged or no store of bench-audit" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in contents} == contents


def test_a_store_with_flipped_bytes_gives_no_other_result(stage, capsys):
    """Where a flip hits what no reader looks at, or only who asked, nothing else is shown."""
    document, _ = store_audit(stage)
    places = stage.opened[0][1]
    content = places.store.read_bytes()
    rng = np.random.default_rng(1)
    codes = set()
    for _ in range(60):
        broken = bytearray(content)
        offset = int(rng.integers(len(content)))
        broken[offset : offset + 40] = bytes(byte ^ 0xFF for byte in broken[offset : offset + 40])
        places.store.write_bytes(broken)
        capsys.readouterr()

        codes.add(code := stage.call("report", SUBJECT, "--format", "json"))

        captured = capsys.readouterr()
        assert code != 0 or json.loads(captured.out) == document
        assert captured.err.count("error[") == (code != 0), captured.err
    assert codes <= {0, 2, 4}
    assert 4 in codes


def test_a_report_of_nothing_is_refused(stage, capsys):
    assert stage.call("report", SUBJECT) == 2
    assert "holds no finished audit of go:example.org/ring@v1" in capsys.readouterr().err


def test_an_output_folder_that_cannot_be_made_is_a_machines_fault(stage, capsys, tmp_path):
    (tmp_path / "file").write_text("")

    assert stage.call("abs", SUBJECT, "-o", str(tmp_path / "file" / "out")) == 4
    assert "error[folder-unusable]: cannot write" in capsys.readouterr().err


def test_verbose_logs_to_the_terminal_and_the_log_is_complete(stage, capsys):
    stage.audit.plan_audit = _logging(stage.audit.plan_audit)

    stage.call("abs", SUBJECT, "--dry-run", "-v")

    err = capsys.readouterr().err
    log = (output_of(stage) / "log").read_text()
    assert "now asking" in err
    assert "a detail" not in err
    assert "now asking" in log
    assert "a detail" in log
    assert logging.getLogger("auditor").handlers == []


def _logging(plan):
    def logged():
        logging.getLogger("auditor.measure").info("now asking")
        logging.getLogger("runners.trial").debug("a detail")
        return plan()

    return logged


def test_why_a_command_ended_is_in_its_log(stage):
    stage.with_audit(failure=BuildFailed("go build ended with 1")).call("abs", SUBJECT, "--quiet")
    stage.call("abs", SUBJECT, "--dry-run")

    log = (output_of(stage) / "log").read_text()
    assert "BuildFailed: go build ended with 1" in log
    assert '"seed": 1' in log


def test_tables_are_neither_cut_nor_coloured_without_a_terminal(stage, capsys):
    stage.call("abs", SUBJECT)
    printed = capsys.readouterr().out

    assert "\x1b" not in printed
    assert max(len(line) for line in printed.splitlines()) < 400


def test_a_dry_run_lists_what_it_is_about(stage, capsys):
    stage.audit.inventory = Inventory(
        benchmarks=(("ring", 40), ("tree", 2)),
        methods=(
            CountedMethod(id="ring.Push", calls=7, benchmarks=1),
            CountedMethod(id="ring.Pop"),
        ),
        unusable=(("early", "it ends\nat once"),),
        hints=("leave ring out",),
    )
    assert stage.call("abs", SUBJECT, "--dry-run") == 0
    printed = capsys.readouterr().out
    stage.call("abs", SUBJECT, "--dry-run", "--format", "json")
    document = json.loads(capsys.readouterr().out)

    for text in (
        "Benchmarks (42)",
        "ring: 40",
        "Methods (2)",
        "ring.Push: 7 calls, called by 1 benchmark",
        "Cannot be measured",
        "early: it ends: at once",
    ):
        assert text in printed
    assert printed.index("Leave ring out.") < printed.index("phase")
    assert document["benchmarks"] == {"ring": 40, "tree": 2}
    assert document["methods"][1] == {"id": "ring.Pop", "calls": None, "benchmarks": None}


def test_a_dry_run_names_the_first_methods_and_counts_the_others(stage, capsys):
    methods = tuple(CountedMethod(id=f"ring.M{number}") for number in range(13))
    stage.audit.inventory = Inventory(methods=methods)

    stage.call("abs", SUBJECT, "--dry-run")
    printed = capsys.readouterr().out

    assert "Methods (13)" in printed
    assert "ring.M9" in printed
    assert "ring.M10" not in printed
    assert "and 3 more" in printed


@pytest.mark.parametrize(("last", "message"), [(1, "and 4 more"), (3, "and 6 more in 4 places")])
def test_a_dry_run_counts_the_benchmarks_of_places_that_have_several(stage, capsys, last, message):
    places = (("BenchmarkAll", 3), *((f"Benchmark{number}", 1) for number in range(12)))
    stage.audit.inventory = Inventory(benchmarks=(*places, ("BenchmarkLast", last)))

    stage.call("abs", SUBJECT, "--dry-run")
    lines = {line.strip("• ") for line in capsys.readouterr().out.splitlines()}

    assert {"BenchmarkAll: 3", "Benchmark0", message} <= lines


def test_a_dry_run_of_nothing_is_no_success(stage, capsys):
    stage.audit.inventory = Inventory(reason="ring has no public method")

    assert stage.call("abs", SUBJECT, "--dry-run") == 5
    assert "no verdict: ring has no public method" in capsys.readouterr().err
