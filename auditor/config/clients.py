"""The projects whose tests tell which methods of a library are used."""

from pathlib import Path

import msgspec

from auditor.config import subjects
from auditor.config.python import python_spec
from auditor.config.quantities import parse_duration
from auditor.config.sections import ClientSection, TraceSection
from auditor.config.settings import Settings
from auditor.core.popularity import Ranking
from auditor.core.request import ClientSpec, TraceRequest


def trace_request(settings: Settings, folder: Path) -> TraceRequest:
    """Return how clients are traced; raises UsageError or ValueError."""
    section: TraceSection = settings.trace
    try:
        limit = parse_duration(section.timeout)
    except ValueError as error:
        raise ValueError(f"{error}, at trace.timeout") from error
    specs = [
        _parse_client(client, folder, number) for number, client in enumerate(settings.clients)
    ]
    names = [spec.name for spec in specs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"the client {twice[0]} is named twice at clients; name it once")
    return TraceRequest(
        clients=tuple(specs),
        seconds=limit,
        jobs=section.jobs,
        ranking=Ranking(section.rank),
        top=section.top,
    )


def _parse_client(client: str | ClientSection, folder: Path, number: int) -> ClientSpec:
    place = f"clients[{number}]"
    subject = subjects.parse_subject(client, folder, place)
    more = client if isinstance(client, ClientSection) else ClientSection()
    return ClientSpec(
        name=subjects.describe_subject(subject),
        subject=subject,
        build=subjects.read_build_options(client),
        python=python_spec(more.python, folder),
        tests=more.tests,
    )


def resolve_clients(settings: Settings, folder: Path) -> tuple[str | ClientSection, ...]:
    """Return the clients as a configuration that means the same from everywhere."""
    return tuple(
        _resolve_client(client, folder, f"clients[{number}]")
        for number, client in enumerate(settings.clients)
    )


def _resolve_client(client: str | ClientSection, folder: Path, place: str) -> str | ClientSection:
    named = subjects.describe_subject(subjects.parse_subject(client, folder, place))
    if isinstance(client, str):
        return named
    kind, _, rest = named.partition(":")
    location = {kind: rest} if f"{kind}:" in subjects.PREFIXES else {"path": named}
    return msgspec.structs.replace(client, **location)
