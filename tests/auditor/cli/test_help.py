"""`--help`: one screen of commands, and the options of each by purpose."""

from collections import defaultdict

import click
import pytest

from auditor.cli.context import AppContext
from auditor.cli.main import COMMANDS, cli, main
from auditor.cli.purposes import MOST_USED, PURPOSES, GroupedCommand

SCREEN = (24, 80)


def command_of(name):
    return cli.get_command(click.Context(cli), name)


def options_of(command):
    if isinstance(command, click.Group):
        return [option for name in command.commands.values() for option in options_of(name)]
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def long_name(option):
    return max(option.opts, key=len)


def test_the_list_of_commands_fits_a_screen(capsys):
    assert main(["--help"], surroundings=AppContext(environment={})) == 0

    lines = capsys.readouterr().out.splitlines()
    command_names = [name for name, entry in COMMANDS.items() if entry.purpose]
    assert len(lines) <= SCREEN[0]
    assert max(map(len, lines)) <= SCREEN[1]
    assert len(command_names) <= 16
    assert set(command_names) == {
        name for name in COMMANDS if any(f" {name} " in f"{line} " for line in lines)
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_has_help_and_a_purpose(name):
    command = command_of(name)

    grouped_options = {option for options in PURPOSES.values() for option in options}
    for option in options_of(command):
        assert option.help, long_name(option)
    if isinstance(command, GroupedCommand):
        assert {*map(long_name, options_of(command))} <= grouped_options
        assert command.ungrouped_options == []
        first = command.option_groups[0]
        assert (first.title == MOST_USED) is (name != "hosts")
        assert len(first) <= 7
    else:
        assert name in {"store", "hosts"}


def test_an_option_takes_the_same_kind_of_value_everywhere():
    kinds = defaultdict(set)
    for name in COMMANDS:
        for option in options_of(command_of(name)):
            kinds[long_name(option)].add((option.is_flag, option.metavar, type(option.type)))

    flags = {name: {flag for flag, _, _ in option_kinds} for name, option_kinds in kinds.items()}
    assert {name for name, values in flags.items() if len(values) > 1} == set()


def test_a_purpose_has_each_option_once():
    option_names = [option for options in PURPOSES.values() for option in options]

    assert len(option_names) == len({*option_names})
