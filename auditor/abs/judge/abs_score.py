"""The API benchmarking score (MSR 2018, Section 6): pairs in, the whole answer out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from auditor.abs.judge import cover, curve, outcomes
from auditor.abs.judge.curve import SlowdownSearch
from auditor.abs.judge.detection import NOT_MEASURED
from auditor.abs.judge.indifference_zone import is_borderline
from auditor.abs.model import (
    INJECTION,
    SHARE,
    AbsVerdict,
    Controls,
    Density,
    DetectionCurve,
    MethodVerdict,
    PairVerdict,
    RuleCount,
    Score,
)
from auditor.core.caveats import BUDGET, SO_FAR, Caveat
from auditor.core.request import DetectionRule
from auditor.core.result import ReachState, Verdict
from auditor.core.stability import BenchmarkVerdict, Stability
from auditor.core.subject import Method
from auditor.measure.stability_judge import UNSTABLE
from auditor.stats.proportions import upper_bound

LEVEL = 0.95
"""Of the one-sided bound of the false alarms."""
_JUDGED = (Verdict.DETECTED, Verdict.MISSED, Verdict.INCONCLUSIVE)

_NOTHING_SLOWED = (Verdict.DEAD_CODE, Verdict.UNREACHED)

_UNMEASURED_BECAUSE = {BUDGET: ": the budget ended before", SO_FAR: " yet"}
"""What the caveats of an audit that has not measured all say of a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodData:
    """A method that was looked at; `refusal` and `invalid` say why it could not be slowed.

    `calls` is its usage count, None where nothing was counted.
    """

    method: Method
    calls: int | None = None
    refusal: str | None = None
    invalid: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AbsData:
    """All inputs of the score: every pair is judged."""

    slowdown: float | None
    """v, 0.6 for 60 %; None: the time ended before it was sized."""
    slowdown_source: str
    """"fixed", or "auto": sized by the spreads."""
    rule: DetectionRule
    """Decides what counts as detected."""
    score_only: bool = False
    """Whether a method's other pairs were left out once one benchmark detects it."""
    estimate: bool = False
    """Whether nothing was slowed and all verdicts are predicted."""
    searched: Sequence[SlowdownSearch] | None = field(default=None, repr=False)
    """Smaller slowdowns that were tried, by pair; None: no curve was requested."""
    controls: Controls | None = None
    """The A/A control; None: not requested."""
    methods: tuple[MethodData, ...]
    """Those that were looked at, in the order of the request."""
    pairs: tuple[PairVerdict, ...] = field(repr=False)
    """All pairs of these methods and the benchmarks."""
    stability: Stability = field(repr=False)
    """Spreads and durations of the unchanged suite."""
    unfinished: frozenset[str] = frozenset()
    """Ids of benchmarks that the deadline cost runs, so their stability is unknown."""
    stored_failures: frozenset[str] = frozenset()
    """Ids of benchmarks that failed in a run of an earlier command and were not run again."""
    unsampled: Mapping[str, int] = field(default_factory=dict)
    """Benchmarks that were not looked at, but may call a method, by its id."""
    caveats: tuple[Caveat, ...] = ()
    """Of the audit as a whole."""


def judge_audit(audit_data: AbsData) -> AbsVerdict:
    """Return the scores, the redundancy and everything that they were made of."""
    benchmarks = audit_data.stability.benchmarks
    explained_pairs = _add_reasons(audit_data)
    unsampled = _unsampled_pairs(audit_data.unsampled)
    audit_data = replace(audit_data, pairs=(*explained_pairs, *unsampled))
    pairs_by_method = _group_by_method(audit_data.pairs)
    methods = tuple(
        _judge_method(method, pairs_by_method[method.method.id], len(benchmarks))
        for method in audit_data.methods
    )
    counted = [method.id for method in methods if method.outcome not in outcomes.NOT_COUNTED]
    full_score = _score_methods(audit_data.pairs, [method.id for method in methods], ())
    detections = {method.id: frozenset(method.detected_by) for method in methods}
    caveats = (*audit_data.caveats, *audit_data.stability.caveats, *_list_caveats(audit_data))
    return AbsVerdict(
        slowdown=audit_data.slowdown,
        slowdown_source=audit_data.slowdown_source,
        rule=audit_data.rule,
        total=_score_methods(audit_data.pairs, counted, ()),
        relative=_score_without(_exclude_relative(audit_data), audit_data, counted),
        absolute=_score_without(_exclude_absolute(audit_data), audit_data, counted),
        whole_list=full_score if len(counted) < len(methods) else None,
        methods=methods,
        pairs=explained_pairs,
        stability=replace(
            audit_data.stability,
            benchmarks=tuple(_add_redundancy(benchmark, methods) for benchmark in benchmarks),
        ),
        cover=cover.find_minimal_cover(detections),
        rules=_count_by_rule(audit_data.pairs, set(counted)),
        density=_count_by_detectors([method for method in methods if method.id in set(counted)]),
        density_curve=cover.build_density_curve(
            {method_id: detections[method_id] for method_id in counted}
        ),
        curve=_build_curve(audit_data, counted),
        controls=audit_data.controls,
        caveats=tuple(dict.fromkeys(caveats)),
    )


def _add_reasons(data: AbsData) -> tuple[PairVerdict, ...]:
    """Return the pairs, with the reason why some were not measured."""
    detected = {pair.method for pair in data.pairs if pair.outcome is Verdict.DETECTED}
    slugs = {caveat.slug for caveat in data.caveats}
    ending = next((text for slug, text in _UNMEASURED_BECAUSE.items() if slug in slugs), None)

    def add_reason(pair: PairVerdict) -> PairVerdict:
        if pair.outcome is not Verdict.UNMEASURED or pair.reason != NOT_MEASURED:
            return pair
        if data.score_only and pair.method in detected:
            reason = f"{NOT_MEASURED}: another benchmark detects the method"
        elif ending is not None:
            reason = f"{NOT_MEASURED}{ending}"
        else:
            return pair
        return replace(pair, reason=reason)

    return tuple(map(add_reason, data.pairs))


def _build_curve(data: AbsData, counted: Sequence[str]) -> DetectionCurve | None:
    if data.searched is None or data.slowdown is None:
        return None
    return curve.build_suite_curve(data.searched, data.slowdown, counted)


def relative_exclusion(benchmarks: Sequence[BenchmarkVerdict]) -> tuple[str, ...]:
    """Return the worst n - round(.95 n) benchmarks by maxSpread, and those without one.

    `round` is Python's, half to even: with it nine of the ten subjects of Table 5 come out right.
    """
    worst = sorted(
        (-benchmark.max_spread, benchmark.id)
        for benchmark in benchmarks
        if benchmark.max_spread is not None
    )
    out = len(worst) - round(Fraction(19, 20) * len(worst))
    return tuple(sorted([name for _, name in worst[:out]] + _list_incomplete(benchmarks)))


def absolute_exclusion(benchmarks: Sequence[BenchmarkVerdict]) -> tuple[str, ...]:
    """Return the benchmarks whose maxSpread is above .5, and those without one."""
    shaky = [
        benchmark.id
        for benchmark in benchmarks
        if benchmark.max_spread is not None and benchmark.max_spread > UNSTABLE
    ]
    return tuple(sorted(shaky + _list_incomplete(benchmarks)))


def _list_incomplete(benchmarks: Sequence[BenchmarkVerdict]) -> list[str]:
    return [benchmark.id for benchmark in benchmarks if benchmark.max_spread is None]


Exclusion = tuple[tuple[str, ...], frozenset[str]]
"""Who is excluded from a score, and who may yet be."""


def _score_without(excluded: Exclusion, data: AbsData, methods: Sequence[str]) -> Score:
    """Score what is left; no score where no benchmark has a spread, and none will have."""
    has_spread = any(benchmark.max_spread is not None for benchmark in data.stability.benchmarks)
    if has_spread or (data.unfinished and data.stability.runs > 1):
        return _score_methods(data.pairs, methods, *excluded)
    n = len(methods)
    return Score(percent=None, bounds=None, covered=0, counted=n, excluded_benchmarks=())


def _exclude_relative(data: AbsData) -> Exclusion:
    """Return who is excluded from the relative score, and who may yet be.

    While runs are missing, only those are sure to stay that have enough worse ones beside them.
    """
    benchmarks = data.stability.benchmarks
    if not data.unfinished:
        return relative_exclusion(benchmarks), frozenset()
    sorted_spreads = sorted(
        (benchmark.max_spread, benchmark.id)
        for benchmark in benchmarks
        if benchmark.max_spread is not None
    )
    benchmark_count = len(sorted_spreads) + len(data.unfinished)
    out = benchmark_count - round(Fraction(19, 20) * benchmark_count)
    stay = {name for _, name in sorted_spreads[: max(0, len(sorted_spreads) - out)]}
    failed = tuple(sorted(set(_list_incomplete(benchmarks)) - data.unfinished))
    return failed, frozenset({benchmark.id for benchmark in benchmarks} - stay - set(failed))


def _exclude_absolute(data: AbsData) -> Exclusion:
    """Return who is excluded from the absolute score, and who may yet be."""
    out = set(absolute_exclusion(data.stability.benchmarks)) - data.unfinished
    return tuple(sorted(out)), data.unfinished


def _group_by_method(pairs: Iterable[PairVerdict]) -> defaultdict[str, list[PairVerdict]]:
    groups = defaultdict(list)
    for pair in pairs:
        groups[pair.method].append(pair)
    return groups


def _judge_method(
    method: MethodData, pairs: Sequence[PairVerdict], benchmarks: int
) -> MethodVerdict:
    """Judge a method by its pairs, which are with those of so many benchmarks that could run."""
    maybe = [pair for pair in pairs if pair.outcome is not Verdict.UNREACHED]
    unreached = [pair for pair in pairs if pair.outcome is Verdict.UNREACHED]
    set_up = [pair for pair in unreached if pair.reach is ReachState.SET_UP_ONLY]
    refusal = method.refusal or method.method.refusal
    outcome = outcomes.method_outcome(pairs)
    if refusal is not None or method.invalid is not None:
        outcome = Verdict.REFUSED if refusal is not None else Verdict.INVALID
    none = outcome is Verdict.UNREACHED
    reason = (
        _describe_unreached(pairs, len(set_up), benchmarks)
        if none
        else _explain_outcome(outcome, maybe)
    )
    return MethodVerdict(
        id=method.method.id,
        outcome=outcome,
        detected_by=tuple(pair.benchmark for pair in pairs if pair.outcome is Verdict.DETECTED),
        reached_by=tuple(pair.benchmark for pair in maybe if _is_reached(pair)),
        set_up_in=tuple(pair.benchmark for pair in set_up),
        calls=method.calls,
        span=method.method.span,
        reason=refusal or method.invalid or reason,
        caveats=_gather_caveats(_deciding_pairs(outcome, maybe)),
        trivial=method.method.trivial,
        generic=method.method.generic,
    )


def _explain_outcome(outcome: Verdict, pairs: Sequence[PairVerdict]) -> str | None:
    """Return the reason of a pair with the outcome of its method.

    Of missed pairs that were not measured it is that of the largest share. An inconclusive method
    may have unmeasured pairs only, or failed ones beside missed ones. How many missed it is said
    in front of what was not measured.
    """
    same = [pair for pair in pairs if pair.outcome is outcome]
    if outcome is Verdict.INCONCLUSIVE and not same:
        same = [pair for pair in pairs if pair.outcome is Verdict.UNMEASURED] or [
            pair for pair in pairs if pair.outcome not in (Verdict.MISSED, Verdict.DEAD_CODE)
        ]
    if outcome is Verdict.DETECTED and any(pair.decided_by == INJECTION for pair in same):
        return None
    if outcome is Verdict.MISSED:
        same.sort(key=lambda pair: pair.share or pair.share_at_most or 0.0, reverse=True)
        same = [] if any(pair.runs for pair in same) else same
    decisive_pair = next((pair for pair in same if pair.reason), None)
    if decisive_pair is None:
        return None
    missed = sum(pair.outcome in (Verdict.MISSED, Verdict.DEAD_CODE) for pair in pairs)
    if not missed or decisive_pair.outcome is not Verdict.UNMEASURED:
        return decisive_pair.reason
    # A pair without a benchmark stands for all that are not in the sample; its reason counts them.
    sampled, unmeasured = (sum(bool(pair.benchmark) for pair in group) for group in (pairs, same))
    count = f"{unmeasured:,} " if decisive_pair.benchmark else ""
    return f"missed in {missed:,} of {sampled:,} benchmarks; {count}{decisive_pair.reason}"


def _is_reached(pair: PairVerdict) -> bool:
    """Tell whether calls were counted or slowed; a process that failed proves neither."""
    return pair.reach is ReachState.IN_LOOP or bool(pair.runs)


def _describe_unreached(pairs: Sequence[PairVerdict], set_up: int, benchmarks: int) -> str:
    if set_up:
        return f"called in set-up only, by {set_up} benchmark{'s' if set_up > 1 else ''}"
    if len(pairs) < benchmarks:
        return "none of the benchmarks that could be measured calls it"
    return "no benchmark calls it"


def _deciding_pairs(outcome: Verdict, pairs: Sequence[PairVerdict]) -> Sequence[PairVerdict]:
    """Return the pairs that a method's outcome rests on.

    One sure detection is enough, whatever is to be said of the other pairs.
    """
    if outcome is not Verdict.DETECTED:
        return pairs
    detecting = [pair for pair in pairs if pair.outcome is Verdict.DETECTED]
    return [pair for pair in detecting if not is_borderline(pair.caveats)] or detecting


def _gather_caveats(pairs: Iterable[PairVerdict]) -> tuple[Caveat, ...]:
    """Return one caveat for each slug that the pairs have, with how many have it."""
    texts: dict[str, list[str]] = {}
    for pair in pairs:
        for caveat in pair.caveats:
            texts.setdefault(caveat.slug, []).append(caveat.text)
    return tuple(
        Caveat(
            slug,
            slug_texts[0]
            if len(slug_texts) == 1
            else f"in {len(slug_texts)} benchmarks, such as: {slug_texts[0]}",
        )
        for slug, slug_texts in sorted(texts.items())
    )


def _score_methods(
    pairs: Sequence[PairVerdict],
    methods: Sequence[str],
    excluded: tuple[str, ...],
    doubtful: frozenset[str] = frozenset(),
) -> Score:
    """Score `methods` by the pairs whose benchmark stays; what fails or is open may be covered.

    What `doubtful` benchmarks detect is open too: they may yet be excluded.
    """
    remaining_pairs = _group_by_method(
        _add_doubt(pair, doubtful) for pair in pairs if pair.benchmark not in excluded
    )
    left = {method: outcomes.method_outcome(remaining_pairs[method]) for method in methods}
    covered = sum(outcome is Verdict.DETECTED for outcome in left.values())
    most = covered + sum(outcome in outcomes.UNDECIDED for outcome in left.values())
    n = len(methods)
    return Score(
        percent=100 * covered / n if n else None,
        bounds=(100 * covered / n, 100 * most / n) if n else None,
        covered=covered,
        counted=n,
        excluded_benchmarks=excluded,
    )


def _add_doubt(pair: PairVerdict, doubtful: frozenset[str]) -> PairVerdict:
    if pair.outcome is Verdict.DETECTED and pair.benchmark in doubtful:
        return replace(pair, outcome=Verdict.INCONCLUSIVE)
    return pair


def _add_redundancy(
    benchmark: BenchmarkVerdict, methods: Sequence[MethodVerdict]
) -> BenchmarkVerdict:
    verdicts = [method for method in methods if benchmark.id in method.detected_by]
    return replace(
        benchmark,
        unique=tuple(method.id for method in verdicts if len(method.detected_by) == 1),
        shared=tuple(method.id for method in verdicts if len(method.detected_by) > 1),
    )


def _list_caveats(data: AbsData) -> list[Caveat]:
    return score_caveats(
        slowdown=data.slowdown,
        slowdown_source=data.slowdown_source,
        rule=data.rule,
        estimate=data.estimate,
        score_only=data.score_only,
        controls=data.controls,
        stability=data.stability,
        unfinished=data.unfinished,
        stored_failures=data.stored_failures,
    )


def _unsampled_pairs(unsampled: Mapping[str, int]) -> list[PairVerdict]:
    """Return a pair for each method that stands for all benchmarks outside the sample.

    Any of them may detect the method, so it is neither missed nor unreached.
    """
    return [
        PairVerdict(
            method=method,
            benchmark="",
            outcome=Verdict.UNMEASURED,
            reach=ReachState.UNKNOWN,
            effect=None,
            interval=None,
            p=None,
            threshold=None,
            achieved_slowdown=None,
            method_seconds=None,
            calls_per_operation=None,
            share=None,
            wait=None,
            runs=(),
            reason=_describe_unsampled(count),
            caveats=(),
        )
        for method, count in unsampled.items()
        if count
    ]


def _describe_unsampled(count: int) -> str:
    subject = "1 benchmark is" if count == 1 else f"{count} benchmarks are"
    return f"{subject} not in the sample that the budget has time for"


def _count_by_rule(pairs: Sequence[PairVerdict], methods: set[str]) -> tuple[RuleCount, ...]:
    """Count what each half of the rule would cover alone (Section 6.3); a speed-up never counts.

    What both halves cover each of them does, also where some of the runs have left it open.
    """
    verdicts = [
        pair
        for pair in pairs
        if pair.method in methods and pair.runs and pair.outcome not in _NOTHING_SLOWED
    ]
    detected_methods = {
        pair.method
        for pair in verdicts
        if pair.outcome is Verdict.DETECTED and pair.decided_by != SHARE
    }
    tested = detected_methods | {
        pair.method
        for pair in verdicts
        if all(run.significant and run.effect > 0 for run in pair.runs)
    }
    large = detected_methods | {
        pair.method for pair in verdicts if all(run.large for run in pair.runs)
    }
    return (
        RuleCount("test only", len(tested)),
        RuleCount("effect only", len(large)),
        RuleCount("both", len(detected_methods)),
    )


def _count_by_detectors(counted: Sequence[MethodVerdict]) -> tuple[Density, ...]:
    """Return how many of the counted methods so many benchmarks detect (Section 6.3)."""
    numbers = Counter(len(method.detected_by) for method in counted)
    return tuple(
        Density(benchmarks, methods, 100 * methods / len(counted))
        for benchmarks, methods in sorted(numbers.items())
    )


def score_caveats(  # noqa: PLR0913 - each is asked for by a reader of the score
    *,
    slowdown: float | None,
    slowdown_source: str,
    rule: DetectionRule,
    estimate: bool,
    score_only: bool,
    controls: Controls | None,
    stability: Stability,
    unfinished: frozenset[str],
    stored_failures: frozenset[str],
) -> list[Caveat]:
    """Return what qualifies the scores; `unfinished` benchmarks lack runs for want of time."""
    caveats = []
    if slowdown_source == "auto" and slowdown is not None:
        text = (
            f"the slowdown {slowdown:.2f} was chosen from the suite's own spread, so scores of "
            "two audits are not comparable; for a gate give a number: --slowdown 0.5"
        )
        caveats.append(Caveat("auto-slowdown", text))
    if rule is DetectionRule.PAPER:
        text = (
            'the rule "paper" pools dependent iterations and counts the tool\'s overhead as '
            "slowdown; use it only to compare with the literature"
        )
        caveats.append(Caveat("paper-rule", text))
    if estimate:
        text = (
            "no method was slowed down: the verdicts are predicted from the time that methods take"
        )
        caveats.append(Caveat("estimate", text))
    if score_only:
        text = (
            "each method was measured only until a benchmark detected it, so redundancy and cover "
            "are incomplete; for all pairs use --mode matrix"
        )
        caveats.append(Caveat("score-mode", text))
    if controls is not None and controls.alarms:
        method, benchmark = controls.alarms[0]
        text = (
            f"{len(controls.alarms)} of {controls.judged} A/A control pairs without a delay were "
            f"detected, such as {method} in {benchmark}: detections are less reliable here"
        )
        caveats.append(Caveat("false-alarm", text))
    return [*caveats, *_warn_of_failed_benchmarks(stability, unfinished, stored_failures)]


def _warn_of_failed_benchmarks(
    stability: Stability, unfinished: frozenset[str], stored_failures: frozenset[str]
) -> Iterator[Caveat]:
    """Say which benchmarks gave no measurement, though there was time for it."""
    silent = [
        benchmark.id
        for benchmark in stability.benchmarks
        if not benchmark.means and benchmark.id not in unfinished
    ]
    if silent:
        text = (
            f"{len(silent)} of {len(stability.benchmarks)} benchmarks failed, so the score lacks "
            f"what they detect: {', '.join(silent[:5])}"
        )
        if stored := len(stored_failures.intersection(silent)):
            text += f"; {stored} of them failed in an earlier run, which --retry-failed repeats"
        yield Caveat("failed-benchmarks", text)


def choose_controls(pairs: Sequence[PairVerdict], turn: int) -> list[PairVerdict]:
    """Return of each method a pair that was measured, another one at each turn (from 0)."""
    by_method: dict[str, list[PairVerdict]] = {}
    for pair in pairs:
        if pair.runs and pair.outcome in _JUDGED:
            by_method.setdefault(pair.method, []).append(pair)
    return [verdicts[turn % len(verdicts)] for verdicts in by_method.values()]


def judge_controls(pairs: Sequence[PairVerdict]) -> Controls:
    """Count the false alarms among the verdicts of pairs in which nothing was slowed."""
    verdicts = [pair for pair in pairs if pair.effect is not None and pair.outcome in _JUDGED]
    alarms = [pair for pair in verdicts if pair.outcome is Verdict.DETECTED]
    return Controls(
        judged=len(verdicts),
        alarms=tuple((pair.method, pair.benchmark) for pair in alarms),
        bound=upper_bound(len(alarms), len(verdicts), LEVEL),
        effects=tuple(pair.effect for pair in verdicts if pair.effect is not None),
    )
