"""The one module that knows concrete classes: it makes the parts and hands them to the studies."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from auditor.config import Config, Places
from auditor.core.errors import UsageError
from auditor.core.ports import Clock, Harness, Host, Mutator, Observer
from auditor.core.request import JarSpec, MavenSpec, Pace, SubjectSpec
from auditor.core.subject import Project
from auditor.core.suite import Suite
from auditor.core.verdict import AbsVerdict, Stability
from auditor.store.listings import Listings
from auditor.store.machines import left_out
from auditor.store.sqlite import AuditRecord, SqliteStore
from auditor.studies import abs_score, stability
from auditor.studies.parts import Deadline, Parts
from auditor.studies.preview import Preview, preview, preview_suite
from auditor.studies.reuse import Reuse
from mutators.go.mutator import GoMutator
from mutators.java.mutator import JavaMutator
from reports.page import page
from reports.record import Context, document, stability_document
from runners.dispatch.serial import SerialDispatcher
from runners.gobench.harness import GoBench
from runners.gobench.project import prepare as prepare_go
from runners.home import Home
from runners.hosts.clock import SystemClock
from runners.hosts.limited import LimitedHost
from runners.hosts.local import LocalHost
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.project import jmh_jar, prepare_artifact, prepare_jar, prepare_tree
from runners.subjects.place import place
from runners.subjects.placed import Placed, detect
from runners.trial import Bench


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where a subject is made ready."""

    home: Home
    host: Host
    environment: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Ready:
    """A project, and the harness that runs its suite."""

    project: Project
    harness: Harness


@dataclass(frozen=True, slots=True)
class HarnessSupport:
    """What a harness and its language bring: one entry of HARNESSES for each."""

    mutator: Mutator
    ready: Callable[[SubjectSpec, Placed, Config, Machine], Ready]
    pace: Pace


def _go(spec: SubjectSpec, placed: Placed, config: Config, machine: Machine) -> Ready:
    if isinstance(spec, MavenSpec | JarSpec):
        what = "a jar holds" if isinstance(spec, JarSpec) else "Maven artifacts hold"
        raise UsageError(f"{what} no Go benchmarks; leave out the harness")
    if config.profiles:
        raise UsageError("profiles are Maven's; a Go suite has none")
    project = prepare_go(
        placed.tree,
        name=None,
        revision=placed.revision,
        home=machine.home,
        host=machine.host,
        environment=dict(machine.environment),
        options={"tags": ",".join(config.tags)} if config.tags else {},
        digest_of_tree=placed.digest_of_tree,
        files=placed.files,
        top=placed.root,
    )
    return Ready(project, GoBench(list_seconds=config.request.suite.timeout_seconds))


def _jmh(spec: SubjectSpec, placed: Placed, config: Config, machine: Machine) -> Ready:
    if config.tags:
        raise UsageError("tags are Go's build tags; a JMH suite has none")
    common: Any = {
        "home": machine.home,
        "host": machine.host,
        "environment": machine.environment,
    }
    if isinstance(spec, MavenSpec):
        project = prepare_artifact(spec, **common)
    elif isinstance(spec, JarSpec):
        project = prepare_jar(spec, placed, host=machine.host, environment=machine.environment)
    else:
        project = prepare_tree(placed, profiles=config.profiles, **common)
    guests = prepare_guests(jmh_core_jar=jmh_jar(project.parts), **common)
    # The guest is not part of the overlay, as Go's is, but decides what is measured as well.
    own = guests.folder.name[:8]
    project = replace(project, digest=f"{project.digest}-{own}", content=f"{project.content}-{own}")
    return Ready(project, JmhHarness(guests))


# JMH: after 2 s of warm-up the two arms of an A/A process differed by 0.000 +- 0.003, after 0.6 s
# neighbouring blocks still scattered by 15 to 20 %.
HARNESSES: Mapping[str, HarnessSupport] = {
    "go": HarnessSupport(
        mutator=GoMutator(),
        ready=_go,
        pace=Pace(warm_seconds=0.05, block_seconds=0.01, longest_seconds=0.03),
    ),
    "jmh": HarnessSupport(
        mutator=JavaMutator(),
        ready=_jmh,
        pace=Pace(warm_seconds=1.0, block_seconds=0.03, longest_seconds=0.03),
    ),
}


def make_ready(config: Config, machine: Machine) -> tuple[Ready, HarnessSupport]:
    """Place the subject and make a project of it; raises an AuditError where that fails."""
    placed = place(
        config.subject, home=machine.home, host=machine.host, environment=machine.environment
    )
    java = isinstance(config.subject, MavenSpec | JarSpec)
    found = "jmh" if java else detect(placed.tree)
    name = config.harness or found
    if name is None:
        raise UsageError(
            f"{placed.name} is no project that bench-audit knows: there is no go.mod, go.work or "
            "pom.xml in its folder; name the folder that has one"
        )
    if name not in HARNESSES:
        raise UsageError(f"unknown harness {name!r}; known: {', '.join(sorted(HARNESSES))}")
    support = HARNESSES[name]
    return support.ready(config.subject, placed, config, machine), support


class Audit:
    """A subject made ready, with everything that can be asked of it."""

    def __init__(
        self, config: Config, parts: Parts, store: SqliteStore, host: Host, started: str
    ) -> None:
        """Take the parts, and when making them was begun; nothing is measured yet."""
        self._config = config
        self._reuse = Reuse(parts.observer, parts.project.revision)
        self._parts = replace(parts, observer=self._reuse)
        self._store = store
        self._host = host
        self._started = started
        self._number: int | None = None
        self._command = "abs"

    def plan(self) -> Preview:
        """Say what `abs` would measure."""
        return preview(self._config.request, self._parts)

    def plan_suite(self) -> Preview:
        """Say what `stability` would measure."""
        return preview_suite(self._parts)

    def abs(self) -> AbsVerdict:
        """Find the API benchmarking score."""
        self._begin("abs")
        verdict = abs_score.audit(self._config.request, self._parts)
        return replace(verdict, caveats=(*verdict.caveats, *self._reuse.caveats()))

    def stability(self) -> Stability:
        """Run the unchanged suite as often as asked."""
        self._begin("stability" if self._config.request.suite.stability_runs > 1 else "measure")
        verdict = stability.audit(self._parts)
        return replace(verdict, caveats=(*verdict.caveats, *self._reuse.caveats()))

    def document(self, verdict: AbsVerdict | Stability) -> dict[str, Any]:
        """Return the JSON result, and remember it in the store."""
        context = self._context()
        if isinstance(verdict, AbsVerdict):
            made = document(verdict, context)
        else:
            made = stability_document(verdict, context)
        if self._number is not None:
            self._store.end_audit(self._number, context.ended, json.dumps(made))
        return made

    def page(self, made: dict[str, Any]) -> str:
        """Return the HTML report of a document."""
        return page(made)

    def _begin(self, command: str) -> None:
        self._command = command
        self._number = self._store.add_audit(
            AuditRecord(
                command=command,
                subject=self._parts.project.digest,
                config=self._config.text,
                tools=self._parts.project.versions,
                version=own_version(),
                started=self._started,
            )
        )

    def _context(self) -> Context:
        project, request = self._parts.project, self._config.request
        facts = self._host.facts()
        return Context(
            subject=project.name,
            revision=project.revision,
            language=project.language,
            harness=project.harness,
            host=facts.name,
            host_facts=facts.facts,
            seed=request.suite.seed,
            plan=request.suite.plan,
            runs=request.runs,
            stability_runs=request.suite.stability_runs,
            wait=request.wait or "auto",
            versions=project.versions,
            version=own_version(),
            command=f"bench-audit {self._command} config.json",
            config=self._config.text,
            started=self._started,
            ended=self._parts.clock.now(),
        )


@contextmanager
def open_audit(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[Audit]:
    """Make the subject ready and open its store."""
    if config.host != "local":
        raise UsageError(f"unknown host {config.host!r}; known: local")
    clock: Clock = SystemClock()
    started = clock.now()
    budget = config.request.suite.budget_seconds
    deadline = None if budget is None else Deadline(clock, budget)
    host: Host = LocalHost(clock)
    machine = Machine(
        home=Home(places.home),
        host=host if deadline is None else LimitedHost(host, lambda: deadline.left),
        environment=tuple(sorted(environment.items())),
    )
    with SqliteStore(places.store, host=host.facts(), retry_failed=config.retry_failed) as store:
        ready, support = make_ready(config, machine)
        config = config.at_pace(support.pace)
        bench = Bench(
            project=ready.project,
            harness=ready.harness,
            host=machine.host,
            builds=machine.home.work(f"builds/{ready.project.digest}"),
            clock=clock,
        )
        if not_used := left_out(store.elsewhere(*ready.project.subjects)):
            observer.caveat(not_used)
        seconds = config.request.suite.timeout_seconds
        parts = Parts(
            project=ready.project,
            suite=_suite(bench, Listings(store, ready.project, seconds, own_version())),
            request=config.request.suite,
            fixed_operations=ready.harness.fixed_operations,
            layouts=ready.harness.layouts(ready.project),
            mutator=support.mutator,
            dispatcher=SerialDispatcher(bench, machine.home.root / "machine.lock"),
            store=store,
            observer=observer,
            clock=clock,
            deadline=deadline,
        )
        yield Audit(config, parts, store, host, started)


def _suite(bench: Bench, listings: Listings) -> Suite:
    """List the benchmarks that the store does not know; the sources are read each time."""
    if (known := listings.whole()) is not None:
        return replace(known, sources=bench.sources())
    suite = bench.discover(listings.groups())
    listings.add(suite)
    return suite


def own_version() -> str:
    """Return the version of this program."""
    try:
        return version("bench-audit")
    except PackageNotFoundError:
        return "unknown"
