"""What is shown of a gate: words, Markdown, and the promised names."""

import re

import pytest
from builders import CONTEXT
from rich.console import Console

from auditor.core.contracts.qualify import (
    CheckoutVersion,
    GateAnswer,
    GateCase,
    GatePlan,
    GateSubject,
    InjectedDelay,
    ShownCase,
    SlowedSide,
)
from auditor.core.errors import Exit
from auditor.core.mutant import Delay, InjectionKind
from auditor.qualify import terminal
from auditor.qualify.document import build_qualify_document
from auditor.qualify.judge import judge_gate
from auditor.qualify.markdown import render_markdown
from auditor.qualify.text import format_headline

PARSE = GateSubject(
    method="a.Parse",
    seconds=2e-6,
    injected=(InjectedDelay(10.0, Delay(InjectionKind.WORK, 900.0), 10.3),),
    reached_by=("BenchmarkParse",),
)
NATIVE = GateSubject(method="a.Native", refusal="it has no body")
UNSEEN = GateSubject(method="a.Print|<b>")


def answers(side, factor, *, alarms=0, quiet=0, failed=0, method="a.Parse", turn=1):
    case = GateCase(side=side, method=method if side is not SlowedSide.SAME else "", factor=factor)
    gate_answers = (
        [GateAnswer.ALARM] * alarms + [GateAnswer.QUIET] * quiet + [GateAnswer.FAILED] * failed
    )
    return [
        ShownCase(
            case=case,
            number=number,
            answer=answer,
            seconds=3.0,
            turn=turn,
            ran=tuple(CheckoutVersion),
        )
        for number, answer in enumerate(gate_answers, 1)
    ]


GOOD = (
    *answers(SlowedSide.SAME, 1.0, quiet=20, failed=1),
    *answers(SlowedSide.SLOWED, 10.0, alarms=5),
    *answers(SlowedSide.SLOWED, 1.5, alarms=5),
    *answers(SlowedSide.SPED, 10.0, quiet=5),
)


def build_document(gate_answers=GOOD, subjects=(PARSE,), skipped=(), **plan):
    qualification = judge_gate(
        subjects, GatePlan(factors=(1.5, 10.0), **plan), gate_answers, skipped
    )
    return build_qualify_document(qualification, "./gate.sh '{base}'", CONTEXT)


def text(document):
    console = Console(width=160)
    with console.capture() as captured:
        console.print(terminal.build_table(document))
    return captured.get()


def test_a_gate_that_works_is_told_with_what_it_sees():
    output = text(build_document())

    assert "This gate works: it sees a.Parse from 1.5x on; 0 false alarms in 20 runs." in output
    assert "A run takes 3\N{NO-BREAK SPACE}s." in output
    assert "0 of 20 (1 no answer)" in output
    assert "5 of 5" in output
    assert "55\N{NO-BREAK SPACE}% to 100\N{NO-BREAK SPACE}%" in output
    assert "a.Parse takes 2\N{NO-BREAK SPACE}µs, called by 1 benchmark" in output


def test_a_flaw_comes_first_with_its_evidence():
    dead = build_document(
        (*answers(SlowedSide.SAME, 1.0, quiet=5), *answers(SlowedSide.SLOWED, 10.0, quiet=5))
    )
    output = text(dead)

    assert "This gate is dead." in output
    assert "dead: it fired at none of 5 slowdowns" in output


def test_too_few_answers_are_no_verdict():
    assert format_headline(build_document(answers(SlowedSide.SLOWED, 10.0, alarms=2))).startswith(
        "Cannot tell"
    )


def test_what_was_not_shown_and_what_cannot_be_slowed_is_said():
    small = GateCase(side=SlowedSide.SLOWED, method="a.Parse", factor=1.5)
    output = text(
        build_document(
            answers(SlowedSide.SLOWED, 10.0, quiet=5), (PARSE, NATIVE, UNSEEN), skipped=[small]
        )
    )

    assert "not shown" in output
    assert "larger ones are not seen" in output
    assert "a.Native cannot be slowed: it has no body" in output
    assert "a.Print|<b>: no benchmark calls it" in output


def test_markdown_has_names_in_code_spans():
    gate_answers = (*GOOD, *answers(SlowedSide.SLOWED, 10.0, quiet=5, method="a.Print|<b>"))
    markdown = render_markdown(build_document(gate_answers, (PARSE, UNSEEN)))

    assert "`./gate.sh '{base}'`" in markdown
    assert (
        "| head slower, `a.Parse` | 10 | 10.30 | 5 of 5 | 100_% | 55_% to 100_% |".replace(
            "_", "\N{NO-BREAK SPACE}"
        )
        in markdown
    )
    assert "* **blind**: " in markdown
    assert "<b>" not in re.sub("`[^`]*`", "", markdown)


@pytest.mark.parametrize(
    ("plan", "code", "message"),
    [
        ({}, Exit.OK, []),
        ({"must_see": 1.5}, Exit.OK, ["gate passed: 1.5x is seen more often than not"]),
        (
            {"most_false_alarms": 0.05},
            Exit.NO_VERDICT,
            [
                "gate undecided: at most 5\N{NO-BREAK SPACE}% false alarms: 0 of 20 times: "
                "between 0.0\N{NO-BREAK SPACE}% and 13.9\N{NO-BREAK SPACE}%"
            ],
        ),
        ({"most_false_alarms": 0.2}, Exit.OK, ["gate passed"]),
    ],
)
def test_the_exit_code_follows_what_is_asked(plan, code, message):
    exit_code, lines = terminal.judge_gate(build_document(**plan))

    assert exit_code is code
    assert len(lines) == len(message)
    assert all(line.startswith(start) for line, start in zip(lines, message, strict=True))


def test_an_answer_in_a_line():
    (late,) = answers(SlowedSide.SLOWED, 10.0, alarms=1, turn=3)

    assert terminal.format_answer_line(late, 7) == (
        "a.Parse 10x, head slower: alarm at run 3 (3\N{NO-BREAK SPACE}s; about 7 more)"
    )
    (same,) = answers(SlowedSide.SAME, 1.0, quiet=1)
    assert (
        terminal.format_answer_line(same, 0) == "alike: quiet (3\N{NO-BREAK SPACE}s; about 0 more)"
    )


def test_a_gate_that_answered_for_no_pair_has_no_verdict():
    unanswered = build_document(gate_answers=answers(SlowedSide.SAME, 1.0, failed=2))

    assert terminal.judge_gate(unanswered) == (
        Exit.NO_VERDICT,
        ["no verdict: the gate answered for no pair of checkouts"],
    )
