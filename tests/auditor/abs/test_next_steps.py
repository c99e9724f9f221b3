"""The next steps after an audit: at most three, and commands that can be pasted."""

import shlex

import click
import msgspec
import pytest
from builders import replace_fields
from cli_acting import Stage, method, score

from auditor.abs import document_of_verdict
from auditor.abs.next_steps import AuditCall, next_steps
from auditor.cli.main import cli
from auditor.core.result import Verdict
from examples import audit, context

SUBJECT = "go:example.org/ring@v1"


def call(tmp_path, **changes):
    defaults = {
        "subject": "my project",
        "arguments": ("abs", "my project"),
        "store": None,
        "result": tmp_path / "result.json",
        "may_have_gate": True,
    }
    return AuditCall(**(defaults | changes))


def test_at_most_three_steps_each_a_command_that_can_be_parsed(tmp_path):
    document = document_of_verdict.build_abs_document(audit(), context())

    steps = next_steps(document, call(tmp_path, store=tmp_path / "s.sqlite"))

    assert 1 <= len(steps) <= 3
    for step in steps:
        program, verb, *words = shlex.split(step.command)
        assert program == "bench-audit"
        cli.get_command(click.Context(cli), verb).make_context(verb, words)
        assert step.reason


@pytest.mark.parametrize(
    ("outcome", "command"),
    [(Verdict.UNREACHED, "trace 'my project' --stubs"), (Verdict.MISSED, "lint 'my project'")],
)
def test_what_is_not_detected_comes_first(tmp_path, outcome, command):
    document = document_of_verdict.build_abs_document(audit(), context())
    document = msgspec.structs.replace(document, methods=(method(outcome),))

    first = next_steps(document, call(tmp_path))[0]

    assert first.command.startswith(f"bench-audit {command}")
    assert "1 method" in first.reason.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("change", [{"generic": True}, {"trivial": "it returns a field"}])
def test_no_stub_is_promised_for_methods_that_get_none(tmp_path, change):
    document = document_of_verdict.build_abs_document(audit(), context())
    uncalled = method(Verdict.UNREACHED)
    stubless = replace_fields(uncalled, **change)

    alone, together = (
        next_steps(msgspec.structs.replace(document, methods=methods), call(tmp_path))
        for methods in ((stubless,), (stubless, uncalled))
    )

    assert not any("--stubs" in step.command for step in alone)
    assert "1 method" in together[0].reason.replace("\N{NO-BREAK SPACE}", " ")


def test_an_audit_ends_with_them(tmp_path, capsys):
    store = tmp_path / "s.sqlite"

    assert Stage(str(tmp_path)).call("abs", SUBJECT, "--store", str(store)) == 0
    last = capsys.readouterr().err.splitlines()[-2:]

    assert last[0].startswith(f"next: bench-audit trace {SUBJECT} --stubs new-benchmarks --store")
    assert last[1].startswith(f"next: bench-audit abs {SUBJECT} --store")
    assert "--fail-under=50%" in last[1]


def test_a_gate_that_is_there_is_not_suggested(tmp_path, capsys):
    stage = Stage(str(tmp_path)).with_audit(total=score(1))

    stage.call("abs", SUBJECT, "--fail-under", "50")

    assert "--fail-under=" not in capsys.readouterr().err


def test_nothing_is_suggested_where_nothing_is_known(tmp_path):
    document = document_of_verdict.build_abs_document(audit(), context())
    bare = msgspec.structs.replace(
        document, methods=(), pairs=(), benchmarks=(), curve=None, minimal_cover=()
    )

    steps = next_steps(bare, call(tmp_path, may_have_gate=False))

    assert steps == ()
