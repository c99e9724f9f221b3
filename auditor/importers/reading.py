"""Files and folders of stored results, as the runs of one suite by one tool."""

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.files.paths import is_dir, is_file
from auditor.core.series.stored import StoredResults, StoredRun
from auditor.importers import asv_files, corpus, criterion, files, formats
from auditor.importers.asv_files import AsvFiles
from auditor.importers.benchmark_names import rename_benchmarks, separate_variants, settle_endings
from auditor.importers.checking import Broken, numbers
from auditor.importers.formats import KNOWN, OTHERWISE, StoredFormat

_ENVIRONMENT = ("environment", "python", "jdk")
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]{6,}")
"""In the `repr` of an object of Python that has none of its own."""
_NO_RESULT = f"no result of {KNOWN}; is it the right file? {OTHERWISE}"
_NAMED = 3
_EQUAL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class _StoredFile:
    """A file that was read."""

    format: StoredFormat  # of which tool
    path: Path  # of the file
    named: bool  # whether the user named it; files of a named folder may be left out
    sha: str  # digest of its content
    run: StoredRun  # what it holds
    left_out: tuple[str, ...] = ()  # benchmarks that measure no time


@dataclass(slots=True)
class _Files:
    """What was read, and why the odd ones were not."""

    found: dict[Path, _StoredFile] = field(default_factory=dict)
    odd: dict[Path, str] = field(default_factory=dict)
    votes: dict[StoredFormat, float] = field(default_factory=dict)
    """For a format: of each path that was given one, shared among the files in it."""

    def leave_out(self, file: _StoredFile, why: str) -> None:
        self.odd[file.path] = why
        del self.found[file.path.resolve()]


def is_stored(path: Path) -> bool:
    """Tell whether a path is a folder, JSON or a text that some tool's results begin like.

    What is too large or compressed and broken is, too: tables of research tools are not.
    """
    if is_dir(path):
        return True
    try:
        return formats.is_known(path)
    except UsageError:
        return is_file(path) and not path.is_symlink()


def read(paths: Sequence[Path], commit: str | None = None) -> StoredResults:
    """Read files and folders; raises UsageError that names the file, what is wrong, what to do.

    A folder may hold runs of several commits. `commit` (its first letters are enough) chooses among
    all runs; without it those of the newest commit in the folders are taken, beside all files that
    are named themselves. An odd file is left out with a caveat, as long as there are others.
    """
    there = _Files()
    asv = AsvFiles()
    for path in paths:
        _read_all(path, asv, there)
    _require_any(paths, there)
    _keep_one_format(there)
    _keep_times(there)
    known = {file.run.commit for file in there.found.values()} - {""}
    chosen = _chosen(there, commit)
    _check_alike(chosen)
    left_out = tuple(dict.fromkeys(name for stored_file in chosen for name in stored_file.left_out))
    runs = separate_variants(settle_endings([_without_addresses(run) for run in _runs(chosen)]))
    shas = "".join(file.sha for file in chosen).encode()
    return StoredResults(
        harness=chosen[0].format.harness,
        digest=hashlib.sha256(shas).hexdigest(),
        runs=runs,
        left_out=left_out,
        older=tuple(sorted(known - {file.run.commit for file in chosen})) if commit is None else (),
        caveats=(
            *_odd(there.odd),
            *dict.fromkeys(caveat for run in runs for caveat in run.caveats),
        ),
    )


def _read_all(path: Path, asv: AsvFiles, there: _Files) -> None:
    """Read a file, or what lies in a folder."""
    named = not is_dir(path)
    stored_files = []
    inside = [path] if named else corpus.series_files(path) or criterion.criterion_files(path)
    for one in inside or files.result_files(path):
        if named or one.name not in asv_files.OWN:
            read_one = _read(one, asv, there, named=named)
            if read_one is not None:
                stored_files.append(read_one)
    for file in stored_files:
        there.votes[file.format] = there.votes.get(file.format, 0.0) + 1 / len(stored_files)
        there.found.setdefault(file.path.resolve(), file)


def _read(path: Path, asv: AsvFiles, there: _Files, *, named: bool) -> _StoredFile | None:
    """Read a file; None for one that is odd, which is kept. Raises UsageError for what is no file.

    In a folder that is odd, too: whoever named the folder has not named the file.
    """
    try:
        result = formats.read(path, asv)
    except Broken as error:
        there.odd[path] = str(error)
        return None
    except UsageError as error:
        if named:
            raise
        there.odd[path] = str(error).removeprefix(f"cannot read {path}: ").removeprefix(f"{path} ")
        return None
    if result is None:
        there.odd[path] = _NO_RESULT
        return None
    run, left_out = result.content
    return _StoredFile(
        format=result.format, path=path, named=named, sha=result.sha, run=run, left_out=left_out
    )


def _require_any(paths: Sequence[Path], there: _Files) -> None:
    """Raise UsageError where nothing can be read, with the reason of the first."""
    if there.found:
        return
    if there.odd:
        path, reason = next(iter(there.odd.items()))
        more = len(there.odd) - 1
        raise UsageError(
            f"{path}: {reason}" + (f" (and {more} more files like it)" if more else "")
        )
    raise UsageError(
        f"{paths[0]} holds no result of {KNOWN}; name the folder of the results, such as "
        ".asv/results or .benchmarks"
    )


def _keep_one_format(there: _Files) -> None:
    """Leave out files of other formats than most are of; raises UsageError where none is."""
    most, *others = sorted(there.votes, key=lambda vote: -there.votes[vote])
    if others and there.votes[others[0]] > there.votes[most] - _EQUAL:
        first = next(
            stored_file for stored_file in there.found.values() if stored_file.format is most
        )
        other = next(
            stored_file for stored_file in there.found.values() if stored_file.format is others[0]
        )
        raise UsageError(
            f"{first.path} is of {first.format.value}, {other.path} of {other.format.value}; give "
            "the results of one tool in one format"
        )
    for file in [
        stored_file for stored_file in there.found.values() if stored_file.format is not most
    ]:
        there.leave_out(file, f"it is of {file.format.value}, the others of {most.value}")


def _keep_times(there: _Files) -> None:
    """Leave out files without any times: they are no run. Raises UsageError where no file has."""
    empty = [stored_file for stored_file in there.found.values() if not stored_file.run.processes]
    if len(empty) == len(there.found):
        raise UsageError(f"{empty[0].path} holds no times of any benchmark; is it the right file?")
    for file in empty:
        there.leave_out(file, "it holds no times of any benchmark")


def _odd(odd: dict[Path, str]) -> Iterator[Caveat]:
    """Yield what was left out, and why."""
    if odd:
        those = "; ".join(f"{path.name}: {reason}" for path, reason in [*odd.items()][:_NAMED])
        more = f"; and {len(odd) - _NAMED} more" if len(odd) > _NAMED else ""
        those = those.replace(_NO_RESULT, "it is of no format that is read")
        count = "a file was" if len(odd) == 1 else f"{len(odd)} files were"
        yield Caveat("odd-files", f"{count} left out: {those}{more}")


def _runs(chosen: list[_StoredFile]) -> tuple[StoredRun, ...]:
    """Return the runs: a file each, but of the corpus and of criterion a folder."""
    if chosen[0].format is StoredFormat.CORPUS:
        return corpus.join_benchmarks(
            [(stored_file.path, stored_file.run) for stored_file in chosen]
        )
    if chosen[0].format is StoredFormat.CRITERION:
        return _of_folders((criterion.root(file.path), file.run) for file in chosen)
    return tuple(file.run for file in chosen)


def _of_folders(runs: Iterable[tuple[Path, StoredRun]]) -> tuple[StoredRun, ...]:
    """Join the benchmarks of each folder."""
    folders: dict[Path, StoredRun] = {}
    for folder, run in runs:
        whole = folders.setdefault(folder, replace(run, name=folder.name, processes={}))
        folders[folder] = replace(whole, processes={**whole.processes, **run.processes})
    return tuple(folders.values())


def _without_addresses(run: StoredRun) -> StoredRun:
    """Return a run whose names have no addresses of objects: each process has others.

    Names that differ in nothing else have numbers, in the order of the file.
    """
    short = [_ADDRESS.sub("0x…", name) for name in run.processes]
    if short == [*run.processes]:
        return run
    names = dict(zip(run.processes, numbers(short), strict=True))
    text = (
        "names of benchmarks hold an address, which is another in each process; it is left out, "
        "and objects of one kind are told apart by their order"
    )
    caveats = (*run.caveats, Caveat("addresses-in-names", text))
    return replace(rename_benchmarks(run, names), caveats=caveats)


def _chosen(there: _Files, commit: str | None) -> list[_StoredFile]:
    """Return the runs of the commit that is asked for; at least one."""
    stored_files = [*there.found.values()]
    if commit is not None:
        return _of_commit(stored_files, commit)
    offered = [stored_file for stored_file in stored_files if not stored_file.named]
    if not offered:
        return stored_files
    newest = max(offered, key=lambda stored_file: stored_file.run.made).run.commit
    for file in offered:
        if file.run.commit != newest and not file.run.commit:
            there.leave_out(file, "it names no commit, and others do")
    return [
        stored_file
        for stored_file in stored_files
        if stored_file.named or stored_file.run.commit == newest
    ]


def _of_commit(stored_files: list[_StoredFile], commit: str) -> list[_StoredFile]:
    known = sorted({stored_file.run.commit for stored_file in stored_files} - {""})
    fitting = [name for name in known if commit and name.startswith(commit)]
    exact = [commit] if commit in known else fitting
    if len(exact) != 1:
        there = ", ".join(name[:12] for name in known[:10]) or "none"
        which = f"{len(fitting)} commits begin" if fitting else "no stored commit begins"
        raise UsageError(f"{which} with {commit!r}; the results are of: {there}")
    return [file for file in stored_files if file.run.commit == exact[0]]


def _check_alike(chosen: list[_StoredFile]) -> None:
    """Refuse a folder whose runs are of several machines or environments: which is meant?"""
    kinds: dict[tuple[str, ...], Path] = {}
    for file in chosen:
        if not file.named:
            facts = dict(file.run.host.facts)
            kind = (file.run.host.name, *(facts.get(key, "") for key in _ENVIRONMENT))
            kinds.setdefault(kind, file.path)
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise UsageError(
            f"{first} and {second} are of two machines or environments; name the files or the "
            "folder of one"
        )
