"""Which benchmarks to run where time is short, and which can go (redundancy.md)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from auditor.measure.stability_judge import UNSTABLE
from auditor.stats import zero_one
from auditor.stats.zero_one import Constraint, ProgramSolution

MAX_EXACT_SIZE = 200
"""Benchmarks up to which the cheapest choice is looked for; beyond, it is a greedy one."""
UNKNOWN_SPREAD = 1.0
"""What a benchmark without a spread counts as: one whose runs differ by as much as they last."""
_TIME_PARTS = 1_000_000
"""Parts of the whole suite's time that times are counted in: HiGHS needs numbers of this size."""
_MOST_REPEATS = 20
"""Programs that are solved before a choice that takes too long by a rounding is given up."""
_ROUNDING = 1e-9
"""Part of a budget by which a sum of times may exceed it: most decimal fractions are inexact in
binary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A benchmark as something to choose: what a run of it costs, and what it detects.

    `seconds` is above zero. `max_spread` is None where it is not known.
    """

    id: str
    seconds: float
    max_spread: float | None
    detects: frozenset[str] = field(repr=False)

    @property
    def weighted_seconds(self) -> float:
        """Return its seconds, more the less stable it is: what is to be kept small."""
        spread = UNKNOWN_SPREAD if self.max_spread is None else self.max_spread
        return self.seconds * (1 + spread)

    @property
    def is_unstable(self) -> bool:
        """Tell whether its runs differ by so much that what it detects is no safe detection."""
        return self.max_spread is not None and self.max_spread > UNSTABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Benchmarks to run, and the methods that these detect."""

    watchers: tuple[Candidate, ...]  # those to run, in the order of their names
    methods: frozenset[str]  # those that `watchers` detect
    cheapest: bool  # nothing that detects these methods (and keeps to the rules) weighs less
    most: int  # number of methods that no choice within the budget exceeds
    proven: bool  # some choice within the budget detects `most` methods
    nested: bool = True  # no larger budget loses one of `methods`
    conflicting: frozenset[str] = frozenset()
    """Methods that a smaller budget detects and the choice of most methods does not."""

    @property
    def total_seconds(self) -> float:
        """Return how long a run of these takes."""
        return sum(watcher.seconds for watcher in self.watchers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What can go: `removed` with, for each method that one detects, who is kept and does so too.

    `undecided` are the methods that nothing detects and that a benchmark might, by benchmark: it is
    kept for these. `unknown` are benchmarks that could not be measured, which are kept as well.
    """

    remaining: Choice
    removed: tuple[tuple[Candidate, tuple[tuple[str, tuple[str, ...]], ...]], ...]
    undecided: Mapping[str, tuple[str, ...]]
    unknown: tuple[str, ...]


def choose_cheapest(
    candidates: Sequence[Candidate],
    *,
    required: Collection[str] = (),
    largest: int = MAX_EXACT_SIZE,
) -> Choice:
    """Return the cheapest benchmarks that detect all that the suite detects, `required` included.

    An unstable benchmark counts as longer than it is, by its spread.
    """
    pool = _CandidatePool.from_candidates(candidates, largest)
    pool_choice = pool.find_cheapest(pool.detected_methods, None, frozenset(required))
    indices, is_cheapest = (
        pool_choice if pool_choice else (frozenset(range(len(pool.watchers))), False)
    )
    return pool.choice(indices, len(pool.detected_methods), cheapest=is_cheapest, proven=True)


def choose_within_budget(
    candidates: Sequence[Candidate],
    budget: float,
    *,
    nested: bool = True,
    largest: int = MAX_EXACT_SIZE,
) -> Choice:
    """Return benchmarks that take no more than `budget` seconds and detect many methods.

    Nested: what is detected with a budget is detected with any larger one, too. Sets of methods are
    put on a ladder, each in the next, by what the best next benchmark per second adds; the highest
    one that the budget can pay is taken, at the least weight. Not nested, or below the lowest rung:
    as many methods as any choice detects (where it is not known to be that many, greedily), at the
    least weight.
    """
    pool = _CandidatePool.from_candidates(candidates, largest)
    most, fullest = pool.bound_detected(budget)
    highest_rung = pool.find_highest_rung(budget) if nested else None
    indices, is_cheapest = highest_rung or pool.find_fullest(budget, fullest)
    count = len(pool.union_detected(indices))
    choice = pool.choice(
        indices,
        max(most, count),
        cheapest=is_cheapest or not indices,
        proven=fullest is not None or count == most,
    )
    if highest_rung is None:
        return replace(choice, nested=not indices)
    # Only a budget that is not used up has a smaller one that detects the same.
    if fullest is None or count == most or choice.total_seconds >= budget:
        return choice
    fullest_indices, _ = pool.find_fullest(budget, fullest)
    return replace(choice, conflicting=choice.methods - pool.union_detected(fullest_indices))


PoolChoice = tuple[frozenset[int], bool]
"""Which benchmarks, and whether nothing is cheaper."""


def choose_removal(
    candidates: Sequence[Candidate],
    *,
    open_pairs: Collection[tuple[str, str]],
    unknown: Collection[str],
    unexamined: Collection[str] = (),
    largest: int = MAX_EXACT_SIZE,
) -> Removal:
    """Return benchmarks without which every method is detected that is detected now.

    A method that a stable benchmark detects keeps a stable one.
    `open_pairs` are the (method, benchmark) that are undecided: no detection, but where nothing
    detects the method, the benchmark may be its only one and stays. So do those `unexamined`, of
    which the audited methods hold too little.
    """
    detected_methods = frozenset[str]().union(*(watcher.detects for watcher in candidates))
    undecided: dict[str, tuple[str, ...]] = {}
    for method, benchmark in sorted(open_pairs):
        if method not in detected_methods:
            undecided[benchmark] = (*undecided.get(benchmark, ()), method)
    choice = choose_cheapest(
        _omit_unsafe_detections(candidates),
        required={*undecided, *unknown, *unexamined},
        largest=largest,
    )
    kept_ids = {watcher.id for watcher in choice.watchers}
    kept_candidates = sorted(
        (watcher for watcher in candidates if watcher.id in kept_ids),
        key=lambda watcher: watcher.id,
    )
    removed_candidates = sorted(
        (watcher for watcher in candidates if watcher.id not in kept_ids),
        key=lambda watcher: watcher.id,
    )
    return Removal(
        remaining=replace(choice, watchers=tuple(kept_candidates)),
        removed=tuple(
            (candidate, tuple(_list_remaining_detection(candidate, kept_candidates)))
            for candidate in removed_candidates
        ),
        undecided=undecided,
        unknown=tuple(sorted(unknown)),
    )


def _omit_unsafe_detections(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates; an unstable one detects only what no stable one does."""
    safe_methods = frozenset[str]().union(
        *(candidate.detects for candidate in candidates if not candidate.is_unstable)
    )
    return [
        replace(candidate, detects=candidate.detects - safe_methods)
        if candidate.is_unstable
        else candidate
        for candidate in candidates
    ]


def _list_remaining_detection(
    candidate: Candidate, candidates: Sequence[Candidate]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for method in sorted(candidate.detects):
        yield (
            method,
            tuple(
                kept_candidate.id
                for kept_candidate in candidates
                if method in kept_candidate.detects
            ),
        )


@dataclass(frozen=True, slots=True)
class _CandidatePool:
    """Benchmarks with times and weights in whole parts of `part` seconds.

    `costs` are rounded down: a program leaves out no choice that fits into a budget.
    """

    watchers: tuple[Candidate, ...]
    part: float
    costs: tuple[int, ...]
    weights: tuple[int, ...]
    largest: int

    @classmethod
    def from_candidates(cls, watchers: Sequence[Candidate], largest: int) -> "_CandidatePool":
        ordered_candidates = tuple(sorted(watchers, key=lambda watcher: watcher.id))
        part = fsum(item.weighted_seconds for item in ordered_candidates) / _TIME_PARTS
        return cls(
            ordered_candidates,
            part,
            tuple(int(item.seconds / part) for item in ordered_candidates),
            tuple(max(1, round(item.weighted_seconds / part)) for item in ordered_candidates),
            largest,
        )

    @property
    def detected_methods(self) -> frozenset[str]:
        return frozenset[str]().union(*(candidate.detects for candidate in self.watchers))

    def is_within(self, budget: float, indices: Collection[int]) -> bool:
        """Tell whether a run of these takes no more than `budget` seconds."""
        seconds = fsum(self.watchers[index].seconds for index in indices)
        return seconds <= budget * (1 + _ROUNDING)

    def union_detected(self, indices: Collection[int]) -> frozenset[str]:
        return frozenset[str]().union(*(self.watchers[index].detects for index in indices))

    def choice(
        self, indices: Collection[int], most: int, *, cheapest: bool, proven: bool
    ) -> Choice:
        return Choice(
            watchers=tuple(self.watchers[index] for index in sorted(indices)),
            methods=self.union_detected(indices),
            cheapest=cheapest,
            most=most,
            proven=proven,
        )

    def find_highest_rung(self, budget: float) -> PoolChoice | None:
        """Return the highest rung of the ladder that can be paid, made of nothing beyond it."""
        all_indices = range(len(self.watchers))
        for methods in reversed(list(self._list_rungs(frozenset(), all_indices))):
            if pool_choice := self.find_cheapest(methods, budget):
                return pool_choice
        return None

    def _list_rungs(self, base: frozenset[str], pool: Sequence[int]) -> Iterator[frozenset[str]]:
        """Yield growing sets of methods, each all that some benchmarks detect.

        Between two of them come those that other benchmarks, which detect nothing beyond the upper
        one, reach on the way: so a budget is not left unused where it need not be.
        """
        while True:
            gains = {index: len(self.watchers[index].detects - base) for index in pool}
            useful_indices = [index for index in pool if gains[index]]
            if not useful_indices:
                return
            best_index = min(
                useful_indices,
                key=lambda index: (
                    -gains[index] / self.weights[index],
                    self.weights[index],
                    index,
                ),
            )
            upper_methods = base | self.watchers[best_index].detects
            inner_pool = [
                index
                for index in useful_indices
                if self.watchers[index].detects <= upper_methods
                and not self._is_replaceable(index, best_index)
            ]
            yield from (
                rung for rung in self._list_rungs(base, inner_pool) if rung != upper_methods
            )
            yield upper_methods
            base, pool = upper_methods, useful_indices

    def _is_replaceable(self, index: int, other_index: int) -> bool:
        """Tell whether the other benchmark detects all that this one does, in no more time."""
        candidate, replacement = self.watchers[index], self.watchers[other_index]
        return candidate.detects <= replacement.detects and candidate.seconds >= replacement.seconds

    def find_cheapest(
        self, methods: frozenset[str], budget: float | None, required: Collection[str] = ()
    ) -> PoolChoice | None:
        """Return the least weight that detects these methods, and no others; None if too dear."""
        pool_indices = [
            index
            for index, candidate in enumerate(self.watchers)
            if candidate.detects <= methods and candidate.detects
        ]
        required_indices = [
            index for index, candidate in enumerate(self.watchers) if candidate.id in required
        ]
        pool_indices = sorted({*pool_indices, *required_indices})
        constraints = self._make_cover_constraints(methods, pool_indices)
        constraints += [
            Constraint({pool_indices.index(candidate_index): 1}, least=1)
            for candidate_index in required_indices
        ]
        if len(pool_indices) <= self.largest:
            weights = [self.weights[pool_index] for pool_index in pool_indices]
            solution = self._solve_program(weights, constraints, pool_indices, budget)
            if solution.exact:
                if solution.variables is None:
                    return None
                return self._translate_columns(solution.variables, pool_indices), True
        greedy_choice = self._choose_greedily(methods, pool_indices, required_indices)
        is_affordable = budget is None or self.is_within(budget, greedy_choice)
        return (greedy_choice, False) if is_affordable else None

    def bound_detected(self, budget: float) -> tuple[int, frozenset[int] | None]:
        """Return how many methods a budget can detect at most, and a choice if some does."""
        costs, constraints, pool_indices = self._build_program()
        if len(self.watchers) > self.largest:
            constraints += self._make_cost_constraints(pool_indices, budget)
            return -zero_one.lower_bound(costs, constraints), None
        solution = self._solve_program(costs, constraints, pool_indices, budget)
        if solution.variables is None or not solution.exact:
            return -solution.bound, None
        return -solution.bound, self._translate_columns(solution.variables, pool_indices)

    def find_fullest(self, budget: float, fullest: frozenset[int] | None) -> PoolChoice:
        """Return the least weight that detects as much as `fullest`, else a greedy choice."""
        if fullest is None:
            return self._fill_budget(budget), False
        costs, constraints, pool_indices = self._build_program()
        weights = [
            *(self.weights[pool_index] for pool_index in pool_indices),
            *([0] * (len(costs) - len(pool_indices))),
        ]
        count_constraint = Constraint(
            {column: -number for column, number in enumerate(costs) if number},
            least=len(self.union_detected(fullest)),
        )
        solution = self._solve_program(
            weights, [*constraints, count_constraint], pool_indices, budget
        )
        if solution.variables is None:
            return fullest, False
        return self._translate_columns(solution.variables, pool_indices), solution.exact

    def _build_program(self) -> tuple[list[int], list[Constraint], list[int]]:
        """Return the program of the most methods: columns for benchmarks, then for methods."""
        pool_indices = [index for index, candidate in enumerate(self.watchers) if candidate.detects]
        methods = sorted(self.detected_methods)
        costs = [*([0] * len(pool_indices)), *([-1] * len(methods))]
        constraints = [
            Constraint({**constraint.weights, column: -1}, least=0)
            for column, constraint in enumerate(
                self._make_cover_constraints(methods, pool_indices), len(pool_indices)
            )
        ]
        return costs, constraints, pool_indices

    def _solve_program(
        self,
        costs: Sequence[int],
        constraints: Sequence[Constraint],
        pool_indices: Sequence[int],
        budget: float | None,
    ) -> ProgramSolution:
        """Return the solution of least cost whose benchmarks fit into a budget.

        What fits only by the rounding of its times is excluded, and the program solved again.
        """
        if budget is None:
            return zero_one.find_minimum(costs, constraints)
        constraints = [*constraints, *self._make_cost_constraints(pool_indices, budget)]
        solution = zero_one.find_minimum(costs, constraints)
        for _ in range(_MOST_REPEATS):
            columns = [column for column in solution.variables or () if column < len(pool_indices)]
            if self.is_within(budget, [pool_indices[column] for column in columns]):
                return solution
            constraints.append(Constraint(dict.fromkeys(columns, 1), most=len(columns) - 1))
            solution = zero_one.find_minimum(costs, constraints)
        return ProgramSolution(None, solution.bound, exact=False)

    def _make_cover_constraints(
        self, methods: Collection[str], names: Sequence[int]
    ) -> list[Constraint]:
        columns_by_method: dict[str, dict[int, int]] = {method: {} for method in sorted(methods)}
        for column, pool_index in enumerate(names):
            for method in self.watchers[pool_index].detects & columns_by_method.keys():
                columns_by_method[method][column] = 1
        return [Constraint(weights, least=1) for weights in columns_by_method.values()]

    def _make_cost_constraints(self, names: Sequence[int], budget: float) -> list[Constraint]:
        times = {column: self.costs[pool_index] for column, pool_index in enumerate(names)}
        limit = min(budget * (1 + _ROUNDING) / self.part, sum(times.values())) if times else 0
        return [Constraint(times, most=int(limit))]

    def _translate_columns(self, columns: Collection[int], names: Sequence[int]) -> frozenset[int]:
        return frozenset(names[column] for column in columns if column < len(names))

    def _choose_greedily(
        self, methods: frozenset[str], names: Sequence[int], required_indices: Sequence[int]
    ) -> frozenset[int]:
        """Take what adds most per weight, then leave out what is superfluous, dearest first."""
        chosen_indices = list(required_indices)
        undetected = methods - self.union_detected(chosen_indices)
        while undetected:
            chosen_indices.append(self._find_best(undetected, names))
            undetected -= self.watchers[chosen_indices[-1]].detects
        kept_indices = set(chosen_indices)
        for index in sorted(
            kept_indices - set(required_indices), key=lambda index: (-self.weights[index], index)
        ):
            if self.union_detected(kept_indices - {index}) >= methods:
                kept_indices.remove(index)
        return frozenset(kept_indices)

    def _fill_budget(self, budget: float) -> frozenset[int]:
        """Take what adds most per weight as long as it fits, or the best one alone."""
        chosen_indices: list[int] = []
        undetected = self.detected_methods
        while pool_indices := [
            index
            for index, candidate in enumerate(self.watchers)
            if candidate.detects & undetected and self.is_within(budget, [*chosen_indices, index])
        ]:
            chosen_indices.append(self._find_best(undetected, pool_indices))
            undetected -= self.watchers[chosen_indices[-1]].detects
        affordable = [
            index for index in range(len(self.watchers)) if self.is_within(budget, [index])
        ]
        best_single = max(
            affordable, key=lambda position: len(self.watchers[position].detects), default=None
        )
        if best_single is not None and len(self.union_detected([best_single])) > len(
            self.union_detected(chosen_indices)
        ):
            return frozenset({best_single})
        return frozenset(chosen_indices)

    def _find_best(self, left: frozenset[str], names: Sequence[int]) -> int:
        return min(
            names,
            key=lambda index: (
                -len(self.watchers[index].detects & left) / self.weights[index],
                index,
            ),
        )
