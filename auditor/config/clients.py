"""The projects whose tests tell which methods of a library are used."""

from pathlib import Path

import msgspec

from auditor.config import subjects
from auditor.config.python import python_spec
from auditor.config.quantities import seconds
from auditor.config.sections import ClientSection, TraceSection
from auditor.config.settings import Settings
from auditor.core.popularity import Ranking
from auditor.core.request import ClientSpec, TraceRequest


def trace_request(settings: Settings, folder: Path) -> TraceRequest:
    """Return how clients are traced; raises UsageError or ValueError."""
    written: TraceSection = settings.trace
    try:
        limit = seconds(written.timeout)
    except ValueError as error:
        raise ValueError(f"{error}, at trace.timeout") from error
    specs = [_client(one, folder, number) for number, one in enumerate(settings.clients)]
    names = [spec.name for spec in specs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"the client {twice[0]} is named twice at clients; name it once")
    return TraceRequest(
        clients=tuple(specs),
        seconds=limit,
        jobs=written.jobs,
        ranking=Ranking(written.rank),
        top=written.top,
    )


def _client(written: str | ClientSection, folder: Path, number: int) -> ClientSpec:
    place = f"clients[{number}]"
    subject = subjects.spec(written, folder, place)
    more = written if isinstance(written, ClientSection) else ClientSection()
    return ClientSpec(
        name=subjects.described(subject),
        subject=subject,
        build=subjects.build_words(written),
        python=python_spec(more.python, folder),
        tests=more.tests,
    )


def resolved(settings: Settings, folder: Path) -> tuple[str | ClientSection, ...]:
    """Return the clients as a configuration that means the same from everywhere."""
    return tuple(
        _resolved(one, folder, f"clients[{number}]") for number, one in enumerate(settings.clients)
    )


def _resolved(written: str | ClientSection, folder: Path, place: str) -> str | ClientSection:
    named = subjects.described(subjects.spec(written, folder, place))
    if isinstance(written, str):
        return named
    kind, _, rest = named.partition(":")
    known = {kind: rest} if f"{kind}:" in subjects.PREFIXES else {"path": named}
    return msgspec.structs.replace(written, **known)
