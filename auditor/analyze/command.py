"""`bench-audit analyze`: what do results say that are there already?"""

import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from auditor.abs import gates, running
from auditor.abs.document import AbsOrStability, Document
from auditor.abs.page.report import render_page
from auditor.analyze import assemble as analysis
from auditor.analyze.assemble import TableFile, judge_table
from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.outputs import make_output_options
from auditor.compare import gates as compare_gates
from auditor.compare import terminal as comparison
from auditor.config import Gates
from auditor.core.errors import Exit, UsageError
from auditor.core.series.stored import StoredResults
from auditor.importers.formats import CSV_HINT, FORMAT_NAMES
from auditor.importers.reading import is_stored
from auditor.importers.research_tools.layout import ResearchTool
from auditor.importers.research_tools.reading import is_table, parse_unit, read_table
from auditor.measure.run_similarity import PAPER
from auditor.series.question import StoredQuestion, choose_output_folder
from auditor.series.stored import split_processes
from auditor.warmup.kbkssd import KbKssd
from auditor.warmup.learned import LearnedDetector
from reports import number_format
from reports.html import GateView, make_gate_view

_POSITIVE = click.IntRange(min=1)
_PATH = click.Path(path_type=Path)
_OF_TABLES = ("tool", "unit", "slowdown", "runs", "stability_runs", "fail_under")
_OF_STORED = ("against", "commit", "against_commit", "min_delta", "fail_on", "unlike_machines")
_OF_COMPARISONS = ("min_delta", "fail_on", "unlike_machines")


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--against", "--min-delta", "--slowdown", "--unit", "--output"),
    short_help="What do results say that are there?",
)
@options.add_options(
    click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_PATH),
    click.option(
        "--against",
        multiple=True,
        type=_PATH,
        metavar="BASE",
        help="Stored results to compare with; repeatable.",
    ),
    click.option("--commit", metavar="COMMIT", help="Read results of this commit (newest)."),
    click.option("--against-commit", metavar="COMMIT", help="The commit of the base."),
    options.make_min_delta_option(),
    click.option(
        "--unlike-machines", is_flag=True, help="Also compare results of unlike machines."
    ),
    click.option(
        "--fail-on",
        type=click.Choice(["regression", "nothing"]),
        help="Exit with 1 where there is a regression.",
    ),
    click.option(
        "--tool",
        type=click.Choice([tool.value for tool in ResearchTool]),
        help="Tool that wrote the table (found by its columns).",
    ),
    click.option(
        "--unit", multiple=True, metavar="[REGEX=]UNIT", help="For JavaABS tables; repeatable."
    ),
    options.SLOWDOWN,
    click.option("--runs", type=_POSITIVE, help="Runs of the slowed suites (those in the table)."),
    click.option(
        "--stability-runs", type=_POSITIVE, help="Runs of the unchanged suite (those in the table)."
    ),
    options.FAIL_UNDER,
    options.INCONCLUSIVE,
    *make_output_options(".json", ".html", ".md", ".csv", ".sarif"),
    *options.DISPLAY_OPTIONS[:2],
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Analyze results that another tool has stored; runs nothing.

    A FILE is a table of GoABS or JavaABS, which is judged by the paper's rule. Or it is a file or a
    folder that pytest-benchmark, asv, pyperf, JMH, go test, hyperfine, Google Benchmark or
    criterion have stored, or a CSV of series. Without --against, analyze judges the spread of the
    runs; with --against it compares them. The last lines name further commands that apply (steady,
    similarity).

    \b
    bench-audit analyze gin.csv --slowdown 0.2
    bench-audit analyze rx.csv --unit ops/s --unit 'Latency=us/op'    its table stores no units
    bench-audit analyze .benchmarks
    bench-audit analyze head/ --against base/
    bench-audit analyze monday.json tuesday.json    what JMH left (-rf json), or printed
    """
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    console = Console(surroundings.environment, quiet=option_values["quiet"])
    if option_values["against"] or any(map(is_stored, option_values["files"])):
        return _judge_stored_results(option_values, console, surroundings)
    if len(option_values["files"]) > 1:
        raise UsageError("only one table can be read at a time; give one file")
    if option_values["tool"] is None and not is_table(option_values["files"][0]):
        raise UsageError(
            f"{option_values['files'][0]}: no result of {FORMAT_NAMES}, no table of GoABS or "
            f"JavaABS either; {CSV_HINT}"
        )
    _refuse_options(option_values, _OF_STORED, "stored results (JMH, go test, pytest-benchmark, …)")
    return _judge_table_file(option_values, console, surroundings)


def _refuse_options(option_values: dict[str, Any], names: tuple[str, ...], whose: str) -> None:
    for name in names:
        if option_values[name] not in (None, (), False):
            raise UsageError(f"--{name.replace('_', '-')} works only with {whose}; leave it out")


def _judge_table_file(
    option_values: dict[str, Any], console: Console, surroundings: AppContext
) -> int:
    path = option_values["files"][0]
    table = TableFile(
        path=path,
        content=read_table(
            path,
            tool=_parse_tool(option_values["tool"]),
            units=[parse_unit(unit_text) for unit_text in option_values["unit"]],
        ),
        slowdown=None if option_values["slowdown"] == "auto" else option_values["slowdown"],
        runs=option_values["runs"],
        stability_runs=option_values["stability_runs"],
        units=option_values["unit"],
    )
    document = judge_table(table)
    folder = option_values["output"].folder or choose_output_folder(
        path.stem, table.content.digest, surroundings.environment
    )
    least = option_values["fail_under"]
    if isinstance(document, Document):
        verdict, lines = gates.judge_gates(document, Gates(least))
    else:
        verdict, lines = gates.judge_stability(document, least)
    gate = _build_gate_view(option_values["inconclusive"], verdict, lines)
    _deliver_document(option_values, folder, document, gate, console)
    return _say_and_end(console, option_values, verdict, lines)


def _deliver_document(
    option_values: dict[str, Any],
    folder: Path,
    document: AbsOrStability,
    gate: GateView | None,
    console: Console,
) -> None:
    as_json = option_values["format"] == "json"
    files = running.ANALYZED
    running.write_result(folder, files, document, partial(render_page, gate=gate))
    running.show_result_in(folder, files, document, console, as_json=as_json)
    running.deliver_result(option_values, folder, files, document, console)


def _judge_stored_results(
    option_values: dict[str, Any], console: Console, surroundings: AppContext
) -> int:
    _refuse_options(option_values, _OF_TABLES, "tables of GoABS and JavaABS")
    question = StoredQuestion(
        paths=option_values["files"],
        commit=option_values["commit"],
        against=option_values["against"],
        against_commit=option_values["against_commit"],
        min_delta=option_values["min_delta"],
        unlike=option_values["unlike_machines"],
    )
    if not question.has_base:
        _refuse_options(option_values, _OF_COMPARISONS, "a comparison, which --against asks for")
    head = question.read_head()
    folder = option_values["output"].folder or choose_output_folder(
        question.paths[0].name, head.digest, surroundings.environment
    )
    if not question.has_base:
        document = analysis.build_stability_document(question, head)
        _deliver_document(option_values, folder, document, None, console)
        for line in _further_questions(head, option_values["files"], option_values["commit"]):
            console.print_note(f"further: {line}")
        return _say_and_end(console, option_values, *gates.judge_stability(document))
    comparison_document = analysis.compare_results(question, question.read_base(), head)
    verdict, lines = compare_gates.judge_gates(
        comparison_document,
        fail_on_regression=option_values["fail_on"] == "regression",
        fail_under=None,
    )
    comparison.FILES.write_results(folder, comparison_document)
    gate = _build_gate_view(option_values["inconclusive"], verdict, lines)
    comparison.FILES.write_gate_page(folder, comparison_document, gate)
    comparison.FILES.print_result(comparison_document, option_values["format"], console)
    comparison.FILES.deliver_files(option_values, folder, console)
    return _say_and_end(console, option_values, verdict, lines)


def _build_gate_view(
    inconclusive: str | None, verdict: Exit, lines: Sequence[str]
) -> GateView | None:
    return make_gate_view(verdict, options.choose_exit_code(verdict, inconclusive), lines)


def _say_and_end(
    console: Console, option_values: dict[str, Any], verdict: Exit, lines: Sequence[str]
) -> Exit:
    for line in lines:
        console.print_message(line)
    return options.choose_exit_code(verdict, option_values["inconclusive"])


def _parse_tool(name: str | None) -> ResearchTool | None:
    return None if name is None else ResearchTool(name)


def _further_questions(
    results: StoredResults, paths: Sequence[Path], commit: str | None
) -> Iterator[str]:
    """Yield what `steady` and `similarity` can say of results, or why they cannot."""
    words = [*map(str, paths), *(() if commit is None else ("--commit", commit))]
    named = shlex.join(words)
    most = max(
        (
            len(process.all_values)
            for run in results.runs
            for processes in run.processes.values()
            for process in processes
        ),
        default=0,
    )
    if most >= LearnedDetector.min_iterations:
        yield f"when each process is warm: bench-audit steady {named}"
    elif most >= KbKssd.min_iterations:
        yield f"when each process is warm: bench-audit steady {named} --detector kb-kssd"
    else:
        yield (
            "nothing can be said of the warm-up: a process holds "
            f"{number_format.format_count(most, 'value')} at most, and a detector needs "
            f"{KbKssd.min_iterations}"
        )
    if _has_comparable_runs(results):
        yield f"whether the runs agree: bench-audit similarity {named}"


def _has_comparable_runs(results: StoredResults) -> bool:
    """Tell whether a benchmark has two runs that are long enough to be compared."""
    runs = split_processes(results.runs)
    return any(
        sum(len(run.list_values(name)) >= PAPER.least_values for run in runs) > 1
        for name in results.benchmark_names
    )
