"""The files that a process is given, and those that it leaves."""

import errno
import os
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path

from auditor.core.errors import FolderUnusable, SubjectError
from auditor.core.jobs import Invocation
from auditor.core.paths import read_regular
from runners.hosts.disk import writing


def write_files(job: Invocation, *inside: Path) -> None:
    """Write the files of a process before it starts; raises as `put` does."""
    put(((job.cwd / path, content) for path, content in job.files), *inside)


def put(files: Iterable[tuple[Path, bytes]], *inside: Path) -> None:
    """Write files; raises FolderUnusable, and SubjectError where a link leads one elsewhere.

    They have to be in one of the folders `inside`, if some are given.

    What runs in a container may put a link in the place of a file of ours. It does not run while
    we look, so to look and then to write is enough.
    """
    for path, content in files:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            require(path, inside)
            path.write_bytes(content)


LARGEST = 512 << 20
"""Bytes of a file that a process leaves; results of the largest suites known have some MiB."""


def collect(job: Invocation, *inside: Path) -> dict[Path, bytes]:
    """Read what a process has left; what is missing is absent. Raises as `put` does.

    SubjectError also for a pipe, a device, or more than LARGEST: the suite may put anything in the
    place of our file, and no time-out would end the reading of it.
    """
    found: dict[Path, bytes] = {}
    for path in job.collects:
        place = job.cwd / path
        require(place, inside)
        try:
            content = read_regular(place, LARGEST + 1)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _unreadable(place, error) from error
        if content is None:
            raise no_file(place)
        require_small(place, len(content))
        found[path] = content
    return found


def require_small(path: Path | str, size: int) -> None:
    """Raise SubjectError for a file of more than LARGEST bytes."""
    if size > LARGEST:
        raise SubjectError(f"the suite has left more than {LARGEST >> 20} MiB in {path}")


def no_file(path: Path) -> SubjectError:
    """Return the error of a link, a pipe or a device where a process should leave a file."""
    return SubjectError(f"the suite has put what is no regular file in the place of {path}")


def _unreadable(path: Path, error: OSError) -> SubjectError | FolderUnusable:
    if error.errno == errno.ELOOP:
        return no_file(path)
    return FolderUnusable(f"cannot read {path}: {error.strerror}")


_TOOLS = ("/bin/", "/lib/", "/lib64/", "/nix/", "/opt/", "/sbin/", "/usr/")
"""Where links may lead: an environment of Python has one to the interpreter."""


def refuse_links(folders: Iterable[Path], inside: Path) -> None:
    """Remove a link in these folders that leads to somebody's files; raises SubjectError then.

    What has run in a container sees other files there than we would.
    """
    for folder in folders:
        for path, names, files in os.walk(folder):
            for name in (*names, *files):
                link = Path(path, name)
                if link.is_symlink() and not harmless(link, target := link.readlink(), inside):
                    link.unlink()
                    raise SubjectError(
                        f"what ran in the container has made a link at {link} to {target}, outside "
                        "of its folders; it was removed, and nothing was read or written through it"
                    )


def harmless(link: Path, target: Path, inside: Path) -> bool:
    """Tell whether a link leads to a tool, or to a place inside where another link may stand.

    A step up that is not at the beginning goes wherever a link before it leads.
    """
    up = list(takewhile(lambda part: part == "..", target.parts))
    if ".." in target.parts[len(up) :]:
        return False
    place = Path(os.path.normpath(link.parent.resolve() / target))
    return f"{place}/".startswith(_TOOLS) or place.is_relative_to(inside.resolve())


def require(path: Path, inside: Sequence[Path]) -> None:
    """Raise SubjectError for a path that leads out of these folders, if there are some."""
    if inside and not any(path.resolve().is_relative_to(one.resolve()) for one in inside):
        raise SubjectError(
            f"a link leads from {path} to {path.resolve()}: something that ran there has made it; "
            "nothing was read or written through it"
        )
