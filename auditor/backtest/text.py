"""Past commits and whether the suite would have noticed them, in words and as Markdown."""

from collections.abc import Iterator

from auditor.backtest.document import BacktestDocument, TriedCommit
from auditor.backtest.model import Agreement, BenchmarkShift, CommitDetection, CommitResult
from reports import names, number_format
from reports.markdown import code, prose

_NAMED = 2


def headline(document: BacktestDocument) -> str:
    """Return how many were noticed, in a sentence."""
    judged = [
        commit
        for commit in document.commits
        if commit.noticed in {CommitDetection.NOTICED, CommitDetection.MISSED}
    ]
    if not judged:
        return "Cannot tell: no commit could be judged."
    noticed = sum(one.noticed is CommitDetection.NOTICED for one in judged)
    open_ = len(document.commits) - len(judged)
    beside = f"; of {open_} more nobody can tell" if open_ else ""
    commits = number_format.count(len(judged), "commit")
    return f"The suite would have noticed {noticed} of {commits}{beside}."


def line(one: CommitResult) -> str:
    """Return one commit in a line, for those who watch."""
    commit = one.change.commit
    said = f": {names.label(one.reason)}" if one.reason else ""
    title = names.label(commit.title)
    return f"{commit.id[:12]} {one.noticed}{said} ({number_format.seconds(one.seconds)}; {title})"


def by(one: TriedCommit) -> str:
    """Return who noticed it, the largest change first."""
    return _some(one.by)


def _some(found: tuple[BenchmarkShift, ...]) -> str:
    ordered = sorted(found, key=lambda each: -abs((each.ratio or 1.0) - 1.0))
    said = [
        f"{names.label(each.benchmark)} ({each.dimension}, {number_format.times(each.ratio)})"
        if each.ratio is not None
        else names.label(each.benchmark)
        for each in ordered[:_NAMED]
    ]
    more = f" and {len(ordered) - _NAMED} more" if len(ordered) > _NAMED else ""
    return ", ".join(said) + more


def methods(one: TriedCommit) -> str:
    """Return how many of the methods that it changes are watched."""
    if not one.methods:
        return "none" if one.noticed is not CommitDetection.FAILED else ""
    unknown = len(one.methods) - len(one.watched) - len(one.unwatched)
    open_ = f", {unknown} open" if unknown else ""
    return f"{len(one.watched)} of {len(one.methods)} watched{open_}"


def agreement(found: Agreement) -> list[str]:
    """Return how "a changed method is watched" and "noticed" go together; empty: nothing known."""
    counts = (found.both, found.watched_only, found.noticed_only, found.neither)
    if not any(counts):
        return []
    said = (
        f"watched and noticed: {found.both}; watched and not noticed: {found.watched_only}; "
        f"not watched and noticed: {found.noticed_only}; neither: {found.neither}"
    )
    phi = "one of both never varies" if found.phi is None else f"correlation {found.phi:.2f}"
    return [said, phi]


def markdown(document: BacktestDocument) -> str:
    """Return a row for each commit, names in code spans."""
    return "\n".join(_lines(document)) + "\n"


def _lines(document: BacktestDocument) -> Iterator[str]:
    yield "## Would the suite have noticed?"
    yield from ("", f"**{prose(headline(document))}**", "")
    yield "| commit | of | kind | noticed | by | changed methods | what it was |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for commit in document.commits:
        told = by(commit) or commit.reason
        yield (
            f"| {code(commit.commit[:12])} | {commit.day} | {commit.kind} | {commit.noticed} "
            f"| {prose(told)} | {methods(commit)} | {prose(commit.title)} |"
        )
    for said in agreement(document.agreement):
        yield from ("", prose(said))
