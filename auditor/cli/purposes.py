"""The help of a command: its options by purpose, those that most people need first."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import click
import cloup

MOST_USED = "Options that most people need"
PURPOSES: Mapping[str, tuple[str, ...]] = {
    "Input": (
        *("--harness", "--benchmarks", "--method", "--untrusted", "--subject", "--library"),
        *("--clients", "--suite", "--run", "--class", "--old", "--new", "--commit", "--against"),
        *("--against-commit", "--unlike-machines", "--tool", "--unit", "--of", "--result"),
        *("--fix", "--cause", "--find", "--within", "--methods", "--changed", "--only"),
        *("--without", "--all", "--event", "--api", "--author"),
    ),
    "Analysis": (
        *("--slowdown", "--slowdowns", "--baseline", "--budget", "--detector", "--most"),
        *("--remove", "--mode", "--curve", "--controls", "--estimate", "--allocations", "--rank"),
        *("--top", "--stubs", "--jmh", "--dry-run", "--list", "--so-far", "--probe", "--tune"),
        *("--restore",),
    ),
    "When a difference counts": (
        *("--rule", "--min-delta", "--paper", "--as-configured", "--no-shares", "--exact"),
        *("--interleave", "--wait", "--report", "--confidence", "--stop-spread"),
        *("--acceptable-spread", "--least-conclusive", "--strict", "--control", "--alarm"),
        *("--alarm-codes",),
    ),
    "How much is measured": (
        *("--runs", "--stability-runs", "--rounds", "--confirm", "--warmup", "--model"),
        *("--iterations", "--iteration-time", "--forks", "--seed", "--retry-failed"),
        *("--client-timeout", "--jobs", "--turns", "--timeout", "--threads", "--tests"),
        *("--steady", "--crowded", "--least", "--least-repetitions", "--least-measurements"),
        *("--most-measurements", "--most-tries", "--shortest", "--longest", "--statements"),
        *("--prefix", "--processes", "--scope", "--attempt"),
    ),
    "Where it runs": (
        *("--host", "--dispatch", "--scheduler", "--rent", "--java-home", "--jvm-args"),
    ),
    "Exit code": (
        *("--fail-under", "--fail-on", "--max-false-alarms", "--must-see", "--inconclusive"),
    ),
    "Output": (
        *("--output", "--open", "--format", "--rows", "--sources", "--csv", "--github", "--store"),
        *("--quiet", "--verbose"),
    ),
}
"""Every option of every command, by its long name."""


class GroupedCommand(cloup.Command):
    """A command whose help groups the options by purpose."""

    def __init__(self, *args: Any, most_used: Sequence[str] = (), **kwargs: Any) -> None:
        """Take the options that are listed first, by their long names."""
        super().__init__(*args, **kwargs)
        options_by_name = {max(option.opts, key=len): option for option in self.ungrouped_options}
        self.option_groups = [*_build_option_groups(options_by_name, most_used)]
        grouped_options = {option for group in self.option_groups for option in group}
        self.ungrouped_options = [
            ungrouped_option
            for ungrouped_option in self.ungrouped_options
            if ungrouped_option not in grouped_options
        ]


def _build_option_groups(
    options_by_name: Mapping[str, click.Option], most_used: Sequence[str]
) -> Iterator[cloup.OptionGroup]:
    """Yield the groups that have options, with these in the order of the tables."""
    if unknown_names := {*most_used} - {*options_by_name}:
        raise ValueError(f"no such options: {unknown_names}")
    for title, names in ((MOST_USED, most_used), *PURPOSES.items()):
        is_first = title == MOST_USED
        group_names = [
            name
            for name in names
            if name in options_by_name and (is_first or name not in most_used)
        ]
        if group_names:
            group = cloup.OptionGroup(title)
            group.options = [options_by_name[name] for name in group_names]
            yield group
