"""Options that commands share, and the keys of the configuration that they set."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from auditor.cli.context import AppContext
from auditor.cli.interrupts import FAR_SECONDS, INTERRUPTS
from auditor.cli.output import write
from auditor.cli.outputs import Outputs
from auditor.config import Config, Places, load, places, shares
from auditor.config.places import IGNORED, IGNORING, is_inside, without_outputs
from auditor.config.settings import HARNESS_NAMES, HARNESSES, MOST_EFFECT
from auditor.core.errors import Exit, UsageError
from auditor.core.request import FolderSpec
from auditor.core.stop_rules import Criterion
from reports import names

Function = TypeVar("Function", bound=Callable[..., object])

PATH = click.Path(path_type=Path)


def _percent(_context: click.Context, option: click.Parameter, given: str | None) -> float | None:
    return None if given is None else shares.percent(option.opts[0], given)


def _change(_context: click.Context, option: click.Parameter, given: str | None) -> float | None:
    if given is None:
        return None
    found = shares.change(option.opts[0], given)
    if not 0 < found <= MOST_EFFECT:
        raise UsageError(
            f"{option.opts[0]} {given} is out of range: give more than 0% and at most "
            f"{100 * MOST_EFFECT}%"
        )
    return found


def _slowdown(
    context: click.Context, option: click.Parameter, given: str | None
) -> float | str | None:
    return given if given == "auto" else _change(context, option, given)


class HarnessName(click.Choice[str]):
    """A harness, by our name or by one that users have for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return our name."""
        name = str(value).strip().lower()
        return super().convert(HARNESS_NAMES.get(name, name), param, ctx)


def min_delta(meaning: str = "Smaller changes do not count") -> Callable[[Function], Function]:
    """Return the option of the change that counts; commands get it as a share, .05 for 5%."""
    return click.option(
        "--min-delta",
        callback=_change,
        metavar="CHANGE",
        help=f"{meaning}: 5%, 0.05 or 1.05x.",
    )


SUBJECT = (
    click.argument("what", metavar="[CONFIG_OR_SUBJECT]", default="."),
    click.option(
        "--harness",
        type=HarnessName(HARNESSES),
        help="What runs the suite; names such as pytest-benchmark, gotest and java are known.",
    ),
    click.option(
        "--untrusted",
        is_flag=True,
        help="The configuration may be a stranger's: refuse keys that name other files, machines, "
        "images or variables.",
    ),
)
SEED = click.option("--seed", type=int, help="Decides everything that is random (1).")
HOST = click.option(
    "--host",
    metavar="local|docker[:IMAGE]|ssh:TARGET",
    help="Where it runs: this machine, containers on it, or another machine.",
)
DISPATCH = (
    click.option(
        "--dispatch",
        type=click.Choice(["serial", "dask"]),
        help="One trial after the other, or on the machines of a cluster.",
    ),
    click.option("--scheduler", metavar="ADDRESS", help="Of the cluster: tcp://10.0.0.1:8786."),
    click.option("--rent", metavar="FILE", help="How a cluster is started, and ended, for this."),
)
BUDGET = click.option("--budget", metavar="DURATION", help="Most time of the command, such as 10m.")
WHAT = (
    *SUBJECT,
    click.option("--benchmarks", metavar="REGEX", help="Only benchmarks that hold a match."),
    SEED,
    BUDGET,
    HOST,
    *DISPATCH,
)
STORE = click.option("--store", type=PATH, help="The file of measurements.")
FORMAT = click.option(
    "--format", type=click.Choice(["table", "json"]), default="table", help="What stdout gets."
)
SAID = (
    click.option("-q", "--quiet", is_flag=True, help="Only the result and errors."),
    click.option("-v", "--verbose", count=True, help="Log to the terminal; -vv for everything."),
)
SHOWN = (FORMAT, *SAID)
METHOD = click.option(
    "--method", multiple=True, metavar="NAME", help="Only this method; repeatable."
)
SLOWDOWN = click.option(
    "--slowdown",
    callback=_slowdown,
    metavar="CHANGE",
    help='How much slower: 50% (default), 0.5 or 1.5x, or "auto".',
)
FAIL_UNDER = click.option(
    "--fail-under",
    "fail_under",
    callback=_percent,
    metavar="PERCENT",
    help="Exit with 1 if the score is surely below it, such as 80%; compare: that of the changed "
    "methods.",
)
INCONCLUSIVE = click.option(
    "--inconclusive", type=click.Choice(["fail", "pass"]), help="Instead of exit 5."
)
_INSTEAD = {"fail": Exit.GATE_FAILED, "pass": Exit.OK}
DRY_RUN = click.option(
    "--dry-run",
    is_flag=True,
    help="Say what would be measured; only build and list a suite that is not known yet "
    "(Go: each benchmark once, for one operation).",
)
GITHUB = click.option(
    "--github",
    is_flag=True,
    help="Leave a summary and outputs for a step of GitHub Actions, too.",
)
RETRY_FAILED = click.option(
    "--retry-failed",
    is_flag=True,
    help="Run again what crashed, timed out or could not be read before.",
)
STABILITY_RUNS = click.option(
    "--stability-runs", type=int, help="Runs of the whole unchanged suite (5)."
)
WARMUP = click.option(
    "--warmup",
    type=click.Choice([str(criterion) for criterion in Criterion]),
    help="What ends the warm-up of a process of the suite: the plan, or a rule that looks at it.",
)


def exit_code(verdict: Exit, inconclusive: str | None) -> Exit:
    """Return the exit code for the verdict of the gates; `inconclusive` is that option."""
    if verdict is Exit.NO_VERDICT and inconclusive is not None:
        return _INSTEAD[inconclusive]
    return verdict


def options(*groups: Callable[[Function], Function]) -> Callable[[Function], Function]:
    """Return a decorator that adds options in the order given."""

    def add(function: Function) -> Function:
        for group in reversed(groups):
            function = group(function)
        return function

    return add


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """A command line, read."""

    config: Config  # the configuration file with the flags over it
    places: Places  # files and folders of the store and the output
    surroundings: AppContext  # environment and console of the command
    as_json: bool  # whether the result is printed as JSON
    quiet: bool  # whether progress and notes are left out
    verbose: int  # number of -v flags

    @classmethod
    def of(
        cls, context: click.Context, changes: Mapping[str, Any], what: str | None = None
    ) -> "CommandLine":
        """Read the command line; `changes` are keys of the configuration from its flags.

        `what` is the configuration or subject, where that is not the command's argument `what`.
        """
        given: Mapping[str, Any] = context.params
        surroundings = context.find_object(AppContext) or AppContext.real()
        config = load(
            what or given["what"],
            changes,
            Path.cwd(),
            as_configured=bool(given.get("as_configured")),
            untrusted=bool(given.get("untrusted")),
        )
        name_configuration(config, quiet=bool(given.get("quiet")))
        config = replace(config, retry_failed=bool(given.get("retry_failed")))
        if config.dispatch is not None or config.host != "local":
            INTERRUPTS.seconds = FAR_SECONDS
        nothing_runs = given.get("dry_run") or given.get("so_far")
        if nothing_runs and config.dispatch is not None and config.dispatch.rent:
            raise UsageError(
                "--dry-run and --so-far rent no machines; replace --rent by --dispatch serial"
            )
        outputs: Outputs = given["output"]
        there = places(
            config, surroundings.environment, output=outputs.folder, store=given["store"]
        )
        if isinstance(config.subject, FolderSpec):
            subject = without_outputs(config.subject, there.output, outputs.files)
            config = replace(config, subject=subject)
            if is_inside(subject, there.output):
                write(there.output / IGNORING, IGNORED)
        return cls(
            config=config,
            places=there,
            surroundings=surroundings,
            as_json=given.get("format") == "json",
            quiet=given["quiet"],
            verbose=given["verbose"],
        )


def name_configuration(config: Config, *, quiet: bool = False) -> Config:
    """Say on stderr which configuration lay in the project, and return it."""
    if config.found and not quiet:
        click.echo(f"configuration: {names.seen(config.found)}", err=True)
    return config


def shared_changes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of the configuration that every measuring command can set."""
    named = ("harness", "benchmarks", "seed", "budget", "host", "dispatch")
    changes = without_none({key: given.get(key) for key in named})
    changes |= _cluster(given, changes.get("dispatch"))
    return changes | ({"warmup": {"method": given["warmup"]}} if given.get("warmup") else {})


def _cluster(given: Mapping[str, Any], dispatch: str | None) -> dict[str, Any]:
    """Return the keys for the cluster that a flag names; of two in a file the flag wins."""
    named = [one for one in ("scheduler", "rent") if given.get(one)]
    if not named:
        return {}
    if len(named) > 1:
        raise UsageError("--scheduler and --rent each name a cluster; leave one out")
    if dispatch == "serial":
        raise UsageError(
            f"--{named[0]} names a cluster, but --dispatch serial uses none; leave one out"
        )
    return {
        "dispatch": "dask",
        "dask": {"scheduler": given.get("scheduler"), "rent": given.get("rent")},
    }


def given_among(context: click.Context, names: Container[str]) -> str:
    """Return the first option among these that the user has set; empty where there is none."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in names and source not in (None, ParameterSource.DEFAULT):
            return option.opts[-1]
    return ""


def without_none(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that have a value."""
    return {key: value for key, value in given.items() if value is not None}
