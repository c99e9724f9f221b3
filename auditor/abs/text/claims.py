"""What the numbers of a result allow to be said of its methods and benchmarks.

Terminal, page, Markdown and `select --remove` ask `Facts`, so that none contradicts another.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from auditor.abs.document import Document, accepted_methods
from auditor.abs.judge.outcomes import NOT_COUNTED
from auditor.abs.model import MethodVerdict, PairVerdict
from auditor.core.result import ReachState, Verdict
from auditor.core.stability import UNLISTED, BenchmarkVerdict
from auditor.core.suite import ENDED_AFTER, SKIPS_ITSELF
from auditor.measure.reach_judge import ALL_SLUG

OPEN = (Verdict.INCONCLUSIVE, Verdict.CRASHED, Verdict.TIMED_OUT, Verdict.UNMEASURED)
"""Outcomes of a pair that may still turn out a detection."""
UNWATCHED = (Verdict.UNREACHED, Verdict.MISSED)
BROKEN = (Verdict.CRASHED, Verdict.TIMED_OUT)
_NO_FAULT = frozenset({"measured", "skipped", "timed-out"})
"""Endings of a benchmark in which nothing is to be repaired."""
SHARE_DOUBT = 0.2
"""Relative error that a share by timed calls may have: the tolerance of a calibration."""
MOST = 0.5
"""Share of an operation from which on methods hold most of what a benchmark does."""
_NOT_RUN = {Verdict.UNREACHED, Verdict.DEAD_CODE}
_BUDGET = frozenset({"budget", "so-far", "sampled"})
"""Caveats of a result in which the time was up before all was measured."""
_OUT_OF_TIME = frozenset({"unfinished", "few-runs"})
"""Caveats of a pair that more time would settle."""
_SHORT = frozenset({"distorted", "unverified", "too-short", "calibration-failed", "hidden-delay"})
"""Caveats of a pair whose method is too short to be slowed in proportion."""
SHORT_SECONDS = 2e-7
"""Time of a call from which on a probe can hardly matter: what seems so is noise."""
_SCATTER = frozenset(
    {"near-threshold", "distorted", "few-pairs", "few-runs", "signs-disagree", "unfinished"}
)
"""Caveats of a pair that more or quieter measurements would settle."""


class OpenCause(Enum):
    """Why the outcome of a method is open."""

    BUDGET = "the budget ended before its pairs were measured"
    SHORT = "its time is too short to be slowed in proportion"
    BLOCKS = "its calls show in CPU samples of longer blocks only"
    SCATTER = "measurements scatter too much"
    UNCLASSIFIED = "something else, which its reason names"


def needs_time(benchmark: BenchmarkVerdict) -> bool:
    """Tell whether a benchmark was ended before it was done."""
    unlisted = benchmark.ending == UNLISTED and ENDED_AFTER in (benchmark.reason or "")
    return benchmark.ending == "timed-out" or unlisted


def needs_repair(benchmark: BenchmarkVerdict) -> bool:
    """Tell whether a benchmark failed, and neither for want of time nor by its own choice."""
    skips = benchmark.ending == UNLISTED and (benchmark.reason or "").startswith(SKIPS_ITSELF)
    return benchmark.ending not in _NO_FAULT and not needs_time(benchmark) and not skips


@dataclass(frozen=True)
class ResultFacts:
    """What one result knows of its methods and benchmarks."""

    document: Document

    @cached_property
    def methods_by_id(self) -> Mapping[str, MethodVerdict]:
        """Return the methods by id."""
        return {method.id: method for method in self.document.methods}

    @cached_property
    def benchmarks_by_id(self) -> Mapping[str, BenchmarkVerdict]:
        """Return the benchmarks by id."""
        return {benchmark.id: benchmark for benchmark in self.document.benchmarks}

    @cached_property
    def pairs_by_method(self) -> Mapping[str, list[PairVerdict]]:
        """Return the pairs of each method."""
        groups = defaultdict[str, list[PairVerdict]](list)
        for pair in self.document.pairs:
            groups[pair.method].append(pair)
        return groups

    @cached_property
    def pairs_by_benchmark(self) -> Mapping[str, list[PairVerdict]]:
        """Return the pairs of each benchmark."""
        groups = defaultdict[str, list[PairVerdict]](list)
        for pair in self.document.pairs:
            groups[pair.benchmark].append(pair)
        return groups

    @cached_property
    def caveat_slugs(self) -> frozenset[str]:
        """Return the caveats of the whole result."""
        return frozenset(caveat.slug for caveat in self.document.caveats)

    @property
    def examines_all_methods(self) -> bool:
        """Tell whether no public method that can be slowed was left out."""
        return ALL_SLUG in self.caveat_slugs

    @property
    def ran_out_of_time(self) -> bool:
        """Tell whether the budget ended before all was measured."""
        return bool(self.caveat_slugs & _BUDGET)

    @property
    def open_wording(self) -> str:
        """Return how a method is called that there was no time for."""
        return "not measured yet" if self.is_so_far else "left open by the budget"

    @property
    def is_so_far(self) -> bool:
        """Tell whether the result is what the store has, and nothing was run for it."""
        return "so-far" in self.caveat_slugs and not self.caveat_slugs & {"budget", "sampled"}

    @cached_property
    def open_pairs(self) -> int:
        """Return the number of pairs that may still turn out detections."""
        return sum(map(self.is_open_pair, self.document.pairs))

    def is_open_pair(self, pair: PairVerdict) -> bool:
        """Tell whether a pair may still turn out a detection.

        So may one that could not be slowed, unless its method does not count at all.
        """
        method = self.methods_by_id.get(pair.method)
        counts = method is not None and method.outcome not in NOT_COUNTED
        return pair.outcome in OPEN or (pair.outcome in NOT_COUNTED and counts)

    @cached_property
    def uncovered_methods(self) -> frozenset[str]:
        """Return the methods that no benchmark watches, without misses that the user accepts."""
        accepted = accepted_methods(self.document.accepted)
        return frozenset(
            method.id
            for method in self.document.methods
            if method.outcome in UNWATCHED and method.id not in accepted
        )

    @cached_property
    def removed_calls(self) -> Mapping[str, tuple[str, ...]]:
        """Return the lost methods whose calls the compiler removed, by benchmark.

        Each is named once: one benchmark that uses the result is enough.
        """
        methods_by_benchmark = defaultdict[str, list[str]](list)
        left = set(self.uncovered_methods)
        for pair in self.document.pairs:
            if pair.outcome is Verdict.DEAD_CODE and pair.method in left:
                left.remove(pair.method)
                methods_by_benchmark[pair.benchmark].append(pair.method)
        return {benchmark: tuple(methods) for benchmark, methods in methods_by_benchmark.items()}

    def find_cause(self, method: str) -> OpenCause:
        """Return why the outcome of an inconclusive method is open."""
        pairs = [pair for pair in self.pairs_by_method[method] if self.is_open_pair(pair)]
        slugs = {caveat.slug for pair in pairs for caveat in pair.caveats}
        unmeasured = not pairs or any(pair.outcome is Verdict.UNMEASURED for pair in pairs)
        if self.ran_out_of_time and (unmeasured or slugs & _OUT_OF_TIME):
            return OpenCause.BUDGET
        if "calls-overlap" in slugs:
            return OpenCause.UNCLASSIFIED
        if pairs and all(map(_needs_longer_blocks, pairs)):
            return OpenCause.BLOCKS
        if slugs & _SHORT and all(map(_may_be_short, pairs)):
            return OpenCause.SHORT
        sampled = any(pair.share_interval is not None for pair in pairs)
        scatters = (slugs & _SCATTER or sampled) and not unmeasured
        return OpenCause.SCATTER if scatters else OpenCause.UNCLASSIFIED

    def bound_examined_share(self, benchmark: str) -> tuple[float, float]:
        """Return the least and the most that the examined methods can be of an operation.

        Methods call each other, so together they hold at least the largest share of one of them,
        and at most the sum of all.
        """
        pairs = self.pairs_by_benchmark[benchmark]
        bounds = [_share_bounds(pair) for pair in pairs if pair.outcome not in _NOT_RUN]
        low = max((low for low, _ in bounds), default=0.0)
        return min(low, 1.0), min(sum(high for _, high in bounds), 1.0)

    def is_mostly_examined(self, benchmark: str) -> bool:
        """Tell whether the examined methods surely hold at least half of an operation."""
        return self.bound_examined_share(benchmark)[0] >= MOST

    def is_settled(self, benchmark: str) -> bool:
        """Tell whether a benchmark was measured with some method, and none of its pairs is open."""
        pairs = self.pairs_by_benchmark[benchmark]
        verdict = self.benchmarks_by_id[benchmark]
        looked_at = bool(pairs or (self.document.pairs and not self.ran_out_of_time))
        measured = verdict.ending == "measured" and bool(verdict.means) and looked_at
        return measured and not any(map(self.is_open_pair, pairs))

    def detects_nothing(self, benchmark: str) -> bool:
        """Tell whether a benchmark surely detects none of the examined methods."""
        verdict = self.benchmarks_by_id[benchmark]
        return self.is_settled(benchmark) and not verdict.unique and not verdict.shared

    def detects_any_method(self, benchmark: str) -> bool:
        """Tell whether a benchmark detects some method."""
        verdict = self.benchmarks_by_id[benchmark]
        return bool(verdict.unique or verdict.shared)

    def is_droppable(self, benchmark: str) -> bool:
        """Tell whether all evidence says that nothing is lost without a benchmark."""
        return (
            self.is_settled(benchmark)
            and bool(self.document.minimal_cover)
            and benchmark not in self.document.minimal_cover
            and benchmark not in self.removed_calls
            and self.is_mostly_examined(benchmark)
            and self._keeps_steady_detections(benchmark)
        )

    def _keeps_steady_detections(self, benchmark: str) -> bool:
        """Tell whether each method that a steady benchmark detects keeps another steady one."""
        shaky = {*self.document.scores.absolute.excluded_benchmarks}
        cover = {*self.document.minimal_cover} - shaky
        return benchmark in shaky or all(
            any(
                same.benchmark in cover and same.outcome is Verdict.DETECTED
                for same in self.pairs_by_method[pair.method]
            )
            for pair in self.pairs_by_benchmark[benchmark]
            if pair.outcome is Verdict.DETECTED
        )

    def bound_largest_share(self, method: str) -> float | None:
        """Return the most that a method can be of any benchmark's operation; None: not known."""
        pairs = [
            pair for pair in self.pairs_by_method[method] if pair.outcome is not Verdict.UNREACHED
        ]
        is_known = all(pair.share is not None or pair.share_at_most is not None for pair in pairs)
        largest = max((_share_bounds(pair)[1] for pair in pairs), default=None)
        return min(largest, 1.0) if is_known and largest is not None else None

    def is_unexamined(self, benchmark: str) -> bool:
        """Tell whether a benchmark mainly does what no examined method holds.

        Of one whose call the compiler removed no share is known.
        """
        has_share = self.is_settled(benchmark) and not self.dead_calls(benchmark)
        return has_share and self.bound_examined_share(benchmark)[1] < MOST

    def dead_calls(self, benchmark: str) -> tuple[str, ...]:
        """Return the methods whose calls the compiler removed from a benchmark."""
        pairs = self.pairs_by_benchmark[benchmark]
        return tuple(pair.method for pair in pairs if pair.outcome is Verdict.DEAD_CODE)

    def calls_none(self, benchmark: str) -> bool:
        """Tell whether a benchmark calls none of the examined methods, not even in its set-up."""
        pairs = self.pairs_by_benchmark[benchmark]
        return not self.has_unslowed and all(pair.reach is ReachState.NOT_AT_ALL for pair in pairs)

    @cached_property
    def has_unslowed(self) -> bool:
        """Tell whether a method could not be slowed, so that it has no pairs."""
        outcomes = {method.outcome for method in self.document.methods}
        return bool(outcomes & {Verdict.REFUSED, Verdict.INVALID})

    def lacks_benchmark(self, method: str) -> bool:
        """Tell whether a new benchmark would watch a method that no benchmark covers."""
        removed = any(method in methods for methods in self.removed_calls.values())
        return (
            method in self.uncovered_methods
            and not removed
            and self.methods_by_id[method].trivial is None
        )

    def is_open_for(self, method: str, cause: OpenCause) -> bool:
        """Tell whether the outcome of a method is open for this cause."""
        verdict = self.methods_by_id[method]
        return verdict.outcome is Verdict.INCONCLUSIVE and self.find_cause(method) is cause

    @property
    def has_whole_matrix(self) -> bool:
        """Tell whether each pair is decided, so that none other than the cover is needed."""
        accepted_methods = self.caveat_slugs & {"score-mode", "sampled"}
        measured = all(benchmark.means for benchmark in self.document.benchmarks)
        return (
            bool(self.document.pairs) and measured and not accepted_methods and not self.open_pairs
        )


def _needs_longer_blocks(pair: PairVerdict) -> bool:
    """Tell whether CPU samples show calls that the blocks are too short to count."""
    slugs = {caveat.slug for caveat in pair.caveats}
    return "reach-contradicted" in slugs and pair.reach is ReachState.UNKNOWN


def _may_be_short(pair: PairVerdict) -> bool:
    return pair.method_seconds is None or pair.method_seconds < SHORT_SECONDS


def _share_bounds(pair: PairVerdict) -> tuple[float, float]:
    """Return the least and the most that a method can be of an operation."""
    most = 1.0 if pair.share_at_most is None else pair.share_at_most
    if pair.share_interval is not None:
        low, high = pair.share_interval
        return low or 0.0, min(most, 1.0 if high is None else high)
    if pair.share is not None:
        doubt = SHARE_DOUBT * pair.share
        return pair.share - doubt, min(most, pair.share + doubt)
    return 0.0, most
