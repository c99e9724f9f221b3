"""Finished audits: the results that a store or a file holds."""

import json
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auditor.abs import document as documents
from auditor.abs.document import AbsOrStability, Document
from auditor.abs.exports import long_tables
from auditor.cli.console import Console
from auditor.cli.options import CommandLine
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.files import own_files
from auditor.core.files.foreign_files import read_named
from auditor.core.files.paths import path_exists
from auditor.core.jobs import HostFacts
from auditor.store.audits import AuditRecord
from auditor.store.failures import make_damage_error
from auditor.store.machines import make_machine_key
from auditor.store.sqlite import SqliteStore

_PLACE_KEYS = ("host", "local", "docker", "ssh", "dispatch")
"""The keys of a configuration that say where a suite runs."""
_UNASKED = ("budget", "gates", "timeout", "store")
"""Keys that change nothing that is measured or judged of a method."""
_LONGEST = 60
_NAMED = 3
"""Keys that differ, of which a caveat names no more."""
AUDIT_AGAIN = "what is measured is kept, so that is cheaper than the first time"


@dataclass(frozen=True, slots=True)
class FinishedAudit:
    """A finished audit in a store, and what it was asked."""

    path: Path
    record: AuditRecord = field(repr=False)
    config: dict[str, Any]

    @property
    def command_name(self) -> str:
        """Return the command's name."""
        return self.record.command

    def read_result_text(self) -> str:
        """Read its result, JSON text; raises StoreError."""
        with SqliteStore(self.path) as store:
            return store.read_result(self.record)

    def read_document(self) -> AbsOrStability:
        """Read its result; raises StoreError where that is none of `abs` and `stability`."""
        with report_damage(self.path):
            return documents.parse_document(self.read_result_text())

    def __str__(self) -> str:
        """Say which audit it is."""
        return f"bench-audit {self.command_name}, begun at {self.record.started}"


def find_last_result(
    path: Path, requested_config: Mapping[str, Any], command: str | None
) -> FinishedAudit:
    """Return the last one asked for the same thing, else the last one of the same subject.

    `command` is the one whose result is meant, None any of one revision. Raises UsageError if there
    is none.
    """
    subject = requested_config["subject"]
    of_subject = [
        stored_result
        for stored_result in _list_stored_results(path, command)
        if stored_result.config["subject"] == subject
    ]
    if not of_subject:
        first = f"bench-audit {command or 'abs'}"
        raise UsageError(f"{path} holds no finished audit of {subject}; run {first} first")
    with_same_configuration = [audit for audit in of_subject if audit.config == requested_config]
    return (with_same_configuration or of_subject)[-1]


def list_results_on_other_hosts(
    path: Path, command: str, config: Mapping[str, Any], document: AbsOrStability
) -> tuple[AbsOrStability, ...]:
    """Return the last result of the same question on each machine unlike that of `document`.

    `document` is the result of this `command` and `config`. A store
    has such results where another host was asked for, or where others were merged into it.
    """
    question = _without_place(config)
    by_machine: dict[str, AbsOrStability] = {}
    for stored_result in _list_stored_results(path, command):
        if _without_place(stored_result.config) == question:
            found_document = stored_result.read_document()
            by_machine[_identify_machine(found_document)] = found_document
    by_machine.pop(_identify_machine(document), None)
    return tuple(by_machine[name] for name in sorted(by_machine))


def _without_place(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was asked, without where."""
    return {key: value for key, value in config.items() if key not in _PLACE_KEYS}


def _identify_machine(document: AbsOrStability) -> str:
    return make_machine_key(HostFacts(document.host, tuple(document.host_facts.items())))


def read_stored_result(command_line: CommandLine, console: Console) -> AbsOrStability:
    """Return the last result of `abs` that a store holds, and say which it is."""
    requested_config = json.loads(command_line.config.text)
    audit = find_last_result(command_line.places.store, requested_config, "abs")
    console.print_note(f"of the result of {audit}")
    if caveat := describe_other_configuration(audit, requested_config):
        console.print_message(f"note[{caveat.slug}]: {caveat.text}")
    return audit.read_document()


def describe_other_configuration(
    audit: FinishedAudit, requested_config: Mapping[str, Any]
) -> Caveat | None:
    """Say how the configuration of the audit found differs from what was asked; None: it does not.

    The result that is shown has this caveat, and its headline says so.
    """
    requested_values, stored_values = (
        {
            key: value
            for key, value in _flatten_config(config)
            if key.partition(".")[0] not in _UNASKED
        }
        for config in (requested_config, audit.config)
    )
    differing = [
        f"{key}: asked {_format_value(requested_values.get(key))}, shown "
        f"{_format_value(stored_values.get(key))}"
        for key in (
            *requested_values,
            *(key for key in stored_values if key not in requested_values),
        )
        if requested_values.get(key) != stored_values.get(key)
    ]
    if not differing:
        return None
    more = f" and {len(differing) - _NAMED} more" if len(differing) > _NAMED else ""
    text = (
        f"no stored audit has exactly these options ({'; '.join(differing[:_NAMED])}{more}); this "
        f"is the last audit of the subject: {audit}"
    )
    return Caveat("other-configuration", text)


def _flatten_config(config: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in config.items():
        if isinstance(value, Mapping):
            yield from _flatten_config(value, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _format_value(value: object) -> str:
    text = json.dumps(value) if value is not None else "the default"
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _list_stored_results(path: Path, command: str | None) -> list[FinishedAudit]:
    if not path_exists(path):
        return []
    with SqliteStore(path) as store, report_damage(path):
        return [
            FinishedAudit(path, audit, _read_configuration(audit.config))
            for audit in store.list_audits()
            if audit.ended and audit.is_meant(command)
        ]


def _read_configuration(text: str) -> dict[str, Any]:
    config: object = json.loads(text)
    if isinstance(config, dict) and "subject" in config:
        return config
    raise ValueError("the configuration of an audit names no subject")


@contextmanager
def report_damage(path: Path) -> Iterator[None]:
    """Take what cannot be read back for damage; a result that is none of ours is a wrong one."""
    try:
        yield
    except (ValueError, TypeError, RecursionError, UsageError) as error:
        raise make_damage_error(path, str(error)) from error


def read_result_file(path: Path) -> AbsOrStability:
    """Return the result in a file; raises UsageError where there is none."""
    content = read_named(path)
    try:
        return documents.parse_document(content)
    except UsageError as error:
        raise UsageError(f"{path}: {_other_kind(path, content) or error}") from error


def _other_kind(path: Path, content: bytes) -> str:
    """Return what a file is that is no result of `abs` or `stability`, and what takes it."""
    from auditor.importers import formats  # noqa: PLC0415 `--help` needs no numpy

    whose = formats.format_name(path)
    if whose:
        return f"it is a result of {whose}; bench-audit analyze {shlex.quote(str(path))} reads it"
    if own_files.command_of(content) in own_files.REPORTED:
        return ""
    return own_files.describe_beginning(content, path)


def require_matrix(either: AbsOrStability) -> Document:
    """Return a result that tells who detects what; raises UsageError for another."""
    document = long_tables.require_methods(either)
    if any(caveat.slug == "score-mode" for caveat in document.caveats):
        raise UsageError(
            'this result was made with the mode "score", which stops at the first benchmark that '
            "detects a method; run the same bench-audit abs with --mode matrix first "
            f"({AUDIT_AGAIN})"
        )
    return document
