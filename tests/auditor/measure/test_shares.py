"""The interval of a method's share, and what an effect at the limit comes to."""

from dataclasses import replace

import pytest
from builders import benchmark, pair_verdict_of, run, suite_runs

from auditor.abs.judge import indifference_zone, share_verdict
from auditor.abs.judge.indifference_zone import is_borderline
from auditor.abs.judge.pair import Judgement, PairData
from auditor.abs.model import PairRun
from auditor.abs.study.injection import more_samples_may_decide
from auditor.core.caveats import Caveat
from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Frame, Profiled, Stack
from auditor.core.plan import Purpose
from auditor.core.request import DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.core.subject import Language, Method, Span
from auditor.measure.profiles.cpu_shares import (
    LOOKS,
    compute_proportion_interval,
    frames_of,
    is_empty_operation,
    is_longer_than_the_operation,
    is_too_short_for_a_call,
    share_of,
)
from auditor.measure.reach_judge import Reach

NAME = "example.org/ring.Push"
PUSH = Method(language=Language.GO, id=NAME, owner="example.org/ring", name="Push", parameters=())
LONG = 1e-3
"""Seconds of an operation in which the attribution error is only the constant one."""


def profile(hits, blocks, per_block=20, operation=LONG, out_of_line=(), **more):
    """Return a process of `blocks` with `hits` of the samples of each in the method."""
    stacks = [
        Stack(block, frames, count)
        for block in range(blocks)
        for frames, count in (((0, 1), hits), ((1,), per_block - hits))
        if count
    ]
    seconds = 0.05 * blocks
    outcome = Profiled(
        frames=(
            Frame(NAME, inlined=more.pop("inlined", False)),
            Frame("example.org/ring.BenchmarkPush"),
        ),
        stacks=tuple(stacks),
        unattributed=more.pop("unattributed", 0),
        background=0,
        period_seconds=0.0025,
        cpu_seconds=more.pop("cpu", seconds),
        timed_seconds=more.pop("timed", seconds),
        waiting_seconds=more.pop("waiting", 0.0),
        operations=round(seconds / operation),
    )
    trial_run = run(outcome, purpose=Purpose.PROFILE)
    return replace(
        trial_run,
        trial=replace(trial_run.trial, variant=Variant(VariantKind.PROFILED, out_of_line)),
    )


def share(*runs, method=PUSH, calls=1.0, error=0.01):
    return share_of(method, benchmark(), runs, error=error, calls=calls)


def paired(sampled):
    return PairData(
        method=NAME,
        benchmark=benchmark(),
        slowdown=0.5,
        rule=DetectionRule.OURS,
        process_count=2,
        reach=Reach(state=ReachState.IN_LOOP, calls_per_operation=1.0),
        sampled=sampled,
    )


@pytest.mark.parametrize(("cpu", "open_"), [(0.5, False), (0.6, False), (4.0, True)])
def test_a_detection_by_a_sum_of_calls_that_may_overlap_stays_open(cpu, open_):
    """Eight goroutines of one operation call the method at once: their calls are no time of it."""
    sampled = share(profile(2, 10, cpu=cpu, unattributed=800))
    injected = Judgement(
        outcome=Verdict.DETECTED, threshold=0.25, runs=near_threshold(0.5, 0.02).runs
    )

    judged, evidence = share_verdict.combine_evidence(paired(sampled), injected)

    assert sampled.processors == pytest.approx(cpu / 0.5)
    assert judged.outcome is (Verdict.INCONCLUSIVE if open_ else Verdict.DETECTED)
    assert evidence == (None if open_ else "injection")
    assert any(caveat.slug == "calls-overlap" for caveat in judged.caveats) is open_


def test_overlapping_calls_settle_nothing_near_the_threshold():
    overlapping = share(profile(2, 10, cpu=4.0, unattributed=800))
    caveat = Caveat("near-threshold", "open")
    injected = Judgement(
        outcome=Verdict.INCONCLUSIVE, caveats=(caveat,), runs=near_threshold(0.3, 0.1).runs
    )

    judged, _ = share_verdict.combine_evidence(paired(overlapping), injected)

    assert [item.slug for item in judged.caveats] == ["near-threshold", "calls-overlap"]


def test_a_borderline_share_confirms_no_detection_by_calls_that_may_overlap():
    sampled = share(profile(9, 100), error=0.01 / 100)
    sampled = replace(sampled, share=0.495, own_interval=(0.45, 0.53), low=0.4, high=0.6)
    by_samples = share_verdict.judge_by_share(paired(sampled))
    assert by_samples.outcome is Verdict.MISSED
    assert is_borderline(by_samples.caveats)
    injected = Judgement(
        outcome=Verdict.DETECTED, threshold=0.25, runs=near_threshold(0.5, 0.02).runs
    )

    alone, _ = share_verdict.combine_evidence(paired(sampled), injected)
    overlapping = paired(replace(sampled, processors=4.0))
    judged, evidence = share_verdict.combine_evidence(overlapping, injected)

    assert alone.outcome is Verdict.DETECTED
    assert (judged.outcome, evidence) == (Verdict.INCONCLUSIVE, None)


def test_a_distorting_probe_is_named_beside_a_share_that_decides_nothing():
    sampled = replace(share(profile(9, 100), error=0.01 / 100), share=0.5, low=0.2, high=0.8)
    sampled = replace(sampled, own_interval=(0.2, 0.8))
    caveats = (Caveat("distorted", "the probe is long"),)
    injected = Judgement(outcome=Verdict.INCONCLUSIVE, caveats=caveats, reason="the probe is long")

    judged, evidence = share_verdict.combine_evidence(paired(sampled), injected)

    assert (judged.outcome, evidence) == (Verdict.INCONCLUSIVE, None)
    assert judged.reason.startswith("the probe is long; by share: 50\u00a0% of the operation")


def test_samples_without_a_timed_block_tell_no_share():
    sampled = share(profile(20, 10, timed=0.0))

    assert (sampled.low, sampled.high) == (0.0, 1.0)


def test_the_interval_holds_the_share_and_shrinks_with_samples():
    few, many = share(profile(12, 10)), share(profile(12, 100))

    assert few.share == many.share == 0.6
    assert few.low < many.low < 0.6 < many.high < few.high


def test_the_interval_is_that_of_clopper_and_pearson():
    """7 of 20, 95 %: .1539 to .5922 (Clopper and Pearson 1934 by any table)."""
    assert compute_proportion_interval(7, 20, 0.05) == pytest.approx((0.1539, 0.5922), abs=1e-4)
    assert compute_proportion_interval(0, 20, 0.05)[0] == 0
    assert compute_proportion_interval(20, 20, 0.05)[1] == 1


def test_how_sure_a_share_is_by_itself_does_not_hang_on_other_benchmarks():
    """Bounds of a Go method that is called: .015 and 1 ns of 1 ms."""
    single_share, share_of_many = share(profile(12, 50)), share(profile(12, 50), error=0.01 / 30)

    assert single_share.own_interval == share_of_many.own_interval
    assert share_of_many.low < single_share.low < single_share.own_interval[0] < 0.6
    assert share_of_many.high > single_share.high > single_share.own_interval[1] > 0.6
    assert single_share.irreducible == pytest.approx((0.585, 0.615), abs=1e-4)


def test_blocks_that_scatter_more_than_chance_widen_the_interval():
    even = share(profile(10, 40))
    uneven = share(profile(0, 20), profile(20, 20))

    assert even.share == uneven.share == 0.5
    assert uneven.high - uneven.low > 3 * (even.high - even.low)


def test_processes_that_differ_by_more_than_chance_widen_the_interval():
    """Each process is as even as can be; 5 processes have 4 degrees of freedom."""
    even_share = share(*[profile(10, 10) for _ in range(5)])
    uneven_share = share(*[profile(hits, 10) for hits in (7, 8, 10, 12, 13)])

    assert even_share.share == uneven_share.share == 0.5
    assert uneven_share.high - uneven_share.low > 1.3 * (even_share.high - even_share.low)


def test_what_cannot_be_attributed_may_belong_to_the_method_or_not():
    attributed_share, ambiguous_share = (
        share(profile(12, 50)),
        share(profile(12, 50, unattributed=300)),
    )

    assert ambiguous_share.low < attributed_share.low - 0.05
    assert ambiguous_share.high > attributed_share.high + 0.05


def test_time_off_the_processor_is_doubt_unless_the_process_waited_for_one():
    blocked = share(profile(12, 50, timed=5.0))
    busy = share(profile(12, 50, timed=5.0, waiting=2.5))

    assert blocked.high - blocked.low > 0.4
    assert busy.high - busy.low < 0.3


def test_goroutines_beside_the_operation_are_doubt():
    concurrent_share = share(profile(12, 50, cpu=2.5, timed=1.25))

    assert concurrent_share.low < 0.2
    assert concurrent_share.high == 1


def test_in_a_short_operation_samples_may_count_for_a_neighbour():
    long, short = share(profile(12, 100)), share(profile(12, 100, operation=4e-9))

    assert short.high > long.high + 0.2
    assert share(profile(12, 100, operation=0.5e-9)).high == 1
    inlined = share(profile(12, 100, operation=4e-9, inlined=True))
    assert inlined.low < long.low - 0.1


def test_a_call_without_a_sample_is_shorter_than_a_cycle_in_a_short_operation():
    assert is_too_short_for_a_call(share(profile(0, 50, operation=5e-9)))
    assert not is_too_short_for_a_call(share(profile(0, 50, operation=100e-9)))
    assert not is_too_short_for_a_call(share(profile(1, 50, operation=5e-9)))
    assert not is_too_short_for_a_call(share(profile(0, 50, operation=5e-9), calls=None))
    assert not is_too_short_for_a_call(share(profile(0, 2, operation=5e-9)))


def test_samples_that_may_be_of_the_method_are_no_sign_that_it_was_removed():
    removed = share(profile(0, 50, operation=0.4e-9))

    assert is_too_short_for_a_call(removed)
    assert not is_too_short_for_a_call(replace(removed, ambiguous=1))


def test_an_operation_of_two_cycles_does_nothing_but_count():
    assert is_empty_operation(share(profile(0, 50, operation=0.4e-9)))
    assert not is_empty_operation(share(profile(0, 50, operation=5e-9)))


def test_samples_of_each_definition_are_of_the_method():
    method = Method(
        language=Language.PYTHON,
        id="lib.area",
        owner="lib",
        name="area",
        parameters=(),
        span=Span("lib.py", 3, 4),
        more_spans=(Span("lib.py", 9, 10),),
    )
    frames = (Frame("_", "lib.py", 9), Frame("area", "lib.py", 3), Frame("_", "lib.py", 15))

    assert frames_of(method, frames) == {0, 1}


def test_few_samples_say_nothing():
    assert share(profile(2, 4, per_block=4)).obstacle
    assert share_of(PUSH, benchmark(), [], error=0.01) is None


JAVA = replace(PUSH, language=Language.JAVA, descriptor=NAME)


def test_a_share_lies_in_the_intervals_of_the_unchanged_program_and_of_one_out_of_line():
    """Out of line, as long an operation: .02 above and .03 below; unchanged: .05 and .1."""
    unchanged, out_of_line = profile(12, 50), profile(12, 50, out_of_line=(JAVA,))

    combined_share = share(unchanged, out_of_line, method=JAVA)

    assert combined_share.irreducible == pytest.approx((0.58, 0.63), abs=1e-4)
    assert not combined_share.by_unchanged
    alone = share(unchanged, method=JAVA)
    assert alone.irreducible == pytest.approx((0.55, 0.7), abs=1e-4)
    assert alone.by_unchanged


def test_what_calls_take_out_of_line_belongs_to_the_method_or_not():
    """An operation of 1.25 ms for one of 1: .2 of the first may be calls, all of the method."""
    unchanged = profile(12, 50)
    slower = profile(12, 50, operation=1.25 * LONG, out_of_line=(JAVA,))

    result = share(unchanged, slower, method=JAVA)

    # .6 x 1.25 - .25 = .5 to .75, with the bounds .48 to .78; unchanged .55 to .7.
    assert result.irreducible == pytest.approx((0.55, 0.7), abs=1e-3)


def test_times_of_few_processes_may_differ_by_chance_and_more_samples_may_tell():
    """.6 x 1.12 + .03 = .70, and unchanged at most .7."""
    slower = profile(12, 50, operation=1.12 * LONG, out_of_line=(JAVA,))

    result = share(profile(12, 50), slower, method=JAVA)

    assert result.irreducible == pytest.approx((0.58, 0.63), abs=1e-4)
    assert result.high > 0.69


def test_programs_that_contradict_each_other_tell_no_share():
    result = share(profile(18, 200), profile(2, 200, out_of_line=(JAVA,)), method=JAVA)

    assert result.obstacle.startswith("samples of the unchanged program and of one that keeps the")
    assert result.low < 0.2
    assert result.high > 0.8


def test_a_call_that_is_longer_out_of_line_than_the_operation_was_removed():
    """An operation of 1 ns in which a call takes 4 ns, once there has to be one."""
    removed = profile(0, 50, operation=1e-9)
    out_of_line = profile(18, 50, operation=4.5e-9, out_of_line=(JAVA,))

    assert is_longer_than_the_operation(share(removed, out_of_line, method=JAVA))
    sampled = profile(1, 50, operation=1e-9)
    assert not is_longer_than_the_operation(share(sampled, out_of_line, method=JAVA))
    shorter = profile(18, 50, operation=1.9e-9, out_of_line=(JAVA,))
    assert not is_longer_than_the_operation(share(removed, shorter, method=JAVA))
    long = profile(18, 50, operation=9e-9, out_of_line=(JAVA,))
    of_two_nanoseconds = profile(0, 50, operation=2.3e-9)
    assert not is_longer_than_the_operation(share(of_two_nanoseconds, long, method=JAVA))
    nearly = (
        profile(0, 50, operation=1.9e-9),
        profile(18, 50, operation=4.35e-9, out_of_line=(JAVA,)),
    )
    assert not is_longer_than_the_operation(share(*nearly, method=JAVA))
    two_calls = share(removed, long, method=JAVA, calls=2.0)
    assert not is_longer_than_the_operation(two_calls)
    assert not is_longer_than_the_operation(share(removed, method=JAVA))


def test_the_error_of_an_interval_is_divided_among_the_programs():
    """1,000 samples of each program; out of line up to .03 are missing."""
    combined_share = share(profile(12, 50), profile(12, 50, out_of_line=(JAVA,)), method=JAVA)

    sampled = compute_proportion_interval(600, 1000, 0.01 / LOOKS / 2)
    assert combined_share.low == pytest.approx(sampled[0] - 0.02, abs=1e-4)
    assert combined_share.high == pytest.approx(sampled[1] + 0.03, abs=1e-4)


def test_a_share_that_another_program_leaves_out_counts_as_its_nearest_possible_one():
    result = share(profile(12, 100), profile(15, 50, out_of_line=(JAVA,)), method=JAVA)
    pair = paired(result)

    effect = share_verdict.estimate_share_effect(pair)

    assert result.low <= result.high < result.share
    assert effect.effect == pytest.approx(0.5 * result.high)
    assert effect.interval[0] > 0.3


@pytest.mark.parametrize(
    ("inside", "calm", "wild"),
    [(35, Verdict.MISSED, Verdict.MISSED), (65, Verdict.DETECTED, None)],
)
def test_scatter_may_hide_an_effect_and_makes_none_larger(inside, calm, wild):
    """.35 or .65 of an operation; neighbouring blocks of the unchanged one differ by half."""
    sampled = share(profile(inside, 50, per_block=100))
    runs = suite_runs([[1.0, 1.5] * 5] * 3)

    quiet, scattered = paired(sampled), replace(paired(sampled), plain=runs)

    assert share_verdict.judge_by_share(quiet).outcome is calm
    judged = share_verdict.judge_by_share(scattered)
    assert (judged and judged.outcome) == wild
    intervals = [share_verdict.estimate_share_effect(data).interval for data in (quiet, scattered)]
    assert intervals[0][1] == intervals[1][1] == pytest.approx(0.5 * sampled.high)
    assert intervals[1][0] < intervals[0][0]


def test_more_samples_may_decide_where_the_share_may_lie_elsewhere_in_its_interval():
    """.43 to .57 without sampling error: an operation of 9.6 ns with a call of up to 1.2."""
    few = share(profile(43, 2, per_block=100, operation=9.6e-9))
    many = share(profile(43, 400, per_block=100, operation=9.6e-9))

    assert share_verdict.judge_by_share(paired(few)) is None
    assert more_samples_may_decide(paired(few))
    assert share_verdict.judge_by_share(paired(many)) is None
    assert not more_samples_may_decide(paired(many))


def test_only_profiles_out_of_line_tell_nothing_of_the_unchanged_program():
    result = share(profile(12, 200, out_of_line=(JAVA,)), method=JAVA)

    assert (result.low, result.high) == (0, 1)
    assert result.unchanged == (0, 0)


def test_frames_that_are_inlined_and_called_have_the_bounds_of_both():
    """An operation of 10 ns: inlined .065 to both sides, called 0 above and .135 below."""
    called = profile(12, 50, operation=10e-9)
    inlined = profile(12, 50, operation=10e-9, inlined=True)

    assert share(called).irreducible == pytest.approx((0.6, 0.735), abs=1e-6)
    assert share(inlined).irreducible == pytest.approx((0.535, 0.665), abs=1e-6)
    assert share(called, inlined).irreducible == pytest.approx((0.535, 0.735), abs=1e-6)


def test_few_samples_of_the_unchanged_program_are_no_evidence_of_a_removed_call():
    out_of_line = profile(18, 50, operation=4.5e-9, out_of_line=(JAVA,))

    assert not is_longer_than_the_operation(
        share(profile(0, 2, operation=1e-9), out_of_line, method=JAVA)
    )
    several = share(profile(0, 50, operation=1e-9), out_of_line, method=JAVA, calls=2.0)
    assert not is_longer_than_the_operation(several)


def test_near_the_limit_the_interval_of_a_share_by_itself_decides():
    """2,000 samples, half of them in the method: 99.5 % of .50 +- .031, and .015 of attribution."""
    sampled = share(profile(10, 100), error=0.01 / 100)
    pair = paired(sampled)

    judgement = share_verdict.judge_by_share(pair)

    assert judgement is not None
    assert [caveat.slug for caveat in judgement.caveats] == ["borderline"]
    strict = replace(sampled, own_interval=(sampled.low, sampled.high))
    assert share_verdict.judge_by_share(replace(pair, sampled=strict)) is None


def near_threshold(effect, half, *, threshold=0.25):
    pair_run = PairRun(
        effect=effect,
        interval=(effect - half, effect + half),
        p=0.5,
        significant=False,
        large=False,
        reference=(1.0,),
        slowed=(1.0,),
    )
    return pair_verdict_of(
        method=NAME,
        benchmark="b",
        outcome=Verdict.INCONCLUSIVE,
        threshold=threshold,
        method_seconds=1e-6,
        runs=(pair_run, pair_run),
        caveats=(Caveat("near-threshold", "open"),),
    )


@pytest.mark.parametrize(("effect", "outcome"), [(0.26, Verdict.DETECTED), (0.24, Verdict.MISSED)])
def test_a_narrow_interval_at_the_limit_gets_the_likelier_verdict(effect, outcome):
    verdict = indifference_zone.settle_borderline(near_threshold(effect, 0.02))

    assert verdict.outcome is outcome
    assert [caveat.slug for caveat in verdict.caveats] == ["borderline"]
    assert verdict.decided_by == "injection"


def test_a_wide_interval_stays_open_and_so_does_what_is_open_for_another_reason():
    wide = near_threshold(0.26, 0.05)
    distorted = replace(near_threshold(0.26, 0.02), caveats=(Caveat("distorted", "by the probe"),))

    assert indifference_zone.settle_borderline(wide) == wide
    assert indifference_zone.settle_borderline(distorted) == distorted


@pytest.mark.parametrize("slug", ["distorted", "unverified", "calibration-failed"])
def test_an_effect_that_may_not_be_that_of_the_slowdown_stays_open(slug):
    pair = near_threshold(0.26, 0.02)
    doubtful = replace(pair, caveats=(*pair.caveats, Caveat(slug, "doubt")))
    untimed = replace(pair, method_seconds=None)

    assert indifference_zone.settle_borderline(doubtful) == doubtful
    assert indifference_zone.settle_borderline(untimed) == untimed


@pytest.mark.parametrize(
    ("operation", "outcome"),
    [(LONG, Verdict.MISSED), (200e-9, Verdict.MISSED), (120e-9, Verdict.INCONCLUSIVE)],
)
@pytest.mark.parametrize("hits", [0, 4])
def test_a_missed_delay_is_only_hidden_where_one_at_the_limit_would_be(operation, outcome, hits):
    """The limit is a quarter of the operation. Samples exclude little: most have no place."""
    sampled = share(profile(hits, 10, operation=operation, unattributed=800))
    assert sampled.low < 0.5 < sampled.high
    injected = Judgement(
        outcome=Verdict.MISSED, threshold=0.25, runs=near_threshold(0.1, 0.02).runs
    )

    judged, _ = share_verdict.combine_evidence(paired(sampled), injected)
    predicted = share_verdict.combine_evidence(paired(sampled), replace(injected, runs=()))[0]

    assert predicted.caveats == ()  # nothing was injected that could be hidden

    assert judged.outcome is outcome
    assert any(caveat.slug == "hidden-delay" for caveat in judged.caveats) is (
        outcome is not Verdict.MISSED
    )
