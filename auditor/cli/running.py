"""Open what a command works on, with a log and progress, and show a dry run."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeVar

from auditor.cli import plans
from auditor.cli.console import Console
from auditor.cli.logs import logged
from auditor.cli.options import CommandLine
from auditor.cli.progress import observer
from auditor.config import Config, Places
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from auditor.core.ports import Observer

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.measure.planning.preview import Preview

Work = TypeVar("Work")
_LOG = logging.getLogger(__name__)


@contextmanager
def working(
    asked: CommandLine,
    door: Callable[[Config, Places, Mapping[str, str], Observer], AbstractContextManager[Work]],
) -> Iterator[tuple[Work, Console]]:
    """Open what a feature needs, with a log and progress."""
    opener = asked.surroundings.opener(door)
    console = Console(asked.surroundings.environment, quiet=asked.quiet)
    with (
        logged(asked.places.output, asked.verbose),
        observer(console, time.monotonic) as watching,
        opener(asked.config, asked.places, asked.surroundings.environment, watching) as work,
    ):
        _LOG.info("asked for %s in %s", asked.config.text, asked.places)
        if asked.config.ignored:
            watching.caveat(_ignored(asked.config.ignored))
        yield work, console


def _ignored(keys: Sequence[str]) -> Caveat:
    text = f"a research tool's configuration; what means nothing here: {', '.join(keys)}"
    return Caveat("ignored-keys", text)


def show_plan(console: Console, plan: "Preview", judged: str, *, as_json: bool) -> Exit:
    """Print what would be measured and how it would be judged; return the exit code."""
    if as_json:
        console.document(plans.plan_document(plan, judged))
    else:
        console.result(plans.plan(plan, judged))
    if plan.inventory.reason:
        console.say(f"no verdict: {plan.inventory.reason}")
        return Exit.NO_VERDICT
    return Exit.OK
