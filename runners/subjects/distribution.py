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
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from auditor.core.request import DistributionSpec
from runners.disk import convert_write_errors
from runners.home import HomeFolder
from runners.subjects.placed import PlacedSubject
from runners.subjects.tree_entries import list_tree_files, make_entries, place_entries

_SECONDS = 600
_NO_PIP = b"No module named pip"
_ABSENT = re.compile(r"No matching distribution found for (.*)|Could not find a version .*")
_NETWORK_FAILURE = re.compile(
    r"Failed to establish a new connection|name resolution|Max retries exceeded"
)


def place_distribution(
    spec: DistributionSpec,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
) -> PlacedSubject:
    """Download a source distribution and copy what is in it to where it can be written."""
    with home.make_scratch_folder() as scratch:

        def run_python(interpreter: str, *words: str) -> CompletedProcess:
            return host.run_process(
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
        answer = run_python("python3", *download)
        if _NO_PIP in answer.stderr:  # distributions keep it apart, but for virtual environments
            if run_python("python3", "venv", str(scratch / "pip")).exit_code != 0:
                raise ToolMissing(
                    "python3 has no pip and can make no virtual environment; install them "
                    "(Debian, Ubuntu: python3-pip, python3-venv)"
                )
            answer = run_python(str(scratch / "pip" / "bin" / "python"), *download)
        if answer.exit_code != 0:
            raise _make_download_error(spec, answer)
        tree = _unpack_archive(scratch / "files", scratch / "tree")
        entries = [entry for path in list_tree_files(tree) for entry in make_entries(tree, path)]
        root, digest, files = place_entries(entries, home)
    return PlacedSubject(
        root=root,
        tree=root,
        name=spec.name,
        revision=spec.version,
        digest_of_tree=digest,
        files=files,
    )


def _unpack_archive(downloads: Path, target_folder: Path) -> Path:
    """Unpack the one archive that is there, and return the one folder that is in it."""
    (archive,) = downloads.iterdir()
    with convert_write_errors(target_folder):
        target_folder.mkdir()
        try:
            if zipfile.is_zipfile(archive):
                shutil.unpack_archive(archive, target_folder, "zip")
            else:
                with tarfile.open(archive) as opened:
                    opened.extractall(target_folder, filter="data")
        except (tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
            raise SourceUnreadable(f"{archive.name} cannot be unpacked: {error}") from error
    folders = [path for path in target_folder.iterdir() if path.is_dir()]
    if len(folders) != 1:
        raise SourceUnreadable(f"{archive.name} is not a source distribution: not one folder in it")
    return folders[0]


def _make_download_error(
    spec: DistributionSpec, answer: CompletedProcess
) -> UsageError | ResolveFailed | BuildFailed:
    output = (answer.stdout + b"\n" + answer.stderr).decode(errors="replace")
    distribution = f"pypi:{spec.name}@{spec.version}"
    if _NETWORK_FAILURE.search(output) or answer.timed_out:
        return ResolveFailed(f"cannot get {distribution}; check the network, and pip's index")
    if _ABSENT.search(output):
        return UsageError(
            f"{distribution} has no source distribution on the index; check the name and the "
            "version"
        )
    return BuildFailed(f"pip cannot read {distribution}; it said:\n{answer.format_tail()}")
