"""Measures the detection curve: pairs that were judged already, at other slowdowns.

One build of a method serves them all: the same bytes read another number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from auditor.abs.judge import curve, detection
from auditor.abs.judge.curve import SlowdownSearch
from auditor.abs.model import PairVerdict
from auditor.abs.study.pair import (
    PairAnalysis,
    PairKey,
    PairRuns,
    StudyPair,
    StudyRuns,
    StudySettings,
)
from auditor.abs.study.pairs import PairStudy
from auditor.core.plan import Run
from auditor.core.request import CurveMode
from auditor.core.result import Verdict
from auditor.measure.context import StudyContext


def search_slowdowns(
    analysis: PairAnalysis,
    verdicts: Sequence[PairVerdict],
    pairs: Sequence[StudyPair],
    study_runs: StudyRuns,
    parts: StudyContext,
) -> list[SlowdownSearch]:
    """Return the searches, as far as the time allows; `verdicts` are those of all `pairs`.

    `study_runs` are the processes that they rest on. A pair whose share decides is not slowed
    again: its effect is proportional to the slowdown.
    """
    slowdown = analysis.slowdown or 0.0
    by_key = {pair.pair_key: pair for pair in pairs}
    mode = CurveMode.NONE if analysis.request.estimate else analysis.request.curve
    fixed = analysis.request.min_delta is not None
    searches = curve.begin_searches(verdicts, slowdown, mode, fixed=fixed)
    full_analysis = replace(analysis, request=replace(analysis.request, score_only=False))
    calibration_runs = dict(study_runs.runs_by_pair)
    while pending := _group_by_size(searches):
        for size, wave in pending.items():
            # Of the sizes some lie near the threshold, where nothing can be decided. What one has
            # shown of turns is a beginning for the next.
            name = f"curve at {size:g}"
            manner = StudySettings(
                name=name, thorough=False, stored_runs=dict(calibration_runs), at_most=1
            )
            pair_analysis = replace(full_analysis, slowdown=size)
            study = PairStudy(pair_analysis, size, parts, manner)
            wave_pairs = {
                (search.method, search.benchmark): by_key[search.method, search.benchmark]
                for search in wave
            }
            calibration_runs |= _measure_sizes(
                study, pair_analysis, _judge_by_share(pair_analysis, wave, wave_pairs), wave_pairs
            )
    return searches


def _judge_by_share(
    analysis: PairAnalysis, wave: Sequence[SlowdownSearch], pairs: Mapping[PairKey, StudyPair]
) -> list[SlowdownSearch]:
    """Judge a size by the shares; return the searches that they leave open."""
    rest = []
    for search in wave:
        pair_data = analysis.build_pair_data(
            PairRuns(pair=pairs[search.method, search.benchmark]), ()
        )
        if pair_data.sampled is None or pair_data.sampled.obstacle:
            rest.append(search)
            continue
        verdict = detection.judge_pair(pair_data)
        if verdict.outcome is Verdict.UNMEASURED:
            verdict = replace(
                verdict, outcome=Verdict.INCONCLUSIVE, reason="the share does not decide"
            )
        search.add_step(pair_data.slowdown, verdict)
    return rest


def _group_by_size(searches: Sequence[SlowdownSearch]) -> dict[float, list[SlowdownSearch]]:
    """Return what is to be measured next, the largest slowdowns first."""
    groups: dict[float, list[SlowdownSearch]] = {}
    for search in searches:
        if (size := search.next) is not None:
            groups.setdefault(size, []).append(search)
    return dict(sorted(groups.items(), reverse=True))


def _measure_sizes(
    study: PairStudy,
    analysis: PairAnalysis,
    wave: Sequence[SlowdownSearch],
    pairs: Mapping[PairKey, StudyPair],
) -> Mapping[PairKey, tuple[Run, ...]]:
    """Measure a size of all that wait for it; return what is known of the turns of each pair."""
    runs = study.measure_pairs(
        [pairs[slowdown_search.method, slowdown_search.benchmark] for slowdown_search in wave]
    )
    runs_by_key = {pair.pair.pair_key: pair for pair in runs.pairs}
    for search in wave:
        pair_runs = runs_by_key[search.method, search.benchmark]
        pair_data = analysis.build_pair_data(
            pair_runs, runs.references_of(pair_runs.pair.benchmark)
        )
        search.add_step(pair_data.slowdown, detection.judge_pair(pair_data))
    return runs.runs_by_pair
