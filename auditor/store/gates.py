"""What a gate was shown and what it answered, as a study goes along."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from auditor.core.contracts.qualify import (
    CheckoutVersion,
    GateAnswer,
    GateCase,
    ShownCase,
    SlowedSide,
)
from auditor.core.ports import Clock
from auditor.store import rows
from auditor.store.sqlite import SqliteStore


@dataclass(frozen=True, slots=True)
class GateAnswerStore:
    """What a store knows of one gate.

    `deciding` are texts of what decides all its answers, `make_key` returns that of a case.
    """

    store: SqliteStore
    clock: Clock
    deciding: tuple[str, ...]
    make_key: Callable[[GateCase], str]

    def load_answer(self, case: GateCase, number: int, /) -> ShownCase | None:
        """Return what it has answered before; what has failed is asked again."""
        with self.store.begin_reading() as connection:
            row = connection.execute(
                "SELECT payload FROM gate WHERE id = ? AND machine = ?",
                (self._make_id(case, number), self.store.machine or ""),
            ).fetchone()
        return _parse_case(row[0]) if row else None

    def save_answer(self, shown_case: ShownCase, /) -> None:
        """Remember an answer; one that failed is none."""
        if shown_case.answer is GateAnswer.FAILED:
            return
        row = (
            self._make_id(shown_case.case, shown_case.number),
            self.store.machine or "",
            rows.dump_json(asdict(shown_case)),
            self.clock.now(),
        )
        with self.store.begin_writing() as connection:
            connection.execute("INSERT OR REPLACE INTO gate VALUES (?, ?, ?, ?)", row)

    def _make_id(self, case: GateCase, number: int) -> str:
        words = (*self.deciding, self.make_key(case), rows.dump_json(asdict(case)), str(number))
        return hashlib.sha256("\0".join(words).encode()).hexdigest()


def _parse_case(text: str) -> ShownCase:
    fields = json.loads(text)
    case = GateCase(**{**fields["case"], "side": SlowedSide(fields["case"]["side"])})
    shown_case = ShownCase(**{**fields, "case": case})
    return replace(
        shown_case,
        answer=GateAnswer(shown_case.answer),
        ran=tuple(CheckoutVersion(version) for version in fields["ran"]),
    )
