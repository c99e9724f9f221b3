"""The JSON result of `trace --clients`: its types, and the conversion of a profile and back.

The names are promised to other programs (reports/schema/profile.schema.json).
"""

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.popularity import Popularity, Ranking, UsageProfile
from auditor.core.provenance import Context
from auditor.core.subject import Span
from reports import number_format
from reports.results import (
    AuditSetting,
    build_document,
    copy_fields,
    decode_document,
)


class TracedClient(msgspec.Struct, frozen=True, kw_only=True):
    """A project whose tests were run to trace their calls."""

    name: str  # of the client
    revision: str  # commit or version; empty: unknown
    tests: int | None  # number of tests that ran
    calls: int | None  # calls of all public methods from outside the library
    seconds: float | None  # that its tests took; null: unknown
    missing: str  # which calls may be missing
    reason: str | None  # why its calls are not known


class ProfiledMethod(msgspec.Struct, frozen=True, kw_only=True):
    """A public method and its use by clients."""

    id: str  # the method's id
    outside: int  # calls from outside the library
    inside: int | None  # calls from inside the library; null: not counted
    indirect: int  # those of `outside` through an interface or a function value
    declared: int  # calls of a method without a body; they count for the method that ran
    share: float | None  # mean of its shares in the calls of each client, 0 to 1
    clients: int  # number of clients that call it
    by_client: tuple[int, ...]  # calls from outside by each client whose reason is null
    often_used: bool  # whether it is among the methods that an audit would choose
    parameters: tuple[str, ...]  # types or names of its parameters
    arguments: tuple[tuple[str | None, ...], ...]  # source texts; null: no simple value
    span: Span | None  # place in the source; null: unknown


class ProfileDocument(
    AuditSetting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/profile/1"
):
    """Which public methods other projects call most."""

    ranking: Ranking
    methods: tuple[ProfiledMethod, ...]
    clients: tuple[TracedClient, ...]
    caveats: tuple[Caveat, ...]


def build_profile_document(profile: UsageProfile, context: Context) -> ProfileDocument:
    """Return the document of a profile."""
    methods = [
        copy_fields(
            ProfiledMethod,
            profiled,
            id=profiled.method.id,
            clients=profiled.client_count,
            often_used=number < profile.chosen_count,
            parameters=profiled.method.parameters,
            span=profiled.method.span,
        )
        for number, profiled in enumerate(profile.methods)
    ]
    clients = [
        copy_fields(
            TracedClient, client, calls=client.total_calls if client.reason is None else None
        )
        for client in profile.clients
    ]
    return build_document(ProfileDocument, context, profile, methods=methods, clients=clients)


def extract_popularity(document: ProfileDocument) -> Popularity:
    """Return the methods that clients call, the most used first."""
    traced = [client.name for client in document.clients if client.reason is None]
    return Popularity(
        methods=tuple(method.id for method in document.methods if method.outside),
        source=f"the tests of {number_format.format_count(len(traced), 'client')} "
        f"({', '.join(traced)}; traced on {document.ended[:10]} with {document.revision})",
    )


def parse_document(text: str | bytes) -> ProfileDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return decode_document(ProfileDocument, "profile", text)
