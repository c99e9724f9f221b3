"""The manual page and the shell completions, made from the commands, so they are never stale."""

import re
from collections.abc import Callable, Iterator

import click
from click import shell_completion

from auditor.versions import find_own_version

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
        click.echo(render_manual(context.command, _find_program_name(context)), nl=False)
        context.exit()


def _show_completion(context: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell and not context.resilient_parsing:
        click.echo(
            build_completion_script(context.command, _find_program_name(context), shell), nl=False
        )
        context.exit()


def _find_program_name(context: click.Context) -> str:
    return context.info_name or "bench-audit"


def render_manual(group: click.Command, program: str) -> str:
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


def build_completion_script(group: click.Command, program: str, shell: str) -> str:
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
