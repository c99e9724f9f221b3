"""`bench-audit lint`: what is wrong with the benchmarks, by their sources alone?"""

from pathlib import Path
from typing import Any

import click

from auditor.abs import stored_result
from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.outputs import make_format_option
from auditor.config import choose_places, load_config
from auditor.core.errors import Exit
from auditor.lint import terminal
from auditor.lint.judge import RuleSelection


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--only", "--fail-on", "--result", "--list", "--format"),
    short_help="What is wrong with the benchmarks, by their sources alone?",
)
@options.add_options(
    click.argument("what", metavar="[CONFIG_OR_SUBJECT]", default="."),
    click.option("--only", multiple=True, metavar="RULE", help="Only this rule; repeatable."),
    click.option("--without", multiple=True, metavar="RULE", help="Not this rule; repeatable."),
    click.option("--all", "every", is_flag=True, help="Also rules that are often wrong."),
    click.option(
        "--result",
        type=options.PATH_TYPE,
        metavar="FILE",
        help="A result of abs or stability: its times confirm or refute findings.",
    ),
    click.option(
        "--fail-on",
        type=click.Choice([str(sure) for sure in terminal.SURE]),
        help="Exit with 1 if a finding is this sure or surer.",
    ),
    click.option("--list", "listed", is_flag=True, help="List the rules, and look at nothing."),
    make_format_option(terminal.FORMATS),
    options.VERBOSITY_OPTIONS[0],
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Look at the sources of JMH, Go and Python benchmarks; nothing of them is built or run.

    Each rule has a page in docs/lint. A comment `bench-audit:allow RULE REASON` on the line, above
    it or above its benchmark suppresses the finding.

    \b
    bench-audit lint .
    bench-audit lint . --fail-on likely
    bench-audit lint . --result result.json --format sarif > lint.sarif
    """
    from auditor.lint.assemble import (  # noqa: PLC0415 the linters' parsers come with it
        LintRequest,
        lint_sources,
        list_rules,
    )

    surroundings = context.find_object(AppContext) or AppContext.from_process()
    environment = surroundings.environment
    console = Console(environment, quiet=option_values["quiet"])
    if option_values["listed"]:
        console.print_result(terminal.build_rule_table(list_rules()))
        return Exit.OK
    config = options.print_configuration_name(
        load_config(option_values["what"], {}, Path.cwd()), quiet=option_values["quiet"]
    )
    selection = RuleSelection(
        named=option_values["only"],
        left_out=option_values["without"],
        is_everything=option_values["every"],
    )
    result = (
        None
        if option_values["result"] is None
        else stored_result.read_result_file(option_values["result"])
    )
    request = LintRequest(rules=selection, result=result)
    document = lint_sources(config, choose_places(config, environment), environment, request)
    terminal.print_result(document, option_values["format"], console)
    code, messages = terminal.judge_gate(document, option_values["fail_on"])
    for line in messages:
        console.print_message(line)
    return code
