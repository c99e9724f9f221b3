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
from auditor.cli.outputs import make_output_options, write_output_files
from auditor.cli.progress import show_progress_bar
from auditor.core.errors import Exit, UsageError
from auditor.core.files.paths import is_dir
from auditor.core.provenance import Context
from auditor.core.series.stored import StoredResults
from auditor.series import source
from auditor.series.question import (
    ProgressCallback,
    StoredQuestion,
    choose_output_folder,
    prepare_context,
)
from reports import results

INPUTS = click.argument("files", metavar="INPUT...", nargs=-1, required=True)
OPTIONS = (
    click.option("--run", "is_suite", is_flag=True, help="INPUT, a folder, is a suite: run it."),
    click.option("--commit", metavar="COMMIT", help="Of stored results; else the newest one."),
    click.option("--iterations", type=int, help="Of a process of a suite that is run (3000)."),
    click.option("--iteration-time", metavar="DURATION", help="How long each lasts (10ms)."),
    click.option("--forks", type=int, help="Processes of each of its benchmarks."),
    *options.SUITE_OPTIONS[1:],
    options.RETRY_FAILED,
    options.STORE,
    *make_output_options(".json", ".html"),
    *options.DISPLAY_OPTIONS,
    options.DRY_RUN,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesCommand:
    """What a command does with series of iteration times."""

    verb: str
    """The command, which also names its files."""
    own_options: tuple[str, ...] = ()
    """Its own options, as words."""
    doing: str
    """What it does, for the progress display."""
    forks: int
    """Processes of a benchmark that it needs, where a suite is run."""
    least: int
    """Iterations of a process that it needs, where a suite is run."""
    judged: Callable[[StoredResults, Callable[[], Context], ProgressCallback], Any] = field(
        repr=False
    )
    """Makes the document."""
    table: Callable[[Any], RenderableType] = field(repr=False)
    """Makes the terminal's table of a document."""
    page: Callable[[Any, StoredResults], str] = field(repr=False)
    """Makes the report of a document."""
    is_judged: Callable[[Any], bool] = field(repr=False)
    """Whether something of a document was judged; else the exit code is 5."""


def run_series_command(
    context: click.Context, option_values: Mapping[str, Any], answer: SeriesCommand
) -> Exit:
    """Run or read, judge, write the files and print."""
    suite = source.find_suite(option_values["files"], is_suite=option_values["is_suite"])
    if suite is not None:
        return _run_suite(context, suite, answer)
    files = tuple(map(Path, option_values["files"]))
    source.refuse_suite_options(option_values, files[0])
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    console = Console(surroundings.environment, quiet=option_values["quiet"])
    question = StoredQuestion(
        verb=answer.verb, paths=files, more=answer.own_options, commit=option_values["commit"]
    )
    stored_results = source.read_stored_suite(files, option_values["commit"]) or _read_results(
        question
    )
    started = prepare_context(question, stored_results)
    with show_progress_bar(console, answer.doing) as tell:
        document = answer.judged(stored_results, started, tell)
    folder = option_values["output"].folder or choose_output_folder(
        files[0].name, stored_results.digest, surroundings.environment
    )
    return _deliver_answer(console, folder, answer, (document, stored_results), option_values)


def _read_results(question: StoredQuestion) -> StoredResults:
    try:
        return question.read_head()
    except UsageError as error:
        if any(map(is_dir, question.paths)):
            raise UsageError(f"{error}; if it is the folder of a suite, add --run") from error
        raise


def _run_suite(context: click.Context, suite: str, answer: SeriesCommand) -> Exit:
    from auditor.series.assemble import open_series  # noqa: PLC0415 numpy and scipy come with it

    command_line = CommandLine.from_context(
        context, source.collect_config_changes(context.params), config_or_subject=suite
    )
    series = command_line.config.series
    request = replace(series, forks=series.forks or answer.forks, least=answer.least)
    if context.params["dry_run"]:
        with running.open_work(command_line, open_series) as (work, console):
            plan = work.plan_series(request)
        return running.show_plan(console, plan, "", as_json=command_line.as_json)
    words = " ".join((answer.verb, *answer.own_options))
    with running.open_work(command_line, open_series) as (work, console):
        stored_results = work.measure_series(answer.verb, request)
        context_of = partial(work.make_context, words, request)
        document = answer.judged(stored_results, context_of, lambda _count, _total: None)
        work.store_result(results.format_json(document))
    folder = command_line.places.output
    return _deliver_answer(console, folder, answer, (document, stored_results), context.params)


def _deliver_answer(
    console: Console,
    folder: Path,
    answer: SeriesCommand,
    document_and_results: tuple[Any, StoredResults],
    option_values: Mapping[str, Any],
) -> Exit:
    """Write the files and print; return the exit code."""
    document, stored_results = document_and_results
    report, result = folder / f"{answer.verb}.html", folder / f"{answer.verb}.json"
    page = answer.page(
        document, stored_results
    )  # first: neither is written where one cannot be made
    output.write_file(result, results.format_json(document))
    output.write_file(report, page)
    if option_values["format"] == "json":
        console.print_document(document)
    else:
        console.print_result(answer.table(document))
    console.print_note(f"\nreport: {report}\nresult: {result}")
    write_output_files(option_values, {".json": result, ".html": report}, console)
    if answer.is_judged(document):
        return Exit.OK
    console.print_message(f"no verdict: {_explain_no_verdict(document)}")
    return Exit.NO_VERDICT


def _explain_no_verdict(document: Any) -> str:
    """Say why nothing was judged: by the first caveat of a series, a benchmark or the whole."""
    parts = (*getattr(document, "series", ()), *document.benchmarks)
    first = [caveat for part in parts for caveat in getattr(part, "caveats", ())]
    statement = "no benchmark could be judged" if document.benchmarks else "there is no benchmark"
    return "; ".join((statement, *(caveat.text for caveat in (*first, *document.caveats)[:1])))
