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
    Progress,
    RacePlan,
    RepetitionTimes,
)
from auditor.core.contracts.concurrent_test import Sequence, Statement, Test, statement_of
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


def _nothing() -> Notes:
    return ()


@dataclass(frozen=True, slots=True)
class ConcurrentRunStore:
    """What a store has of one pair of versions."""

    store: SqliteStore  # keeps tests and measurements
    clock: Clock  # tells time
    plan: RacePlan  # the parameters
    deciding: tuple[str, ...]  # texts of all that decides a measurement
    making: tuple[str, ...] = ()  # further texts that decide which tests are generated
    beside: Callable[[], Notes] = _nothing
    """Returns what was noted beside measurements since its last call."""
    noted: dict[str, Notes] = field(default_factory=dict)
    """What was noted beside each measurement that was read or kept, by its id."""

    def suite(self) -> ConcurrentTestSuite | None:
        """Return the tests made before, without their files, if there are any."""
        found = self._find(self._suite_id())
        return None if found is None else _suite(found)

    def keep_suite(self, suite: ConcurrentTestSuite, /) -> None:
        """Remember the tests."""
        self._keep(self._suite_id(), _of_suite(suite), instead_of=self._suite_id("progress"))

    def progress(self) -> Progress | None:
        """Return how far the making of the tests has come, if it was begun and not ended."""
        found = self._find(self._suite_id("progress"))
        return None if found is None else _progress(found)

    def keep_progress(self, progress: Progress, /) -> None:
        """Remember how far it has come."""
        self._keep(self._suite_id("progress"), _of_progress(progress))

    def timed(self, test: Test, threads: int, /) -> RepetitionTimes | None:
        """Return what a test took with so many threads, if it was measured."""
        self.beside()  # of tests while they were made, of races that failed
        race = self._race_id(test, threads)
        found = self._find(race)
        if found is None:
            return None
        self.noted[race] = found.pop("beside", ())
        return RepetitionTimes(**{**found, "old": tuple(found["old"]), "new": tuple(found["new"])})

    def keep_timed(self, test: Test, timed: RepetitionTimes, /) -> None:
        """Remember what a test took."""
        race = self._race_id(test, timed.threads)
        self.noted[race] = self.beside()
        self._keep(race, asdict(timed) | {"beside": [dict(one) for one in self.noted[race]]})

    def _suite_id(self, what: str = "suite") -> str:
        plan = {key: value for key, value in asdict(self.plan).items() if key not in _OF_VOTES}
        plan["threads"] = (min(self.plan.threads), max(self.plan.threads))
        return self._id(what, *self.making, rows.dump(plan))

    def _race_id(self, test: Test, threads: int) -> str:
        plan = {key: value for key, value in asdict(self.plan).items() if key not in _NO_RACE}
        return self._id("race", rows.dump(plan), rows.dump(_of_test(test)), str(threads))

    def _id(self, *more: str) -> str:
        return hashlib.sha256("\0".join((*self.deciding, *more)).encode()).hexdigest()

    def _find(self, id_: str) -> Any:
        with self.store.reading() as connection:
            row = connection.execute(
                "SELECT payload FROM concurrency WHERE id = ? AND machine = ?",
                (id_, self.store.machine or ""),
            ).fetchone()
            return json.loads(row[0]) if row else None

    def _keep(self, id_: str, payload: object, instead_of: str = "") -> None:
        machine = self.store.machine or ""
        made = (id_, machine, rows.dump(payload), self.clock.now())
        with self.store.writing() as connection:
            connection.execute(
                "DELETE FROM concurrency WHERE id = ? AND machine = ?", (instead_of, machine)
            )
            connection.execute("INSERT OR REPLACE INTO concurrency VALUES (?, ?, ?, ?)", made)


def _of_suite(suite: ConcurrentTestSuite) -> dict[str, Any]:
    made = {key: getattr(suite, key) for key in ("length", "tried", "methods", "dropped")}
    return made | {
        "tests": [_of_test(test) for test in suite.tests],
        "focus": [asdict(method) for method in suite.focus],
        "caveats": [(caveat.slug, caveat.text) for caveat in suite.caveats],
    }


def _suite(found: Any) -> ConcurrentTestSuite:
    return ConcurrentTestSuite(
        tests=tuple(_test(test) for test in found["tests"]),
        length=found["length"],
        tried=tuple(found["tried"]),
        methods=tuple(found["methods"]),
        focus=tuple(FocusMethod(**one) for one in found["focus"]),
        dropped=tuple((what, times) for what, times in found["dropped"]),
        caveats=tuple(Caveat(slug, text) for slug, text in found["caveats"]),
    )


def _of_progress(progress: Progress) -> dict[str, Any]:
    made = {key: getattr(progress, key) for key in ("length", "tried", "reason", "number")}
    return made | {
        "tests": [_of_test(test) for test in progress.tests],
        "learned": dict(progress.learned),
        "banned": [Statement(member=member).fields for member in progress.banned],
    }


def _progress(found: Any) -> Progress:
    return Progress(
        length=found["length"],
        tried=tuple(found["tried"]),
        reason=found["reason"],
        number=found["number"],
        tests=tuple(_test(test) for test in found["tests"]),
        learned=found["learned"],
        banned=tuple(statement.member for statement in _sequence(found["banned"])),
    )


def _of_test(test: Test) -> dict[str, Any]:
    return {
        "number": test.number,
        "prefix": [statement.fields for statement in test.prefix],
        "subject": test.subject,
        "suffixes": [[statement.fields for statement in suffix] for suffix in test.suffixes],
        "repeats": test.repeats,
    }


def _test(found: Any) -> Test:
    return Test(
        number=found["number"],
        prefix=_sequence(found["prefix"]),
        subject=found["subject"],
        suffixes=tuple(_sequence(suffix) for suffix in found["suffixes"]),
        repeats=found["repeats"],
    )


def _sequence(found: Any) -> Sequence:
    return tuple(statement_of(tuple(one)) for one in found)
