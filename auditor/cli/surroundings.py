"""What a command is handed from outside: the environment, and the parts behind the commands."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from auditor.audits.expected_time import ExpectedTime
from auditor.core.caveats import Caveat
from auditor.core.comparison import Comparison
from auditor.core.ports import Observer
from auditor.core.request import SeriesRequest
from auditor.core.stability import Stability
from auditor.core.stored import StoredResults
from auditor.core.verdict import AbsVerdict

if TYPE_CHECKING:  # `--help` imports this module, and should not pay for msgspec
    from auditor.config import Config, Places
    from auditor.config.concurrency import ConcurrencyRequest
    from auditor.config.qualify import QualifyRequest
    from auditor.core.concurrency import ConcurrencyVerdict
    from auditor.core.qualify import Qualification, Shown
    from auditor.core.stubs import Stub
    from auditor.hosts.opened import OpenHost
    from auditor.studies.inventory import Inventory
    from reports.comparison_document import ComparisonDocument
    from reports.concurrency_document import ConcurrencyDocument
    from reports.document import Document, Either
    from reports.profile_document import ProfileDocument
    from reports.qualify_document import QualifyDocument
    from reports.record import Context
    from reports.similarity_document import SimilarityDocument
    from reports.steady_document import SteadyDocument
    from reports.trace_document import TraceDocument


class Phase(Protocol):
    """Processes of one kind."""

    @property
    def name(self) -> str:
        """Return what is done, in plain words."""

    @property
    def trials(self) -> int:
        """Return how many processes there are."""

    @property
    def known(self) -> int:
        """Return how many of them the store knows already."""

    @property
    def seconds(self) -> float:
        """Return how long the others take, roughly."""


class DryRun(Protocol):
    """What an audit would measure."""

    @property
    def phases(self) -> Sequence[Phase]:
        """Return the phases in their order."""

    @property
    def caveats(self) -> Sequence[Caveat]:
        """Return what is to be known before time is spent."""

    @property
    def expected(self) -> ExpectedTime:
        """Return the time that it is likely to take."""

    @property
    def inventory(self) -> "Inventory":
        """Return the benchmarks and methods that it is about."""


class Audit(Protocol):
    """A subject made ready, with everything that can be asked of it."""

    def plan(self) -> DryRun:
        """Say what `abs` would measure."""

    def plan_suite(self) -> DryRun:
        """Say what `stability` would measure."""

    def abs(self, command: str = "abs", /) -> AbsVerdict:
        """Find the API benchmarking score; `command` is what the store remembers it by."""

    def so_far(self) -> AbsVerdict:
        """Judge what the store has of `abs`."""

    def stability(self) -> Stability:
        """Run the unchanged suite as often as asked."""

    def plan_series(self, asked: SeriesRequest, /) -> DryRun:
        """Say what `series` would measure."""

    def series(self, command: str, asked: SeriesRequest, /) -> StoredResults:
        """Watch the benchmarks from the start of their processes on, for a command."""

    def circumstances(self, words: str, asked: SeriesRequest, /) -> "Context":
        """Return those of a result of series."""

    def remember(self, made: "SteadyDocument | SimilarityDocument", context: "Context", /) -> None:
        """Keep a result of series in the store."""

    def trace(self) -> "TraceDocument":
        """Count who calls which public method; the result is remembered in the store."""

    def document(self, verdict: AbsVerdict | Stability, /) -> "Either":
        """Return the result, and remember it in the store."""

    def page(self, document: "Either", /) -> str:
        """Return the HTML report of a document."""


class Comparing(Protocol):
    """Two revisions made ready."""

    def plan(self) -> DryRun:
        """Say what `compare` would measure."""

    def compare(self) -> Comparison:
        """Run the benchmarks of both in turns."""

    def audit_again(self, methods: Sequence[str], /) -> AbsVerdict | None:
        """Slow changed methods down again, with new measurements only; None if the time is up."""

    def document(self, found: Comparison, /) -> "ComparisonDocument":
        """Return the result."""

    def patch_document(self, verdict: AbsVerdict, /) -> "Document":
        """Return the result of the audit of the patch."""


class Profiling(Protocol):
    """A library placed, and clients whose tests are to be traced."""

    def profile(self) -> "ProfileDocument":
        """Trace the clients; the result is remembered in the store."""


class Begun(Protocol):
    """Beginnings of benchmarks."""

    @property
    def files(self) -> "Sequence[Stub]":
        """Return the files."""

    @property
    def notes(self) -> Sequence[str]:
        """Return what is to be known of the choice."""


class Stubbing(Protocol):
    """A library placed, and what the store knows of its methods."""

    def stubs(self, names: Sequence[str], most: int, /) -> Begun:
        """Begin benchmarks for methods that none watches."""


class Racing(Protocol):
    """Two versions of a class made ready."""

    def audit(self) -> "ConcurrencyVerdict":
        """Make tests and race the versions."""

    def document(self, verdict: "ConcurrencyVerdict", /) -> "ConcurrencyDocument":
        """Return the result."""

    def files(self, verdict: "ConcurrencyVerdict", /) -> Sequence[tuple[str, str]]:
        """Return the tests as source, by their paths."""


class Qualifying(Protocol):
    """A subject made ready that a gate is shown."""

    def qualify(self, told: "Callable[[Shown, int], None]", /) -> "Qualification":
        """Show the gate pairs; `told` hears of each answer."""

    def document(self, found: "Qualification", /) -> "QualifyDocument":
        """Return the result."""


OpenHosts = Callable[["Config", "Places", Mapping[str, str]], AbstractContextManager["OpenHost"]]
OpenConcurrency = Callable[
    ["ConcurrencyRequest", "Places", Mapping[str, str], Observer], AbstractContextManager[Racing]
]
OpenStubbing = Callable[
    ["Config", "Places", Mapping[str, str], Observer], AbstractContextManager[Stubbing]
]
OpenQualifying = Callable[
    ["Config", "Places", Mapping[str, str], Observer, "QualifyRequest"],
    AbstractContextManager[Qualifying],
]
OpenProfiling = Callable[
    ["Config", "Places", Mapping[str, str], Observer], AbstractContextManager[Profiling]
]
OpenComparison = Callable[
    [tuple["Config", "Config"], "Places", Mapping[str, str], Observer],
    AbstractContextManager[Comparing],
]
OpenAudit = Callable[
    ["Config", "Places", Mapping[str, str], Observer], AbstractContextManager[Audit]
]


def _open_audit(
    config: "Config", places: "Places", environment: Mapping[str, str], observer: Observer
) -> AbstractContextManager[Audit]:
    from auditor.wiring import open_audit  # noqa: PLC0415 numpy and scipy come with it

    return open_audit(config, places, environment, observer)


def _open_comparison(
    revisions: tuple["Config", "Config"],
    places: "Places",
    environment: Mapping[str, str],
    observer: Observer,
) -> AbstractContextManager[Comparing]:
    from auditor.wiring import open_comparison  # noqa: PLC0415 numpy and scipy come with it

    return open_comparison(revisions, places, environment, observer)


def _open_profiling(
    config: "Config", places: "Places", environment: Mapping[str, str], observer: Observer
) -> AbstractContextManager[Profiling]:
    from auditor.wiring import open_profiling  # noqa: PLC0415 numpy and scipy come with it

    return open_profiling(config, places, environment, observer)


def _open_stubbing(
    config: "Config", places: "Places", environment: Mapping[str, str], observer: Observer
) -> AbstractContextManager[Stubbing]:
    from auditor.wiring import open_stubbing  # noqa: PLC0415 numpy and scipy come with it

    return open_stubbing(config, places, environment, observer)


def _open_concurrency(
    asked: "ConcurrencyRequest",
    places: "Places",
    environment: Mapping[str, str],
    observer: Observer,
) -> AbstractContextManager[Racing]:
    from auditor.racing import open_concurrency  # noqa: PLC0415 numpy and scipy come with it

    return open_concurrency(asked, places, environment, observer)


def _open_qualifying(
    config: "Config",
    places: "Places",
    environment: Mapping[str, str],
    observer: Observer,
    asked: "QualifyRequest",
) -> AbstractContextManager[Qualifying]:
    from auditor.wiring import open_qualifying  # noqa: PLC0415 numpy and scipy come with it

    return open_qualifying(config, places, environment, observer, asked)


def _open_host(
    config: "Config", places: "Places", environment: Mapping[str, str]
) -> AbstractContextManager["OpenHost"]:
    from auditor.hosts import open_host  # noqa: PLC0415 only the doctor needs it
    from runners.hosts.clock import SystemClock  # noqa: PLC0415 as above

    return open_host(config, places, environment, SystemClock())


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The environment's variables and the doors to the rest of the program."""

    environment: Mapping[str, str]
    arguments: tuple[str, ...] = ()
    """What the program was called with."""
    open_audit: OpenAudit = _open_audit
    open_comparison: OpenComparison = _open_comparison
    open_profiling: OpenProfiling = _open_profiling
    open_stubbing: OpenStubbing = _open_stubbing
    open_concurrency: OpenConcurrency = _open_concurrency
    open_host: OpenHosts = _open_host
    open_qualifying: OpenQualifying = _open_qualifying

    @classmethod
    def real(cls) -> "Surroundings":
        """Return those of this process."""
        return cls(environment=dict(os.environ))
