"""What to do next, most useful first."""

from collections.abc import Iterable
from dataclasses import dataclass

from auditor.core.result import Result
from auditor.core.verdict import UNLISTED
from reports import figures, spending, words
from reports.document import Benchmark, Document, Either, Method, Pair


@dataclass(frozen=True, slots=True)
class Target:
    """A method or benchmark that an advice is about, and why it is among them."""

    id: str
    note: str


@dataclass(frozen=True, slots=True)
class Advice:
    """One thing to do: a sentence, why, and what it is about, most important first.

    `gain` says how much time it saves, empty where that is not known or not the point. `noted`:
    the notes are what it says, so they are shown wherever the targets are.
    """

    slug: str
    title: str
    why: str
    targets: tuple[Target, ...]
    gain: str = ""
    noted: bool = False


def advice(document: Either) -> tuple[Advice, ...]:
    """Return what the numbers suggest; nothing where they suggest nothing."""
    suite = [_failing(document.benchmarks), _unstable(document.benchmarks)]
    steps = suite
    if isinstance(document, Document):
        judged = [_unwatched(document), _undecided(document), _broken(document)]
        steps = [_cheapest(document), *judged, *suite, _redundant(document), _silent(document)]
    return tuple(step for step in steps if step is not None)


def _cheapest(document: Document) -> Advice | None:
    changes = spending.changes(document)
    if not changes:
        return None
    return Advice(
        "cheapest",
        "Begin with what pays most",
        "They raise the score most for the time that they take of a run, or save most of it.",
        tuple(Target(one.owner, f"{one.what}: {one.effect}") for one in changes),
        noted=True,
    )


def _failing(benchmarks: Iterable[Benchmark]) -> Advice | None:
    failed = [one for one in benchmarks if one.ending not in {"measured", "skipped"}]
    if not failed:
        return None
    return Advice(
        "failing",
        f"Repair {figures.count(len(failed), 'benchmark')} that cannot be measured",
        "They watch nothing as long as they fail.",
        tuple(Target(one.id, _failure(one)) for one in failed),
    )


def _failure(one: Benchmark) -> str:
    """Say how a benchmark fails; why it could not be listed is all that is known of one."""
    if one.ending == UNLISTED and one.reason:
        return words.brief(one.reason)
    return one.ending.replace("-", " ")


def _unwatched(document: Document) -> Advice | None:
    ranked = sorted(words.lost(document), key=lambda method: -(method.calls or 0))
    if not ranked:
        return None
    shares = _shares(pair for pair in document.pairs if pair.outcome is not Result.DEAD_CODE)
    dead = {pair.method for pair in document.pairs if pair.outcome is Result.DEAD_CODE}
    return Advice(
        "unwatched",
        f"Write benchmarks for {figures.count(len(ranked), 'method')} that nobody watches",
        "If one of them got slower, no benchmark would say so.",
        tuple(
            Target(method.id, _unwatched_note(method, shares, removed=method.id in dead))
            for method in ranked
        ),
    )


def _shares(pairs: Iterable[Pair]) -> dict[str, float]:
    """Return the largest part of an operation that each method has in any benchmark."""
    largest: dict[str, float] = {}
    for pair in pairs:
        share = pair.share_at_most if pair.share is None else pair.share
        if share is not None:
            largest[pair.method] = max(share, largest.get(pair.method, 0.0))
    return largest


def _unwatched_note(method: Method, shares: dict[str, float], *, removed: bool) -> str:
    calls = "" if method.calls is None else f"; {figures.count(method.calls, 'call')} counted"
    if method.outcome is Result.UNREACHED:
        return f"{method.reason or 'no benchmark calls it'}{calls}"
    largest = shares.get(method.id)
    if largest is None and removed:
        return f"the compiler had removed the call, since nobody uses its result{calls}"
    if largest is None and not method.reached_by:
        return f"whether any benchmark calls it is not known{calls}"
    if largest is None:
        return f"called, but lost in what else is measured{calls}"
    return f"at most {figures.share(min(largest, 1.0))} of what any benchmark measures{calls}"


def _undecided(document: Document) -> Advice | None:
    methods = [method for method in document.methods if method.outcome is Result.INCONCLUSIVE]
    if not methods:
        return None
    return Advice(
        "undecided",
        f"Measure {figures.count(len(methods), 'method')} again",
        "More iterations, a quieter machine or a larger slowdown would settle these.",
        tuple(Target(one.id, _why(one)) for one in methods),
    )


def _broken(document: Document) -> Advice | None:
    methods = [method for method in document.methods if method.outcome in words.BROKEN]
    if not methods:
        return None
    return Advice(
        "broken",
        f"Find out why benchmarks fail with {figures.count(len(methods), 'method')} slowed",
        "Where the slowdown might have been noticed, the benchmark crashed or did not end.",
        tuple(Target(one.id, _why(one)) for one in methods),
    )


def _why(method: Method) -> str:
    return method.reason or words.OUTCOMES[method.outcome].meaning


def _unstable(benchmarks: Iterable[Benchmark]) -> Advice | None:
    shaky = [one for one in benchmarks if one.bucket in words.SHAKY]
    shaky.sort(key=lambda one: -(one.max_spread or 0.0))
    if not shaky:
        return None
    return Advice(
        "unstable",
        f"Steady {figures.count(len(shaky), 'benchmark')}",
        "The same code, run again, differs so much that small slowdowns drown in it.",
        tuple(Target(one.id, f"runs differ by {figures.share(one.max_spread)}") for one in shaky),
    )


def _redundant(document: Document) -> Advice | None:
    idle = [one for one in document.benchmarks if one.ending == "measured"]
    idle = [one for one in idle if one.id not in document.minimal_cover]
    if not document.minimal_cover or not idle:
        return None
    return Advice(
        "redundant",
        f"Run {figures.count(len(document.minimal_cover), 'benchmark')} where time is short",
        words.cover(document),
        tuple(Target(each, "keep") for each in document.minimal_cover),
        saved(document),
    )


def saved(document: Document) -> str:
    """Return what the minimal cover takes of the suite's time; empty where that is not known."""
    taken = {one.id: one.seconds for one in document.benchmarks if one.seconds is not None}
    kept = [taken[each] for each in document.minimal_cover if each in taken]
    whole = sum(taken.values())
    if not kept or len(kept) < len(document.minimal_cover):
        return ""
    rest = figures.seconds(whole - sum(kept))
    return f"saves {rest} of {figures.seconds(whole)} a run"


def _silent(document: Document) -> Advice | None:
    """Advise on what takes time and detects nothing; where a pair is open nobody can tell."""
    open_ = {pair.benchmark for pair in document.pairs if pair.outcome in spending.OPEN}
    silent = [
        one
        for one in document.benchmarks
        if one.ending == "measured" and one.seconds and not one.unique and not one.shared
    ]
    silent = [one for one in silent if one.id not in open_]
    if not silent or not document.minimal_cover:
        return None
    silent.sort(key=lambda one: -(one.seconds or 0.0))
    calling = {name for method in document.methods for name in method.reached_by}
    alone = len(silent) == 1
    return Advice(
        "silent",
        f"Ask what {figures.count(len(silent), 'benchmark')} {'is' if alone else 'are'} for",
        f"{'It detects' if alone else 'They detect'} no slowdown of the audited methods. What else "
        f"{'it watches' if alone else 'they watch'}, an audit of other methods would tell.",
        tuple(Target(one.id, _costs(one, called=one.id in calling)) for one in silent),
        f"{figures.seconds(sum(one.seconds or 0.0 for one in silent))} a run",
    )


def _costs(one: Benchmark, *, called: bool) -> str:
    why = "calls some and notices none" if called else "calls none of them"
    return f"takes {figures.seconds(one.seconds)}; {why}"
