"""Files and folders of stored results, as the runs of one suite by one tool."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.stored import StoredResults, StoredRun
from runners.pybench.stored import asv_files, files, pyperf_files, pytest_files
from runners.pybench.stored.asv_files import AsvFiles
from runners.pybench.stored.checking import Broken

_TOOLS = {"pytest": "pytest-benchmark", "asv": "asv", "pyperf": "pyperf"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A file that was read; those of folders may be left out, those that were named may not."""

    harness: str
    path: Path
    named: bool
    sha: str
    run: StoredRun
    left_out: tuple[str, ...] = ()


def is_stored(path: Path) -> bool:
    """Tell whether a path is a folder or a file of JSON; what stands in it tells the tool."""
    return path.is_dir() or files.is_json(path)


def read(paths: Sequence[Path], commit: str | None = None) -> StoredResults:
    """Read files and folders; raises UsageError that names the file, what is wrong, what to do.

    A folder may hold runs of several commits. `commit` (its first letters are enough) chooses among
    all runs; without it those of the newest commit in the folders are taken, beside all files that
    are named themselves.
    """
    asv = AsvFiles()
    found: dict[Path, _Found] = {}
    for path in paths:
        named = not path.is_dir()
        for one in [path] if named else files.within(path):
            read_one = _read(one, asv, named=named)
            if read_one is not None:
                found.setdefault(one.resolve(), read_one)
        _check_any(path, found, named=named)
    _check_tools(list(found.values()))
    chosen = _chosen(list(found.values()), commit)
    _check_alike(chosen)
    if not any(one.run.processes for one in chosen):
        raise UsageError(f"{chosen[0].path} holds no times of any benchmark; is it the right file?")
    shas = "".join(one.sha for one in chosen).encode()
    taken = {one.run.commit for one in chosen if one.run.commit}
    others = {one.run.commit for one in found.values() if one.run.commit} - taken
    return StoredResults(
        harness=chosen[0].harness,
        digest=hashlib.sha256(shas).hexdigest(),
        runs=tuple(one.run for one in chosen),
        left_out=tuple(dict.fromkeys(name for one in chosen for name in one.left_out)),
        older=tuple(sorted(others)) if commit is None else (),
    )


def _read(path: Path, asv: AsvFiles, *, named: bool) -> _Found | None:
    """Read a file; None for one in a folder that is no result."""
    if not named and path.name in asv_files.OWN:
        return None
    data = files.content(path)
    try:
        read_one = _by_its_tool(files.parsed(data), path, asv)
    except Broken as error:
        raise UsageError(f"{path}: {error}") from error
    if read_one is None:
        if named:
            raise UsageError(
                f"{path}: no result of pytest-benchmark, asv or pyperf; is it the right file?"
            )
        return None
    harness, run, left_out = read_one
    sha = hashlib.sha256(data).hexdigest()
    return _Found(harness=harness, path=path, named=named, sha=sha, run=run, left_out=left_out)


def _by_its_tool(
    document: dict[str, object], path: Path, asv: AsvFiles
) -> tuple[str, StoredRun, tuple[str, ...]] | None:
    """Read what some tool has written, None where none has; raises Broken."""
    if pytest_files.is_mine(document):
        return "pytest", pytest_files.read(document, path), ()
    if asv_files.is_mine(document):
        return "asv", *asv.read(document, path)
    if pyperf_files.is_mine(document):
        return "pyperf", *pyperf_files.read(document, path)
    return None


def _check_any(path: Path, found: dict[Path, _Found], *, named: bool) -> None:
    inside = [one for one in found if named or path.resolve() in one.parents]
    if not inside:
        raise UsageError(
            f"{path} holds no result of pytest-benchmark, asv or pyperf; name the folder of the "
            "results, such as .asv/results or .benchmarks"
        )


def _check_tools(found: list[_Found]) -> None:
    first = found[0]
    for one in found:
        if one.harness != first.harness:
            raise UsageError(
                f"{first.path} is of {_TOOLS[first.harness]}, {one.path} of {_TOOLS[one.harness]}; "
                "give the results of one tool"
            )


def _chosen(found: list[_Found], commit: str | None) -> list[_Found]:
    """Return the runs of the commit that is asked for; at least one."""
    if commit is not None:
        return _of_commit(found, commit)
    offered = [one for one in found if not one.named]
    if not offered:
        return found
    newest = max(offered, key=lambda one: one.run.made).run.commit
    return [one for one in found if one.named or one.run.commit == newest]


def _of_commit(found: list[_Found], commit: str) -> list[_Found]:
    known = sorted({one.run.commit for one in found} - {""})
    fitting = [one for one in known if commit and one.startswith(commit)]
    exact = [commit] if commit in known else fitting
    if len(exact) != 1:
        there = ", ".join(one[:12] for one in known[:10]) or "none"
        which = f"{len(fitting)} commits begin" if fitting else "no stored commit begins"
        raise UsageError(f"{which} with {commit!r}; the results are of: {there}")
    return [one for one in found if one.run.commit == exact[0]]


def _check_alike(chosen: list[_Found]) -> None:
    """Refuse a folder whose runs are of several machines or environments: which is meant?"""
    kinds: dict[tuple[str, ...], Path] = {}
    for one in chosen:
        if not one.named:
            facts = dict(one.run.host.facts)
            kind = (one.run.host.name, facts.get("environment", ""), facts.get("python", ""))
            kinds.setdefault(kind, one.path)
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise UsageError(
            f"{first} and {second} are of two machines or environments; name the files or the "
            "folder of one"
        )
