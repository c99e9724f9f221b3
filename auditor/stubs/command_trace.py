"""`bench-audit trace`: which public methods are called, by whom, and which have no benchmark?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from auditor.cli import options, purposes
from auditor.cli.outputs import make_format_option, make_output_options
from auditor.cli.running import open_work
from auditor.config.subjects import describe_subject, parse_subject
from auditor.core.errors import Exit, UsageError
from auditor.stubs.running import write_stubs
from auditor.trace import terminal, terminal_clients


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--suite", "--library", "--clients", "--stubs", "--output"),
    short_help="Which public methods do others call, and which have no benchmark?",
)
@options.add_options(
    click.argument("given", metavar="[CONFIG_OR_SUBJECT | CLIENT...]", nargs=-1),
    click.option(
        "--suite",
        "in_benchmarks",
        is_flag=True,
        help="Count in the project's own benchmarks and unit tests.",
    ),
    click.option("--library", metavar="SUBJECT", help="The project whose use is counted."),
    click.option(
        "--clients",
        multiple=True,
        metavar="CLIENT",
        help="A project that uses it: its tests are run; repeatable.",
    ),
    click.option(
        "--client-timeout", metavar="DURATION", help="Time limit of each client's tests (15m)."
    ),
    click.option("--jobs", type=int, help="Clients in parallel (1 per CPU)."),
    click.option(
        "--rank",
        type=click.Choice(["sum", "share", "clients"]),
        help="Order by total calls, mean share of a client's calls, or number of clients.",
    ),
    click.option("--top", type=int, help="Number of methods that count as often used (20)."),
    click.option(
        "--stubs",
        "into",
        type=options.PATH_TYPE,
        metavar="FOLDER",
        help="Write benchmark stubs for methods without one; without other options, by the stored "
        "results.",
    ),
    options.METHOD,
    *options.SUBJECT[1:],
    options.BUDGET,
    options.RETRY_FAILED,
    options.STORE,
    *make_output_options(".json", ".html", ".csv"),
    make_format_option(terminal_clients.FILES.formats, "; csv is of clients"),
    *options.VERBOSITY_OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, *, in_benchmarks: bool, **option_values: Any) -> int:
    """Count the calls of each public method; nothing is timed or slowed.

    With --library and --clients the tests of other projects are run, and the calls that come from
    outside the library are counted. Clients are named as subjects are: a folder,
    git:PATH-OR-URL@REVISION, go:, maven: (published tests), pypi:. Each is copied, and runs in an
    environment of its own. abs slows down the methods that come first, as long as the store has
    the result. A configuration may name the clients instead.

    With --suite the project's own benchmarks and unit tests are run once or twice. Methods
    that no benchmark calls come first, those that the unit tests call most in front.

    --stubs writes a JMH class, Go functions, or tests for pytest-benchmark. They are for the most
    used methods (--top) that no benchmark calls, then for those whose slowdown no benchmark detects
    (by the last result of abs). Arguments are values that the tests of clients passed. The files
    compile and run; a value that is unknown is named when the benchmark runs. No file is
    overwritten.

    \b
    bench-audit trace --library . --clients ../app git:https://example.org/tool@main
    bench-audit trace --suite .
    bench-audit trace . --stubs new-benchmarks
    bench-audit trace --suite . --format json | jq '.methods[] | select(.called_by == [])'
    """
    counts = in_benchmarks or option_values["library"] or option_values["clients"]
    if option_values["method"] and not option_values["into"]:
        raise UsageError("--method needs --stubs FOLDER, the folder for new benchmarks; add it")
    if option_values["into"] and not counts:
        command_line = _make_command_line(
            context,
            _require_single_input(option_values["given"]),
            _collect_changes(option_values, ()),
        )
    elif in_benchmarks:
        command_line = _count_in_benchmarks(context, option_values)
    else:
        command_line = _count_in_clients(context, option_values)
    if option_values["into"]:
        write_stubs(
            command_line,
            option_values["into"],
            option_values["method"],
            stdout_has_result=bool(counts),
        )
    return Exit.OK


def _count_in_benchmarks(
    context: click.Context, option_values: Mapping[str, Any]
) -> options.CommandLine:
    if option_values["library"] or option_values["clients"]:
        raise UsageError(
            "--suite counts calls of the project's own benchmarks; leave out --library and "
            "--clients"
        )
    if option_values["format"] == "csv" or any(
        file.suffix == ".csv" for file in option_values["output"].files
    ):
        raise UsageError("CSV works only with --clients; use --format json")
    from auditor.trace.assemble import open_suite_tracing  # noqa: PLC0415 numpy and scipy come with it

    command_line = _make_command_line(
        context, _require_single_input(option_values["given"]), _collect_changes(option_values, ())
    )
    with open_work(command_line, open_suite_tracing) as (work, console):
        document = work.trace_suite()
        terminal.FILES.write_results(command_line.places.output, document)
    terminal.FILES.print_result(document, option_values["format"], console)
    terminal.FILES.deliver_files(option_values, command_line.places.output, console)
    return command_line


def _count_in_clients(
    context: click.Context, option_values: Mapping[str, Any]
) -> options.CommandLine:
    clients = option_values["clients"]
    if option_values["library"]:
        subject, clients = option_values["library"], (*clients, *option_values["given"])
    else:
        subject = _require_single_input(option_values["given"])
    command_line = _make_command_line(context, subject, _collect_changes(option_values, clients))
    if not command_line.config.trace.clients:
        raise UsageError(
            "no code given whose calls are counted: name client projects (--library . --clients "
            "../app), or use the project's own benchmarks (--suite)"
        )
    from auditor.trace.assemble import open_profiling  # noqa: PLC0415 numpy and scipy come with it

    with open_work(command_line, open_profiling) as (work, console):
        document = work.profile_clients()
        terminal_clients.FILES.write_results(command_line.places.output, document)
    terminal_clients.FILES.print_result(document, option_values["format"], console)
    terminal_clients.FILES.deliver_files(option_values, command_line.places.output, console)
    return command_line


def _require_single_input(inputs: tuple[str, ...]) -> str:
    if len(inputs) > 1:
        raise UsageError(
            f"give only one project, not {', '.join(inputs)}; with --clients, name the library "
            "by --library"
        )
    return inputs[0] if inputs else "."


def _collect_changes(option_values: Mapping[str, Any], clients: tuple[str, ...]) -> dict[str, Any]:
    """Return the keys of the configuration that the flags set; paths are of where we are."""
    changes: dict[str, Any] = {}
    if clients:
        changes["clients"] = [
            describe_subject(parse_subject(client, Path.cwd(), "--clients")) for client in clients
        ]
    named = {"timeout": "client_timeout", "jobs": "jobs", "rank": "rank", "top": "top"}
    trace_values = {
        key: option_values[flag] for key, flag in named.items() if option_values[flag] is not None
    }
    return changes | ({"trace": trace_values} if trace_values else {})


def _make_command_line(
    context: click.Context, subject: str, changes: Mapping[str, Any]
) -> options.CommandLine:
    return options.CommandLine.from_context(
        context, {**options.collect_shared_changes(context.params), **changes}, subject
    )
