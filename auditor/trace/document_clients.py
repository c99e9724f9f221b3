"""The JSON result of `trace --clients`: its types, and the way from a profile to them and back.

The names are promised to other programs (reports/schema/profile.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.popularity import Popularity, Ranking, UsageProfile
from auditor.core.provenance import Context
from auditor.core.subject import Span
from reports import number_format
from reports.results import Setting, read_as, schema_of, setting, strict


class Client(msgspec.Struct, frozen=True, kw_only=True):
    """A project whose tests were run; `reason` says why nothing is known of its calls.

    `tests` are how many ran, `calls` those of all public methods from outside the library,
    `missing` says whose calls may be missing.
    """

    name: str
    revision: str
    tests: int | None
    calls: int | None
    seconds: float | None
    missing: str
    reason: str | None


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """How clients use a public method.

    `outside` are calls from outside the library, `inside` from inside it (null: not counted),
    `indirect` those of `outside` through an interface or a function value, `declared` calls of a
    method without a body, which count for the one that ran. `share` is the mean of
    its shares in the calls of each client, `clients` how many call it; `by_client` has the calls of
    those clients whose reason is null. `arguments` are source texts of what calls handed over.
    """

    id: str
    outside: int
    inside: int | None
    indirect: int
    declared: int
    share: float | None
    clients: int
    by_client: tuple[int, ...]
    often_used: bool
    parameters: tuple[str, ...]
    arguments: tuple[tuple[str | None, ...], ...]
    span: Span | None


class ProfileDocument(
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/profile/1"
):
    """The answer to "which public methods do other projects call most?"."""

    ranking: Ranking
    methods: tuple[Method, ...]
    clients: tuple[Client, ...]
    caveats: tuple[Caveat, ...]


def profile_document(found: UsageProfile, context: Context) -> ProfileDocument:
    """Return the result of tracing clients."""
    methods = [
        {
            "id": one.method.id,
            "outside": one.outside,
            "inside": one.inside,
            "indirect": one.indirect,
            "declared": one.declared,
            "share": one.share,
            "clients": one.clients,
            "by_client": one.by_client,
            "often_used": number < found.chosen,
            "parameters": one.method.parameters,
            "arguments": one.arguments,
            "span": one.method.span,
        }
        for number, one in enumerate(found.methods)
    ]
    clients = [
        {
            "name": client.name,
            "revision": client.revision,
            "tests": client.tests,
            "calls": client.total if client.reason is None else None,
            "seconds": client.seconds,
            "missing": client.missing,
            "reason": client.reason,
        }
        for client in found.clients
    ]
    made = {
        **setting(context),
        "schema": "bench-audit/profile/1",
        "ranking": found.ranking,
        "methods": methods,
        "clients": clients,
        "caveats": (*found.caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(made)), ProfileDocument)


def popularity(document: ProfileDocument) -> Popularity:
    """Return the methods that clients call, the most used first."""
    traced = [client.name for client in document.clients if client.reason is None]
    return Popularity(
        methods=tuple(method.id for method in document.methods if method.outside),
        source=f"the tests of {number_format.count(len(traced), 'client')} ({', '.join(traced)}; "
        f"traced on {document.ended[:10]} with {document.revision})",
    )


def read(written: str | bytes) -> ProfileDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return read_as(ProfileDocument, "profile", written)


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(ProfileDocument, "Which public methods other projects call")
