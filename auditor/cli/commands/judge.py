"""`bench-audit judge`: what does a result file of the paper's research tools say?"""

from pathlib import Path
from typing import Any

import click

from auditor.cli import gates, options, running
from auditor.cli.console import Console
from auditor.cli.judging import Table, folder_of, judged, slowdown
from auditor.cli.surroundings import Surroundings
from auditor.config import Gates
from reports.document import Document
from reports.page import page
from runners.ancestors.layout import Tool
from runners.ancestors.reading import read, unit

_POSITIVE = click.IntRange(min=1)


@click.command(short_help="Judge a result file of the paper's research tools; runs nothing.")
@options.options(
    click.argument("file", metavar="FILE.csv", type=click.Path(path_type=Path)),
    click.option(
        "--tool",
        type=click.Choice([one.value for one in Tool]),
        help="Whose file; by default it tells.",
    ),
    click.option(
        "--unit", multiple=True, metavar="[REGEX=]UNIT", help="Of JMH's results; repeatable."
    ),
    options.SLOWDOWN,
    click.option("--runs", type=_POSITIVE, help="Runs of the slowed suites (those in the file)."),
    click.option(
        "--stability-runs", type=_POSITIVE, help="Runs of the unchanged suite (those in the file)."
    ),
    options.FAIL_UNDER,
    options.INCONCLUSIVE,
    options.OUTPUT,
    *options.SHOWN[:2],
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Judge a result file of GoABS or JavaABS by the paper's rule; runs nothing.

    \b
    bench-audit judge gin.csv --slowdown 0.2
    bench-audit judge rx.csv --unit ops/s --unit 'Latency=us/op'    JMH's units are not in the file
    """
    surroundings = context.find_object(Surroundings) or Surroundings.real()
    console = Console(surroundings.environment, quiet=given["quiet"])
    table = Table(
        path=given["file"],
        content=read(
            given["file"], tool=_tool(given["tool"]), units=[unit(one) for one in given["unit"]]
        ),
        slowdown=slowdown(given["slowdown"]),
        runs=given["runs"],
        stability_runs=given["stability_runs"],
        units=given["unit"],
    )
    document = judged(table)
    folder = given["output"] or folder_of(table, surroundings.environment)
    running.keep_in(folder, running.JUDGED, document, page)
    as_json = given["format"] == "json"
    running.show_in(folder, running.JUDGED, document, console, as_json=as_json)
    if isinstance(document, Document):
        limits = Gates(given["fail_under"])
        code, said = gates.judge(document, limits, given["inconclusive"])
    else:
        code, said = gates.judge_stability(document)
    for line in said:
        console.say(line)
    return code


def _tool(name: str | None) -> Tool | None:
    return None if name is None else Tool(name)
