"""Pairs of a method and a benchmark, and what was run for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from zlib import crc32

import numpy as np

from auditor.abs.judge import binary_layout as layout
from auditor.abs.judge import paired
from auditor.abs.judge.pair import PairData
from auditor.core.caveats import Caveat
from auditor.core.mutant import OverlayRefusal, Variant, VariantKind
from auditor.core.plan import Run
from auditor.core.request import AbsRequest, Plan
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.calibration import Calibration
from auditor.measure.context import BuiltVariant, StudyContext
from auditor.measure.profiles.cpu_shares import CpuShare
from auditor.measure.reach_judge import Reach
from auditor.measure.suite_runs import SuiteBaseline, group_by_benchmark
from auditor.stats.components import VarianceComponent

PairKey = tuple[str, str]
"""The ids of a method and a benchmark."""
VariantKey = tuple[Method, bool]
"""A method, and whether its nested calls have to be guarded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPair:
    """A pair. `family` is the number of benchmarks that may detect its method.

    `in_one_call`: one call of the harness's held all blocks of the benchmark when calls were
    counted, so it does where they lie beside plain ones.
    """

    method: Method
    benchmark: Benchmark
    reach: Reach
    family: int = 1
    in_one_call: bool = False

    @property
    def calls_per_operation(self) -> float | None:
        """Return the outermost calls per operation, None where the reach map could not tell."""
        return self.reach.calls_per_operation

    @property
    def pair_key(self) -> PairKey:
        """Return the ids of method and benchmark."""
        return self.method.id, self.benchmark.id

    @property
    def variant_key(self) -> VariantKey:
        """Return what tells the variant of this pair from others."""
        return self.method, self.reach.nested

    def make_rng(self, seed: int, *more: int) -> np.random.Generator:
        """Return the generator of this pair's orders, the same whenever it is asked."""
        return np.random.default_rng(
            [seed, *(crc32(item_id.encode()) for item_id in self.pair_key), *more]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairRuns:
    """What was run for a pair so far."""

    pair: StudyPair  # the method and the benchmark
    has_plain_blocks: bool = False  # whether its processes have plain blocks too
    inlined: bool = False
    """Whether plain blocks call the method where the unchanged program may inline it."""
    refusal: str | None = None  # why there is no variant; None: there is one
    calibrating: tuple[Run, ...] = field(default=(), repr=False)
    """Calibration runs, failed ones included."""
    calibration: Calibration | None = None  # of the delay; None: not calibrated
    runs: tuple[Run, ...] = field(default=(), repr=False)
    """Runs that decide the pair, failed ones included."""


@dataclass(frozen=True, slots=True)
class SampledMethod:
    """What the samples of a benchmark tell of one method."""

    share: CpuShare
    removed: str = ""
    """Where the compiler has removed the call, as "at FILE:LINE"; empty where it has not surely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampledPairs:
    """The sampled shares of the pairs."""

    pairs: Mapping[PairKey, SampledMethod] = field(default_factory=dict, repr=False)
    """By the ids of method and benchmark, as far as samples were taken."""
    caveats: tuple[Caveat, ...] = ()
    """What kept benchmarks from being sampled."""
    profiles: Mapping[str, tuple[Run, ...]] = field(default_factory=dict, repr=False)
    """Profiled processes by the id of their benchmark, failed ones included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAnalysis:
    """What is asked of each pair."""

    request: AbsRequest  # of the audit
    baseline: SuiteBaseline  # the runs of the unchanged suite
    slowdown: float | None  # v, 0.6 for 60 %; None: the time ended before it was sized
    control: bool = False  # whether all delays are zero (A/A control)
    layout: VarianceComponent | None = None  # variation between layouts; None: too few were drawn
    sampling: SampledPairs = field(default_factory=SampledPairs)  # shares by CPU samples

    def with_references(self, references: Sequence[Run]) -> "PairAnalysis":
        """Return this with what all plain processes so far, these included, tell of layouts."""
        return replace(
            self, layout=layout.estimate_layout_variance((*self.baseline.runs, *references))
        )

    def build_pair_data(self, pair_runs: PairRuns, references: Sequence[Run]) -> PairData:
        """Return what is known of a pair; `references` are those of its benchmark."""
        pair, request = pair_runs.pair, self.request
        sampled = self.sampling.pairs.get(pair.pair_key)
        return PairData(
            method=pair.method.id,
            benchmark=pair.benchmark,
            slowdown=self.slowdown or 0.0,  # unknown: nothing was measured that is judged by it
            rule=request.rule,
            process_count=request.runs * request.suite.plan.forks,
            forks=request.suite.plan.forks,
            family=pair.family,
            min_delta=request.min_delta,
            significance=request.significance,
            estimate=request.estimate,
            control=self.control,
            layout=self.layout,
            has_plain_blocks=pair_runs.has_plain_blocks,
            inlined=pair_runs.inlined,
            interleaved=request.is_interleaved,
            reach=pair.reach,
            sampled=sampled.share if sampled else None,
            removed=sampled.removed if sampled else "",
            pairs=paired.AT_MOST * request.suite.plan.iterations,
            calibration=pair_runs.calibration,
            refusal=pair_runs.refusal,
            plain=(*self.baseline.list_runs(pair.benchmark), *references),
            pilots=self.baseline.list_pilots(pair.benchmark),
            calibrating=pair_runs.calibrating,
            runs=pair_runs.runs,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyRuns:
    """What was run for all pairs; `references` are processes of the unchanged suite among them."""

    pairs: tuple[PairRuns, ...] = ()
    references: tuple[Run, ...] = field(default=(), repr=False)
    _by_benchmark: Mapping[str, tuple[Run, ...]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Sort the references by benchmark: each pair asks for those of its own."""
        object.__setattr__(self, "_by_benchmark", group_by_benchmark(self.references))

    @property
    def runs_by_pair(self) -> dict[PairKey, tuple[Run, ...]]:
        """Return the processes that tell what turns give, by pair."""
        return {pair.pair.pair_key: (*pair.calibrating, *pair.runs) for pair in self.pairs}

    def references_of(self, benchmark: Benchmark) -> tuple[Run, ...]:
        """Return the references of a benchmark."""
        return self._by_benchmark.get(benchmark.id, ())


_CORRECTIONS = 2


def count_corrections(request: AbsRequest) -> int:
    """Return how often the first run of a pair is made anew at most, as its turns were wrong."""
    return 0 if request.is_fixed else _CORRECTIONS


def most_runs(request: AbsRequest) -> int:
    """Return how many runs a pair may have, the further ones near the threshold included."""
    return request.runs if request.is_fixed else paired.FURTHER * request.runs


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySettings:
    """How a study of pairs differs from that of the verdicts.

    `name` is what it is called in the progress. Unless it is `thorough`, turns on a line between
    known ones are not tried in a calibration first, and what is near the threshold gets neither
    other turns nor further runs. `first_run` runs were made by others before; `stored_runs` are
    processes that tell what turns give. A process may have `at_most` times the pairs of the plan.
    """

    name: str = "pairs"
    thorough: bool = True
    first_run: int = 0
    at_most: int = paired.AT_MOST
    stored_runs: Mapping[PairKey, tuple[Run, ...]] = field(default_factory=dict, repr=False)


MAIN = StudySettings()
"""The study that the verdicts are made of."""


def choose_block_operations(pair: StudyPair, baseline: SuiteBaseline, plan: Plan) -> int | None:
    """Return how many operations a block of `plan` holds, None where that cannot be fixed."""
    base_operations = baseline.operations[pair.benchmark.id]
    plain = baseline.first_seconds(pair.benchmark)
    if plain is None or not pair.calls_per_operation:
        return base_operations
    return schedules.fit_probed_operations(
        base_operations, plan, plain, pair.calls_per_operation, pair.benchmark.concurrency
    )


def calls_per_second(pair: StudyPair, baseline: SuiteBaseline) -> float:
    """Return how often a thread calls: the method's share, if all calls lasted alike.

    The larger it is the likelier is a detection; what is unknown may be large.
    """
    plain = baseline.first_seconds(pair.benchmark)
    if plain is None or pair.calls_per_operation is None:
        return inf
    return pair.calls_per_operation / pair.benchmark.concurrency / plain


def build_overlay(key: VariantKey, parts: StudyContext) -> BuiltVariant | OverlayRefusal:
    """Return what makes a variant, or why there is none."""
    method, nested = key
    variant = Variant(
        VariantKind.DELAYED, (method,), guarded=nested, has_plain_blocks=method.keeps_original
    )
    overlay = parts.mutator.build_overlay(parts.suite.sources, variant)
    return overlay if isinstance(overlay, OverlayRefusal) else BuiltVariant(variant, overlay)
