"""A container of its own for each process, on the Docker daemon of this machine."""

import copy
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from docker.errors import APIError, DockerException, NotFound
from docker.types import Mount
from docker.utils.socket import frames_iter

from auditor.core.errors import FolderUnusable, MachineError
from auditor.core.jobs import CompletedProcess, HostFacts, Invocation
from auditor.core.ports import Clock
from runners.disk import check_local_disk
from runners.home import HomeFolder
from runners.hosts import interference
from runners.hosts.clock import SystemClock
from runners.hosts.daemon import (
    FAILURES,
    LABEL,
    OWNER,
    SECONDS,
    DockerDaemon,
    Image,
    container_refused,
    program_missing,
)
from runners.hosts.exchange import collect_files, refuse_links, write_files
from runners.hosts.following import OutputFollower
from runners.hosts.machine_facts import SCRIPT, make_host_facts, parse_facts, read_machine_facts
from runners.hosts.output_watch import OutputWatch, WatchedProcess, signal_or_code

_LAG_SECONDS = 5.0
"""How long after its end a container's output may still be on its way."""


class Container:
    """One that runs one program; what goes wrong with the daemon is MachineError."""

    def __init__(self, daemon: DockerDaemon, image: Image, program: str, number: str) -> None:
        """Take one that is made and not started, by its number."""
        self._daemon = daemon
        self._api: Any = daemon.api
        self._image = image
        self._program = program
        self._number = number
        self._lost: Exception | None = None

    @contextmanager
    def start_watched(self, seconds: float) -> Iterator[WatchedProcess]:
        """Start it, its output going to pipes; it is watched for so many seconds."""
        output = self._start_container()
        reads, writes = zip(os.pipe(), os.pipe(), strict=True)
        pump = threading.Thread(target=_pump_output, args=(output, writes), daemon=True)
        pump.start()
        try:
            yield WatchedProcess(
                stdout=reads[0],
                stderr=reads[1],
                wait=partial(self._wait_for_end, pump, seconds),
                signal=self.send,
            )
        finally:
            for read in reads:
                os.close(read)
        if self._lost is not None:
            raise self._daemon.make_daemon_error(f"wait for {self._program}", self._lost)

    def send(self, process_signal: signal.Signals) -> None:
        """Send it a signal; it may have ended; `_wait_for_end` notices a daemon that is gone."""
        if self._lost is not None:
            return
        with suppress(*FAILURES):
            self._api.kill(self._number, signal=process_signal.name)

    def inspect_state(self) -> Any:
        """Return how it has ended, in the daemon's words."""
        with self._daemon.convert_failures(f"tell how {self._program} has ended"):
            return self._api.inspect_container(self._number)["State"]

    def remove(self) -> None:
        """Remove it, whatever it does, unless it is gone; raises what the SDK does."""
        with suppress(NotFound):
            self._api.remove_container(self._number, force=True, v=True)

    def _start_container(self) -> Any:
        """Start it; return its output."""
        stream_options = {"stdout": 1, "stderr": 1, "stream": 1, "logs": 0}
        with self._daemon.convert_failures(f"hand on the output of {self._program}"):
            output = self._api.attach_socket(self._number, params=stream_options)
        try:
            self._api.start(self._number)
        except FAILURES as error:
            _close_connection(output)
            if isinstance(error, APIError):
                raise container_refused(error, self._program, self._image) from error
            raise self._daemon.make_daemon_error(f"start {self._program}", error) from error
        return output

    def _wait_for_end(self, pump: threading.Thread, seconds: float) -> None:
        """Wait for the end. A daemon that does not tell of it is waited for a while longer."""
        try:
            self._api.wait(self._number, timeout=seconds + SECONDS)
        except FAILURES as error:
            self._lost = error
        pump.join(_LAG_SECONDS)


_CLOSED = Path("/root")

User = tuple[int, int]
"""The numbers of a user and a group."""

_NOBODY = 65534
"""Who runs in the container where we are root."""
_FACTS_SECONDS = 60.0
_INIT = b"[FATAL tini"
_NOT_FOUND = 127


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerLimits:
    """What a container may use. `cpus` are numbers such as "0,2-3", empty: all."""

    memory: int
    processes: int
    cpus: str = ""


@dataclass(frozen=True, slots=True)
class _ContainerAccess:
    """What a container reaches: a network, None without one, and the folders it may write."""

    network: str | None
    writable: tuple[Path, ...]


class DockerHost:
    """Runs each job in a container of its own that is removed at its end.

    The folder of `home` is mounted at the path that it has here. A container is no root, has no
    capabilities, cannot get any, and writes to temporary folders and what it is handed only.
    """

    def __init__(  # noqa: PLR0913 - the daemon, and what containers get
        self,
        *,
        daemon: DockerDaemon,
        image: Image,
        limits: ContainerLimits,
        home: HomeFolder,
        private_home: HomeFolder,
        network: str,
        clock: Clock | None = None,
    ) -> None:
        """Take the parts.

        `network` is the one that subjects are fetched and built with. No container sees the folder
        `private_home`, but for the temporary files in it.
        """
        self._daemon = daemon
        self._api: Any = daemon.api
        self._image = image
        self._limits = limits
        self._home = home
        self._own = private_home
        self._access = _ContainerAccess(network, (home.root,))
        self._clock = clock or SystemClock()
        self._facts: list[HostFacts] = []
        self._running: set[Container] = set()
        self._stopped = threading.Event()
        self._user = (os.getuid(), os.getgid()) if os.getuid() else (_NOBODY, _NOBODY)

    def make_measuring_host(self, writable: Sequence[Path]) -> "DockerHost":
        """Return it without network, where nothing but these folders can be written."""
        measuring_host = copy.copy(self)
        measuring_host._access = _ContainerAccess(None, tuple(writable))
        return measuring_host

    def stop_processes(self) -> None:
        """End what other threads run here; nothing is run after that."""
        self._stopped.set()
        for container in tuple(self._running):
            container.send(signal.SIGKILL)

    def read_facts(self) -> HostFacts:
        """Return those of a container, under the name of this machine."""
        if not self._facts:
            invocation = Invocation(
                argv=("sh", "-c", SCRIPT),
                cwd=self._home.root,
                environment=tuple(sorted(self._image.variables.items())),
                timeout_seconds=_FACTS_SECONDS,
            )
            answer = self.make_measuring_host(()).run_process(invocation)
            facts_by_name = dict(
                make_host_facts(parse_facts(answer.stdout.decode(errors="replace"))).facts
            )
            facts_by_name |= {"container": "docker", "image": self._image.digest}
            self._facts.append(
                HostFacts(read_machine_facts().name, tuple(sorted(facts_by_name.items())))
            )
        return self._facts[0]

    def run_process(self, job: Invocation) -> CompletedProcess:
        """Run one process to its end, or until it has shown enough; nothing of it is left.

        Raises MachineError once it has been stopped and where the daemon cannot run it, ToolMissing
        for a program that the image lacks, SubjectError for links that lead out of our folder.
        """
        if not job.cwd.is_dir():
            raise FolderUnusable(f"cannot run {job.argv[0]} in {job.cwd}: there is no such folder")
        write_files(job, self._home.root)
        following = OutputFollower(job, self._home.root)
        with (
            self._own.make_scratch_folder() as scratch,
            self._open_container(job, scratch) as container,
        ):
            before, started = interference.read_own_counters(), self._clock.monotonic()
            with container.start_watched(job.timeout_seconds) as watched_process:
                self._running.add(container)
                watch = OutputWatch(watched_process, self._clock, job.output_limit, following)
                try:
                    over = self._stopped.is_set() or watch.wait_until(started + job.timeout_seconds)
                finally:
                    self._running.discard(container)
                    container.send(signal.SIGKILL)
                    watch.drain_pipes()
            lasted = self._clock.monotonic() - started
            strained = interference.measure_interference(before)
            state = container.inspect_state()
        refuse_links(self._access.writable, self._home.root)
        if self._stopped.is_set():
            raise MachineError(f"{job.argv[0]} was stopped because another step failed")
        following.judge_output()  # what it showed at its very end
        answer = self._make_answer(job, watch, state, over=over, seconds=lasted)
        # Our control group is not the container's, whose processes are none of our own.
        return replace(answer, strain=replace(strained, throttled=None, foreign=None))

    def _make_answer(
        self, job: Invocation, watch: OutputWatch, state: Any, *, over: bool, seconds: float
    ) -> CompletedProcess:
        ended = signal_or_code(int(state["ExitCode"]))
        if ended == _NOT_FOUND and watch.stderr.retained_bytes.startswith(_INIT):
            raise program_missing(job.argv[0], self._image)
        answer = CompletedProcess(
            exit_code=watch.adjust_exit_code(ended) if over else ended,
            stdout=watch.stdout.retained_bytes,
            stderr=watch.stderr.retained_bytes,
            seconds=seconds,
            files=collect_files(job, self._home.root),
            truncated=watch.stdout.is_truncated or watch.stderr.is_truncated,
            enough=watch.enough,
        )
        check_local_disk(job, answer)
        if not (state["OOMKilled"] and answer.exit_code):
            return answer
        limit = f"{self._limits.memory >> 20} MiB of memory (docker.memory)"
        if self._access.network:
            raise MachineError(
                f"{job.argv[0]} needs more than {limit} to build the subject; raise the limit"
            )
        return replace(answer, exhausted=limit)

    def _open_container(self, job: Invocation, scratch: Path) -> AbstractContextManager[Container]:
        return open_container(
            self._daemon, self._image, job.argv[0], self._make_container_config(job, scratch)
        )

    def _make_container_config(self, job: Invocation, scratch: Path) -> Any:
        user = f"{self._user[0]}:{self._user[1]}"
        variables = dict(job.environment)
        # A name without a value takes away what the image, or the daemon, would add.
        unset = [
            variable
            for variable in (*self._image.variables, "HOSTNAME", "HOME")
            if variable not in variables
        ]
        return self._api.create_container_config(
            image=self._image.digest,
            command=None,
            entrypoint=list(job.argv),
            environment=[*(f"{key}={value}" for key, value in variables.items()), *unset],
            working_dir=str(job.cwd),
            user=user,
            hostname="bench-audit",
            labels={LABEL: "", OWNER: self._daemon.owner_mark},
            host_config=self._host_config(scratch),
        )

    def _host_config(self, scratch: Path) -> Any:
        return self._api.create_host_config(
            mounts=_list_mounts(self._home.root, self._access.writable, scratch, self._user),
            network_mode=self._access.network or "none",
            init=True,
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            mem_limit=self._limits.memory,
            memswap_limit=self._limits.memory,
            pids_limit=self._limits.processes,
            cpuset_cpus=self._limits.cpus or None,
            log_config={"type": "none"},
            ipc_mode="private",
        )


def _list_mounts(root: Path, writable: Sequence[Path], scratch: Path, user: User) -> list[Mount]:
    """Return what is mounted, outer ones first: `root`, and of it what may be written.

    Temporary files are on the disk, in the empty folder `scratch`, so that a full one can be told,
    and programs may be run from there.
    """
    temporary, passwd, group = (scratch / name for name in ("tmp", "passwd", "group"))
    temporary.mkdir()
    passwd.write_text(f"bench:x:{user[0]}:{user[1]}::/tmp:/bin/sh\n")
    group.write_text(f"bench:x:{user[1]}:\n")
    _hand_over((scratch, *writable), user)
    folders = [*_mount_parent_folders(root, scratch), (root, root, root not in writable)]
    folders += [(path, path, False) for path in writable if path != root]
    folders += [(temporary, Path("/tmp"), False), (passwd, Path("/etc/passwd"), True)]
    folders += [(group, Path("/etc/group"), True)]
    return [
        Mount(target=str(target), source=str(source), type="bind", read_only=fixed)
        for source, target, fixed in folders
    ]


def _mount_parent_folders(root: Path, scratch: Path) -> list[tuple[Path, Path, bool]]:
    """Return what is mounted where images let nobody through on the way to `root`: in /root.

    It holds the folders on that way alone.
    """
    if not root.is_relative_to(_CLOSED):
        return []
    way = scratch / "way"
    for folder in reversed([root, *root.parents]):
        if folder.is_relative_to(_CLOSED):
            path = way / folder.relative_to(_CLOSED)
            path.mkdir()
            path.chmod(0o755)
    return [(way, _CLOSED, True)]


def _hand_over(folders: Sequence[Path], user: User) -> None:
    """Give folders to the one who runs in the container, where we are another: root."""
    if os.getuid() != 0:
        return
    for folder in folders:
        for path, names, files in os.walk(folder):
            for name in ("", *names, *files):
                option = os.path.join(path, name).rstrip("/")  # noqa: PTH118 thousands of files
                if os.lstat(option).st_uid != user[0]:
                    os.chown(option, *user, follow_symlinks=False)


@contextmanager
def open_container(
    daemon: DockerDaemon, image: Image, program: str, settings: Any
) -> Iterator[Container]:
    """Make a container for a program; it is removed whatever happens."""
    with daemon.convert_failures(f"make a container for {program}"):
        number = str(daemon.api.create_container_from_config(settings)["Id"])
    container = Container(daemon, image, program, number)
    try:
        yield container
    except BaseException:
        with suppress(*FAILURES):  # what went wrong before is what is to be said
            container.remove()
        raise
    with daemon.convert_failures(f"remove the container of {program}"):
        container.remove()


def _pump_output(output: Any, pipes: tuple[int, int]) -> None:
    """Hand on what a container writes, until it ends or nobody reads any more."""
    try:
        with suppress(DockerException, OSError):
            for stream, chunk in frames_iter(output, tty=False):
                left = memoryview(chunk)
                while left:
                    left = left[os.write(pipes[stream - 1], left) :]
    finally:
        for pipe in pipes:
            os.close(pipe)
        _close_connection(output)


def _close_connection(output: Any) -> None:
    """Close what the SDK attached; its connection was upgraded, so no pool takes it back."""
    connection = getattr(output, "_sock", output)
    output.close()
    connection.close()
