"""`bench-audit report`: the report of an audit again, from the store."""

import json
from typing import Any

import click

from auditor.cli import kept, options, running
from auditor.cli.console import Console
from auditor.core.errors import Exit
from reports.page import page


@click.command(short_help="Write the report of the last audit again; runs nothing.")
@options.options(
    *options.WHAT[:1],
    click.option(
        "--of",
        type=click.Choice(list(running.BY_COMMAND)),
        help="The command whose result is meant; the last one's by default.",
    ),
    *options.PLACES,
    *options.SHOWN,
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Write the report of the last finished audit with this configuration again; runs nothing.

    CONFIG_OR_SUBJECT is as for abs. The result is the one that the store holds. Where no audit was
    asked for exactly this, with flags for example, it is that of the subject's last one, which is
    said. To judge again, repeat the audit: what is in the store is not measured again.
    """
    asked = options.Asked.of(context, {})
    console = Console(asked.surroundings.environment, quiet=asked.quiet)
    wanted = json.loads(asked.config.text)
    found = kept.last(asked.places.store, wanted, given["of"])
    files = running.BY_COMMAND.get(found.command, running.ABS)
    with kept.sound(asked.places.store):
        document = json.loads(found.document)
        running.keep(asked, files, document, page)
    if found.config == wanted:
        console.note(f"the result of {found}")
    else:
        console.say(kept.told(found))
    running.show(asked, console, document, files)
    return Exit.OK
