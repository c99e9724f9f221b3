"""A machine that is reached over ssh, whose processes outlive a connection."""

import copy
import os
import select
import signal
import tarfile
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Self, cast

from auditor.core.errors import AuditError, FolderUnusable, MachineError
from auditor.core.jobs import CompletedProcess, HostFacts, Invocation
from auditor.core.ports import Clock
from runners.disk import check_disk, convert_write_errors
from runners.hosts.clock import SystemClock
from runners.hosts.exchange import write_files
from runners.hosts.following import OutputFollower
from runners.hosts.machine_facts import SCRIPT, make_host_facts, parse_facts
from runners.hosts.output_watch import OutputWatch, WatchedProcess
from runners.hosts.ssh.connection import Connection
from runners.hosts.ssh.job import RemoteResult, pack_job, read_rest, read_result, start_failure
from runners.hosts.ssh.mirror import Mirror, join_names

_OUTPUT_REMAINS = 3
"""What `attach` ends with when the process has ended: the rest of its output is to be had."""
_NOBODY = 4
"""What it ends with when nobody is left there who would say so."""
_CHUNK = 1 << 16
_LAG_SECONDS = 5.0
"""How long what was shown may still be on its way, once nobody waits for it any more."""
_LOOK_SECONDS = 0.2


class RemoteFollower(OutputFollower):
    """Follows what comes over the connection, and tells the process there when it is enough."""

    def __init__(self, job: Invocation, tell: Callable[[], object]) -> None:
        """Take the process before it starts."""
        follow = job.follow and replace(job.follow, path=None)
        super().__init__(replace(job, follow=follow))
        self._tell = tell

    def request_end(self) -> float:
        """Tell the process that it is enough; return how many seconds it gets to end by itself."""
        grace = super().request_end()
        if grace:
            self._tell()
        return grace


class ProcessListener:
    """Hears a process through connections that may be lost, in a thread of its own."""

    def __init__(self, connection: Connection, number: str, clock: Clock) -> None:
        """Take the process."""
        self._connection = connection
        self._number = number
        self._clock = clock
        self._offset = 0
        self._failure: AuditError | None = None
        self._closed = threading.Event()
        self._unheard = False
        self.ended = False
        self._shown, self._show = os.pipe()
        self._nothing, nothing = os.pipe()
        os.close(nothing)
        self._thread = threading.Thread(target=self._listen_until_end, daemon=True)

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop listening."""
        self.stop_listening()
        self._thread.join()
        os.close(self._shown)
        os.close(self._nothing)

    def make_watched_process(self, send: Callable[[signal.Signals], None]) -> WatchedProcess:
        """Return the process; `send` reaches it with a signal."""
        return WatchedProcess(
            stdout=self._shown, stderr=self._nothing, wait=self._thread.join, signal=send
        )

    def stop_listening(self) -> None:
        """Wait no longer than for what is on its way."""
        self._closed.set()

    def raise_failure(self) -> None:
        """Raise what has kept us from hearing its end."""
        if self._failure is not None:
            raise self._failure

    def _listen_until_end(self) -> None:
        try:
            while not (self.ended or self._unheard):
                self._follow_connection()
        except AuditError as error:
            self._failure = error
        except OSError as error:
            self._failure = MachineError(f"cannot listen to {self._connection.target}: {error}")
        finally:
            os.close(self._show)

    def _follow_connection(self) -> None:
        """Hear until the process has ended or the connection was lost."""
        with self._connection.start_verb("attach", self._number, str(self._offset)) as process:
            if not self._read(cast("IO[bytes]", process.stdout)):
                self._unheard = True
                return
            code = process.wait()
        if self._connection.has_lost_connection(code):
            # Until there is one again, as long as there is hope and somebody waits.
            self._connection.run_verb("hello", until=self._closed)
        elif code == _NOBODY:
            raise MachineError(
                f"the helper on {self._connection.target} ended before its process; was the "
                "machine restarted?"
            )
        elif code not in (0, _OUTPUT_REMAINS):
            raise MachineError(f"{self._connection.target} failed to attach to a process: {code}")
        self.ended = code == 0

    def _read(self, output: IO[bytes]) -> bool:
        """Hand on what is shown; False where nobody has read or waited for it for a while."""
        while True:
            if not self._wait_until_ready([output], []):
                return False
            chunk = os.read(output.fileno(), _CHUNK)
            if not chunk:
                return True
            self._offset += len(chunk)
            while chunk:
                if not self._wait_until_ready([], [self._show]):
                    return False
                chunk = chunk[os.write(self._show, chunk) :]

    def _wait_until_ready(self, reads: list[IO[bytes]], writes: list[int]) -> bool:
        """Wait until one can be read or written; False where it takes too long after the end."""
        late: float | None = None
        while True:
            ready = select.select(reads, writes, [], _LOOK_SECONDS)
            if ready[0] or ready[1]:
                return True
            if self._closed.is_set():
                now = self._clock.monotonic()
                late = now + _LAG_SECONDS if late is None else late
                if now > late:
                    return False


_FACTS_SECONDS = 60.0
_TEMPORARY_FOLDER = Path("/tmp")


class SshHost:
    """Runs each job on another machine, in the folder that has the same path there as here.

    `mirror` is None where both machines see the same files.
    """

    def __init__(  # noqa: PLR0913 - both machines, and how processes there are
        self,
        connection: Connection,
        root: Path,
        mirror: Mirror | None,
        *,
        variables: Mapping[str, str],
        processors: str = "",
        clock: Clock | None = None,
    ) -> None:
        """Take the parts; `variables` are for processes of our own there.

        `processors` are numbers such as "0,2-3" that processes run on, empty: all.
        """
        self._connection = connection
        self._root = root
        self._mirror = mirror
        self._variables = dict(variables)
        self._processors = processors
        self._clock = clock or SystemClock()
        self._writable: tuple[Path, ...] | None = None
        self._facts: list[HostFacts] = []
        self._running: set[str] = set()
        self._read: list[str] = []
        self._stopped = threading.Event()
        self._syncing = threading.Lock()

    def make_measuring_host(self, writable: Sequence[Path]) -> "SshHost":
        """Return it for what is measured, one at a time; nothing holds it to these folders."""
        measuring_host = copy.copy(self)
        measuring_host._writable = tuple(writable)
        return measuring_host

    def stop_processes(self) -> None:
        """End what other threads run there; nothing is run after that."""
        self._stopped.set()
        self._connection.give_up()
        for number in tuple(self._running):
            self._kill_process(number)

    def forget_jobs(self) -> None:
        """Forget there what has been read here."""
        with suppress(MachineError):
            self._connection.call_verb("forget", *self._read, patient=False)

    def read_facts(self) -> HostFacts:
        """Return those of the other machine."""
        if not self._facts:
            invocation = Invocation(
                argv=("sh", "-c", SCRIPT),
                cwd=self._root,
                environment=tuple(sorted(self._variables.items())),
                timeout_seconds=_FACTS_SECONDS,
            )
            answer = self.make_measuring_host(()).run_process(invocation)
            self._facts.append(make_host_facts(parse_facts(answer.stdout.decode(errors="replace"))))
        return self._facts[0]

    def run_process(self, job: Invocation) -> CompletedProcess:
        """Run one process to its end, or until it has shown enough; nothing of its group is left.

        A connection that is lost is made again, and the process picked up. Raises MachineError
        where that does not succeed or once it has been stopped, ToolMissing for a program that the
        machine lacks.
        """
        if not job.cwd.is_dir():
            raise FolderUnusable(f"cannot run {job.argv[0]} in {job.cwd}: there is no such folder")
        number = uuid.uuid4().hex
        following = RemoteFollower(job, partial(self._connection.call_verb, "tell", number))
        with self._syncing:  # what another job has changed comes before or after all of this
            write_files(job)
            self._send_changes()
            read = tuple(self._read)
            self._read.clear()
        words = pack_job(
            job,
            alone=self._writable is not None,
            processors=self._processors,
            scope=self._list_writable_folders(),
            mirrored=self._choose_mirror() is not None,
        )
        with self._guard_process(number):
            self._require_running(job)  # what is stopped from here on is ended there
            self._connection.call_verb("start", number, *read, sends=words)
            started = self._clock.monotonic()
            watch, over = self._watch_process(number, job, following, started + job.timeout_seconds)
            seconds = self._clock.monotonic() - started
        self._require_running(job)
        following.judge_output()  # what it showed at its very end
        with self._syncing, self._open_results(number) as archive:
            left = read_result(
                archive, number, job, self._choose_mirror(), self._list_writable_folders()
            )
            self._read.append(number)
            self._fetch_paths(left.missed)
        if left.reason:
            raise start_failure(left.reason, job, self._connection.target)
        return self._make_answer(job, left, watch, over=over, seconds=seconds)

    def _require_running(self, job: Invocation) -> None:
        if self._stopped.is_set():
            raise MachineError(f"{job.argv[0]} was stopped because another step failed")

    def _watch_process(
        self, number: str, job: Invocation, following: RemoteFollower, deadline: float
    ) -> tuple[OutputWatch, bool]:
        """Wait until a process has ended; tell whether we had to bring it about."""
        with ProcessListener(self._connection, number, self._clock) as attached:
            watched_process = attached.make_watched_process(partial(self._send_signal, number))
            watch = OutputWatch(watched_process, self._clock, job.output_limit, following)
            awaited = False
            try:
                over = self._stopped.is_set() or watch.wait_until(deadline)
                awaited = not self._stopped.is_set()
            finally:
                attached.stop_listening()
                if not attached.ended:
                    self._kill_process(number, patient=awaited)
                watch.drain_pipes()
        attached.raise_failure()
        return watch, over

    def _make_answer(
        self, job: Invocation, left: RemoteResult, watch: OutputWatch, *, over: bool, seconds: float
    ) -> CompletedProcess:
        answer = CompletedProcess(
            exit_code=watch.adjust_exit_code(left.code) if over and left.signalled else left.code,
            stdout=left.stdout,
            stderr=left.stderr,
            seconds=seconds,
            files=left.files,
            truncated=left.truncated,
            enough=watch.enough,
            strain=left.strain,
        )
        advice = "make room there, or choose another folder with ssh.folder"
        check_disk(job, answer, lambda: left.free, advice)
        return answer

    def _list_writable_folders(self) -> tuple[str, ...]:
        """Return the folders that may have changed, relative to the root."""
        if self._writable is None:
            return (".",)
        return tuple(os.path.relpath(path, self._root) for path in self._writable)

    def _choose_mirror(self) -> Mirror | None:
        """Return what gets what a process has changed, None where it may change nothing."""
        return self._mirror if self._list_writable_folders() else None

    def _send_changes(self) -> None:
        """Make the other side like this one."""
        if self._mirror is None:
            return
        changes = self._mirror.find_changes(caches=self._writable is None)
        if not changes:
            return
        if changes.removed_paths:
            self._connection.call_verb("drop", sends=join_names(changes.removed_paths))
        if changes.remote_files:
            with convert_write_errors(_TEMPORARY_FOLDER), tempfile.TemporaryFile() as archive:
                self._mirror.pack_changes(changes, archive)
                try:
                    self._connection.run_verb("take", sends=archive)
                except FolderUnusable:  # no part of a file may stay there, nor take its room
                    self._connection.call_verb(
                        "drop", sends=join_names(self._mirror.forget_sent(changes))
                    )
                    raise
        self._mirror.mark_sent(changes)

    def _fetch_paths(self, missed: Sequence[str]) -> None:
        """Have what no status tells to have changed."""
        if self._mirror is None or not missed:
            return
        with (
            convert_write_errors(_TEMPORARY_FOLDER),
            tempfile.TemporaryFile() as names_file,
            tempfile.TemporaryFile() as archive_file,
        ):
            names_file.write(join_names(missed))
            self._connection.run_verb("fetch", sends=names_file, takes=archive_file)
            archive_file.seek(0)
            with _open_archive(archive_file) as archive:
                came = read_rest(archive, self._mirror)
        self._mirror.mark_remote_only(path for path in missed if path not in came)

    @contextmanager
    def _guard_process(self, number: str) -> Iterator[None]:
        """See to it that a process ends when we do."""
        self._running.add(number)
        try:
            yield
        except BaseException:
            self._kill_process(number)
            raise
        finally:
            self._running.discard(number)

    @contextmanager
    def _open_results(self, number: str) -> Iterator[tarfile.TarFile]:
        with convert_write_errors(_TEMPORARY_FOLDER), tempfile.TemporaryFile() as archive_file:
            self._connection.run_verb("finish", number, takes=archive_file)
            archive_file.seek(0)
            with _open_archive(archive_file) as archive:
                yield archive

    def _send_signal(self, number: str, process_signal: signal.Signals) -> None:
        self._connection.call_verb("signal", number, process_signal.name.removeprefix("SIG"))

    def _kill_process(self, number: str, *, patient: bool = False) -> None:
        """End a process; one that cannot be reached ends at its limit of time."""
        with suppress(MachineError):
            self._connection.call_verb("signal", number, "KILL", patient=patient)


def _open_archive(archive_file: IO[bytes]) -> tarfile.TarFile:
    """Read archives that follow each other."""
    return tarfile.open(fileobj=archive_file, mode="r:", ignore_zeros=True)
