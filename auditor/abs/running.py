"""Ask for a result of `abs`, `stability` or `measure`, write it and show it."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.abs import terminal
from auditor.abs.document import AbsOrStability
from auditor.cli import output
from auditor.cli.console import Console
from auditor.cli.options import CommandLine
from auditor.cli.running import open_work, show_plan
from auditor.core.errors import Exit
from reports import results

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.abs.assemble import Audit
    from auditor.measure.planning.preview import Preview


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
def opened(asked: CommandLine) -> Iterator[Opened]:
    """Make the subject ready, with a log and progress."""
    from auditor.abs.assemble import open_audit  # noqa: PLC0415 numpy and scipy come with it

    with open_work(asked, open_audit) as (audit, console):
        yield Opened(audit, console)


def make(
    asked: CommandLine, answer: "Callable[[Audit], AbsOrStability]", files: Files
) -> tuple[AbsOrStability, Console]:
    """Return the document that `answer` makes, once it and its report are written."""
    with opened(asked) as open_:
        document = answer(open_.audit)
        keep(asked, files, document, open_.audit.page)
    return document, open_.console


def keep(
    asked: CommandLine,
    files: Files,
    document: AbsOrStability,
    page: Callable[[AbsOrStability], str],
) -> None:
    """Write the result, then its report; neither where one of them cannot be made."""
    keep_in(asked.places.output, files, document, page)


def keep_in(
    folder: Path, files: Files, document: AbsOrStability, page: Callable[[AbsOrStability], str]
) -> None:
    """Write what `keep` writes into a folder."""
    report = page(document)  # first, as the text of a large result is much larger
    output.write(folder / files.result, results.pieces(document))
    output.write(folder / files.report, report)


def show(asked: CommandLine, console: Console, document: AbsOrStability, files: Files) -> None:
    """Print a result, and where its files are."""
    show_in(asked.places.output, files, document, console, as_json=asked.as_json)
    if any(caveat.slug == "budget" for caveat in document.caveats):
        console.note(f"go on: bench-audit {shlex.join(asked.surroundings.arguments)}")


def show_in(
    folder: Path, files: Files, document: AbsOrStability, console: Console, *, as_json: bool
) -> None:
    """Print what `show` prints of a folder."""
    if as_json:
        console.document(document)
    else:
        console.result(terminal.result(document))
    console.note(f"\nreport: {folder / files.report}")
    console.note(f"result: {folder / files.result}")


def dry_run(asked: CommandLine, ask: "Callable[[Audit], Preview]", judged: str = "") -> Exit:
    """Say what would be measured, and how it would be judged."""
    with opened(asked) as open_:
        plan = ask(open_.audit)
    return show_plan(open_.console, plan, judged, as_json=asked.as_json)
