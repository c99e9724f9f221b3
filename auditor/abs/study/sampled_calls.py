"""Calls that no counted block makes, but CPU samples of longer blocks show.

Blocks that are counted and slowed are shorter than profiled ones. A cache may be full only in the
longer ones.
"""

from collections.abc import Sequence
from dataclasses import replace

from auditor.abs.study.cpu_samples import SHARE_ERROR
from auditor.abs.study.pair import PairAnalysis, SampledMethod, StudyPair
from auditor.core.outcome import Profiled
from auditor.core.result import ReachState
from auditor.measure.profiles.cpu_shares import CpuShare, frames_of, share_of
from auditor.measure.reach_judge import SEEN_IN_SAMPLES


def add_sampled_calls(
    pairs: Sequence[StudyPair], analysis: PairAnalysis
) -> tuple[list[StudyPair], PairAnalysis]:
    """Return the pairs, those with samples but without a counted call as reached."""
    shares = {
        pair.pair_key: SampledMethod(share)
        for pair in pairs
        if pair.reach.state is ReachState.NOT_AT_ALL
        and (share := _find_share(pair, analysis)) is not None
    }
    reached_pairs = [
        replace(pair, reach=SEEN_IN_SAMPLES) if pair.pair_key in shares else pair for pair in pairs
    ]
    sampling = replace(analysis.sampling, pairs={**analysis.sampling.pairs, **shares})
    return reached_pairs, replace(analysis, sampling=sampling)


def _find_share(pair: StudyPair, analysis: PairAnalysis) -> CpuShare | None:
    """Return the share of a method in a benchmark, None where no sample is in it."""
    runs = analysis.sampling.profiles.get(pair.benchmark.id, ())
    profiles = [run.outcome for run in runs if isinstance(run.outcome, Profiled)]
    if not any(frames_of(pair.method, profile.frames) for profile in profiles):
        return None
    share = share_of(pair.method, pair.benchmark, runs, error=SHARE_ERROR / (pair.family + 1))
    return share if share is not None and share.share > 0 else None
