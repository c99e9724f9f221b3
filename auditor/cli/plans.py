"""What a command would measure, on a terminal and as JSON."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli.tables import lineless, lines, section
from auditor.core.units import duration
from reports import names, number_format

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.measure.planning.preview import CountedMethod, Inventory, Preview

MOST_ROWS = 10
"""Places and methods that are named."""

_MOST_LINES = 2
"""Lines of a reason that are shown: how a process ended, and what it said first."""

DONE_FOR_IT = (
    "Nothing was measured; a suite that was not known yet was built and listed (Go: each "
    "benchmark ran once, for one operation)."
)
"""What a dry run does all the same."""


def plan(dry: "Preview", judged: str = "") -> RenderableType:
    """Return what would be measured, and below it how it would be judged."""
    table = lineless("phase", ">processes", ">known", ">about")
    for phase in dry.phases:
        about = duration(phase.seconds) if phase.seconds else "nothing"
        table.add_row(Text(phase.name), str(phase.trials), str(phase.known or ""), about)
    whole = sum(phase.seconds for phase in dry.phases)
    left = f"{_capital(dry.expected.text)}." if whole else "Nothing is left to measure."
    worst = f"Without a budget at most about {duration(whole)}, if all goes as badly as it can."
    details = [Text(worst, style="dim")] if whole else []
    listed = dry.inventory
    return Group(
        Text(left, style="bold"),
        *lines([f"{_capital(hint)}." for hint in listed.hints]),
        table,
        *details,
        *lines([judged]),
        Text(DONE_FOR_IT, style="dim"),
        *section(_headed("Benchmarks", sum(n for _, n in listed.benchmarks)), [*_places(listed)]),
        *section(_headed("Methods", len(listed.methods)), _first(map(_method, listed.methods))),
        *section("Cannot be measured", _first(map(_unusable, listed.unusable))),
        *section("To know", [f"{caveat.text} [{caveat.slug}]" for caveat in dry.caveats]),
    )


def _headed(title: str, count: int) -> str:
    return f"{title} ({count})"


def _places(listed: "Inventory") -> Iterator[str]:
    """Yield the places with the most benchmarks; a place is a file, a package or a function."""
    for place, count in listed.benchmarks[:MOST_ROWS]:
        yield names.label(place) + (f": {count}" if count > 1 else "")
    rest = [count for _, count in listed.benchmarks[MOST_ROWS:]]
    if rest:
        yield f"and {sum(rest)} more" + (f" in {len(rest)} places" if max(rest) > 1 else "")


def _first(texts: Iterable[str]) -> list[str]:
    """Return the first texts, and how many more there are."""
    shown = [*texts]
    more = len(shown) - MOST_ROWS
    return [*shown[:MOST_ROWS], f"and {more} more"] if more > 0 else shown


def _method(method: "CountedMethod") -> str:
    calls = [] if method.calls is None else [number_format.count(method.calls, "call")]
    if method.benchmarks is not None:
        calls.append(f"called by {number_format.count(method.benchmarks, 'benchmark')}")
    return names.label(method.id) + (f": {', '.join(calls)}" if calls else "")


def _unusable(named: tuple[str, str]) -> str:
    name, reason = named
    cause = ": ".join(line.strip() for line in reason.splitlines()[:_MOST_LINES])
    return f"{names.label(name)}: {names.line(cause)[:400]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def plan_document(dry: "Preview", judged: str = "") -> dict[str, Any]:
    """Return what would be measured, as JSON."""
    listed = dry.inventory
    return {
        "schema": "bench-audit/plan/1",
        "judged": judged,
        "phases": [
            {
                "name": phase.name,
                "trials": phase.trials,
                "known": phase.known,
                "seconds": phase.seconds,
            }
            for phase in dry.phases
        ],
        "seconds": sum(phase.seconds for phase in dry.phases),
        "expected": {
            "low": dry.expected.low,
            "high": dry.expected.high,
            "budget": dry.expected.budget,
        },
        "benchmarks": dict(listed.benchmarks),
        "methods": [
            {"id": method.id, "calls": method.calls, "benchmarks": method.benchmarks}
            for method in listed.methods
        ],
        "unusable": dict(listed.unusable),
        "hints": listed.hints,
        "caveats": [{"slug": caveat.slug, "text": caveat.text} for caveat in dry.caveats],
    }
