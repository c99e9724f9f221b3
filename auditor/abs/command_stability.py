"""`bench-audit stability`: how far do repeated runs of the suite lie apart?"""

import json
from functools import partial

import click

from auditor.abs import running, stored_result, terminal
from auditor.abs.gates import judge_stability
from auditor.abs.page.report import render_page
from auditor.cli import options


@click.command(short_help="How far do repeated runs of the suite lie apart?")
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
    """Run the unchanged suite several times (5) and compare the runs.

    CONFIG_OR_SUBJECT is as for abs. What the store holds of the same suite on other machines
    (another --host, or a store that was merged into it) is shown beside.
    """
    changes = options.shared_changes(context.params)
    if context.params["runs"] is not None:
        changes["stability_runs"] = context.params["runs"]
    command_line = options.CommandLine.of(context, changes)
    if context.params["dry_run"]:
        return running.dry_run(command_line, lambda audit: audit.plan_suite())
    document, console = running.make_result(
        command_line, lambda audit: audit.document(audit.stability()), running.STABILITY
    )
    config = json.loads(command_line.config.text)
    others = stored_result.results_on_other_hosts(
        command_line.places.store, "stability", config, document
    )
    if others:
        running.write_result(
            command_line, running.STABILITY, document, partial(render_page, on_other_hosts=others)
        )
    running.show_result(command_line, console, document, running.STABILITY)
    if others and not command_line.as_json:
        console.result(terminal.side_by_side(document, others))
    code, said = judge_stability(document)
    for line in said:
        console.say(line)
    return code
