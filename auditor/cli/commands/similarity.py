"""`bench-audit similarity`: are the runs of a benchmark alike?"""

from typing import Any

import click

from auditor.cli import alike, options, series, stored


@click.command(short_help="Are the runs in stored results alike? Runs nothing.")
@options.options(*series.OPTIONS)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Tell whether the runs of each benchmark are alike, and which one stands apart.

    An INPUT is a file or a folder of results that hold the values of single iterations. Each file
    is a run; of a single file, or of a corpus, each process is one.

    \b
    bench-audit similarity run1.json run2.json run3.json
    bench-audit similarity jmh.json --format json | jq '.benchmarks[] | select(.dissimilar)'
    """
    answer = series.Answer(
        verb="similarity",
        doing="benchmarks compared",
        judged=stored.alike,
        table=alike.table,
    )
    return series.answered(context, given, answer)
