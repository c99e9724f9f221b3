"""The machine that a configuration names, reached over ssh."""

import hashlib
import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from auditor.config import Config, Places
from auditor.core.errors import FolderUnusable
from auditor.core.ports import Clock
from auditor.hosts.opened import OpenHost, chosen_variables
from runners.disk import convert_write_errors
from runners.home import HomeFolder
from runners.hosts.ssh.opening import RemoteMachine, connect_host


@contextmanager
def open_ssh_host(
    config: Config,
    places: Places,  # noqa: ARG001 our files are where they can be on the other machine, too
    environment: Mapping[str, str],
    clock: Clock,
) -> Iterator[OpenHost]:
    """Open a machine of another name; one auditor at a time uses its folder."""
    spec = config.ssh
    extra_variables = chosen_variables(spec.environment, environment, "ssh.environment")
    # Another machine that asks this one, as the same account too, has a tree of its own.
    number = hashlib.sha256(f"{platform.node()} {spec.target}".encode()).hexdigest()[:12]
    folder = (spec.folder or _make_top_folder()) / number
    machine = RemoteMachine(
        target=spec.target,
        folder=folder,
        processors=spec.cpus,
        patience_seconds=spec.patience_seconds,
    )
    with connect_host(machine, environment, clock) as (host, variables):
        path = ":".join((*spec.path, variables.get("PATH", "/usr/bin:/bin")))
        yield OpenHost(
            host=host,
            home=HomeFolder(machine.tree_folder),
            environment={**variables, **extra_variables, "PATH": path},
            lock=folder / "machine.lock",
            clock=clock,
            several=False,  # that machine itself lets what is measured there wait for each other
        )


def _make_top_folder() -> Path:
    """Return a folder that any machine lets one make, whatever the account's name is there.

    Everybody may write where it lies, so nobody else may have made it.
    """
    top = Path(f"/var/tmp/bench-audit-{os.getuid()}")  # noqa: S108 looked at below
    with convert_write_errors(top):
        top.mkdir(mode=0o700, exist_ok=True)
    status = top.lstat()
    if status.st_uid != os.getuid() or status.st_mode & 0o077 or top.is_symlink():
        raise FolderUnusable(
            f"{top} belongs to another user or is writable by others; remove it, or choose "
            "another folder with ssh.folder"
        )
    return top
