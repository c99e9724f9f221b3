"""What a gate was shown and what it answered, as a study goes along."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from auditor.core.contracts.qualify import Answer, Case, Shown, Side, Version
from auditor.core.ports import Clock
from auditor.store import rows
from auditor.store.sqlite import SqliteStore


@dataclass(frozen=True, slots=True)
class Gates:
    """What a store knows of one gate.

    `deciding` are texts of what decides all its answers, `of` returns that of a case.
    """

    store: SqliteStore
    clock: Clock
    deciding: tuple[str, ...]
    of: Callable[[Case], str]

    def known(self, case: Case, number: int, /) -> Shown | None:
        """Return what it has answered before; what has failed is asked again."""
        with self.store.reading() as connection:
            row = connection.execute(
                "SELECT payload FROM gate WHERE id = ? AND machine = ?",
                (self._id(case, number), self.store.machine or ""),
            ).fetchone()
        return _shown(row[0]) if row else None

    def keep(self, shown: Shown, /) -> None:
        """Remember an answer; one that failed is none."""
        if shown.answer is Answer.FAILED:
            return
        made = (
            self._id(shown.case, shown.number),
            self.store.machine or "",
            rows.dump(asdict(shown)),
            self.clock.now(),
        )
        with self.store.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO gate VALUES (?, ?, ?, ?)", made)

    def _id(self, case: Case, number: int) -> str:
        words = (*self.deciding, self.of(case), rows.dump(asdict(case)), str(number))
        return hashlib.sha256("\0".join(words).encode()).hexdigest()


def _shown(text: str) -> Shown:
    found = json.loads(text)
    case = Case(**{**found["case"], "side": Side(found["case"]["side"])})
    made = Shown(**{**found, "case": case})
    return replace(
        made, answer=Answer(made.answer), ran=tuple(Version(one) for one in found["ran"])
    )
