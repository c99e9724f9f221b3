"""The manual page and the shell completions, made from the commands, so they are never stale."""

import re
from collections.abc import Callable, Iterator

import click
from click import shell_completion

from auditor.versions import own_version

_SHELLS: dict[str, type[shell_completion.ShellComplete]] = {
    "bash": shell_completion.BashComplete,
    "zsh": shell_completion.ZshComplete,
    "fish": shell_completion.FishComplete,
}
SHELLS = tuple(_SHELLS)
_BOLD, _ITALIC, _PLAIN = r"\fB", r"\fI", r"\fR"
_PARAGRAPH = re.compile(r"\n\s*\n")


def add_options(group: Callable[..., int]) -> Callable[..., int]:
    """Add --man and --completion to a command group."""
    manual = click.option(
        "--man",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_manual,
        help="Print the manual page; show it with: man -l FILE.",
    )
    complete = click.option(
        "--completion",
        type=click.Choice(SHELLS),
        is_eager=True,
        expose_value=False,
        callback=_show_completion,
        help="Print what makes this shell complete the command line.",
    )
    return manual(complete(group))


def _show_manual(context: click.Context, _: click.Parameter, wanted: bool) -> None:  # noqa: FBT001 click's signature
    if wanted and not context.resilient_parsing:
        click.echo(manual_page(context.command, _program(context)), nl=False)
        context.exit()


def _show_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell and not context.resilient_parsing:
        click.echo(completion(context.command, _program(context), shell), nl=False)
        context.exit()


def _program(context: click.Context) -> str:
    return context.info_name or "bench-audit"


def manual_page(group: click.Command, program: str) -> str:
    """Return the manual page of a program in roff, section 1, with all its commands."""
    context = click.Context(group, info_name=program, **group.context_settings)
    lines = [
        f'.TH "{_escape(program.upper())}" "1" "" "{_escape(own_version())}"',
        *(".SH NAME", rf"{_escape(program)} \- {_escape(_first_line(group))}"),
        *(".SH SYNOPSIS", f"{_BOLD}{_escape(program)}{_PLAIN} [OPTIONS] COMMAND [ARGUMENTS]"),
        *(".SH OPTIONS", *_options(context)),
        ".SH COMMANDS",
    ]
    for inner in _commands(context):
        path = inner.command_path
        arguments = " ".join(_arguments(inner.command))
        lines.append(f'.SS "{_escape(path.partition(" ")[2])}"')
        lines.append(f"{_BOLD}{_escape(path)}{_PLAIN} [OPTIONS] {arguments}".strip())
        lines += [*_text(inner.command.help or ""), *_options(inner)]
    return "\n".join(lines) + "\n"


def completion(group: click.Command, program: str, shell: str) -> str:
    """Return the script that a shell reads to complete the words of a program."""
    made = _SHELLS[shell]
    variable = f"_{program.upper().replace('-', '_')}_COMPLETE"
    complete = made(group, {}, program, variable)
    return complete.source_template % complete.source_vars() + "\n"


def _commands(context: click.Context) -> Iterator[click.Context]:
    """Yield a context for each command that has no commands of its own."""
    group = context.command
    if not isinstance(group, click.Group):
        yield context
        return
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command and not command.hidden:
            yield from _commands(click.Context(command, context, name, **command.context_settings))


def _arguments(command: click.Command) -> Iterator[str]:
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            name = _escape(parameter.metavar or (parameter.name or "").upper())
            yield f"{_ITALIC}{name}{_PLAIN}{'...' if parameter.nargs == -1 else ''}"


def _options(context: click.Context) -> Iterator[str]:
    for parameter in context.command.get_params(context):
        if not isinstance(parameter, click.Option) or parameter.hidden:
            continue
        names = ", ".join(parameter.opts + parameter.secondary_opts)
        value = "" if parameter.is_flag or parameter.count else f" {_value(parameter)}"
        yield ".TP"
        yield f"{_BOLD}{_escape(names)}{_PLAIN}{value}"
        yield _escape(" ".join((parameter.help or "").split()))


def _value(option: click.Option) -> str:
    """Return what stands for the value of an option."""
    if isinstance(option.type, click.Choice) and not option.metavar:
        return _escape("|".join(map(str, option.type.choices)))
    return f"{_ITALIC}{_escape(option.metavar or (option.name or '').upper())}{_PLAIN}"


def _first_line(command: click.Command) -> str:
    return " ".join(_PARAGRAPH.split((command.help or "").strip())[0].split())


def _text(text: str) -> Iterator[str]:
    """Yield paragraphs; click's mark `\\b` keeps the lines of one as they are."""
    for paragraph in _PARAGRAPH.split(text.strip()):
        lines = paragraph.strip().splitlines()
        yield ".PP"
        if lines and lines[0].strip() == "\b":
            yield from (".nf", *(_escape(line.strip()) for line in lines[1:]), ".fi")
        else:
            yield _escape(" ".join(paragraph.split()))


def _escape(text: str) -> str:
    """Return a text that roff shows as it is."""
    plain = text.replace("\b", "").replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{plain}" if plain.startswith((".", "'")) else plain
