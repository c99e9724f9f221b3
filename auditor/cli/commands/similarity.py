"""`bench-audit similarity`: are the runs of a benchmark alike?"""

from pathlib import Path
from typing import Any

import click

from auditor.cli import alike, options, stored, warming
from auditor.cli.console import Console
from auditor.cli.judging import folder_of
from auditor.cli.stored import StoredQuestion
from auditor.cli.surroundings import Surroundings
from auditor.core.errors import Exit


@click.command(short_help="Are the runs in stored results alike? Runs nothing.")
@options.options(
    click.argument(
        "files", metavar="INPUT...", nargs=-1, required=True, type=click.Path(path_type=Path)
    ),
    click.option("--commit", metavar="COMMIT", help="Of stored results; else the newest one."),
    options.OUTPUT,
    *options.SHOWN[:2],
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Tell whether the runs of each benchmark are alike, and which one stands apart.

    An INPUT is a file or a folder of results that hold the values of single iterations. Each file
    is a run; of a single file, or of a corpus, each process is one.

    \b
    bench-audit similarity run1.json run2.json run3.json
    bench-audit similarity jmh.json --format json | jq '.benchmarks[] | select(.dissimilar)'
    """
    surroundings = context.find_object(Surroundings) or Surroundings.real()
    console = Console(surroundings.environment, quiet=given["quiet"])
    asked = StoredQuestion(verb="similarity", paths=given["files"], commit=given["commit"])
    found = asked.head()
    with warming.told(console, "benchmarks compared") as told:
        document = stored.alike(asked, found, told)
    folder = given["output"] or folder_of(
        asked.paths[0].name, found.digest, surroundings.environment
    )
    alike.keep(folder, document)
    if given["format"] == "json":
        console.document(document)
    else:
        console.result(alike.table(document))
    console.note(f"\nresult: {folder / alike.RESULT}")
    return Exit.OK
