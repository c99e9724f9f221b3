"""Results in a notebook: `auditor.load` gives typed verdicts and data frames of a store."""

from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from auditor.abs import document as documents
from auditor.abs.document import AbsOrStability
from auditor.abs.exports import long_tables
from auditor.core.errors import UsageError
from auditor.store.audits import UNTIMED
from auditor.store.failures import make_damage_error
from auditor.store.sqlite import SqliteStore

if TYPE_CHECKING:  # `verdict` needs no pandas, which is an extra
    import pandas as pd


@dataclass(frozen=True)
class StoredAudit:
    """A finished audit of a store.

    `command` and `started` (UTC, ISO 8601) say which one it is; `verdict` is its result, typed: a
    `Document` of abs, else a `StabilityDocument`. A data frame has the columns of the CSV tables
    (docs/reference/outputs.md); unknown numbers are NaN.
    """

    command: str
    started: str
    verdict: AbsOrStability

    @cached_property
    def pairs(self) -> "pd.DataFrame":
        """Return a row for each pair of method and benchmark; raises UsageError without any."""
        return self._make_frame("pairs")

    @cached_property
    def methods(self) -> "pd.DataFrame":
        """Return a row for each method; raises UsageError where the result tells of none."""
        return self._make_frame("methods")

    @cached_property
    def benchmarks(self) -> "pd.DataFrame":
        """Return a row for each benchmark."""
        return self._make_frame("benchmarks")

    @cached_property
    def runs(self) -> "pd.DataFrame":
        """Return a row for each measured value, seconds per operation."""
        return self._make_frame("runs")

    def _make_frame(self, name: str) -> "pd.DataFrame":
        try:
            import pandas as pd  # noqa: PLC0415 an extra, and slow to load
        except ImportError as error:
            raise ImportError(
                "data frames need pandas: pip install pandas (or bench-audit[notebook])"
            ) from error
        table = long_tables.format_table(self.verdict, name)
        frame = pd.DataFrame(list(table.rows), columns=list(table.columns))
        # A column of numbers in which none is known is one of numbers all the same.
        unknown = [
            column
            for column in frame
            if column not in long_tables.TEXTS and frame[column].dtype == object
        ]
        return frame.astype(dict.fromkeys(unknown, float))


def load(store: str | PathLike[str], command: str | None = None) -> StoredAudit:
    """Return the last finished audit of a store.

    `command` is "abs" or "stability", None any. Raises UsageError where there is none,
    StoreError where the file cannot be read.
    """
    stored_audits = load_all(store, command)
    if not stored_audits:
        raise UsageError(f"{store} holds no finished audit{f' of {command}' if command else ''}")
    return stored_audits[-1]


def load_all(store: str | PathLike[str], command: str | None = None) -> tuple[StoredAudit, ...]:
    """Return the finished audits of a store in the order of their start; as `load` else."""
    path = Path(store)
    if not path.is_file():  # opening would make it
        problem = (
            "is a folder; name the store in it"
            if path.is_dir()
            else "does not exist or is not a file"
        )
        raise UsageError(f"{path} {problem}")
    with SqliteStore(path) as opened_store:
        audit_records = [
            audit
            for audit in opened_store.list_audits()
            if audit.ended and audit.is_meant(command) and audit.command not in UNTIMED
        ]
        return tuple(
            StoredAudit(
                audit_record.command,
                audit_record.started,
                _read_verdict(path, opened_store.read_result(audit_record)),
            )
            for audit_record in audit_records
        )


def _read_verdict(path: Path, document: str) -> AbsOrStability:
    try:
        return documents.parse_document(document)
    except UsageError as error:
        raise make_damage_error(path, str(error)) from error
