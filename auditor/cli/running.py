"""Open what a command works on, with a log and progress, and show a dry run."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, TypeVar

from auditor.cli import plans
from auditor.cli.console import Console
from auditor.cli.logs import log_to_folder
from auditor.cli.options import CommandLine
from auditor.cli.progress import open_observer
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
        console.print_document(plans.build_plan_document(plan, rule_text))
    else:
        console.print_result(plans.render_plan(plan, rule_text))
    if plan.inventory.reason:
        console.print_message(f"no verdict: {plan.inventory.reason}")
        return Exit.NO_VERDICT
    return Exit.OK
