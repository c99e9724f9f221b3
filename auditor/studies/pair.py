"""Pairs of a method and a benchmark, and what was run for them."""

from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from auditor.audits.calibration import Calibration
from auditor.core.plan import Run
from auditor.core.request import Plan
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.studies import schedules
from auditor.studies.suite import Baseline

PairKey = tuple[str, str]
"""The ids of a method and a benchmark."""
VariantKey = tuple[Method, bool]
"""A method, and whether its nested calls have to be guarded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A pair to be measured. `calls` is None where the reach map could not tell."""

    method: Method
    benchmark: Benchmark
    calls: float | None
    nested: bool

    @property
    def key(self) -> PairKey:
        """Return the ids of method and benchmark."""
        return self.method.id, self.benchmark.id

    @property
    def variant(self) -> VariantKey:
        """Return what tells the variant of this pair from others."""
        return self.method, self.nested

    def rng(self, seed: int, *more: int) -> np.random.Generator:
        """Return the generator of this pair's orders, the same whenever it is asked."""
        return np.random.default_rng([seed, *(crc32(one.encode()) for one in self.key), *more])


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRuns:
    """What was run for a pair, so far."""

    pair: Pair
    refusal: str | None = None
    calibrating: tuple[Run, ...] = field(default=(), repr=False)
    calibration: Calibration | None = None
    runs: tuple[Run, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRuns:
    """What was run for all pairs; `references` are processes of the unchanged suite among them."""

    pairs: tuple[PairRuns, ...] = ()
    references: tuple[Run, ...] = field(default=(), repr=False)

    def references_of(self, benchmark: Benchmark) -> tuple[Run, ...]:
        """Return the references of a benchmark."""
        return tuple(run for run in self.references if run.trial.benchmark == benchmark)


def operations(pair: Pair, baseline: Baseline, plan: Plan) -> int | None:
    """Return how many operations a block of this pair holds, None where that cannot be fixed."""
    known = baseline.operations[pair.benchmark.id]
    plain = baseline.first_seconds(pair.benchmark)
    if plain is None or not pair.calls:
        return known
    return schedules.probed(known, schedules.fitted(plan, pair.benchmark), plain, pair.calls)
