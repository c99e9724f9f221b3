"""The paper's rule: slowed iterations against those of the plain suite (Section 6.2).

Iterations of all forks of a run are pooled although they are not independent; that is what the
rule says, and why it is for comparison with the literature only.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from auditor.abs.judge.pair import Judgement, PairData, undecided_judgement
from auditor.abs.model import PairRun
from auditor.core import busy
from auditor.core.jobs import HostInterference
from auditor.core.plan import Purpose, Run, original_repetition
from auditor.core.result import Verdict
from auditor.core.schedule import ArmName
from auditor.measure import readings
from auditor.measure.calibration import achieved_caveat
from auditor.stats.compare import rank_sum_p, smallest_rank_sum_p

Values = tuple[float, ...]
ByRun = Mapping[int, Values]


def judge_pooled(data: PairData) -> Judgement:
    """Detected when, in every run, the test rejects and the mean is at least the limit above.

    That is v / 2, unless the user names another.
    """
    mutant_runs = readings.of_purpose(data.runs, Purpose.MUTANT)
    slowed = _pool_values(mutant_runs, ArmName.SLOWED)
    purpose = Purpose.REFERENCE if data.interleaved else Purpose.SUITE
    suite = readings.of_purpose(data.plain, purpose)
    strain = HostInterference.combine_processes(
        (run.seconds, run.strain) for run in (*mutant_runs, *suite)
    )
    if machine := busy.describe_machine(strain):
        text = (
            f"{machine}: this rule compares processes that follow each other; "
            "repeat the command on a quiet machine with another --store"
        )
        return undecided_judgement(busy.SLUG, text)
    plain_by_run = _pair_with_plain_runs(slowed, _pool_values(suite, ArmName.PLAIN), data)
    if not slowed or len(plain_by_run) < len(slowed):
        missing_runs = sorted(set(slowed) - set(plain_by_run))
        return undecided_judgement(
            "no-plain",
            f"the plain suite has no values in the runs {missing_runs or 'made'}; repeat the audit",
        )
    least = {
        repetition: smallest_rank_sum_p(len(slowed[repetition]), len(plain))
        for repetition, (_, plain) in plain_by_run.items()
    }
    runs = {
        repetition: replace(
            _make_pair_run(plain, slowed[repetition], data),
            trials=(*_list_trial_ids(number, suite), *_list_trial_ids(repetition, mutant_runs)),
        )
        for repetition, (number, plain) in plain_by_run.items()
    }
    forks = Counter(run.trial.repetition for run in mutant_runs)
    complete_runs = [run for run in runs if forks[run] >= data.forks]
    informative_runs = [runs[run] for run in complete_runs if least[run] < data.significance]
    most = max((least[repetition] for repetition in complete_runs), default=0.0)
    if most >= data.significance and all(map(_is_detection, informative_runs)):
        text = f"a run has too few values for a p-value below {most:.3f}; runs need more iterations"
        return undecided_judgement("few-values", text)
    finished = len(mutant_runs) >= data.process_count
    return _make_judgement(data, tuple(runs.values()), informative_runs, finished=finished)


def _pair_with_plain_runs(
    slowed: ByRun, plain: ByRun, data: PairData
) -> dict[int, tuple[int, Values]]:
    """Return with which run of the plain suite each run is compared: its number, and its values.

    Controls have runs of their own behind those of the pair: they begin with the first one again.
    """
    latest = {original_repetition(repetition): repetition for repetition in plain}
    plain_numbers = {
        repetition: latest[repetition] for repetition in slowed if repetition in latest
    }
    if data.control and plain and not data.interleaved:
        plain_repetitions = sorted(plain)
        plain_numbers = {
            repetition: plain_repetitions[(repetition - 1) % len(plain_repetitions)]
            for repetition in slowed
        }
    return {repetition: (number, plain[number]) for repetition, number in plain_numbers.items()}


def _list_trial_ids(repetition: int, runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(run.trial.id for run in runs if run.trial.repetition == repetition)


def _is_detection(run: PairRun) -> bool:
    return run.significant and run.large


def _make_judgement(
    data: PairData,
    runs: tuple[PairRun, ...],
    informative_runs: Sequence[PairRun],
    *,
    finished: bool,
) -> Judgement:
    """Judge the runs: one of those that tell enough decides a miss; a detection needs all.

    A run that lacks some of its forks may yet come to more than it has shown so far.
    """
    decided = Verdict.INCONCLUSIVE
    if not all(map(_is_detection, informative_runs)):
        decided = Verdict.MISSED
    elif finished and all(map(_is_detection, runs)):
        decided = Verdict.DETECTED
    achieved = None if data.control else _achieved_slowdown(data, runs)
    caveat = achieved_caveat(achieved, data.slowdown)
    return Judgement(
        outcome=decided,
        weakest=min(runs, key=lambda run: (_is_detection(run), run.effect)),
        runs=runs,
        threshold=data.nominal_threshold,
        achieved=achieved,
        reason="not all runs were made" if decided is Verdict.INCONCLUSIVE else None,
        caveats=(caveat,) if caveat else (),
    )


def _pool_values(runs: Iterable[Run], arm: ArmName) -> ByRun:
    values: dict[int, tuple[float, ...]] = {}
    for run in runs:
        times = readings.list_block_times(run, arm)
        if times:
            values[run.trial.repetition] = values.get(run.trial.repetition, ()) + times
    return values


def _make_pair_run(plain: tuple[float, ...], slowed: tuple[float, ...], data: PairData) -> PairRun:
    effect = (fmean(slowed) - fmean(plain)) / fmean(plain)
    p = rank_sum_p(slowed, plain)
    return PairRun(
        effect=effect,
        interval=None,
        p=p,
        significant=p < data.significance,
        large=effect >= data.nominal_threshold,
        reference=plain,
        slowed=slowed,
    )


def _achieved_slowdown(data: PairData, runs: Sequence[PairRun]) -> float | None:
    """Return what was achieved, the plain suite in the place of the probe that this rule lacks."""
    if data.seconds_in_method is None:
        return None
    return fmean(run.effect * fmean(run.reference) for run in runs) / data.seconds_in_method
