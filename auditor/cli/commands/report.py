"""`bench-audit report`: the report of an audit again, from the store."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from auditor.cli import options, running
from auditor.cli.console import Console
from auditor.core.caveats import Caveat
from auditor.core.errors import Exit, UsageError
from auditor.store.failures import damaged
from auditor.store.sqlite import SqliteStore
from reports.page import page


@dataclass(frozen=True, slots=True)
class Kept:
    """A finished audit: the command, what it was asked, and its result as JSON text."""

    command: str
    started: str
    config: dict[str, Any]
    document: str

    def __str__(self) -> str:
        """Say which audit it is."""
        return f"bench-audit {self.command}, begun at {self.started}"


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
    found = _last(_kept(asked.places.store), wanted, given["of"], asked.places.store)
    files = running.BY_COMMAND.get(found.command, running.ABS)
    with _sound(asked.places.store):
        document = json.loads(found.document)
        running.keep(asked, files, document, page)
    if found.config == wanted:
        console.note(f"the result of {found}")
    else:
        console.say(_said(found))
    running.show(asked, console, document, files)
    return Exit.OK


def _last(kept: Sequence[Kept], wanted: dict[str, Any], of: str | None, path: Path) -> Kept:
    """Return the last one asked for the same thing, else the last one of the same subject."""
    subject = wanted["subject"]
    mine = [one for one in kept if one.config["subject"] == subject and of in (None, one.command)]
    if not mine:
        first = f"bench-audit {of or 'abs'}"
        raise UsageError(f"{path} holds no finished audit of {subject}; run {first} first")
    same = [one for one in mine if one.config == wanted]
    return (same or mine)[-1]


def _said(found: Kept) -> str:
    text = (
        "no audit was asked for exactly this configuration (flags count, too); this is the last "
        f"one of the subject: {found}"
    )
    caveat = Caveat("other-configuration", text)
    return f"note[{caveat.slug}]: {caveat.text}"


def _kept(path: Path) -> list[Kept]:
    if not path.exists():
        return []
    with SqliteStore(path) as store, _sound(path):
        return [
            Kept(one.command, one.started, _asked(one.config), one.document)
            for one in store.audits()
            if one.document is not None
        ]


def _asked(text: str) -> dict[str, Any]:
    found: object = json.loads(text)
    if isinstance(found, dict) and "subject" in found:
        return found
    raise ValueError("the configuration of an audit names no subject")


@contextmanager
def _sound(path: Path) -> Iterator[None]:
    """Take what cannot be read back for damage; a result that is none of ours is a wrong one."""
    try:
        yield
    except (ValueError, TypeError, RecursionError, UsageError) as error:
        raise damaged(path, str(error)) from error
