"""Commands that judge series: what they are asked, where the series come from, how they answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import RenderableType

from auditor.cli import options, output, running
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.options import CommandLine
from auditor.cli.outputs import deliver, output_options
from auditor.cli.progress import progress_bar
from auditor.core.errors import Exit, UsageError
from auditor.core.files.paths import is_dir
from auditor.core.provenance import Context
from auditor.core.series.stored import StoredResults
from auditor.series import source
from auditor.series.question import StoredQuestion, Told, circumstances, folder_of
from reports import results

INPUTS = click.argument("files", metavar="INPUT...", nargs=-1, required=True)
OPTIONS = (
    click.option("--run", "is_suite", is_flag=True, help="INPUT, a folder, is a suite: run it."),
    click.option("--commit", metavar="COMMIT", help="Of stored results; else the newest one."),
    click.option("--iterations", type=int, help="Of a process of a suite that is run (3000)."),
    click.option("--iteration-time", metavar="DURATION", help="How long each lasts (10ms)."),
    click.option("--forks", type=int, help="Processes of each of its benchmarks."),
    *options.WHAT[1:],
    options.RETRY_FAILED,
    options.STORE,
    *output_options(".json", ".html"),
    *options.SHOWN,
    options.DRY_RUN,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesCommand:
    """What a command does with series of iteration times."""

    verb: str
    """The command, which also names its files."""
    own: tuple[str, ...] = ()
    """Its own options, as words."""
    doing: str
    """What it does, for the progress display."""
    forks: int
    """Processes of a benchmark that it needs, where a suite is run."""
    least: int
    """Iterations of a process that it needs, where a suite is run."""
    judged: Callable[[StoredResults, Callable[[], Context], Told], Any] = field(repr=False)
    """Makes the document."""
    table: Callable[[Any], RenderableType] = field(repr=False)
    """Makes the terminal's table of a document."""
    page: Callable[[Any, StoredResults], str] = field(repr=False)
    """Makes the report of a document."""
    is_judged: Callable[[Any], bool] = field(repr=False)
    """Whether something of a document was judged; else the exit code is 5."""


def run_series_command(
    context: click.Context, given: Mapping[str, Any], answer: SeriesCommand
) -> Exit:
    """Run or read, judge, write the files and print."""
    suite = source.suite(given["files"], is_suite=given["is_suite"])
    if suite is not None:
        return _run(context, suite, answer)
    files = tuple(map(Path, given["files"]))
    source.refuse_what_is_of_suites(given, files[0])
    surroundings = context.find_object(AppContext) or AppContext.real()
    console = Console(surroundings.environment, quiet=given["quiet"])
    question = StoredQuestion(
        verb=answer.verb, paths=files, more=answer.own, commit=given["commit"]
    )
    found = source.stored_suite(files, given["commit"]) or _read(question)
    started = circumstances(question, found)
    with progress_bar(console, answer.doing) as tell:
        document = answer.judged(found, started, tell)
    folder = given["output"].folder or folder_of(
        files[0].name, found.digest, surroundings.environment
    )
    return _show(console, folder, answer, (document, found), given)


def _read(question: StoredQuestion) -> StoredResults:
    try:
        return question.head()
    except UsageError as error:
        if any(map(is_dir, question.paths)):
            raise UsageError(f"{error}; if it is the folder of a suite, add --run") from error
        raise


def _run(context: click.Context, suite: str, answer: SeriesCommand) -> Exit:
    from auditor.series.assemble import open_series  # noqa: PLC0415 numpy and scipy come with it

    command_line = CommandLine.of(context, source.changes(context.params), what=suite)
    series = command_line.config.series
    request = replace(series, forks=series.forks or answer.forks, least=answer.least)
    if context.params["dry_run"]:
        with running.open_work(command_line, open_series) as (work, console):
            plan = work.plan_series(request)
        return running.show_plan(console, plan, "", as_json=command_line.as_json)
    words = " ".join((answer.verb, *answer.own))
    with running.open_work(command_line, open_series) as (work, console):
        found = work.series(answer.verb, request)
        context_of = partial(work.circumstances, words, request)
        document = answer.judged(found, context_of, lambda _done, _of: None)
        work.remember(results.text(document))
    folder = command_line.places.output
    return _show(console, folder, answer, (document, found), context.params)


def _show(
    console: Console,
    folder: Path,
    answer: SeriesCommand,
    made: tuple[Any, StoredResults],
    given: Mapping[str, Any],
) -> Exit:
    """Write the files and print; return the exit code."""
    document, found = made
    report, result = folder / f"{answer.verb}.html", folder / f"{answer.verb}.json"
    page = answer.page(document, found)  # first: neither is written where one cannot be made
    output.write(result, results.text(document))
    output.write(report, page)
    if given["format"] == "json":
        console.document(document)
    else:
        console.result(answer.table(document))
    console.note(f"\nreport: {report}\nresult: {result}")
    deliver(given, {".json": result, ".html": report}, console)
    if answer.is_judged(document):
        return Exit.OK
    console.say(f"no verdict: {_reason(document)}")
    return Exit.NO_VERDICT


def _reason(document: Any) -> str:
    """Say why nothing was judged: by the first caveat of a series, a benchmark or the whole."""
    parts = (*getattr(document, "series", ()), *document.benchmarks)
    first = [one for part in parts for one in getattr(part, "caveats", ())]
    what = "no benchmark could be judged" if document.benchmarks else "there is no benchmark"
    return "; ".join((what, *(one.text for one in (*first, *document.caveats)[:1])))
