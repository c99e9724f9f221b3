"""The command group, and how errors become exit codes."""

import gc
import io
import sys
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import click

from auditor.cli import interrupts, manual
from auditor.cli.context import AppContext
from auditor.cli.interrupts import INTERRUPTS
from auditor.core.errors import AuditError, Exit, MachineError, UsageError
from reports import names

PROGRAM = "bench-audit"


class CommandEntry(NamedTuple):
    """A command in the list of commands."""

    module: str
    """The dotted name of the module with the click command `command`."""
    help: str
    """The line that `bench-audit --help` shows."""


COMMANDS: Mapping[str, CommandEntry] = {
    "init": CommandEntry(
        "auditor.housekeeping.init",
        "Write a first configuration by looking at the project.",
    ),
    "abs": CommandEntry(
        "auditor.abs.command",
        "Would the suite notice if a method got slower?",
    ),
    "stability": CommandEntry(
        "auditor.abs.command_stability",
        "How far do repeated runs of the suite lie apart?",
    ),
    "measure": CommandEntry(
        "auditor.abs.command_measure",
        "Run the benchmarks and keep every value.",
    ),
    "trace": CommandEntry(
        "auditor.trace.command",
        "Which public methods do others call, and which have no benchmark?",
    ),
    "stubs": CommandEntry(
        "auditor.stubs.command",
        "Begin benchmarks for methods that none watches.",
    ),
    "compare": CommandEntry(
        "auditor.compare.command",
        "Did a benchmark get slower from BASE to HEAD, and would one have noticed?",
    ),
    "backtest": CommandEntry(
        "auditor.backtest.command",
        "Would the suite have noticed past changes of performance?",
    ),
    "concurrency": CommandEntry(
        "auditor.concurrency.command",
        "Is the new version of a thread-safe class slower under threads?",
    ),
    "qualify": CommandEntry(
        "auditor.qualify.command",
        "Does your performance gate work at all?",
    ),
    "lint": CommandEntry(
        "auditor.lint.command",
        "What is wrong with the benchmarks, by their sources alone?",
    ),
    "report": CommandEntry(
        "auditor.housekeeping.report",
        "Write the report of the last audit again; runs nothing.",
    ),
    "select": CommandEntry(
        "auditor.select.command",
        "Which benchmarks to run where time is short, and which can go? Runs nothing.",
    ),
    "judge": CommandEntry(
        "auditor.judge.command",
        "Judge a result file of the paper's research tools; runs nothing.",
    ),
    "steady": CommandEntry(
        "auditor.steady.command",
        "When are the benchmarks of stored results warm? Runs nothing.",
    ),
    "similarity": CommandEntry(
        "auditor.similarity.command",
        "Are the runs in stored results alike? Runs nothing.",
    ),
    "watch": CommandEntry(
        "auditor.watch.command",
        "When is a benchmark warm that runs elsewhere?",
    ),
    "store": CommandEntry(
        "auditor.housekeeping.store",
        "List, verify, merge, export and prune what was measured.",
    ),
    "hosts": CommandEntry(
        "auditor.housekeeping.hosts",
        "Which machines are rented, and remove those of audits that were killed.",
    ),
    "comment": CommandEntry(
        "auditor.compare.command_comment",
        "Write a comparison as a comment on its pull request (for CI).",
    ),
    "doctor": CommandEntry(
        "auditor.housekeeping.doctor",
        "Which tools are here, and how to get the missing ones?",
    ),
}
"""By name. Modules are named by strings, so that listing the commands loads none of them."""

EPILOG = "Start with: bench-audit doctor, then bench-audit abs . --dry-run"


class LazyGroup(click.Group):
    """Loads a command when it is called; `--help` loads none."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 click's signature
        """Return the names in the order of a first use."""
        return list(COMMANDS)

    def get_command(
        self,
        ctx: click.Context,  # noqa: ARG002 click's signature
        cmd_name: str,
    ) -> click.Command | None:
        """Load a command."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name].module).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which one may be meant."""
        unknown = args[0] not in COMMANDS and not args[0].startswith("-")
        # A shell that completes a line parses it, and wants no error.
        if unknown and not ctx.resilient_parsing:
            close = get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(COMMANDS)}"
            raise UsageError(f"no such command: {args[0]}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands from the table."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.help) for name, entry in COMMANDS.items()])


def _show_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 click's signature
    if not wanted or context.resilient_parsing:
        return
    try:
        known = version(PROGRAM)
    except PackageNotFoundError:
        known = "unknown (not installed)"
    click.echo(f"{PROGRAM} {known}")
    context.exit()


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    no_args_is_help=False,
    invoke_without_command=True,
    context_settings={"auto_envvar_prefix": "BENCH_AUDIT", "help_option_names": ["-h", "--help"]},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@manual.add_options
@click.pass_context
def cli(context: click.Context) -> int:
    """If one of the methods that your users call got slower, would your benchmarks notice?"""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
    return Exit.OK


def main(
    argv: Sequence[str] | None = None,
    *,
    surroundings: AppContext | None = None,
    platform: str = sys.platform,
) -> int:
    """Run a command and return its exit code; the only place where errors become codes."""
    try:
        _refuse_unsupported(platform)
        code = cli.main(
            args=None if argv is None else list(argv),
            prog_name=PROGRAM,
            standalone_mode=False,
            obj=replace(
                surroundings or AppContext.real(),
                arguments=tuple(map(str, sys.argv[1:] if argv is None else argv)),
            ),
        )
        return int(code or Exit.OK)
    except (Exception, KeyboardInterrupt) as error:
        return _code_of(error)


def _code_of(error: BaseException) -> Exit:
    """Say what has ended a command, and return the code for it."""
    # After an interrupt other threads fail as what they wait for is ended, and a library may turn
    # it into an error of its own.
    if INTERRUPTS.requested or isinstance(error, (click.Abort, KeyboardInterrupt)):
        click.echo(interrupts.MESSAGE, err=True)
        return Exit.INTERRUPTED
    if isinstance(error, click.ClickException):
        _say("usage", _one_line(error))
        return Exit.USAGE
    if isinstance(error, AuditError):
        _say(error.slug, str(error))
        return error.exit_code
    traceback.print_exception(error)
    _say("internal", "this is a bug in bench-audit; please report it with the lines above")
    return Exit.INTERNAL


def _refuse_unsupported(platform: str) -> None:
    if platform not in ("linux", "darwin"):
        raise MachineError(
            f"bench-audit runs on Linux and macOS, not on {platform}; use a Linux machine, a "
            "container or WSL 2"
        )


def _say(slug: str, message: str) -> None:
    # The subject's compiler, or a test program, may have written escapes for the terminal.
    click.echo(f"error[{slug}]: {names.seen(_flat(message))}", err=True)


def _flat(message: str) -> str:
    """Join lines (a compiler's, mostly): one error is one line for whoever searches a log."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return "; ".join(lines).replace(":; ", ": ")


def _one_line(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split()).rstrip(".")
    context = getattr(error, "ctx", None)
    where = context.command_path if context else PROGRAM
    return f"{message[:1].lower()}{message[1:]} (see {where} --help)"


def program() -> int:
    """Do what the command line says, on a terminal of any kind; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot show a letter shows its number instead of ending us.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    code = main()
    # Threads that an interrupt has left behind are waited for at the end of the interpreter, unless
    # what started them is closed.
    gc.collect()
    return code
