"""What the workers of a cluster run: each makes the subject ready for itself."""

import atexit
import os
import platform
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auditor.config import Places
from auditor.config.load import parse_config_text
from auditor.config.places import find_cache_folder, find_state_folder
from auditor.core.errors import MachineError, WorkerUnusable
from auditor.core.jobs import HostFacts
from auditor.core.plan import Run, Trial
from auditor.core.ports import Host
from auditor.hosts import open_host
from auditor.languages.model import Machine
from auditor.languages.subject_setup import PreparedSubject, prepare_subject
from auditor.versions import find_own_version, hash_own_code
from runners.dispatch.machine import lock_machine
from runners.home import HomeFolder, read_machine_name
from runners.hosts.clock import SystemClock
from runners.hosts.machine_facts import read_machine_facts
from runners.hosts.reference_workload import ReferenceWorkload
from runners.jmh.built_suite import BuiltSuite
from runners.programs import is_program_built
from runners.subjects.jar import NAME
from runners.subjects.placed import PlacedSubject
from runners.tree_archive import unpack_folders


class WorkerQuestion:
    """A function that workers are to call; it stays asked, so that an answer may come late."""

    def __init__(
        self, client: Any, function: Callable[..., Any], workers: Sequence[str], *arguments: Any
    ) -> None:
        """Ask these workers by a client of `distributed`."""
        self._named = ", ".join(workers)
        self._answers: list[Mapping[str, Any]] = []
        self._errors: list[Exception] = []

        def ask_workers() -> None:
            try:
                self._answers.append(client.run(function, *arguments, workers=workers))
            except Exception as error:  # whatever a worker says that lacks us
                self._errors.append(error)

        # The client itself waits for ever for one that has been halted.
        self._thread = threading.Thread(target=ask_workers, daemon=True)
        self._thread.start()

    def wait_for_answer(self, seconds: float) -> Mapping[str, Any]:
        """Return what each worker answers, for which so many seconds are waited.

        Raises TimeoutError where there is no answer yet, ConnectionError where none will come, and
        MachineError where a worker lacks us.
        """
        self._thread.join(seconds)
        if self._answers:
            return self._answers[0]
        if not self._errors:
            raise TimeoutError(f"{self._named} does not answer")
        error = self._errors[0]
        if isinstance(error, OSError):
            raise ConnectionError(f"{self._named} does not answer: {error}") from error
        raise MachineError(
            f"{self._named} cannot run bench-audit {find_own_version()}: install the same version "
            f"for its Python ({type(error).__name__}: {error})"
        ) from error


_SECONDS = 20.0
"""How long a program may take on its way; after that it is built here."""

ProgramReader = Callable[[str, str, str, str], bytes | None]
"""What a worker answers: the program of a session, a project's digest and a path of its builds, if
its C library is like that of who asks: programs may be linked with it."""


class ProgramPeers:
    """The workers that have built what this one is about to build, as told with each trial."""

    def __init__(self, session: str, digest: str, read_program: ProgramReader) -> None:
        """Take whose builds are meant, and what the others are asked."""
        self._session = session
        self._digest = digest
        self._read_program = read_program
        self.makers: Sequence[str] = ()

    def fetch_program(self, path: Path) -> bytes | None:
        """Return what one of them has at this path of its builds; None: it has to be built."""
        if not self.makers:
            return None
        from distributed import get_client  # noqa: PLC0415 an extra, and slow to import

        words = (self._session, self._digest, str(path), read_c_library())
        for worker in self.makers:
            try:
                question = WorkerQuestion(get_client(), self._read_program, [worker], *words)
                chunk: bytes | None = question.wait_for_answer(_SECONDS)[worker]
            except (OSError, ValueError, KeyError, MachineError):  # to build it is no great loss
                continue
            if chunk is not None:
                return chunk
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectRecipe:
    """All that a worker needs to make a subject ready."""

    session: str  # id of the audit; another audit shares nothing but builds
    config: str  # the configuration as JSON text
    placed: PlacedSubject = field(repr=False)  # the copy of the subject
    tree: bytes = field(repr=False)  # archive of that copy
    built: BuiltSuite | None = field(repr=False)
    """Build of the unchanged subject; None: each worker builds it."""
    digest: str  # of the project, which the worker's project must equal


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What a worker says of itself."""

    version: str
    python: str
    host: HostFacts
    code: str


@dataclass(frozen=True, slots=True)
class _OpenSubject:
    """A bench, the lock of its machine, its folder of builds, and who has what it would build."""

    prepared: PreparedSubject
    lock: Path
    builds: Path
    peers: ProgramPeers


@dataclass(slots=True)
class _WorkerSession:
    """What this worker has open for an audit: hosts at once, benches when they are ready."""

    hosts: list[Host] = field(default_factory=list)
    recipes: dict[str, SubjectRecipe] = field(default_factory=dict)
    benches: dict[str, _OpenSubject] = field(default_factory=dict)
    stack: ExitStack = field(default_factory=ExitStack)
    left: bool = False


_SESSIONS: defaultdict[str, _WorkerSession] = defaultdict(_WorkerSession)


def describe_worker() -> WorkerInfo:
    """Say what this worker is."""
    return WorkerInfo(
        find_own_version(), platform.python_version(), read_machine_facts(), hash_own_code()
    )


def store_recipe(recipe: SubjectRecipe) -> None:
    """Keep a recipe for the trials of its subject."""
    _SESSIONS[recipe.session].recipes[recipe.digest] = recipe


def run_trial(name: str, digest: str, trial: Trial, makers: Sequence[str]) -> Run:
    """Run a trial on this worker by a recipe of this session, followed at the first one.

    `makers` are workers that have built its program. Raises WorkerUnusable where that fails for a
    reason of this machine's.
    """
    session = _SESSIONS[name]
    if digest not in session.benches:
        try:
            session.benches[digest] = _open_subject(session.recipes[digest], session)
        except MachineError as error:
            raise WorkerUnusable(f"{platform.node()}: {error}") from error
    opened = session.benches[digest]
    opened.peers.makers = makers
    with lock_machine(opened.lock):
        return opened.prepared.executor.run_trial(trial)


def read_program(session: str, digest: str, path: str, library: str) -> bytes | None:
    """Return a program that this worker has built for an audit; None where it has not.

    It is for a worker with this C library.
    """
    is_compatible = session in _SESSIONS and library == read_c_library()
    open_subject = _SESSIONS[session].benches.get(digest) if is_compatible else None
    file = open_subject.builds / path if open_subject else None
    return file.read_bytes() if file and is_program_built(file) else None


def leave_session(name: str) -> None:
    """End what this worker runs for an audit, also while it makes a subject ready.

    Called beside the thread that runs trials, which must not be waited for: it ends by itself when
    its host runs nothing any more.
    """
    session = _SESSIONS[name]
    session.left = True
    for host in session.hosts:
        host.stop_processes()
    session.stack.close()
    session.recipes.clear()


def _open_subject(recipe: SubjectRecipe, session: _WorkerSession) -> _OpenSubject:
    environment = dict(os.environ)  # noqa: TID251 nobody hands a worker what it was started with
    clock = SystemClock()
    results = find_state_folder(environment)
    home_folder = HomeFolder(find_cache_folder(environment))
    # Machines of a computing centre often see the same files, and each builds and measures there.
    worker_root = home_folder.root / "workers" / read_machine_name()
    places = Places(output=results, store=results / "store.sqlite", home=worker_root)
    placed_subject = _unpack_tree(recipe, HomeFolder(places.home))
    jar = placed_subject.tree / NAME
    config = parse_config_text(recipe.config, jar if jar.is_file() else placed_subject.tree)
    opened = session.stack.enter_context(open_host(config, places, environment, clock))
    session.hosts.append(opened.host)
    if session.left:
        opened.host.stop_processes()
    path = opened.environment.get("PATH", os.defpath)
    peers = ProgramPeers(recipe.session, recipe.digest, read_program)
    host = Machine(
        home=opened.home,
        host=opened.host,
        environment=tuple(sorted(opened.environment.items())),
        elsewhere=peers.fetch_program,
        built=recipe.built,
    )
    loop = ReferenceWorkload(opened.host, opened.home, path, clock)
    subject = prepare_subject(config, placed_subject, host, clock, loop.refresh_timing)
    if subject.ready.project.digest != recipe.digest:
        text = ", ".join(" ".join(version) for version in subject.ready.project.versions)
        raise MachineError(
            f"worker {platform.node()} builds a different program from the same tree ({text}); "
            "give it the tools and settings of the machine that runs the audit"
        )
    return _OpenSubject(
        subject, home_folder.machine_lock, opened.home.make_builds_folder(recipe.digest), peers
    )


def _unpack_tree(recipe: SubjectRecipe, home_: HomeFolder) -> PlacedSubject:
    """Have the tree on this machine, as it was sent; raises MachineError."""
    root = unpack_folders(recipe.tree, recipe.placed.digest_of_tree, home_)
    inside = recipe.placed.tree.relative_to(recipe.placed.root)
    return replace(recipe.placed, root=root, tree=root / inside)


@atexit.register
def _leave_all_sessions() -> None:
    for name in tuple(_SESSIONS):
        leave_session(name)


def read_c_library() -> str:
    """Return the C library of this machine, and its version."""
    return " ".join(platform.libc_ver())
