"""Past commits and whether the suite would have detected them, in words and as Markdown."""

from collections.abc import Iterator

from auditor.backtest.document import BacktestDocument, TriedCommit
from auditor.backtest.model import Agreement, BenchmarkShift, CommitDetection, CommitResult
from reports import names, number_format
from reports.markdown import code, prose

_NAMED = 2


def headline(document: BacktestDocument) -> str:
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
    beside = f"; {open_} more {'is' if open_ == 1 else 'are'} inconclusive" if open_ else ""
    commits = number_format.count(len(tried_commits), "commit")
    return f"The suite would have detected {noticed} of {commits}{beside}."


def line(result: CommitResult) -> str:
    """Return one commit in a line, for those who watch."""
    commit = result.change.commit
    reason = f": {names.label(result.reason)}" if result.reason else ""
    title = names.label(commit.title)
    seconds = number_format.seconds(result.seconds)
    return f"{commit.id[:12]} {result.noticed}{reason} ({seconds}; {title})"


def detecting_benchmarks(commit: TriedCommit) -> str:
    """Return who detected it, the largest change first."""
    return _some(commit.by)


def _some(shifts: tuple[BenchmarkShift, ...]) -> str:
    ordered = sorted(shifts, key=lambda shift: -abs((shift.ratio or 1.0) - 1.0))
    said = [
        f"{names.label(shift.benchmark)} ({shift.dimension}, {number_format.times(shift.ratio)})"
        if shift.ratio is not None
        else names.label(shift.benchmark)
        for shift in ordered[:_NAMED]
    ]
    more = f" and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else ""
    return ", ".join(said) + more


def methods(commit: TriedCommit) -> str:
    """Return how many of the methods that it changes are watched."""
    if not commit.methods:
        return "none" if commit.noticed is not CommitDetection.FAILED else ""
    unknown = len(commit.methods) - len(commit.watched) - len(commit.unwatched)
    open_ = f", {unknown} open" if unknown else ""
    return f"{len(commit.watched)} of {len(commit.methods)} covered{open_}"


def agreement(found: Agreement) -> list[str]:
    """Return how "a changed method is covered" and "detected" go together; empty: nothing known."""
    counts = (found.both, found.watched_only, found.noticed_only, found.neither)
    if not any(counts):
        return []
    text = (
        f"covered and detected: {found.both}; covered and not detected: {found.watched_only}; "
        f"not covered and detected: {found.noticed_only}; neither: {found.neither}"
    )
    phi = "one of both never varies" if found.phi is None else f"correlation {found.phi:.2f}"
    return [text, phi]


def markdown(document: BacktestDocument) -> str:
    """Return a row for each commit, names in code spans."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: BacktestDocument) -> Iterator[str]:
    yield "## Would the suite have detected them?"
    yield from ("", f"**{prose(headline(document))}**", "")
    yield "| commit | of | kind | detected | by | changed methods | what it was |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for commit in document.commits:
        text = detecting_benchmarks(commit) or commit.reason
        yield (
            f"| {code(commit.commit[:12])} | {commit.day} | {commit.kind} | {commit.noticed} "
            f"| {prose(text)} | {methods(commit)} | {prose(commit.title)} |"
        )
    for said in agreement(document.agreement):
        yield from ("", prose(said))
