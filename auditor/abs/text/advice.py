"""What to do next, most useful first."""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from math import ceil

from auditor.abs.document import AbsOrStability, Document
from auditor.abs.model import MethodVerdict, PairVerdict
from auditor.abs.text import cost_benefit, words
from auditor.abs.text.claims import BROKEN, OpenCause, ResultFacts, needs_repair, needs_time
from auditor.core import busy
from auditor.core.result import Verdict
from auditor.core.stability import UNLISTED, BenchmarkVerdict
from reports import number_format


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
    why: str  # what it is good for
    targets: tuple[AdviceTarget, ...]
    """Methods or benchmarks that it is about, the most important first."""
    gain: str = ""  # time that it saves; empty: unknown, or beside the point
    noted: bool = False  # whether the notes of the targets are the advice, so they are always shown


def advise(document: AbsOrStability) -> tuple[Advice, ...]:
    """Return what the numbers suggest; nothing where they suggest nothing."""
    steps = _of_audit(document) if isinstance(document, Document) else _of_suite(document)
    return tuple(step for step in steps if step is not None)


def _of_suite(document: AbsOrStability, unneeded: Container[str] = ()) -> list[Advice | None]:
    """Return what to do about benchmarks; those `unneeded` need not be steady.

    Nor is a benchmark to blame for its spread where the machine was busy with something else.
    """
    is_busy = busy.is_busy(document.strain)
    needed = [
        benchmark
        for benchmark in document.benchmarks
        if benchmark.id not in unneeded and not is_busy
    ]
    return [_failing(document.benchmarks), _slow(document.benchmarks), _unstable(needed)]


def _of_audit(document: Document) -> list[Advice | None]:
    facts = ResultFacts(document)
    unneeded = {
        benchmark.id for benchmark in document.benchmarks if facts.is_droppable(benchmark.id)
    }
    return [
        _left_open(facts),
        _cheapest(document),
        _unwatched(facts),
        _removed(facts),
        *(_open(facts, cause) for cause in OpenCause),
        _broken(document),
        *_of_suite(document, unneeded),
        _redundant(facts),
        _unexamined(facts),
        _silent(facts),
    ]


def _cheapest(document: Document) -> Advice | None:
    changes = cost_benefit.best_changes(document)
    if not changes:
        return None
    return Advice(
        "cheapest",
        "Begin with what pays most",
        "They raise the score most for the time that they take of a run, or save most of it.",
        tuple(AdviceTarget(change.owner, f"{change.what}: {change.effect}") for change in changes),
        noted=True,
    )


def _failing(benchmarks: Iterable[BenchmarkVerdict]) -> Advice | None:
    failed = [benchmark for benchmark in benchmarks if needs_repair(benchmark)]
    if not failed:
        return None
    return Advice(
        "failing",
        f"Repair {number_format.count(len(failed), 'benchmark')} that {_fail(failed)}",
        "A process that fails gives no values, so no slowdown shows in it.",
        tuple(AdviceTarget(verdict.id, _failure(verdict)) for verdict in failed),
    )


def _fail(benchmarks: Sequence[BenchmarkVerdict]) -> str:
    return "fails" if len(benchmarks) == 1 else "fail"


def _slow(benchmarks: Iterable[BenchmarkVerdict]) -> Advice | None:
    """Advise on benchmarks that the watchdog ended: they may only need more time."""
    slow = [benchmark for benchmark in benchmarks if needs_time(benchmark)]
    if not slow:
        return None
    return Advice(
        "slow",
        f"Give {number_format.count(len(slow), 'benchmark')} more time",
        'The watchdog ended a process before it was done: raise "timeout" in the configuration.',
        tuple(
            AdviceTarget(verdict.id, words.first_line(verdict.reason or "timed out"))
            for verdict in slow
        ),
    )


def _failure(benchmark: BenchmarkVerdict) -> str:
    """Say how a benchmark fails; why it could not be listed is all that is known of one."""
    if benchmark.ending == UNLISTED and benchmark.reason:
        return words.first_line(benchmark.reason)
    return benchmark.ending.replace("-", " ")


def _unwatched(facts: ResultFacts) -> Advice | None:
    document = facts.document
    ranked = [verdict for verdict in document.methods if facts.lacks_benchmark(verdict.id)]
    ranked.sort(key=lambda method: -(method.calls or 0))
    if not ranked:
        return None
    shares = _shares(document.pairs)
    return Advice(
        "unwatched",
        f"Write benchmarks for {number_format.count(len(ranked), 'method')} that none covers",
        "If one of them got slower, no benchmark would say so.",
        tuple(AdviceTarget(method.id, _unwatched_note(method, shares)) for method in ranked),
    )


def _removed(facts: ResultFacts) -> Advice | None:
    """Advise on methods whose calls the compiler removed: a benchmark is there already."""
    removed = facts.removed_calls
    methods = [(method, name) for name, methods in removed.items() for method in methods]
    if not methods:
        return None
    return Advice(
        "removed",
        f"Use the results of {number_format.count(len(methods), 'method')} that benchmarks "
        "throw away",
        "The compiler removed these calls, so a slowdown of the method changes nothing.",
        tuple(AdviceTarget(method, f"called in {benchmark}") for method, benchmark in methods),
    )


def _shares(pairs: Iterable[PairVerdict]) -> dict[str, float]:
    """Return the largest part of an operation that each method has in any benchmark."""
    largest: dict[str, float] = {}
    for pair in pairs:
        share = pair.share_at_most if pair.share is None else pair.share
        if share is not None:
            largest[pair.method] = max(share, largest.get(pair.method, 0.0))
    return largest


def _unwatched_note(method: MethodVerdict, shares: dict[str, float]) -> str:
    calls = "" if method.calls is None else f"; {number_format.count(method.calls, 'call')} counted"
    if method.outcome is Verdict.UNREACHED:
        return f"{method.reason or 'no benchmark calls it'}{calls}"
    largest = shares.get(method.id)
    if largest is None and not method.reached_by:
        return f"whether any benchmark calls it is not known{calls}"
    if largest is None:
        return f"called, but lost in what else is measured{calls}"
    return f"at most {number_format.share(min(largest, 1.0))} of what any benchmark measures{calls}"


def _left_open(facts: ResultFacts) -> Advice | None:
    methods = _of_cause(facts, OpenCause.BUDGET)
    if not methods:
        return None
    again = facts.document.command
    return Advice(
        "left-open",
        f"Go on with {number_format.count(len(methods), 'method')} {facts.left_open}",
        "The same command goes on from here" + (f": {again}" if again else "."),
        tuple(AdviceTarget(method.id, _why(method)) for method in methods),
    )


_SETTLED_BY = {
    OpenCause.SCATTER: (
        "undecided",
        "Measure {} again",
        "More iterations, a quieter machine or a larger slowdown would settle these.",
    ),
    OpenCause.SHORT: (
        "too-short",
        "Leave aside {} too short to be slowed in proportion",
        "The delay needs as long as the method itself; neither time nor quiet changes that.",
    ),
    OpenCause.OTHER: (
        "unsettled",
        "Look into {} without a verdict",
        "The reason is next to each method.",
    ),
}
"""Slug, title and reason of what is done about methods without a verdict."""


def _open(facts: ResultFacts, cause: OpenCause) -> Advice | None:
    methods = _of_cause(facts, cause)
    if not methods or cause not in _SETTLED_BY:
        return None
    slug, title, reason = _SETTLED_BY[cause]
    return Advice(
        slug,
        title.format(number_format.count(len(methods), "method")),
        reason,
        tuple(AdviceTarget(method.id, _why(method)) for method in methods),
    )


def _of_cause(facts: ResultFacts, cause: OpenCause) -> list[MethodVerdict]:
    return [method for method in facts.document.methods if facts.is_open_for(method.id, cause)]


def _broken(document: Document) -> Advice | None:
    methods = [method for method in document.methods if method.outcome in BROKEN]
    if not methods:
        return None
    return Advice(
        "broken",
        f"Find out why benchmarks fail with {number_format.count(len(methods), 'method')} slowed",
        "Where the slowdown might have been detected, the benchmark crashed or did not end.",
        tuple(AdviceTarget(method.id, _why(method)) for method in methods),
    )


def _why(method: MethodVerdict) -> str:
    return method.reason or words.OUTCOMES[method.outcome].meaning


def _unstable(benchmarks: Iterable[BenchmarkVerdict]) -> Advice | None:
    shaky = [benchmark for benchmark in benchmarks if benchmark.bucket in words.SHAKY]
    shaky.sort(key=lambda verdict: -(verdict.max_spread or 0.0))
    if not shaky:
        return None
    return Advice(
        "unstable",
        f"Steady {number_format.count(len(shaky), 'benchmark')}",
        "The same code, run again, differs so much that small slowdowns drown in it.",
        tuple(
            AdviceTarget(verdict.id, f"runs differ by {number_format.share(verdict.max_spread)}")
            for verdict in shaky
        ),
    )


def _redundant(facts: ResultFacts) -> Advice | None:
    document = facts.document
    idle = [benchmark for benchmark in document.benchmarks if facts.is_droppable(benchmark.id)]
    if not idle:
        return None
    return Advice(
        "redundant",
        f"Leave out {number_format.count(len(idle), 'benchmark')} where time is short",
        words.describe_cover(document),
        tuple(
            AdviceTarget(verdict.id, cost_benefit.explain_redundancy(facts, verdict))
            for verdict in idle
        ),
        _saved_by_dropping(document, idle),
    )


def format_cover_saving(document: Document) -> str:
    """Return what it saves to run the minimal cover alone; empty where that is not known.

    It is known where nothing is lost without each of the other benchmarks.
    """
    facts, kept = ResultFacts(document), document.minimal_cover
    idle = [benchmark for benchmark in document.benchmarks if benchmark.id not in kept]
    if not kept or not all(facts.is_droppable(verdict.id) for verdict in idle):
        return ""
    return _saved_by_dropping(document, idle)


def _saved_by_dropping(document: Document, idle: Sequence[BenchmarkVerdict]) -> str:
    if not idle or any(verdict.seconds is None for verdict in idle):
        return ""
    whole = number_format.seconds(
        sum(benchmark.seconds or 0.0 for benchmark in document.benchmarks)
    )
    saved = number_format.seconds(sum(verdict.seconds or 0.0 for verdict in idle))
    return f"saves {saved} of {whole} a run"


def _unexamined(facts: ResultFacts) -> Advice | None:
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
    return Advice(
        "unexamined",
        f"Name the methods that {number_format.count(len(verdicts), 'benchmark')} mainly "
        f"{'measures' if len(verdicts) == 1 else 'measure'}",
        'They show whether these benchmarks are needed: --method NAME, or "methods".',
        tuple(AdviceTarget(verdict.id, _unexamined_note(facts, verdict)) for verdict in verdicts),
        _a_run(verdicts),
    )


def _unexamined_note(facts: ResultFacts, benchmark: BenchmarkVerdict) -> str:
    _, most = facts.examined(benchmark.id)
    if dead := facts.dead_calls(benchmark.id):
        return f"the compiler removed its call of {dead[0]}: use the result"
    if not facts.is_unexamined(benchmark.id):
        return "how much of it the methods examined are is not known"
    examined = "that could be slowed" if facts.has_unslowed else "examined"
    note = f"its main work is not among the methods {examined}"
    if facts.calls_none(benchmark.id):
        return f"{note}: it calls none of them"
    return f"{note}: they are at most {_ceil(most)} of it" if most else note


def _ceil(share: float) -> str:
    return number_format.share(ceil(1000 * share) / 1000)


def _silent(facts: ResultFacts) -> Advice | None:
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
        f"Ask what {number_format.count(len(silent), 'benchmark')} {'is' if alone else 'are'} for",
        f"{'It detects' if alone else 'They detect'} no slowdown of the methods examined, which "
        f"hold most of {'its' if alone else 'their'} work.",
        tuple(
            AdviceTarget(
                verdict.id,
                f"takes {number_format.seconds(verdict.seconds)}; calls some and detects none",
            )
            for verdict in silent
        ),
        _a_run(silent),
    )


def _a_run(benchmarks: Sequence[BenchmarkVerdict]) -> str:
    seconds = sum(benchmark.seconds or 0.0 for benchmark in benchmarks)
    return f"{number_format.seconds(seconds)} a run" if seconds else ""
