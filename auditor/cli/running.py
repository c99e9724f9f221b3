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
def open_work(
    command_line: CommandLine,
    door: Callable[[Config, Places, Mapping[str, str], Observer], AbstractContextManager[Work]],
) -> Iterator[tuple[Work, Console]]:
    """Open what a feature needs, with a log and progress."""
    opener = command_line.surroundings.opener(door)
    console = Console(command_line.surroundings.environment, quiet=command_line.quiet)
    with (
        logged(command_line.places.output, command_line.verbose),
        observer(console, time.monotonic) as watching,
        opener(
            command_line.config,
            command_line.places,
            command_line.surroundings.environment,
            watching,
        ) as work,
    ):
        _LOG.info("asked for %s in %s", command_line.config.text, command_line.places)
        if command_line.config.ignored:
            watching.caveat(_ignored(command_line.config.ignored))
        yield work, console


def _ignored(keys: Sequence[str]) -> Caveat:
    text = f"keys of the research tool's configuration that bench-audit ignores: {', '.join(keys)}"
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
