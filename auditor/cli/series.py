"""Commands that judge the series of stored results: what they are asked, and how they answer."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich.console import RenderableType

from auditor.cli import options, output
from auditor.cli.console import Console
from auditor.cli.judging import folder_of
from auditor.cli.progress import told
from auditor.cli.stored import StoredQuestion, Told
from auditor.cli.surroundings import Surroundings
from auditor.core.errors import Exit
from auditor.core.stored import StoredResults
from reports import document as documents

OPTIONS = (
    click.argument(
        "files", metavar="INPUT...", nargs=-1, required=True, type=click.Path(path_type=Path)
    ),
    click.option("--commit", metavar="COMMIT", help="Of stored results; else the newest one."),
    options.OUTPUT,
    *options.SHOWN[:2],
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command (`verb`, with its `own` options as words) does with what was read.

    `page` is None where it has none; its file and that of the result have the command's name.
    """

    verb: str
    own: tuple[str, ...] = ()
    doing: str
    judged: Callable[[StoredQuestion, StoredResults, Told], Any]
    table: Callable[[Any], RenderableType]
    page: Callable[[Any, StoredResults], str] | None = None


def answered(context: click.Context, given: dict[str, Any], answer: Answer) -> Exit:
    """Read, judge, write the files and print."""
    surroundings = context.find_object(Surroundings) or Surroundings.real()
    console = Console(surroundings.environment, quiet=given["quiet"])
    asked = StoredQuestion(
        verb=answer.verb, paths=given["files"], more=answer.own, commit=given["commit"]
    )
    found = asked.head()
    with told(console, answer.doing) as tell:
        document = answer.judged(asked, found, tell)
    folder = given["output"] or folder_of(
        asked.paths[0].name, found.digest, surroundings.environment
    )
    files = {"result": (f"{answer.verb}.json", documents.text(document))}
    if answer.page is not None:
        files = {"report": (f"{answer.verb}.html", answer.page(document, found)), **files}
    for name, text in files.values():
        output.write(folder / name, text)
    if given["format"] == "json":
        console.document(document)
    else:
        console.result(answer.table(document))
    said = "\n".join(f"{what}: {folder / name}" for what, (name, _) in files.items())
    console.note(f"\n{said}")
    return Exit.OK
