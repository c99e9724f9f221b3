"""`bench-audit compare`: base against head, and the methods that head has changed."""

import logging
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from auditor.abs.gates import is_borderline_miss
from auditor.abs.model import AbsVerdict
from auditor.abs.page.report import render_page
from auditor.abs.second_look import SecondLook, out_of_time, sure_outcomes
from auditor.cli import github, options, output, purposes, running
from auditor.cli.console import Console
from auditor.cli.logs import logged
from auditor.cli.outputs import output_options
from auditor.cli.progress import observer
from auditor.compare import gates
from auditor.compare import terminal as comparison
from auditor.compare.document import ComparisonDocument
from auditor.config.judgeable import check_judgeable
from auditor.config.load import at_revision
from auditor.config.shares import as_percent
from auditor.core.errors import UsageError
from reports import results
from reports.html import gate_view

if TYPE_CHECKING:  # `--help` needs no numpy
    from auditor.compare.assemble import Comparing

_LOG = logging.getLogger(__name__)


@click.command(
    cls=purposes.Command,
    most_used=("--benchmarks", "--min-delta", "--budget", "--fail-on", "--output", "--dry-run"),
    short_help="Did a benchmark get slower from BASE to HEAD?",
)
@click.argument("base", metavar="BASE")
@click.argument("head", metavar="HEAD")
@options.options(
    *options.WHAT,
    options.min_delta(),
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
    *output_options(".json", ".html", ".md"),
    click.option(
        "--format",
        type=click.Choice(comparison.FORMATS),
        default="table",
        help="What stdout gets.",
    ),
    *options.SAID,
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Run the benchmarks of two revisions interleaved, and slow down the methods that differ.

    BASE and HEAD are revisions of the subject (HEAD~1, main, v1.2.0; a version of a Go module or a
    Maven artifact; a dot is the folder as it is), or subjects of their own. CONFIG_OR_SUBJECT is as
    for abs; a configuration is read as it lies there, whatever is in the revisions.

    What the first rounds make suspicious is run again, and only what these fresh rounds confirm is
    called a regression. --fail-under is for the part of the changed methods whose slowdown the
    suite of HEAD would detect.

    \b
    bench-audit compare origin/main HEAD --dry-run      what would be measured, and how long
    bench-audit compare origin/main HEAD
    bench-audit compare HEAD . --fail-on regression
    """
    command_line = _asked(context, given)
    console = Console(command_line.surroundings.environment, quiet=command_line.quiet)
    if given["github"]:
        github.files(command_line.surroundings.environment)
    folder = command_line.places.output
    if given["dry_run"]:
        with _comparing(command_line, console, given["base"], given["head"]) as comparing:
            plan = comparing.plan()
        as_json = given["format"] == "json"
        return running.show_plan(console, plan, _limits_in_words(command_line), as_json=as_json)
    document, second, open_ = _compare_revisions(command_line, console, given)
    verdict, lines = gates.judge(
        document,
        fail_on_regression=given["fail_on"] == "regression",
        fail_under=given["fail_under"],
        unsure=second.unsure | open_,
    )
    lines += second.said()
    code = options.exit_code(verdict, given["inconclusive"])
    comparison.keep_gate(folder, document, gate_view(verdict, code, lines))
    _show(document, given, folder, console)
    for line in lines:
        console.say(line)
    if given["github"]:
        comparison.write_for_github(
            document, (verdict, lines), folder, command_line.surroundings.environment
        )
    return code


def _show(
    document: ComparisonDocument, options_given: Mapping[str, Any], folder: Path, console: Console
) -> None:
    """Print a comparison and where its files are, and write those that -o names."""
    comparison.show(document, options_given["format"], console)
    console.note(f"\nreport: {folder / comparison.PAGE}")
    console.note(f"result: {folder / comparison.RESULT}")
    comparison.deliver_files(options_given, folder, console)


def _asked(context: click.Context, given: dict[str, Any]) -> options.CommandLine:
    """Read the command line; raises UsageError, also for a gate that can never pass."""
    command_line = options.CommandLine.of(context, changes_of(given))
    if command_line.config.compare.methods:
        from auditor.compare.study_patch import asked_of  # noqa: PLC0415 `--help` needs no numpy

        request = asked_of(command_line.config.compare, command_line.config.request)
        check_judgeable(replace(command_line.config, request=request))
    if given["fail_under"] is not None and not command_line.config.compare.methods:
        raise UsageError(
            "--fail-under needs slowed methods, and --methods 0 slows none; leave one out"
        )
    return command_line


def _compare_revisions(
    command_line: options.CommandLine, console: Console, given: Mapping[str, Any]
) -> tuple[ComparisonDocument, SecondLook, frozenset[str]]:
    """Compare two revisions, keep what came out, and return it.

    Changed methods whose misses would fail the gate on them are slowed a second time. Last come
    those whose miss is borderline.
    """
    folder = command_line.places.output
    with _comparing(command_line, console, given["base"], given["head"]) as comparing:
        found = comparing.compare()
        document = comparing.document(found)
        if found.patch.verdict is not None:
            patch = comparing.patch_document(found.patch.verdict)
            output.write(folder / "patch.json", results.text(patch))
            output.write(folder / "patch.html", render_page(patch))
        comparison.keep(folder, document)
        open_ = _borderline(found.patch.verdict)
        missed = gates.missed_methods(document, given["fail_under"], open_)
        if not missed:
            return document, SecondLook(()), open_
        again = comparing.audit_again(missed)
        if again is None:
            return document, out_of_time(missed), open_
        return document, SecondLook.of(missed, sure_outcomes(again.methods)), open_


def _borderline(verdict: AbsVerdict | None) -> frozenset[str]:
    """Return the methods whose miss says no more than a detection would."""
    methods = () if verdict is None else verdict.methods
    return frozenset(method.id for method in methods if is_borderline_miss(method))


@contextmanager
def _comparing(
    command_line: options.CommandLine, console: Console, base: str, head: str
) -> "Iterator[Comparing]":
    """Make two revisions ready, with a log and progress."""
    from auditor.compare.assemble import open_comparison  # noqa: PLC0415 numpy and scipy come with it

    environment = command_line.surroundings.environment
    base_config, head_config = (
        at_revision(command_line.config, one, Path.cwd()) for one in (base, head)
    )
    with (
        logged(command_line.places.output, command_line.verbose),
        observer(console, time.monotonic) as watching,
        command_line.surroundings.opener(open_comparison)(
            (base_config, head_config), command_line.places, environment, watching
        ) as comparing,
    ):
        _LOG.info("asked for %s … %s in %s", base, head, command_line.places)
        yield comparing


def _limits_in_words(command_line: options.CommandLine) -> str:
    """Return the limits that count, as they were understood."""
    request = command_line.config.compare
    return (
        f"A change counts from {as_percent(request.min_delta)} on; methods that differ are slowed "
        f"by {as_percent(request.slowdown)}."
    )


def changes_of(given: dict[str, Any]) -> dict[str, Any]:
    """Return the keys of the configuration that the options set."""
    changes = options.shared_changes(given)
    section = {key: given[key] for key in ("rounds", "confirm", "methods")}
    if given["min_delta"] is not None:
        section["min_delta"] = given["min_delta"]
    section = {key: value for key, value in section.items() if value is not None}
    if section:
        changes["compare"] = section
    if given["slowdown"] is not None:
        changes["slowdown"] = given["slowdown"]
    return changes
