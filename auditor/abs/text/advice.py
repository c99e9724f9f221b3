"""What to do next, most useful first."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from auditor.abs.document import AbsOrStability, Document
from auditor.abs.model import MethodVerdict
from auditor.abs.text import cost_benefit, words
from auditor.abs.text.claims import BROKEN, OpenCause, ResultFacts, needs_repair, needs_time
from auditor.core import busy
from auditor.core.result import Verdict
from auditor.core.stability import UNLISTED, BenchmarkVerdict
from reports import number_format

_RUN_NUMBER = re.compile(r"^run \d+: ")


@dataclass(frozen=True, slots=True)
class AdviceTarget:
    """A method or benchmark that an advice is about, and why it is among them."""

    id: str
    note: str


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to do."""

    slug: str  # identifies the advice
    title: str  # what to do, in a sentence
    reason: str  # what it is good for
    targets: tuple[AdviceTarget, ...]
    """Methods or benchmarks that it is about, the most important first."""
    gain: str = ""  # time that it saves; empty: unknown, or beside the point
    always_shows_notes: bool = False  # whether the notes of the targets are the advice


def list_advice(document: AbsOrStability) -> tuple[Advice, ...]:
    """Return what the numbers suggest; nothing where they suggest nothing."""
    steps = (
        _list_audit_advice(document)
        if isinstance(document, Document)
        else _list_suite_advice(document)
    )
    return tuple(step for step in steps if step is not None)


def _list_suite_advice(
    document: AbsOrStability, unneeded: Container[str] = ()
) -> list[Advice | None]:
    """Return what to do about benchmarks; those `unneeded` need not be steady.

    Nor is a benchmark to blame for its spread where the machine was busy with something else.
    """
    is_busy = busy.is_busy(document.strain)
    needed = [
        benchmark
        for benchmark in document.benchmarks
        if benchmark.id not in unneeded and not is_busy
    ]
    return [
        _advise_on_failures(document.benchmarks),
        _advise_on_slow(document.benchmarks),
        _advise_on_unstable(
            needed,
            machine_is_noisy=any(caveat.slug == busy.JITTER_SLUG for caveat in document.caveats),
        ),
    ]


def _list_audit_advice(document: Document) -> list[Advice | None]:
    facts = ResultFacts(document)
    unneeded = {
        benchmark.id for benchmark in document.benchmarks if facts.is_droppable(benchmark.id)
    }
    return [
        _advise_to_continue(facts),
        _advise_on_best_changes(document),
        _advise_on_uncovered(facts),
        _advise_on_removed_calls(facts),
        *(_advise_on_open(facts, cause) for cause in OpenCause),
        _advise_on_crashes(document),
        *_list_suite_advice(document, unneeded),
        _advise_on_redundant(facts),
        _advise_on_unexamined(facts),
        _advise_on_idle(facts),
    ]


def _advise_on_best_changes(document: Document) -> Advice | None:
    changes = cost_benefit.best_changes(document)
    if not changes:
        return None
    return Advice(
        "cheapest",
        "Begin with what pays most",
        "They raise the score most for the time that they take of a run, or save most of it.",
        tuple(
            AdviceTarget(change.owner, f"{change.action}: {change.effect}") for change in changes
        ),
        always_shows_notes=True,
    )


def _advise_on_failures(benchmarks: Iterable[BenchmarkVerdict]) -> Advice | None:
    failed = [benchmark for benchmark in benchmarks if needs_repair(benchmark)]
    if not failed:
        return None
    return Advice(
        "failing",
        f"Repair {number_format.format_count(len(failed), 'benchmark')} that "
        f"{_conjugate_fail(failed)}",
        "A process that fails gives no values, so no slowdown shows in it.",
        tuple(AdviceTarget(verdict.id, _describe_failure(verdict)) for verdict in failed),
    )


def _conjugate_fail(benchmarks: Sequence[BenchmarkVerdict]) -> str:
    return "fails" if len(benchmarks) == 1 else "fail"


def _advise_on_slow(benchmarks: Iterable[BenchmarkVerdict]) -> Advice | None:
    """Advise on benchmarks that the watchdog ended: they may only need more time."""
    slow = [benchmark for benchmark in benchmarks if needs_time(benchmark)]
    if not slow:
        return None
    return Advice(
        "slow",
        f"Give {number_format.format_count(len(slow), 'benchmark')} more time",
        'The watchdog ended a process before it was done: raise "timeout" in the configuration.',
        tuple(
            AdviceTarget(verdict.id, words.take_first_line(verdict.reason or "timed out"))
            for verdict in slow
        ),
    )


def _describe_failure(benchmark: BenchmarkVerdict) -> str:
    """Say how a benchmark fails; why it could not be listed is all that is known of one."""
    cause = words.take_first_line(_RUN_NUMBER.sub("", benchmark.reason or ""))
    if benchmark.ending == UNLISTED and cause:
        return cause
    ending = benchmark.ending.replace("-", " ")
    return f"{ending}: {cause}" if cause else ending


def _advise_on_uncovered(facts: ResultFacts) -> Advice | None:
    document = facts.document
    ranked = [verdict for verdict in document.methods if facts.lacks_benchmark(verdict.id)]
    ranked.sort(key=lambda method: -(method.calls or 0))
    if not ranked:
        return None
    trivial = sum(
        facts.methods_by_id[method].trivial is not None for method in facts.uncovered_methods
    )
    rest = f", besides {trivial} too trivial for one" if trivial else ""
    return Advice(
        "unwatched",
        f"Write benchmarks for {number_format.format_count(len(ranked), 'method')} that none "
        f"covers{rest}",
        "If one of them got slower, no benchmark would say so.",
        tuple(AdviceTarget(method.id, _describe_uncovered(method, facts)) for method in ranked),
    )


def _advise_on_removed_calls(facts: ResultFacts) -> Advice | None:
    """Advise on methods whose calls the compiler removed: a benchmark is there already."""
    removed = facts.removed_calls
    methods = [(method, name) for name, methods in removed.items() for method in methods]
    if not methods:
        return None
    return Advice(
        "removed",
        f"Use the results of {number_format.format_count(len(methods), 'method')} that benchmarks "
        "throw away",
        "The compiler removed these calls, so a slowdown of the method changes nothing.",
        tuple(AdviceTarget(method, f"called in {benchmark}") for method, benchmark in methods),
    )


def _describe_uncovered(method: MethodVerdict, facts: ResultFacts) -> str:
    calls = (
        ""
        if method.calls is None
        else f"; {number_format.format_count(method.calls, 'call')} counted"
    )
    if method.outcome is Verdict.UNREACHED:
        return f"{method.reason or 'no benchmark calls it'}{calls}"
    largest = facts.bound_largest_share(method.id)
    if largest is None and not method.reached_by:
        return f"whether any benchmark calls it is not known{calls}"
    if largest is None:
        return f"called, but lost in what else is measured{calls}"
    return f"at most {number_format.format_share(largest)} of what any benchmark measures{calls}"


def _advise_to_continue(facts: ResultFacts) -> Advice | None:
    methods = _list_open_methods(facts, OpenCause.BUDGET)
    if not methods:
        return None
    command = facts.document.command
    return Advice(
        "left-open",
        f"Go on with {number_format.format_count(len(methods), 'method')} {facts.open_wording}",
        "The same command goes on from here" + (f": {command}" if command else "."),
        tuple(AdviceTarget(method.id, _explain_outcome(method)) for method in methods),
    )


_SETTLED_BY = {
    OpenCause.SCATTER: (
        "undecided",
        "Measure {} again",
        "More iterations, a quieter machine or a larger slowdown would settle these.",
    ),
    OpenCause.BLOCKS: (
        "short-blocks",
        "Measure {} in longer blocks",
        "CPU samples show calls that short blocks do not contain: raise plan.iteration_time.",
    ),
    OpenCause.SHORT: (
        "too-short",
        "Leave aside {} too short to be slowed in proportion",
        "The delay needs as long as the method itself; neither time nor quiet changes that.",
    ),
    OpenCause.UNCLASSIFIED: (
        "unsettled",
        "Look into {} without a verdict",
        "The reason is next to each method.",
    ),
}
"""Slug, title and reason of what is done about methods without a verdict."""


def _advise_on_open(facts: ResultFacts, cause: OpenCause) -> Advice | None:
    methods = _list_open_methods(facts, cause)
    if not methods or cause not in _SETTLED_BY:
        return None
    slug, title, reason = _SETTLED_BY[cause]
    return Advice(
        slug,
        title.format(number_format.format_count(len(methods), "method")),
        reason,
        tuple(AdviceTarget(method.id, _explain_outcome(method)) for method in methods),
    )


def _list_open_methods(facts: ResultFacts, cause: OpenCause) -> list[MethodVerdict]:
    return [method for method in facts.document.methods if facts.is_open_for(method.id, cause)]


def _advise_on_crashes(document: Document) -> Advice | None:
    methods = [method for method in document.methods if method.outcome in BROKEN]
    if not methods:
        return None
    return Advice(
        "broken",
        f"Find out why benchmarks fail with {number_format.format_count(len(methods), 'method')} "
        "slowed",
        "Where the slowdown might have been detected, the benchmark crashed or did not end.",
        tuple(AdviceTarget(method.id, _explain_outcome(method)) for method in methods),
    )


def _explain_outcome(method: MethodVerdict) -> str:
    return method.reason or words.OUTCOMES[method.outcome].meaning


def _advise_on_unstable(
    benchmarks: Iterable[BenchmarkVerdict], *, machine_is_noisy: bool
) -> Advice | None:
    shaky = [benchmark for benchmark in benchmarks if benchmark.bucket in words.SHAKY]
    shaky.sort(key=lambda verdict: -(verdict.max_spread or 0.0))
    if not shaky:
        return None
    count = number_format.format_count(len(shaky), "benchmark")
    return Advice(
        "unstable",
        f"Repeat {count} on a quieter machine" if machine_is_noisy else f"Steady {count}",
        "The machine itself varied, so a part of their spread is not their own."
        if machine_is_noisy
        else "The same code, run again, differs so much that small slowdowns drown in it.",
        tuple(
            AdviceTarget(
                verdict.id, f"runs differ by {number_format.format_share(verdict.max_spread)}"
            )
            for verdict in shaky
        ),
    )


def _advise_on_redundant(facts: ResultFacts) -> Advice | None:
    document = facts.document
    idle = [benchmark for benchmark in document.benchmarks if facts.is_droppable(benchmark.id)]
    if not idle:
        return None
    return Advice(
        "redundant",
        f"Leave out {number_format.format_count(len(idle), 'benchmark')} where time is short",
        words.describe_cover(document),
        tuple(
            AdviceTarget(verdict.id, cost_benefit.explain_redundancy(facts, verdict))
            for verdict in idle
        ),
        _format_saving(document, idle),
    )


def format_cover_saving(document: Document) -> str:
    """Return what it saves to run the minimal cover alone; empty where that is not known.

    It is known where nothing is lost without each of the other benchmarks.
    """
    facts, cover = ResultFacts(document), document.minimal_cover
    idle = [benchmark for benchmark in document.benchmarks if benchmark.id not in cover]
    if not cover or not all(facts.is_droppable(verdict.id) for verdict in idle):
        return ""
    return _format_saving(document, idle)


def _format_saving(document: Document, idle: Sequence[BenchmarkVerdict]) -> str:
    if not idle or any(verdict.seconds is None for verdict in idle):
        return ""
    suite_time = number_format.format_seconds(
        sum(benchmark.seconds or 0.0 for benchmark in document.benchmarks)
    )
    saved = number_format.format_seconds(sum(verdict.seconds or 0.0 for verdict in idle))
    return f"saves {saved} of {suite_time} a run"


def _advise_on_unexamined(facts: ResultFacts) -> Advice | None:
    """Advise on benchmarks of which too little was examined to say whether they are needed."""
    verdicts = [
        benchmark
        for benchmark in facts.document.benchmarks
        if facts.is_settled(benchmark.id)
        and benchmark.id not in facts.document.minimal_cover
        and benchmark.id not in facts.removed_calls
        and not facts.is_mostly_examined(benchmark.id)
    ]
    if not verdicts:
        return None
    verdicts.sort(key=lambda verdict: -(verdict.seconds or 0.0))
    count = number_format.format_count(len(verdicts), "benchmark")
    verb = "measures" if len(verdicts) == 1 else "measure"
    if facts.examines_all_methods:
        title = f"Check what {count} mainly {verb}"
        reason = "It is none of the public methods that can be slowed down: all are examined."
    else:
        title = f"Name the methods that {count} mainly {verb}"
        reason = 'They show whether these benchmarks are needed: --method NAME, or "methods".'
    return Advice(
        "unexamined",
        title,
        reason,
        tuple(
            AdviceTarget(verdict.id, _describe_unexamined(facts, verdict)) for verdict in verdicts
        ),
        _format_run_time(verdicts),
    )


def _describe_unexamined(facts: ResultFacts, benchmark: BenchmarkVerdict) -> str:
    _, most = facts.bound_examined_share(benchmark.id)
    if dead := facts.dead_calls(benchmark.id):
        return f"the compiler removed its call of {dead[0]}: use the result"
    if not facts.is_unexamined(benchmark.id):
        return "how much of it the methods examined are is not known"
    examined = "that could be slowed" if facts.has_unslowed else "examined"
    note = f"its main work is not among the methods {examined}"
    if facts.calls_none(benchmark.id):
        return f"{note}: it calls none of them"
    return f"{note}: they are at most {_round_up_share(most)} of it" if most else note


def _round_up_share(share: float) -> str:
    return number_format.format_share(ceil(1000 * share) / 1000)


def _advise_on_idle(facts: ResultFacts) -> Advice | None:
    """Advise on what takes time, was examined, and surely detects nothing."""
    silent = [
        benchmark
        for benchmark in facts.document.benchmarks
        if benchmark.seconds
        and facts.detects_nothing(benchmark.id)
        and facts.is_mostly_examined(benchmark.id)
        and benchmark.id not in facts.removed_calls
    ]
    if not silent:
        return None
    silent.sort(key=lambda verdict: -(verdict.seconds or 0.0))
    alone = len(silent) == 1
    return Advice(
        "silent",
        f"Ask what {number_format.format_count(len(silent), 'benchmark')} "
        f"{'is' if alone else 'are'} for",
        f"{'It detects' if alone else 'They detect'} no slowdown of the methods examined, which "
        f"hold most of {'its' if alone else 'their'} work.",
        tuple(
            AdviceTarget(
                verdict.id,
                f"takes {number_format.format_seconds(verdict.seconds)}; calls some and detects "
                "none",
            )
            for verdict in silent
        ),
        _format_run_time(silent),
    )


def _format_run_time(benchmarks: Sequence[BenchmarkVerdict]) -> str:
    seconds = sum(benchmark.seconds or 0.0 for benchmark in benchmarks)
    return f"{number_format.format_seconds(seconds)} a run" if seconds else ""
