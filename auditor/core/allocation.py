"""What an audit says about allocations: would the suite notice one more of them per call?"""

from dataclasses import dataclass

from auditor.core.result import Interval, Result


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationPair:
    """A method, a benchmark that calls it, and whether what it reports shows the allocation.

    `before` and `after` are the medians of what the harness reports per operation, in `unit`, of
    probe and of allocating blocks. `rise` is the median of the differences of neighbouring blocks,
    `interval` holds it with 99 %. `expected` is what the calls that were counted should add.
    `plain` is what the unchanged benchmark reports, None where its harness is not asked for it.
    """

    method: str
    benchmark: str
    outcome: Result
    unit: str | None = None
    before: float | None = None
    after: float | None = None
    rise: float | None = None
    interval: Interval | None = None
    expected: float | None = None
    calls_per_operation: float | None = None
    plain: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AllocationMethod:
    """Whether some benchmark would show that this method allocates more."""

    id: str
    outcome: Result
    noticed_by: tuple[str, ...] = ()
    reached_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocations:
    """In how many methods one more allocation of `bytes` per call would show.

    `noticed` of `counted` methods do, `undecided` may yet; those that cannot be changed are not
    counted. Only pairs whose benchmark may call the method in its loop are here.
    """

    bytes: int
    noticed: int
    undecided: int
    counted: int
    methods: tuple[AllocationMethod, ...]
    pairs: tuple[AllocationPair, ...]
