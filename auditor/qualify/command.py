"""`bench-audit qualify`: does your performance gate work at all?"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

import click

from auditor.cli import options, purposes, running
from auditor.cli.console import Console
from auditor.config import Config, Places
from auditor.config.qualify import QualifyRequest, qualify_request
from auditor.core.errors import UsageError
from auditor.core.ports import Observer
from auditor.qualify import terminal
from auditor.qualify.document import QualifyDocument
from reports import number_format
from reports.html import make_gate_view

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.qualify.assemble import GateQualifier


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--method", "--slowdowns", "--must-see", "--max-false-alarms", "--budget"),
    short_help="Does your performance gate work at all?",
)
@options.add_options(
    click.argument("words", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED),
    click.option(
        "--subject", "what", default=".", metavar="CONFIG_OR_SUBJECT", help="As for abs (.)."
    ),
    *options.SUBJECT[1:],
    options.HOST,
    click.option("--method", multiple=True, metavar="NAME", help="Only this method; repeatable."),
    click.option("--benchmarks", metavar="REGEX", help="Benchmarks that tell how long it takes."),
    click.option(
        "--slowdowns", metavar="FACTORS", help="How many times as long (1.1x,1.25x,1.5x,2x,10x)."
    ),
    click.option("--runs", type=int, help="Pairs of a kind, at most (20)."),
    click.option("--turns", type=int, help="Runs in the same checkouts until it fires (4)."),
    click.option("--alarm", metavar="REGEX", help="It alarms where its output holds a match."),
    click.option("--alarm-codes", metavar="CODES", help="Exit codes that are alarms (1 to 125)."),
    click.option(
        "--timeout", default="10m", show_default=True, metavar="DURATION", help="Of a run of it."
    ),
    click.option("--max-false-alarms", metavar="PART", help="Exit with 1 above it, such as 5%."),
    click.option("--must-see", metavar="FACTOR", help="Exit with 1 where it misses it (1.5x)."),
    options.INCONCLUSIVE,
    options.SEED,
    click.option("--budget", metavar="DURATION", help="No further pair after it, such as 30m."),
    options.STORE,
    *terminal.FILES.make_options(),
    *options.VERBOSITY_OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Show your gate base and head that are alike, or of which one is slowed, and count alarms.

    COMMAND is the gate: it gets two checkouts as {base} and {head}, or as BENCH_AUDIT_BASE and
    BENCH_AUDIT_HEAD, runs in that of head, and alarms by its exit code, or by what it prints
    (--alarm). In head a method is slowed by a known factor, or nothing is, or that of base is
    slowed instead. Both are commits of throw-away repositories; your files are not touched.

    \b
    bench-audit qualify --method Parse -- ./gate.sh {base} {head}
    bench-audit qualify --method Parse --must-see 1.5x --max-false-alarms 5% -- ./gate.sh
    """
    request = qualify_request(option_values)
    changes = options.collect_shared_changes({**option_values, "budget": None})
    if option_values["method"]:
        changes["methods"] = list(option_values["method"])
    command_line = options.CommandLine.from_context(context, changes)
    _require_local_host(command_line.config)
    document = _qualify_gate(command_line, request)
    folder = command_line.places.output
    console = Console(command_line.surroundings.environment, quiet=command_line.quiet)
    verdict, gate_messages = terminal.judge_gate(document)
    code = options.choose_exit_code(verdict, option_values["inconclusive"])
    gate = make_gate_view(verdict, code, gate_messages)
    terminal.FILES.write_gate_page(folder, document, gate)
    terminal.FILES.print_result(document, option_values["format"], console)
    terminal.FILES.deliver_files(option_values, folder, console)
    for line in gate_messages:
        console.print_message(line)
    return code


def _require_local_host(config: Config) -> None:
    if config.host != "local" or config.dispatch is not None:
        raise UsageError(
            "qualify runs gates on this machine only; leave out the host and the cluster"
        )


def _qualify_gate(command_line: options.CommandLine, request: QualifyRequest) -> QualifyDocument:
    """Show the gate what it is to be shown, and keep what came out."""
    from auditor.qualify.assemble import open_qualifying  # noqa: PLC0415 numpy and scipy come with it

    def open_with_request(
        config: Config, places: Places, environment: Mapping[str, str], observer: Observer
    ) -> "AbstractContextManager[GateQualifier]":
        opener = command_line.surroundings.find_opener(open_qualifying)
        return opener(config, places, environment, observer, request)

    with running.open_work(command_line, open_with_request) as (work, console):
        qualification = work.qualify_gate(
            lambda shown_pair, left: console.print_note(
                terminal.format_answer_line(shown_pair, left)
            )
        )
        if qualification.stored_answers:
            console.print_note(
                "known from an earlier call: "
                f"{number_format.format_count(qualification.stored_answers, 'answer')}"
            )
        document = work.build_document(qualification)
        terminal.FILES.write_results(command_line.places.output, document)
    return document
