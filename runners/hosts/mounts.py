"""The folders of this machine that a container sees."""

import os
from collections.abc import Sequence
from pathlib import Path

from docker.types import Mount

_CLOSED = Path("/root")

User = tuple[int, int]
"""The numbers of a user and a group."""


def list_mounts(root: Path, writable: Sequence[Path], scratch: Path, user: User) -> list[Mount]:
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
