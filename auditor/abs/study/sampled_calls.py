"""Calls that no counted block makes, but CPU samples of longer blocks show.

Blocks that are counted and slowed are shorter than profiled ones. A cache may be full only in the
longer ones.
"""

from collections.abc import Sequence
from dataclasses import replace

from auditor.abs.study.cpu_samples import SHARE_ERROR
from auditor.abs.study.pair import PairAnalysis, SampledMethod, StudyPair
from auditor.core.outcome import Profiled
from auditor.core.plan import Run
from auditor.core.result import ReachState
from auditor.measure.profiles.cpu_shares import (
    CpuShare,
    FrameKey,
    list_frame_keys,
    list_method_keys,
    share_of,
)
from auditor.measure.reach_judge import Reach


def add_sampled_calls(
    pairs: Sequence[StudyPair], analysis: PairAnalysis
) -> tuple[list[StudyPair], PairAnalysis]:
    """Return the pairs, those with samples but without a counted call as reached."""
    # There are as many pairs as methods times benchmarks: the frames are read once for each of
    # these.
    sampled_keys = {
        name: _collect_frame_keys(runs) for name, runs in analysis.sampling.profiles.items()
    }
    shares = {
        pair.pair_key: SampledMethod(share)
        for pair in pairs
        if pair.reach.state is ReachState.NOT_AT_ALL
        and not list_method_keys(pair.method).isdisjoint(sampled_keys.get(pair.benchmark.id, ()))
        and (share := _find_share(pair, analysis)) is not None
    }
    sampled_reach = Reach(state=ReachState.UNKNOWN, is_sampled=True)
    reached_pairs = [
        replace(pair, reach=sampled_reach) if pair.pair_key in shares else pair for pair in pairs
    ]
    sampling = replace(analysis.sampling, pairs={**analysis.sampling.pairs, **shares})
    return reached_pairs, replace(analysis, sampling=sampling)


def _collect_frame_keys(runs: Sequence[Run]) -> set[FrameKey]:
    """Return what frames of all profiles can be found by."""
    profiles = [run.outcome for run in runs if isinstance(run.outcome, Profiled)]
    frames = {frame for profile in profiles for frame in profile.frames}
    return {key for frame in frames for key in list_frame_keys(frame)}


def _find_share(pair: StudyPair, analysis: PairAnalysis) -> CpuShare | None:
    """Return the share of a method in a benchmark, None where no sample is in it."""
    runs = analysis.sampling.profiles[pair.benchmark.id]
    share = share_of(pair.method, pair.benchmark, runs, error=SHARE_ERROR / (pair.family + 1))
    return share if share is not None and share.share > 0 else None
