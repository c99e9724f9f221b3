"""The command group, and how errors become exit codes."""

import gc
import io
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

import click
from click import shell_completion

from auditor.cli import interrupts
from auditor.cli.context import AppContext
from auditor.cli.interrupts import INTERRUPT_HANDLER
from auditor.core.errors import AuditError, Exit, MachineError, UsageError
from auditor.versions import find_own_version
from reports import names

_COMPLETER_CLASSES: dict[str, type[shell_completion.ShellComplete]] = {
    "bash": shell_completion.BashComplete,
    "zsh": shell_completion.ZshComplete,
    "fish": shell_completion.FishComplete,
}
SHELL_NAMES = tuple(_COMPLETER_CLASSES)
_BOLD, _ITALIC, _PLAIN = r"\fB", r"\fI", r"\fR"
_PARAGRAPH_BREAK = re.compile(r"\n\s*\n")


def add_options(group: Callable[..., int]) -> Callable[..., int]:
    """Add --man and --completion to a command group."""
    manual_option = click.option(
        "--man",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_manual,
        help="Print the manual page; show it with: man -l FILE.",
    )
    completion_option = click.option(
        "--completion",
        type=click.Choice(SHELL_NAMES),
        is_eager=True,
        expose_value=False,
        callback=_show_completion,
        help="Print what makes this shell complete the command line.",
    )
    return manual_option(completion_option(group))


def _show_manual(context: click.Context, _: click.Parameter, is_requested: bool) -> None:  # noqa: FBT001 click's signature
    if is_requested and not context.resilient_parsing:
        click.echo(_render_manual(context.command, _find_program_name(context)), nl=False)
        context.exit()


def _show_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell and not context.resilient_parsing:
        click.echo(
            _build_completion_script(context.command, _find_program_name(context), shell), nl=False
        )
        context.exit()


def _find_program_name(context: click.Context) -> str:
    return context.info_name or "bench-audit"


def _render_manual(group: click.Command, program: str) -> str:
    """Return the manual page of a program in roff, section 1, with all its commands."""
    context = click.Context(group, info_name=program, **group.context_settings)
    lines = [
        f'.TH "{_escape_roff(program.upper())}" "1" "" "{_escape_roff(find_own_version())}"',
        *(".SH NAME", rf"{_escape_roff(program)} \- {_escape_roff(_extract_first_line(group))}"),
        *(".SH SYNOPSIS", f"{_BOLD}{_escape_roff(program)}{_PLAIN} [OPTIONS] COMMAND [ARGUMENTS]"),
        *(".SH OPTIONS", *_format_options(context)),
        ".SH COMMANDS",
    ]
    for command_context in _list_command_contexts(context):
        path = command_context.command_path
        arguments = " ".join(_format_arguments(command_context.command))
        lines.append(f'.SS "{_escape_roff(path.partition(" ")[2])}"')
        lines.append(f"{_BOLD}{_escape_roff(path)}{_PLAIN} [OPTIONS] {arguments}".strip())
        lines += [
            *_format_paragraphs(command_context.command.help or ""),
            *_format_options(command_context),
        ]
    return "\n".join(lines) + "\n"


def _build_completion_script(group: click.Command, program: str, shell: str) -> str:
    """Return the script that a shell reads to complete the words of a program."""
    completer_class = _COMPLETER_CLASSES[shell]
    variable = f"_{program.upper().replace('-', '_')}_COMPLETE"
    completer = completer_class(group, {}, program, variable)
    return completer.source_template % completer.source_vars() + "\n"


def _list_command_contexts(context: click.Context) -> Iterator[click.Context]:
    """Yield a context for each command that has no commands of its own."""
    group = context.command
    if not isinstance(group, click.Group):
        yield context
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command and not command.hidden:
            yield from _list_command_contexts(
                click.Context(command, context, name, **command.context_settings)
            )


def _format_arguments(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            name = _escape_roff(parameter.metavar or (parameter.name or "").upper())
            yield f"{_ITALIC}{name}{_PLAIN}{'...' if parameter.nargs == -1 else ''}"


def _format_options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        if not isinstance(parameter, click.Option) or parameter.hidden:
            continue
        names = ", ".join(parameter.opts + parameter.secondary_opts)
        value = "" if parameter.is_flag or parameter.count else f" {_format_value(parameter)}"
        yield ".TP"
        yield f"{_BOLD}{_escape_roff(names)}{_PLAIN}{value}"
        yield _escape_roff(" ".join((parameter.help or "").split()))


def _format_value(option: click.Option) -> str:
    """Return what stands for the value of an option."""
    if isinstance(option.type, click.Choice) and not option.metavar:
        return _escape_roff("|".join(map(str, option.type.choices)))
    return f"{_ITALIC}{_escape_roff(option.metavar or (option.name or '').upper())}{_PLAIN}"


def _extract_first_line(command: click.Command) -> str:
    return " ".join(_PARAGRAPH_BREAK.split((command.help or "").strip())[0].split())


def _format_paragraphs(text: str) -> Iterator[str]:
    """Yield paragraphs; click's mark `\\b` keeps the lines of one as they are."""
    for paragraph in _PARAGRAPH_BREAK.split(text.strip()):
        lines = paragraph.strip().splitlines()
        yield ".PP"
        if lines and lines[0].strip() == "\b":
            yield from (".nf", *(_escape_roff(line.strip()) for line in lines[1:]), ".fi")
        else:
            yield _escape_roff(" ".join(paragraph.split()))


def _escape_roff(text: str) -> str:
    """Return a text that roff shows as it is."""
    plain = text.replace("\b", "").replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain


PROGRAM = "bench-audit"


class CommandEntry(NamedTuple):
    """A command in the list of commands."""

    module: str
    """The dotted name of the module with the click command `command`."""
    purpose: str
    """What one wants with it, the first column of the list; empty where machines call it."""
    help: str
    """The line that `bench-audit --help` shows, at most 46 letters."""


_AUDIT, _COMPARE, _READ = "Audit a suite", "Compare versions", "Read results"
_CI, _HOUSEKEEPING = "In CI", "Housekeeping"
COMMANDS: Mapping[str, CommandEntry] = {
    "abs": CommandEntry(
        "auditor.abs.command", _AUDIT, "Which slowed methods do benchmarks detect?"
    ),
    "stability": CommandEntry(
        "auditor.abs.command_stability", _AUDIT, "How much do repeated runs vary?"
    ),
    "trace": CommandEntry(
        "auditor.stubs.command_trace", _AUDIT, "Which methods are used and not benchmarked?"
    ),
    "lint": CommandEntry(
        "auditor.lint.command", _AUDIT, "What is wrong in the benchmarks' sources?"
    ),
    "compare": CommandEntry(
        "auditor.compare.command", _COMPARE, "Did a benchmark get slower from BASE to HEAD?"
    ),
    "backtest": CommandEntry(
        "auditor.backtest.command", _COMPARE, "Would the suite have detected past changes?"
    ),
    "concurrency": CommandEntry(
        "auditor.concurrency.command", _COMPARE, "Is a thread-safe class slower under threads?"
    ),
    "analyze": CommandEntry(
        "auditor.analyze.command", _READ, "What do files of JMH, go test, pytest … say?"
    ),
    "steady": CommandEntry(
        "auditor.steady.command", _READ, "When is each process of a benchmark warm?"
    ),
    "similarity": CommandEntry(
        "auditor.similarity.command", _READ, "Are the runs of a benchmark alike?"
    ),
    "report": CommandEntry(
        "auditor.housekeeping.report", _READ, "Write the last audit's report again."
    ),
    "select": CommandEntry(
        "auditor.select.command", _CI, "Which benchmarks fit a time, which can go?"
    ),
    "qualify": CommandEntry(
        "auditor.qualify.command", _CI, "Does your performance gate work at all?"
    ),
    "init": CommandEntry(
        "auditor.housekeeping.init", _HOUSEKEEPING, "Write a first configuration."
    ),
    "doctor": CommandEntry(
        "auditor.housekeeping.doctor", _HOUSEKEEPING, "Which tools are here? Is the machine quiet?"
    ),
    "store": CommandEntry(
        "auditor.housekeeping.store", _HOUSEKEEPING, "List, check, merge and prune measurements."
    ),
    "hosts": CommandEntry(
        "auditor.housekeeping.hosts", "", "Which machines are rented? Remove those left behind."
    ),
    "comment": CommandEntry(
        "auditor.compare.command_comment", "", "Write a comparison on its pull request."
    ),
}
"""By name. Modules are named by strings, so that listing the commands loads none of them."""
_FIRST_LOOK_MODULE = "auditor.housekeeping.first_look"
"""What looks at the folder where no command is given."""
_LISTED_COMMANDS = {name: entry for name, entry in COMMANDS.items() if entry.purpose}

EPILOG = (
    "Also --version, --man, --completion. Options: bench-audit COMMAND --help",
    "Start with: bench-audit abs . --dry-run",
)


class LazyGroup(click.Group):
    """Loads a command when it is called; `--help` loads none."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 click's signature
        """Return the names in the order of the table, without those that machines call."""
        return list(_LISTED_COMMANDS)

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
        is_unknown = args[0] not in COMMANDS and not args[0].startswith("-")
        # A shell that completes a line parses it, and wants no error.
        if is_unknown and not ctx.resilient_parsing:
            close_names = get_close_matches(args[0], COMMANDS, n=1)
            hint = (
                f"did you mean {close_names[0]}?"
                if close_names
                else f"there are {', '.join(_LISTED_COMMANDS)}"
            )
            raise UsageError(f"no such command: {args[0]}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002 click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        """List the commands from the table, each purpose in front of its first one."""
        formatter.write_paragraph()
        rows, last_purpose = [], ""
        for name, entry in _LISTED_COMMANDS.items():
            purpose = "" if entry.purpose == last_purpose else entry.purpose
            rows.append((f"{purpose:<17}{name:<11}", entry.help))
            last_purpose = entry.purpose
        formatter.write_dl(rows)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands; what options there are stands below them."""
        self.format_commands(ctx, formatter)

    def format_epilog(
        self,
        ctx: click.Context,  # noqa: ARG002 click's signature
        formatter: click.HelpFormatter,
    ) -> None:
        """Say how to go on."""
        formatter.write_paragraph()
        for line in EPILOG:
            formatter.write(f"{line}\n")


def _show_version(context: click.Context, _: click.Parameter, is_requested: bool) -> None:  # noqa: FBT001 click's signature
    if not is_requested or context.resilient_parsing:
        return
    try:
        version_text = version(PROGRAM)
    except PackageNotFoundError:
        version_text = "unknown (not installed)"
    click.echo(f"{PROGRAM} {version_text}")
    context.exit()


@click.group(
    cls=LazyGroup,
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
@add_options
@click.pass_context
def cli(context: click.Context) -> int:
    """Would your benchmarks detect it if a method got slower?"""
    if context.invoked_subcommand is None:
        describe_folder: Callable[[Path], Sequence[str]] = import_module(
            _FIRST_LOOK_MODULE
        ).first_look
        lines = describe_folder(Path.cwd())
        click.echo("\n".join(lines) if lines else context.get_help())
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
                surroundings or AppContext.from_process(),
                arguments=tuple(map(str, sys.argv[1:] if argv is None else argv)),
            ),
        )
        return int(code or Exit.OK)
    except (Exception, KeyboardInterrupt) as error:
        return _report_error(error)


def _report_error(error: BaseException) -> Exit:
    """Say what has ended a command, and return the code for it."""
    # After an interrupt other threads fail as what they wait for is ended, and a library may turn
    # it into an error of its own.
    if INTERRUPT_HANDLER.requested or isinstance(error, (click.Abort, KeyboardInterrupt)):
        click.echo(interrupts.INTERRUPT_MESSAGE, err=True)
        return Exit.INTERRUPTED
    if isinstance(error, click.ClickException):
        _print_error("usage", _format_usage_error(error))
        return Exit.USAGE
    if isinstance(error, AuditError):
        _print_error(error.slug, str(error))
        return error.exit_code
    traceback.print_exception(error)
    _print_error(
        "internal", "this is a bug in bench-audit; please report it with the traceback above"
    )
    return Exit.INTERNAL


def _refuse_unsupported(platform: str) -> None:
    if platform not in ("linux", "darwin"):
        raise MachineError(
            f"bench-audit runs on Linux and macOS, not on {platform}; use a Linux machine, a "
            "container or WSL 2"
        )


def _print_error(slug: str, message: str) -> None:
    # The subject's compiler, or a test program, may have written escapes for the terminal.
    click.echo(f"error[{slug}]: {names.escape_invisible(_join_lines(message))}", err=True)


def _join_lines(message: str) -> str:
    """Join lines (a compiler's, mostly): one error is one line for whoever searches a log."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return "; ".join(lines).replace(":; ", ": ")


def _find_option_owners(error: click.ClickException) -> list[str]:
    """Return the commands that have the option which this command has not."""
    if not isinstance(error, click.NoSuchOption):
        return []
    return [
        name
        for name in _LISTED_COMMANDS
        for option in getattr(cli.get_command(click.Context(cli), name), "params", ())
        if error.option_name in option.opts
    ]


def _format_usage_error(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split()).rstrip(".")
    if owners := _find_option_owners(error):
        owner_names = f"{', '.join(owners[:-1])} and {owners[-1]}" if owners[1:] else owners[0]
        message = f"no such option {error.option_name}; it belongs to {owner_names}"  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    command_path = context.command_path if context else PROGRAM
    return f"{message[:1].lower()}{message[1:]} (see {command_path} --help)"


def run_program() -> int:
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
