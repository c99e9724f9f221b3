"""`bench-audit stability`: how far do repeated runs of the suite lie apart?"""

import json
from collections.abc import Sequence
from functools import partial

import click

from auditor.abs import running, stored_result, terminal
from auditor.abs.document import AbsOrStability
from auditor.abs.gates import judge_stability
from auditor.abs.page.report import render_page
from auditor.cli import options, purposes
from auditor.cli.outputs import make_output_options
from auditor.core.errors import Exit


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--benchmarks", "--stability-runs", "--budget", "--output", "--dry-run"),
    short_help="How far do repeated runs of the suite lie apart?",
)
@options.add_options(
    *options.SUITE_OPTIONS,
    options.STABILITY_RUNS,
    options.WARMUP,
    options.RETRY_FAILED,
    options.STORE,
    *make_output_options(".json", ".html", ".md", ".csv"),
    *options.DISPLAY_OPTIONS,
    options.DRY_RUN,
)
@click.pass_context
def command(context: click.Context, /, **_: object) -> int:
    """Run the unchanged suite several times (5) and compare the runs.

    CONFIG_OR_SUBJECT is as for abs. Every value goes to the store, so abs does not measure it
    again. With --stability-runs 1 the suite runs once: its values are kept, none is compared.
    Results of the same suite on other machines (another --host, or a store that was merged into
    this one) are shown beside.

    \b
    bench-audit stability .
    bench-audit stability . --stability-runs 1 --benchmarks Parse    measure once, keep every value
    """
    changes = options.collect_shared_changes(context.params)
    if context.params["stability_runs"] is not None:
        changes["stability_runs"] = context.params["stability_runs"]
    command_line = options.CommandLine.from_context(context, changes)
    if context.params["dry_run"]:
        return running.dry_run(command_line, lambda audit: audit.plan_suite())
    document, console = running.make_result(
        command_line,
        lambda audit: audit.store_document(audit.measure_stability()),
        running.STABILITY,
    )
    config = json.loads(command_line.config.text)
    elsewhere = stored_result.list_results_on_other_hosts(
        command_line.places.store, "stability", config, document
    )
    if elsewhere:
        running.write_result(
            command_line.places.output,
            running.STABILITY,
            document,
            partial(render_page, on_other_hosts=elsewhere),
        )
    running.show_result(command_line, console, document, running.STABILITY)
    running.deliver_result(
        context.params, command_line.places.output, running.STABILITY, document, console
    )
    if elsewhere and not command_line.as_json:
        console.print_result(terminal.compare_machines(document, elsewhere))
    code, lines = _judge_runs(document, command_line.config.request.suite.stability_runs)
    for line in lines:
        console.print_message(line)
    return code


def _judge_runs(document: AbsOrStability, runs: int) -> tuple[Exit, Sequence[str]]:
    """Return the verdict; a single run is asked for its values alone."""
    if runs > 1:
        return judge_stability(document)
    if any(benchmark.means for benchmark in document.benchmarks):
        return Exit.OK, []
    return Exit.NO_VERDICT, ["no verdict: nothing was measured"]
