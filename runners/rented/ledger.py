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
from runners.disk import writing

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
class Note:
    """The rented machines of one audit."""

    id: str  # names them
    cluster: str  # dotted name of the class of the cluster
    listed_by: tuple[str, ...]  # command that prints them
    removed_by: tuple[str, ...]  # command that ends them
    environment: tuple[str, ...]  # names of variables that both commands get
    started: str  # UTC, ISO 8601


class Ledger:
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
    def renting(self, spec: RentedSpec) -> Iterator[str]:
        """Give the name of a new audit's machines, all of which are removed at its end.

        Raises MachineError where that fails; the note is kept then.
        """
        note = Note(
            id=uuid4().hex[:8],
            cluster=spec.cluster,
            listed_by=spec.listed_by,
            removed_by=spec.removed_by,
            environment=spec.environment,
            started=self._clock.now(),
        )
        with self._written(note):
            try:
                yield note.id
            finally:
                self._remove(note)
                self._path(note.id).unlink()

    def look(self, report: Callable[[Note, bool, tuple[str, ...]], None]) -> None:
        """Say of each note whether its auditor has ended, and which machines are there.

        Raises MachineError where that cannot be told of some, after all others were.
        """

        def say(path: Path, file: IO[str]) -> None:
            note = _read(path, file)
            ended = _lock(file)
            report(note, ended, self.listed(note))

        self._each(say)

    def listed(self, note: Note) -> tuple[str, ...]:
        """Return the machines that are there; raises MachineError where that cannot be told."""
        if not note.listed_by:
            return ()
        printed = self._run(note, tuple(word.replace(ID, note.id) for word in note.listed_by))
        names = tuple(printed.split())
        if odd := [name for name in names if name.startswith("-")]:
            raise MachineError(
                f"{note.listed_by[0]} lists {odd[0]!r}, which is not the name of a machine"
            )
        return names

    def clean(self, report: Callable[[Note, tuple[str, ...]], None]) -> None:
        """Remove what auditors have left that were killed, and say of each which machines.

        Raises MachineError where some cannot be removed, after all others were.
        """

        def remove(path: Path, file: IO[str]) -> None:
            if _lock(file) and path.exists():
                note = _read(path, file)
                report(note, self._remove(note))
                path.unlink()

        self._each(remove)

    def _each(self, do: Callable[[Path, IO[str]], None]) -> None:
        """Do something with all notes that can be read; raises MachineError for all others."""
        problems = []
        for path in self._paths():
            with suppress(FileNotFoundError), path.open() as file:
                try:
                    do(path, file)
                except MachineError as error:
                    problems.append(str(error))
        if problems:
            raise MachineError("; ".join(problems))

    @contextmanager
    def _written(self, note: Note) -> Iterator[None]:
        path = self._path(note.id)
        new = path.with_suffix(".new")
        with writing(path):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            file = new.open("x")
        with file:
            with writing(path):
                fcntl.flock(file, fcntl.LOCK_EX)
                file.write(msgspec.json.encode(note).decode())
                file.flush()
                os.fsync(file.fileno())
                new.rename(path)
                _keep(self._folder)
            yield

    def _paths(self) -> list[Path]:
        return sorted(self._folder.glob("*.json"))

    def _path(self, number: str) -> Path:
        return self._folder / f"{number}.json"

    def _remove(self, note: Note) -> tuple[str, ...]:
        """Remove all machines of a note, and wait until none has been there for a while."""
        begun = self._clock.monotonic()
        asked: dict[str, float] = {}
        empty_since: float | None = None
        while True:
            now = self._clock.monotonic()
            if there := self.listed(note):
                empty_since = None
                again = [name for name in there if now - asked.get(name, -1e9) > _AGAIN_SECONDS]
                if again:
                    asked |= dict.fromkeys(again, now)
                    self._run(note, _filled(note, again))
            else:
                empty_since = now if empty_since is None else empty_since
                if now - empty_since >= (_LATE_SECONDS if note.listed_by else 0.0):
                    return tuple(asked)
            if now - begun > _GONE_SECONDS:
                raise MachineError(
                    f"{', '.join(there)} of {note.cluster} still exist; check them, and run "
                    "bench-audit hosts clean again"
                )
            time.sleep(_LOOK_SECONDS)

    def _run(self, note: Note, words: tuple[str, ...]) -> str:
        missing = [variable for variable in note.environment if variable not in self._environment]
        if missing:
            raise MachineError(
                f"the variable {missing[0]}, which {words[0]} needs, is not set; set it"
            )
        names = ("PATH", "HOME", *note.environment)
        given = {name: self._environment[name] for name in names if name in self._environment}
        answer = self._host.run(
            Invocation(
                argv=words,
                cwd=self._folder,
                environment=tuple(sorted(given.items())),
                timeout_seconds=_COMMAND_SECONDS,
            )
        )
        if answer.exit_code != 0:
            raise MachineError(
                f"machines {note.id} of {note.cluster} may still be rented: {words[0]} failed "
                f"({answer.tail(2) or answer.exit_code}); fix it, and run bench-audit hosts clean"
            )
        return answer.stdout.decode(errors="replace")


def _filled(note: Note, machines: list[str]) -> tuple[str, ...]:
    return tuple(
        part
        for word in note.removed_by
        for part in (machines if word == MACHINES else (word.replace(ID, note.id),))
    )


def _lock(file: IO[str]) -> bool:
    """Tell whether nobody else holds a note; it is held as long as the file is open."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _read(path: Path, file: IO[str]) -> Note:
    try:
        return msgspec.json.decode(file.read(), type=Note)
    except ValueError as error:
        raise MachineError(
            f"{path} is damaged; look in your cloud for machines named by {path.stem}, then "
            "remove the file"
        ) from error


def _keep(folder: Path) -> None:
    """Have the names in a folder survive a loss of power."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    except OSError as error:
        raise FolderUnusable(f"cannot write {folder}: {error.strerror}") from error
    finally:
        os.close(number)
