"""What outcomes are called, and the verdict in plain words."""

from statistics import median

from auditor.abs.document import AbsOrStability, Document, StabilityDocument
from auditor.abs.model import Controls, MethodVerdict, PairVerdict, Score
from auditor.abs.text.claims import OpenCause, ResultFacts
from auditor.core import busy
from auditor.core.result import ReachState, Verdict
from auditor.core.stability import BenchmarkVerdict, Bucket
from reports import number_format
from reports.wording import SET_UP_ONLY, LegendEntry

OUTCOMES = {
    Verdict.DETECTED: LegendEntry("✓", "detected", "a benchmark detects the slowdown"),
    Verdict.MISSED: LegendEntry("✗", "missed", "called, but the slowdown is not detected"),
    Verdict.UNREACHED: LegendEntry("○", "unreached", "not called while the benchmark is measured"),
    Verdict.INCONCLUSIVE: LegendEntry(
        "?", "inconclusive", "whether the slowdown is detected is open"
    ),
    Verdict.DEAD_CODE: LegendEntry("d", "dead code", "the compiler had removed the call"),
    Verdict.CRASHED: LegendEntry("!", "crashed", "the benchmark failed when slowed"),
    Verdict.TIMED_OUT: LegendEntry("t", "timed out", "the benchmark did not end when slowed"),
    Verdict.INVALID: LegendEntry("i", "invalid", "the slowed version does not compile"),
    Verdict.REFUSED: LegendEntry("r", "refused", "this method cannot be slowed"),
    Verdict.UNMEASURED: LegendEntry("-", "unmeasured", "not measured"),
}
LEGEND = tuple(
    word
    for outcome, named in OUTCOMES.items()
    for word in ((named, SET_UP_ONLY) if outcome is Verdict.UNREACHED else (named,))
)
"""All words, in the order in which they are shown."""

SCORES = {
    "total": "all benchmarks",
    "relative": "without the least stable 5 %",
    "absolute": "without those that spread over 50 %",
    "whole list": "all benchmarks, methods that cannot be slowed included",
    "without accepted": "all benchmarks, accepted misses left out",
}

BUCKETS = {
    Bucket.BELOW_5: "below 5 %",
    Bucket.BELOW_10: "5 to 10 %",
    Bucket.BELOW_25: "10 to 25 %",
    Bucket.BELOW_50: "25 to 50 %",
    Bucket.ABOVE_50: "above 50 %",
}
SHAKY = (Bucket.BELOW_50, Bucket.ABOVE_50)


def style_of(verdict: MethodVerdict | PairVerdict) -> str:
    """Return the name of an outcome for the style sheet."""
    return "set-up-only" if _in_set_up(verdict) else verdict.outcome.value


def word_of(verdict: MethodVerdict | PairVerdict) -> LegendEntry:
    """Return what the outcome of a method or pair is called."""
    return SET_UP_ONLY if _in_set_up(verdict) else OUTCOMES[verdict.outcome]


def _in_set_up(verdict: MethodVerdict | PairVerdict) -> bool:
    if verdict.outcome is not Verdict.UNREACHED:
        return False
    return (
        bool(verdict.set_up_in)
        if isinstance(verdict, MethodVerdict)
        else verdict.reach is ReachState.SET_UP_ONLY
    )


def describe_score(name: str, score: Score, document: Document) -> str:
    """Return which benchmarks a score is made with, or why there is none."""
    if score.percent is None and score.counted:
        return "cannot tell: no benchmark has a spread"
    if any(map(is_withheld, document.benchmarks)) and name in {"relative", "absolute"}:
        return f"{SCORES[name]}; unknown, as the machine was busy"
    out = set(score.excluded_benchmarks)
    unknown = any(
        benchmark.max_spread is None for benchmark in document.benchmarks if benchmark.id in out
    )
    return SCORES[name] + (" and those without a spread" if unknown else "")


def format_headline(document: AbsOrStability) -> str:
    """Return the answer in one sentence, of which another says whether it is not the one asked."""
    return _mark_mismatch(document, busy.add_to_headline(_format_answer(document), document.strain))


def headline_without_machine(document: AbsOrStability) -> str:
    """Return the headline of a page, which says elsewhere that the machine was busy."""
    return _mark_mismatch(document, _format_answer(document))


def _mark_mismatch(document: AbsOrStability, answer: str) -> str:
    """Say first that a result answers another question than was asked, where it does."""
    has_mismatch = any(caveat.slug == "other-configuration" for caveat in document.caveats)
    return f"Not the audit that was asked for: {answer}" if has_mismatch else answer


def _format_answer(document: AbsOrStability) -> str:
    if isinstance(document, StabilityDocument):
        return _stability_headline(document)
    total = document.scores.total
    if total.counted == 0:
        return _without_methods(document)
    slowdown = (
        "" if document.slowdown is None else f"{number_format.format_share(document.slowdown)} "
    )
    methods = number_format.format_count(total.counted, "method")
    open_, by_budget = count_undecided(total), _by_budget(document)
    if open_ == total.counted:
        scope_text = "the only method" if total.counted == 1 else f"all {methods}"
        sentence = f"Whether this suite would detect a {slowdown}slowdown is open for {scope_text}"
        return f"{sentence}{by_budget}."
    covered = total.covered or "none"
    sentence = f"This suite would detect a {slowdown}slowdown in {covered} of {methods}"
    if is_estimate(document):
        sentence = f"By estimate, this{sentence.removeprefix('This')}"
    return f"{sentence}, and perhaps in {open_} more{by_budget}." if open_ else f"{sentence}."


def _by_budget(document: Document) -> str:
    """Say how many methods the budget left open; empty where it left none."""
    facts = ResultFacts(document)
    left = sum(facts.is_open_for(method.id, OpenCause.BUDGET) for method in document.methods)
    return f" ({left} {facts.open_wording})" if left else ""


def _without_methods(document: Document) -> str:
    """Say why no method counts."""
    facts = ResultFacts(document)
    if not document.methods and facts.ran_out_of_time:
        ended = "Nothing was measured yet" if facts.is_so_far else "The budget ended"
        return f"{ended}: no method was examined, so this audit gives no score."
    return "No method could be judged, so this audit gives no score."


def is_estimate(document: Document) -> bool:
    """Tell whether the verdicts are predicted, and no method was slowed down."""
    return any(caveat.slug == "estimate" for caveat in document.caveats)


def count_undecided(score: Score) -> int:
    """Return how many counted methods may still turn out covered."""
    if score.bounds is None or score.bounds[1] is None:
        return 0
    return max(0, round(score.bounds[1] * score.counted / 100) - score.covered)


def _stability_headline(document: StabilityDocument) -> str:
    spreads = [
        benchmark.max_spread
        for benchmark in document.benchmarks
        if benchmark.max_spread is not None
    ]
    if document.stability.runs < 2:
        measured = sum(bool(benchmark.means) for benchmark in document.benchmarks)
        suite_size = number_format.format_count(len(document.benchmarks), "benchmark")
        return f"{measured} of {suite_size} measured, in one run of the suite: a spread needs two."
    if not spreads and any(map(is_withheld, document.benchmarks)):
        return "No spread is shown: the runs were made on a busy machine."
    if not spreads:
        return "No benchmark was measured in all runs, so nothing can be said about stability."
    withheld = sum(map(is_withheld, document.benchmarks))
    calm = sum(spread < 0.05 for spread in spreads)
    judged_count = len(document.benchmarks) - withheld
    benchmarks = number_format.format_count(judged_count, "benchmark")
    verb = "stays" if calm == 1 else "stay"
    runs = number_format.format_count(document.stability.runs, "run")
    left = _count_missing(judged_count - len(spreads), "not measured in all runs")
    left += _count_missing(withheld, "measured on a busy machine", " more")
    spread = number_format.format_share(0.05)
    return f"{calm} of {benchmarks} {verb} within {spread} over {runs} of the suite{left}."


def _count_missing(count: int, reason: str, more: str = "") -> str:
    """Say how many benchmarks have no spread, and why; empty where none lacks it for this."""
    return f"; {count}{more} {'was' if count == 1 else 'were'} {reason}" if count else ""


def is_withheld(benchmark: BenchmarkVerdict) -> bool:
    """Tell whether a benchmark has no spread only because the machine was busy."""
    return busy.is_withheld(benchmark.max_spread, benchmark.caveats)


def describe_rule(document: Document) -> str:
    """Return by which rule and which slowdown the verdict was reached."""
    size_source = (
        "fixed" if document.slowdown_source == "fixed" else "twice the spread of this suite"
    )
    slowdown = f"slowdown {number_format.format_share(document.slowdown)} ({size_source})"
    if document.slowdown is None:
        slowdown = "no slowdown known"
    prefix = "an estimate, nothing was slowed down; " if is_estimate(document) else ""
    seed = "" if document.seed is None else f", seed {document.seed}"
    return f'{prefix}rule "{document.rule.value}", {slowdown}{seed}{_describe_evidence(document)}'


def _describe_evidence(document: Document) -> str:
    """Say how many pairs rest on samples, on delays and on counts, where any rests on samples."""
    bases = [pair.decided_by for pair in document.pairs]
    slowed_count = sum(
        bool(pair.runs) and pair.decided_by == "injection" for pair in document.pairs
    )
    sampled_count, counted_count = bases.count("share"), bases.count("injection") - slowed_count
    if not sampled_count:
        return ""
    pairs = number_format.format_count(sampled_count, "pair")
    text = f"; {pairs} decided by CPU samples, {slowed_count} by an injected delay"
    return f"{text}, {counted_count} by the time of counted calls" if counted_count else text


def take_first_line(text: str) -> str:
    """Return the first line of a reason, with the next one where that is only announced."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    chosen_lines = lines[:2] if lines and lines[0].endswith(":") else lines[:1]
    shortened = " ".join(chosen_lines)
    return shortened if len(shortened) <= 160 else f"{shortened[:159]}…"


def describe_suite(document: AbsOrStability) -> str:
    """Return the size of the suite and how long a run of it takes, in one sentence."""
    size, suite_text = _format_size(document), _name_measured_part(document)
    duration = document.stability.duration
    if document.plan.iterations is None:
        return f"{size}; another program has run it, how long that took is not known."
    if duration is None or duration.mean is None:
        return f"{size}; no run of {suite_text} is complete."
    sd = "" if duration.sd is None else f" (± {number_format.format_seconds(duration.sd)})"
    takes = f"a run of {suite_text} takes {number_format.format_seconds(duration.mean)}{sd}"
    part = duration.mean / duration.limit
    text = (
        number_format.format_share(part)
        if part >= 0.001
        else f"less than {number_format.format_share(0.001)}"
    )
    return (
        f"{size}; {takes}, {text} of a CI limit of {number_format.format_minutes(duration.limit)}."
    )


def _name_measured_part(document: AbsOrStability) -> str:
    """Name the benchmarks that a run of the suite consists of."""
    measured_count = len(document.benchmarks) - _count_silent(document)
    if 0 < measured_count < len(document.benchmarks):
        return "the other one" if measured_count == 1 else f"the other {measured_count}"
    return "the whole suite" if document.stability.filter is None else "these"


def _count_silent(document: AbsOrStability) -> int:
    """Return how many benchmarks no run of the suite has measured."""
    return sum(not benchmark.means for benchmark in document.benchmarks)


def _format_size(document: AbsOrStability) -> str:
    count, suite_filter = len(document.benchmarks), document.stability.filter
    size = number_format.format_count(count, "benchmark")
    if suite_filter is not None:
        over, many = (
            suite_filter.groups_passed_over,
            number_format.format_count(suite_filter.suite_size, "benchmark"),
        )
        passed_over_text = (
            f"; {number_format.format_count(over, 'package')} without a match passed over"
            if over
            else ""
        )
        size = f"{count} of the suite's {'benchmarks' if over else many}"
        size += f" (filter {suite_filter.pattern!r}{passed_over_text})"
    silent = _count_silent(document)
    return f"{size}, {silent} of them without a measurement" if silent else size


def subject_name(document: AbsOrStability) -> str:
    """Return the name of the subject with its revision."""
    return " ".join(filter(None, (document.subject, document.revision)))


def describe_cover(document: Document) -> str:
    """Return what the minimal cover says, in one sentence."""
    facts = ResultFacts(document)
    if not document.pairs:
        return "Which benchmarks are redundant is not known: no method was examined."
    if "score-mode" in facts.caveat_slugs:
        return "Which benchmarks are redundant is not known: each method was done once detected."
    if not document.minimal_cover:
        return _without_cover(facts)
    size = len(document.minimal_cover)
    suite_size = number_format.format_count(len(document.benchmarks), "benchmark")
    verb = "gives" if size == 1 else "give"
    return (
        f"{size} of {suite_size} {verb} the same score for these "
        f"methods{_describe_alternatives(facts)}."
    )


def _without_cover(facts: ResultFacts) -> str:
    if facts.has_whole_matrix:
        return "No benchmark detects anything, so there is nothing to keep."
    pairs = number_format.format_count(facts.open_pairs, "pair is open", "pairs are open")
    return "No benchmark was seen to detect a method" + (f"; {pairs}." if facts.open_pairs else ".")


def _describe_alternatives(facts: ResultFacts) -> str:
    """Say how few benchmarks could do as well."""
    if facts.open_pairs:
        pairs = number_format.format_count(facts.open_pairs, "pair is open", "pairs are open")
        return f"; {pairs}, so others may detect as much"
    if not facts.has_whole_matrix:
        return "; not all benchmarks were looked at"
    bound = facts.document.cover_bound
    if bound.exact and bound.minimum == 1:
        return ""
    return "; fewer cannot" if bound.exact else f"; no fewer than {bound.minimum} can"


def describe_rules(document: Document) -> str:
    """Return how many methods either half of the rule would cover alone (Section 6.3)."""
    by_delays = [pair for pair in document.pairs if pair.runs and pair.decided_by != "share"]
    if not any(pair.outcome in (Verdict.DETECTED, Verdict.MISSED) for pair in by_delays):
        return ""
    counts = [f"{_RULES.get(rule.name, rule.name)} {rule.covered}" for rule in document.rules]
    return f"Methods detected by injected delays: {', '.join(counts)}."


_RULES = {
    "test only": "by the test of significance",
    "effect only": "by the size of the effect",
    "both": "by both",
}


def format_controls(controls: Controls | None) -> str:
    """Return how many controls were "detected", in one sentence; empty without any."""
    if controls is None or not controls.judged:
        return ""
    pairs = number_format.format_count(controls.judged, "pair")
    alarms = len(controls.alarms)
    sizes = [abs(effect) for effect in controls.effects]
    noise = f"; median effect {number_format.format_share(median(sizes))}" if sizes else ""
    return (
        f"A/A control: {alarms} of {pairs} without a delay {'was' if alarms == 1 else 'were'} "
        f"detected (false-positive rate at most {number_format.format_share(controls.bound)}, with "
        f"95 % confidence){noise}."
    )
