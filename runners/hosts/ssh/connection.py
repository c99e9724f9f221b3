"""The system's own ssh, with the user's configuration, agent and known hosts."""

import re
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import IO, Self

from auditor.core.errors import FolderUnusable, MachineError, ToolMissing, UsageError
from auditor.core.ports import Clock
from runners.disk import convert_write_errors, reports_full_disk
from runners.hosts import machine_facts
from runners.hosts.interrupts import DelayedInterrupts

_LOST = 255
"""What ssh ends with where the connection was refused or lost; no command of ours does."""
_OPTIONS = (
    "BatchMode=yes",
    "ClearAllForwardings=yes",
    "ConnectTimeout=15",
    "ControlMaster=no",
    "ForwardAgent=no",
    "LogLevel=ERROR",
    "RemoteCommand=none",
    "ServerAliveInterval=5",
    "ServerAliveCountMax=3",
)
_PERSIST_SECONDS = 60
"""How long the shared connection is kept where an auditor that was killed does not close it."""
_TEMPORARY_FOLDER = Path("/tmp")
_PLAIN = re.compile(r"/[A-Za-z0-9._/+-]*")
_UPLOAD = (
    "umask 077; mkdir -p $0/jobs $1 && cat > $0/far.new && mv $0/far.new $0/far.sh && "
    "chmod 700 $0 $1"
)
_EMPTY = "rm -rf $0 $1"
_WAITS = (0.5, 1.0, 2.0, 4.0, 8.0)
"""Seconds between two tries to have a lost connection back; the last ones are repeated."""


@dataclass(frozen=True, slots=True)
class RemoteFolders:
    """Two folders of the other machine: what we need for jobs, and the tree.

    `skipped` are folders of the tree that need not be alike.
    """

    state: Path
    tree: Path
    skipped: tuple[str, ...] = ()


class Connection:
    """Runs the verbs of far.sh; a connection that is lost is made again, for a while."""

    def __init__(
        self,
        target: str,
        folders: RemoteFolders,
        *,
        environment: Mapping[str, str],
        patience_seconds: float,
        clock: Clock,
    ) -> None:
        """Take what ssh is called with; `patience_seconds` are how long a loss is put up with."""
        for folder in (folders.state, folders.tree):
            if not _PLAIN.fullmatch(str(folder)):
                raise UsageError(
                    f"ssh.folder: {folder} has characters that some shells interpret; choose an "
                    "absolute path of letters, digits and . _ + -"
                )
        self.target = target
        self._there = folders
        self._environment = dict(environment)
        self._patience = patience_seconds
        self._clock = clock
        self._given_up = threading.Event()
        self._why = ""
        self._doubtful = True
        self._making = threading.Lock()
        # Sockets have short paths, so it is below none of our folders.
        self._folder = tempfile.TemporaryDirectory(prefix="ba-", ignore_cleanup_errors=True)
        self._socket = Path(self._folder.name) / "s"

    def __enter__(self) -> Self:
        """Connect; raises MachineError with what ssh says."""
        try:
            result = self._upload_script()
            if result.code not in (0, _LOST) and reports_full_disk(result.output.encode()):
                # What fills it may be ours: all of it can be had again.
                self._run_once(self._make_shell_command(_EMPTY), None, None)
                result = self._upload_script()
        except BaseException:
            self._folder.cleanup()
            raise
        if result.code != 0:
            self.__exit__()
            raise MachineError(
                f"{self.target} cannot be used: {result.output}; `ssh {shlex.quote(self.target)} "
                "true` must work without a prompt, and ssh.folder must be yours"
            )
        return self

    def _upload_script(self) -> "_CommandResult":
        text = (files("runners.hosts.ssh") / "far.sh").read_text()
        with convert_write_errors(_TEMPORARY_FOLDER), tempfile.TemporaryFile() as script:
            script.write(f"{machine_facts.WORDS}\n{text}".encode())
            script.seek(0)
            return self._run_once(self._make_shell_command(_UPLOAD), script, None)

    def _make_shell_command(self, words: str) -> str:
        """Return words for any login shell; $0 and $1 in them are our folders there."""
        return f"exec sh -c '{words}' {self._there.state} {self._there.tree}"

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        with suppress(subprocess.SubprocessError, OSError):
            self._run_ssh(("-O", "exit", self.target), subprocess.DEVNULL, subprocess.DEVNULL)
        self._folder.cleanup()

    def give_up(self) -> None:
        """Stop trying to have a lost connection back."""
        self._given_up.set()

    def call_verb(self, verb: str, *words: str, sends: bytes = b"", patient: bool = True) -> bytes:
        """Return what a verb writes; raises MachineError."""
        with (
            convert_write_errors(_TEMPORARY_FOLDER),
            tempfile.TemporaryFile() as input_file,
            tempfile.TemporaryFile() as output_file,
        ):
            input_file.write(sends)
            self.run_verb(verb, *words, sends=input_file, takes=output_file, patient=patient)
            output_file.seek(0)
            return output_file.read()

    def run_verb(
        self,
        verb: str,
        *words: str,
        sends: IO[bytes] | None = None,
        takes: IO[bytes] | None = None,
        patient: bool = True,
        until: threading.Event | None = None,
    ) -> None:
        """Run a verb between two files; where the connection is lost, from their start again.

        Nothing is tried again where it is not `patient`, or after `until`.
        """
        for _ in self._retry_until(until or self._given_up, patient=patient):
            for pipe in (sends, takes):
                if pipe is not None:
                    pipe.seek(0)
            if takes is not None:
                takes.truncate()
            result = self._run_once(self._format_command(verb, *words), sends, takes)
            if result.code == 0:
                return
            if result.code != _LOST and reports_full_disk(result.output.encode()):
                raise FolderUnusable(
                    f"the disk of {self._there.tree} on {self.target} is full; free space there, "
                    "or choose another folder with ssh.folder"
                )
            if result.code != _LOST:
                raise MachineError(f"{self.target} failed at the step {verb}: {result.output}")
            self._why, self._doubtful = result.output, True

    @contextmanager
    def start_verb(self, verb: str, *words: str) -> Iterator["subprocess.Popen[bytes]"]:
        """Start a verb whose output is read while it runs; a code of 255 is a lost connection."""
        self._ensure_connected()
        with (
            DelayedInterrupts() as requests,
            subprocess.Popen(
                self._make_ssh_command((self.target, self._format_command(verb, *words))),
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
            ) as process,
        ):
            try:
                requests.release_requests()
                yield process
            finally:
                if process.poll() is None:
                    process.kill()

    def has_lost_connection(self, code: int) -> bool:
        """Tell whether a verb that was read ended since the connection was lost."""
        is_lost = code == _LOST or code < 0
        self._doubtful = self._doubtful or is_lost
        return is_lost

    def _retry_until(self, until: threading.Event, *, patient: bool) -> Iterator[None]:
        """Yield for each try, until there is no hope; raises MachineError then."""
        self._why = ""
        start = self._clock.monotonic()
        waits = iter(_WAITS)
        while True:
            yield
            late = self._clock.monotonic() - start > self._patience
            if late or not patient or until.is_set() or self._given_up.is_set():
                raise MachineError(
                    f"the connection to {self.target} was lost, and could not be made again for "
                    f"{self._clock.monotonic() - start:.0f} s: {self._why}"
                )
            until.wait(next(waits, _WAITS[-1]))

    def _format_command(self, verb: str, *words: str) -> str:
        far, folders = self._there.state / "far.sh", self._there
        places = (str(folders.state), str(folders.tree), ":".join(folders.skipped))
        return " ".join(("exec", "sh", str(far), verb, *places, *words))

    def _run_once(
        self, line: str, sends: IO[bytes] | None, takes: IO[bytes] | None
    ) -> "_CommandResult":
        failure_text = self._ensure_connected()
        if failure_text is not None:
            return _CommandResult(_LOST, failure_text)
        return self._run_ssh((self.target, line), sends or subprocess.DEVNULL, takes)

    def _ensure_connected(self) -> str | None:
        """Have a connection that all share; returns why there is none.

        It is made by a process of its own: one that a command leaves behind would hold the pipes
        of the command.
        """
        with self._making:
            if not self._doubtful and self._socket.exists():  # it is closed when nobody uses it
                return None
            if self._socket.exists() and self._run_ssh(("-O", "check", self.target)).code == 0:
                self._doubtful = False
                return None
            self._socket.unlink(missing_ok=True)
            master_options = ("-M", f"-oControlPersist={_PERSIST_SECONDS}", "-fN")
            with convert_write_errors(_TEMPORARY_FOLDER), tempfile.TemporaryFile() as errors:
                result = self._run_ssh((*master_options, self.target), errors=errors)
            self._doubtful = result.code != 0
            return (result.output or "ssh gives no reason") if self._doubtful else None

    def _make_ssh_command(self, words: tuple[str, ...]) -> tuple[str, ...]:
        options = (f"-o{option}" for option in _OPTIONS)
        return ("ssh", "-T", "-S", str(self._socket), *options, *words)

    def _run_ssh(
        self,
        words: tuple[str, ...],
        sends: "IO[bytes] | int" = subprocess.DEVNULL,
        takes: "IO[bytes] | int | None" = None,
        errors: IO[bytes] | None = None,
    ) -> "_CommandResult":
        with convert_write_errors(_TEMPORARY_FOLDER), tempfile.TemporaryFile() as temporary_file:
            error_file = errors or temporary_file
            try:
                process = subprocess.run(
                    self._make_ssh_command(words),
                    env=self._environment,
                    stdin=sends,
                    stdout=subprocess.DEVNULL if takes is None else takes,
                    stderr=error_file,
                    check=False,
                    start_new_session=True,
                )
            except FileNotFoundError as error:
                raise ToolMissing(
                    "ssh was not found on PATH; install it (openssh-client)"
                ) from error
            error_file.seek(0)
            lines = error_file.read().decode(errors="replace").strip().splitlines()
            return _CommandResult(process.returncode, " / ".join(lines[-3:])[:500])


@dataclass(frozen=True, slots=True)
class _CommandResult:
    code: int
    output: str
