"""The files that a process is given, and those that it leaves."""

import errno
import os
from collections.abc import Iterable, Sequence
from itertools import takewhile
from pathlib import Path

from auditor.core.errors import FolderUnusable, SubjectError
from auditor.core.files.foreign_files import describe_os_error, read_regular
from auditor.core.jobs import Invocation
from runners.disk import convert_write_errors


def write_files(job: Invocation, *inside: Path) -> None:
    """Write the files of a process before it starts; raises as `put_files` does."""
    put_files(((job.cwd / path, content) for path, content in job.files), *inside)


def put_files(files: Iterable[tuple[Path, bytes]], *inside: Path) -> None:
    """Write files; raises FolderUnusable, and SubjectError where a link leads one elsewhere.

    They have to be in one of the folders `inside`, if some are given.

    What runs in a container may put a link in the place of a file of ours. It does not run while
    we look, so to look and then to write is enough.
    """
    for path, content in files:
        with convert_write_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            require_inside(path, inside)
            path.write_bytes(content)


LARGEST = 512 << 20
"""Bytes of a file that a process leaves: a long profile stays far below."""


def collect_files(job: Invocation, *inside: Path) -> dict[Path, bytes]:
    """Read what a process has left; what is missing is absent. Raises as `put_files` does.

    The subject may put anything in the place of a file: SubjectError for a pipe, a device, a link
    or a file that is too large.
    """
    contents: dict[Path, bytes] = {}
    for path in job.collects:
        require_inside(job.cwd / path, inside)
        try:
            contents[path] = read_regular(job.cwd / path, LARGEST)
        except FileNotFoundError:
            continue
        except OSError as error:
            text = (
                f"cannot read {job.cwd / path}, which the suite has left: "
                f"{describe_os_error(error)}"
            )
            if error.errno in _MADE_BY_SUBJECT:
                raise SubjectError(text) from error
            raise FolderUnusable(text) from error
    return contents


_MADE_BY_SUBJECT = (errno.EINVAL, errno.ELOOP, errno.EFBIG)
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
                if link.is_symlink() and not is_harmless_link(
                    link, target := link.readlink(), inside
                ):
                    link.unlink()
                    raise SubjectError(
                        f"code in the container created a link at {link} to {target}, outside of "
                        "its folders; it was removed, and nothing was read or written through it"
                    )


def is_harmless_link(link: Path, target: Path, inside: Path) -> bool:
    """Tell whether a link leads to a tool, or to a place inside where another link may stand.

    A step up that is not at the beginning goes wherever a link before it leads.
    """
    up = list(takewhile(lambda part: part == "..", target.parts))
    if ".." in target.parts[len(up) :]:
        return False
    place = Path(os.path.normpath(link.parent.resolve() / target))
    return f"{place}/".startswith(_TOOLS) or place.is_relative_to(inside.resolve())


def require_inside(path: Path, inside: Sequence[Path]) -> None:
    """Raise SubjectError for a path that leads out of these folders, if there are some."""
    if inside and not any(path.resolve().is_relative_to(folder.resolve()) for folder in inside):
        raise SubjectError(
            f"a link leads from {path} to {path.resolve()}: code of the subject created it; "
            "nothing was read or written through it"
        )
