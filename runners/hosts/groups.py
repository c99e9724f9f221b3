"""The control groups of Linux that a process is in, each with all above it, in both versions."""

from collections.abc import Sequence
from importlib.resources import files

SELF_CGROUP = "/proc/self/cgroup"
ROOT = "/sys/fs/cgroup"
WORDS = (files("runners.hosts") / "groups.sh").read_text()
"""The same for a shell: `groups NAME... </proc/self/cgroup`."""
_KINDS = ("", "cpu", "memory")
"""Version 2 has one hierarchy, version 1 one for each kind."""


def list_group_files(cgroup_text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return where files of these names are, nearest first, by the text of SELF_CGROUP.

    A container may see fewer groups than it is in; its own is then the root.
    """
    folders = []
    for line in cgroup_text.splitlines():
        _, kinds, group = line.split(":", 2)
        for kind in set(_KINDS) & set(kinds.split(",")):
            parts = group.strip("/").split("/") if group.strip("/") else []
            for depth in range(len(parts), -1, -1):
                above = "/".join((ROOT, *filter(None, (kind,)), *parts[:depth]))
                folders += [f"{above}/{name}" for name in names]
    return tuple(folders)
