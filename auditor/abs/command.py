"""`bench-audit abs`: would the suite detect it if a method got slower?"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from auditor.abs import running, second_look, stored_result
from auditor.abs.document import Document
from auditor.abs.exports import long_tables
from auditor.abs.gates import BaselineResult, judge_gates
from auditor.abs.next_steps import AuditCall, next_steps
from auditor.abs.recording import CSV, RecordedRuns
from auditor.cli import options, output, purposes
from auditor.cli.console import Console
from auditor.cli.outputs import make_output_options
from auditor.config import Config, choose_places
from auditor.config.judgeable import check_judgeable
from auditor.config.shares import as_percent
from auditor.core.errors import Exit, UsageError
from reports.html import make_gate_view

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


@click.command(
    cls=purposes.GroupedCommand,
    most_used=(
        "--benchmarks",
        "--method",
        "--slowdown",
        "--budget",
        "--fail-under",
        "--output",
        "--dry-run",
    ),
    short_help="Would the suite detect it if a method got slower?",
)
@options.add_options(
    *options.SUITE_OPTIONS,
    *JUDGED,
    options.WARMUP,
    options.RETRY_FAILED,
    options.GITHUB,
    options.STORE,
    *make_output_options(".json", ".html", ".md", ".csv", ".sarif"),
    *options.DISPLAY_OPTIONS,
    options.DRY_RUN,
    click.option(
        "--so-far",
        is_flag=True,
        help="Judge what the store has of this audit, and measure nothing: after an interrupt, "
        "or while it runs.",
    ),
    click.option(
        "--csv", is_flag=True, help="Also write the values as the paper's research tools do."
    ),
)
@click.pass_context
def command(context: click.Context, /, **_: object) -> int:
    """Slow methods down one at a time and see which benchmarks detect it.

    CONFIG_OR_SUBJECT is a configuration (.json, .yaml, .toml), a folder (the current one by
    default, with the configuration that lies in it), git:PATH-OR-URL@REVISION,
    go:MODULE@VERSION, maven:GROUP:ARTIFACT:VERSION or pypi:NAME@VERSION.

    \b
    bench-audit abs . --dry-run                         what would be measured, and how long
    bench-audit abs . --so-far                          what an interrupted one has found
    bench-audit abs go:github.com/google/uuid@v1.6.0    a published module
    bench-audit abs . --slowdown 0.6 --fail-under 80    a gate for CI
    """
    start_time = time.monotonic()
    command_line = options.CommandLine.from_context(context, _judged_changes(context.params))
    check_judgeable(command_line.config)
    baseline = _read_baseline(context.params["baseline"], command_line)
    command_line = _add_baseline_methods(baseline, command_line)
    if context.params["dry_run"] and context.params["so_far"]:
        raise UsageError("--dry-run and --so-far answer different questions; choose one")
    if context.params["dry_run"]:
        return running.dry_run(
            command_line, lambda audit: audit.plan_audit(), _describe_judging(command_line.config)
        )
    if context.params["github"]:
        output.find_step_files(command_line.surroundings.environment)
    # A gate that would fail is looked at a second time.
    has_gate = command_line.config.gates.min_score is not None or baseline is not None
    audited_line = second_look.limit_first_look(command_line) if has_gate else command_line
    document, console = _audit_and_show(context, audited_line)
    verdict, lines = _apply_gates(context, command_line, document, baseline, start_time)
    code = options.choose_exit_code(verdict, context.params["inconclusive"])
    folder = command_line.places.output
    running.write_gate_report(folder, document, make_gate_view(verdict, code, lines))
    running.deliver_result(context.params, folder, running.ABS, document, console)
    for line in lines:
        console.print_message(line)
    for step in next_steps(document, _make_audit_call(context, command_line, has_gate=has_gate)):
        console.print_note(f"next: {step.command}  # {step.reason}")
    if context.params["github"]:
        environment = command_line.surroundings.environment
        running.write_for_github(document, (verdict, lines), folder, environment)
    return code


def _make_audit_call(
    context: click.Context, command_line: options.CommandLine, *, has_gate: bool
) -> AuditCall:
    """Return how the audit was called, for the commands that go on from it."""
    parameters, current = context.params, command_line.places
    default_store = choose_places(command_line.config, command_line.surroundings.environment).store
    harness = ("--harness", parameters["harness"]) if parameters["harness"] else ()
    fixed = command_line.config.request.slowdown is not None
    return AuditCall(
        subject=parameters["what"],
        arguments=command_line.surroundings.arguments,
        store=None if current.store == default_store else current.store,
        result=current.output / running.ABS.result,
        options=(*harness, *(("--untrusted",) if parameters["untrusted"] else ())),
        may_have_gate=fixed and not has_gate and not parameters["so_far"],
    )


def _audit_and_show(
    context: click.Context, command_line: options.CommandLine
) -> tuple[Document, Console]:
    """Audit, or judge what the store has, show it, and return it."""
    so_far, recorded_runs = context.params["so_far"], RecordedRuns()
    if context.params["csv"]:
        command_line = replace(
            command_line, surroundings=recorded_runs.wrap_context(command_line.surroundings)
        )
    document, console = running.make_result(
        command_line,
        lambda audit: audit.store_document(
            audit.judge_stored_runs() if so_far else audit.measure_score()
        ),
        running.ABS,
    )
    running.show_result(command_line, console, document, running.ABS)
    if context.params["csv"]:
        path = command_line.places.output / CSV
        output.write_file(path, recorded_runs.format_table(document.harness))
        console.print_note(f"values: {path}")
    return long_tables.require_methods(document), console


def _apply_gates(
    context: click.Context,
    command_line: options.CommandLine,
    first: Document,
    baseline: BaselineResult | None,
    start_time: float,
) -> tuple[Exit, Sequence[str]]:
    """Return the verdict and what to say; no gate fails by what one look alone has missed."""
    limits = command_line.config.gates
    verdict, lines = judge_gates(first, limits, baseline)
    if verdict is not Exit.GATE_FAILED:
        return verdict, lines
    methods = second_look.list_suspected_misses(first, limits.min_score, baseline)
    if context.params["so_far"]:
        unmeasured = second_look.make_unmeasured(
            methods, "missed, and --so-far measures nothing again"
        )
        verdict, lines = judge_gates(first, limits, baseline, unmeasured.unsure_methods)
        return verdict, [*lines, *unmeasured.describe_outcome()]
    changes = _judged_changes(context.params) | second_look.second_look_changes(
        first, methods, command_line.config.request.suite.seed
    )
    second_command_line = replace(
        options.CommandLine.from_context(context, changes), places=command_line.places
    )
    second = second_look.take_second_look(second_command_line, methods, start_time)
    verdict, lines = judge_gates(first, limits, baseline, second.unsure_methods)
    return verdict, [*lines, *second.describe_outcome()]


def _describe_judging(config: Config) -> str:
    """Return the rule, the slowdown and the gates that count, as they were understood."""
    request = config.request
    slowdown = "from the spread" if request.slowdown is None else as_percent(request.slowdown)
    conditions = [f'Judged by rule "{request.rule.value}"', f"slowdown {slowdown}"]
    if request.min_delta is not None:
        conditions.append(f"an effect counts from {as_percent(request.min_delta)} on")
    if config.gates.min_score is not None:
        conditions.append(f"the total score has to be at least {config.gates.min_score:g}%")
    return ", ".join(conditions) + "."


def _add_baseline_methods(
    baseline: BaselineResult | None, command_line: options.CommandLine
) -> options.CommandLine:
    """Audit what a baseline is about: a method that nothing calls any more is not left out."""
    if baseline is None:
        return command_line
    methods = tuple(method.id for method in baseline.document.methods)
    request = replace(command_line.config.request, baseline_methods=methods)
    return replace(command_line, config=replace(command_line.config, request=request))


def _read_baseline(path: Path | None, command_line: options.CommandLine) -> BaselineResult | None:
    """Read what to compare with, before anything is measured; raises UsageError."""
    if path is None:
        return None
    baseline = BaselineResult(
        path.name, long_tables.require_methods(stored_result.read_result_file(path))
    )
    baseline.check_comparable(command_line.config)
    return baseline


def _judged_changes(option_values: Mapping[str, Any]) -> dict[str, Any]:
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
