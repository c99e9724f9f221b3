"""What the measuring commands have in common: open, ask, show, keep."""

import logging
import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from auditor.cli import output, plans, tables
from auditor.cli.console import Console
from auditor.cli.logs import logged
from auditor.cli.options import Asked
from auditor.cli.progress import observer
from auditor.config import Config, Places
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit
from auditor.core.ports import Observer
from reports import document as documents
from reports.document import Either

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.abs.assemble import Audit
    from auditor.studies.preview import Preview

Work = TypeVar("Work")
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Files:
    """Where a command leaves its result and its report, in the output folder."""

    result: str
    report: str


ABS = Files("result.json", "report.html")
STABILITY = Files("stability.json", "stability.html")
MEASURED = Files("measured.json", "measured.html")
JUDGED = Files("judged.json", "judged.html")
BY_COMMAND = {"abs": ABS, "stability": STABILITY, "measure": MEASURED}


@dataclass(frozen=True, slots=True)
class Opened:
    """An audit and the terminal."""

    audit: "Audit"
    console: Console


@contextmanager
def opened(asked: Asked) -> Iterator[Opened]:
    """Make the subject ready, with a log and progress."""
    from auditor.abs.assemble import open_audit  # noqa: PLC0415 numpy and scipy come with it

    with working(asked, open_audit) as (audit, console):
        yield Opened(audit, console)


@contextmanager
def working(
    asked: Asked,
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


def make(asked: Asked, answer: "Callable[[Audit], Either]", files: Files) -> tuple[Either, Console]:
    """Return the document that `answer` makes, once it and its report are written."""
    with opened(asked) as open_:
        document = answer(open_.audit)
        keep(asked, files, document, open_.audit.page)
    return document, open_.console


def keep(asked: Asked, files: Files, document: Either, page: Callable[[Either], str]) -> None:
    """Write the result, then its report; neither where one of them cannot be made."""
    keep_in(asked.places.output, files, document, page)


def keep_in(folder: Path, files: Files, document: Either, page: Callable[[Either], str]) -> None:
    """Write what `keep` writes into a folder."""
    report = page(document)  # first, as the text of a large result is much larger
    output.write(folder / files.result, documents.pieces(document))
    output.write(folder / files.report, report)


def show(asked: Asked, console: Console, document: Either, files: Files) -> None:
    """Print a result, and where its files are."""
    show_in(asked.places.output, files, document, console, as_json=asked.as_json)
    if any(caveat.slug == "budget" for caveat in document.caveats):
        console.note(f"go on: bench-audit {shlex.join(asked.surroundings.arguments)}")


def show_in(
    folder: Path, files: Files, document: Either, console: Console, *, as_json: bool
) -> None:
    """Print what `show` prints of a folder."""
    if as_json:
        console.document(document)
    else:
        console.result(tables.result(document))
    console.note(f"\nreport: {folder / files.report}")
    console.note(f"result: {folder / files.result}")


def dry_run(asked: Asked, ask: "Callable[[Audit], Preview]", judged: str = "") -> Exit:
    """Say what would be measured, and how it would be judged."""
    with opened(asked) as open_:
        plan = ask(open_.audit)
    return show_plan(open_.console, plan, judged, as_json=asked.as_json)


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
