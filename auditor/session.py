"""Where a command makes subjects ready and measures them: hosts, one store, one deadline."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import inf
from typing import Protocol, TypeVar

from auditor.clusters import Cluster, open_cluster
from auditor.config import Config, Places
from auditor.config.places import find_rental_folder
from auditor.core.caveats import Caveat, list_some
from auditor.core.errors import NoBenchmarks, OutOfTime
from auditor.core.jobs import HostFacts
from auditor.core.plan import Trial
from auditor.core.ports import Dispatcher, Host, Observer
from auditor.core.provenance import Context
from auditor.core.request import SubjectSpec, SuiteRequest
from auditor.core.subject import Project, Role
from auditor.core.suite import AskAll, Listing, Suite
from auditor.hosts import open_host
from auditor.hosts.opened import OpenHost
from auditor.languages.model import Machine
from auditor.languages.subject_setup import PreparedSubject, harness_of, prepare_subject
from auditor.measure import interference
from auditor.measure.context import Deadline, StudyContext
from auditor.measure.interference import InterferenceLog
from auditor.measure.reuse import ReuseObserver
from auditor.measure.suite_runs import may_be_chosen
from auditor.store.audits import AuditRecord
from auditor.store.listings import ListingStore
from auditor.store.machines import describe_unused_runs
from auditor.store.sqlite import SqliteStore
from auditor.versions import find_own_version
from runners.dispatch.machine import MachineDispatcher
from runners.hosts.clock import SystemClock
from runners.hosts.limited import LimitedHost
from runners.hosts.local import LocalHost
from runners.hosts.reference_workload import ReferenceWorkload
from runners.rented.ledger import RentalLedger
from runners.subjects.missing_files import name_missing_files
from runners.subjects.place import place_subject
from runners.subjects.placed import PlacedSubject
from runners.subjects.survey import explain_missing_benchmarks
from runners.subjects.tree_entries import list_changed_files
from runners.trial import TrialExecutor

MAX_JOBS = 4
"""Each may take as much memory as a benchmark is given: a JVM, by default, a quarter of it."""
RESERVE_SHARE, MAX_RESERVE_SECONDS = 0.04, 15.0
"""Part of a budget, and seconds, that are kept for judging and writing the result."""


class StoredResult(Protocol):
    """The result of a command, as the store keeps it."""

    @property
    def subject(self) -> str:
        """Return the name of the project."""

    @property
    def language(self) -> str:
        """Return the project's language."""


ResultType = TypeVar("ResultType", bound=StoredResult)


class AuditSession:
    """What one command measures with: a host or a cluster, one store, one deadline."""

    def __init__(
        self,
        config: Config,
        opened: OpenHost,
        store: SqliteStore,
        observer: Observer,
        cluster: Cluster | None = None,
    ) -> None:
        """Begin the clock of the budget; where there is a cluster, its machines measure."""
        self.clock = opened.clock
        self.started = self.clock.now()
        self.host = opened.host
        self.lock = opened.lock
        self.store = store
        self.observer = self._noting = InterferenceLog(observer)
        self.home = opened.home
        self._cluster = cluster
        self._placed: list[PlacedSubject] = []
        self.last_subject: SubjectSpec | None = None
        self._facts = cluster.host_facts if cluster else opened.host.read_facts()
        jobs = _count_jobs(opened.host.read_facts()) if opened.several else 1
        self._dispatching = MachineDispatcher(
            opened.lock, jobs, opened.host.stop_processes, self._count_seconds_left
        )
        path = opened.environment.get("PATH", "/usr/bin:/bin")
        self._loop = ReferenceWorkload(self.host, self.home, path, self.clock)
        budget = config.request.suite.budget_seconds
        self.deadline = None
        if budget is not None:
            reserve = min(MAX_RESERVE_SECONDS, RESERVE_SHARE * budget)
            self.deadline = Deadline(self.clock, budget, reserve=reserve)
        self.machine = Machine(
            home=self.home,
            host=self._limit_host(),
            environment=tuple(sorted(opened.environment.items())),
            tell=self.observer.build_step,
        )

    def _limit_host(self) -> Host:
        """Return what builds and lists, for as long as the budget and what is rented allow."""
        host = self.host if self._cluster is None else self._cluster.limit_host(self.host)
        deadline = self.deadline
        return (
            host
            if deadline is None
            else LimitedHost(host, lambda: deadline.seconds_left, _make_budget_error)
        )

    def prepare_study(self, config: Config) -> tuple[Config, StudyContext]:
        """Place a subject and list its suite; the plan gets what was left to the harness."""
        placed_subject = self._place_subject(config.subject)
        with _add_suite_hint(config, placed_subject):
            refresh = self._loop.refresh_timing
            prepared = prepare_subject(config, placed_subject, self.machine, self.clock, refresh)
        config, ready, language = prepared.config, prepared.ready, prepared.language
        project, request = ready.project, config.request.suite
        self._report_project_caveats(project)
        listings = ListingStore(self.store, project, request.timeout_seconds, find_own_version())
        self.machine.tell(f"listing the benchmarks of {project.name}")
        with _add_suite_hint(config, placed_subject):
            suite = _list_suite(
                prepared.executor, listings, request, self._dispatching.ask_in_parallel
            )
        hidden = tuple(language.notes(suite.sources))
        for note in hidden:
            self.observer.report_caveat(Caveat("environment", note))
        if not suite.benchmarks:
            searched_paths = project.list_paths(Role.BENCHMARKS)
            hint = explain_missing_benchmarks(
                placed_subject.tree, config.subject, project.harness, searched_paths
            )
            suite = replace(suite, hint=hint)
        return config, StudyContext(
            project=project,
            suite=suite,
            request=request,
            fixed_operations=ready.harness.fixed_operations,
            layouts=ready.harness.find_layouts(project),
            mutator=language.mutator,
            dispatcher=self._choose_dispatcher(prepared, placed_subject),
            store=self.store,
            observer=self.observer,
            clock=self.clock,
            deadline=self.deadline,
            is_always_called=prepared.executor.is_always_called,
            tested=tuple(ready.harness.list_test_parts(suite.sources)),
            one_processor=ready.harness.one_processor,
            unprofiled=ready.harness.explain_unprofiled(project),
            hidden=hidden,
            becomes_quiet=self._becomes_quiet,
            figures=language.figures,
        )

    def _place_subject(self, subject: SubjectSpec) -> PlacedSubject:
        placed_subject = place_subject(subject, **self.machine.preparation_arguments)
        self._placed.append(placed_subject)
        self.last_subject = subject
        return placed_subject

    def _report_project_caveats(self, project: Project) -> None:
        for text in project.notes:
            self.observer.report_caveat(Caveat("suite-choice", text))
        for note in project.requirements:
            self.observer.report_caveat(Caveat("environment", note))
        foreign_runs = self.store.count_foreign_runs(*project.input_digests)
        if unused := describe_unused_runs(foreign_runs):
            self.observer.report_caveat(unused)

    def _choose_dispatcher(self, prepared: PreparedSubject, placed: PlacedSubject) -> Dispatcher:
        """Return what runs trials: on the one machine, or on those of a cluster."""
        if self._cluster is None:
            self._dispatching.register_runner(
                prepared.ready.project.input_digests, prepared.executor
            )
            return self._dispatching
        return self._cluster.prepare_dispatcher(
            prepared, placed, self.observer, self._allows_trial, self._noting.machine_of
        )

    def _becomes_quiet(self, seconds: float) -> bool:
        """Wait for a quiet machine; of those of a cluster nobody knows."""
        return self._cluster is None and self._loop.becomes_quiet(seconds)

    def _count_seconds_left(self) -> float:
        return inf if self.deadline is None else self.deadline.seconds_left

    def _allows_trial(self, trial: Trial) -> bool:
        return self.deadline is None or self.deadline.has_time_for(
            self.deadline.times.estimate_seconds(trial)
        )

    def begin_audit(self, command: str, config: Config, project: Project) -> int:
        """Remember in the store that a command has been started; return its number."""
        self.store.add_project(project)
        return self.store.add_audit(
            AuditRecord(
                command=command,
                subject=project.digest,
                config=config.text,
                tools=project.versions,
                version=find_own_version(),
                started=self.started,
            )
        )

    def end_audit(self, number: int | None, ended: str, text: str) -> None:
        """Store the text of a result; `number` is None for a command that measures nothing."""
        if number is not None:
            self.store.end_audit(number, ended, text)

    def find_last_result(
        self, command: str, project: Project, read: Callable[[str], ResultType]
    ) -> ResultType | None:
        """Return the last stored result of a command for a project, of any revision.

        `read` returns a result from its text.
        """
        for audit in reversed(self.store.list_audits()):
            if audit.command == command and audit.ended is not None:
                result = read(self.store.read_result(audit))
                if (result.subject, result.language) == (project.name, project.language):
                    return result
        return None

    def make_context(
        self, config: Config, project: Project, command: str, *, timed: bool = True
    ) -> Context:
        """Return the circumstances of a verdict that has just been reached.

        `timed`: whether it rests on times, which a busy machine would spoil.
        """
        request = config.request
        facts, noted_processes = self._facts, self._noting.noted_processes
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
            version=find_own_version(),
            command=f"bench-audit {command} config.json",
            config=config.text,
            started=self.started,
            ended=self.clock.now(),
            strain=interference.combine_interference(noted_processes),
            caveats=(
                *(interference.describe_interference(noted_processes) if timed else ()),
                *self._tree_changed(),
            ),
        )

    def _tree_changed(self) -> Iterator[Caveat]:
        """Say what the suite has changed of the files that it was built of and reads."""
        for placed in self._placed:
            if paths := list_changed_files(placed):
                text = (
                    f"files in the copy of {placed.name} changed during the audit: "
                    f"{list_some(paths)}; its build, benchmarks or unit tests wrote them, and "
                    "later steps may have read them; write to a temporary folder instead"
                )
                yield Caveat("tree-changed", text)


@contextmanager
def open_session(
    config: Config, places: Places, environment: Mapping[str, str], observer: Observer
) -> Iterator[AuditSession]:
    """Open the host or the cluster of a configuration, and the store."""
    clock = SystemClock()
    ledger = RentalLedger(find_rental_folder(environment), LocalHost(clock), clock, environment)
    with (
        open_cluster(config, ledger, clock, observer.report_caveat) as cluster,
        open_host(config, places, environment, clock) as opened,
    ):
        facts = cluster.host_facts if cluster else opened.host.read_facts()
        with SqliteStore(places.store, host=facts, retry_failed=config.retry_failed) as store:
            session = AuditSession(config, opened, store, observer, cluster)
            with name_missing_files(lambda: session.last_subject):
                yield session


def _count_jobs(facts: HostFacts) -> int:
    """Return how many processes that need not be alone may run at a time, each on a core."""
    facts_by_name = dict(facts.facts)
    threads = int(facts_by_name["cores"]) if facts_by_name.get("cores", "").isdecimal() else 1
    cores = threads // 2 if facts_by_name.get("smt") == "on" else threads
    quota, _, period = facts_by_name.get("quota", "max").partition(" ")
    granted = (
        int(quota) // int(period)
        if quota.isdecimal() and period.isdecimal() and int(period)
        else cores
    )
    return max(1, min(MAX_JOBS, cores, granted))


@contextmanager
def _add_suite_hint(config: Config, placed: PlacedSubject) -> Iterator[None]:
    """Add to the message of a suite without benchmarks where there are some."""
    try:
        yield
    except NoBenchmarks as error:
        hint = explain_missing_benchmarks(placed.tree, config.subject, harness_of(config, placed))
        raise NoBenchmarks(f"{error}; {hint}") from error


def _make_budget_error() -> OutOfTime:
    return OutOfTime(
        "the budget ended before the subject was built and its suite listed, so nothing was "
        "measured; give a larger --budget"
    )


def _list_suite(
    executor: TrialExecutor, listings: ListingStore, request: SuiteRequest, together: AskAll
) -> Suite:
    """List the benchmarks that the store does not know; the sources are read each time."""
    if (stored_suite := listings.find_suite()) is not None:
        return replace(stored_suite, sources=executor.read_sources())
    asked_for = partial(may_be_chosen, request.benchmarks)
    listing = Listing(suites=listings.find_groups(), together=together, is_asked_for=asked_for)
    suite = executor.discover_suite(listing)
    listings.add_suite(suite)
    return suite


class SubjectWork:
    """A subject made ready, with what notes which runs are of other revisions."""

    def __init__(self, config: Config, parts: StudyContext, session: AuditSession) -> None:
        """Take the parts; nothing is measured yet."""
        self._config = config
        self._reuse = ReuseObserver(parts.observer, parts.project.revision)
        self._parts = replace(parts, observer=self._reuse)
        self._session = session
        self._number: int | None = None
