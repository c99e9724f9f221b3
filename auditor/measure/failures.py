"""What a process that gave no measurement means for a pair or a benchmark, in one line."""

from collections.abc import Sequence

from auditor.core.outcome import (
    Counted,
    Crashed,
    Exhausted,
    Measured,
    NeverCalled,
    NotBuilt,
    Outcome,
    Profiled,
    Skipped,
    TimedOut,
    Traced,
    Unreadable,
)
from auditor.core.plan import Run
from auditor.core.result import Verdict

_PRECEDENCE = (Verdict.INVALID, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.INCONCLUSIVE)
"""Which failure names a pair that has several: the one that says most about the mutant."""


def failure(runs: Sequence[Run]) -> tuple[Verdict, str] | None:
    """Return the outcome and its reason if one of the runs of a pair failed, else None."""
    failed = [found for run in runs if (found := _failure(run.outcome)) is not None]
    return min(failed, key=lambda found: _PRECEDENCE.index(found[0]), default=None)


def _failure(outcome: Outcome) -> tuple[Verdict, str] | None:
    if isinstance(outcome, Measured):
        return None
    result = {NotBuilt: Verdict.INVALID, Crashed: Verdict.CRASHED, TimedOut: Verdict.TIMED_OUT}
    return result.get(type(outcome), Verdict.INCONCLUSIVE), reason(outcome)


def reason(outcome: Outcome) -> str:
    """Say why there is no measurement; empty for an outcome that is one."""
    what, tail = _described(outcome)
    return f"{what}: {tail}" if tail else what


_WITHOUT_VALUES = {
    Counted: "a counting process was taken for a measuring one",
    Traced: "the tests of a client were taken for a benchmark",
    Profiled: "a profiled process was taken for a measuring one",
    NeverCalled: "ran without ever calling the slowed method",
}


def _described(outcome: Outcome) -> tuple[str, str]:
    said = ("", "")
    match outcome:
        case NotBuilt(message):
            said = message, ""
        case Crashed(code, tail):
            said = (f"ended by signal {-code}" if code < 0 else f"exit code {code}"), tail
        case TimedOut(seconds, tail):
            said = f"ended by the watchdog after {seconds:.0f} s", tail
        case Unreadable() | Exhausted():
            said = outcome.reason, outcome.tail
        case Skipped(why):
            said = f"the benchmark chose not to run: {why}", ""
        case Counted() | Traced() | Profiled() | NeverCalled():
            said = _WITHOUT_VALUES[type(outcome)], ""
        case Measured():
            pass
    return said


def line(text: str) -> str:
    """Return a compiler's first complaint, not a long one; above it Go names the package."""
    found = next(
        (splitline for splitline in text.splitlines() if splitline[:1] not in ("", "#")), ""
    )
    return f"{found[:159]}…" if len(found) > 160 else found
