"""`bench-audit steady`: when are the benchmarks warm?"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import click

from auditor.cli import options, purposes
from auditor.cli.context import AppContext
from auditor.core.errors import UsageError
from auditor.core.provenance import Context
from auditor.core.series.steady import SteadyLabel
from auditor.core.series.stored import StoredResults
from auditor.core.stop_rules import Criterion
from auditor.series import running as series
from auditor.series.question import ProgressCallback
from auditor.steady import live, page, study, terminal
from auditor.steady.document import SteadyDocument, steady_document
from auditor.warmup.cpssd import CpSsd
from auditor.warmup.detector import Detector
from auditor.warmup.kbkssd import KbKssd
from auditor.warmup.learned import LearnedDetector

DETECTORS: dict[str, type[Detector]] = {
    "learned": LearnedDetector,
    "kb-kssd": KbKssd,
    "cp-ssd": CpSsd,
}


_COMMAND = "bench-audit.command"
_OF_LIVE = ("warmup", "model")
_LEFT_OF_LIVE = ("format", "quiet", "verbose", *_OF_LIVE)
"""Options that go with -- COMMAND."""


class SteadyCommand(purposes.GroupedCommand):
    """Keeps what follows `--`: the command that is run, and no input."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what stands in front of `--`."""
        if "--" in args:
            index = args.index("--")
            ctx.meta[_COMMAND] = tuple(args[index + 1 :])
            args = args[:index]
        return super().parse_args(ctx, args)


@click.command(
    cls=SteadyCommand,
    most_used=("--detector", "--run", "--benchmarks", "--output"),
    short_help="When are the benchmarks warm, and is their warm-up long enough?",
)
@options.add_options(
    click.argument("files", metavar="(INPUT... | - | -- COMMAND...)", nargs=-1),
    click.option(
        "--detector",
        type=click.Choice(list(DETECTORS)),
        default="learned",
        show_default=True,
        help="How it is found.",
    ),
    click.option(
        "--warmup",
        type=click.Choice(
            [str(criterion) for criterion in Criterion if criterion is not Criterion.FIXED]
        ),
        help="Of -- COMMAND: the rule that tells that a process is warm (learned).",
    ),
    click.option(
        "--model", type=options.PATH_TYPE, help="Of -- COMMAND: the file of a model of it."
    ),
    *series.OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Tell when each process of each benchmark is warm, and what its warm-up does.

    An INPUT is a file or a folder of results that hold the values of single iterations, with the
    warm-up where there is one: JMH's log or JSON, pyperf's, the folder of a corpus, CSV; or a
    store. Nothing is run for these.

    A configuration, a jar, maven:… and the like are a suite, as for abs, and so is a folder with
    --run: its benchmarks are run from the start of a process on, without any warm-up.

    -- COMMAND runs JMH or go test, and - reads what one prints: each process is judged while it
    runs. Nothing is changed or ended. Rules need several seconds of iterations, models a hundred
    iterations of JMH and more.

    \b
    bench-audit steady jmh.log
    bench-audit steady . --run --benchmarks Parse
    bench-audit steady -- go test -bench Parse -count 40
    java -jar benchmarks.jar | bench-audit steady -
    bench-audit steady jmh.log --detector kb-kssd --format json | jq '.series[].steady_from'
    """
    if (live_words := _live_words(context, option_values)) is not None:
        surroundings = context.find_object(AppContext) or AppContext.from_process()
        return live.watch_command(live_words, option_values, surroundings)
    detector = DETECTORS[option_values["detector"]]()
    answer = series.SeriesCommand(
        verb="steady",
        own_options=(f"--detector={detector.name}",),
        doing="benchmarks judged",
        forks=1,
        least=detector.min_iterations,
        judged=partial(_judge_series, detector),
        table=terminal.build_table,
        page=_page_of,
        is_judged=lambda document: any(
            benchmark.label is not SteadyLabel.UNKNOWN for benchmark in document.benchmarks
        ),
    )
    return series.run_series_command(context, option_values, answer)


def _live_words(context: click.Context, option_values: Mapping[str, Any]) -> Sequence[str] | None:
    """Return the command that is watched, "-" for standard input, None for results and suites."""
    words: Sequence[str] | None = context.meta.get(_COMMAND)
    if words is None and not live.is_pipe(option_values["files"]):
        if not option_values["files"]:
            raise UsageError(
                "no input given: name results, a suite, - for standard input, or -- and a command"
            )
        if wrong := options.find_set_option(context, _OF_LIVE):
            raise UsageError(f"{wrong} works only with -- COMMAND; leave it out")
        return None
    if words is not None and option_values["files"]:
        raise UsageError(
            f"{option_values['files'][0]} and a command after -- are given; choose one"
        )
    if words == ():
        raise UsageError("no command given: write it after --")
    if wrong := options.find_set_option(context, set(option_values) - {*_LEFT_OF_LIVE, "files"}):
        raise UsageError(
            f"{wrong} works only with results and suites, not with -- COMMAND; leave it out"
        )
    return words if words is not None else option_values["files"]


def _judge_series(
    detector: Detector,
    results: StoredResults,
    context: Callable[[], Context],
    report_progress: ProgressCallback,
) -> SteadyDocument:
    """Return when each process is warm; `report_progress` gets numbers of benchmarks.

    `context` is called once all are judged.
    """
    steadiness = study.judge_suite(results, detector, report_progress)
    return steady_document(steadiness, context())


def _page_of(document: SteadyDocument, results: StoredResults) -> str:
    """Return the page, with the values of each process."""
    values = {
        (name, number, fork): process.all_values
        for number, run in enumerate(results.runs)
        for name, processes in run.processes.items()
        for fork, process in enumerate(processes)
    }
    return page.render_html(document, values)
