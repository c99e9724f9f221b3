"""Files and folders of stored results, as the runs of one suite by one tool."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.paths import is_dir, is_file
from auditor.core.stored import StoredResults, StoredRun
from runners.stored import asv_files, corpus, files, formats
from runners.stored.asv_files import AsvFiles
from runners.stored.checking import Broken
from runners.stored.formats import KNOWN, Format

_ENVIRONMENT = ("environment", "python", "jdk")
_JSON = (".json", ".json.gz")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A file that was read; those of folders may be left out, those that were named may not."""

    format: Format
    path: Path
    named: bool
    sha: str
    run: StoredRun
    left_out: tuple[str, ...] = ()


def is_stored(path: Path) -> bool:
    """Tell whether a path is a folder, JSON or a text that some tool's results begin like.

    What is compressed is, too, whatever is wrong with it: tables of research tools are not.
    """
    if is_dir(path):
        return True
    try:
        return formats.is_known(path)
    except UsageError:
        return is_file(path) and path.name.endswith(".gz")


def read(paths: Sequence[Path], commit: str | None = None) -> StoredResults:
    """Read files and folders; raises UsageError that names the file, what is wrong, what to do.

    A folder may hold runs of several commits. `commit` (its first letters are enough) chooses among
    all runs; without it those of the newest commit in the folders are taken, beside all files that
    are named themselves.
    """
    asv = AsvFiles()
    found: dict[Path, _Found] = {}
    for path in paths:
        named = not is_dir(path)
        for one in [path] if named else corpus.within(path) or files.within(path):
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
        harness=chosen[0].format.harness,
        digest=hashlib.sha256(shas).hexdigest(),
        runs=_runs(chosen),
        left_out=tuple(dict.fromkeys(name for one in chosen for name in one.left_out)),
        older=tuple(sorted(others)) if commit is None else (),
    )


def _read(path: Path, asv: AsvFiles, *, named: bool) -> _Found | None:
    """Read a file; None for one in a folder that is no result."""
    if not named and (path.name in asv_files.OWN or _is_empty_text(path)):
        return None
    try:
        found = formats.read(path, asv)
    except Broken as error:
        raise UsageError(f"{path}: {error}") from error
    if found is None:
        if named:
            raise UsageError(f"{path}: no result of {KNOWN}; is it the right file?")
        return None
    run, left_out = found.content
    return _Found(
        format=found.format, path=path, named=named, sha=found.sha, run=run, left_out=left_out
    )


def _is_empty_text(path: Path) -> bool:
    """Tell whether a tool has printed nothing; JSON is never empty."""
    return not path.name.endswith(_JSON) and is_file(path) and path.stat().st_size == 0


def _runs(chosen: list[_Found]) -> tuple[StoredRun, ...]:
    """Return the runs: a file each, but of the corpus a folder."""
    if chosen[0].format is Format.CORPUS:
        return corpus.together([(one.path, one.run) for one in chosen])
    return tuple(one.run for one in chosen)


def _check_any(path: Path, found: dict[Path, _Found], *, named: bool) -> None:
    inside = [one for one in found if named or path.resolve() in one.parents]
    if not inside:
        raise UsageError(
            f"{path} holds no result of {KNOWN}; name the folder of the results, such as "
            ".asv/results or .benchmarks"
        )


def _check_tools(found: list[_Found]) -> None:
    first = found[0]
    for one in found:
        if one.format is not first.format:
            raise UsageError(
                f"{first.path} is of {first.format.value}, {one.path} of {one.format.value}; give "
                "the results of one tool in one format"
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
            kind = (one.run.host.name, *(facts.get(key, "") for key in _ENVIRONMENT))
            kinds.setdefault(kind, one.path)
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise UsageError(
            f"{first} and {second} are of two machines or environments; name the files or the "
            "folder of one"
        )
