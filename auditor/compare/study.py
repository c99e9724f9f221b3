"""Base against head: processes of both in turns, on one machine, until all is settled."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from zlib import crc32

import numpy as np

from auditor.compare import judge as audit
from auditor.compare.judge import ComparisonThresholds
from auditor.compare.model import (
    BenchmarkComparison,
    Comparison,
    ComparisonArm,
    Dimension,
    PerformanceChange,
    Rounds,
)
from auditor.compare.study_order import calls_any
from auditor.core.caveats import Caveat, list_some
from auditor.core.errors import NoBenchmarks
from auditor.core.outcome import Measured
from auditor.core.plan import Layouts, Purpose, Run, Trial
from auditor.core.request import CompareRequest
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.measure import trust, warmup_results
from auditor.measure.block_sizes import BlockSizes, sized
from auditor.measure.context import StudyContext
from auditor.measure.failures import reason
from auditor.measure.suite_runs import chosen, is_broken, obstacle, unlisted
from auditor.measure.trial_times import expected_seconds
from auditor.measure.trials import measure
from auditor.measure.warmup_runs import suite_trials, warmed

_FRESH = 1000
"""Rounds that confirm are numbered from here on, however many first rounds there may be."""
_LARGEST_LAYOUT = 2**31 - 1
RESTLESS = 0.05
"""Share of the benchmarks that may seem to differ from themselves by chance."""

_CHANGES = (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT)
_ORDER = (True, None, False)
"""Whether a benchmark calls a method that changed: those that do come first."""
_NO_TIME = "the time was up before it was measured"
_LEFT_TO_THE_LAST = (
    "it calls none of the methods that changed, so it was left to the last, and the time was up"
)

Place = tuple[int, ComparisonArm]
"""Number of the round, and the side."""


@dataclass(frozen=True, slots=True)
class SharedBenchmark:
    """A benchmark that both revisions have."""

    base: Benchmark
    head: Benchmark

    @property
    def id(self) -> str:
        """Return the id, which is the same of both."""
        return self.base.id


@dataclass(slots=True)
class ComparisonStudy:
    """Measures and judges two revisions."""

    base: StudyContext
    """Context of the base; it shares all but project and suite with `head`."""
    head: StudyContext
    """Context of head."""
    request: CompareRequest
    """What to compare, and how often."""
    changed: Sequence[Method] = ()
    """All that differs in the library; empty where that is not known, or is not in methods."""
    _runs: dict[str, dict[Place, Run]] = field(default_factory=dict, init=False)
    """By benchmark id, then by round and arm."""
    _failed: dict[str, str] = field(default_factory=dict, init=False)
    """Why a benchmark failed, by its id."""
    _watched: tuple[Run, ...] = field(default=(), init=False)
    """Processes that found the warm-up."""
    _all: Sequence[SharedBenchmark] = field(default=(), init=False)
    """The benchmarks that are measured together now."""
    _ended_early: bool = field(default=False, init=False)
    """Whether first rounds were left out to have time for confirming."""
    _calls: Mapping[str, bool | None] = field(default_factory=dict, init=False)
    """Whether a benchmark calls a method that changed, by its id; empty where nobody has asked."""

    def compare(self) -> Comparison:
        """Return the verdicts; what the budget prevented is open.

        Raises NoBenchmarks where neither revision has any, and where none of head can be listed.
        """
        before, after = (_by_id(parts) for parts in (self.base, self.head))
        asked = self.head.suite, self.head.request.benchmarks
        if not after and (not before or is_broken(*asked)):
            chosen(*asked)
        lost = tuple(
            self._lost(benchmark) for name, benchmark in before.items() if name not in after
        )
        unknown = tuple(comparison for comparison in lost if comparison.reason)
        benchmarks = [
            SharedBenchmark(before[name], after[name]) for name in before if name in after
        ]
        differing = [benchmark for benchmark in benchmarks if not self._is_same(benchmark)]
        sizes = sized([benchmark.base for benchmark in differing], self.base)
        self._note([*sizes.pilots])
        sizes = self._warmed(differing, sizes)
        suspects: list[tuple[SharedBenchmark, Dimension]] = []
        for group in self._in_order(differing, sizes):
            suspects += self._measured(group, sizes)
        limits = replace(self._limits, suspects=len(suspects))
        named = {benchmark.id for benchmark in differing}
        suspected = tuple(
            benchmark.id for benchmark in differing if self._differs_from_itself(benchmark)
        )
        comparisons = tuple(
            self._judged(benchmark, limits)
            if benchmark.id in named
            else BenchmarkComparison(id=benchmark.id, same=True)
            for benchmark in benchmarks
        )
        return Comparison(
            min_delta=self.request.min_delta,
            benchmarks=(*comparisons, *unknown),
            added=tuple(name for name in after if name not in before),
            removed=tuple(comparison.id for comparison in lost if not comparison.reason),
            controls=sum(bool(comparison.dimensions) for comparison in comparisons),
            suspected=suspected,
            confirming_seconds=self._confirming_seconds(comparisons, differing, sizes),
            caveats=tuple(self._caveats(comparisons, len(suspected))),
        )

    def _in_order(
        self, differing: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> list[Sequence[SharedBenchmark]]:
        """Return what is measured together, under a budget what calls the changed methods first."""
        deadline = self.head.deadline
        if deadline is None or deadline.is_rehearsal or not self.changed:
            return [differing]
        usable = [benchmark.head for benchmark in differing if benchmark.id not in self._failed]
        calls = calls_any(self.changed, usable, sizes, self.head) if len(usable) > 1 else {}
        if True not in calls.values():
            return [differing]
        self._calls = calls
        groups = (
            [benchmark for benchmark in differing if calls.get(benchmark.id) is each]
            for each in _ORDER
        )
        return [group for group in groups if group]

    def _measured(
        self, group: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> Sequence[tuple[SharedBenchmark, Dimension]]:
        """Measure these benchmarks, and return what the first rounds suspected."""
        self._all = group
        self._first_rounds(group, sizes)
        suspects = [
            (benchmark, dimension)
            for benchmark in group
            for dimension in Dimension
            if self._screened(benchmark, dimension) in _CHANGES
        ]
        self._fresh_rounds(list(dict.fromkeys(benchmark for benchmark, _ in suspects)), sizes)
        return suspects

    def _caveats(
        self, comparisons: Sequence[BenchmarkComparison], suspected: int
    ) -> Iterator[Caveat]:
        yield from self.head.said_of_budget
        yield from self._left_out(comparisons)
        yield from self._busy()
        yield from warmup_results.of_suite(self._watched)
        if (watch_request := self.head.request.watched) is not None:
            yield from warmup_results.otherwise(
                watch_request.watch, (run.trial.watch for run in self._watched)
            )
        for side, parts in ((ComparisonArm.BASE, self.base), (ComparisonArm.HEAD, self.head)):
            runs = [run for one in self._runs.values() for at, run in one.items() if at[1] is side]
            for caveat in trust.of_runs(runs, parts.project):
                yield Caveat(caveat.slug, f"{side}: {caveat.text}")
            if silent := unlisted(parts.suite, parts.request.benchmarks):
                names = list_some([name for name, _ in silent])
                text = f"{side}: benchmarks that could not be listed were not compared: {names}"
                yield Caveat("failed-benchmarks", text)
        compared = sum(not comparison.same for comparison in comparisons)
        if compared and self.head.layouts is Layouts.FIXED:
            text = (
                "this linker cannot shuffle functions, so the effect of function order looks like "
                "a change; use Go 1.23 or newer"
            )
            yield Caveat("layout", text)
        if suspected > max(1, RESTLESS * compared):
            text = (
                f"{suspected} of {compared} benchmarks differ between two runs of the base: other "
                "work disturbs the machine; repeat when it is quiet"
            )
            yield Caveat("restless", text)

    def _busy(self) -> Iterator[Caveat]:
        """Say in how many rounds the least blocks count."""
        rounds: dict[tuple[str, int], list[Run]] = {}
        for name, runs in self._runs.items():
            for (number, _), run in runs.items():
                rounds.setdefault((name, number), []).append(run)
        if busy := sum(map(audit.is_busy_round, rounds.values())):
            text = (
                f"in {busy} of {len(rounds)} rounds other work kept the processors busy; there "
                "the fastest block of each process counts, not the median"
            )
            yield Caveat("busy-rounds", text)

    def _left_out(self, comparisons: Sequence[BenchmarkComparison]) -> Iterator[Caveat]:
        """Say what a budget has left out on purpose."""
        open_ = sum(
            comparison.calls_changed is False and comparison.change is PerformanceChange.UNKNOWN
            for comparison in comparisons
        )
        if open_:
            text = (
                f"{open_} of {len(comparisons)} benchmarks call none of the changed methods; they "
                "came last, and the budget ended before they were judged; repeat the command"
            )
            yield Caveat("left-to-the-last", text)
        if self._ended_early:
            text = (
                "the first rounds of some benchmarks were skipped, so that suspected changes "
                "could be confirmed within the budget"
            )
            yield Caveat("kept-for-confirming", text)

    @property
    def _limits(self) -> ComparisonThresholds:
        return ComparisonThresholds(min_delta=self.request.min_delta, fresh=self.request.fresh)

    def _lost(self, benchmark: Benchmark) -> BenchmarkComparison:
        """Say why head does not list a benchmark of base; without a reason it is gone."""
        why = obstacle(benchmark, self.head.suite)
        reason = "" if why is None else f"it cannot be listed in head: {why}"[:600]
        return BenchmarkComparison(id=benchmark.id, reason=reason)

    def _is_same(self, benchmark: SharedBenchmark) -> bool:
        """Tell whether both revisions are built of the same, so that there is nothing to ask."""
        closures = (
            parts.project.closure(one.group)
            for parts, one in ((self.base, benchmark.base), (self.head, benchmark.head))
        )
        alike = len({closure.digest for closure in closures}) == 1
        return alike and benchmark.base.settings == benchmark.head.settings

    def _warmed(self, differing: Sequence[SharedBenchmark], sizes: BlockSizes) -> BlockSizes:
        """Let both revisions warm up as long as the one that needs longer, if they are watched."""
        if self.head.request.watched is None:
            return sizes
        trials = [
            trial
            for parts, benchmarks in (
                (self.base, [benchmark.base for benchmark in differing]),
                (self.head, [benchmark.head for benchmark in differing]),
            )
            for trial in suite_trials(benchmarks, sizes, parts).values()
        ]
        self._watched = tuple(measure("warm-up", trials, self.head))
        return replace(sizes, plans=warmed(sizes.plans, sizes.operations, self._watched))

    def _first_rounds(self, pending: Sequence[SharedBenchmark], sizes: BlockSizes) -> None:
        for number in range(1, self.request.rounds + 1):
            pending = [benchmark for benchmark in pending if benchmark.id not in self._failed]
            if not pending:
                return
            if not self._leaves_time_to_confirm(pending, sizes):
                self._ended_early = True
                return
            self._round(f"round {number} of at most {self.request.rounds}", number, pending, sizes)
            if number in audit.LOOKS:
                pending = [benchmark for benchmark in pending if not self._is_settled(benchmark)]

    def _leaves_time_to_confirm(
        self, pending: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> bool:
        """Tell whether another first round leaves the time that confirming takes by now."""
        deadline = self.head.deadline
        if deadline is None or deadline.is_rehearsal:
            return True
        suspects = [benchmark for benchmark in self._all if self._is_suspected(benchmark)]
        if not suspects:
            return True
        confirming = self.request.fresh * self._round_seconds(suspects, sizes)
        return self._round_seconds(pending, sizes) + confirming <= deadline.left

    def _is_suspected(self, benchmark: SharedBenchmark) -> bool:
        return any(self._screened(benchmark, dimension) in _CHANGES for dimension in Dimension)

    def _slowing(self, benchmark: SharedBenchmark) -> float:
        """Return how many times as long the first rounds say that head takes."""
        rounds = self._rounds(benchmark, Dimension.TIME).first
        found = audit.estimate(Dimension.TIME, rounds)
        return 0.0 if found is None else found

    def _round_seconds(self, pending: Sequence[SharedBenchmark], sizes: BlockSizes) -> float:
        """Return about how long a round of these takes: three processes of each."""
        deadline = self.head.deadline
        trials = [self._trial(benchmark, ComparisonArm.HEAD, 1, sizes) for benchmark in pending]
        seconds = expected_seconds if deadline is None else deadline.times.seconds
        return len(ComparisonArm) * sum(map(seconds, trials))

    def _confirming_seconds(
        self,
        comparisons: Sequence[BenchmarkComparison],
        differing: Sequence[SharedBenchmark],
        sizes: BlockSizes,
    ) -> float | None:
        """Return about how long the rounds take that are missing; None where none is."""
        missing: dict[str, int] = {}
        for comparison in comparisons:
            for dimension in comparison.dimensions:
                if dimension.suspected is PerformanceChange.REGRESSION:
                    missing[comparison.id] = max(
                        0, self.request.fresh - len(dimension.rounds.fresh)
                    )
        seconds = sum(
            missing.get(benchmark.id, 0) * self._round_seconds([benchmark], sizes)
            for benchmark in differing
        )
        return seconds or None

    def _fresh_rounds(self, suspects: Sequence[SharedBenchmark], sizes: BlockSizes) -> None:
        if not suspects:
            return
        groups = [suspects]
        if self.head.deadline is not None:  # what is confirmed at all is confirmed to its end
            groups = [[suspect] for suspect in sorted(suspects, key=self._slowing, reverse=True)]
        for group in groups:
            for number in range(1, self.request.fresh + 1):
                name = f"confirming, round {number} of {self.request.fresh}"
                pending = [benchmark for benchmark in group if benchmark.id not in self._failed]
                self._round(name, _FRESH + number, pending, sizes)

    def _round(
        self, name: str, number: int, pending: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> None:
        """Run three processes of each benchmark, in an order drawn for each benchmark."""
        rng = np.random.default_rng([self.base.request.seed, 9, number])
        sides = tuple(ComparisonArm)
        trials = {
            (one.id, sides[side]): self._trial(one, sides[side], number, sizes)
            for one in (pending[at] for at in rng.permutation(len(pending)))
            for side in rng.permutation(len(sides))
        }
        by_trial = {run.trial.id: run for run in measure(name, list(trials.values()), self.head)}
        for (name_of, side), trial in trials.items():
            if (run := by_trial.get(trial.id)) is not None:
                self._runs.setdefault(name_of, {})[number, side] = run
                self._note([run], side)

    def _trial(
        self, both: SharedBenchmark, side: ComparisonArm, number: int, sizes: BlockSizes
    ) -> Trial:
        """Return a process of a side; the operations of its blocks are those of the base's.

        Its seed names both programs: runs that were made beside those of a third revision were
        made at another time.
        """
        parts, benchmark = (
            (self.head, both.head) if side is ComparisonArm.HEAD else (self.base, both.base)
        )
        trial = parts.trial(Purpose.COMPARISON, benchmark, sizes.plain(both.base))
        programs = (
            self.base.project.closure(both.base.group).digest,
            self.head.project.closure(both.head.group).digest,
        )
        seed = self.base.request.seed
        return replace(
            trial,
            repetition=number,
            fork=2 if side is ComparisonArm.AGAIN else 1,
            seed=crc32(repr((seed, programs)).encode()),
            layout=self._layout(number, side),
        )

    def _layout(self, number: int, side: ComparisonArm) -> int:
        """Return the layout of a side in a round: the same for all benchmarks, to be built once."""
        if self.base.layouts is not Layouts.DRAWN:
            return 0
        at = tuple(ComparisonArm).index(side)
        rng = np.random.default_rng([self.base.request.seed, 10, number, at])
        return int(rng.integers(1, _LARGEST_LAYOUT, endpoint=True))

    def _note(self, runs: Iterable[Run], side: ComparisonArm = ComparisonArm.BASE) -> None:
        """Remember which benchmarks fail, the first reason of each."""
        for run in runs:
            if not isinstance(run.outcome, Measured) and run.trial.benchmark is not None:
                where = "head" if side is ComparisonArm.HEAD else "base"
                why = f"it fails in {where}: {reason(run.outcome)}"[:600]
                self._failed.setdefault(run.trial.benchmark.id, why)

    def _rounds(self, benchmark: SharedBenchmark, dimension: Dimension) -> Rounds:
        """Return the complete rounds of a benchmark.

        One whose machine was lost in the midst of it, so that another made the rest, is none.
        """
        found: tuple[list[tuple[float, float, float]], ...] = ([], [])
        mine = self._runs.get(benchmark.id, {})
        for number in sorted({number for number, _ in mine}):
            runs = [
                run
                for side in (ComparisonArm.BASE, ComparisonArm.AGAIN, ComparisonArm.HEAD)
                if (run := mine.get((number, side))) is not None
            ]
            busy = audit.is_busy_round(runs)
            values = [
                one for run in runs if (one := audit.value(run, dimension, busy=busy)) is not None
            ]
            if len(values) == len(ComparisonArm) and len({run.host.name for run in runs}) == 1:
                found[number > _FRESH].append((values[0], values[1], values[2]))
        return Rounds(first=tuple(found[0]), fresh=tuple(found[1]))

    def _screened(self, benchmark: SharedBenchmark, dimension: Dimension) -> PerformanceChange:
        if benchmark.id in self._failed:
            return PerformanceChange.UNKNOWN
        return audit.screen_rounds(
            dimension, self._rounds(benchmark, dimension).first, self._limits
        )

    def _is_settled(self, benchmark: SharedBenchmark) -> bool:
        """Tell whether first rounds have nothing more to say of any dimension that is reported."""
        dimensions = [
            dimension for dimension in Dimension if self._rounds(benchmark, dimension).first
        ]
        settled = (
            self._screened(benchmark, dimension) is not PerformanceChange.UNKNOWN
            for dimension in dimensions
        )
        return bool(dimensions) and all(settled)

    def _differs_from_itself(self, benchmark: SharedBenchmark) -> bool:
        return any(
            audit.differs_from_itself(
                dimension, self._rounds(benchmark, dimension).first, self._limits
            )
            for dimension in Dimension
        )

    def _judged(
        self, benchmark: SharedBenchmark, limits: ComparisonThresholds
    ) -> BenchmarkComparison:
        calls = self._calls.get(benchmark.id)
        if benchmark.id in self._failed:
            return BenchmarkComparison(
                id=benchmark.id, reason=self._failed[benchmark.id], calls_changed=calls
            )
        found = [(dimension, self._rounds(benchmark, dimension)) for dimension in Dimension]
        verdicts = tuple(
            audit.judge(dimension, rounds, limits) for dimension, rounds in found if rounds.all
        )
        made = len(self._runs.get(benchmark.id, {})) >= len(ComparisonArm)
        why = _NO_TIME if calls is not False else _LEFT_TO_THE_LAST
        why = "each of its rounds was made by two machines, as one was lost" if made else why
        why = "" if verdicts else why
        return BenchmarkComparison(
            id=benchmark.id, dimensions=verdicts, reason=why, calls_changed=calls
        )


def _by_id(parts: StudyContext) -> dict[str, Benchmark]:
    """Return the benchmarks that are asked for; a revision may have none yet, or no longer."""
    try:
        return {
            benchmark.id: benchmark for benchmark in chosen(parts.suite, parts.request.benchmarks)
        }
    except NoBenchmarks:
        return {}
