"""What the JSON result says of redundancy."""

import msgspec


class CoverBound(msgspec.Struct, frozen=True):
    """No fewer than `minimum` benchmarks keep the score; `exact` if the cover has that many."""

    minimum: int
    exact: bool


class Density(msgspec.Struct, frozen=True):
    """How many of the counted methods so many benchmarks detect."""

    benchmarks: int
    methods: int
    percent: float


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """How many methods the best so many benchmarks detect; `benchmark` is the last of these.

    `percent` is of the counted methods; no choice of so many benchmarks detects more than `most`.
    """

    benchmarks: int
    benchmark: str
    methods: int
    percent: float
    most: int
