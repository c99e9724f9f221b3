"""The paper's rule: slowed iterations against those of the plain suite (Section 6.2).

Iterations of all forks of a run are pooled although they are not independent; that is what the
rule says, and why it is for comparison with the literature only.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from auditor.audits import readings
from auditor.audits.calibration import achieved_caveat
from auditor.audits.pair import Judgement, PairData, undecided
from auditor.core.plan import Purpose, Run
from auditor.core.result import Result
from auditor.core.schedule import ArmName
from auditor.core.verdict import PairRun
from auditor.stats.compare import rank_sum_p, smallest_rank_sum_p

ByRun = Mapping[int, tuple[float, ...]]


def judge(data: PairData) -> Judgement:
    """Detected when, in every run, the test rejects and the mean is at least the limit above.

    That is v / 2, unless the user names another.
    """
    mutant_runs = readings.of_purpose(data.runs, Purpose.MUTANT)
    slowed = _pooled(mutant_runs, ArmName.SLOWED)
    purpose = Purpose.REFERENCE if data.interleaved else Purpose.SUITE
    suite = readings.of_purpose(data.plain, purpose)
    plain = _pooled(suite, ArmName.PLAIN)
    if not slowed or not set(slowed) <= set(plain):
        missing = sorted(set(slowed) - set(plain))
        return undecided(
            "no-plain", f"the plain suite has no values in the runs {missing or 'made'}"
        )
    fewest = min(smallest_rank_sum_p(len(slowed[run]), len(plain[run])) for run in slowed)
    if fewest >= data.significance:
        return undecided("few-values", f"no outcome can have a p below {fewest:.3f}")
    runs = tuple(
        replace(_run(plain[run], slowed[run], data), trials=_trials(run, suite, mutant_runs))
        for run in slowed
    )
    return _judgement(data, runs, finished=len(mutant_runs) >= data.wanted)


def _trials(repetition: int, *groups: Sequence[Run]) -> tuple[str, ...]:
    return tuple(
        run.trial.id for group in groups for run in group if run.trial.repetition == repetition
    )


def _judgement(data: PairData, runs: tuple[PairRun, ...], *, finished: bool) -> Judgement:
    seen = all(run.significant and run.large for run in runs)
    achieved = None if data.control else _achieved(data, runs)
    caveat = achieved_caveat(achieved, data.slowdown)
    decided = Result.DETECTED if finished else Result.INCONCLUSIVE
    return Judgement(
        outcome=decided if seen else Result.MISSED,
        weakest=min(runs, key=lambda run: (run.significant and run.large, run.effect)),
        runs=runs,
        threshold=data.limit,
        achieved=achieved,
        reason=None if finished or not seen else "not all runs were made",
        caveats=(caveat,) if caveat else (),
    )


def _pooled(runs: Iterable[Run], arm: ArmName) -> ByRun:
    values: dict[int, tuple[float, ...]] = {}
    for run in runs:
        found = readings.times(run, arm)
        if found:
            values[run.trial.repetition] = values.get(run.trial.repetition, ()) + found
    return values


def _run(plain: tuple[float, ...], slowed: tuple[float, ...], data: PairData) -> PairRun:
    effect = (fmean(slowed) - fmean(plain)) / fmean(plain)
    p = rank_sum_p(slowed, plain)
    return PairRun(
        effect=effect,
        interval=None,
        p=p,
        significant=p < data.significance,
        large=effect >= data.limit,
        reference=plain,
        slowed=slowed,
    )


def _achieved(data: PairData, runs: Sequence[PairRun]) -> float | None:
    """Return what was achieved, the plain suite in the place of the probe that this rule lacks."""
    if data.inside is None:
        return None
    return fmean(run.effect * fmean(run.reference) for run in runs) / data.inside
