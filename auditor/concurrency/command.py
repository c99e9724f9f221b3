"""`bench-audit concurrency`: is the new version of a class slower when threads share it?"""

import logging
import os
import time
from pathlib import Path
from typing import Any

import click

from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.cli.logs import log_to_folder
from auditor.cli.machine import warn_of_load
from auditor.cli.progress import open_observer
from auditor.concurrency import terminal
from auditor.concurrency.document import ConcurrencyDocument
from auditor.config.concurrency import ConcurrencyRequest, concurrency_request
from auditor.config.places import Places, choose_class_places
from auditor.core.request import FolderSpec
from reports.html import make_gate_view

_LOG = logging.getLogger(__name__)


def _make_option(name: str, text: str, **more: Any) -> Any:
    return click.option(name, help=text, **more)


def _make_duration_option(name: str, text: str) -> Any:
    key = f"{name.removeprefix('--')}_seconds"
    return click.option(name, key, help=text, metavar="DURATION")


PARAMETERS = (
    _make_option("--threads", "Numbers of threads, such as 2,4,16 (2,8); 1 has no vote."),
    _make_option("--tests", "Tests that are made (5).", type=int),
    _make_duration_option("--warmup", "Time before measurements (1s; the paper's t_w)."),
    _make_duration_option("--steady", "Time of a measurement (1s; the paper's t_s)."),
    _make_duration_option("--crowded", "As --steady, with more than 8 threads (the same)."),
    _make_duration_option("--least", "t_min, that a test has to last (5ms)."),
    _make_option("--least-repetitions", "r_min, in a measurement (10).", type=int),
    _make_option("--least-measurements", "m_min, of each version (3).", type=int),
    _make_option("--most-measurements", "m_max, of each version (8).", type=int),
    _make_option("--stop-spread", "Deviation at which it is enough (2%).", metavar="PART"),
    _make_option("--acceptable-spread", "Largest spread of a speed-up (20%).", metavar="PART"),
    _make_option("--least-conclusive", "Tests without which nothing is found (3).", type=int),
    _make_option("--most-tries", "Lengths of suffixes that are tried (12).", type=int),
    _make_option("--shortest", "Calls of a suffix, at least (16).", type=int),
    _make_option("--longest", "Calls of a suffix, at most (1000000).", type=int),
    _make_option("--statements", "Of a suffix, at most; it is repeated (64; 0: any).", type=int),
    _make_option("--strict/--no-strict", "The paper's oracle, by means.", default=None),
    _make_option("--prefix", "Calls that bring the object into a state (10).", type=int),
    _make_option("--report", "delta_report: smallest difference reported (5%).", metavar="PART"),
    _make_option("--confidence", "Of the intervals (99%).", metavar="PART"),
    _make_option("--processes/--no-processes", "A process for each measurement.", default=None),
    _make_option("--control/--no-control", "The same in one thread, where there is a finding.",
               default=None),
    _make_option("--scope", "all: until the last thread ends; each: the mean of the threads (all).",
               type=click.Choice(["all", "each"])),
    _make_duration_option("--attempt", "What an attempt may take while tests are made (1s)."),
)  # fmt: skip


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--class", "--old", "--new", "--threads", "--fail-on", "--output"),
    short_help="Is the new version of a thread-safe class slower under threads?",
)
@options.add_options(
    click.option("--class", "subject", required=True, help="The class under test, with package."),
    click.option("--old", required=True, metavar="VERSION", help="The version before."),
    click.option("--new", required=True, metavar="VERSION", help="The version after."),
    click.option("--paper", is_flag=True, help="The paper's parameters: hours, not minutes."),
    *PARAMETERS,
    options.SEED,
    click.option(
        "--java-home", type=options.PATH_TYPE, help="The JDK that runs the class, from 8 on."
    ),
    click.option("--jvm-args", metavar="WORDS", help='For its JVM, "--add-opens ..." say.'),
    click.option("--jmh", is_flag=True, help="Write benchmarks for JMH, too, to keep."),
    click.option(
        "--fail-on",
        type=click.Choice(["regression", "nothing"]),
        default="nothing",
        help="Exit with 1 where the new version is slower.",
    ),
    options.INCONCLUSIVE,
    options.STORE,
    *terminal.FILES.make_options(),
    *options.VERBOSITY_OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Write concurrent tests for a class, race two versions of it, and say which is faster.

    A VERSION is a class path (new.jar, new.jar:dep.jar, new.jar:libs/*; its own jar first), a
    folder of classes or of a Maven or Gradle project, git:PATH@REVISION, or
    maven:GROUP:ARTIFACT:VERSION. Tests are random calls of public methods that both versions have,
    most often of those that were changed; they stay in the output folder, as Java.

    The defaults take some minutes and give up the paper's long measurements (--paper): small
    differences stay inconclusive. Each number of threads has its own vote.

    \b
    bench-audit concurrency --class org.example.Pool --old maven:org.example:pool:1.3 \\
        --new maven:org.example:pool:1.4
    bench-audit concurrency --class org.example.Pool --old git:.@v1.3 --new . --fail-on regression
    """
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    request = concurrency_request(option_values, Path.cwd())
    quiet = option_values["quiet"] or option_values["format"] == "json"
    console = Console(surroundings.environment, quiet=quiet)
    places = choose_class_places(
        request.subject,
        tuple(request.version_texts.values()),
        surroundings.environment,
        output=option_values["output"].folder,
        store=option_values["store"],
        folders=[spec.path for spec in request.versions.values() if isinstance(spec, FolderSpec)],
    )
    if load_caveat := warn_of_load(os.getloadavg()[0], os.cpu_count() or 1):
        console.print_message(f"note[{load_caveat.slug}]: {load_caveat.text}")
    with log_to_folder(places.output, option_values["verbose"]):
        document = _run_comparison(request, places, surroundings, console)
    verdict, messages = terminal.judge_gate(
        document, fail_on_regression=option_values["fail_on"] == "regression"
    )
    code = options.choose_exit_code(verdict, option_values["inconclusive"])
    gate = make_gate_view(verdict, code, messages)
    terminal.FILES.write_gate_page(places.output, document, gate)
    terminal.FILES.print_result(document, option_values["format"], console)
    terminal.FILES.deliver_files(option_values, places.output, console)
    console.print_note(f"tests: {places.output / terminal.SUITE}")
    for line in messages:
        console.print_message(line)
    return code


def _run_comparison(
    request: ConcurrencyRequest, places: Places, surroundings: AppContext, console: Console
) -> ConcurrencyDocument:
    """Race the versions, keep what came out, and return it."""
    from auditor.concurrency.assemble import open_concurrency  # noqa: PLC0415 numpy and scipy come with it

    environment = surroundings.environment
    with (
        open_observer(console, time.monotonic) as watching,
        surroundings.find_opener(open_concurrency)(
            request, places, environment, watching
        ) as racing,
    ):
        _LOG.info("asked for %s in %s", request, places)
        verdict = racing.run_audit()
        document = racing.build_document(verdict)
        terminal.write_results(places.output, document, racing.list_test_files(verdict))
    return document
