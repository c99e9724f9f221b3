"""What a run says of a smell that the sources show."""

import re
from collections.abc import Iterator, Sequence

from auditor.core.contracts.lint import EvidenceState, LintEvidence, Smell, TimedBenchmark

CLEARLY = 1.25
"""How much more time calls must need alone than there is: both are measured, with noise. What calls
need and what there is are equal, where they differ by no more than that."""
SHORT_SECONDS = 1e-3
"""Where set-up for each invocation is right by JMH's documentation of `Level.Invocation`."""
EMPTY_SECONDS = 5e-10
"""What an operation takes at most of which nothing is left but the loop around it.

A turn of an empty loop is one cycle. Where a processor is so slow, or shared, that it needs longer
for one, nothing is told.
"""
_INVOCATION = "jmh-invocation-setup"
_BESIDE_NAMES = re.compile(r"\(.*|\[[^\]]*\]")
"""Types of parameters and type arguments."""


def find_evidence(smell: Smell, benchmarks: Sequence[TimedBenchmark]) -> LintEvidence | None:
    """Return whether a run bears a smell out, None where it does not tell.

    Calls whose results nobody uses were removed where they take longer alone than the operation
    that makes them; a slowdown that is detected proves nothing, since what slows them down keeps
    them from being removed.
    """
    timings = list(_timing_of(smell.benchmark, benchmarks))
    if not timings or smell.overlapping:
        return None
    if smell.rule == _INVOCATION:
        return _check_short_invocation(timings)
    return None if smell.calls is None else _check_removed_calls(timings, smell.calls)


def _timing_of(name: str, benchmarks: Sequence[TimedBenchmark]) -> Iterator[TimedBenchmark]:
    """Yield what was measured of a benchmark; nothing where several are called so."""
    pattern = re.compile(rf"(?:^|[./:]){re.escape(name)}(?=$|[^\w.])")
    matches = [
        (match, timing) for timing in benchmarks if (match := pattern.search(timing.benchmark))
    ]
    if name and len({timing.benchmark[: match.start()] for match, timing in matches}) == 1:
        yield from (timing for _, timing in matches)


def _check_short_invocation(benchmarks: Sequence[TimedBenchmark]) -> LintEvidence:
    shortest = min(timing.seconds for timing in benchmarks)
    text = f"an invocation takes {shortest:.3g} s"
    return LintEvidence(
        EvidenceState.CONFIRMED if shortest < SHORT_SECONDS else EvidenceState.REFUTED, text
    )


def _check_removed_calls(
    benchmarks: Sequence[TimedBenchmark], calls: Sequence[str]
) -> LintEvidence | None:
    shortest = min(benchmarks, key=lambda benchmark: benchmark.seconds)
    if shortest.seconds < EMPTY_SECONDS:
        text = f"an operation of {shortest.benchmark} takes {shortest.seconds:.3g} s: an empty loop"
        return LintEvidence(EvidenceState.CONFIRMED, text)
    needs = [(_sum_call_seconds(calls, benchmark), benchmark) for benchmark in benchmarks]
    for needed, timing in needs:
        if needed > CLEARLY * timing.seconds:
            text = (
                f"the calls of {', '.join(calls)} take {needed:.3g} s alone, an operation "
                f"of {timing.benchmark} takes {timing.seconds:.3g} s"
            )
            return LintEvidence(EvidenceState.CONFIRMED, text)
    # Where an operation takes longer, other work may take the time.
    if all(benchmark.seconds / CLEARLY <= needed for needed, benchmark in needs):
        text = f"operations take as long as their calls of {', '.join(calls)} need"
        return LintEvidence(EvidenceState.REFUTED, text)
    return None


def _sum_call_seconds(calls: Sequence[str], timing: TimedBenchmark) -> float:
    """Return the seconds that the calls of an operation take alone, 0 where it is not known whose.

    Of two methods with the name of a call nobody knows which one is called.
    """
    named = [[call for call in timing.calls if _matches_name(call.method, name)] for name in calls]
    if any(len(rates) != 1 for rates in named):
        return 0.0
    return sum(rates[0].per_operation * rates[0].seconds for rates in named)


def _matches_name(method: str, name: str) -> bool:
    bare_name = _BESIDE_NAMES.sub("", method)
    return bare_name == name or bare_name.endswith((f".{name}", f"/{name}"))
