"""`bench-audit report`: the report of the last audit again, from the store."""

import json

import click

from auditor.cli import options, running
from auditor.cli.console import Console
from auditor.cli.surroundings import Document
from auditor.core.errors import Exit, UsageError
from auditor.store.sqlite import AuditRecord, SqliteStore
from reports.page import page


@click.command(short_help="Write the report of the last audit again; runs nothing.")
@options.options(*options.WHAT[:1], *options.PLACES, *options.SHOWN)
@click.pass_context
def command(context: click.Context, /, **_: object) -> int:
    """Write the report of the last finished audit of a subject again; nothing is run.

    CONFIG_OR_SUBJECT is as for abs.
    """
    asked = options.Asked.of(context, {})
    found = _last(asked)
    files = running.BY_COMMAND.get(found.command, running.ABS)
    document: Document = json.loads(found.document or "null")
    running.keep(asked, files, document, page)
    console = Console(asked.surroundings.environment, quiet=asked.quiet)
    running.show(asked, console, document, files)
    return Exit.OK


def _last(asked: options.Asked) -> AuditRecord:
    subject = json.loads(asked.config.text)["subject"]
    path = asked.places.store
    audits: tuple[AuditRecord, ...] = ()
    if path.exists():
        with SqliteStore(path) as store:
            audits = store.audits()
    for audit in reversed(audits):
        if audit.document is not None and json.loads(audit.config)["subject"] == subject:
            return audit
    raise UsageError(f"{path} holds no finished audit of {subject}; run bench-audit abs first")
