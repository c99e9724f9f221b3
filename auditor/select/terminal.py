"""The answers of `select` on a terminal: what to run, what it costs, what is lost."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli.tables import (
    MOST_ROWS,
    add_omitted_count,
    build_caveat_section,
    build_section,
    make_borderless_table,
)
from auditor.select.document import LostMethod, Proposal, SelectAnswer, Selection
from reports import names, number_format


def render_selection(selection_answer: Selection) -> RenderableType:
    """Return what a terminal shows of a selection."""
    parts: list[RenderableType] = [Text(_format_title(selection_answer), style="dim")]
    parts.append(Text(_format_headline(selection_answer), style="bold"))
    parts += [Text(line) for line in _describe_bounds(selection_answer)]
    if selection_answer.benchmarks:
        parts += ["", _build_pick_table(selection_answer)]
    parts += build_section(
        "Lost",
        [_describe_lost_method(method) for method in selection_answer.lost[:MOST_ROWS]]
        + _describe_omitted(selection_answer.lost),
    )
    return Group(
        *parts, *_format_calls(selection_answer), *build_caveat_section(selection_answer.caveats)
    )


def render_proposal(removal_proposal: Proposal) -> RenderableType:
    """Return what a terminal shows of a removal proposal."""
    parts: list[RenderableType] = [Text(_format_title(removal_proposal), style="dim")]
    parts.append(Text(_describe_removal(removal_proposal), style="bold"))
    if removal_proposal.removed:
        short_names = names.strip_shared_prefix(
            removed_benchmark.id for removed_benchmark in removal_proposal.removed
        )
        removal_table = make_borderless_table(
            "can go", ">saves", ">spread", "what it detects is detected by"
        )
        for benchmark in removal_proposal.removed[:MOST_ROWS]:
            kept_texts = sorted(
                {name for method in benchmark.watched for name in method.detected_by}
            )
            text = (
                ", ".join(names.strip_shared_prefix(kept_texts).values())
                or "nothing is detected by it"
            )
            removal_table.add_row(
                Text(names.escape_line(short_names[benchmark.id])),
                number_format.format_seconds(benchmark.seconds),
                number_format.format_share(benchmark.max_spread),
                Text(names.escape_line(text), style="dim"),
            )
        parts += ["", add_omitted_count(removal_table, len(removal_proposal.removed))]
    kept_texts = [
        f"{undecided.benchmark} may be the only one to detect {', '.join(undecided.methods[:5])}"
        for undecided in removal_proposal.undecided
    ]
    kept_texts += [
        f"the time of {benchmark_id} is unknown"
        if benchmark_id in removal_proposal.untimed
        else f"{benchmark_id} was not measured"
        for benchmark_id in removal_proposal.unknown
    ]
    kept_texts += [
        f"{benchmark_id}: the methods examined are not known to hold most of it"
        for benchmark_id in removal_proposal.unexamined
    ]
    return Group(
        *parts,
        *build_section("Kept to be sure", kept_texts),
        *build_caveat_section(removal_proposal.caveats),
    )


def _format_title(select_answer: SelectAnswer) -> str:
    return " ".join(filter(None, (select_answer.subject, select_answer.revision)))


def _format_headline(selection_answer: Selection) -> str:
    budget_text = (
        ""
        if selection_answer.budget is None
        else f"Within {number_format.format_seconds(selection_answer.budget)}: "
    )
    benchmark_count, suite_text = (
        len(selection_answer.benchmarks),
        number_format.format_count(selection_answer.suite_benchmarks, "benchmark"),
    )
    method_count = len(selection_answer.methods) + len(selection_answer.lost)
    method_kind = (
        "detected methods" if selection_answer.changed is None else "detected methods that changed"
    )
    score = (
        ""
        if selection_answer.percent is None
        else f", a score of {number_format.format_percent(selection_answer.percent)}"
    )
    total = selection_answer.total_percent
    if score and total is not None and selection_answer.lost:
        score += f" of {number_format.format_percent(total)}"
    verb = "detects" if benchmark_count == 1 else "detect"
    return (
        f"{budget_text}{benchmark_count} of {suite_text} {verb} {len(selection_answer.methods)} "
        f"of {method_count} {method_kind}{score}.{_describe_time(selection_answer)}"
    )


def _describe_time(select_answer: SelectAnswer) -> str:
    if not select_answer.benchmarks:
        return ""
    if select_answer.seconds is None:
        return " The time of a run is unknown."
    is_partial = any(benchmark.seconds is None for benchmark in select_answer.benchmarks)
    run_text = _format_least(select_answer.seconds, is_partial=is_partial)
    return f" A run takes {run_text} of {_format_suite_time(select_answer)}."


def _format_suite_time(select_answer: SelectAnswer) -> str:
    return _format_least(select_answer.suite_seconds, is_partial=bool(select_answer.untimed))


def _format_least(seconds: float | None, *, is_partial: bool) -> str:
    return f"{'at least ' if is_partial else ''}{number_format.format_seconds(seconds)}"


def _describe_bounds(selection_answer: Selection) -> Iterator[str]:
    """Say how far the choice is from the best one, where it is or may be."""
    if len(selection_answer.methods) < selection_answer.most.methods and selection_answer.nested:
        claim = (
            "another choice detects"
            if selection_answer.most.reached
            else "a choice may detect up to"
        )
        conflict = (
            ", but it loses a method that a smaller budget detects"
            if selection_answer.most.conflicting
            else ""
        )
        yield f"In this time {claim} {selection_answer.most.methods}{conflict}; see --most."
    elif len(selection_answer.methods) < selection_answer.most.methods:
        yield f"No choice detects more than {selection_answer.most.methods} in this time."
    if selection_answer.methods and selection_answer.lost and not selection_answer.nested:
        yield "A larger budget may lose a method that this choice detects."
    if not selection_answer.cheapest:
        yield "There may be a cheaper choice that detects the same."


def _build_pick_table(selection_answer: Selection) -> RenderableType:
    short_names = names.strip_shared_prefix(
        benchmark.id for benchmark in selection_answer.benchmarks
    )
    pick_table = make_borderless_table("benchmark", ">a run takes", ">spread", ">detects", ">alone")
    for benchmark in selection_answer.benchmarks[:MOST_ROWS]:
        pick_table.add_row(
            Text(names.escape_line(short_names[benchmark.id])),
            number_format.format_seconds(benchmark.seconds),
            number_format.format_share(benchmark.max_spread),
            str(len(benchmark.detects)),
            str(len(benchmark.alone) or ""),
        )
    return add_omitted_count(pick_table, len(selection_answer.benchmarks))


def _describe_lost_method(method: LostMethod) -> str:
    detector_names = list(names.strip_shared_prefix(method.detected_by).values())
    omission = f" and {len(detector_names) - 3} more" if len(detector_names) > 3 else ""
    return f"{method.method}, detected by {', '.join(detector_names[:3])}{omission}"


def _describe_omitted(lost_methods: Sequence[LostMethod]) -> list[str]:
    omitted_count = len(lost_methods) - MOST_ROWS
    return [f"and {omitted_count} more, see --format json"] if omitted_count > 0 else []


def _format_calls(select_answer: SelectAnswer) -> list[RenderableType]:
    lines = [call.command for call in select_answer.calls]
    if not lines:
        return []
    return ["", Text("To run just these", style="bold"), *(Text(f"  {line}") for line in lines)]


def _describe_removal(removal_proposal: Proposal) -> str:
    if not removal_proposal.removed:
        return _explain_empty_proposal(removal_proposal)
    suite_text = number_format.format_count(removal_proposal.suite_benchmarks, "benchmark")
    saved_text = number_format.format_seconds(removal_proposal.seconds_saved)
    return (
        f"{len(removal_proposal.removed)} of {suite_text} can go, and every method that is "
        f"detected now still is: {saved_text} of {_format_suite_time(removal_proposal)} saved per "
        "run of the suite."
    )


def _explain_empty_proposal(removal_proposal: Proposal) -> str:
    if not any(benchmark.detects for benchmark in removal_proposal.benchmarks):
        return "No benchmark is proven redundant: none detects a method."
    if removal_proposal.unexamined:
        return "No benchmark is known to be superfluous: too little of some was examined."
    if removal_proposal.unknown:
        return "No benchmark is known to be superfluous: some were not measured or timed."
    return "No benchmark can go: each detects something that no other stable one does, or may."
