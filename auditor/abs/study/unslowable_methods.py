"""Why methods cannot be slowed at all, found out by the first process of each variant."""

from collections.abc import Sequence

from auditor.abs.study.pair import StudyPair, VariantKey
from auditor.abs.study.pairs import PairStudy
from auditor.core.mutant import OverlayRefusal
from auditor.core.outcome import NotBuilt
from auditor.core.plan import Trial
from auditor.core.subject import Method
from auditor.measure.context import StudyContext
from auditor.measure.trials import measure_trials


def find_obstacles(
    study: PairStudy,
    methods: Sequence[Method],
    pairs: Sequence[StudyPair],
    parts: StudyContext,
    *,
    by_shares: bool,
) -> dict[str, str]:
    """Return, by id, why those of `methods` that cannot be slowed at all cannot.

    `pairs` are theirs. The first process of each variant tells, one that is to be run anyway. If
    methods are judged `by_shares` first, most need no such process, and only refusals count.
    For a method that nothing reaches nothing is built, nor for one that is surely missed wherever
    it is called; nor where counting failed, since there it may be the benchmark that cannot be
    changed.
    """
    pairs_by_variant: dict[VariantKey, list[StudyPair]] = {}
    for pair in pairs:
        if pair.calls_per_operation is not None:
            pairs_by_variant.setdefault(pair.variant_key, []).append(pair)
    reached_methods = {method for method, _ in pairs_by_variant}
    pairs_by_variant |= {(method, False): [] for method in methods if method not in reached_methods}
    obstacles: dict[VariantKey, str] = {}
    trials: dict[str, tuple[VariantKey, Trial]] = {}
    for key, study_pairs in pairs_by_variant.items():
        built = study.build_variant(key)
        if isinstance(built, OverlayRefusal):
            obstacles[key] = built.reason
        elif not by_shares and (trial := study.make_first_trial(study_pairs, built)) is not None:
            trials[trial.id] = key, trial
    for run in measure_trials("first builds", [trial for _, trial in trials.values()], parts):
        if isinstance(run.outcome, NotBuilt):
            obstacles[trials[run.trial.id][0]] = run.outcome.message
    slowable = {method for method, _ in pairs_by_variant.keys() - obstacles.keys()}
    return {
        method.id: reason for (method, _), reason in obstacles.items() if method not in slowable
    }
