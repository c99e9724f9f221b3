"""Which benchmarks to run where time is short, and which can go (redundancy.md)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, isfinite

from auditor.stats import zero_one
from auditor.stats.zero_one import Constraint

LARGEST = 200
"""Benchmarks up to which the cheapest choice is looked for; beyond, it is a greedy one."""
UNKNOWN_SPREAD = 1.0
"""What a benchmark without a spread counts as: one whose runs differ by as much as they last."""
_FINENESS = 1_000_000
"""Parts of the whole suite's time that times are counted in: HiGHS needs numbers of this size."""


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
    def weight(self) -> float:
        """Return its seconds, more the less stable it is: what is to be kept small."""
        spread = UNKNOWN_SPREAD if self.max_spread is None else self.max_spread
        return self.seconds * (1 + spread)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Benchmarks to run, in the order of their names, and the methods that these detect.

    `cheapest`: nothing that detects these methods (and keeps to the rules) weighs less. No choice
    within the budget detects more than `most` methods; `proven`: some choice does detect so many.
    """

    watchers: tuple[Candidate, ...]
    methods: frozenset[str]
    cheapest: bool
    most: int
    proven: bool

    @property
    def seconds(self) -> float:
        """Return how long a run of these takes."""
        return sum(watcher.seconds for watcher in self.watchers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What can go: `removed` with, for each method that one detects, who is kept and does so too.

    `undecided` are the methods that nothing detects and that a benchmark might, by benchmark: it is
    kept for these. `unknown` are benchmarks that could not be measured, which are kept as well.
    """

    kept: Choice
    removed: tuple[tuple[Candidate, tuple[tuple[str, tuple[str, ...]], ...]], ...]
    undecided: Mapping[str, tuple[str, ...]]
    unknown: tuple[str, ...]


def cheapest_choice(
    watchers: Sequence[Candidate], *, required: Collection[str] = (), largest: int = LARGEST
) -> Choice:
    """Return the cheapest benchmarks that detect all that the suite detects, `required` included.

    An unstable benchmark counts as longer than it is, by its spread.
    """
    pool = _Pool.of(watchers, largest)
    found = pool.cheapest(pool.methods, None, frozenset(required))
    chosen, exact = found if found else (frozenset(range(len(pool.watchers))), False)
    return pool.choice(chosen, len(pool.methods), cheapest=exact, proven=True)


def choice_within(
    watchers: Sequence[Candidate], budget: float, *, nested: bool = True, largest: int = LARGEST
) -> Choice:
    """Return benchmarks that take no more than `budget` seconds and detect many methods.

    Nested: what is detected with a budget is detected with any larger one, too. Sets of methods are
    put on a ladder, each in the next, by what the best next benchmark per second adds; the highest
    one that the budget can pay is taken, at the least weight. Not nested: as many methods as any
    choice detects (where it is not known to be that many, greedily), at the least weight.
    """
    pool = _Pool.of(watchers, largest)
    limit = pool.parts(budget)
    most, proven = pool.most(budget)
    found = pool.climbed(limit) if nested else pool.fullest(limit, most, proven=proven)
    chosen, exact = found or (frozenset(), True)
    count = len(pool.detected(chosen))
    return pool.choice(chosen, max(most, count), cheapest=exact, proven=proven or count == most)


Found = tuple[frozenset[int], bool]
"""Which benchmarks, and whether nothing is cheaper."""


def removal(
    watchers: Sequence[Candidate],
    *,
    open_pairs: Collection[tuple[str, str]],
    unknown: Collection[str],
    unexamined: Collection[str] = (),
    largest: int = LARGEST,
) -> Removal:
    """Return benchmarks without which every method is detected that is detected now.

    `open_pairs` are the (method, benchmark) that are undecided: no detection, but where nothing
    detects the method, the benchmark may be its only one and stays. So do those `unexamined`, of
    which the audited methods hold too little.
    """
    detected = frozenset[str]().union(*(watcher.detects for watcher in watchers))
    undecided: dict[str, tuple[str, ...]] = {}
    for method, benchmark in sorted(open_pairs):
        if method not in detected:
            undecided[benchmark] = (*undecided.get(benchmark, ()), method)
    choice = cheapest_choice(
        watchers, required={*undecided, *unknown, *unexamined}, largest=largest
    )
    stays = {watcher.id for watcher in choice.watchers}
    gone = sorted(
        (watcher for watcher in watchers if watcher.id not in stays), key=lambda watcher: watcher.id
    )
    return Removal(
        kept=choice,
        removed=tuple(
            (candidate, tuple(_remaining_detection(candidate, choice.watchers)))
            for candidate in gone
        ),
        undecided=undecided,
        unknown=tuple(sorted(unknown)),
    )


def _remaining_detection(
    candidate: Candidate, candidates: Sequence[Candidate]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    for method in sorted(candidate.detects):
        yield method, tuple(other.id for other in candidates if method in other.detects)


@dataclass(frozen=True, slots=True)
class _Pool:
    """Benchmarks with times and weights in whole parts of `part` seconds."""

    watchers: tuple[Candidate, ...]
    part: float
    costs: tuple[int, ...]
    weights: tuple[int, ...]
    largest: int

    @classmethod
    def of(cls, watchers: Sequence[Candidate], largest: int) -> "_Pool":
        ordered = tuple(sorted(watchers, key=lambda watcher: watcher.id))
        part = max(0.001, sum(candidate.weight for candidate in ordered) / _FINENESS)
        return cls(
            ordered,
            part,
            tuple(_parts(candidate.seconds, part) for candidate in ordered),
            tuple(_parts(candidate.weight, part) for candidate in ordered),
            largest,
        )

    @property
    def methods(self) -> frozenset[str]:
        return frozenset[str]().union(*(watcher.detects for watcher in self.watchers))

    def parts(self, seconds: float) -> int:
        """Return a budget; times were rounded up, so what fits into it does fit."""
        return int(seconds / self.part + 1e-6) if isfinite(seconds) else sum(self.costs)

    def detected(self, chosen: Collection[int]) -> frozenset[str]:
        return frozenset[str]().union(*(self.watchers[one].detects for one in chosen))

    def choice(self, chosen: Collection[int], most: int, *, cheapest: bool, proven: bool) -> Choice:
        return Choice(
            watchers=tuple(self.watchers[one] for one in sorted(chosen)),
            methods=self.detected(chosen),
            cheapest=cheapest,
            most=most,
            proven=proven,
        )

    def climbed(self, limit: int) -> Found | None:
        """Return the highest rung of the ladder that can be paid, made of nothing beyond it."""
        everyone = range(len(self.watchers))
        for methods in reversed(list(self._ladder(frozenset(), everyone))):
            if found := self.cheapest(methods, limit):
                return found
        return None

    def _ladder(self, base: frozenset[str], pool: Sequence[int]) -> Iterator[frozenset[str]]:
        """Yield growing sets of methods, each all that some benchmarks detect.

        Between two of them come those that cheaper benchmarks, which detect nothing beyond the
        upper one, reach on the way: so a budget is not left unused where it need not be.
        """
        while True:
            gains = {one: len(self.watchers[one].detects - base) for one in pool}
            useful = [one for one in pool if gains[one]]
            if not useful:
                return
            best = min(useful, key=lambda one: (-gains[one] / self.weights[one], one))
            upper = base | self.watchers[best].detects
            inner = [one for one in useful if self.watchers[one].detects <= upper and one != best]
            yield from (rung for rung in self._ladder(base, inner) if rung != upper)
            yield upper
            base, pool = upper, useful

    def cheapest(
        self, methods: frozenset[str], limit: int | None, required: Collection[str] = ()
    ) -> Found | None:
        """Return the least weight that detects these methods, and no others; None if too dear."""
        names = [
            index
            for index, candidate in enumerate(self.watchers)
            if candidate.detects <= methods and candidate.detects
        ]
        must = [index for index, candidate in enumerate(self.watchers) if candidate.id in required]
        names = sorted({*names, *must})
        rows = [*self._covering(methods, names), *self._paid(names, limit)]
        rows += [Constraint({names.index(one): 1}, least=1) for one in must]
        if len(names) <= self.largest:
            solution = zero_one.minimum([self.weights[name] for name in names], rows)
            if solution.exact:
                return self._named(solution.chosen, names)
        greedy = self._greedy(methods, names, must)
        paid = limit is None or sum(self.costs[one] for one in greedy) <= limit
        return (greedy, False) if paid else None

    def most(self, budget: float) -> tuple[int, bool]:
        """Return how many methods a budget can detect at most, and whether some choice does.

        Times are rounded down here, so that the bound holds for the times as they are.
        """
        least = [int(watcher.seconds / self.part + 1e-6) for watcher in self.watchers]
        costs, rows, names = self._maximum(self.parts(budget), least)
        if len(self.watchers) > self.largest:
            return -zero_one.lower_bound(costs, rows), False
        solution = zero_one.minimum(costs, rows)
        chosen = [self.watchers[names[one]] for one in solution.chosen or () if one < len(names)]
        fits = sum(candidate.seconds for candidate in chosen) <= budget
        return -solution.bound, solution.exact and fits

    def fullest(self, limit: int, most: int, *, proven: bool) -> Found | None:
        """Return the least weight that detects `most` methods, else a greedy choice."""
        if not proven:
            return self._filled(limit), False
        costs, rows, names = self._maximum(limit, self.costs)
        weights = [*(self.weights[name] for name in names), *([0] * (len(costs) - len(names)))]
        enough = Constraint({column: -one for column, one in enumerate(costs) if one}, least=most)
        solution = zero_one.minimum(weights, [*rows, enough])
        if solution.chosen is None:
            return self._filled(limit), False
        chosen = frozenset(names[one] for one in solution.chosen if one < len(names))
        return chosen, solution.exact

    def _maximum(
        self, limit: int, times: Sequence[int]
    ) -> tuple[list[int], list[Constraint], list[int]]:
        """Return the program of the most methods: columns for benchmarks, then for methods."""
        names = [index for index, candidate in enumerate(self.watchers) if candidate.detects]
        methods = sorted(self.methods)
        costs = [*([0] * len(names)), *([-1] * len(methods))]
        rows = [Constraint({column: times[one] for column, one in enumerate(names)}, most=limit)]
        for column, row in enumerate(self._covering(methods, names), len(names)):
            rows.append(Constraint({**row.weights, column: -1}, least=0))
        return costs, rows, names

    def _covering(self, methods: Collection[str], names: Sequence[int]) -> list[Constraint]:
        by: dict[str, dict[int, int]] = {method: {} for method in sorted(methods)}
        for column, one in enumerate(names):
            for method in self.watchers[one].detects & by.keys():
                by[method][column] = 1
        return [Constraint(weights, least=1) for weights in by.values()]

    def _paid(self, names: Sequence[int], limit: int | None) -> list[Constraint]:
        if limit is None:
            return []
        return [
            Constraint({column: self.costs[one] for column, one in enumerate(names)}, most=limit)
        ]

    def _named(self, chosen: frozenset[int] | None, names: Sequence[int]) -> Found | None:
        return None if chosen is None else (frozenset(names[one] for one in chosen), True)

    def _greedy(
        self, methods: frozenset[str], names: Sequence[int], must: Sequence[int]
    ) -> frozenset[int]:
        """Take what adds most per weight, then leave out what is superfluous, dearest first."""
        taken = list(must)
        left = methods - self.detected(taken)
        while left:
            taken.append(self._best(left, names))
            left -= self.watchers[taken[-1]].detects
        kept = set(taken)
        for one in sorted(kept - set(must), key=lambda one: (-self.weights[one], one)):
            if self.detected(kept - {one}) >= methods:
                kept.remove(one)
        return frozenset(kept)

    def _filled(self, limit: int) -> frozenset[int]:
        """Take what adds most per weight as long as it can be paid, or the best one alone."""
        taken: list[int] = []
        left, rest = self.methods, limit
        while names := [
            index
            for index, candidate in enumerate(self.watchers)
            if candidate.detects & left and self.costs[index] <= rest
        ]:
            taken.append(self._best(left, names))
            left -= self.watchers[taken[-1]].detects
            rest -= self.costs[taken[-1]]
        alone = [index for index, cost in enumerate(self.costs) if cost <= limit]
        single = max(alone, key=lambda at: len(self.watchers[at].detects), default=None)
        if single is not None and len(self.detected([single])) > len(self.detected(taken)):
            return frozenset({single})
        return frozenset(taken)

    def _best(self, left: frozenset[str], names: Sequence[int]) -> int:
        return min(
            names, key=lambda at: (-len(self.watchers[at].detects & left) / self.weights[at], at)
        )


def _parts(seconds: float, part: float) -> int:
    return max(1, ceil(seconds / part - 1e-6))
