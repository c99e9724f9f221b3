"""Two versions of a class made ready, with what makes, runs and writes their tests."""

import hashlib
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path

from auditor.concurrency.document import (
    Circumstances,
    ConcurrencyDocument,
    Origin,
    concurrency_document,
)
from auditor.concurrency.judge import host_load
from auditor.concurrency.judge.catalogue import TypeCatalogue
from auditor.concurrency.judge.focus import find_focus_methods
from auditor.concurrency.study import ConcurrencyContext, ConcurrencyStudy
from auditor.config import Places
from auditor.config.concurrency import ConcurrencyRequest, words_of
from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import ConcurrencyVerdict, FocusMethod, LibraryVersion
from auditor.core.errors import ResolveFailed, ToolMissing, UsageError
from auditor.core.ports import Observer
from auditor.store.races import ConcurrentRunStore
from auditor.store.sqlite import SqliteStore
from auditor.versions import find_own_version
from mutators.java.races import JMH, RaceHeader, RaceWriter
from runners.concurrency.arena import (
    RACE_OPTIONS,
    RUNTIME,
    JavaRuntime,
    LocalArena,
    find_java,
    prepare_race_guests,
    read_guest_sources,
)
from runners.concurrency.code import CodeReader
from runners.concurrency.lookup import require_class, require_readable
from runners.concurrency.versions import ReadyVersion, prepare_version
from runners.home import HomeFolder
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.hosts.variables import usual_ones
from runners.jmh.guests import prepare_guests
from runners.jmh.jdk import Javac, Jdk, find_jdk, java_environment

_LEAST_RELEASE = "8"
"""The guest's own code runs in any JDK that a subject may be run with."""
MAKERS = (
    *(
        f"auditor.concurrency.judge.{name}"
        for name in (
            "arguments", "catalogue", "focus", "generation", "tally", "terminal_methods",
            "uncompilable_calls",
        )
    ),
    "auditor.concurrency.study_generation",
)  # fmt: skip
"""The modules that decide which tests are made."""
RACERS = ("auditor.concurrency.study_race", "mutators.java.races")
"""Those that decide what is raced of a test."""
_READ_ME = """These tests were made by bench-audit for two versions of {subject}.

A test is a class Race1, Race2, ...; benchaudit/race/ is what runs it. To compile them, and to see
what a repetition of one takes with {threads} threads, the most it has (0: one thread does the work
of all), for 5 seconds:

    javac -cp VERSION.jar -d classes benchaudit/race/*.java {sources}
    java -cp classes:VERSION.jar benchaudit.race.Measure {first} threads={threads} pilot=5

The line "pilot N WALL SECONDS" tells how many repetitions were counted, and the mean seconds of
one, with its prefix and without.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _AuditSetup:
    """The versions, and the JDKs that compile and run them."""

    versions: Mapping[LibraryVersion, ReadyVersion]
    subject: str
    java: JavaRuntime
    jdk: Jdk


class ConcurrencyAuditor:
    """Two versions of a class made ready."""

    def __init__(
        self,
        request: ConcurrencyRequest,
        places: Places,
        environment: Mapping[str, str],
        store: SqliteStore,
        observer: Observer,
    ) -> None:
        """Place both versions; nothing of them is run yet."""
        self._asked = request
        self._store = store
        self._observer = observer
        self._clock = SystemClock()
        self._started = self._clock.now()
        self._host = LocalHost(self._clock)
        self._home = HomeFolder(places.home)
        self._given = tuple(sorted(environment.items()))
        self._java_environment = java_environment(tuple(usual_ones(environment).items()))
        self._ready = self._prepare_versions()

    def run_audit(self) -> ConcurrencyVerdict:
        """Make tests and race the versions."""
        ready, request = self._ready, self._asked
        javac = Javac(self._host, self._java_environment, ready.jdk, _LEAST_RELEASE)
        guest = prepare_race_guests(self._home, javac)
        with self._home.make_scratch_folder() as scratch:
            arena = LocalArena(
                host=self._host,
                folder=scratch,
                environment=self._java_environment,
                java=ready.java,
                javac=Javac(self._host, self._java_environment, ready.jdk, self._target_release),
                guest=guest.jar,
                class_paths={
                    version: ready.versions[version].class_path for version in LibraryVersion
                },
                lock=self._home.machine_lock,
                options=request.options,
                attempt_seconds=request.plan.attempt_seconds,
            )
            methods, unread = self._focus(scratch)
            memory = replace(
                self.make_run_store(guest.jar, unread), take_notes=arena.take_interference_notes
            )
            workers = ConcurrencyContext(
                arena=arena,
                writer=self._make_writer,
                memory=memory,
                observer=self._observer,
            )
            verdict = ConcurrencyStudy(
                ready.subject, request.plan, methods, workers, unread
            ).run_study()
        interference_notes = [note for notes in memory.notes_by_id.values() for note in notes]
        return replace(
            verdict, caveats=(*verdict.caveats, *host_load.list_caveats(interference_notes))
        )

    def build_document(self, verdict: ConcurrencyVerdict) -> ConcurrencyDocument:
        """Return the result."""
        facts, audit_setup = self._host.read_facts(), self._ready
        old, new = (self._make_origin(version) for version in LibraryVersion)
        around = Circumstances(
            old=old,
            new=new,
            host=facts.name,
            host_facts=facts.facts,
            versions=(("jdk", audit_setup.java.version),),
            version=find_own_version(),
            command=self._format_command(),
            started=self._started,
            ended=self._clock.now(),
        )
        return concurrency_document(verdict, around)

    def list_test_files(self, verdict: ConcurrencyVerdict) -> Sequence[tuple[str, str]]:
        """Return the tests as source, with all that they need to run, by their paths."""
        tests = [name for name, _ in verdict.suite.files if not name.startswith(JMH)]
        first = tests[0].removesuffix(".java").replace("/", ".")
        read_me = _READ_ME.format(
            subject=verdict.subject,
            sources=" ".join(tests),
            first=first,
            threads=max(verdict.plan.threads),
        )
        return [
            ("README.txt", read_me),
            *verdict.suite.files,
            *(
                (name, source_bytes.decode())
                for name, source_bytes in read_guest_sources().items()
                if name.startswith(RUNTIME)
            ),
        ]

    @property
    def _target_release(self) -> str:
        """Return the oldest JVM that tests are compiled for: the one that runs them."""
        return str(min(self._ready.java.feature, self._ready.jdk.feature))

    def _prepare_versions(self) -> _AuditSetup:
        request, host = self._asked, self._host
        jdk = find_jdk(host, self._given)
        java = find_java(request.java_home, host, self._given)
        versions = {
            version: prepare_version(
                request.version_texts[version],
                request.versions[version],
                home=self._home,
                host=host,
                environment=self._given,
            )
            for version in LibraryVersion
        }
        names = [require_class(version, request.subject) for version in versions.values()]
        for library_version in versions.values():
            require_readable(library_version, names[0], java.feature, jdk.feature)
        if request.jmh and "." not in names[0]:
            raise UsageError(
                f"--jmh cannot write a benchmark of {names[0]}: JMH benchmarks need a package, "
                "from which this class is not accessible; leave --jmh out"
            )
        return _AuditSetup(versions=versions, subject=names[0], java=java, jdk=jdk)

    def _focus(self, scratch: Path) -> tuple[tuple[FocusMethod, ...], tuple[Caveat, ...]]:
        """Return the methods that differ and those that call them, and what could not be read.

        Only what reads byte code is fetched from elsewhere: without it no method is preferred.
        """
        try:
            tools = prepare_guests(
                home=self._home, host=self._host, environment=self._given, jmh_core_jar=None
            )
        except (ResolveFailed, ToolMissing) as error:
            reason = str(error).partition("\n")[0]
            text = f"the changed methods are unknown, so tests call all methods alike: {reason}"
            return (), (Caveat("unfocused", text),)
        reader = CodeReader(
            host=self._host,
            guests=tools,
            java=self._ready.jdk.java,
            environment=self._java_environment,
        )
        old, new = (
            reader.read_version(self._ready.versions[version].own_entries, scratch)
            for version in LibraryVersion
        )
        unread = (*old.unreadable, *new.unreadable)
        messages = [
            f"{len(unread)} classes cannot be read, {path}: {cause}" for path, cause in unread[:1]
        ]
        caveats = tuple(Caveat("classes-unread", text) for text in messages)
        return find_focus_methods(old.classes, new.classes, self._ready.subject), caveats

    def make_run_store(self, guest: Path, unread: Sequence[Caveat] = ()) -> ConcurrentRunStore:
        """Return what the store knows of these versions, made and raced as they would be now.

        `unread` says what of their code is not known, which tests would be made by.
        """
        ready = self._ready
        deciding = (
            ready.subject,
            *(ready.versions[version].digest for version in LibraryVersion),
            ready.java.version,
            guest.name,
            *RACE_OPTIONS,
            *self._asked.options,
            _compute_digest(RACERS),
        )
        making = (_compute_digest(MAKERS), *(caveat.slug for caveat in unread))
        return ConcurrentRunStore(self._store, self._clock, self._asked.plan, deciding, making)

    def _make_writer(self, catalogue: TypeCatalogue) -> RaceWriter:
        answers = {
            name: facts.answers
            for name, facts in catalogue.types.items()
            if facts.answers is not None
        }
        old, new = (self._asked.version_texts[version] for version in LibraryVersion)
        notes = RaceHeader(
            subject=self._ready.subject, old=old, new=new, seed=self._asked.plan.seed
        )
        return RaceWriter(catalogue.format_type, answers, notes, self._asked.jmh)

    def _make_origin(self, version: LibraryVersion) -> Origin:
        return Origin(self._asked.version_texts[version], self._ready.versions[version].revision)

    def _format_command(self) -> str:
        return shlex.join(("bench-audit", "concurrency", *words_of(self._asked)))


def _compute_digest(modules: Sequence[str]) -> str:
    """Return a digest of the sources of modules: another release may make another thing."""
    sha = hashlib.sha256()
    for module in modules:
        package, _, name = module.rpartition(".")
        sha.update(resources.files(package).joinpath(f"{name}.py").read_bytes() + b"\0")
    return sha.hexdigest()


@contextmanager
def open_concurrency(
    request: ConcurrencyRequest,
    places: Places,
    environment: Mapping[str, str],
    observer: Observer,
) -> Iterator[ConcurrencyAuditor]:
    """Make both versions ready and open the store."""
    with SqliteStore(places.store, host=LocalHost().read_facts()) as store:
        yield ConcurrencyAuditor(request, places, environment, store, observer)
