"""`bench-audit measure`: run the benchmarks and keep every value."""

import click

from auditor.abs import running
from auditor.cli import options
from auditor.core.errors import Exit


@click.command(short_help="Run the benchmarks and keep every value.")
@options.options(
    *options.WHAT,
    options.STABILITY_RUNS,
    options.WARMUP,
    options.RETRY_FAILED,
    *options.PLACES,
    *options.SHOWN,
    options.DRY_RUN,
)
@click.pass_context
def command(context: click.Context, /, **_: object) -> int:
    """Run the unchanged suite, once unless told otherwise; all values go to the store.

    CONFIG_OR_SUBJECT is as for abs. What is measured here is not measured again by stability
    and abs, as long as the plan is the same.
    """
    changes = options.shared_changes(context.params)
    changes["stability_runs"] = context.params["runs"] or 1
    command_line = options.CommandLine.of(context, changes)
    if context.params["dry_run"]:
        return running.dry_run(command_line, lambda audit: audit.plan_suite())
    document, console = running.make_result(
        command_line, lambda audit: audit.document(audit.stability()), running.MEASURED
    )
    running.show_result(command_line, console, document, running.MEASURED)
    if any(benchmark.means for benchmark in document.benchmarks):
        return Exit.OK
    console.say("no verdict: nothing was measured")
    return Exit.NO_VERDICT
