"""Open what a command works on, with a log and progress, and show a dry run."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from auditor.cli import plans
from auditor.cli.console import Console
from auditor.cli.logs import logged
from auditor.cli.options import Asked
from auditor.cli.progress import observer
from auditor.cli.surroundings import Audit, DryRun
from auditor.config import Config, Places
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from auditor.core.ports import Observer

Work = TypeVar("Work")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Opened:
    """An audit and the terminal."""

    audit: Audit
    console: Console


@contextmanager
def opened(asked: Asked) -> Iterator[Opened]:
    """Make the subject ready, with a log and progress."""
    with working(asked, asked.surroundings.open_audit) as (audit, console):
        yield Opened(audit, console)


@contextmanager
def working(
    asked: Asked,
    door: Callable[[Config, Places, Mapping[str, str], Observer], AbstractContextManager[Work]],
) -> Iterator[tuple[Work, Console]]:
    """Open one of the doors of the surroundings, with a log and progress."""
    console = Console(asked.surroundings.environment, quiet=asked.quiet)
    with (
        logged(asked.places.output, asked.verbose),
        observer(console, time.monotonic) as watching,
        door(asked.config, asked.places, asked.surroundings.environment, watching) as work,
    ):
        _LOG.info("asked for %s in %s", asked.config.text, asked.places)
        if asked.config.ignored:
            watching.caveat(_ignored(asked.config.ignored))
        yield work, console


def _ignored(keys: Sequence[str]) -> Caveat:
    text = f"a research tool's configuration; what means nothing here: {', '.join(keys)}"
    return Caveat("ignored-keys", text)


def dry_run(asked: Asked, ask: Callable[[Audit], DryRun], judged: str = "") -> Exit:
    """Say what would be measured, and how it would be judged."""
    with opened(asked) as open_:
        plan = ask(open_.audit)
    return show_plan(open_.console, plan, judged, as_json=asked.as_json)


def show_plan(console: Console, plan: DryRun, judged: str, *, as_json: bool) -> Exit:
    """Print what would be measured and how it would be judged; return the exit code."""
    if as_json:
        console.document(plans.plan_document(plan, judged))
    else:
        console.result(plans.plan(plan, judged))
    if plan.inventory.reason:
        console.say(f"no verdict: {plan.inventory.reason}")
        return Exit.NO_VERDICT
    return Exit.OK
