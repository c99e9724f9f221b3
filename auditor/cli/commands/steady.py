"""`bench-audit steady`: when are the benchmarks warm?"""

from pathlib import Path
from typing import Any

import click

from auditor.audits.steady.cpssd import CpSsd
from auditor.audits.steady.detector import Detector
from auditor.audits.steady.kbkssd import KbKssd
from auditor.audits.steady.learned import Learned
from auditor.cli import options, warming
from auditor.cli.console import Console
from auditor.cli.judging import folder_of
from auditor.cli.stored import StoredQuestion, warm
from auditor.cli.surroundings import Surroundings
from auditor.core.errors import Exit

DETECTORS: dict[str, type[Detector]] = {"learned": Learned, "kb-kssd": KbKssd, "cp-ssd": CpSsd}


@click.command(short_help="When are the benchmarks of stored results warm? Runs nothing.")
@options.options(
    click.argument(
        "files", metavar="INPUT...", nargs=-1, required=True, type=click.Path(path_type=Path)
    ),
    click.option(
        "--detector",
        type=click.Choice(list(DETECTORS)),
        default="learned",
        show_default=True,
        help="How it is found.",
    ),
    click.option("--commit", metavar="COMMIT", help="Of stored results; else the newest one."),
    options.OUTPUT,
    *options.SHOWN[:2],
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Tell when each process of each benchmark is warm, and what its warm-up does; runs nothing.

    An INPUT is a file or a folder of results that hold the values of single iterations, with the
    warm-up where there is one: JMH's log or JSON, pyperf's, the folder of a corpus, CSV.

    \b
    bench-audit steady jmh.log
    bench-audit steady jmh.log --detector kb-kssd --format json | jq '.series[].steady_from'
    """
    surroundings = context.find_object(Surroundings) or Surroundings.real()
    console = Console(surroundings.environment, quiet=given["quiet"])
    asked = StoredQuestion(
        verb="steady",
        paths=given["files"],
        more=(f"--detector={given['detector']}",),
        commit=given["commit"],
    )
    found = asked.head()
    with warming.told(console, "benchmarks judged") as told:
        document = warm(asked, found, DETECTORS[given["detector"]](), told)
    folder = given["output"] or folder_of(
        asked.paths[0].name, found.digest, surroundings.environment
    )
    warming.keep(folder, document, found)
    if given["format"] == "json":
        console.document(document)
    else:
        console.result(warming.table(document))
    console.note(f"\nreport: {folder / warming.PAGE}")
    console.note(f"result: {folder / warming.RESULT}")
    return Exit.OK
