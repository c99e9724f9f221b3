"""What is known of the benchmarks that a budget left no time to look at."""

from collections.abc import Sequence

from auditor.abs.model import PairVerdict
from auditor.core.result import ReachState, Verdict


def unsampled_pairs(benchmarks: int, methods: Sequence[str]) -> list[PairVerdict]:
    """Return a pair for each method that stands for all `benchmarks` outside the sample.

    Any of them may detect the method, so it is neither missed nor unreached.
    """
    if not benchmarks:
        return []
    reason = f"{benchmarks} benchmarks are not in the sample that the budget has time for"
    return [
        PairVerdict(
            method=method,
            benchmark="",
            outcome=Verdict.UNMEASURED,
            reach=ReachState.UNKNOWN,
            effect=None,
            interval=None,
            p=None,
            threshold=None,
            achieved_slowdown=None,
            method_seconds=None,
            calls_per_operation=None,
            share=None,
            wait=None,
            runs=(),
            reason=reason,
            caveats=(),
        )
        for method in methods
    ]
