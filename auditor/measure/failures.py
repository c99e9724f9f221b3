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


def find_failure(runs: Sequence[Run]) -> tuple[Verdict, str] | None:
    """Return the outcome and its reason if one of the runs of a pair failed, else None."""
    failed = [
        failed_verdict
        for run in runs
        if (failed_verdict := _judge_outcome(run.outcome)) is not None
    ]
    return min(
        failed, key=lambda failed_verdict: _PRECEDENCE.index(failed_verdict[0]), default=None
    )


def _judge_outcome(outcome: Outcome) -> tuple[Verdict, str] | None:
    if isinstance(outcome, Measured):
        return None
    result = {NotBuilt: Verdict.INVALID, Crashed: Verdict.CRASHED, TimedOut: Verdict.TIMED_OUT}
    return result.get(type(outcome), Verdict.INCONCLUSIVE), describe_failure(outcome)


def describe_failure(outcome: Outcome) -> str:
    """Say why there is no measurement; empty for an outcome that is one."""
    message, tail = _describe_outcome(outcome)
    return f"{message}: {tail}" if tail else message


_WITHOUT_VALUES = {
    Counted: "a counting process was taken for a measuring one",
    Traced: "the tests of a client were taken for a benchmark",
    Profiled: "a profiled process was taken for a measuring one",
    NeverCalled: "ran without ever calling the slowed method",
}


def _describe_outcome(outcome: Outcome) -> tuple[str, str]:
    description = ("", "")
    match outcome:
        case NotBuilt(message):
            description = message, ""
        case Crashed(code, tail):
            description = (f"ended by signal {-code}" if code < 0 else f"exit code {code}"), tail
        case TimedOut(seconds, tail):
            description = f"ended by the watchdog after {seconds:.0f} s", tail
        case Unreadable() | Exhausted():
            description = outcome.reason, outcome.tail
        case Skipped(skip_reason):
            description = f"the benchmark chose not to run: {skip_reason}", ""
        case Counted() | Traced() | Profiled() | NeverCalled():
            description = _WITHOUT_VALUES[type(outcome)], ""
        case Measured():
            pass
    return description


def extract_complaint(text: str) -> str:
    """Return a compiler's first complaint, not a long one; above it Go names the package."""
    complaint = next(
        (splitline for splitline in text.splitlines() if splitline[:1] not in ("", "#")), ""
    )
    return f"{complaint[:159]}…" if len(complaint) > 160 else complaint
