"""Options that commands share, and the keys of the configuration that they set."""

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from auditor.cli.context import AppContext
from auditor.cli.interrupts import INTERRUPT_HANDLER, REMOTE_GRACE_SECONDS
from auditor.cli.output import write_file
from auditor.cli.outputs import Outputs, make_format_option
from auditor.config import Config, Places, choose_places, load_config, shares
from auditor.config.places import IGNORED, IGNORING, is_inside, without_outputs
from auditor.config.settings import HARNESS_NAMES, HARNESSES, MOST_EFFECT
from auditor.core.errors import Exit, UsageError
from auditor.core.request import FolderSpec
from auditor.core.stop_rules import Criterion
from reports import names

Function = TypeVar("Function", bound=Callable[..., object])

PATH_TYPE = click.Path(path_type=Path)


def _parse_percent_option(
    _context: click.Context, option: click.Parameter, text: str | None
) -> float | None:
    return None if text is None else shares.parse_percent(option.opts[0], text)


def _parse_change_option(
    _context: click.Context, option: click.Parameter, text: str | None
) -> float | None:
    if text is None:
        return None
    change = shares.parse_change(option.opts[0], text)
    if not 0 < change <= MOST_EFFECT:
        raise UsageError(
            f"{option.opts[0]} {text} is out of range: give more than 0% and at most "
            f"{100 * MOST_EFFECT}%"
        )
    return change


def _parse_slowdown_option(
    context: click.Context, option: click.Parameter, text: str | None
) -> float | str | None:
    return text if text == "auto" else _parse_change_option(context, option, text)


class HarnessName(click.Choice[str]):
    """A harness, by our name or by one that users have for it."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return our name."""
        name = str(value).strip().lower()
        return super().convert(HARNESS_NAMES.get(name, name), param, ctx)


def make_min_delta_option(
    meaning: str = "Smaller changes do not count",
) -> Callable[[Function], Function]:
    """Return the option of the change that counts; commands get it as a share, .05 for 5%."""
    return click.option(
        "--min-delta",
        callback=_parse_change_option,
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
SEED = click.option("--seed", type=int, help="Seed of all random choices (1).")
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
    click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler: tcp://10.0.0.1:8786."),
    click.option("--rent", metavar="FILE", help="Cluster to start and stop for this command."),
)
BUDGET = click.option(
    "--budget", metavar="DURATION", help="Time limit of the command, such as 10m."
)
SUITE_OPTIONS = (
    *SUBJECT,
    click.option("--benchmarks", metavar="REGEX", help="Only benchmarks that hold a match."),
    SEED,
    BUDGET,
    HOST,
    *DISPATCH,
)
STORE = click.option("--store", type=PATH_TYPE, help="The file of measurements.")
FORMAT = make_format_option()
VERBOSITY_OPTIONS = (
    click.option("-q", "--quiet", is_flag=True, help="Only the result and errors."),
    click.option("-v", "--verbose", count=True, help="Log to the terminal; -vv for everything."),
)
DISPLAY_OPTIONS = (FORMAT, *VERBOSITY_OPTIONS)
METHOD = click.option(
    "--method", multiple=True, metavar="NAME", help="Only this method; repeatable."
)
SLOWDOWN = click.option(
    "--slowdown",
    callback=_parse_slowdown_option,
    metavar="CHANGE",
    help='How much slower: 50% (default), 0.5 or 1.5x, or "auto".',
)
FAIL_UNDER = click.option(
    "--fail-under",
    "fail_under",
    callback=_parse_percent_option,
    metavar="PERCENT",
    help="Exit with 1 below this score, such as 80%, with 5 if undecided; compare: score of the "
    "changed methods.",
)
INCONCLUSIVE = click.option(
    "--inconclusive", type=click.Choice(["fail", "pass"]), help="Exit with 1 or 0 in place of 5."
)
_INCONCLUSIVE_CODES = {"fail": Exit.GATE_FAILED, "pass": Exit.OK}
DRY_RUN = click.option(
    "--dry-run",
    is_flag=True,
    help="Say what would be measured; only build and list a suite that is not known yet "
    "(Go: each benchmark once, for one operation).",
)
GITHUB = click.option(
    "--github",
    is_flag=True,
    help="Also write a summary and outputs for a step of GitHub Actions.",
)
RETRY_FAILED = click.option(
    "--retry-failed",
    is_flag=True,
    help="Run again what crashed, timed out or could not be read before.",
)
STABILITY_RUNS = click.option(
    "--stability-runs",
    type=int,
    help="Runs of the whole unchanged suite (5; abs: fewer where they take minutes).",
)
WARMUP = click.option(
    "--warmup",
    type=click.Choice([str(criterion) for criterion in Criterion]),
    help="What ends the warm-up of a process: the plan (fixed) or a stopping rule.",
)


def choose_exit_code(verdict: Exit, inconclusive: str | None) -> Exit:
    """Return the exit code for the verdict of the gates; `inconclusive` is that option."""
    if verdict is Exit.NO_VERDICT and inconclusive is not None:
        return _INCONCLUSIVE_CODES[inconclusive]
    return verdict


def add_options(
    *option_decorators: Callable[[Function], Function],
) -> Callable[[Function], Function]:
    """Return a decorator that adds options in the order given."""

    def decorate_function(function: Function) -> Function:
        for option_decorator in reversed(option_decorators):
            function = option_decorator(function)
        return function

    return decorate_function


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
    def from_context(
        cls,
        context: click.Context,
        changes: Mapping[str, Any],
        config_or_subject: str | None = None,
    ) -> "CommandLine":
        """Read the command line; `changes` are keys of the configuration from its flags.

        `config_or_subject` is read where that is not the command's argument `what`.
        """
        option_values: Mapping[str, Any] = context.params
        surroundings = context.find_object(AppContext) or AppContext.from_process()
        config = load_config(
            config_or_subject or option_values["what"],
            changes,
            Path.cwd(),
            as_configured=bool(option_values.get("as_configured")),
            untrusted=bool(option_values.get("untrusted")),
        )
        print_configuration_name(config, quiet=bool(option_values.get("quiet")))
        config = replace(config, retry_failed=bool(option_values.get("retry_failed")))
        if config.dispatch is not None or config.host != "local":
            INTERRUPT_HANDLER.seconds = REMOTE_GRACE_SECONDS
        is_preview = option_values.get("dry_run") or option_values.get("so_far")
        if is_preview and config.dispatch is not None and config.dispatch.rent:
            raise UsageError(
                "--dry-run and --so-far rent no machines; replace --rent by --dispatch serial"
            )
        outputs: Outputs = option_values["output"]
        chosen_places = choose_places(
            config, surroundings.environment, output=outputs.folder, store=option_values["store"]
        )
        if isinstance(config.subject, FolderSpec):
            subject = without_outputs(config.subject, chosen_places.output, outputs.files)
            config = replace(config, subject=subject)
            if is_inside(subject, chosen_places.output):
                write_file(chosen_places.output / IGNORING, IGNORED)
        return cls(
            config=config,
            places=chosen_places,
            surroundings=surroundings,
            as_json=option_values.get("format") == "json",
            quiet=option_values["quiet"],
            verbose=option_values["verbose"],
        )


def print_configuration_name(config: Config, *, quiet: bool = False) -> Config:
    """Say on stderr which configuration lay in the project, and return it."""
    if config.found_file and not quiet:
        click.echo(f"configuration: {names.escape_invisible(config.found_file)}", err=True)
    return config


def collect_shared_changes(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of the configuration that every measuring command can set."""
    option_names = ("harness", "benchmarks", "seed", "budget", "host", "dispatch")
    changes = drop_none({key: option_values.get(key) for key in option_names})
    changes |= _collect_cluster_changes(option_values, changes.get("dispatch"))
    return changes | (
        {"warmup": {"method": option_values["warmup"]}} if option_values.get("warmup") else {}
    )


def _collect_cluster_changes(
    option_values: Mapping[str, Any], dispatch: str | None
) -> dict[str, Any]:
    """Return the keys for the cluster that a flag names; of two in a file the flag wins."""
    flags = [option for option in ("scheduler", "rent") if option_values.get(option)]
    if not flags:
        return {}
    if len(flags) > 1:
        raise UsageError("--scheduler and --rent each name a cluster; leave one out")
    if dispatch == "serial":
        raise UsageError(
            f"--{flags[0]} names a cluster, but --dispatch serial uses none; leave one out"
        )
    return {
        "dispatch": "dask",
        "dask": {"scheduler": option_values.get("scheduler"), "rent": option_values.get("rent")},
    }


def find_set_option(context: click.Context, option_names: Container[str]) -> str:
    """Return the first option among these that the user has set; empty where there is none."""
    for option in context.command.params:
        source = context.get_parameter_source(option.name or "")
        if option.name in option_names and source not in (None, ParameterSource.DEFAULT):
            return option.opts[-1]
    return ""


def drop_none(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that have a value."""
    return {key: value for key, value in option_values.items() if value is not None}
