"""Samples the unchanged benchmarks until the shares of the methods decide, or the plan is spent."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from auditor.abs.study.injection import (
    ENOUGH_DETECTING,
    find_detected_methods,
    find_largest_effect,
    is_decided,
    is_missed_by_share,
    is_surely_shown,
    more_samples_may_decide,
)
from auditor.abs.study.pair import (
    PairAnalysis,
    PairKey,
    PairRuns,
    SampledMethod,
    SampledPairs,
    StudyPair,
)
from auditor.core.benchmark_places import gather_by_place
from auditor.core.caveats import Caveat
from auditor.core.mutant import OverlayRefusal, Variant, VariantKind
from auditor.core.outcome import Frame, Profiled
from auditor.core.plan import Purpose, Run, Trial
from auditor.core.subject import Language, Method, SourceFile, SourceRole
from auditor.core.suite import Benchmark
from auditor.measure import schedules
from auditor.measure.context import BuiltVariant, StudyContext
from auditor.measure.failures import describe_failure, extract_complaint
from auditor.measure.profiles.cpu_shares import (
    CpuShare,
    frames_of,
    is_empty_operation,
    is_longer_than_the_operation,
    is_too_short_for_a_call,
    share_of,
)
from auditor.measure.trials import measure_trials, prefer_stored

ROUND_SECONDS = ((0.4,), (0.4,), (0.4, 0.4), (0.8, 0.8), (0.8, 0.8))
"""Lengths of the profiled processes of a benchmark, round by round. The later ones are for those
with a method near the limit; several short ones tell more than a long one where processes differ.
"""
FURTHER_ROUND_SECONDS = (4 * (1.25,), 8 * (1.25,))
"""The same of further ones where no delay surely decides: operations are too slow for it, or too
short for its probe."""
ALL_ROUND_SECONDS = (*ROUND_SECONDS, *FURTHER_ROUND_SECONDS)
FIRST_WAVE = 2
"""Benchmarks of a method that are sampled at first where a budget has no time for all; then twice
as many, and so on, until one detects the method."""
PARALLEL_PROFILES = 2
"""Profiles that run at the same time on most machines."""
BRIEF_SECONDS = 0.2
"""Length of the first profile of Python where there is a budget: enough samples to see what is far
from the limit."""
EARLY_PART = 0.85
LATE_PART = 0.6
"""Parts of the time that a budget leaves in which rounds of samples begin: the first ones, which
decide most pairs, and all others."""
TURN = 60
"""Benchmarks whose order gives way so that those that may share a process are side by side."""
ROUNDS_OF_ALL = 3
"""Rounds, of 1.6 s together, that look for all benchmarks that detect a method. The others are for
methods that are not known to be detected."""
MOST_PROMISING = 3
"""Benchmarks of a method that get further rounds, of many: those with the largest shares."""
FEW_OPEN = 6
"""Benchmarks of a method that all get further rounds, so that it can be missed for sure."""
FEWEST_ROUNDS = 2
"""Rounds of each benchmark that may detect a method: of one process nothing is known of how
processes differ."""
SHARE_ERROR = 0.01
"""Two-sided error of the shares of one method in all its benchmarks together."""


def sample_shares(
    pairs: Sequence[StudyPair], analysis: PairAnalysis, parts: StudyContext
) -> SampledPairs:
    """Return the sampled share of each pair, as far as samples and time allow."""
    if parts.unprofiled:
        return SampledPairs(caveats=(_report_no_profile(parts.unprofiled),))
    built = _build_program((), parts)
    if isinstance(built, OverlayRefusal):
        return SampledPairs(caveats=(_report_no_profile(built.reason),))
    return _Sampler(pairs, analysis, built, parts).sample_benchmarks()


def _build_program(
    methods: tuple[Method, ...], parts: StudyContext
) -> BuiltVariant | OverlayRefusal:
    """Return the program that is sampled, with methods that a JVM keeps out of line."""
    variant = Variant(VariantKind.PROFILED, methods)
    overlay = parts.mutator.build_overlay(parts.suite.sources, variant)
    return overlay if isinstance(overlay, OverlayRefusal) else BuiltVariant(variant, overlay)


class _Sampler:
    """Profiles benchmarks round by round."""

    def __init__(
        self,
        pairs: Sequence[StudyPair],
        analysis: PairAnalysis,
        built: BuiltVariant,
        parts: StudyContext,
    ) -> None:
        self._analysis = analysis
        self._built = built
        self._parts = parts
        self._all_pairs = pairs
        self._pairs: dict[str, list[StudyPair]] = {}
        for pair in pairs:
            self._pairs.setdefault(pair.benchmark.id, []).append(pair)
        self._runs: dict[str, list[Run]] = {name: [] for name in self._pairs}
        self._failed: set[str] = set()
        self._rounds: dict[str, int] = {}
        """The last round that a benchmark was chosen for, whether or not there was time."""
        self._shares: dict[PairKey, SampledMethod] = {}
        self._detected: frozenset[str] = frozenset()
        self._sampling = SampledPairs()

    def sample_benchmarks(self) -> SampledPairs:
        early, late = (self._parts.limit_stage(part) for part in (EARLY_PART, LATE_PART))
        if self._parts.has_budget:
            self._run_waves(early)
        else:
            self._run_first_rounds(list(self._pairs), early)
        for number in range(FEWEST_ROUNDS + 1, len(ALL_ROUND_SECONDS) + 1):
            names = self._list_open_benchmarks(number, of_all=number <= len(ROUND_SECONDS))
            self._run_round(number, names, late)
            if names and number >= ROUNDS_OF_ALL:
                self._detected = self._find_detected()
        if self._parts.has_budget:
            self._detected = frozenset()
            self._run_first_rounds(self._list_promising(len(self._pairs)), late)
        return self._sampling

    def _run_waves(self, parts: StudyContext) -> None:
        """Sample the likeliest benchmarks of each method, then more where none detects it.

        Where there is time for all, they are sampled at once. Else all methods are to be decided
        first. Of what lies near the limit, one more round tells more than another benchmark that is
        less likely to detect the method.
        """
        names = self._list_promising(len(self._pairs))
        count = len(self._pairs) if self._fit_first_profiles(names, parts) else FIRST_WAVE
        while names := self._list_promising(count):
            if not self._run_first_rounds(names, parts):
                break  # the time is up
            self._detected = self._find_detected(enough=1)
            number = FEWEST_ROUNDS + 1
            self._run_round(number, self._list_open_benchmarks(number, of_all=False), parts)
            self._detected = self._find_detected(enough=1)
            count *= 2
        self._detected = self._find_detected()

    def _fit_first_profiles(self, names: Sequence[str], parts: StudyContext) -> bool:
        """Tell whether benchmarks can be profiled once in the time of a stage."""
        deadline = parts.deadline
        if deadline is None:
            return True
        trials = (self._make_first_trial(name, ROUND_SECONDS[0][0]) for name in names)
        seconds = sum(map(deadline.times.estimate_seconds, trials))
        return seconds <= PARALLEL_PROFILES * deadline.seconds_left

    def _run_first_rounds(self, names: Sequence[str], parts: StudyContext) -> bool:
        """Sample benchmarks as often as it takes to know how processes differ.

        Where time is short, what the first profile shows to be missed gets no other. Return whether
        there was time for a profile.
        """
        before = len(self._list_runs())
        for number in range(1, FEWEST_ROUNDS + 1):
            working = [name for name in names if name not in self._failed]
            if number > 1:
                working = [name for name in working if self._may_detect(name)]
            self._run_round(number, working, parts)
        return len(self._list_runs()) > before

    def _list_runs(self) -> list[Run]:
        return [run for runs in self._runs.values() for run in runs]

    def _run_round(self, number: int, names: Sequence[str], parts: StudyContext) -> None:
        self._rounds.update(dict.fromkeys(names, number))
        lengths = ALL_ROUND_SECONDS[number - 1]
        first = 1 + sum(map(len, ALL_ROUND_SECONDS[: number - 1]))
        trials = [
            self._make_trial(name, repetition, seconds)
            if repetition > 1
            else self._make_first_trial(name, seconds)
            for repetition, seconds in enumerate(lengths, start=first)
            for name in names
        ]
        if not trials:
            return
        # The dispatcher runs neighbours side by side that need not be alone.
        trials.sort(key=lambda trial: trial.is_exclusive)
        runs = measure_trials(f"profile, round {number}", trials, parts)
        for run in runs:
            self._add_run(run)
        self._update_sampling({run.trial.benchmark.id for run in runs if run.trial.benchmark})

    def _list_open_benchmarks(self, number: int, *, of_all: bool) -> list[str]:
        """Return the ids of the benchmarks that a further round can decide a pair of.

        They are all of them (`of_all`), or the most promising ones of each method.
        """
        working = [
            name
            for name in self._pairs
            if name not in self._failed and FEWEST_ROUNDS <= self._rounds.get(name, 0) < number
        ]
        analysis = replace(self._analysis, sampling=self._sampling)
        open_pairs = [pair for name in working for pair in self._list_open_pairs(name, analysis)]
        if not of_all:
            open_pairs = self._choose_promising(open_pairs, analysis)
        open_benchmarks = {pair.benchmark.id for pair in open_pairs}
        return [name for name in working if name in open_benchmarks]

    def _list_promising(self, count: int) -> list[str]:
        """Return so many benchmarks of each method that may detect it, the likeliest ones.

        They are those that were not chosen before. Methods that are known to be detected have none:
        where time is short, all methods are to be decided first.
        """
        analysis = replace(self._analysis, sampling=self._sampling)
        by_method: dict[str, dict[Benchmark, float]] = {}
        for pair in self._all_pairs:
            if pair.method.id in self._detected or pair.benchmark.id in self._rounds:
                continue
            effect = find_largest_effect(analysis.build_pair_data(PairRuns(pair=pair), ()))
            if effect is not None:
                by_method.setdefault(pair.method.id, {})[pair.benchmark] = effect
        promising = list(
            dict.fromkeys(
                benchmark
                for effects in by_method.values()
                for benchmark in sorted(effects, key=effects.__getitem__, reverse=True)[:count]
            )
        )
        return [
            benchmark.id
            for start in range(0, len(promising), TURN)
            for benchmark in gather_by_place(promising[start : start + TURN])
        ]

    def _may_detect(self, name: str) -> bool:
        """Tell whether a benchmark may detect a method, by what is known so far."""
        analysis = replace(self._analysis, sampling=self._sampling)
        for pair in self._pairs[name]:
            pair_data = analysis.build_pair_data(PairRuns(pair=pair), ())
            is_skipped = self._parts.has_budget and is_missed_by_share(pair_data)
            if not is_skipped and find_largest_effect(pair_data) is not None:
                return True
        return False

    def _list_open_pairs(self, name: str, analysis: PairAnalysis) -> list[StudyPair]:
        """Return the pairs that more samples may decide, of methods not known to be detected."""
        return [
            pair
            for pair in self._pairs[name]
            if pair.method.id not in self._detected and _is_open(pair, analysis)
        ]

    def _choose_promising(
        self, open_pairs: Sequence[StudyPair], analysis: PairAnalysis
    ) -> list[StudyPair]:
        """Return of each method the pairs that are the likeliest to be detected.

        A pair that a delay surely decides needs no samples.
        """
        probe = self._parts.mutator.probe_seconds
        by_method: dict[str, list[StudyPair]] = {}
        for pair in open_pairs:
            if not is_surely_shown(pair, analysis, probe):
                by_method.setdefault(pair.method.id, []).append(pair)
        chosen_pairs: list[StudyPair] = []
        for pairs in by_method.values():
            count = FEW_OPEN if len(pairs) <= FEW_OPEN else MOST_PROMISING
            chosen_pairs += sorted(pairs, key=self._estimate_share, reverse=True)[:count]
        return chosen_pairs

    def _estimate_share(self, pair: StudyPair) -> float:
        sampled = self._sampling.pairs.get(pair.pair_key)
        return sampled.share.share if sampled else 0.0

    def _find_detected(self, enough: int = ENOUGH_DETECTING) -> frozenset[str]:
        """Return the ids of the methods that are known to be detected by `enough` benchmarks."""
        analysis = replace(self._analysis, sampling=self._sampling)
        return find_detected_methods(self._all_pairs, analysis, enough)

    def _make_first_trial(self, name: str, seconds: float) -> Trial:
        """Return the first profile of a benchmark, a brief one where time is short."""
        usual = self._make_trial(name, 1, seconds)
        method = self._pairs[name][0].method
        if method.language is not Language.PYTHON:  # other samplers give fewer samples a second
            return usual
        brief = self._make_trial(name, 1, BRIEF_SECONDS)
        trials = (brief, usual) if self._parts.has_budget else (usual, brief)
        return prefer_stored(trials, self._parts.store)

    def _make_trial(self, name: str, repetition: int, seconds: float) -> Trial:
        base, benchmark = self._analysis.baseline, self._pairs[name][0].benchmark
        plan, operation_seconds = base.plans[name], base.first_seconds(benchmark)
        if self._pairs[name][0].method.language is Language.PYTHON:
            plan = schedules.shorten_profile_warmup(plan, operation_seconds)
        schedule = schedules.make_profile_schedule(
            plan,
            base.operations[name],
            seconds,
            operation_seconds,
            benchmark.concurrency,
        )
        trial = self._parts.make_trial(
            Purpose.PROFILE, benchmark, schedule, self._choose_program(name, repetition)
        )
        return replace(trial, repetition=repetition)

    def _choose_program(self, name: str, repetition: int) -> BuiltVariant:
        """Return the program of a process: in most a JVM keeps the methods out of line.

        The compiler's debug information may count samples of an inlined loop for its caller. Where
        an operation is another one with calls in it, the unchanged program tells more.
        """
        methods = tuple(dict.fromkeys(pair.method for pair in self._pairs[name]))
        is_java = all(method.language is Language.JAVA for method in methods)
        if not is_java or repetition == 1 or (repetition > 2 and self._tells_more_unchanged(name)):
            return self._built
        built = _build_program(methods, self._parts)
        return self._built if isinstance(built, OverlayRefusal) else built

    def _tells_more_unchanged(self, name: str) -> bool:
        """Tell whether the unchanged program tells more of most pairs that are open still."""
        shares = [
            self._sampling.pairs[pair.pair_key].share.by_unchanged
            for pair in self._pairs[name]
            if pair.pair_key in self._sampling.pairs and not self._is_decided(pair)
        ]
        return sum(shares) > len(shares) / 2

    def _is_decided(self, pair: StudyPair) -> bool:
        analysis = replace(self._analysis, sampling=self._sampling)
        return is_decided(analysis.build_pair_data(PairRuns(pair=pair), ()))

    def _add_run(self, run: Run) -> None:
        name = run.trial.benchmark.id if run.trial.benchmark else ""
        self._runs[name].append(run)
        if not isinstance(run.outcome, Profiled):
            self._failed.add(name)

    def _update_sampling(self, names: Collection[str]) -> None:
        """Learn what the runs show, those of some benchmarks being new."""
        for name in names:
            for pair in self._pairs[name]:
                share = share_of(
                    pair.method,
                    pair.benchmark,
                    self._runs[name],
                    error=SHARE_ERROR / pair.family,
                    calls=pair.calls_per_operation,
                )
                if share is not None:
                    call_location = find_removed_call(pair, share, self._runs[name], self._parts)
                    sampled = SampledMethod(share, removed=call_location)
                    self._shares[pair.pair_key] = sampled
        failed = [run for run in self._list_runs() if not isinstance(run.outcome, Profiled)]
        profiles = {
            name: tuple(runs_of_benchmark) for name, runs_of_benchmark in self._runs.items()
        }
        self._sampling = SampledPairs(
            pairs=dict(self._shares), caveats=_describe_failures(failed), profiles=profiles
        )


def _is_open(pair: StudyPair, analysis: PairAnalysis) -> bool:
    """Tell whether more samples may decide a pair that nothing decides so far."""
    pair_data = analysis.build_pair_data(PairRuns(pair=pair), ())
    if is_decided(pair_data) or find_largest_effect(pair_data) is None:
        return False
    return more_samples_may_decide(pair_data)


def find_removed_call(
    pair: StudyPair, share: CpuShare, runs: Sequence[Run], parts: StudyContext
) -> str:
    """Return where the compiler removed the call of a method, empty where it did not surely.

    No sample is in the method. Kept out of line (JVM), a call takes longer than the whole
    operation; or each call would be shorter than a cycle. In that case, where the benchmark's
    machine code was read, its source names the method, but it has no instruction of it, and the
    method is none that is always called. Else the operation does nothing but count.
    """
    if pair.method.trivial is not None:
        return ""  # a body without an instruction leaves none where it is called, either
    if is_longer_than_the_operation(share):
        return f"in {pair.benchmark.name}"
    if not is_too_short_for_a_call(share):
        return ""
    profiles = [run.outcome for run in runs if isinstance(run.outcome, Profiled)]
    code = tuple(dict.fromkeys(frame for profile in profiles for frame in profile.code))
    if not code:
        return f"in {pair.benchmark.name}" if is_empty_operation(share) else ""
    has_code = bool(frames_of(pair.method, code)) or any(
        _calls_another_function(profile) for profile in profiles
    )
    if has_code or parts.is_always_called(pair.method):
        return ""
    return _find_call(code, pair.method.name, parts.suite.sources)


def _calls_another_function(profile: Profiled) -> bool:
    """Tell whether a function of the project runs, called by the benchmark's own ones.

    The code of a method may have been inlined into it.
    """
    own_functions = {frame.function for frame in profile.code}
    for stack in profile.stacks:
        frames = [profile.frames[index] for index in stack.frames]
        callee_count = next(
            (count for count, frame in enumerate(frames) if frame.function in own_functions), 0
        )
        if any(frame.file for frame in frames[:callee_count]):
            return True
    return False


def _find_call(code: Sequence[Frame], name: str, sources: Sequence[SourceFile]) -> str:
    """Return where the benchmark's own functions call a method by its name, empty for nowhere."""
    calls = re.compile(rf"\b{re.escape(name)}\s*(?:\[[^\]]*\])?\(".encode())
    spans: dict[tuple[str, str], list[int]] = {}
    for frame in code:
        if frame.file:
            spans.setdefault((frame.function, frame.file), []).append(frame.line)
    tests = {source.path: source.text for source in sources if source.role is SourceRole.BENCHMARKS}
    for (_, file), lines in spans.items():
        text = tests.get(file, b"").splitlines()
        for number in range(min(lines), max(lines) + 1):
            if number <= len(text) and calls.search(text[number - 1]):
                return f"at {file}:{number}"
    return ""


def _report_no_profile(cause: str) -> Caveat:
    return Caveat(
        "no-profile", f"no CPU samples: {cause}; methods are judged by injected delays alone"
    )


def _describe_failures(failed: Sequence[Run]) -> tuple[Caveat, ...]:
    if not failed:
        return ()
    first = failed[0]
    name = first.trial.benchmark.id if first.trial.benchmark else ""
    cause = extract_complaint(describe_failure(first.outcome))
    count = len({run.trial.benchmark for run in failed})
    return (
        _report_no_profile(f"{count} benchmarks could not be profiled, such as {name} ({cause})"),
    )
