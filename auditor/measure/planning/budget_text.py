"""What is said of a result that a budget, or the time of a suite run, has shaped."""

from collections.abc import Iterator, Sequence
from statistics import median

from auditor.core.caveats import Caveat
from auditor.core.units import format_duration


def describe_budget_effects(  # noqa: PLR0913 - what was asked for beside what was done
    *,
    seconds: float,
    runs: int,
    wanted_runs: int,
    blocks: Sequence[int],
    wanted_blocks: int,
    benchmarks: int,
    unsampled: int,
) -> tuple[Caveat, ...]:
    """Return how the runs of the unchanged suite, and the benchmarks, differ from those wanted.

    `blocks` are the measured blocks of a process of each benchmark that was run.
    """
    budget_caveats = []
    if unsampled:
        text = (
            f"the budget of {format_duration(seconds)} has time for a sample of {benchmarks} of "
            f"{benchmarks + unsampled} benchmarks; methods that none of them detects are "
            "undecided; give more --budget"
        )
        budget_caveats.append(Caveat("sampled", text))
    if differences := list(_list_differences(runs, wanted_runs, blocks, wanted_blocks, benchmarks)):
        text = (
            f"the budget of {format_duration(seconds)} shortens the runs of the unchanged suite: "
        )
        budget_caveats.append(Caveat("budget-plan", text + "; ".join(differences)))
    return tuple(budget_caveats)


def describe_fewer_runs(*, runs: int, usual_runs: int, seconds: float) -> Caveat:
    """Return that the suite was run `runs` times, as its first run took so many `seconds`."""
    text = (
        f"the unchanged suite was run {runs} times instead of {usual_runs}, as the first "
        f"took {format_duration(seconds)}, so spreads may be too small; for surer ones: "
        f"--stability-runs {usual_runs}"
    )
    return Caveat("suite-runs", text)


def _list_differences(
    runs: int, wanted_runs: int, blocks: Sequence[int], wanted_blocks: int, benchmarks: int
) -> Iterator[str]:
    if not runs and wanted_runs:
        yield "it was not run, so nothing is known of its stability"
        return
    if runs < wanted_runs:
        spread = ", which tells no spread" if runs == 1 else ", so spreads may be too small"
        yield f"{runs} of {wanted_runs} runs{spread}"
    fewer = [many for many in blocks if many < wanted_blocks]
    if fewer:
        yield f"{median(fewer):.0f} of {wanted_blocks} blocks in {len(fewer)} benchmarks"
    if len(blocks) < benchmarks:
        yield f"{len(blocks)} of {benchmarks} benchmarks, those that may call a chosen method"
