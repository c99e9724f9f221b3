"""`bench-audit compare`: base against head, and the methods that head has changed."""

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.abs.gates import is_borderline_miss
from auditor.abs.model import AbsVerdict
from auditor.abs.page.report import render_page
from auditor.abs.second_look import SecondLook, list_sure_outcomes, make_unmeasured
from auditor.cli import options, output, purposes, running
from auditor.cli.console import Console
from auditor.cli.logs import log_to_folder
from auditor.cli.progress import open_observer
from auditor.compare import gates
from auditor.compare import terminal as comparison
from auditor.compare.document import ComparisonDocument
from auditor.config.judgeable import check_judgeable
from auditor.config.load import at_revision
from auditor.config.shares import as_percent
from auditor.core.errors import NoBenchmarks, OutOfTime, UsageError
from reports import results
from reports.html import make_gate_view

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.compare.assemble import RevisionComparer

_LOG = logging.getLogger(__name__)


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--benchmarks", "--min-delta", "--budget", "--fail-on", "--output", "--dry-run"),
    short_help="Did a benchmark get slower from BASE to HEAD?",
)
@click.argument("base", metavar="BASE")
@click.argument("head", metavar="HEAD")
@options.add_options(
    *options.SUITE_OPTIONS,
    options.make_min_delta_option(),
    click.option("--rounds", type=int, help="The most rounds before a suspicion (20)."),
    click.option("--confirm", type=int, help="Rounds that confirm a suspicion (8)."),
    options.SLOWDOWN,
    click.option("--methods", type=int, help="Changed methods to slow down at most (20; 0: none)."),
    click.option(
        "--fail-on",
        type=click.Choice(["regression", "nothing"]),
        default="nothing",
        help="Exit with 1 where a regression is confirmed.",
    ),
    options.FAIL_UNDER,
    options.INCONCLUSIVE,
    options.WARMUP,
    options.RETRY_FAILED,
    options.DRY_RUN,
    options.GITHUB,
    options.STORE,
    *comparison.FILES.make_options(),
    *options.VERBOSITY_OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Run the benchmarks of two revisions interleaved, and slow down the methods that differ.

    BASE and HEAD are revisions of the subject (HEAD~1, main, v1.2.0; a version of a Go module or a
    Maven artifact; a dot is the folder as it is), or subjects of their own. CONFIG_OR_SUBJECT is as
    for abs; a configuration is read from that path, not from the revisions.

    Suspected changes are measured again, and only what these fresh rounds confirm is called a
    regression. --fail-under is the least score of the changed methods: the part of them whose
    slowdown the suite of HEAD would detect.

    \b
    bench-audit compare origin/main HEAD --dry-run      what would be measured, and how long
    bench-audit compare origin/main HEAD
    bench-audit compare HEAD . --fail-on regression
    """
    command_line = _make_command_line(context, option_values)
    console = Console(command_line.surroundings.environment, quiet=command_line.quiet)
    if option_values["github"]:
        output.find_step_files(command_line.surroundings.environment)
    folder = command_line.places.output
    if option_values["dry_run"]:
        return _show_plan(command_line, console, option_values)
    document, second_look, borderline_misses = _compare_revisions(
        command_line, console, option_values
    )
    verdict, lines = gates.judge_gates(
        document,
        fail_on_regression=option_values["fail_on"] == "regression",
        fail_under=option_values["fail_under"],
        unsure_methods=second_look.unsure_methods | borderline_misses,
    )
    lines += second_look.describe_outcome()
    code = options.choose_exit_code(verdict, option_values["inconclusive"])
    gate = make_gate_view(verdict, code, lines)
    comparison.FILES.write_gate_page(folder, document, gate)
    _show_comparison(document, option_values, folder, console)
    for line in lines:
        console.print_message(line)
    if option_values["github"]:
        comparison.write_for_github(
            document, (verdict, lines), folder, command_line.surroundings.environment
        )
    return code


def _show_plan(
    command_line: options.CommandLine, console: Console, option_values: Mapping[str, Any]
) -> int:
    base, head = option_values["base"], option_values["head"]
    with _open_comparer(command_line, console, base, head) as comparing:
        plan = comparing.plan_comparison()
    limits = _describe_thresholds(command_line, option_values)
    return running.show_plan(console, plan, limits, as_json=option_values["format"] == "json")


def _show_comparison(
    document: ComparisonDocument, options_given: Mapping[str, Any], folder: Path, console: Console
) -> None:
    """Print a comparison and where its files are, and write those that -o names."""
    comparison.FILES.print_result(document, options_given["format"], console)
    comparison.FILES.deliver_files(options_given, folder, console)


def _make_command_line(
    context: click.Context, option_values: dict[str, Any]
) -> options.CommandLine:
    """Read the command line; raises UsageError, also for a gate that can never pass."""
    command_line = options.CommandLine.from_context(context, collect_changes(option_values))
    if command_line.config.compare.methods:
        from auditor.compare.study_patch import make_patch_request  # noqa: PLC0415 `--help` needs no numpy

        request = make_patch_request(command_line.config.compare, command_line.config.request)
        check_judgeable(replace(command_line.config, request=request))
    if option_values["fail_under"] is not None and not command_line.config.compare.methods:
        raise UsageError(
            "--fail-under needs slowed methods, and --methods 0 slows none; leave one out"
        )
    return command_line


def _compare_revisions(
    command_line: options.CommandLine, console: Console, option_values: Mapping[str, Any]
) -> tuple[ComparisonDocument, SecondLook, frozenset[str]]:
    """Compare two revisions, keep what came out, and return it.

    Changed methods whose misses would fail the gate on them are slowed a second time. Last come
    those whose miss is borderline.
    """
    folder = command_line.places.output
    with _open_comparer(
        command_line, console, option_values["base"], option_values["head"]
    ) as comparing:
        comparison_result = comparing.compare_revisions(
            has_patch_gate=option_values["fail_under"] is not None
        )
        document = comparing.store_document(comparison_result)
        if comparison_result.patch.verdict is not None:
            patch = comparing.build_patch_document(comparison_result.patch.verdict)
            output.write_file(folder / "patch.json", results.format_json(patch))
            output.write_file(folder / "patch.html", render_page(patch))
        comparison.FILES.write_results(folder, document)
        borderline_misses = _list_borderline_misses(comparison_result.patch.verdict)
        missed = gates.list_missed_methods(document, option_values["fail_under"], borderline_misses)
        if not missed:
            return document, SecondLook(()), borderline_misses
        return document, _look_again(comparing, missed), borderline_misses


def _look_again(comparing: "RevisionComparer", missed: Sequence[str]) -> SecondLook:
    """Slow missed methods down a second time; what cannot be measured again is unsure."""
    try:
        repeated_verdict = comparing.repeat_patch_audit(missed)
    except (UsageError, OutOfTime, NoBenchmarks) as error:
        return make_unmeasured(missed, f"missed, and not measured again: {error}")
    if repeated_verdict is None:
        return make_unmeasured(missed)
    return SecondLook.from_outcomes(missed, list_sure_outcomes(repeated_verdict.methods))


def _list_borderline_misses(verdict: AbsVerdict | None) -> frozenset[str]:
    """Return the methods whose miss says no more than a detection would."""
    methods = () if verdict is None else verdict.methods
    return frozenset(method.id for method in methods if is_borderline_miss(method))


@contextmanager
def _open_comparer(
    command_line: options.CommandLine, console: Console, base: str, head: str
) -> "Iterator[RevisionComparer]":
    """Make two revisions ready, with a log and progress."""
    from auditor.compare.assemble import open_comparison  # noqa: PLC0415 numpy and scipy come with it

    environment = command_line.surroundings.environment
    base_config, head_config = (
        at_revision(command_line.config, revision, Path.cwd()) for revision in (base, head)
    )
    with (
        log_to_folder(command_line.places.output, command_line.verbose),
        open_observer(console, time.monotonic) as trial_observer,
        command_line.surroundings.find_opener(open_comparison)(
            (base_config, head_config), command_line.places, environment, trial_observer
        ) as comparing,
    ):
        _LOG.info("asked for %s … %s in %s", base, head, command_line.places)
        yield comparing


def _describe_thresholds(
    command_line: options.CommandLine, option_values: Mapping[str, Any]
) -> str:
    """Return the limits that count, as they were understood."""
    request = command_line.config.compare
    text = (
        f"A change counts from {as_percent(request.min_delta)} on; methods that differ are slowed "
        f"by {as_percent(request.slowdown)}"
    )
    if option_values["fail_on"] == "regression":
        text += "; a confirmed regression fails the gate"
    if option_values["fail_under"] is not None:
        least = option_values["fail_under"]
        text += f"; at least {least:g}% of the methods that differ have to be detected"
    return f"{text}."


def collect_changes(option_values: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of the configuration that the options set."""
    changes = options.collect_shared_changes(option_values)
    section = {key: option_values[key] for key in ("rounds", "confirm", "methods")}
    if option_values["min_delta"] is not None:
        section["min_delta"] = option_values["min_delta"]
    section = {key: value for key, value in section.items() if value is not None}
    if section:
        changes["compare"] = section
    if option_values["slowdown"] is not None:
        changes["slowdown"] = option_values["slowdown"]
    return changes
