"""A job as the words of a shell, and what it leaves."""

import io
import math
import shlex
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import FolderUnusable, MachineError, ToolMissing
from auditor.core.jobs import HostInterference, Invocation
from runners.hosts import interference as strain
from runners.hosts.exchange import LARGEST
from runners.hosts.machine_facts import split_fenced_texts
from runners.hosts.output_watch import signal_or_code
from runners.hosts.ssh.mirror import Mirror, split_names

_BEYOND_SECONDS = 60
"""How long after its limit a process ends that nobody has ended."""
_BLOCK = 512
"""Bytes: the unit of sizes of find."""
_LAST, _TOKEN = "ended", "token"
"""The name of what comes last; all that comes before it, but for the job's own, begins with ./."""
_SHELL_VARIABLES = ("PWD", "OLDPWD", "SHLVL")
"""What shells add to an environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteResult:
    """How a job ended, and what it left."""

    code: int  # exit code
    stdout: bytes  # of the job
    stderr: bytes  # of the job
    truncated: bool  # whether output was dropped
    files: Mapping[Path, bytes]  # content of those that were collected
    reason: str  # why it was not started; empty: it was
    signalled: bool  # whether it got a signal of ours
    missed: Sequence[str]  # paths that have to be fetched besides
    strain: HostInterference  # what kept the machine busy meanwhile
    free: int  # bytes that its disk has left


def pack_job(
    job: Invocation, *, alone: bool, processors: str, scope: Sequence[str], mirrored: bool
) -> bytes:
    """Return an archive of the words that far.sh is handed of a job.

    `alone`: while no other process of ours is measured on that machine. `scope` are the folders
    that it may change, relative to the tree.
    """
    words = {
        "settings": _format_settings(job, processors, scope, alone=alone, mirrored=mirrored),
        "run": _format_run_script(job, processors),
        "left": _format_collect_script(job),
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, lines in words.items():
            content = "".join(f"{line}\n" for line in lines).encode(errors="surrogateescape")
            member = tarfile.TarInfo(name)
            member.size, member.mode = len(content), 0o600
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def _format_settings(
    job: Invocation, processors: str, scope: Sequence[str], *, alone: bool, mirrored: bool
) -> Iterator[str]:
    follow = job.follow
    path = "" if follow is None else str(job.cwd / follow.path) if follow.path else "-"
    enough = follow.enough if follow else None
    values = {
        "alone": "1" if alone else "",
        "enough": "" if enough is None else str(job.cwd / enough),
        "follow": path,
        "half": str(job.output_limit - job.output_limit // 2),
        "limit": str(job.output_limit),
        "longest": str(math.ceil(job.timeout_seconds) + _BEYOND_SECONDS),
        "mirrored": "1" if mirrored else "",
        "processors": processors,
        "scope": shlex.join(folder if folder == "." else f"./{folder}" for folder in scope),
    }
    return (f"{name}={shlex.quote(value)}" for name, value in values.items())


def _format_run_script(job: Invocation, processors: str) -> Iterator[str]:
    """Yield the words that become the process; what is secret in them is on no command line."""
    variables = dict(job.environment)
    program = shlex.quote(job.argv[0])
    pinned = f"taskset -c {processors} " if processors else ""
    yield "why=$PWD/why"
    yield f'cd {shlex.quote(str(job.cwd))} || {{ echo folder >"$why"; exit 126; }}'
    yield "umask 022"
    yield "unset " + " ".join(
        variable for variable in _SHELL_VARIABLES if variable not in variables
    )
    yield from (f"export {name}={shlex.quote(value)}" for name, value in variables.items())
    for word in (*pinned.split()[:1], program):
        yield f'command -v {word} >/dev/null 2>&1 || {{ echo {word} >"$why"; exit 127; }}'
    yield f"exec {pinned}{shlex.join(job.argv)}"


def _format_collect_script(job: Invocation) -> Iterator[str]:
    for number, path in enumerate(job.collects):
        quoted_path = shlex.quote(str(job.cwd / path))
        # Nothing is taken of a link or of a file that is too large: `collect` refuses both.
        small = f'[ -z "$(find {quoted_path} -prune -size +{LARGEST // _BLOCK})" ]'
        yield f"if [ -f {quoted_path} ] && [ ! -L {quoted_path} ] && {small}; then"
        yield f"cp {quoted_path} got.{number} || exit 1; fi"


def read_result(
    archive: tarfile.TarFile,
    number: str,
    job: Invocation,
    mirror: Mirror | None,
    scope: Sequence[str],
) -> RemoteResult:
    """Read what `finish` has written of a job; the mirror gets what has changed.

    Raises SubjectError for what no tree of ours can have, MachineError for what is incomplete.
    """
    try:
        return _parse_result(archive, number, job, mirror, scope)
    except (KeyError, ValueError, IndexError, tarfile.TarError) as error:
        raise MachineError(
            f"the output of {job.argv[0]} is incomplete ({type(error).__name__}: {error}); the "
            "folder was changed while it ran"
        ) from error


def _parse_result(
    archive: tarfile.TarFile,
    number: str,
    job: Invocation,
    mirror: Mirror | None,
    scope: Sequence[str],
) -> RemoteResult:
    job_files: dict[str, bytes] = {}
    while f"{(member := _read_member(archive)).name}/".startswith(f"{number}/"):
        content = archive.extractfile(member) if member.isreg() else None
        job_files[member.name.removeprefix(f"{number}/")] = content.read() if content else b""
    missed: Sequence[str] = ()
    if mirror is None:
        _unpack_rest(archive, member, _LAST, None)
    else:
        folders, names, renamed = (
            split_names(job_files[folder]) for folder in ("folders", "names", "renamed")
        )
        mirror.make_folders(folders)
        came = _unpack_rest(archive, member, _LAST, mirror)
        moved = mirror.forget_missing(scope, {*names, *folders})
        missed = mirror.list_missed(names, came, renamed if moved else ())
    return RemoteResult(
        code=signal_or_code(int(job_files["code"].split()[0])),
        stdout=job_files["out.first"] + job_files["out.end"],
        stderr=job_files["err.first"] + job_files["err.end"],
        truncated="out.cut" in job_files or "err.cut" in job_files,
        files={
            path: job_files[f"got.{index}"]
            for index, path in enumerate(job.collects)
            if f"got.{index}" in job_files
        },
        signalled="signalled" in job_files,
        missed=missed,
        reason=job_files.get("why", b"").decode(errors="replace").strip(),
        free=int(job_files["free"]) << 10,
        strain=strain.compute_interference(
            _parse_counters(job_files.get("before", b"")),
            _parse_counters(job_files.get("after", b"")),
        ),
    )


def read_rest(archive: tarfile.TarFile, mirror: Mirror) -> set[str]:
    """Read what `fetch` has written; returns its paths. Raises as `read_result` does."""
    try:
        return _unpack_rest(archive, _read_member(archive), _TOKEN, mirror)
    except tarfile.TarError as error:
        raise MachineError(
            f"the fetched files are incomplete: {error}; repeat the command"
        ) from error


def _unpack_rest(
    archive: tarfile.TarFile, member: tarfile.TarInfo, last: str, mirror: Mirror | None
) -> set[str]:
    """Take what follows of the tree; returns its paths."""
    came = set()
    while member.name != last:
        if mirror is not None and not member.isdir():
            path = member.name.removeprefix("./")
            mirror.extract_member(archive, member, path)
            came.add(path)
        member = _read_member(archive)
    return came


def _read_member(archive: tarfile.TarFile) -> tarfile.TarInfo:
    if (member := archive.next()) is None:
        raise tarfile.ReadError("it ends too early")
    return member


def _parse_counters(printed: bytes) -> strain.KernelCounters:
    return strain.parse_counters(split_fenced_texts(printed.decode(errors="replace")))


def start_failure(reason: str, job: Invocation, target: str) -> MachineError:
    """Return why a process was not started."""
    if reason == "folder":
        return FolderUnusable(f"cannot run {job.argv[0]} in {job.cwd} of {target}: no such folder")
    path = dict(job.environment).get("PATH", "")
    return ToolMissing(
        f"{reason} was not found on PATH ({path}) of {target}, or may not be run there; install "
        "it, or name its folder in ssh.path"
    )
