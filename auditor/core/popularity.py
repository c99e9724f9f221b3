"""Which methods of a library its clients use: other projects whose tests were traced."""

from dataclasses import dataclass
from enum import StrEnum

from auditor.core.caveats import Caveat
from auditor.core.outcome import MethodCalls
from auditor.core.subject import Method, Project, SourceFile


class Ranking(StrEnum):
    """What methods are ordered by.

    SUM: calls of all clients together (the paper's way, Section 6.2). SHARE: the mean of their
    shares in the calls of each client, so that one that calls much counts no more than others.
    CLIENTS: how many clients call them, then that share.
    """

    SUM = "sum"
    SHARE = "share"
    CLIENTS = "clients"


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A project whose use is traced, and its `sources`.

    It need not have benchmarks: `project` has what identifies it and nothing that could be run.
    `methods` are the public ones whose calls can be seen.
    """

    project: Project
    sources: tuple[SourceFile, ...]
    methods: tuple[Method, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientUse:
    """The calls by the tests of a client."""

    name: str  # of the client
    revision: str = ""  # of the client; empty: unknown
    calls: tuple[MethodCalls, ...] = ()  # of public methods of the library
    tests: int | None = None  # number of tests that ran; None: not counted
    seconds: float | None = None  # that the tests took; None: unknown
    missing: str = ""  # which calls may be missing; empty: none
    reason: str | None = None  # why the calls are unknown; None: they are known

    @property
    def total_calls(self) -> int:
        """Return the calls from outside the library."""
        return sum(call.outside for call in self.calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodProfile:
    """How clients use a public method."""

    method: Method  # the method
    outside: int  # calls from outside the library, all clients together
    inside: int | None  # calls from inside the library; None: not counted
    indirect: int  # those of `outside` through an interface or a function value
    declared: int  # calls of a method without a body; they count for the method that ran
    share: float  # mean of its shares in the calls of each client, 0 to 1
    by_client: tuple[int, ...]  # calls from outside by each traced client, in their order
    arguments: tuple[tuple[str | None, ...], ...] = ()
    """Source texts of arguments of calls; None: no simple value."""

    @property
    def client_count(self) -> int:
        """Return how many clients call it."""
        return sum(calls > 0 for calls in self.by_client)


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageProfile:
    """The use of a library by its clients.

    `methods` are in the order of the ranking, those that nobody calls at the end; the first
    `chosen_count` are the often used ones. `by_client` of a method goes with those `clients` that
    have no reason.
    """

    ranking: Ranking
    chosen_count: int
    methods: tuple[MethodProfile, ...]
    clients: tuple[ClientUse, ...]
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Popularity:
    """Ids of methods, the most used first, and in words who uses them."""

    methods: tuple[str, ...]
    source: str
