"""What is rented, written down before it is: an auditor that is killed leaves a note behind."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from uuid import uuid4

import msgspec

from auditor.core.errors import FolderUnusable, MachineError
from auditor.core.hosts import RentedSpec
from auditor.core.jobs import Invocation
from auditor.core.ports import Clock, Host
from runners.disk import convert_write_errors

ID, MACHINES = "{id}", "{machines}"
"""Words of commands: what all machines of an audit are named by, and those that are there."""
_COMMAND_SECONDS = 300.0
_GONE_SECONDS = 900.0
"""Clouds take minutes to end a machine."""
_AGAIN_SECONDS = 120.0
"""How long they are given before they are asked once more."""
_LATE_SECONDS = 10.0
"""How late a machine may appear that was asked for just before the audit ended."""
_LOOK_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalNote:
    """The rented machines of one audit."""

    id: str  # names them
    cluster: str  # dotted name of the class of the cluster
    listed_by: tuple[str, ...]  # command that prints them
    removed_by: tuple[str, ...]  # command that ends them
    environment: tuple[str, ...]  # names of variables that both commands get
    started: str  # UTC, ISO 8601


class RentalLedger:
    """Notes of what is rented, in a folder of this account.

    A note is locked as long as the auditor lives that has written it; the kernel opens the lock
    however it ends.
    """

    def __init__(
        self, folder: Path, host: Host, clock: Clock, environment: Mapping[str, str]
    ) -> None:
        """Take the folder, which need not exist, and this machine, where commands are run."""
        self._folder = folder
        self._host = host
        self._clock = clock
        self._environment = environment

    @contextmanager
    def open_rental(self, spec: RentedSpec) -> Iterator[str]:
        """Give the name of a new audit's machines, all of which are removed at its end.

        Raises MachineError where that fails; the note is kept then.
        """
        note = RentalNote(
            id=uuid4().hex[:8],
            cluster=spec.cluster,
            listed_by=spec.listed_by,
            removed_by=spec.removed_by,
            environment=spec.environment,
            started=self._clock.now(),
        )
        with self._keep_note(note):
            try:
                yield note.id
            finally:
                self._remove_machines(note)
                self._locate_note(note.id).unlink()

    def report_notes(self, report: Callable[[RentalNote, bool, tuple[str, ...]], None]) -> None:
        """Say of each note whether its auditor has ended, and which machines are there.

        Raises MachineError where that cannot be told of some, after all others were.
        """

        def report_note(path: Path, file: IO[str]) -> None:
            note = _read_note(path, file)
            ended = _try_lock(file)
            report(note, ended, self.list_machines(note))

        self._visit_notes(report_note)

    def list_machines(self, note: RentalNote) -> tuple[str, ...]:
        """Return the machines that are there; raises MachineError where that cannot be told."""
        if not note.listed_by:
            return ()
        printed = self._run_command(
            note, tuple(word.replace(ID, note.id) for word in note.listed_by)
        )
        names = tuple(printed.split())
        if odd := [name for name in names if name.startswith("-")]:
            raise MachineError(
                f"{note.listed_by[0]} lists {odd[0]!r}, which is not the name of a machine"
            )
        return names

    def remove_leftovers(self, report: Callable[[RentalNote, tuple[str, ...]], None]) -> None:
        """Remove what auditors have left that were killed, and say of each which machines.

        Raises MachineError where some cannot be removed, after all others were.
        """

        def remove_note(path: Path, file: IO[str]) -> None:
            if _try_lock(file) and path.exists():
                note = _read_note(path, file)
                report(note, self._remove_machines(note))
                path.unlink()

        self._visit_notes(remove_note)

    def _visit_notes(self, do: Callable[[Path, IO[str]], None]) -> None:
        """Do something with all notes that can be read; raises MachineError for all others."""
        problems = []
        for path in self._list_note_paths():
            with suppress(FileNotFoundError), path.open() as file:
                try:
                    do(path, file)
                except MachineError as error:
                    problems.append(str(error))
        if problems:
            raise MachineError("; ".join(problems))

    @contextmanager
    def _keep_note(self, note: RentalNote) -> Iterator[None]:
        path = self._locate_note(note.id)
        new = path.with_suffix(".new")
        with convert_write_errors(path):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = new.open("x")
        with file:
            with convert_write_errors(path):
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(msgspec.json.encode(note).decode())
                file.flush()
                os.fsync(file.fileno())
                new.rename(path)
                _sync_folder(self._folder)
            yield

    def _list_note_paths(self) -> list[Path]:
        return sorted(self._folder.glob("*.json"))

    def _locate_note(self, number: str) -> Path:
        return self._folder / f"{number}.json"

    def _remove_machines(self, note: RentalNote) -> tuple[str, ...]:
        """Remove all machines of a note, and wait until none has been there for a while."""
        start_time = self._clock.monotonic()
        request_times: dict[str, float] = {}
        empty_since: float | None = None
        while True:
            now = self._clock.monotonic()
            if machines := self.list_machines(note):
                empty_since = None
                due_machines = [
                    name
                    for name in machines
                    if now - request_times.get(name, -1e9) > _AGAIN_SECONDS
                ]
                if due_machines:
                    request_times |= dict.fromkeys(due_machines, now)
                    self._run_command(note, _fill_removal_command(note, due_machines))
            else:
                empty_since = now if empty_since is None else empty_since
                if now - empty_since >= (_LATE_SECONDS if note.listed_by else 0.0):
                    return tuple(request_times)
            if now - start_time > _GONE_SECONDS:
                raise MachineError(
                    f"{', '.join(machines)} of {note.cluster} still exist; check them, and run "
                    "bench-audit hosts clean again"
                )
            time.sleep(_LOOK_SECONDS)

    def _run_command(self, note: RentalNote, words: tuple[str, ...]) -> str:
        missing = [variable for variable in note.environment if variable not in self._environment]
        if missing:
            raise MachineError(
                f"the variable {missing[0]}, which {words[0]} needs, is not set; set it"
            )
        names = ("PATH", "HOME", *note.environment)
        command_variables = {
            name: self._environment[name] for name in names if name in self._environment
        }
        answer = self._host.run_process(
            Invocation(
                argv=words,
                cwd=self._folder,
                environment=tuple(sorted(command_variables.items())),
                timeout_seconds=_COMMAND_SECONDS,
            )
        )
        if answer.exit_code != 0:
            raise MachineError(
                f"machines {note.id} of {note.cluster} may still be rented: {words[0]} failed "
                f"({answer.format_tail(2) or answer.exit_code}); fix it, and run bench-audit "
                "hosts clean"
            )
        return answer.stdout.decode(errors="replace")


def _fill_removal_command(note: RentalNote, machines: list[str]) -> tuple[str, ...]:
    return tuple(
        part
        for word in note.removed_by
        for part in (machines if word == MACHINES else (word.replace(ID, note.id),))
    )


def _try_lock(file: IO[str]) -> bool:
    """Tell whether nobody else holds a note; it is held as long as the file is open."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read_note(path: Path, file: IO[str]) -> RentalNote:
    try:
        return msgspec.json.decode(file.read(), type=RentalNote)
    except ValueError as error:
        raise MachineError(
            f"{path} is damaged; look in your cloud for machines named by {path.stem}, then "
            "remove the file"
        ) from error


def _sync_folder(folder: Path) -> None:
    """Have the names in a folder survive a loss of power."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        raise FolderUnusable(f"cannot write {folder}: {error.strerror}") from error
    finally:
        os.close(number)
