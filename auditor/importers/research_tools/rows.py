"""Measured values as the tables of the research tools group them (MSR 2018: GoABS, JavaABS)."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessValues:
    """The values of one benchmark in one process, in the order measured."""

    run: int  # of the suite, from zero
    part: int = 0  # process of that run, from zero
    method: str | None  # the slowed method; None: the unchanged suite
    benchmark: str  # the benchmark's id
    seconds: tuple[float, ...] = field(repr=False)  # per operation
    operations: tuple[int, ...] = field(default=(), repr=False)  # of each value; empty: unknown
