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
from auditor.cli.outputs import make_output_options, write_output_files
from auditor.core.errors import Exit, UsageError
from auditor.select import assemble, terminal
from auditor.select.document import SelectAnswer, Selection
from reports import results


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--budget", "--changed", "--remove", "--result"),
    short_help="Which benchmarks to run where time is short, and which can go?",
)
@options.add_options(
    *options.SUITE_OPTIONS[:1],
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
    *make_output_options(".json"),
    *options.DISPLAY_OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Choose benchmarks by what an audit has shown that they detect; runs nothing.

    Without a budget: the cheapest benchmarks that keep the score. CONFIG_OR_SUBJECT is as for abs;
    the result is the one that its store holds, or that of --result.

    \b
    bench-audit select . --budget 10m                   the subset for CI, and how to run it
    bench-audit select --result result.json --remove    which benchmarks can go
    bench-audit select . --changed changed-methods.txt  which benchmarks detect these
    """
    make_answer = _choose_answer_maker(option_values)
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    console = Console(surroundings.environment, quiet=option_values["quiet"])
    if option_values["result"]:
        stored_document = stored_result.read_result_file(option_values["result"])
    else:
        stored_document = stored_result.read_stored_result(
            options.CommandLine.from_context(context, {}), console
        )
    answer, answer_view = make_answer(stored_result.require_matrix(stored_document))
    if option_values["format"] == "json":
        console.print_document(assemble.convert_to_plain(answer))
    else:
        console.print_result(answer_view)
    write_output_files(
        option_values,
        {".json": lambda: results.format_json(assemble.convert_to_plain(answer))},
        console,
    )
    reason = _explain_no_verdict(answer)
    if reason:
        console.print_message(f"no verdict: {reason}")
    return Exit.NO_VERDICT if reason else Exit.OK


def _explain_no_verdict(answer: SelectAnswer) -> str:
    """Return why an answer names no benchmark that detects a method; empty where it may be so."""
    if any(benchmark.detects for benchmark in answer.benchmarks):
        return ""
    if not isinstance(answer, Selection):
        return "no benchmark detects a method, so none is proven redundant"
    if answer.lost:
        kind = "method" if answer.changed is None else "changed method"
        return f"each benchmark that detects a {kind} takes longer than the budget; raise --budget"
    return "" if answer.changed is not None else "no benchmark detects a method"


def _choose_answer_maker(
    option_values: dict[str, Any],
) -> Callable[[Document], tuple[SelectAnswer, RenderableType]]:
    """Return what makes the answer asked for; raises UsageError for what makes no sense."""
    conflicting_options = [
        f"--{name}" for name in ("budget", "most", "changed") if option_values[name]
    ]
    if option_values["remove"] and conflicting_options:
        raise UsageError(
            f"--remove considers all methods and no budget; leave out {conflicting_options[0]}"
        )
    if option_values["most"] and not option_values["budget"]:
        raise UsageError("--most needs a budget; add one, such as --budget 10m")
    if option_values["remove"]:
        return lambda document: (
            proposal := assemble.propose_removal(document),
            terminal.render_proposal(proposal),
        )
    budget = assemble.parse_budget(option_values["budget"])
    changed = assemble.read_names(option_values["changed"], Path.cwd())

    def select_within_budget(document: Document) -> tuple[SelectAnswer, RenderableType]:
        selection = assemble.select_benchmarks(
            document, budget=budget, nested=not option_values["most"], changed=changed
        )
        return selection, terminal.render_selection(selection)

    return select_within_budget
