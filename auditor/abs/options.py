"""The options of `abs`, and the keys of the configuration that they set."""

from collections.abc import Mapping
from typing import Any

import click

from auditor.cli import options

BASELINE = click.option(
    "--baseline",
    type=options.PATH_TYPE,
    metavar="RESULT",
    help="Exit with 1 if a method detected in this result is now missed.",
)
JUDGED = (
    options.METHOD,
    click.option("--runs", type=int, help="Runs that must agree on a detection (2)."),
    options.STABILITY_RUNS,
    options.SLOWDOWN,
    click.option(
        "--wait",
        type=click.Choice(["auto", "sleep", "spin", "work"]),
        help="How a delay passes its time: asleep, in a loop, or by work (auto).",
    ),
    click.option(
        "--rule", type=click.Choice(["ours", "paper", "gate"]), help="How a detection is decided."
    ),
    options.make_min_delta_option(
        "Slowdown at which your gate fires; the default rule is then gate"
    ),
    click.option("--paper", is_flag=True, help="The paper's rule, with delays that sleep."),
    click.option(
        "--mode", type=click.Choice(["matrix", "score"]), help="score: stop at the first detection."
    ),
    click.option(
        "--curve",
        type=click.Choice(["none", "methods", "pairs"]),
        help="Find the smallest detected slowdown: of each method (default), of each pair.",
    ),
    click.option("--controls", type=int, help="A/A controls of each method (1)."),
    click.option(
        "--estimate", is_flag=True, help="Predict from how long methods take; slow none down."
    ),
    click.option(
        "--allocations",
        is_flag=True,
        help="Also test whether benchmarks show one more allocation per call (one more short "
        "process per pair).",
    ),
    click.option(
        "--as-configured",
        is_flag=True,
        help="With JavaABS' file: its confidence and min_effect_size instead of .01 and half of "
        "the slowdown.",
    ),
    click.option(
        "--no-shares",
        is_flag=True,
        help="Decide by injected delays alone; no CPU samples of the unchanged benchmarks.",
    ),
    click.option("--exact", is_flag=True, help="No pruning, no early stopping."),
    click.option(
        "--interleave",
        is_flag=True,
        help="With --paper: interleave plain and slowed runs, so that drift affects both.",
    ),
    options.FAIL_UNDER,
    BASELINE,
    options.INCONCLUSIVE,
)
SWITCHES = ("exact", "estimate", "allocations", "interleave")


def judged_changes(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys that the options of `abs` set."""
    named = ("runs", "stability_runs", "wait", "rule", "slowdown", "mode", "curve", "controls")
    changes = options.drop_none({key: option_values[key] for key in named})
    if option_values["paper"]:
        changes = {"wait": "sleep", **changes, "rule": "paper"}
        if not option_values["as_configured"]:
            changes["min_delta"] = None  # the paper's own: a gate's limit in the file is another
    changes |= {flag: True for flag in SWITCHES if option_values[flag]}
    if option_values["no_shares"]:
        changes["shares"] = False
    if option_values["method"]:
        changes["methods"] = (
            "auto" if option_values["method"] == ("auto",) else option_values["method"]
        )
    if option_values["fail_under"] is not None:
        changes["gates"] = {"min_score": option_values["fail_under"]}
    if option_values["min_delta"] is not None:
        changes = {"rule": "gate", **changes, "min_delta": option_values["min_delta"]}
    return options.collect_shared_changes(option_values) | changes
