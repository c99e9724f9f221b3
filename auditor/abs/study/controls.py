"""Measures pairs again with a delay of nothing: what an audit detects there is a false alarm."""

from collections.abc import Sequence
from dataclasses import replace

from auditor.abs.judge import controls, detection
from auditor.abs.model import PairVerdict
from auditor.abs.study.pair import PairAnalysis, StudyRuns, StudySettings, most_runs
from auditor.abs.study.pairs import PairStudy
from auditor.measure.context import StudyContext


def judge_zero_delays(
    analysis: PairAnalysis,
    slowdown: float,
    verdicts: Sequence[PairVerdict],
    study_runs: StudyRuns,
    parts: StudyContext,
) -> list[PairVerdict]:
    """Return the verdicts on zero-delay pairs, one of each measured method at each turn."""
    request = replace(analysis.request, score_only=False)
    pair_analysis = replace(analysis, request=request, control=True)
    by_key = {pair.pair.pair_key: pair.pair for pair in study_runs.pairs}
    pair_verdicts = []
    for turn in range(request.controls):
        manner = StudySettings(name="controls", first_run=turn * most_runs(request))
        study = PairStudy(pair_analysis, slowdown, parts, manner)
        pairs = [
            by_key[control.method, control.benchmark]
            for control in controls.choose_controls(verdicts, turn)
        ]
        control_runs = study.measure_pairs(pairs)
        pair_verdicts += [
            detection.judge_pair(
                pair_analysis.build_pair_data(pair, control_runs.references_of(pair.pair.benchmark))
            )
            for pair in control_runs.pairs
        ]
    return pair_verdicts
