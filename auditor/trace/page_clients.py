"""Which public methods other projects call, in words, as a page and as CSV."""

import re
from dataclasses import dataclass, replace

from auditor.core.popularity import Ranking
from auditor.trace.document_clients import ProfiledMethod, ProfileDocument
from reports import names, number_format
from reports.delimited import LongTable, format_csv
from reports.html import ClosingSection, Facts, build_closing, make_caveat_views, render_template
from reports.wording import LegendEntry

OFTEN, CALLED, NEVER = "often", "called", "never"
USE_WORDS = {
    OFTEN: LegendEntry("●", "often used", "one of those that an audit slows by itself"),
    CALLED: LegendEntry("◐", "called", "a client calls it"),
    NEVER: LegendEntry("○", "not called", "no client calls it"),
}
USE_STYLES = {OFTEN: "detected", CALLED: "inconclusive", NEVER: "unreached"}
"""What the style of the pages knows a cell by."""
_MAX_EXAMPLE_LENGTH = 40
RANKING_TEXTS = {
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
    word: LegendEntry  # `use`, in words
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
    location: str  # FILE:LINE; empty: unknown


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
    legend: tuple[tuple[str, LegendEntry, int], ...]
    """(style, word, number of methods) of each use that occurs."""
    kinds: Facts  # (style, word) of each use that occurs
    closing: ClosingSection  # caveats and circumstances


def build_view(document: ProfileDocument) -> ProfileView:
    """Put a profile into words."""
    labels = names.format_labels(method.id for method in document.methods)
    clients = {client.name: names.format_label(client.name) for client in document.clients}
    method_uses = [_classify_use(method) for method in document.methods]
    occurring_uses = [use for use in USE_WORDS if use in method_uses]
    return ProfileView(
        subject=" ".join(map(names.format_label, (document.subject, document.revision))).strip(),
        headline=format_headline(document),
        counts=_describe_counts(document),
        ranking=RANKING_TEXTS[document.ranking],
        rows=tuple(
            _build_row(method, number, labels[method.id])
            for number, method in enumerate(document.methods, start=1)
        ),
        clients=tuple(
            ClientRow(
                name=clients[client.name],
                tests=number_format.format_number(client.tests),
                calls=number_format.format_number(client.calls),
                seconds=number_format.format_seconds(client.seconds),
                note=names.escape_line(client.reason or client.missing),
            )
            for client in document.clients
        ),
        traced=tuple(
            (_shorten_project_name(client.name), clients[client.name])
            for client in document.clients
            if client.reason is None
        ),
        declares=any(method.declared for method in document.methods),
        legend=tuple(
            (USE_STYLES[use_name], USE_WORDS[use_name], method_uses.count(use_name))
            for use_name in occurring_uses
        ),
        kinds=tuple(
            (USE_STYLES[use_name], USE_WORDS[use_name].word) for use_name in occurring_uses
        ),
        # Nothing was timed: there is no plan of blocks and runs.
        closing=replace(build_closing(document, make_caveat_views(document.caveats)), plan=()),
    )


def _shorten_project_name(name: str) -> str:
    """Return what a column can be headed by: the last part of a path, without its version."""
    bare_name = name.rpartition("@")[0] or name
    return names.format_label(re.split(r"[/:]", bare_name.rstrip("/"))[-1] or name)


def format_headline(document: ProfileDocument) -> str:
    """Say in one line how much of the API is used, and name what is used most."""
    called_methods = [method for method in document.methods if _classify_use(method) != NEVER]
    labels = names.format_labels(method.id for method in document.methods)
    traced_clients = [client for client in document.clients if client.reason is None]
    top_methods = ", ".join(labels[method.id] for method in called_methods[:3])
    return (
        f"{len(called_methods)} of "
        f"{number_format.format_count(len(document.methods), 'public method')} "
        f"{'is' if len(called_methods) == 1 else 'are'} called by "
        f"{number_format.format_count(len(traced_clients), 'client')}; most of all {top_methods}"
    )


def _describe_counts(document: ProfileDocument) -> str:
    traced_clients = [client for client in document.clients if client.reason is None]
    failed_count = len(document.clients) - len(traced_clients)
    calls = sum(client.calls or 0 for client in traced_clients)
    text = f"{number_format.format_number(calls)} calls from outside the library were counted"
    tests = [client.tests for client in traced_clients if client.tests is not None]
    text += f" in {number_format.format_number(sum(tests))} tests" if tests else ""
    return (
        f"{text}; {number_format.format_count(failed_count, 'client')} failed."
        if failed_count
        else f"{text}."
    )


def _classify_use(method: ProfiledMethod) -> str:
    if method.often_used:
        return OFTEN
    return CALLED if method.outside or method.declared else NEVER


def _build_row(method: ProfiledMethod, rank: int, name: str) -> ProfileRow:
    use = _classify_use(method)
    span = method.span
    return ProfileRow(
        rank=str(rank) if method.outside else "",
        name=name,
        id=names.escape_line(method.id),
        use=use,
        word=USE_WORDS[use],
        kind=USE_STYLES[use],
        outside=number_format.format_number(method.outside),
        calls=method.outside,
        inside=number_format.format_number(method.inside),
        indirect=number_format.format_number(method.indirect) if method.indirect else "",
        declared=number_format.format_number(method.declared) if method.declared else "",
        share=number_format.format_share(method.share),
        part=method.share or 0.0,
        clients=str(method.clients or ""),
        by_client=tuple(
            number_format.format_number(calls) if calls else "" for calls in method.by_client
        ),
        example=names.escape_line(_format_example(method)),
        location=names.escape_line(f"{span.file}:{span.first_line}") if span else "",
    )


def _format_example(method: ProfiledMethod) -> str:
    """Return the arguments of a call whose values are all simple, as they would be written.

    What is None at the end was hardly written by who called.
    """
    for argument in method.arguments:
        values = [source for source in argument if source is not None]
        is_simple = bool(values) and len(argument) - len(values) <= (
            method.parameters[:1] == ("self",)
        )
        while values and values[-1] == "None":
            values.pop()
        text = f"({', '.join(values)})"
        if is_simple and len(text) <= _MAX_EXAMPLE_LENGTH:
            return text
    return ""


def render_html(document: ProfileDocument) -> str:
    """Render a profile as one page."""
    return render_template("profile.html.j2", page=build_view(document))


def render_csv(document: ProfileDocument) -> str:
    """Return a line for each method as CSV, with a column of calls for each traced client."""
    client_names = (client.name for client in document.clients if client.reason is None)
    header = (
        "rank", "method", "often_used", "outside", "inside", "indirect", "declared", "share",
        "clients",
    )  # fmt: skip
    return format_csv(
        LongTable(
            (*header, *client_names),
            (
                (rank, method.id, method.often_used, method.outside, method.inside,
                 method.indirect, method.declared, method.share, method.clients,
                 *method.by_client)
                for rank, method in enumerate(document.methods, start=1)
            ),
        )
    )  # fmt: skip
