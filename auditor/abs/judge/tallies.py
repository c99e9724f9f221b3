"""What is counted over all pairs and methods of an audit."""

from collections import Counter
from collections.abc import Sequence

from auditor.abs.model import SHARE, Density, MethodVerdict, PairVerdict, RuleCount
from auditor.core.result import Verdict

_NOTHING_SLOWED = (Verdict.DEAD_CODE, Verdict.UNREACHED)


def count_by_rule(pairs: Sequence[PairVerdict], methods: set[str]) -> tuple[RuleCount, ...]:
    """Count what each half of the rule would cover alone (Section 6.3); a speed-up never counts.

    What both halves cover each of them does, also where some of the runs have left it open.
    """
    verdicts = [
        pair
        for pair in pairs
        if pair.method in methods and pair.runs and pair.outcome not in _NOTHING_SLOWED
    ]
    detected_methods = {
        pair.method
        for pair in verdicts
        if pair.outcome is Verdict.DETECTED and pair.decided_by != SHARE
    }
    tested = detected_methods | {
        pair.method
        for pair in verdicts
        if all(run.significant and run.effect > 0 for run in pair.runs)
    }
    large = detected_methods | {
        pair.method for pair in verdicts if all(run.large for run in pair.runs)
    }
    return (
        RuleCount("test only", len(tested)),
        RuleCount("effect only", len(large)),
        RuleCount("both", len(detected_methods)),
    )


def count_by_detectors(counted: Sequence[MethodVerdict]) -> tuple[Density, ...]:
    """Return how many of the counted methods so many benchmarks detect (Section 6.3)."""
    numbers = Counter(len(method.detected_by) for method in counted)
    return tuple(
        Density(benchmarks, methods, 100 * methods / len(counted))
        for benchmarks, methods in sorted(numbers.items())
    )
