"""`bench-audit similarity`: are the runs of a benchmark alike?"""

from collections.abc import Callable
from typing import Any

import click

from auditor.cli import options, purposes
from auditor.core.provenance import Context
from auditor.core.series.stored import StoredResults
from auditor.measure.run_similarity import PAPER
from auditor.series import running as series
from auditor.series.question import ProgressCallback
from auditor.series.stored import list_result_caveats
from auditor.similarity import page, study, terminal
from auditor.similarity.document import SimilarityDocument, similarity_document


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--run", "--benchmarks", "--output"),
    short_help="Are the runs of each benchmark alike, and which one stands apart?",
)
@options.add_options(series.INPUTS, *series.OPTIONS)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
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
        judged=_judge_runs,
        table=terminal.build_table,
        page=_page_of,
        is_judged=lambda document: any(
            benchmark.dissimilar is not None for benchmark in document.benchmarks
        ),
    )
    return series.run_series_command(context, option_values, answer)


def _judge_runs(
    results: StoredResults, context: Callable[[], Context], report_progress: ProgressCallback
) -> SimilarityDocument:
    """Return whether the runs of each benchmark are alike; `context` is called at the end."""
    similarities = study.judge_similarity(results, report_progress)
    return similarity_document(similarities, tuple(list_result_caveats(results)), context())


def _page_of(document: SimilarityDocument, results: StoredResults) -> str:
    """Return the page; of several runs each has its name, of a single one each process is a run."""
    run_names = [run.name for run in results.runs]
    return page.render_html(document, run_names if len(run_names) > 1 else ())
