"""Runs that another program has made, as ours: what it did not say is not known here either."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from auditor.core.caveats import Caveat
from auditor.core.jobs import NOWHERE
from auditor.core.mutant import PLAIN, Variant, VariantKind
from auditor.core.outcome import Measured, Outcome
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.schedule import Arm, ArmName, Phase, Schedule
from auditor.core.stability import Stability
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.core.values import TIME, Series


def build_run(
    digest: str,
    benchmark: Benchmark,
    place: tuple[int, int],
    outcome: Outcome,
    method: Method | None = None,
) -> Run:
    """Return a process of a benchmark that runs as it is, or with a method slowed down.

    `digest` identifies the files that it was read from; `place` is the number of its run and its
    own number in that, both from one.
    """
    trial = Trial(
        subject=digest,
        purpose=Purpose.SUITE if method is None else Purpose.MUTANT,
        variant=PLAIN if method is None else Variant(VariantKind.DELAYED, (method,)),
        benchmark=benchmark,
        schedule=Schedule(
            arms=(Arm(_choose_arm(slowed=method is not None)),), blocks=(), seconds=0.0
        ),
        repetition=place[0],
        fork=place[1],
        seed=0,
        timeout_seconds=math.inf,
    )
    return Run(trial=trial, host=NOWHERE, outcome=outcome, started="", seconds=0.0)


def measured_outcome(seconds: Sequence[float], *, slowed: bool) -> Measured:
    """Return values in seconds per operation, in the order measured."""
    series = Series(
        metric=TIME,
        unit="s/op",
        arm=_choose_arm(slowed=slowed),
        phase=Phase.MEASUREMENT,
        packed=np.asarray(seconds, dtype="<f8").tobytes(),
        positions=np.arange(len(seconds), dtype="<u4").tobytes(),
    )
    return Measured((series,))


def without_durations(stability: Stability, *caveats: Caveat) -> Stability:
    """Return a stability without how long its runs took, which no file says."""
    return replace(
        stability,
        benchmarks=tuple(replace(benchmark, seconds=None) for benchmark in stability.benchmarks),
        suite_seconds=(),
        duration=None,
        caveats=(*stability.caveats, *caveats),
    )


def _choose_arm(*, slowed: bool) -> ArmName:
    return ArmName.SLOWED if slowed else ArmName.PLAIN
