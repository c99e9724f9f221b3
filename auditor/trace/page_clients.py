"""Which public methods other projects call, in words, as a page and as CSV."""

import re
from dataclasses import dataclass, replace

from auditor.core.popularity import Ranking
from auditor.trace.document_clients import ProfiledMethod, ProfileDocument, TracedClient
from reports import names, number_format
from reports.delimited import csv_text
from reports.html import Closing, Facts, closing, of_whole, rendered
from reports.long_tables import LongTable
from reports.wording import Word

OFTEN, CALLED, NEVER = "often", "called", "never"
USES = {
    OFTEN: Word("●", "often used", "one of those that an audit slows by itself"),
    CALLED: Word("◐", "called", "a client calls it"),
    NEVER: Word("○", "not called", "no client calls it"),
}
KINDS = {OFTEN: "detected", CALLED: "inconclusive", NEVER: "unreached"}
"""What the style of the pages knows a cell by."""
_LONGEST = 40
RANKINGS = {
    Ranking.SUM: "calls of all clients together",
    Ranking.SHARE: "the mean of the shares in each client's calls",
    Ranking.CLIENTS: "the number of clients, then the mean of the shares",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileRow:
    """A public method, and its use by clients."""

    rank: str  # empty: no client calls it
    name: str  # shortest unambiguous part of the id
    id: str  # the method's id
    use: str  # often, called or never
    word: Word  # `use`, in words
    kind: str  # `use`, as a style
    outside: str  # calls from outside the library
    calls: int  # likewise, to sort by
    inside: str  # calls from inside the library
    indirect: str  # calls through an interface or a function value; empty: none
    declared: str  # calls of a method without a body; empty: none
    share: str  # mean of its shares in the calls of each client
    part: float  # likewise, to sort by
    clients: str  # number of clients that call it; empty: none
    by_client: tuple[str, ...]  # calls by each traced client; empty: none
    example: str  # arguments of a call; empty: none with simple values only
    where: str  # FILE:LINE; empty: unknown


@dataclass(frozen=True, slots=True)
class ClientRow:
    """A client, what its tests did, and what is to be known of it."""

    name: str
    tests: str
    calls: str
    seconds: str
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileView:
    """All that is shown of a profile."""

    subject: str  # name and revision of the library
    headline: str  # the answer in one sentence
    counts: str  # number of calls and tests
    ranking: str  # what the methods are ordered by
    rows: tuple[ProfileRow, ...]  # the public methods
    clients: tuple[ClientRow, ...]  # the projects whose tests ran
    traced: Facts  # (column heading, name) of each client whose calls are known
    declares: bool  # whether a method without a body was called
    legend: tuple[tuple[str, Word, int], ...]
    """(style, word, number of methods) of each use that occurs."""
    kinds: Facts  # (style, word) of each use that occurs
    closing: Closing  # caveats and circumstances


def view(document: ProfileDocument) -> ProfileView:
    """Put a profile into words."""
    short = names.labels(method.id for method in document.methods)
    clients = {client.name: names.label(client.name) for client in document.clients}
    used = [_use(method) for method in document.methods]
    met = [use for use in USES if use in used]
    return ProfileView(
        subject=f"{names.label(document.subject)} {names.label(document.revision)}".strip(),
        headline=headline(document),
        counts=_counts(document),
        ranking=RANKINGS[document.ranking],
        rows=tuple(
            _row(method, number, short[method.id])
            for number, method in enumerate(document.methods, start=1)
        ),
        clients=tuple(_client(client, clients[client.name]) for client in document.clients),
        traced=tuple(
            (_project(client.name), clients[client.name])
            for client in document.clients
            if client.reason is None
        ),
        declares=any(method.declared for method in document.methods),
        legend=tuple((KINDS[each], USES[each], used.count(each)) for each in met),
        kinds=tuple((KINDS[each], USES[each].word) for each in met),
        # Nothing was timed: there is no plan of blocks and runs.
        closing=replace(closing(document, of_whole(document.caveats)), plan=()),
    )


def _project(name: str) -> str:
    """Return what a column can be headed by: the last part of a path, without its version."""
    bare = name.rpartition("@")[0] or name
    return names.label(re.split(r"[/:]", bare.rstrip("/"))[-1] or name)


def headline(document: ProfileDocument) -> str:
    """Say in one line how much of the API is used, and name what is used most."""
    called = [method for method in document.methods if _use(method) != NEVER]
    short = names.labels(method.id for method in document.methods)
    traced = [client for client in document.clients if client.reason is None]
    most = ", ".join(short[method.id] for method in called[:3])
    return (
        f"{len(called)} of {number_format.count(len(document.methods), 'public method')} "
        f"{'is' if len(called) == 1 else 'are'} called by "
        f"{number_format.count(len(traced), 'client')}; most of all {most}"
    )


def _counts(document: ProfileDocument) -> str:
    traced = [client for client in document.clients if client.reason is None]
    failed = len(document.clients) - len(traced)
    calls = sum(client.calls or 0 for client in traced)
    text = f"{number_format.number(calls)} calls from outside the library were counted"
    tests = [client.tests for client in traced if client.tests is not None]
    text += f" in {number_format.number(sum(tests))} tests" if tests else ""
    return f"{text}; {number_format.count(failed, 'client')} failed." if failed else f"{text}."


def _use(method: ProfiledMethod) -> str:
    if method.often_used:
        return OFTEN
    return CALLED if method.outside or method.declared else NEVER


def _row(method: ProfiledMethod, rank: int, name: str) -> ProfileRow:
    use = _use(method)
    span = method.span
    return ProfileRow(
        rank=str(rank) if method.outside else "",
        name=name,
        id=names.line(method.id),
        use=use,
        word=USES[use],
        kind=KINDS[use],
        outside=number_format.number(method.outside),
        calls=method.outside,
        inside=number_format.number(method.inside),
        indirect=number_format.number(method.indirect) if method.indirect else "",
        declared=number_format.number(method.declared) if method.declared else "",
        share=number_format.share(method.share),
        part=method.share or 0.0,
        clients=str(method.clients or ""),
        by_client=tuple(number_format.number(calls) if calls else "" for calls in method.by_client),
        example=names.line(example(method)),
        where=names.line(f"{span.file}:{span.first_line}") if span else "",
    )


def example(method: ProfiledMethod) -> str:
    """Return the arguments of a call whose values are all simple, as they would be written.

    What is None at the end was hardly written by who called.
    """
    for argument in method.arguments:
        values = [each for each in argument if each is not None]
        whole = bool(values) and len(argument) - len(values) <= (method.parameters[:1] == ("self",))
        while values and values[-1] == "None":
            values.pop()
        text = f"({', '.join(values)})"
        if whole and len(text) <= _LONGEST:
            return text
    return ""


def _client(client: TracedClient, name: str) -> ClientRow:
    return ClientRow(
        name=name,
        tests=number_format.number(client.tests),
        calls=number_format.number(client.calls),
        seconds=number_format.seconds(client.seconds),
        note=names.line(client.reason or client.missing),
    )


def html(document: ProfileDocument) -> str:
    """Render a profile as one page."""
    return rendered("profile.html.j2", page=view(document))


def delimited(document: ProfileDocument) -> str:
    """Return a line for each method as CSV, with a column of calls for each traced client."""
    traced = (client.name for client in document.clients if client.reason is None)
    head = (
        "rank", "method", "often_used", "outside", "inside", "indirect", "declared", "share",
        "clients",
    )  # fmt: skip
    return csv_text(
        LongTable(
            (*head, *traced),
            (
                (rank, method.id, method.often_used, method.outside, method.inside,
                 method.indirect, method.declared, method.share, method.clients,
                 *method.by_client)
                for rank, method in enumerate(document.methods, start=1)
            ),
        )
    )  # fmt: skip
