"""Verdicts by sampled shares in the toy language, whose true shares are known."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import toy_language
from builders import pair_verdict_of
from toy_language import Machine, parts, request

from auditor.abs.judge.detection import NOT_MEASURED
from auditor.abs.study import abs_audit, cpu_samples
from auditor.abs.study.pair import PairAnalysis, SampledPairs, StudyPair, StudyRuns
from auditor.abs.study.sampled_calls import add_sampled_calls
from auditor.core.outcome import Frame, Profiled
from auditor.core.plan import Purpose
from auditor.core.request import CurveMode, DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.core.subject import Language
from auditor.measure.profiles import cpu_shares
from auditor.measure.reach_judge import Reach

METHODS = ("hop", "skip")


def audited(machine, **changes):
    audit_request = request(methods=METHODS, shares=True, **changes)
    return abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))


def shares_of(monkeypatch, shares):
    """Make these the shares, by method and benchmark, and these the benchmarks."""
    monkeypatch.setattr(
        toy_language, "BENCHMARKS", tuple(dict.fromkeys(name for _, name in shares))
    )
    monkeypatch.setattr(toy_language, "SHARES", shares)
    monkeypatch.setattr(toy_language, "SAMPLED", shares)


def write_in(monkeypatch, language):
    """Make this the language of the methods."""
    find = toy_language.Words.find_methods
    monkeypatch.setattr(
        toy_language.Words,
        "find_methods",
        lambda *words: tuple(replace(method, language=language) for method in find(*words)),
    )


def by_key(verdict):
    return {(pair.method, pair.benchmark): pair for pair in verdict.pairs}


def trials(machine, purpose):
    return [trial for trial in machine.ended_trials if trial.purpose is purpose]


def slowed(machine, method):
    """Return the benchmarks in which a method was slowed."""
    return {
        trial.benchmark.name
        for trial in trials(machine, Purpose.PAIRS)
        if trial.variant.methods[0].name == method
    }


def profiles(machine, benchmark):
    """Return how many processes of a benchmark were profiled."""
    return sum(trial.benchmark.name == benchmark for trial in trials(machine, Purpose.PROFILE))


def test_samples_decide_what_is_far_from_the_limit_and_one_delay_confirms_a_detection():
    machine = Machine()

    pairs = by_key(audited(machine))

    assert pairs["toy.hop", "toy.long"].outcome is Verdict.DETECTED
    assert pairs["toy.hop", "toy.long"].decided_by == "injection"
    assert pairs["toy.hop", "toy.quick"].outcome is Verdict.MISSED
    assert pairs["toy.hop", "toy.quick"].decided_by == "share"
    low, high = pairs["toy.hop", "toy.quick"].share_interval
    assert low < 0.05 < high < 0.5
    assert not any(trial.is_exclusive for trial in trials(machine, Purpose.PROFILE))
    assert slowed(machine, "hop") == {"long"}


def test_a_benchmark_that_needs_several_processors_is_sampled_alone():
    audit_request = request(methods=METHODS, shares=True)
    machine = Machine()
    toy = parts(audit_request, machine=machine)
    short, quick, long = toy.suite.benchmarks
    parallel = replace(long, concurrency=2)
    suite = replace(toy.suite, benchmarks=(short, parallel, quick))

    abs_audit.audit_suite(audit_request, replace(toy, suite=suite))

    profiled = [trial for trial in trials(machine, Purpose.PROFILE) if trial.repetition == 1]
    # The dispatcher runs neighbours side by side that need not be alone.
    assert [trial.is_exclusive for trial in profiled] == [False, False, True]


def test_without_shares_nothing_is_profiled():
    audit_request = request(methods=METHODS, shares=False)
    machine = Machine()

    abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))

    assert trials(machine, Purpose.PROFILE) == []


@pytest.mark.parametrize("more", [{"exact": True}, {"rule": DetectionRule.PAPER}])
def test_a_fixed_plan_is_carried_out_as_it_is(more):
    machine = Machine()

    audited(machine, **more)

    assert trials(machine, Purpose.PROFILE) == []


def test_a_probe_that_would_distort_is_not_injected(monkeypatch):
    """The probe takes twice as long as the operation of 50 us."""
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-4)
    machine = Machine()

    pairs = by_key(audited(machine))

    assert pairs["toy.hop", "toy.long"].outcome is Verdict.DETECTED
    assert pairs["toy.hop", "toy.long"].decided_by == "share"
    assert pairs["toy.hop", "toy.long"].effect == pytest.approx(0.9 * 0.6, abs=0.06)
    assert trials(machine, Purpose.PAIRS) == []


def test_what_the_samples_leave_open_is_not_slowed_by_a_hopeless_probe(monkeypatch):
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-4)
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.52)
    machine = Machine()

    verdict = audited(machine)

    pair = by_key(verdict)["toy.hop", "toy.long"]
    assert pair.share == pytest.approx(0.52, abs=0.1)
    assert pair.reason.startswith("by share: 52")
    assert {method.id: method.reason for method in verdict.methods}["toy.hop"] == pair.reason
    assert trials(machine, Purpose.PAIRS) == []


@pytest.mark.parametrize(
    ("reason", "prevented"),
    [("by share: 48 %: inconclusive, and no delay was injected", False), (NOT_MEASURED, True)],
)
def test_a_pair_that_nobody_meant_to_slow_does_not_use_up_a_budget(reason, prevented):
    ready = parts(request(methods=METHODS, budget=1e6))
    pair = pair_verdict_of(
        method="toy.hop", benchmark="toy.long", outcome=Verdict.UNMEASURED, reason=reason
    )

    abs_audit._note_unmeasured((pair,), StudyRuns(), ready)

    assert ready.deadline.prevented is prevented


def test_the_error_of_a_share_is_divided_among_all_looks_at_its_samples():
    assert len(cpu_samples.ROUND_SECONDS + cpu_samples.FURTHER_ROUND_SECONDS) == cpu_shares.LOOKS


def test_further_samples_are_taken_where_the_probe_is_hopeless(monkeypatch):
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-4)
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.5)
    machine = Machine()

    audited(machine)

    assert profiles(machine, "long") == 12
    assert trials(machine, Purpose.PAIRS) == []


def test_a_method_that_is_detected_gets_no_more_samples_where_it_is_near_the_limit(monkeypatch):
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-9)
    shares_of(
        monkeypatch,
        {("hop", "long"): 0.95, ("hop", "other"): 0.9, ("hop", "near"): 0.5, ("skip", "long"): 0.1},
    )
    machine = Machine()

    pairs = by_key(audited(machine))

    assert pairs["toy.hop", "toy.long"].outcome is Verdict.DETECTED
    assert profiles(machine, "near") == 4
    assert slowed(machine, "hop") == {"long"}
    assert pairs["toy.hop", "toy.near"].outcome in (Verdict.UNMEASURED, Verdict.MISSED)


def test_a_method_that_one_benchmark_detects_gets_more_samples_elsewhere(monkeypatch):
    """A score may leave that one out, as unstable."""
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-9)
    shares_of(monkeypatch, {("hop", "long"): 0.95, ("hop", "near"): 0.5, ("skip", "long"): 0.1})
    machine = Machine()

    audited(machine)

    assert profiles(machine, "near") > 4


def test_further_samples_are_of_the_benchmarks_that_are_the_likeliest_to_detect(monkeypatch):
    names = tuple(f"near{number}" for number in range(cpu_samples.FEW_OPEN + 2))
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-4)
    shares_of(monkeypatch, {("hop", name): 0.5 for name in names})
    machine = Machine()

    audited(machine)

    counts = [profiles(machine, name) for name in names]
    of_all = sum(map(len, cpu_samples.ROUND_SECONDS))
    further = [len(lengths) for lengths in cpu_samples.FURTHER_ROUND_SECONDS]
    most = of_all * len(names) + cpu_samples.MOST_PROMISING * further[0]
    most += cpu_samples.FEW_OPEN * further[1]
    assert of_all * len(names) < sum(counts) <= most < (of_all + sum(further)) * len(names)


def test_a_method_that_was_not_slowed_has_no_control(monkeypatch):
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-4)
    machine = Machine()

    verdict = audited(machine, controls=1)

    assert by_key(verdict)["toy.hop", "toy.long"].effect is not None
    assert verdict.controls.judged == 0
    assert trials(machine, Purpose.PAIRS) == []


def test_samples_and_a_delay_that_contradict_each_other_decide_nothing(monkeypatch):
    monkeypatch.setattr(toy_language, "SAMPLED", {("hop", "long"): 0.98})
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.2)

    pair = by_key(audited(Machine()))["toy.hop", "toy.long"]

    assert pair.outcome is Verdict.INCONCLUSIVE
    assert pair.decided_by is None
    assert "share-contradicted" in {caveat.slug for caveat in pair.caveats}
    assert "the timed calls predict missed" in pair.reason
    assert "samples say detected" in pair.reason


@pytest.mark.parametrize(
    ("sampled", "operation", "outcome", "decided_by"),
    [
        (0.98, 50e-9, Verdict.DETECTED, "share"),
        (0.53, 50e-9, Verdict.DETECTED, "share"),  # borderline
        (0.98, 50e-6, Verdict.INCONCLUSIVE, None),
        (0.3, 50e-9, Verdict.MISSED, "share"),
    ],
)
def test_a_short_delay_that_is_missed_says_nothing_against_the_samples(
    monkeypatch, sampled, operation, outcome, decided_by
):
    """A delay of up to 25 ns may pass while the processor waits for the method."""
    monkeypatch.setattr(toy_language, "SAMPLED", {("hop", "long"): sampled})
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.2)
    monkeypatch.setattr(toy_language, "PLAIN_SECONDS", operation)

    pair = by_key(audited(Machine()))["toy.hop", "toy.long"]

    assert (pair.outcome, pair.decided_by) == (outcome, decided_by)
    hidden = sampled > 0.5 and outcome is Verdict.DETECTED
    assert ("hidden-delay" in {caveat.slug for caveat in pair.caveats}) is hidden


def test_a_method_without_a_sample_whose_calls_were_counted_is_dead_code(monkeypatch):
    """A million calls in 50 us would each last less than a cycle."""
    monkeypatch.setitem(toy_language.CALLS, ("hop", "long"), 1_000_000)
    monkeypatch.setattr(toy_language, "SAMPLED", {})
    machine = Machine()

    verdict = audited(machine)

    pair = by_key(verdict)["toy.hop", "toy.long"]
    assert pair.outcome is Verdict.DEAD_CODE
    assert "no sample" in pair.reason or "none of" in pair.reason
    assert trials(machine, Purpose.PAIRS) == []
    assert {method.id: method.outcome for method in verdict.methods}["toy.hop"] is Verdict.MISSED


def test_a_short_method_without_a_sample_is_missed_but_not_called_dead(monkeypatch):
    monkeypatch.setattr(toy_language, "SAMPLED", {})

    pair = by_key(audited(Machine()))["toy.hop", "toy.quick"]

    assert pair.outcome is Verdict.MISSED
    assert "dead-code" not in {caveat.slug for caveat in pair.caveats}


def test_a_benchmark_that_cannot_be_profiled_is_judged_by_delays(monkeypatch):
    monkeypatch.setattr(toy_language, "UNPROFILED", frozenset({"long"}))
    machine = Machine()

    verdict = audited(machine)

    assert by_key(verdict)["toy.hop", "toy.long"].decided_by == "injection"
    (message,) = [caveat.text for caveat in verdict.caveats if caveat.slug == "no-profile"]
    assert "toy.long" in message


def test_near_the_limit_further_samples_decide_and_a_delay_confirms_a_detection(monkeypatch):
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.5)
    machine = Machine()

    pair = by_key(audited(machine))["toy.hop", "toy.long"]

    assert pair.outcome is Verdict.DETECTED
    assert profiles(machine, "long") == 12
    assert slowed(machine, "hop") == {"long"}


def test_no_more_samples_are_taken_where_no_number_of_them_decides(monkeypatch):
    """Calls of 2.5 ns each: what calling takes may be half of the operation."""
    monkeypatch.setattr(toy_language, "PLAIN_SECONDS", 20e-9)
    monkeypatch.setitem(toy_language.CALLS, ("hop", "long"), 8)
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.3)
    machine = Machine()

    pair = by_key(audited(machine))["toy.hop", "toy.long"]

    assert profiles(machine, "long") == 4
    assert slowed(machine, "hop") == {"long"}
    # The delay shows a miss, of 4 ns a call, and the samples leave room for a detection.
    assert pair.outcome is Verdict.INCONCLUSIVE
    assert pair.reason.endswith("the CPU samples do not decide")


def test_near_the_limit_of_slow_operations_samples_take_the_place_of_delays(monkeypatch):
    monkeypatch.setattr(toy_language, "PLAIN_SECONDS", 0.1)
    monkeypatch.setitem(toy_language.SHARES, ("hop", "long"), 0.49)
    machine = Machine()

    pair = by_key(audited(machine))["toy.hop", "toy.long"]

    assert profiles(machine, "long") == 12
    assert trials(machine, Purpose.PAIRS) == []
    assert pair.samples > 2000
    assert pair.reason.startswith("by share: ")


@pytest.mark.parametrize(("operation_seconds", "confirmed"), [(0.1, True), (0.3, False)])
def test_a_detection_is_confirmed_by_a_delay_unless_that_takes_minutes(
    monkeypatch, operation_seconds, confirmed
):
    monkeypatch.setattr(toy_language, "PLAIN_SECONDS", operation_seconds)
    machine = Machine()

    pair = by_key(audited(machine))["toy.hop", "toy.long"]

    assert pair.outcome is Verdict.DETECTED
    assert bool(trials(machine, Purpose.PAIRS)) is confirmed


@pytest.mark.parametrize("name", ["shy", "late"])
def test_a_method_that_cannot_be_slowed_is_judged_by_its_share(monkeypatch, name):
    """Either its delay is refused, or the program with it does not compile."""
    monkeypatch.setitem(toy_language.SHARES, (name, "short"), 0.9)
    audit_request = request(methods=(name,), shares=True)

    (method,) = abs_audit.audit_suite(
        audit_request, parts(audit_request, machine=Machine())
    ).methods

    assert method.outcome is Verdict.DETECTED


def test_what_the_samples_decide_is_not_built_to_see_whether_it_could_be_slowed(monkeypatch):
    """The samples say missed of both methods, and no delay confirms a miss."""
    monkeypatch.setattr(toy_language, "SAMPLED", {("hop", "long"): 0.1, ("skip", "short"): 0.1})
    audit_request = request(methods=None, shares=True)
    machine = Machine()

    abs_audit.audit_suite(audit_request, parts(audit_request, machine=machine))

    calibrated = {trial.variant.methods[0].name for trial in trials(machine, Purpose.CALIBRATION)}
    assert not calibrated & {"hop", "skip"}


def test_the_curve_of_a_share_needs_no_further_delay():
    with_curve, without = Machine(), Machine()

    verdict = audited(with_curve, curve=CurveMode.METHODS)
    audited(without)

    (pair,) = verdict.curve.pairs
    assert pair.slowdown is not None
    assert len(trials(with_curve, Purpose.PAIRS)) == len(trials(without, Purpose.PAIRS))


def test_a_method_without_a_counted_call_is_no_unreached_one_where_samples_are_in_it(monkeypatch):
    # As a cache that only longer blocks fill: what is counted never evicts.
    monkeypatch.setattr(toy_language, "SAMPLED", {**toy_language.SHARES, ("hop", "short"): 0.05})
    machine = Machine()

    pairs = by_key(audited(machine))

    late = pairs["toy.hop", "toy.short"]
    assert late.outcome is Verdict.INCONCLUSIVE
    assert "plan.iteration_time" in late.reason
    assert [caveat.slug for caveat in late.caveats] == ["reach-contradicted"]
    assert "short" not in slowed(machine, "hop")
    assert pairs["toy.skip", "toy.quick"].outcome is Verdict.UNREACHED
    assert pairs["toy.skip", "toy.quick"].caveats == ()


class CountedFrames(tuple):
    """Frames that count how often they are read."""

    readings = 0

    def __iter__(self):
        CountedFrames.readings += 1
        return super().__iter__()


def test_frames_of_a_profile_are_not_read_again_for_each_uncalled_method():
    frames = CountedFrames((Frame("elsewhere"), Frame("toy.hop", "toy.py", 3)))
    profile = Profiled(
        frames=frames,
        stacks=(),
        unattributed=0,
        background=0,
        period_seconds=0.01,
        cpu_seconds=1.0,
        timed_seconds=1.0,
    )
    context = parts(request())
    method = context.mutator.find_methods(context.suite.sources)[0]
    pairs = [
        StudyPair(
            method=replace(method, id=f"toy.idle{number}"),
            benchmark=context.suite.benchmarks[0],
            reach=Reach(state=ReachState.NOT_AT_ALL),
        )
        for number in range(40)
    ]
    profiles = {context.suite.benchmarks[0].id: (SimpleNamespace(outcome=profile),)}
    analysis = PairAnalysis(
        request=None, baseline=None, slowdown=0.5, sampling=SampledPairs(profiles=profiles)
    )

    assert add_sampled_calls(pairs, analysis)[0] == pairs
    assert CountedFrames.readings == 1


def timed_while_counting(monkeypatch):
    """Make two benchmarks call a method; in one of them counting saw that it takes little time."""
    shares_of(monkeypatch, {("hop", "near"): 0.45, ("hop", "far"): 0.02, ("skip", "near"): 0.45})
    monkeypatch.setattr(toy_language, "CLOCKED", {("hop", "far"): 0.3})


def test_a_benchmark_that_surely_misses_is_profiled_once(monkeypatch):
    timed_while_counting(monkeypatch)
    machine = Machine()

    pairs = by_key(audited(machine))

    assert profiles(machine, "far") == 1
    assert profiles(machine, "near") >= cpu_samples.FEWEST_ROUNDS
    assert pairs["toy.hop", "toy.far"].outcome is Verdict.MISSED


def test_with_a_budget_it_is_not_profiled_at_all(monkeypatch):
    timed_while_counting(monkeypatch)
    machine = Machine()

    pairs = by_key(audited(machine, budget=300))

    assert profiles(machine, "far") == 0
    assert profiles(machine, "near") >= 1
    assert pairs["toy.hop", "toy.far"].outcome is Verdict.MISSED


def test_with_a_budget_a_pair_that_one_profile_shows_to_be_missed_gets_no_other(monkeypatch):
    write_in(monkeypatch, Language.PYTHON)
    monkeypatch.setattr(toy_language, "SAMPLES_A_SECOND", 1000)
    shares_of(monkeypatch, {("hop", "low"): 0.2, ("hop", "high"): 0.8})
    unlimited, limited = Machine(), Machine()

    pairs = by_key(audited(unlimited))
    hurried = by_key(audited(limited, budget=300))

    assert pairs["toy.hop", "toy.low"].outcome is Verdict.MISSED
    assert hurried["toy.hop", "toy.low"].outcome is Verdict.MISSED
    assert (profiles(unlimited, "low"), profiles(limited, "low")) == (2, 1)
    assert profiles(limited, "high") == profiles(unlimited, "high") == 2


@pytest.mark.parametrize("language", [Language.PYTHON, Language.GO])
def test_with_a_budget_the_first_profiles_are_of_the_likeliest_benchmarks_and_brief_in_python(
    monkeypatch, language
):
    write_in(monkeypatch, language)
    shares_of(monkeypatch, {("hop", "first"): 0.6, ("hop", "second"): 0.9})
    monkeypatch.setattr(toy_language, "CLOCKED", {("hop", "first"): 0.7, ("hop", "second"): 0.95})
    unlimited, limited = Machine(), Machine()

    audited(unlimited)
    audited(limited, budget=300)

    names, seconds = [], []
    for machine in (unlimited, limited):
        first = [trial for trial in trials(machine, Purpose.PROFILE) if trial.repetition == 1]
        names.append([trial.benchmark.name for trial in first])
        schedule = first[0].schedule
        seconds.append(schedule.seconds * len(schedule.blocks))
    assert names == [["first", "second"], ["second", "first"]]
    assert (seconds[1] < seconds[0]) is (language is Language.PYTHON)


def sample_in_waves(monkeypatch, parallel):
    """Begin with one benchmark of each method, unless all fit: with no processors none do."""
    monkeypatch.setattr(cpu_samples, "FIRST_WAVE", 1)
    monkeypatch.setattr(cpu_samples, "PARALLEL_PROFILES", parallel)
    monkeypatch.setattr(toy_language, "SAMPLES_A_SECOND", 2000)
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-4)


@pytest.mark.parametrize(("parallel", "waits"), [(0, True), (2, False)])
def test_with_a_short_budget_open_methods_come_before_more_benchmarks_of_detected_ones(
    monkeypatch, parallel, waits
):
    sample_in_waves(monkeypatch, parallel)
    shares = {("hop", "likely"): 0.9, ("hop", "other"): 0.8, ("skip", "near"): 0.49}
    shares_of(monkeypatch, shares)
    monkeypatch.setattr(toy_language, "CLOCKED", shares)
    machine = Machine()

    pairs = by_key(audited(machine, budget=3000))

    order = [(trial.benchmark.name, trial.repetition) for trial in trials(machine, Purpose.PROFILE)]
    assert (order.index(("near", 3)) < order.index(("other", 1))) == waits
    assert pairs["toy.hop", "toy.likely"].outcome is Verdict.DETECTED
    assert pairs["toy.hop", "toy.other"].outcome is Verdict.DETECTED


@pytest.mark.parametrize(
    ("parallel", "waves"),
    [
        (0, ["b0", "c0", "b1", "b2", "c1", "c2", "c3", "b3", "b4", "b5"]),
        (2, ["b0", "b1", "b2", "b3", "b4", "b5", "c0", "c1", "c2", "c3"]),
    ],
)
def test_with_a_short_budget_further_benchmarks_are_sampled_until_one_detects(
    monkeypatch, parallel, waves
):
    sample_in_waves(monkeypatch, parallel)
    names = [f"b{number}" for number in range(6)]
    shares = {("hop", name): 0.9 if name == "b2" else 0.1 for name in names}
    shares |= {("skip", name): 0.1 for name in ("c0", "c1", "c2", "c3")}
    shares_of(monkeypatch, shares)
    counted = {pair: 0.9 - 0.05 * int(pair[1][1]) for pair in shares}
    monkeypatch.setattr(toy_language, "CLOCKED", counted)
    machine = Machine()

    pairs = by_key(audited(machine, budget=3000))

    order = list(dict.fromkeys(trial.benchmark.name for trial in trials(machine, Purpose.PROFILE)))
    assert order == waves
    assert pairs["toy.hop", "toy.b2"].outcome is Verdict.DETECTED


@pytest.mark.parametrize("budget", [None, 3000])
def test_what_stays_near_the_limit_gets_all_rounds_also_with_a_budget(monkeypatch, budget):
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-4)
    shares_of(monkeypatch, {("hop", "near"): 0.495, ("skip", "alike"): 0.495})
    machine = Machine()

    audited(machine, budget=budget)

    repetitions = {trial.repetition for trial in trials(machine, Purpose.PROFILE)}
    assert len(repetitions) > sum(map(len, cpu_samples.ROUND_SECONDS))


def test_with_a_budget_a_benchmark_without_a_sample_is_not_slowed_by_a_detected_method(monkeypatch):
    sample_in_waves(monkeypatch, parallel=0)
    monkeypatch.setattr(toy_language.Words, "probe_seconds", 1e-9)
    monkeypatch.setattr(cpu_samples, "LATE_PART", 0)
    shares = {("hop", "likely"): 0.9, ("hop", "other"): 0.8, ("skip", "low"): 0.1}
    shares_of(monkeypatch, shares)
    monkeypatch.setattr(toy_language, "CLOCKED", shares)
    machine = Machine()

    pairs = by_key(audited(machine, budget=3000))

    assert profiles(machine, "other") == 0
    assert slowed(machine, "hop") == {"likely"}
    assert pairs["toy.hop", "toy.other"].outcome is Verdict.UNMEASURED
    assert pairs["toy.hop", "toy.likely"].outcome is Verdict.DETECTED


def test_no_further_wave_begins_once_the_time_is_up(monkeypatch):
    sample_in_waves(monkeypatch, parallel=0)
    monkeypatch.setattr(cpu_samples, "EARLY_PART", 0)
    names = [f"b{number}" for number in range(6)]
    shares_of(monkeypatch, {("hop", name): 0.6 for name in names})
    audit_request = request(methods=METHODS, shares=True, budget=3000)
    study = parts(audit_request, machine=Machine())

    abs_audit.audit_suite(audit_request, study)

    phase_names = [name for name, _ in study.observer.phases]
    assert phase_names.count("profile, round 1") == 2  # the first wave, and what is left at the end
