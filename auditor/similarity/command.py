"""`bench-audit similarity`: are the runs of a benchmark alike?"""

from typing import Any

import click

from auditor.cli import options
from auditor.measure.run_similarity import PAPER
from auditor.series import running as series
from auditor.similarity import output as alike


@click.command(short_help="Are the runs of each benchmark alike, and which one stands apart?")
@options.options(*series.OPTIONS)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Tell whether the runs of each benchmark are alike, and which one stands apart.

    An INPUT is a file or a folder of results that hold the values of single iterations, or a store.
    Each file is a run; of a single file, or of a corpus, each process is one. Nothing is run.

    Of a suite (a configuration, a jar, maven:…, a folder with --run) each benchmark is run in five
    processes, as for steady.

    \b
    bench-audit similarity run1.json run2.json run3.json
    bench-audit similarity jmh.json --format json | jq '.benchmarks[] | select(.dissimilar)'
    """
    answer = series.SeriesCommand(
        verb="similarity",
        doing="benchmarks compared",
        forks=5,
        least=PAPER.least_values,
        judged=alike.alike,
        table=alike.table,
        page=alike.page,
        is_judged=lambda found: any(
            benchmark.dissimilar is not None for benchmark in found.benchmarks
        ),
    )
    return series.answered(context, given, answer)
