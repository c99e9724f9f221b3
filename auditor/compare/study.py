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
from auditor.compare.study_order import find_calling_benchmarks
from auditor.compare.study_revisions import index_benchmarks, name_revision
from auditor.core.caveats import Caveat, list_some
from auditor.core.outcome import Measured
from auditor.core.plan import Layouts, Purpose, Run, Trial
from auditor.core.request import CompareRequest
from auditor.core.subject import Method
from auditor.core.suite import Benchmark
from auditor.measure import trust, warmup_results
from auditor.measure.block_sizes import BlockSizes, measure_block_sizes
from auditor.measure.context import StudyContext
from auditor.measure.failures import describe_failure
from auditor.measure.suite_runs import (
    choose_benchmarks,
    find_listing_obstacle,
    is_broken,
    list_unlisted,
)
from auditor.measure.trial_times import expected_seconds
from auditor.measure.trials import measure_trials
from auditor.measure.warmup_runs import adapt_warmup, make_suite_trials

_FRESH_OFFSET = 1000
"""Rounds that confirm are numbered from here on, however many first rounds there may be."""
_LARGEST_LAYOUT = 2**31 - 1
RESTLESS_SHARE = 0.05
"""Share of the benchmarks that may seem to differ from themselves by chance."""

_SUSPECTED_CHANGES = (PerformanceChange.REGRESSION, PerformanceChange.IMPROVEMENT)
_CALL_ORDER = (True, None, False)
"""Whether a benchmark calls a method that changed: those that do come first."""
_NO_TIME_REASON = "the time was up before it was measured"
_POSTPONED_REASON = (
    "it calls none of the methods that changed, so it was left to the last, and the time was up"
)

RoundArm = tuple[int, ComparisonArm]
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
    _runs: dict[str, dict[RoundArm, Run]] = field(default_factory=dict, init=False)
    """By benchmark id, then by round and arm."""
    _failed: dict[str, BenchmarkComparison] = field(default_factory=dict, init=False)
    """Comparisons of the benchmarks that failed, by id."""
    _watched: tuple[Run, ...] = field(default=(), init=False)
    """Processes that found the warm-up."""
    _all: Sequence[SharedBenchmark] = field(default=(), init=False)
    """The benchmarks that are measured together now."""
    _ended_early: bool = field(default=False, init=False)
    """Whether first rounds were left out to have time for confirming."""
    _calls: Mapping[str, bool | None] = field(default_factory=dict, init=False)
    """Whether a benchmark calls a method that changed, by its id; empty where nobody has asked."""

    def compare_revisions(self) -> Comparison:
        """Return the verdicts; what the budget prevented is open.

        Raises NoBenchmarks where neither revision has any, and where none of head can be listed.
        """
        base_benchmarks, head_benchmarks = map(index_benchmarks, (self.base, self.head))
        suite_arguments = self.head.suite, self.head.request.benchmarks
        if not head_benchmarks and (not base_benchmarks or is_broken(*suite_arguments)):
            with name_revision(ComparisonArm.HEAD):
                choose_benchmarks(*suite_arguments)
        unlisted, removed, added = self._split_unshared(base_benchmarks, head_benchmarks)
        shared_benchmarks = [
            SharedBenchmark(base_benchmarks[name], head_benchmarks[name])
            for name in base_benchmarks
            if name in head_benchmarks
        ]
        differing = [benchmark for benchmark in shared_benchmarks if not self._is_same(benchmark)]
        sizes = measure_block_sizes([benchmark.base for benchmark in differing], self.base)
        self._note_failures([*sizes.pilots])
        sizes = self._adapt_block_sizes(differing, sizes)
        suspects: list[tuple[SharedBenchmark, Dimension]] = []
        for group in self._group_by_calls(differing, sizes):
            suspects += self._measure_group(group, sizes)
        thresholds = replace(self._base_thresholds, suspects=len(suspects))
        differing_ids = {benchmark.id for benchmark in differing}
        self_differing_ids = tuple(
            benchmark.id for benchmark in differing if self._differs_from_itself(benchmark)
        )
        comparisons = tuple(
            self._judge_benchmark(benchmark, thresholds)
            if benchmark.id in differing_ids
            else BenchmarkComparison(id=benchmark.id, same=True)
            for benchmark in shared_benchmarks
        )
        return Comparison(
            min_delta=self.request.min_delta,
            benchmarks=(*comparisons, *unlisted),
            added=added,
            removed=removed,
            controls=sum(bool(comparison.dimensions) for comparison in comparisons),
            suspected=self_differing_ids,
            confirming_seconds=self._estimate_confirming_time(comparisons, differing, sizes),
            caveats=tuple(self._list_caveats(comparisons, len(self_differing_ids))),
        )

    def _group_by_calls(
        self, differing_benchmarks: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> list[Sequence[SharedBenchmark]]:
        """Return what is measured together, under a budget what calls the changed methods first."""
        deadline = self.head.deadline
        if deadline is None or deadline.is_rehearsal or not self.changed:
            return [differing_benchmarks]
        usable_benchmarks = [
            benchmark.head for benchmark in differing_benchmarks if benchmark.id not in self._failed
        ]
        calls = (
            find_calling_benchmarks(self.changed, usable_benchmarks, sizes, self.head)
            if len(usable_benchmarks) > 1
            else {}
        )
        if True not in calls.values():
            return [differing_benchmarks]
        self._calls = calls
        groups = (
            [
                benchmark
                for benchmark in differing_benchmarks
                if calls.get(benchmark.id) is calls_changed
            ]
            for calls_changed in _CALL_ORDER
        )
        return [group for group in groups if group]

    def _measure_group(
        self, group: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> Sequence[tuple[SharedBenchmark, Dimension]]:
        """Measure these benchmarks, and return what the first rounds suspected."""
        suspects: list[tuple[SharedBenchmark, Dimension]] = []
        pending = group
        while pending:
            count = self._count_fitting(pending, sizes)
            suspects += self._measure_together(pending[:count], sizes)
            pending = pending[count:]
        return suspects

    def _count_fitting(self, pending: Sequence[SharedBenchmark], sizes: BlockSizes) -> int:
        """Return how many of these, from the first on, the time left can judge together.

        All, where it has room for the rounds that a suspicion takes; else as many as also leave
        time to confirm the slowest: one round of each would say nothing of any.
        """
        deadline = self.head.deadline
        if deadline is None or deadline.is_rehearsal or deadline.is_over:
            return len(pending)
        round_seconds = [
            0.0
            if benchmark.id in self._failed
            else self._estimate_round_seconds([benchmark], sizes)
            for benchmark in pending
        ]
        least_rounds, time_left = audit.SCREENING_ROUNDS[0], deadline.seconds_left
        if least_rounds * sum(round_seconds) <= time_left:
            return len(pending)
        fitting_counts = [
            count
            for count in range(1, len(pending))
            if least_rounds * sum(round_seconds[:count])
            + self.request.fresh * max(round_seconds[:count])
            <= time_left
        ]
        return max(fitting_counts, default=1)

    def _measure_together(
        self, group: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> Sequence[tuple[SharedBenchmark, Dimension]]:
        """Measure these benchmarks interleaved, and return what the first rounds suspected."""
        self._all = group
        self._run_first_rounds(group, sizes)
        suspects = [
            (benchmark, dimension)
            for benchmark in group
            for dimension in Dimension
            if self._screen_benchmark(benchmark, dimension) in _SUSPECTED_CHANGES
        ]
        self._run_fresh_rounds(list(dict.fromkeys(benchmark for benchmark, _ in suspects)), sizes)
        return suspects

    def _list_caveats(
        self, comparisons: Sequence[BenchmarkComparison], suspected: int
    ) -> Iterator[Caveat]:
        yield from self.head.budget_caveats
        yield from self._warn_of_left_out(comparisons)
        yield from self._warn_of_busy_rounds()
        yield from warmup_results.describe_suite_warmup(self._watched)
        if (watch_request := self.head.request.watched) is not None:
            yield from warmup_results.describe_substitution(
                watch_request.watch, (run.trial.watch for run in self._watched)
            )
        for arm, parts in ((ComparisonArm.BASE, self.base), (ComparisonArm.HEAD, self.head)):
            runs = [
                run
                for benchmark_runs in self._runs.values()
                for round_arm, run in benchmark_runs.items()
                if round_arm[1] is arm
            ]
            for caveat in trust.warn_of_own_runs(runs, parts.project):
                yield Caveat(caveat.slug, f"{arm}: {caveat.text}")
            if unlisted_benchmarks := list_unlisted(parts.suite, parts.request.benchmarks):
                name_list = list_some([name for name, _ in unlisted_benchmarks])
                text = f"{arm}: benchmarks that could not be listed were not compared: {name_list}"
                yield Caveat("failed-benchmarks", text)
        compared_count = sum(not comparison.same for comparison in comparisons)
        if compared_count and self.head.layouts is Layouts.FIXED:
            text = (
                "this linker cannot shuffle functions, so the effect of function order looks like "
                "a change; use Go 1.23 or newer"
            )
            yield Caveat("layout", text)
        if suspected > max(1, RESTLESS_SHARE * compared_count):
            text = (
                f"{suspected} of {compared_count} benchmarks differ between two runs of the base: "
                "other work disturbs the machine; repeat when it is quiet"
            )
            yield Caveat("restless", text)

    def _warn_of_busy_rounds(self) -> Iterator[Caveat]:
        """Say in how many rounds the least blocks count."""
        rounds: dict[tuple[str, int], list[Run]] = {}
        for name, runs in self._runs.items():
            for (number, _), run in runs.items():
                rounds.setdefault((name, number), []).append(run)
        if busy_count := sum(map(audit.is_busy_round, rounds.values())):
            text = (
                f"in {busy_count} of {len(rounds)} rounds other work kept the processors busy; "
                "there the fastest block of each process counts, not the median"
            )
            yield Caveat("busy-rounds", text)

    def _warn_of_left_out(self, comparisons: Sequence[BenchmarkComparison]) -> Iterator[Caveat]:
        """Say what a budget has left out on purpose."""
        inconclusive_count = sum(
            comparison.calls_changed is False and comparison.change is PerformanceChange.UNKNOWN
            for comparison in comparisons
        )
        deadline = self.head.deadline
        if inconclusive_count and deadline is not None and deadline.is_over:
            verb = "calls" if inconclusive_count == 1 else "call"
            text = (
                f"{inconclusive_count} of {len(comparisons)} benchmarks {verb} none of the changed "
                "methods; they came last, and the budget ended before they were judged; repeat "
                "the command"
            )
            yield Caveat("left-to-the-last", text)
        if self._ended_early:
            text = (
                "the first rounds of some benchmarks were skipped, so that suspected changes "
                "could be confirmed within the budget"
            )
            yield Caveat("kept-for-confirming", text)

    @property
    def _base_thresholds(self) -> ComparisonThresholds:
        return ComparisonThresholds(min_delta=self.request.min_delta, fresh=self.request.fresh)

    def _split_unshared(
        self, base_benchmarks: Mapping[str, Benchmark], head_benchmarks: Mapping[str, Benchmark]
    ) -> tuple[list[BenchmarkComparison], tuple[str, ...], tuple[str, ...]]:
        """Return what a revision cannot list, and the ids of what is removed and what is added."""
        unlisted: list[BenchmarkComparison] = []
        missing_ids: dict[ComparisonArm, list[str]] = {
            ComparisonArm.HEAD: [],
            ComparisonArm.BASE: [],
        }
        for present, lacking, arm, suite in (
            (base_benchmarks, head_benchmarks, ComparisonArm.HEAD, self.head.suite),
            (head_benchmarks, base_benchmarks, ComparisonArm.BASE, self.base.suite),
        ):
            for name, benchmark in present.items():
                if name in lacking:
                    continue
                if (cause := find_listing_obstacle(benchmark, suite)) is None:
                    missing_ids[arm].append(name)
                    continue
                reason = f"it cannot be listed in {arm}: {cause}"[:600]
                in_head = arm is ComparisonArm.HEAD
                unlisted.append(BenchmarkComparison(id=name, reason=reason, fails_in_head=in_head))
        return (
            unlisted,
            tuple(missing_ids[ComparisonArm.HEAD]),
            tuple(missing_ids[ComparisonArm.BASE]),
        )

    def _is_same(self, benchmark: SharedBenchmark) -> bool:
        """Tell whether both revisions are built of the same, so that there is nothing to ask."""
        build_inputs = (
            parts.project.find_group_inputs(revision_benchmark.group)
            for parts, revision_benchmark in (
                (self.base, benchmark.base),
                (self.head, benchmark.head),
            )
        )
        is_same_code = len({inputs.digest for inputs in build_inputs}) == 1
        return is_same_code and benchmark.base.settings == benchmark.head.settings

    def _adapt_block_sizes(
        self, differing_benchmarks: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> BlockSizes:
        """Let both revisions warm up as long as the one that needs longer, if they are watched."""
        if self.head.request.watched is None:
            return sizes
        trials = [
            trial
            for parts, benchmarks in (
                (self.base, [benchmark.base for benchmark in differing_benchmarks]),
                (self.head, [benchmark.head for benchmark in differing_benchmarks]),
            )
            for trial in make_suite_trials(benchmarks, sizes, parts).values()
        ]
        self._watched = tuple(measure_trials("warm-up", trials, self.head))
        return replace(sizes, plans=adapt_warmup(sizes.plans, sizes.operations, self._watched))

    def _run_first_rounds(self, pending: Sequence[SharedBenchmark], sizes: BlockSizes) -> None:
        for number in range(1, self.request.rounds + 1):
            pending = [benchmark for benchmark in pending if benchmark.id not in self._failed]
            if not pending:
                return
            if not self._leaves_time_to_confirm(pending, sizes):
                self._ended_early = True
                return
            self._run_round(
                f"round {number} of at most {self.request.rounds}", number, pending, sizes
            )
            if number in audit.SCREENING_ROUNDS:
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
        confirming = self.request.fresh * self._estimate_round_seconds(suspects, sizes)
        return self._estimate_round_seconds(pending, sizes) + confirming <= deadline.seconds_left

    def _is_suspected(self, benchmark: SharedBenchmark) -> bool:
        return any(
            self._screen_benchmark(benchmark, dimension) in _SUSPECTED_CHANGES
            for dimension in Dimension
        )

    def _estimate_slowdown(self, benchmark: SharedBenchmark) -> float:
        """Return how many times as long the first rounds say that head takes."""
        rounds = self._collect_rounds(benchmark, Dimension.TIME).first
        head_ratio = audit.estimate_head_ratio(Dimension.TIME, rounds)
        return 0.0 if head_ratio is None else head_ratio

    def _estimate_round_seconds(
        self, pending: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> float:
        """Return about how long a round of these takes: three processes of each."""
        deadline = self.head.deadline
        trials = [
            self._make_trial(benchmark, ComparisonArm.HEAD, 1, sizes) for benchmark in pending
        ]
        seconds = expected_seconds if deadline is None else deadline.times.estimate_seconds
        return len(ComparisonArm) * sum(map(seconds, trials))

    def _estimate_confirming_time(
        self,
        comparisons: Sequence[BenchmarkComparison],
        differing_benchmarks: Sequence[SharedBenchmark],
        sizes: BlockSizes,
    ) -> float | None:
        """Return about how long the rounds take that are missing; None where none is."""
        missing_rounds: dict[str, int] = {}
        for comparison in comparisons:
            for dimension in comparison.dimensions:
                if dimension.suspected is PerformanceChange.REGRESSION:
                    rounds = dimension.rounds
                    missing_first = audit.SCREENING_ROUNDS[0] - len(rounds.first)
                    missing_fresh = self.request.fresh - len(rounds.fresh)
                    missing_rounds[comparison.id] = max(0, missing_first) + max(0, missing_fresh)
        seconds = sum(
            missing_rounds.get(benchmark.id, 0) * self._estimate_round_seconds([benchmark], sizes)
            for benchmark in differing_benchmarks
        )
        return seconds or None

    def _run_fresh_rounds(self, suspects: Sequence[SharedBenchmark], sizes: BlockSizes) -> None:
        if not suspects:
            return
        groups = [suspects]
        if self.head.deadline is not None:  # what is confirmed at all is confirmed to its end
            groups = [
                [suspect] for suspect in sorted(suspects, key=self._estimate_slowdown, reverse=True)
            ]
        for group in groups:
            for number in range(1, self.request.fresh + 1):
                name = f"confirming, round {number} of {self.request.fresh}"
                pending = [benchmark for benchmark in group if benchmark.id not in self._failed]
                self._run_round(name, _FRESH_OFFSET + number, pending, sizes)

    def _run_round(
        self, name: str, number: int, pending: Sequence[SharedBenchmark], sizes: BlockSizes
    ) -> None:
        """Run three processes of each benchmark, in an order drawn for each benchmark."""
        rng = np.random.default_rng([self.base.request.seed, 9, number])
        sides = tuple(ComparisonArm)
        trials = {
            (benchmark.id, sides[side]): self._make_trial(benchmark, sides[side], number, sizes)
            for benchmark in (pending[index] for index in rng.permutation(len(pending)))
            for side in rng.permutation(len(sides))
        }
        by_trial = {
            run.trial.id: run for run in measure_trials(name, list(trials.values()), self.head)
        }
        for (benchmark_id, side), trial in trials.items():
            if (run := by_trial.get(trial.id)) is not None:
                self._runs.setdefault(benchmark_id, {})[number, side] = run
                self._note_failures([run], side)

    def _make_trial(
        self, shared_benchmark: SharedBenchmark, side: ComparisonArm, number: int, sizes: BlockSizes
    ) -> Trial:
        """Return a process of a side; its blocks are planned with the operations of the base's.

        Its seed names both programs: runs that were made beside those of a third revision were
        made at another time.
        """
        parts, benchmark = (
            (self.head, shared_benchmark.head)
            if side is ComparisonArm.HEAD
            else (self.base, shared_benchmark.base)
        )
        trial = parts.make_trial(
            Purpose.COMPARISON, benchmark, sizes.make_plain_schedule(shared_benchmark.base)
        )
        programs = (
            self.base.project.find_group_inputs(shared_benchmark.base.group).digest,
            self.head.project.find_group_inputs(shared_benchmark.head.group).digest,
        )
        seed = self.base.request.seed
        return replace(
            trial,
            repetition=number,
            fork=2 if side is ComparisonArm.CONTROL else 1,
            seed=crc32(repr((seed, programs)).encode()),
            layout=self._draw_layout(number, side),
        )

    def _draw_layout(self, number: int, side: ComparisonArm) -> int:
        """Return the layout of a side in a round: the same for all benchmarks, to be built once."""
        if self.base.layouts is not Layouts.DRAWN:
            return 0
        arm_index = tuple(ComparisonArm).index(side)
        rng = np.random.default_rng([self.base.request.seed, 10, number, arm_index])
        return int(rng.integers(1, _LARGEST_LAYOUT, endpoint=True))

    def _note_failures(self, runs: Iterable[Run], side: ComparisonArm = ComparisonArm.BASE) -> None:
        """Remember which benchmarks fail, the first reason of each."""
        for run in runs:
            if not isinstance(run.outcome, Measured) and run.trial.benchmark is not None:
                revision_name = "head" if side is ComparisonArm.HEAD else "base"
                cause = f"it fails in {revision_name}: {describe_failure(run.outcome)}"[:600]
                self._failed.setdefault(
                    run.trial.benchmark.id,
                    BenchmarkComparison(
                        id=run.trial.benchmark.id,
                        reason=cause,
                        fails_in_head=side is ComparisonArm.HEAD,
                    ),
                )

    def _collect_rounds(self, benchmark: SharedBenchmark, dimension: Dimension) -> Rounds:
        """Return the complete rounds of a benchmark.

        One whose machine was lost in the midst of it, so that another made the rest, is none.
        """
        values_by_phase: tuple[list[tuple[float, float, float]], ...] = ([], [])
        benchmark_runs = self._runs.get(benchmark.id, {})
        for number in sorted({number for number, _ in benchmark_runs}):
            runs = [
                run
                for arm in (ComparisonArm.BASE, ComparisonArm.CONTROL, ComparisonArm.HEAD)
                if (run := benchmark_runs.get((number, arm))) is not None
            ]
            is_busy = audit.is_busy_round(runs)
            values = [
                run_value
                for run in runs
                if (run_value := audit.find_run_value(run, dimension, busy=is_busy)) is not None
            ]
            if len(values) == len(ComparisonArm) and len({run.host.name for run in runs}) == 1:
                values_by_phase[number > _FRESH_OFFSET].append((values[0], values[1], values[2]))
        return Rounds(first=tuple(values_by_phase[0]), fresh=tuple(values_by_phase[1]))

    def _screen_benchmark(
        self, benchmark: SharedBenchmark, dimension: Dimension
    ) -> PerformanceChange:
        if benchmark.id in self._failed:
            return PerformanceChange.UNKNOWN
        return audit.screen_rounds(
            dimension, self._collect_rounds(benchmark, dimension).first, self._base_thresholds
        )

    def _is_settled(self, benchmark: SharedBenchmark) -> bool:
        """Tell whether first rounds have nothing more to say of any dimension that is reported."""
        dimensions = [
            dimension for dimension in Dimension if self._collect_rounds(benchmark, dimension).first
        ]
        settled_flags = (
            self._screen_benchmark(benchmark, dimension) is not PerformanceChange.UNKNOWN
            for dimension in dimensions
        )
        return bool(dimensions) and all(settled_flags)

    def _differs_from_itself(self, benchmark: SharedBenchmark) -> bool:
        return any(
            audit.differs_from_itself(
                dimension, self._collect_rounds(benchmark, dimension).first, self._base_thresholds
            )
            for dimension in Dimension
        )

    def _judge_benchmark(
        self, benchmark: SharedBenchmark, limits: ComparisonThresholds
    ) -> BenchmarkComparison:
        calls_changed = self._calls.get(benchmark.id)
        if benchmark.id in self._failed:
            return replace(self._failed[benchmark.id], calls_changed=calls_changed)
        rounds_by_dimension = [
            (dimension, self._collect_rounds(benchmark, dimension)) for dimension in Dimension
        ]
        verdicts = tuple(
            audit.judge_dimension(dimension, rounds, limits)
            for dimension, rounds in rounds_by_dimension
            if rounds.all_rounds
        )
        has_full_round = len(self._runs.get(benchmark.id, {})) >= len(ComparisonArm)
        cause = _NO_TIME_REASON if calls_changed is not False else _POSTPONED_REASON
        cause = (
            "each of its rounds was made by two machines, as one was lost"
            if has_full_round
            else cause
        )
        cause = "" if verdicts else cause
        return BenchmarkComparison(
            id=benchmark.id, dimensions=verdicts, reason=cause, calls_changed=calls_changed
        )
