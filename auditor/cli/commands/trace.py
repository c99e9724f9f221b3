"""`bench-audit trace`: which public methods are called, and which have no benchmark?"""

import click

from auditor.cli import options, tracing
from auditor.cli.running import opened
from auditor.core.errors import Exit, UsageError


@click.command(short_help="Which public methods have no benchmark?")
@options.options(
    click.option(
        "--benchmarks",
        "in_benchmarks",
        is_flag=True,
        help="Count in the project's own benchmarks and unit tests.",
    ),
    *options.SUBJECT,
    options.BUDGET,
    options.RETRY_FAILED,
    *options.PLACES,
    *options.SHOWN,
)
@click.pass_context
def command(context: click.Context, /, *, in_benchmarks: bool, **_: object) -> int:
    """Count the calls of each public method in each benchmark; nothing is timed or slowed.

    CONFIG_OR_SUBJECT is as for abs; "benchmarks" in a configuration says which of them. Each runs
    once or twice for a few blocks, so this takes seconds to minutes. Methods that no benchmark
    calls come first, those that the project's unit tests call most in front.

    \b
    bench-audit trace --benchmarks .
    bench-audit trace --benchmarks . --format json | jq '.methods[] | select(.called_by == [])'
    """
    if not in_benchmarks:
        raise UsageError("say where calls are to be counted: --benchmarks")
    asked = options.Asked.of(context, options.shared_changes(context.params))
    with opened(asked) as open_:
        document = open_.audit.trace()
        tracing.keep(asked.places.output, document)
    folder = asked.places.output
    tracing.show(document, "json" if asked.as_json else "table", open_.console)
    open_.console.note(f"\nreport: {folder / tracing.PAGE}")
    open_.console.note(f"result: {folder / tracing.RESULT}")
    return Exit.OK
