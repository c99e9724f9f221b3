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
from auditor.concurrency.judge.catalogue import Catalogue
from auditor.concurrency.judge.focus import focus
from auditor.concurrency.study import ConcurrencyContext, ConcurrencyStudy
from auditor.config import Places
from auditor.config.concurrency import ConcurrencyRequest, words_of
from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import ConcurrencyVerdict, FocusMethod, LibraryVersion
from auditor.core.errors import ResolveFailed, ToolMissing, UsageError
from auditor.core.ports import Observer
from auditor.store.races import ConcurrentRunStore
from auditor.store.sqlite import SqliteStore
from auditor.versions import own_version
from mutators.java.races import JMH, Notes, RaceWriter
from runners.concurrency import guests
from runners.concurrency.arena import RACE_OPTIONS, LocalArena
from runners.concurrency.code import CodeReader
from runners.concurrency.jdks import Java, jdk_at
from runners.concurrency.lookup import require_class, require_readable
from runners.concurrency.versions import ReadyVersion, ready_version
from runners.home import Home
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.hosts.variables import usual_ones
from runners.jmh.guests import prepare_guests
from runners.jmh.javac import Javac
from runners.jmh.jdk import Jdk, find_jdk, java_environment

_LEAST_RELEASE = "8"
"""The guest's own code runs in any JDK that a subject may be run with."""
MAKERS = (
    *(
        f"auditor.concurrency.judge.{name}"
        for name in (
            "acquire_release", "arguments", "catalogue", "focus", "generation", "hierarchy",
            "length", "tally", "terminal_methods", "uncompilable_calls",
        )
    ),
    "auditor.concurrency.study_generation",
)  # fmt: skip
"""The modules that decide which tests are made."""
RACERS = ("auditor.concurrency.study_race", "mutators.java.race_plains", "mutators.java.races")
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
class _Ready:
    """The versions, and the JDKs that compile and run them."""

    versions: Mapping[LibraryVersion, ReadyVersion]
    subject: str
    java: Java
    jdk: Jdk


class Racing:
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
        self._home = Home(places.home)
        self._given = tuple(sorted(environment.items()))
        self._java_environment = java_environment(tuple(usual_ones(environment).items()))
        self._ready = self._made_ready()

    def audit(self) -> ConcurrencyVerdict:
        """Make tests and race the versions."""
        ready, request = self._ready, self._asked
        javac = Javac(self._host, self._java_environment, ready.jdk, _LEAST_RELEASE)
        guest = guests.prepare_guests(self._home, javac)
        with self._home.scratch() as scratch:
            arena = LocalArena(
                host=self._host,
                folder=scratch,
                environment=self._java_environment,
                java=ready.java,
                javac=Javac(self._host, self._java_environment, ready.jdk, self._release),
                guest=guest.jar,
                class_paths={
                    version: ready.versions[version].class_path for version in LibraryVersion
                },
                lock=self._home.machine_lock,
                options=request.options,
                attempt_seconds=request.plan.attempt_seconds,
            )
            methods, unread = self._focus(scratch)
            memory = replace(self.memory(guest.jar, unread), beside=arena.beside)
            workers = ConcurrencyContext(
                arena=arena,
                writer=self._writes,
                memory=memory,
                observer=self._observer,
            )
            verdict = ConcurrencyStudy(
                ready.subject, request.plan, methods, workers, unread
            ).audit()
        noted = [one for each in memory.noted.values() for one in each]
        return replace(verdict, caveats=(*verdict.caveats, *host_load.caveats(noted)))

    def document(self, verdict: ConcurrencyVerdict) -> ConcurrencyDocument:
        """Return the result."""
        facts, ready = self._host.facts(), self._ready
        old, new = (self._origin(version) for version in LibraryVersion)
        around = Circumstances(
            old=old,
            new=new,
            host=facts.name,
            host_facts=facts.facts,
            versions=(("jdk", ready.java.version),),
            version=own_version(),
            command=self._command(),
            started=self._started,
            ended=self._clock.now(),
        )
        return concurrency_document(verdict, around)

    def files(self, verdict: ConcurrencyVerdict) -> Sequence[tuple[str, str]]:
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
                (name, data.decode())
                for name, data in guests.sources().items()
                if name.startswith(guests.RUNTIME)
            ),
        ]

    @property
    def _release(self) -> str:
        """Return the oldest JVM that tests are compiled for: the one that runs them."""
        return str(min(self._ready.java.feature, self._ready.jdk.feature))

    def _made_ready(self) -> _Ready:
        request, host = self._asked, self._host
        jdk = find_jdk(host, self._given)
        java = jdk_at(request.java_home, host, self._given)
        versions = {
            version: ready_version(
                request.written[version],
                request.versions[version],
                home=self._home,
                host=host,
                environment=self._given,
            )
            for version in LibraryVersion
        }
        names = [require_class(version, request.subject) for version in versions.values()]
        for one in versions.values():
            require_readable(one, names[0], java.feature, jdk.feature)
        if request.jmh and "." not in names[0]:
            raise UsageError(
                f"--jmh writes no benchmark of {names[0]}: JMH takes none without a package, and a "
                "class without one has no name in a package; leave --jmh out"
            )
        return _Ready(versions=versions, subject=names[0], java=java, jdk=jdk)

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
            text = f"which methods differ is not known, so all are called alike: {reason}"
            return (), (Caveat("unfocused", text),)
        reader = CodeReader(
            host=self._host,
            guests=tools,
            java=self._ready.jdk.java,
            environment=self._java_environment,
        )
        old, new = (
            reader.read(self._ready.versions[version].own, scratch) for version in LibraryVersion
        )
        unread = (*old.unreadable, *new.unreadable)
        said = [f"{len(unread)} classes cannot be read, {path}: {why}" for path, why in unread[:1]]
        caveats = tuple(Caveat("classes-unread", text) for text in said)
        return focus(old.classes, new.classes, self._ready.subject), caveats

    def memory(self, guest: Path, unread: Sequence[Caveat] = ()) -> ConcurrentRunStore:
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
            _digest(RACERS),
        )
        making = (_digest(MAKERS), *(caveat.slug for caveat in unread))
        return ConcurrentRunStore(self._store, self._clock, self._asked.plan, deciding, making)

    def _writes(self, catalogue: Catalogue) -> RaceWriter:
        answers = {
            name: facts.answers
            for name, facts in catalogue.types.items()
            if facts.answers is not None
        }
        old, new = (self._asked.written[version] for version in LibraryVersion)
        notes = Notes(subject=self._ready.subject, old=old, new=new, seed=self._asked.plan.seed)
        return RaceWriter(catalogue.written, answers, notes, self._asked.jmh)

    def _origin(self, version: LibraryVersion) -> Origin:
        return Origin(self._asked.written[version], self._ready.versions[version].revision)

    def _command(self) -> str:
        return shlex.join(("bench-audit", "concurrency", *words_of(self._asked)))


def _digest(modules: Sequence[str]) -> str:
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
) -> Iterator[Racing]:
    """Make both versions ready and open the store."""
    with SqliteStore(places.store, host=LocalHost().facts()) as store:
        yield Racing(request, places, environment, store, observer)
