"""The answers of `select` on a terminal: what to run, what it costs, what is lost."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from auditor.cli.tables import MOST_ROWS, and_more, lineless, section
from auditor.select.document import LostMethod, Proposal, SelectAnswer, Selection
from reports import names, number_format


def selection(found: Selection) -> RenderableType:
    """Return what a terminal shows of a selection."""
    parts: list[RenderableType] = [Text(_title(found), style="dim")]
    parts.append(Text(_headline(found), style="bold"))
    parts += [Text(line) for line in _bounds(found)]
    if found.benchmarks:
        parts += ["", _picks(found)]
    parts += section(
        "Lost", [_lost(method) for method in found.lost[:MOST_ROWS]] + _more(found.lost)
    )
    return Group(*parts, *_calls(found), *_caveats(found))


def proposal(found: Proposal) -> RenderableType:
    """Return what a terminal shows of a removal proposal."""
    parts: list[RenderableType] = [Text(_title(found), style="dim")]
    parts.append(Text(_removal(found), style="bold"))
    if found.removed:
        short = names.shorten(removed_benchmark.id for removed_benchmark in found.removed)
        rows = lineless("can go", ">saves", ">spread", "what it detects is detected by")
        for benchmark in found.removed[:MOST_ROWS]:
            kept = sorted({name for method in benchmark.watched for name in method.kept_by})
            text = ", ".join(names.shorten(kept).values()) or "nothing is detected by it"
            rows.add_row(
                Text(names.line(short[benchmark.id])),
                number_format.seconds(benchmark.seconds),
                number_format.share(benchmark.max_spread),
                Text(names.line(text), style="dim"),
            )
        parts += ["", and_more(rows, len(found.removed))]
    kept = [
        f"{undecided.benchmark} may be the only one to detect {', '.join(undecided.methods[:5])}"
        for undecided in found.undecided
    ]
    kept += [f"{one} was not measured" for one in found.unknown]
    kept += [
        f"{one}: the methods examined are not known to hold most of it" for one in found.unexamined
    ]
    return Group(*parts, *section("Kept to be sure", kept), *_caveats(found))


def _title(select_answer: SelectAnswer) -> str:
    return " ".join(filter(None, (select_answer.subject, select_answer.revision)))


def _headline(found: Selection) -> str:
    within = "" if found.budget is None else f"Within {number_format.seconds(found.budget)}: "
    size, whole = len(found.benchmarks), number_format.count(found.suite_benchmarks, "benchmark")
    all_ = len(found.methods) + len(found.lost)
    which = "detected methods" if found.changed is None else "detected methods that changed"
    score = "" if found.percent is None else f", a score of {number_format.percent(found.percent)}"
    total = found.total_percent
    if score and total is not None and found.lost:
        score += f" of {number_format.percent(total)}"
    verb = "detects" if size == 1 else "detect"
    return (
        f"{within}{size} of {whole} {verb} {len(found.methods)} of {all_} {which}{score}. "
        f"{_time(found)}"
    )


def _time(select_answer: SelectAnswer) -> str:
    run, suite = map(number_format.seconds, (select_answer.seconds, select_answer.suite_seconds))
    return f"A run takes {run} of {suite}."


def _bounds(found: Selection) -> Iterator[str]:
    """Say how far the choice is from the best one, where it is or may be."""
    if len(found.methods) < found.most.methods and found.nested:
        which = "another choice detects" if found.most.reached else "a choice may detect up to"
        yield (
            f"In this time {which} {found.most.methods}, but not such that with more time no "
            "method is lost; see --most."
        )
    elif len(found.methods) < found.most.methods:
        yield f"No choice detects more than {found.most.methods} in this time."
    if not found.cheapest:
        yield "There may be a cheaper choice that detects the same."


def _picks(found: Selection) -> RenderableType:
    short = names.shorten(benchmark.id for benchmark in found.benchmarks)
    rows = lineless("benchmark", ">a run takes", ">spread", ">detects", ">alone")
    for benchmark in found.benchmarks[:MOST_ROWS]:
        rows.add_row(
            Text(names.line(short[benchmark.id])),
            number_format.seconds(benchmark.seconds),
            number_format.share(benchmark.max_spread),
            str(len(benchmark.detects)),
            str(len(benchmark.alone) or ""),
        )
    return and_more(rows, len(found.benchmarks))


def _lost(method: LostMethod) -> str:
    by = list(names.shorten(method.detected_by).values())
    more = f" and {len(by) - 3} more" if len(by) > 3 else ""
    return f"{method.method}, detected by {', '.join(by[:3])}{more}"


def _more(lost: Sequence[LostMethod]) -> list[str]:
    more = len(lost) - MOST_ROWS
    return [f"and {more} more, see --format json"] if more > 0 else []


def _calls(select_answer: SelectAnswer) -> list[RenderableType]:
    lines = [call.command for call in select_answer.calls]
    if not lines:
        return []
    return ["", Text("To run just these", style="bold"), *(Text(f"  {line}") for line in lines)]


def _caveats(select_answer: SelectAnswer) -> list[RenderableType]:
    return section(
        "To know", [f"{caveat.text} [{caveat.slug}]" for caveat in select_answer.caveats]
    )


def _removal(found: Proposal) -> str:
    if not found.removed:
        if found.unexamined:
            return "No benchmark is known to be superfluous: too little of some was examined."
        return "No benchmark can go: each detects something that no other does, or may."
    whole = number_format.count(found.suite_benchmarks, "benchmark")
    saved = number_format.seconds(found.seconds_saved)
    return (
        f"{len(found.removed)} of {whole} can go, and every method that is detected now still "
        f"is: {saved} of {number_format.seconds(found.suite_seconds)} saved per run of the suite."
    )
