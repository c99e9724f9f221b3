"""`bench-audit steady`: when are the benchmarks warm?"""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from auditor.cli import options
from auditor.core.provenance import Context
from auditor.core.series.steady import SteadyLabel
from auditor.core.series.stored import StoredResults
from auditor.series import running as series
from auditor.series.question import Told
from auditor.steady import page, study, terminal
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


@click.command(short_help="When are the benchmarks warm, and is their warm-up long enough?")
@options.options(
    click.option(
        "--detector",
        type=click.Choice(list(DETECTORS)),
        default="learned",
        show_default=True,
        help="How it is found.",
    ),
    *series.OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Tell when each process of each benchmark is warm, and what its warm-up does.

    An INPUT is a file or a folder of results that hold the values of single iterations, with the
    warm-up where there is one: JMH's log or JSON, pyperf's, the folder of a corpus, CSV; or a
    store. Nothing is run for these.

    A configuration, a jar, maven:… and the like are a suite, as for abs, and so is a folder with
    --run: its benchmarks are run from the start of a process on, without any warm-up.

    \b
    bench-audit steady jmh.log
    bench-audit steady . --run --benchmarks Parse
    bench-audit steady jmh.log --detector kb-kssd --format json | jq '.series[].steady_from'
    """
    detector = DETECTORS[given["detector"]]()
    answer = series.SeriesCommand(
        verb="steady",
        own=(f"--detector={detector.name}",),
        doing="benchmarks judged",
        forks=1,
        least=detector.least,
        judged=partial(_judge_series, detector),
        table=terminal.table,
        page=_page_of,
        is_judged=lambda found: any(one.label is not SteadyLabel.UNKNOWN for one in found.series),
    )
    return series.run_series_command(context, given, answer)


def _judge_series(
    detector: Detector, results: StoredResults, context: Callable[[], Context], told: Told
) -> SteadyDocument:
    """Return when each process is warm; `told` hears how many benchmarks of how many are done.

    `context` is called once all are judged.
    """
    steadiness = study.steady(results, detector, told)
    return steady_document(steadiness, context())


def _page_of(document: SteadyDocument, results: StoredResults) -> str:
    """Return the page, with the values of each process."""
    values = {
        (name, number, fork): process.whole
        for number, run in enumerate(results.runs)
        for name, processes in run.processes.items()
        for fork, process in enumerate(processes)
    }
    return page.html(document, values)
