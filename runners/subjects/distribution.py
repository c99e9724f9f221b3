"""A published source distribution of Python, through pip and whatever index it is set up with."""

import re
import shutil
import tarfile
import zipfile
from pathlib import Path

from auditor.core.errors import (
    BuildFailed,
    ResolveFailed,
    SourceUnreadable,
    ToolMissing,
    UsageError,
)
from auditor.core.jobs import Completed, Invocation
from auditor.core.ports import Host
from auditor.core.request import DistributionSpec
from runners.disk import writing
from runners.home import Home
from runners.subjects.placed import Placed
from runners.subjects.tree_entries import entry, place_entries, walk

_SECONDS = 600
_NO_PIP = b"No module named pip"
_ABSENT = re.compile(r"No matching distribution found for (.*)|Could not find a version .*")
_AWAY = re.compile(r"Failed to establish a new connection|name resolution|Max retries exceeded")


def place_distribution(
    spec: DistributionSpec, *, home: Home, host: Host, environment: tuple[tuple[str, str], ...]
) -> Placed:
    """Download a source distribution and copy what is in it to where it can be written."""
    with home.scratch() as scratch:

        def python(interpreter: str, *words: str) -> Completed:
            return host.run(
                Invocation(
                    argv=(interpreter, "-m", *words),
                    cwd=scratch,
                    environment=environment,
                    timeout_seconds=_SECONDS,
                )
            )

        download = (
            *("pip", "download", "--quiet", "--no-deps", "--no-binary", spec.name),
            *("--dest", str(scratch / "files"), f"{spec.name}=={spec.version}"),
        )
        answer = python("python3", *download)
        if _NO_PIP in answer.stderr:  # distributions keep it apart, but for virtual environments
            made = python("python3", "venv", str(scratch / "pip"))
            if made.exit_code != 0:
                raise ToolMissing(
                    "python3 has no pip and can make no virtual environment; install them "
                    "(Debian, Ubuntu: python3-pip, python3-venv)"
                )
            answer = python(str(scratch / "pip" / "bin" / "python"), *download)
        if answer.exit_code != 0:
            raise _failure(spec, answer)
        tree = _unpacked(scratch / "files", scratch / "tree")
        entries = [tree_entry for path in walk(tree) for tree_entry in entry(tree, path)]
        root, digest, files = place_entries(entries, home)
    return Placed(
        root=root,
        tree=root,
        name=spec.name,
        revision=spec.version,
        digest_of_tree=digest,
        files=files,
    )


def _unpacked(downloads: Path, into: Path) -> Path:
    """Unpack the one archive that is there, and return the one folder that is in it."""
    (archive,) = downloads.iterdir()
    with writing(into):
        into.mkdir()
        try:
            if zipfile.is_zipfile(archive):
                shutil.unpack_archive(archive, into, "zip")
            else:
                with tarfile.open(archive) as opened:
                    opened.extractall(into, filter="data")
        except (tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
            raise SourceUnreadable(f"{archive.name} cannot be unpacked: {error}") from error
    folders = [path for path in into.iterdir() if path.is_dir()]
    if len(folders) != 1:
        raise SourceUnreadable(f"{archive.name} is not a source distribution: not one folder in it")
    return folders[0]


def _failure(spec: DistributionSpec, answer: Completed) -> UsageError | ResolveFailed | BuildFailed:
    output = (answer.stdout + b"\n" + answer.stderr).decode(errors="replace")
    what = f"pypi:{spec.name}@{spec.version}"
    if _AWAY.search(output) or answer.timed_out:
        return ResolveFailed(f"cannot get {what}; check the network, and pip's index")
    if _ABSENT.search(output):
        return UsageError(
            f"{what} has no source distribution on the index; check the name and the version"
        )
    return BuildFailed(f"pip cannot read {what}; it said:\n{answer.tail()}")
