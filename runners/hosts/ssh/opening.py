"""Having a machine ready: our words there, what was left there, and the tree alike."""

import fcntl
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import MachineError, ToolMissing
from auditor.core.ports import Clock
from runners.disk import convert_write_errors
from runners.hosts.ssh.connection import Connection, RemoteFolders
from runners.hosts.ssh.host import SshHost
from runners.hosts.ssh.mirror import SKIPPED, Mirror, join_names, split_names

_VARIABLES = (
    "HOME", "JAVA_HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TMPDIR", "TZ", "USER",
)  # fmt: skip
"""What processes get of the environment of a session there."""
_HAIL = "bench-audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteMachine:
    """A machine and how it is used. `folder` is ours, on both machines."""

    target: str
    folder: Path
    processors: str
    patience_seconds: float

    @property
    def tree_folder(self) -> Path:
        """Return the folder that is kept alike."""
        return self.folder / "tree"


@contextmanager
def connect_host(
    machine: RemoteMachine, environment: Mapping[str, str], clock: Clock
) -> Iterator[tuple[SshHost, dict[str, str]]]:
    """Give a host and the variables of a session there; raises MachineError."""
    state = machine.folder / "state"
    with _lock_folder(machine):
        with convert_write_errors(state):
            state.mkdir(exist_ok=True)
            machine.tree_folder.mkdir(exist_ok=True)
        with Connection(
            machine.target,
            RemoteFolders(state, machine.tree_folder, SKIPPED),
            environment=environment,
            patience_seconds=machine.patience_seconds,
            clock=clock,
        ) as connection:
            session = _start_session(connection, state)
            mirror = None
            if session.shared:
                connection.call_verb("sweep")
            else:
                mirror = _synchronise_tree(connection, machine.tree_folder, state, session.token)
            host = SshHost(
                connection,
                machine.tree_folder,
                mirror,
                variables=session.variables,
                processors=machine.processors,
                clock=clock,
            )
            try:
                yield host, session.variables
            finally:
                host.forget_jobs()
                if mirror is not None:
                    mirror.save_statuses()


@contextmanager
def _lock_folder(machine: RemoteMachine) -> Iterator[None]:
    """Wait until no other auditor of ours uses the folder."""
    path = machine.folder / "lock"
    with convert_write_errors(path):
        machine.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = path.open("w")
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@dataclass(frozen=True, slots=True)
class _RemoteSession:
    token: str
    shared: bool
    variables: dict[str, str]


def _start_session(connection: Connection, state: Path) -> _RemoteSession:
    """Ask what is there. Both machines share their files where ours is read there."""
    marker = secrets.token_hex(16)
    path = state / "here"
    with convert_write_errors(path):
        path.write_text(f"{marker}\n")
    lines = connection.call_verb("hello", *_VARIABLES).decode(errors="replace").splitlines()
    if not lines or lines[0] != _HAIL:
        raise MachineError(
            f"a session on {connection.target} prints {lines[:1]} at login; change its shell "
            "start-up files so that they print nothing without a terminal"
        )
    pairs = [line.partition("=")[::2] for line in lines[1:]]
    if missing_programs := [value for key, value in pairs if key == "missing"]:
        raise ToolMissing(
            f"{', '.join(missing_programs)} were not found on PATH of {connection.target}"
        )
    if strange := [value for key, value in pairs if key == "strange"]:
        raise MachineError(
            f"{strange[0]} on {connection.target} is another account's; name another folder with "
            "ssh.folder"
        )
    once = dict(pairs)
    variables = dict(value.partition("=")[::2] for key, value in pairs if key == "variable")
    return _RemoteSession(once.get("token", ""), once.get("here") == marker, variables)


def _synchronise_tree(connection: Connection, tree: Path, state: Path, token: str) -> Mirror:
    """Make the tree there what is known of it here, whatever has happened since."""
    mirror = Mirror.load_mirror(tree, state / "mirror.json")
    if not mirror.token or mirror.token != token:
        mirror = Mirror(tree, state / "mirror.json", secrets.token_hex(16))
        connection.call_verb("reset", mirror.token)
        mirror.save_statuses()
        return mirror
    changed = split_names(connection.call_verb("sweep"))
    extra = mirror.reconcile_names(split_names(connection.call_verb("names")), changed)
    if extra:
        connection.call_verb("drop", sends=join_names(extra))
    return mirror
