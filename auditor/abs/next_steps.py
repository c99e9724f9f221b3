"""The most valuable next steps after an audit, each as a command that can be pasted."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from auditor.abs.document import Document
from auditor.abs.model import MethodVerdict
from auditor.abs.text.advice import list_advice
from auditor.core.result import Verdict
from reports import number_format

MOST_STEPS = 3


STUBS = "new-benchmarks"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditCall:
    """How the audit was called, and where its results are."""

    subject: str
    """The configuration or subject, as it was written."""
    arguments: Sequence[str]
    """All words of the command line."""
    store: Path | None
    """The store where it is not the default one, else None."""
    result: Path
    """The file of the result."""
    options: Sequence[str] = ()
    """Options that say how the subject is read: --harness, --untrusted."""
    may_have_gate: bool = False
    """Whether a gate on the score is possible, and none was asked for."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """A command, and what it is good for."""

    reason: str
    command: str


def next_steps(document: Document, call: AuditCall) -> tuple[NextStep, ...]:
    """Return at most three steps, the most valuable first."""
    return tuple(islice(_list_steps(document, call), MOST_STEPS))


def _list_steps(document: Document, call: AuditCall) -> Iterator[NextStep]:
    advice = {step.slug for step in list_advice(document)}
    outcomes = [method.outcome for method in document.methods]
    store = ("--store", str(call.store)) if call.store else ()
    if uncalled := sum(map(_can_have_stub, document.methods)):
        yield _make_step(
            f"begin benchmarks for {number_format.format_count(uncalled, 'method')} that none "
            "calls",
            *("trace", call.subject, "--stubs", STUBS, *call.options, *store),
        )
    if missed := outcomes.count(Verdict.MISSED):
        yield _make_step(
            "look for faults in the benchmarks that miss "
            f"{number_format.format_count(missed, 'method')}",
            *("lint", call.subject, "--result", str(call.result)),
        )
    if "unstable" in advice:
        yield _make_step(
            "see how steady this machine is, as some benchmarks vary", "doctor", "--probe"
        )
    if "redundant" in advice:
        yield _make_step(
            "see which benchmarks can go without a loss", "select", call.subject, "--remove", *store
        )
    bounds = document.scores.total.bounds
    if call.may_have_gate and bounds is not None and bounds[0] >= 1:
        yield _make_step(
            "fail in CI where the score falls", *call.arguments, f"--fail-under={int(bounds[0])}%"
        )


def _can_have_stub(method: MethodVerdict) -> bool:
    """Tell whether `trace --stubs` begins a benchmark for a method that none calls."""
    is_uncalled = method.outcome is Verdict.UNREACHED
    return is_uncalled and method.trivial is None and not method.generic


def _make_step(reason: str, *words: str) -> NextStep:
    return NextStep(reason, shlex.join(("bench-audit", *words)))
