"""The part of the JSON result that is about allocations; `auditor.abs.document` holds the rest."""

import msgspec

from auditor.core.result import Result

Range = tuple[float | None, float | None]


class AllocationPair(msgspec.Struct, frozen=True, kw_only=True):
    """Whether what this benchmark reports shows one more allocation per call of this method.

    `before`, `after`, `rise`, `expected` and `plain` are in `unit`: allocs/op or B/op. `plain` is
    without any change, `before` with the probe alone.
    """

    method: str
    benchmark: str
    outcome: Result
    unit: str | None
    before: float | None
    after: float | None
    rise: float | None
    interval: Range | None
    expected: float | None
    calls_per_operation: float | None
    plain: float | None
    reason: str | None


class AllocationMethod(msgspec.Struct, frozen=True, kw_only=True):
    """Whether some benchmark would show that this method allocates more."""

    id: str
    outcome: Result
    noticed_by: tuple[str, ...]
    reached_by: tuple[str, ...]


class Allocations(msgspec.Struct, frozen=True, kw_only=True):
    """One more allocation of `bytes` per call would show in `noticed` of `counted` methods.

    Whether it would in `undecided` more is open.
    """

    bytes: int
    noticed: int
    undecided: int
    counted: int
    methods: tuple[AllocationMethod, ...]
    pairs: tuple[AllocationPair, ...]
