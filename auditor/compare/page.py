"""A comparison of two revisions in words, and as a page."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from markupsafe import Markup

from auditor.abs.text import words
from auditor.compare.document import (
    ComparedBenchmark,
    ComparedDimension,
    ComparisonDocument,
    PatchDocument,
    PatchMethod,
)
from auditor.compare.model import WORST_FIRST, Dimension, PerformanceChange
from auditor.core import busy
from auditor.core.caveats import Caveat
from auditor.core.units import format_duration, is_throughput
from reports import names, number_format, plots
from reports.html import GateView, build_closing, make_caveat_views, render_template
from reports.wording import LegendEntry

CHANGE_WORDS = {
    PerformanceChange.REGRESSION: LegendEntry(
        "▲", "regression", "more than before, which fresh runs confirm"
    ),
    PerformanceChange.UNKNOWN: LegendEntry(
        "?", "cannot tell", "too noisy, failed, or not measured to the end"
    ),
    PerformanceChange.IMPROVEMENT: LegendEntry(
        "▼", "improvement", "less than before, which fresh runs confirm"
    ),
    PerformanceChange.NONE: LegendEntry(
        "=", "no change", "surely within the limit, or built of the same code"
    ),
}
DIMENSION_NAMES = {
    Dimension.TIME: "time",
    Dimension.ALLOCATIONS: "allocations",
    Dimension.ALLOCATED: "allocated bytes",
}
_STORED_MEANINGS = {
    PerformanceChange.REGRESSION: "more than before, surely beyond how far files lie apart",
    PerformanceChange.UNKNOWN: "too noisy, too few files, failed, or of unlike machines",
    PerformanceChange.IMPROVEMENT: "less than before, surely beyond how far files lie apart",
    PerformanceChange.NONE: "surely within the limit",
}
"""The meanings where another tool has measured: nothing was confirmed."""
_MAX_NAMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonRow:
    """A benchmark in one dimension."""

    name: str  # shortest unambiguous part of the benchmark's id
    change: PerformanceChange  # from base to head
    word: LegendEntry  # `change`, in words
    dimension: str  # the dimension, or "throughput"
    base: str  # value of the base, with its unit
    head: str  # value of head, with its unit
    times: str  # head / base
    interval: str  # of the ratio
    visible: str  # smallest detectable growth
    note: str  # why it cannot be judged, or how it was measured
    plot: Markup = field(default=plots.EMPTY_PLOT, repr=False)
    """Ratio and interval; empty: not measured."""


@dataclass(frozen=True, slots=True)
class PatchRow:
    """A method that head has changed or added."""

    name: str
    kind: str
    word: LegendEntry | None
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


def build_view(document: ComparisonDocument) -> ComparisonView:
    """Put a comparison into words."""
    short_names = names.format_labels(benchmark.id for benchmark in document.benchmarks)
    rows = [
        row
        for benchmark in document.benchmarks
        for row in _build_rows(benchmark, document, short_names[benchmark.id])
    ]
    method_names = names.format_labels(method.id for method in document.patch.methods)
    return ComparisonView(
        subject=f"{names.format_label(document.subject)} ({document.harness})",
        revisions=f"{_shorten_revision(document.base)} … {_shorten_revision(document.revision)}",
        headline=busy.add_to_headline(format_headline(document), document.strain),
        counts=_describe_counts(document),
        rows=tuple(sorted(rows, key=lambda row: WORST_FIRST.index(row.change))),
        same=sum(benchmark.same for benchmark in document.benchmarks),
        added=tuple(names.format_labels(document.added).values()),
        removed=tuple(names.format_labels(document.removed).values()),
        controls=_describe_controls(document),
        patch=format_patch_headline(document),
        methods=tuple(
            _build_method_row(method, method_names[method.id]) for method in document.patch.methods
        ),
        unwatched=tuple(names.format_labels(document.patch.unwatched).values()),
        caveats=tuple(
            (caveat.slug, names.escape_line(caveat.text)) for caveat in _list_caveats(document)
        ),
    )


def _list_caveats(document: ComparisonDocument) -> tuple[Caveat, ...]:
    """Return the caveats of both studies; what holds for both is said once."""
    return tuple(dict.fromkeys((*document.caveats, *document.patch.caveats)))


def format_headline(document: ComparisonDocument) -> str:
    """Say in one line whether something got slower."""
    regressed_ids = [
        benchmark.id
        for benchmark in document.benchmarks
        if benchmark.change is PerformanceChange.REGRESSION
    ]
    if regressed_ids:
        return _format_regression_headline(document, regressed_ids)
    if suspected_headline := _format_suspected_headline(document):
        return suspected_headline
    inconclusive_count = sum(map(_is_inconclusive, document.benchmarks))
    threshold = number_format.format_share(document.min_delta)
    if not document.benchmarks:
        return "No benchmark is in both revisions, so nothing was compared"
    same_count = sum(benchmark.same for benchmark in document.benchmarks)
    if inconclusive_count and inconclusive_count + same_count == len(document.benchmarks):
        text = describe_all_inconclusive(document)
        return f"{text[0].upper()}{text[1:]}"
    if inconclusive_count:
        count_text = number_format.format_count(inconclusive_count, "benchmark")
        if all(
            benchmark.calls_changed is False
            for benchmark in document.benchmarks
            if _is_inconclusive(benchmark)
        ):
            count_text += (
                f" that {'call' if inconclusive_count > 1 else 'calls'} none of the changed methods"
            )
        return (
            f"No regression of {threshold} or more was found; {count_text} inconclusive"
            f"{_describe_failing(document)}"
        )
    return f"No benchmark has a regression of {threshold} or more"


def describe_all_inconclusive(document: ComparisonDocument) -> str:
    """Return that no benchmark which was measured, or was to be, has a verdict."""
    is_any_same = any(benchmark.same for benchmark in document.benchmarks)
    text = f"every benchmark{' that differs' if is_any_same else ''} is inconclusive"
    return f"{text}{_describe_failing(document)}"


def _describe_failing(document: ComparisonDocument) -> str:
    """Return how many benchmarks head cannot run, to end a sentence; empty where it runs all."""
    failing_count = sum(benchmark.fails_in_head for benchmark in document.benchmarks)
    return f"; {failing_count} cannot run in head" if failing_count else ""


def _format_regression_headline(document: ComparisonDocument, regressed_ids: Sequence[str]) -> str:
    short_names = list(names.format_labels(regressed_ids).values())
    omission = f" and {len(short_names) - _MAX_NAMES} more" if short_names[_MAX_NAMES:] else ""
    regression_text = number_format.format_count(
        len(regressed_ids), "benchmark has a regression", "benchmarks have a regression"
    )
    suspicion_text = ""
    if also_suspected := _find_also_suspected(document):
        count_text = number_format.format_count(len(also_suspected), "more is", "more are")
        regression_text += f", {count_text} suspected"
        suspicion_text = f"; suspected and not confirmed: {_format_suspicions(also_suspected)}"
    return f"{regression_text}: {', '.join(short_names[:_MAX_NAMES])}{omission}{suspicion_text}"


def _is_inconclusive(benchmark: ComparedBenchmark) -> bool:
    return benchmark.change is PerformanceChange.UNKNOWN


def find_suspected(document: ComparisonDocument) -> dict[str, str]:
    """Return the benchmarks of which a regression is suspected still, and by about how much.

    That is the largest ratio of a benchmark's dimensions; of one whose base is 0, both values.
    """
    size_by_benchmark: dict[str, str] = {}
    for benchmark in document.benchmarks:
        dimensions = [
            dimension
            for dimension in benchmark.dimensions
            if dimension.suspected is PerformanceChange.REGRESSION
        ]
        ratios = list(filter(None, map(_estimate_ratio, dimensions)))
        if ratios:
            size_by_benchmark[benchmark.id] = f"about {number_format.format_factor(max(ratios))}"
        elif dimensions:
            worst = dimensions[0]
            size_by_benchmark[benchmark.id] = (
                f"{number_format.format_number(worst.head)} {DIMENSION_NAMES[worst.dimension]} "
                "for none"
            )
    return size_by_benchmark


def _estimate_ratio(dimension: ComparedDimension) -> float | None:
    """Return head / base, also where the rounds are too few for an interval; None: base is 0."""
    if dimension.ratio is None and dimension.base and dimension.head:
        return dimension.head / dimension.base
    return dimension.ratio


def _find_also_suspected(document: ComparisonDocument) -> dict[str, str]:
    """Return what is suspected of benchmarks that have no confirmed regression."""
    regressed_ids = {
        benchmark.id
        for benchmark in document.benchmarks
        if benchmark.change is PerformanceChange.REGRESSION
    }
    return {
        benchmark_id: size_text
        for benchmark_id, size_text in find_suspected(document).items()
        if benchmark_id not in regressed_ids
    }


def _format_suspicions(size_by_benchmark: Mapping[str, str]) -> str:
    short_names = names.format_labels(size_by_benchmark)
    size_texts = [
        f"{short_names[benchmark_id]}, {size_text}"
        for benchmark_id, size_text in size_by_benchmark.items()
    ]
    omission = f" and {len(size_texts) - _MAX_NAMES} more" if len(size_texts) > _MAX_NAMES else ""
    return f"{'; '.join(size_texts[:_MAX_NAMES])}{omission}"


def _format_suspected_headline(document: ComparisonDocument) -> str:
    """Say what is suspected and not confirmed; empty where nothing is."""
    size_by_benchmark = find_suspected(document)
    if not size_by_benchmark:
        return ""
    count_text = number_format.format_count(len(size_by_benchmark), "suspected regression")
    confirming_seconds = document.confirming_seconds
    confirmation_text = "neither confirmed nor refuted"
    if confirming_seconds is not None:
        confirmation_text = (
            f"not confirmed; confirming takes about {format_duration(confirming_seconds)} more"
        )
    return f"{count_text} ({_format_suspicions(size_by_benchmark)}), {confirmation_text}"


def is_stored(document: ComparisonDocument) -> bool:
    """Tell whether another tool has measured: then nothing was drawn, confirmed or slowed down."""
    return document.seed is None


def _format_empty_patch(patch: PatchDocument) -> str:
    if patch.refused:
        count_text = number_format.format_count(
            len(patch.refused), "method of the library differs", "methods of the library differ"
        )
        return f"{count_text}; none can be slowed."
    if patch.unknown:
        count_text = number_format.format_count(patch.unknown, "method")
        return f"Whether methods of the library differ is unknown: {count_text} without a source."
    if patch.removed:
        count_text = number_format.format_count(len(patch.removed), "method")
        return f"{count_text} of the library removed; none is changed or new."
    return "No method of the library differs."


def format_patch_headline(document: ComparisonDocument) -> str:
    """Say in one line whether the suite would have detected a slowdown of what changed.

    Nothing is said where nobody has looked at the code.
    """
    patch = document.patch
    if is_stored(document):
        return ""
    if not patch.methods:
        return _format_empty_patch(patch)
    differing_text = number_format.format_count(
        len(patch.methods), "method of the library differs", "methods of the library differ"
    )
    if patch.score is None:
        return f"{differing_text}; whether the suite would detect that was not asked."
    detected_count, method_count = patch.score.covered, patch.score.counted
    total_text = (
        "" if method_count == len(patch.methods) else f" ({len(patch.methods):,} methods differ)"
    )
    count_text = f"{number_format.format_count(method_count, 'changed or new method')}{total_text}"
    if not method_count:
        cause = (
            "their misses are accepted"
            if any(method.accepted for method in patch.methods)
            and all(method.outcome for method in patch.methods)
            else "none of them can be slowed"
        )
        return f"{differing_text}; {cause}."
    inconclusive_count = words.count_undecided(patch.score)
    if inconclusive_count == method_count:
        return f"Whether the suite would detect a slowdown is open for {count_text}."
    slowdown_text = "got slower"
    if patch.slowdown:
        slowdown_text = f"took {number_format.format_factor(1 + patch.slowdown)} as long"
    inconclusive_text = (
        f"; {inconclusive_count} {'is' if inconclusive_count == 1 else 'are'} open"
        if inconclusive_count
        else ""
    )
    return (
        f"Of {count_text} the suite would detect {detected_count or 'none'} if they "
        f"{slowdown_text}{inconclusive_text}."
    )


def _shorten_revision(name: str) -> str:
    return names.format_label(name[:12] if len(name) == 40 else name)


def _describe_counts(document: ComparisonDocument) -> str:
    count_by_change = Counter(benchmark.change for benchmark in document.benchmarks)
    change_texts = [
        f"{CHANGE_WORDS[change].word}: {count_by_change[change]}"
        for change in WORST_FIRST
        if count_by_change[change]
    ]
    benchmarks = number_format.format_count(len(document.benchmarks), "benchmark")
    return f"{benchmarks} ({', '.join(change_texts) or 'none'})"


def _describe_controls(document: ComparisonDocument) -> str:
    if not document.controls:
        return ""
    count_text = number_format.format_count(len(document.suspected), "benchmark")
    return (
        f"A/A: by the rule of the first rounds, {count_text} of {document.controls} would be "
        "suspected when the base is compared with itself."
    )


def _build_rows(
    benchmark: ComparedBenchmark, document: ComparisonDocument, name: str
) -> Iterator[ComparisonRow]:
    """Yield time, and what else has not stayed the same."""
    if benchmark.same:
        return
    if not benchmark.dimensions:
        yield _build_unmeasured_row(
            name, benchmark.change, DIMENSION_NAMES[Dimension.TIME], note=benchmark.reason
        )
    for dimension in benchmark.dimensions:
        if dimension.dimension is Dimension.TIME or dimension.change is not PerformanceChange.NONE:
            yield _build_measured_row(name, dimension, benchmark.unit, document)


def _build_unmeasured_row(
    name: str, change: PerformanceChange, dimension_name: str, *, note: str
) -> ComparisonRow:
    return ComparisonRow(
        name=name,
        change=change,
        word=CHANGE_WORDS[change],
        dimension=dimension_name,
        base=number_format.NO_VALUE,
        head=number_format.NO_VALUE,
        times=number_format.NO_VALUE,
        interval=number_format.NO_VALUE,
        visible=number_format.NO_VALUE,
        note=note,
    )


def _build_measured_row(
    name: str, dimension: ComparedDimension, unit: str, document: ComparisonDocument
) -> ComparisonRow:
    unit = unit if dimension.dimension is Dimension.TIME else ""
    dimension_name, times = DIMENSION_NAMES[dimension.dimension], number_format.NO_VALUE
    if dimension.ratio is not None:
        times = number_format.format_factor(dimension.ratio)
    if is_throughput(unit):
        dimension_name, times = (
            "throughput",
            times if dimension.ratio is None else f"{times} as long",
        )
    low, high = dimension.interval or (None, None)
    has_interval = low is not None and high is not None
    return ComparisonRow(
        name=name,
        change=dimension.change,
        word=CHANGE_WORDS[dimension.change],
        dimension=dimension_name,
        base=_format_value(dimension.base, dimension.dimension, unit),
        head=_format_value(dimension.head, dimension.dimension, unit),
        times=times,
        interval=f"{number_format.format_number(low)} … {number_format.format_number(high)}"
        if has_interval
        else number_format.NO_VALUE,
        visible=number_format.NO_VALUE
        if dimension.visible is None
        else number_format.format_factor(1 + dimension.visible),
        note="; ".join(filter(None, (dimension.reason, _describe_pairing(dimension)))),
        plot=plots.draw_forest(
            None if dimension.ratio is None else dimension.ratio - 1,
            (low - 1, high - 1) if low is not None and high is not None else None,
            document.min_delta,
        ),
    )


def _format_value(value: float | None, dimension: Dimension, unit: str) -> str:
    if dimension is Dimension.TIME:
        return number_format.format_operation_time(value, unit)
    return number_format.format_number(value)


def _describe_pairing(dimension: ComparedDimension) -> str:
    """Say over what a ratio is paired that is no quotient of two means; empty of another one."""
    if not dimension.paired:
        return ""
    rounds = (
        len(dimension.fresh)
        if dimension.confirmed
        else len(dimension.rounds) + len(dimension.fresh)
    )
    return f"paired over {number_format.format_count(rounds, 'round')}"


def _build_method_row(patch_method: PatchMethod, name: str) -> PatchRow:
    kind = "new" if patch_method.new else "changed"
    if patch_method.outcome is None:
        return PatchRow(name, kind, None, "not slowed down")
    detector_names = ", ".join(names.format_labels(patch_method.detected_by).values())
    return PatchRow(
        name,
        kind,
        words.OUTCOMES[patch_method.outcome],
        f"by {detector_names}" if detector_names else patch_method.reason or "",
    )


def _build_legend(document: ComparisonDocument) -> tuple[LegendEntry, ...]:
    if not is_stored(document):
        return tuple(CHANGE_WORDS.values())
    return tuple(
        LegendEntry(word.glyph, word.word, _STORED_MEANINGS[change])
        for change, word in CHANGE_WORDS.items()
    )


def render_html(document: ComparisonDocument, gate: GateView | None = None) -> str:
    """Render a comparison as one page, with what the gates said."""
    return render_template(
        "comparison.html.j2",
        page=build_view(document),
        scale=plots.draw_forest_scale(),
        axis=plots.draw_forest_axis("counts"),
        legend=_build_legend(document),
        # Its rounds are no plan of runs and blocks.
        closing=replace(
            build_closing(document, make_caveat_views(_list_caveats(document))), plan=()
        ),
        gate=gate,
    )
