"""A comparison of two revisions in words, and as a page."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from auditor.abs.text import words
from auditor.compare.document import (
    ComparedBenchmark,
    ComparedDimension,
    ComparisonDocument,
    PatchMethod,
)
from auditor.compare.model import WORST_FIRST, Dimension, PerformanceChange
from auditor.core import busy
from auditor.core.units import duration, is_throughput
from reports import names, number_format, plots
from reports.html import GateView, closing, of_whole, rendered
from reports.wording import Word

CHANGES = {
    PerformanceChange.REGRESSION: Word(
        "▲", "regression", "more than before, which fresh runs confirm"
    ),
    PerformanceChange.UNKNOWN: Word(
        "?", "cannot tell", "too noisy, failed, or not measured to the end"
    ),
    PerformanceChange.IMPROVEMENT: Word(
        "▼", "improvement", "less than before, which fresh runs confirm"
    ),
    PerformanceChange.NONE: Word(
        "=", "no change", "surely within the limit, or built of the same code"
    ),
}
UNITS = {
    Dimension.TIME: "time",
    Dimension.ALLOCATIONS: "allocations",
    Dimension.ALLOCATED: "allocated bytes",
}
_STORED = {
    PerformanceChange.REGRESSION: "more than before, surely beyond how far files lie apart",
    PerformanceChange.UNKNOWN: "too noisy, too few files, failed, or of unlike machines",
    PerformanceChange.IMPROVEMENT: "less than before, surely beyond how far files lie apart",
    PerformanceChange.NONE: "surely within the limit",
}
"""The meanings where another tool has measured: nothing was confirmed."""
_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """A benchmark in one dimension."""

    name: str  # shortest unambiguous part of the benchmark's id
    change: PerformanceChange  # from base to head
    word: Word  # `change`, in words
    what: str  # the dimension, or "throughput"
    base: str  # value of the base, with its unit
    head: str  # value of head, with its unit
    times: str  # head / base
    interval: str  # of the ratio
    visible: str  # smallest detectable growth
    note: str  # why it cannot be judged, or how it was measured
    plot: Markup = field(default=plots.NOTHING, repr=False)
    """Ratio and interval; empty: not measured."""


@dataclass(frozen=True, slots=True)
class PatchRow:
    """A method that head has changed or added."""

    name: str
    kind: str
    word: Word | None
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonView:
    """All that is shown of a comparison."""

    subject: str  # name of the audited code, and its harness
    revisions: str  # base … head
    headline: str  # the answer in one sentence
    counts: str  # number of benchmarks by change
    rows: tuple[ComparisonRow, ...]  # the worst change first
    same: int  # number of benchmarks whose code is the same
    added: tuple[str, ...]  # names of benchmarks that only head has
    removed: tuple[str, ...]  # names of benchmarks that only the base has
    controls: str  # result of the A/A control; empty: there was none
    patch: str  # whether the suite detects slowdowns of what changed
    methods: tuple[PatchRow, ...]  # those that head has changed or added
    unwatched: tuple[str, ...]  # new public methods that no benchmark calls
    caveats: tuple[tuple[str, str], ...]  # (slug, text) of each


def view(document: ComparisonDocument) -> ComparisonView:
    """Put a comparison into words."""
    short = names.labels(benchmark.id for benchmark in document.benchmarks)
    rows = [
        row
        for benchmark in document.benchmarks
        for row in _rows(benchmark, document, short[benchmark.id])
    ]
    methods = names.labels(method.id for method in document.patch.methods)
    return ComparisonView(
        subject=f"{names.label(document.subject)} ({document.harness})",
        revisions=f"{_revision(document.base)} … {_revision(document.revision)}",
        headline=busy.add_to_headline(headline(document), document.strain),
        counts=_counts(document),
        rows=tuple(sorted(rows, key=lambda row: WORST_FIRST.index(row.change))),
        same=sum(benchmark.same for benchmark in document.benchmarks),
        added=tuple(names.labels(document.added).values()),
        removed=tuple(names.labels(document.removed).values()),
        controls=_controls(document),
        patch=patch_headline(document),
        methods=tuple(_method(method, methods[method.id]) for method in document.patch.methods),
        unwatched=tuple(names.labels(document.patch.unwatched).values()),
        caveats=tuple(
            (caveat.slug, names.line(caveat.text))
            for caveat in (*document.caveats, *document.patch.caveats)
        ),
    )


def headline(document: ComparisonDocument) -> str:
    """Say in one line whether something got slower."""
    slower = [
        benchmark
        for benchmark in document.benchmarks
        if benchmark.change is PerformanceChange.REGRESSION
    ]
    if slower:
        short = list(names.labels(benchmark.id for benchmark in slower).values())
        more = f" and {len(short) - _NAMED} more" if len(short) > _NAMED else ""
        what = number_format.count(
            len(slower), "benchmark has a regression", "benchmarks have a regression"
        )
        also = _also_suspected(document)
        rest = f"; suspected and not confirmed: {_named(also)}" if also else ""
        count = (
            f", {number_format.count(len(also), 'more is', 'more are')} suspected" if also else ""
        )
        return f"{what}{count}: {', '.join(short[:_NAMED])}{more}{rest}"
    if suspected := _suspected_headline(document):
        return suspected
    open_ = sum(map(_is_open, document.benchmarks))
    limit = number_format.share(document.min_delta)
    if not document.benchmarks:
        return "No benchmark is in both revisions, so nothing was compared"
    if open_ == len(document.benchmarks):
        return "Every benchmark is inconclusive"
    if open_:
        those = number_format.count(open_, "benchmark")
        if all(
            benchmark.calls_changed is False
            for benchmark in document.benchmarks
            if _is_open(benchmark)
        ):
            those += f" that {'call' if open_ > 1 else 'calls'} none of the changed methods"
        return f"No regression of {limit} or more was found; {those} inconclusive"
    return f"No benchmark has a regression of {limit} or more"


def _is_open(benchmark: ComparedBenchmark) -> bool:
    return benchmark.change is PerformanceChange.UNKNOWN


def suspected(document: ComparisonDocument) -> dict[str, str]:
    """Return the benchmarks of which a regression is suspected still, and by about how much.

    That is the largest ratio of a benchmark's dimensions; of one whose base is 0, both values.
    """
    found: dict[str, str] = {}
    for benchmark in document.benchmarks:
        dimensions = [
            dimension
            for dimension in benchmark.dimensions
            if dimension.suspected is PerformanceChange.REGRESSION
        ]
        ratios = [dimension.ratio for dimension in dimensions if dimension.ratio is not None]
        if ratios:
            found[benchmark.id] = f"about {number_format.times(max(ratios))}"
        elif dimensions:
            worst = dimensions[0]
            found[benchmark.id] = (
                f"{number_format.number(worst.head)} {UNITS[worst.dimension]} for none"
            )
    return found


def _also_suspected(document: ComparisonDocument) -> dict[str, str]:
    """Return what is suspected of benchmarks that have no confirmed regression."""
    slower = {
        benchmark.id
        for benchmark in document.benchmarks
        if benchmark.change is PerformanceChange.REGRESSION
    }
    return {one: how for one, how in suspected(document).items() if one not in slower}


def _named(found: Mapping[str, str]) -> str:
    short = names.labels(found)
    named = [f"{short[one]}, {how}" for one, how in found.items()]
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    return f"{'; '.join(named[:_NAMED])}{more}"


def _suspected_headline(document: ComparisonDocument) -> str:
    """Say what is suspected and not confirmed; empty where nothing is."""
    found = suspected(document)
    if not found:
        return ""
    what = number_format.count(len(found), "suspected regression")
    took = document.confirming_seconds
    then = "neither confirmed nor refuted"
    if took is not None:
        then = f"not confirmed; confirming takes about {duration(took)} more"
    return f"{what} ({_named(found)}), {then}"


def is_stored(document: ComparisonDocument) -> bool:
    """Tell whether another tool has measured: then nothing was drawn, confirmed or slowed down."""
    return document.seed is None


def patch_headline(document: ComparisonDocument) -> str:
    """Say in one line whether the suite would have detected a slowdown of what changed.

    Nothing is said where nobody has looked at the code.
    """
    patch = document.patch
    if is_stored(document):
        return ""
    if not patch.methods:
        return "No method of the library differs."
    differ = number_format.count(len(patch.methods), "method")
    if patch.score is None:
        return f"{differ} of the library differ; whether the suite would detect that was not asked."
    found, counted = patch.score.covered, patch.score.counted
    of_these = "" if counted == len(patch.methods) else f" ({differ} differ)"
    those = f"{number_format.count(counted, 'changed or new method')}{of_these}"
    if not counted:
        return f"{differ} of the library differ; none of them can be slowed."
    open_ = words.count_undecided(patch.score)
    if open_ == counted:
        return f"Whether the suite would detect a slowdown is open for {those}."
    slower = "got slower"
    if patch.slowdown:
        slower = f"took {number_format.times(1 + patch.slowdown)} as long"
    rest = f"; {open_} {'is' if open_ == 1 else 'are'} open" if open_ else ""
    return f"Of {those} the suite would detect {found or 'none'} if they {slower}{rest}."


def _revision(name: str) -> str:
    return names.label(name[:12] if len(name) == 40 else name)


def _counts(document: ComparisonDocument) -> str:
    found = Counter(benchmark.change for benchmark in document.benchmarks)
    told = [f"{CHANGES[change].word}: {found[change]}" for change in WORST_FIRST if found[change]]
    benchmarks = number_format.count(len(document.benchmarks), "benchmark")
    return f"{benchmarks} ({', '.join(told) or 'none'})"


def _controls(document: ComparisonDocument) -> str:
    if not document.controls:
        return ""
    those = number_format.count(len(document.suspected), "benchmark")
    return (
        f"A/A: by the rule of the first rounds, {those} of {document.controls} would be suspected "
        "when the base is compared with itself."
    )


def _rows(
    benchmark: ComparedBenchmark, document: ComparisonDocument, name: str
) -> Iterator[ComparisonRow]:
    """Yield time, and what else has not stayed the same."""
    if benchmark.same:
        return
    if not benchmark.dimensions:
        yield _row(name, benchmark.change, UNITS[Dimension.TIME], note=benchmark.reason)
    for dimension in benchmark.dimensions:
        if dimension.dimension is Dimension.TIME or dimension.change is not PerformanceChange.NONE:
            yield _measured_row(name, dimension, benchmark.unit, document)


def _row(name: str, change: PerformanceChange, what: str, *, note: str) -> ComparisonRow:
    return ComparisonRow(
        name=name,
        change=change,
        word=CHANGES[change],
        what=what,
        base=number_format.NONE,
        head=number_format.NONE,
        times=number_format.NONE,
        interval=number_format.NONE,
        visible=number_format.NONE,
        note=note,
    )


def _measured_row(
    name: str, dimension: ComparedDimension, unit: str, document: ComparisonDocument
) -> ComparisonRow:
    unit = unit if dimension.dimension is Dimension.TIME else ""
    what, times = UNITS[dimension.dimension], number_format.NONE
    if dimension.ratio is not None:
        times = number_format.times(dimension.ratio)
    if is_throughput(unit):
        what, times = "throughput", times if dimension.ratio is None else f"{times} as long"
    low, high = dimension.interval or (None, None)
    known = low is not None and high is not None
    return ComparisonRow(
        name=name,
        change=dimension.change,
        word=CHANGES[dimension.change],
        what=what,
        base=_value(dimension.base, dimension.dimension, unit),
        head=_value(dimension.head, dimension.dimension, unit),
        times=times,
        interval=f"{low:.3g} … {high:.3g}" if known else number_format.NONE,
        visible=number_format.NONE
        if dimension.visible is None
        else number_format.times(1 + dimension.visible),
        note="; ".join(filter(None, (dimension.reason, _paired(dimension)))),
        plot=plots.forest(
            None if dimension.ratio is None else dimension.ratio - 1,
            (low - 1, high - 1) if low is not None and high is not None else None,
            document.min_delta,
        ),
    )


def _value(value: float | None, dimension: Dimension, unit: str) -> str:
    if dimension is Dimension.TIME:
        return number_format.score(value, unit)
    return number_format.number(value)


def _paired(dimension: ComparedDimension) -> str:
    """Say over what a ratio is paired that is no quotient of two means; empty of another one."""
    if not dimension.paired:
        return ""
    rounds = (
        len(dimension.fresh)
        if dimension.confirmed
        else len(dimension.rounds) + len(dimension.fresh)
    )
    return f"paired over {number_format.count(rounds, 'round')}"


def _method(patch_method: PatchMethod, name: str) -> PatchRow:
    kind = "new" if patch_method.new else "changed"
    if patch_method.outcome is None:
        return PatchRow(name, kind, None, "not slowed down")
    by = ", ".join(names.labels(patch_method.detected_by).values())
    return PatchRow(
        name,
        kind,
        words.OUTCOMES[patch_method.outcome],
        f"by {by}" if by else patch_method.reason or "",
    )


def _legend(document: ComparisonDocument) -> tuple[Word, ...]:
    if not is_stored(document):
        return tuple(CHANGES.values())
    return tuple(Word(word.glyph, word.word, _STORED[change]) for change, word in CHANGES.items())


def html(document: ComparisonDocument, gate: GateView | None = None) -> str:
    """Render a comparison as one page, with what the gates said."""
    caveats = (*document.caveats, *document.patch.caveats)
    return rendered(
        "comparison.html.j2",
        page=view(document),
        scale=plots.scale(),
        axis=plots.forest_axis("counts"),
        legend=_legend(document),
        # Its rounds are no plan of runs and blocks.
        closing=replace(closing(document, of_whole(caveats)), plan=()),
        gate=gate,
    )
