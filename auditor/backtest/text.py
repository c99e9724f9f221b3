"""Past commits and whether the suite would have detected them, in words and as Markdown."""

from collections.abc import Iterator

from auditor.backtest.document import BacktestDocument, TriedCommit
from auditor.backtest.model import Agreement, BenchmarkShift, CommitDetection, CommitResult
from reports import names, number_format
from reports.markdown import format_code, format_prose

_NAMED = 2


def format_headline(document: BacktestDocument) -> str:
    """Return how many were detected, in a sentence."""
    tried_commits = [
        commit
        for commit in document.commits
        if commit.noticed in {CommitDetection.DETECTED, CommitDetection.MISSED}
    ]
    if not tried_commits:
        return "Cannot tell: no commit could be judged."
    noticed = sum(commit.noticed is CommitDetection.DETECTED for commit in tried_commits)
    open_ = len(document.commits) - len(tried_commits)
    inconclusive_text = (
        f"; {open_} more {'is' if open_ == 1 else 'are'} inconclusive" if open_ else ""
    )
    commits = number_format.format_count(len(tried_commits), "commit")
    return f"The suite would have detected {noticed} of {commits}{inconclusive_text}."


def format_commit_line(result: CommitResult) -> str:
    """Return one commit in a line, for those who watch."""
    commit = result.change.commit
    reason = f": {names.format_label(result.reason)}" if result.reason else ""
    title = names.format_label(commit.title)
    seconds = number_format.format_seconds(result.seconds)
    return f"{commit.id[:12]} {result.noticed}{reason} ({seconds}; {title})"


def detecting_benchmarks(commit: TriedCommit) -> str:
    """Return who detected it, the largest change first."""
    return _format_shifts(commit.detected_by)


def _format_shifts(shifts: tuple[BenchmarkShift, ...]) -> str:
    ordered = sorted(shifts, key=lambda shift: -abs((shift.ratio or 1.0) - 1.0))
    shift_texts = [
        f"{names.format_label(shift.benchmark)} ({shift.dimension}, "
        f"{number_format.format_factor(shift.ratio)})"
        if shift.ratio is not None
        else names.format_label(shift.benchmark)
        for shift in ordered[:_NAMED]
    ]
    more = f" and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else ""
    return ", ".join(shift_texts) + more


def describe_methods(commit: TriedCommit) -> str:
    """Return how many of the methods that it changes are watched."""
    if not commit.methods:
        return "none" if commit.noticed is not CommitDetection.FAILED else ""
    unknown = len(commit.methods) - len(commit.watched) - len(commit.unwatched)
    open_ = f", {unknown} open" if unknown else ""
    return f"{len(commit.watched)} of {len(commit.methods)} covered{open_}"


def describe_agreement(tally: Agreement) -> list[str]:
    """Return how "a changed method is covered" and "detected" go together; empty: nothing known."""
    counts = (tally.agreed, tally.watched_only, tally.noticed_only, tally.neither)
    if not any(counts):
        return []
    text = (
        f"covered and detected: {tally.agreed}; covered and not detected: {tally.watched_only}; "
        f"not covered and detected: {tally.noticed_only}; neither: {tally.neither}"
    )
    phi = "one of both never varies" if tally.phi is None else f"correlation {tally.phi:.2f}"
    return [text, phi]


def render_markdown(document: BacktestDocument) -> str:
    """Return a row for each commit, names in code spans."""
    return "\n".join(_render_lines(document)) + "\n"


def _render_lines(document: BacktestDocument) -> Iterator[str]:
    yield "## Would the suite have detected them?"
    yield from ("", f"**{format_prose(format_headline(document))}**", "")
    yield "| commit | of | kind | detected | by | changed methods | what it was |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for commit in document.commits:
        text = detecting_benchmarks(commit) or commit.reason
        yield (
            f"| {format_code(commit.commit[:12])} | {commit.day} | {commit.kind} | "
            f"{commit.noticed} | {format_prose(text)} | {describe_methods(commit)} | "
            f"{format_prose(commit.title)} |"
        )
    for sentence in describe_agreement(document.agreement):
        yield from ("", format_prose(sentence))
