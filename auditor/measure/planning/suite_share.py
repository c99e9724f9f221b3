"""How many runs of the unchanged suite fit into a share of the budget."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

LEAST_BLOCKS = 6
"""Measured blocks of a process below which its scatter is not known."""
_STEPS = 40
"""Halvings that find how long a process may last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCost:
    """What a process of a benchmark takes."""

    benchmark: str
    """The benchmark's id."""
    reaches: bool
    """Whether it calls a chosen method."""
    start_seconds: float
    """The time of a process before its first block."""
    block_seconds: float
    """Of a block."""
    warmup: int
    """Blocks before the measured ones."""
    blocks: int
    """Measured blocks of a whole process; all that fewer runs and benchmarks leave are kept."""
    least_blocks: int = LEAST_BLOCKS
    """Measured blocks that a process needs."""
    processes: int = 1
    """Processes of a run."""
    known_runs: int = 0
    """Runs with whole processes that the store has, so that they cost nothing."""

    def estimate_run_seconds(self, blocks: int) -> float:
        """Return the time of a run with so many measured blocks."""
        return self.processes * (self.start_seconds + self.block_seconds * (self.warmup + blocks))

    def fitting_blocks(self, seconds: float) -> int:
        """Return how many measured blocks a process may have that lasts so long."""
        if self.block_seconds <= 0:
            return self.blocks
        fitting = (seconds - self.start_seconds) / self.block_seconds - self.warmup
        return int(max(min(self.least_blocks, self.blocks), min(self.blocks, fitting)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteShare:
    """The runs of the unchanged suite that fit."""

    runs: int
    """Runs of each of the benchmarks; 0 where not even one fits."""
    blocks: Mapping[str, int]
    """Measured blocks of a process, by the id of each benchmark that is run."""


def fit_suite(
    costs: Sequence[ProcessCost], *, runs: int, least_runs: int, seconds: float
) -> SuiteShare:
    """Return the runs that fit into `seconds`: first fewer runs, then fewer blocks.

    What does not fit even so is left to the benchmarks that reach a chosen method, again with
    fewer runs and blocks; in the end to as many of these as fit, in the order given.
    """
    reaching = [cost for cost in costs if cost.reaches]
    for candidate_costs in (costs, reaching) if reaching else (costs,):
        for share in _list_shares(candidate_costs, runs, min(runs, least_runs)):
            if _suite_seconds(candidate_costs, share) <= seconds:
                return share
    return _first_fitting(reaching or costs, min(runs, least_runs), seconds)


def fit_blocks(costs: Sequence[ProcessCost], seconds: float) -> dict[str, int]:
    """Return the blocks of a process of each, so that all processes together fit into `seconds`.

    Long processes are shortened first: none may last longer than a time that is the same for all.
    Where the fewest blocks do not fit either, these are returned.
    """
    full_blocks = {cost.benchmark: cost.blocks for cost in costs}
    if _run_seconds(costs, full_blocks) <= seconds:
        return full_blocks
    low, high = 0.0, max(cost.estimate_run_seconds(cost.blocks) / cost.processes for cost in costs)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        fits = _run_seconds(costs, _cap_blocks(costs, middle)) <= seconds
        low, high = (middle, high) if fits else (low, middle)
    return _cap_blocks(costs, low)


def _list_shares(costs: Sequence[ProcessCost], runs: int, least: int) -> Iterator[SuiteShare]:
    """Yield shares of these benchmarks, the largest first."""
    full_blocks = {cost.benchmark: cost.blocks for cost in costs}
    for count in range(runs, least - 1, -1):
        yield SuiteShare(runs=count, blocks=full_blocks)
    for part in (0.75, 0.5, 0.25, 0.0):
        blocks = {
            cost.benchmark: min(cost.blocks, max(cost.least_blocks, round(part * cost.blocks)))
            for cost in costs
        }
        yield SuiteShare(runs=least, blocks=blocks)


def _first_fitting(costs: Sequence[ProcessCost], runs: int, seconds: float) -> SuiteShare:
    """Return as many benchmarks as fit with the fewest runs and blocks, in the order given."""
    blocks: dict[str, int] = {}
    left = seconds
    for cost in costs:
        least = min(cost.least_blocks, cost.blocks)
        left -= max(0, runs - cost.known_runs) * cost.estimate_run_seconds(least)
        if left < 0:
            break
        blocks[cost.benchmark] = least
    return SuiteShare(runs=runs if blocks else 0, blocks=blocks)


def _suite_seconds(costs: Sequence[ProcessCost], share: SuiteShare) -> float:
    return sum(
        (share.runs - (min(share.runs, cost.known_runs) if blocks == cost.blocks else 0))
        * cost.estimate_run_seconds(blocks)
        for cost in costs
        for blocks in (share.blocks[cost.benchmark],)
    )


def _run_seconds(costs: Sequence[ProcessCost], blocks: Mapping[str, int]) -> float:
    return sum(cost.estimate_run_seconds(blocks[cost.benchmark]) for cost in costs)


def _cap_blocks(costs: Sequence[ProcessCost], seconds: float) -> dict[str, int]:
    return {cost.benchmark: cost.fitting_blocks(seconds) for cost in costs}
