"""Concurrent tests of two versions of a class, and what they took, as a study goes along."""

import hashlib
import json
from collections.abc import Callable, Mapping
from collections.abc import Sequence as Many
from dataclasses import asdict, dataclass, field
from typing import Any

from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import (
    ConcurrentTestSuite,
    FocusMethod,
    GenerationProgress,
    RacePlan,
    RepetitionTimes,
)
from auditor.core.contracts.concurrent_test import Statement, StatementSequence, Test, statement_of
from auditor.core.ports import Clock
from auditor.store import rows
from auditor.store.sqlite import SqliteStore

_OF_VOTES = ("report", "confidence", "least_conclusive", "acceptable_spread", "control")
"""Parameters that only the oracle asks, and whether there is a control."""
_NO_RACE = (*_OF_VOTES, "strict", "tests", "threads")
"""Parameters that decide no race but when it ends, so that it need not be run again where they
change, unless it is to go on. `strict` decides how long tests are, too."""


Notes = Many[Mapping[str, float]]
"""What was noted beside a race: shares of time by their names."""


def _note_nothing() -> Notes:
    return ()


@dataclass(frozen=True, slots=True)
class ConcurrentRunStore:
    """What a store has of one pair of versions."""

    store: SqliteStore  # keeps tests and measurements
    clock: Clock  # tells time
    plan: RacePlan  # the parameters
    deciding: tuple[str, ...]  # texts of all that decides a measurement
    making: tuple[str, ...] = ()  # further texts that decide which tests are generated
    take_notes: Callable[[], Notes] = _note_nothing
    """Returns what was noted beside measurements since its last call."""
    notes_by_id: dict[str, Notes] = field(default_factory=dict)
    """What was noted beside each measurement that was read or kept, by its id."""

    def load_suite(self) -> ConcurrentTestSuite | None:
        """Return the tests made before, without their files, if there are any."""
        payload = self._find_payload(self._suite_id())
        return None if payload is None else _parse_suite(payload)

    def save_suite(self, suite: ConcurrentTestSuite, /) -> None:
        """Remember the tests."""
        self._save_payload(
            self._suite_id(), _dump_suite(suite), instead_of=self._suite_id("progress")
        )

    def load_progress(self) -> GenerationProgress | None:
        """Return how far the making of the tests has come, if it was begun and not ended."""
        payload = self._find_payload(self._suite_id("progress"))
        return None if payload is None else _parse_progress(payload)

    def save_progress(self, progress: GenerationProgress, /) -> None:
        """Remember how far it has come."""
        self._save_payload(self._suite_id("progress"), _dump_progress(progress))

    def load_times(self, test: Test, threads: int, /) -> RepetitionTimes | None:
        """Return what a test took with so many threads, if it was measured."""
        self.take_notes()  # of tests while they were made, of races that failed
        race = self._race_id(test, threads)
        payload = self._find_payload(race)
        if payload is None:
            return None
        self.notes_by_id[race] = payload.pop("beside", ())
        return RepetitionTimes(
            **{**payload, "old": tuple(payload["old"]), "new": tuple(payload["new"])}
        )

    def save_times(self, test: Test, timed: RepetitionTimes, /) -> None:
        """Remember what a test took."""
        race = self._race_id(test, timed.threads)
        self.notes_by_id[race] = self.take_notes()
        self._save_payload(
            race, asdict(timed) | {"beside": [dict(note) for note in self.notes_by_id[race]]}
        )

    def _suite_id(self, kind: str = "suite") -> str:
        plan = {key: value for key, value in asdict(self.plan).items() if key not in _OF_VOTES}
        plan["threads"] = (min(self.plan.threads), max(self.plan.threads))
        return self._make_id(kind, *self.making, rows.dump_json(plan))

    def _race_id(self, test: Test, threads: int) -> str:
        plan = {key: value for key, value in asdict(self.plan).items() if key not in _NO_RACE}
        return self._make_id(
            "race", rows.dump_json(plan), rows.dump_json(_dump_test(test)), str(threads)
        )

    def _make_id(self, *more: str) -> str:
        return hashlib.sha256("\0".join((*self.deciding, *more)).encode()).hexdigest()

    def _find_payload(self, id_: str) -> Any:
        with self.store.begin_reading() as connection:
            row = connection.execute(
                "SELECT payload FROM concurrency WHERE id = ? AND machine = ?",
                (id_, self.store.machine or ""),
            ).fetchone()
            return json.loads(row[0]) if row else None

    def _save_payload(self, id_: str, payload: object, instead_of: str = "") -> None:
        machine = self.store.machine or ""
        row = (id_, machine, rows.dump_json(payload), self.clock.now())
        with self.store.begin_writing() as connection:
            connection.execute(
                "DELETE FROM concurrency WHERE id = ? AND machine = ?", (instead_of, machine)
            )
            connection.execute("INSERT OR REPLACE INTO concurrency VALUES (?, ?, ?, ?)", row)


def _dump_suite(suite: ConcurrentTestSuite) -> dict[str, Any]:
    fields = {key: getattr(suite, key) for key in ("length", "tried", "methods", "dropped")}
    return fields | {
        "tests": [_dump_test(test) for test in suite.tests],
        "focus": [asdict(method) for method in suite.focus],
        "caveats": [(caveat.slug, caveat.text) for caveat in suite.caveats],
    }


def _parse_suite(payload: Any) -> ConcurrentTestSuite:
    return ConcurrentTestSuite(
        tests=tuple(_parse_test(test) for test in payload["tests"]),
        length=payload["length"],
        tried=tuple(payload["tried"]),
        methods=tuple(payload["methods"]),
        focus=tuple(FocusMethod(**focus_fields) for focus_fields in payload["focus"]),
        dropped=tuple((part, times) for part, times in payload["dropped"]),
        caveats=tuple(Caveat(slug, text) for slug, text in payload["caveats"]),
    )


def _dump_progress(progress: GenerationProgress) -> dict[str, Any]:
    fields = {key: getattr(progress, key) for key in ("length", "tried", "reason", "number")}
    return fields | {
        "tests": [_dump_test(test) for test in progress.tests],
        "learned": dict(progress.learned),
        "banned": [Statement(member=member).text_fields for member in progress.banned],
    }


def _parse_progress(payload: Any) -> GenerationProgress:
    return GenerationProgress(
        length=payload["length"],
        tried=tuple(payload["tried"]),
        reason=payload["reason"],
        number=payload["number"],
        tests=tuple(_parse_test(test) for test in payload["tests"]),
        learned=payload["learned"],
        banned=tuple(statement.member for statement in _parse_sequence(payload["banned"])),
    )


def _dump_test(test: Test) -> dict[str, Any]:
    return {
        "number": test.number,
        "prefix": [statement.text_fields for statement in test.prefix],
        "subject": test.subject,
        "suffixes": [[statement.text_fields for statement in suffix] for suffix in test.suffixes],
        "repeats": test.repeats,
    }


def _parse_test(payload: Any) -> Test:
    return Test(
        number=payload["number"],
        prefix=_parse_sequence(payload["prefix"]),
        subject=payload["subject"],
        suffixes=tuple(_parse_sequence(suffix) for suffix in payload["suffixes"]),
        repeats=payload["repeats"],
    )


def _parse_sequence(statements: Any) -> StatementSequence:
    return tuple(statement_of(tuple(fields)) for fields in statements)
