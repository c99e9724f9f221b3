"""What a run says of a smell that the sources show."""

import re
from collections.abc import Iterator, Sequence

from auditor.core.smells import Proof, Seen, Smell, Timed

CLEARLY = 1.25
"""How much more time calls must need alone than there is: both are measured, with noise."""
SHORT_SECONDS = 1e-3
"""Where set-up for each invocation is right by JMH's documentation of `Level.Invocation`."""
EMPTY_SECONDS = 5e-10
"""What an operation takes at most of which nothing is left but the loop around it.

A turn of an empty loop is one cycle, and no processor that benchmarks run on needs longer for one.
"""
_INVOCATION = "jmh-invocation-setup"
_BESIDE_NAMES = re.compile(r"\(.*|\[[^\]]*\]")
"""Types of parameters and type arguments."""


def proof(smell: Smell, measured: Sequence[Timed]) -> Proof | None:
    """Return whether a run bears a smell out, None where it does not tell.

    Calls whose results nobody uses were removed where they take longer alone than the operation
    that makes them; a slowdown that is noticed proves nothing, since what slows them down keeps
    them from being removed.
    """
    mine = list(_measured(smell.benchmark, measured))
    if not mine:
        return None
    if smell.rule == _INVOCATION:
        return _short(mine)
    return _removed(smell, mine) if smell.calls else None


def _measured(name: str, measured: Sequence[Timed]) -> Iterator[Timed]:
    """Yield what was measured of a benchmark; nothing where several are called so."""
    pattern = re.compile(rf"(?:^|[./:]){re.escape(name)}(?=$|[^\w.])")
    found = [(match, one) for one in measured if (match := pattern.search(one.benchmark))]
    if name and len({one.benchmark[: match.start()] for match, one in found}) == 1:
        yield from (one for _, one in found)


def _short(measured: Sequence[Timed]) -> Proof:
    shortest = min(one.seconds for one in measured)
    text = f"an invocation takes {shortest:.3g} s"
    return Proof(Seen.CONFIRMED if shortest < SHORT_SECONDS else Seen.REFUTED, text)


def _removed(smell: Smell, measured: Sequence[Timed]) -> Proof | None:
    shortest = min(measured, key=lambda one: one.seconds)
    if shortest.seconds < EMPTY_SECONDS:
        text = f"an operation of {shortest.benchmark} takes {shortest.seconds:.3g} s: an empty loop"
        return Proof(Seen.CONFIRMED, text)
    needs = [(_needed(smell, one), one) for one in measured]
    for needed, one in needs:
        if needed > CLEARLY * one.seconds:
            text = (
                f"the calls of {', '.join(smell.calls)} take {needed:.3g} s alone, an operation "
                f"of {one.benchmark} takes {one.seconds:.3g} s"
            )
            return Proof(Seen.CONFIRMED, text)
    if all(0 < needed <= one.seconds for needed, one in needs):
        text = f"operations take as long as their calls of {', '.join(smell.calls)} need, or longer"
        return Proof(Seen.REFUTED, text)
    return None


def _needed(smell: Smell, one: Timed) -> float:
    """Return the seconds that the calls of an operation take alone."""
    return sum(
        call.per_operation * call.seconds
        for call in one.calls
        if _BESIDE_NAMES.sub("", call.method).rpartition(".")[2] in smell.calls
    )
