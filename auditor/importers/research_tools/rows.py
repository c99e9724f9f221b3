"""Measured values as the tables of the research tools group them (MSR 2018: GoABS, JavaABS)."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The values of one benchmark in one run of the suite, in the order measured.

    `run` counts from zero, `part` the processes of that run from zero. `method` is the one that
    was slowed, None for the unchanged suite. `seconds` are per operation; `operations` are those
    of each value, empty where nobody knows them.
    """

    run: int
    part: int = 0
    method: str | None
    benchmark: str
    seconds: tuple[float, ...] = field(repr=False)
    operations: tuple[int, ...] = field(default=(), repr=False)
