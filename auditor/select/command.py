"""`bench-audit select`: which benchmarks to run where time is short, and which can go?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import RenderableType

from auditor.abs import stored_result
from auditor.abs.document import Document
from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.outputs import deliver, output_options
from auditor.core.errors import Exit, UsageError
from auditor.select import assemble, terminal
from auditor.select.document import SelectAnswer
from reports import results


@click.command(
    cls=purposes.Command,
    most_used=("--budget", "--changed", "--remove", "--result"),
    short_help="Which benchmarks to run where time is short, and which can go?",
)
@options.options(
    *options.WHAT[:1],
    click.option("--result", type=click.Path(path_type=Path), help="A result of abs, as JSON."),
    click.option("--budget", metavar="DURATION", help="What a run may take, such as 10m."),
    click.option("--most", is_flag=True, help="As many methods as this budget allows, not nested."),
    click.option(
        "--changed",
        multiple=True,
        metavar="METHOD_OR_FILE",
        help="Only these methods count; a file has one a line. Repeatable.",
    ),
    click.option("--remove", is_flag=True, help="Say which benchmarks can go instead."),
    options.STORE,
    *output_options(".json"),
    *options.SHOWN,
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Choose benchmarks by what an audit has shown that they detect; runs nothing.

    Without a budget: the cheapest benchmarks that keep the score. CONFIG_OR_SUBJECT is as for abs;
    the result is the one that its store holds, or that of --result.

    \b
    bench-audit select . --budget 10m                   the subset for CI, and how to run it
    bench-audit select --result result.json --remove    which benchmarks can go
    bench-audit select . --changed changed-methods.txt  which benchmarks detect these
    """
    answering = _answer(given)
    surroundings = context.find_object(AppContext) or AppContext.real()
    console = Console(surroundings.environment, quiet=given["quiet"])
    if given["result"]:
        found = stored_result.read_result_file(given["result"])
    else:
        found = stored_result.read_stored_result(options.CommandLine.of(context, {}), console)
    answer, shown = answering(stored_result.require_matrix(found))
    if given["format"] == "json":
        console.document(assemble.plain(answer))
    else:
        console.result(shown)
    deliver(given, {".json": lambda: results.text(assemble.plain(answer))}, console)
    if answer.benchmarks or given["changed"]:
        return Exit.OK
    console.say("no verdict: there is nothing to choose, within this time at least")
    return Exit.NO_VERDICT


def _answer(given: dict[str, Any]) -> Callable[[Document], tuple[SelectAnswer, RenderableType]]:
    """Return what makes the answer asked for; raises UsageError for what makes no sense."""
    asked = [f"--{name}" for name in ("budget", "most", "changed") if given[name]]
    if given["remove"] and asked:
        raise UsageError(f"--remove considers all methods and no budget; leave out {asked[0]}")
    if given["most"] and not given["budget"]:
        raise UsageError("--most needs a budget; add one, such as --budget 10m")
    if given["remove"]:
        return lambda document: (
            proposal := assemble.propose(document),
            terminal.proposal(proposal),
        )
    budget = assemble.budget(given["budget"])
    changed = assemble.names(given["changed"], Path.cwd())

    def chosen(document: Document) -> tuple[SelectAnswer, RenderableType]:
        selection = assemble.select(
            document, budget=budget, nested=not given["most"], changed=changed
        )
        return selection, terminal.selection(selection)

    return chosen
