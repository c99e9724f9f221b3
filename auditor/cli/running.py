"""Open what a command works on, with a log and progress, and show a dry run."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli.console import Console
from auditor.cli.logs import log_to_folder
from auditor.cli.options import CommandLine
from auditor.cli.progress import open_observer
from auditor.cli.tables import (
    build_caveat_section,
    build_section,
    make_borderless_table,
    make_paragraphs,
)
from auditor.config import Config, Places
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from auditor.core.ports import Observer
from auditor.core.units import format_duration
from reports import names, number_format

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.measure.planning.preview import CountedMethod, Inventory, Preview


MOST_ROWS = 10
"""Places and methods that are named."""

_MOST_LINES = 2
"""Lines of a reason that are shown: how a process ended, and what it said first."""

DRY_RUN_NOTE = "Nothing was measured; a suite that was not known yet was built and listed."
"""What a dry run does all the same."""

Work = TypeVar("Work")
_LOG = logging.getLogger(__name__)


@contextmanager
def open_work(
    command_line: CommandLine,
    open_feature: Callable[
        [Config, Places, Mapping[str, str], Observer], AbstractContextManager[Work]
    ],
) -> Iterator[tuple[Work, Console]]:
    """Open what a feature needs, with a log and progress."""
    opener = command_line.surroundings.find_opener(open_feature)
    console = Console(command_line.surroundings.environment, quiet=command_line.quiet)
    with (
        log_to_folder(command_line.places.output, command_line.verbose),
        open_observer(console, time.monotonic) as progress_observer,
        opener(
            command_line.config,
            command_line.places,
            command_line.surroundings.environment,
            progress_observer,
        ) as work,
    ):
        _LOG.info("asked for %s in %s", command_line.config.text, command_line.places)
        if command_line.config.ignored:
            progress_observer.report_caveat(_warn_of_ignored_keys(command_line.config.ignored))
        yield work, console


def _warn_of_ignored_keys(keys: Sequence[str]) -> Caveat:
    text = f"keys of the research tool's configuration that bench-audit ignores: {', '.join(keys)}"
    return Caveat("ignored-keys", text)


def show_plan(console: Console, plan: "Preview", rule_text: str, *, as_json: bool) -> Exit:
    """Print what would be measured and how it would be judged; return the exit code."""
    if as_json:
        console.print_document(_build_plan_document(plan, rule_text))
    else:
        console.print_result(_render_plan(plan, rule_text))
    if plan.inventory.reason:
        console.print_message(f"no verdict: {plan.inventory.reason}")
        return Exit.NO_VERDICT
    return Exit.OK


def _render_plan(preview: "Preview", rule_text: str = "") -> RenderableType:
    """Return what would be measured, and below it how it would be judged."""
    table = make_borderless_table("phase", ">processes", ">known", ">about")
    for phase in preview.phases:
        estimate = format_duration(phase.seconds) if phase.seconds else "nothing"
        table.add_row(Text(phase.name), str(phase.trials), str(phase.stored_count or ""), estimate)
    total = sum(phase.seconds for phase in preview.phases)
    first_sentence = (
        f"{_capitalise_first(preview.expected.range_text)}."
        if total
        else "Nothing is left to measure."
    )
    # The phases leave out what the expected time holds besides processes.
    most = format_duration(max(total, preview.expected.high))
    worst_case = f"Without a budget at most about {most}, if all goes as badly as it can."
    details = [Text(worst_case, style="dim")] if total else []
    inventory = preview.inventory
    return Group(
        Text(first_sentence, style="bold"),
        *make_paragraphs([f"{_capitalise_first(hint)}." for hint in inventory.hints]),
        table,
        *details,
        *make_paragraphs([rule_text]),
        Text(DRY_RUN_NOTE, style="dim"),
        *build_section(
            _format_title("Benchmarks", sum(n for _, n in inventory.benchmarks)),
            [*_list_places(inventory)],
        ),
        *build_section(
            _format_title("Methods", len(inventory.methods)),
            _take_first_rows(map(_describe_method, inventory.methods)),
        ),
        *build_section(
            "Cannot be measured", _take_first_rows(map(_describe_unusable, inventory.unusable))
        ),
        *build_caveat_section(preview.caveats),
    )


def _format_title(title: str, count: int) -> str:
    return f"{title} ({count})"


def _list_places(inventory: "Inventory") -> Iterator[str]:
    """Yield the places with the most benchmarks; a place is a file, a package or a function."""
    for place, count in inventory.benchmarks[:MOST_ROWS]:
        yield names.format_label(place) + (f": {count}" if count > 1 else "")
    rest_counts = [count for _, count in inventory.benchmarks[MOST_ROWS:]]
    if rest_counts:
        yield f"and {sum(rest_counts)} more" + (
            f" in {len(rest_counts)} places" if max(rest_counts) > 1 else ""
        )


def _take_first_rows(texts: Iterable[str]) -> list[str]:
    """Return the first texts, and how many more there are."""
    rows = [*texts]
    extra_count = len(rows) - MOST_ROWS
    return [*rows[:MOST_ROWS], f"and {extra_count} more"] if extra_count > 0 else rows


def _describe_method(method: "CountedMethod") -> str:
    calls = [] if method.calls is None else [number_format.format_count(method.calls, "call")]
    if method.benchmarks is not None:
        calls.append(f"called by {number_format.format_count(method.benchmarks, 'benchmark')}")
    return names.format_label(method.id) + (f": {', '.join(calls)}" if calls else "")


def _describe_unusable(named_reason: tuple[str, str]) -> str:
    name, reason = named_reason
    cause = ": ".join(line.strip() for line in reason.splitlines()[:_MOST_LINES])
    return f"{names.format_label(name)}: {names.escape_line(cause)[:400]}"


def _capitalise_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _build_plan_document(preview: "Preview", rule_text: str = "") -> dict[str, Any]:
    """Return what would be measured, as JSON."""
    inventory = preview.inventory
    return {
        "schema": "bench-audit/plan/1",
        "judged": rule_text,
        "phases": [
            {
                "name": phase.name,
                "trials": phase.trials,
                "known": phase.stored_count,
                "seconds": phase.seconds,
            }
            for phase in preview.phases
        ],
        "seconds": sum(phase.seconds for phase in preview.phases),
        "expected": {
            "low": preview.expected.low,
            "high": preview.expected.high,
            "budget": preview.expected.budget,
        },
        "benchmarks": dict(inventory.benchmarks),
        "methods": [
            {"id": method.id, "calls": method.calls, "benchmarks": method.benchmarks}
            for method in inventory.methods
        ],
        "unusable": dict(inventory.unusable),
        "hints": inventory.hints,
        "caveats": [{"slug": caveat.slug, "text": caveat.text} for caveat in preview.caveats],
    }
