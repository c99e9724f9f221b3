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
from auditor.importers.asv_files import AsvReader
from auditor.importers.benchmark_names import rename_benchmarks, separate_variants, settle_endings
from auditor.importers.checking import BrokenFile, number_duplicates
from auditor.importers.formats import CSV_HINT, FORMAT_NAMES, StoredFormat

_ENVIRONMENT = ("environment", "python", "jdk")
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-fA-F]{6,}")
"""In the `repr` of an object of Python that has none of its own."""
_NO_RESULT = f"no result of {FORMAT_NAMES}; is it the right file? {CSV_HINT}"
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
class _ResultFiles:
    """What was read, and why the odd ones were not."""

    stored_files: dict[Path, _StoredFile] = field(default_factory=dict)
    odd: dict[Path, str] = field(default_factory=dict)
    votes: dict[StoredFormat, float] = field(default_factory=dict)
    """For a format: of each path that was given one, shared among the files in it."""

    def leave_out(self, file: _StoredFile, reason: str) -> None:
        self.odd[file.path] = reason
        del self.stored_files[file.path.resolve()]


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


def read_results(paths: Sequence[Path], commit: str | None = None) -> StoredResults:
    """Read files and folders; raises UsageError that names the file, what is wrong, what to do.

    A folder may hold runs of several commits. `commit` (its first letters are enough) chooses among
    all runs; without it those of the newest commit in the folders are taken, beside all files that
    are named themselves. An odd file is left out with a caveat, as long as there are others.
    """
    result_files = _ResultFiles()
    asv = AsvReader()
    for path in paths:
        _read_all(path, asv, result_files)
    _require_any(paths, result_files)
    _keep_one_format(result_files)
    _keep_times(result_files)
    _leave_out_copies(result_files)
    commits = {file.run.commit for file in result_files.stored_files.values()} - {""}
    selected_files = _select_files(result_files, commit)
    _check_alike(selected_files)
    left_out = tuple(
        dict.fromkeys(name for stored_file in selected_files for name in stored_file.left_out)
    )
    runs = separate_variants(
        settle_endings([_without_addresses(run) for run in _collect_runs(selected_files)])
    )
    shas = "".join(file.sha for file in selected_files).encode()
    return StoredResults(
        harness=selected_files[0].format.harness,
        digest=hashlib.sha256(shas).hexdigest(),
        runs=runs,
        left_out=left_out,
        older=tuple(sorted(commits - {file.run.commit for file in selected_files}))
        if commit is None
        else (),
        caveats=(
            *_describe_odd_files(result_files.odd),
            *dict.fromkeys(caveat for run in runs for caveat in run.caveats),
        ),
    )


def _read_all(path: Path, asv: AsvReader, result_files: _ResultFiles) -> None:
    """Read a file, or what lies in a folder."""
    named = not is_dir(path)
    stored_files = []
    inside = [path] if named else corpus.series_files(path) or criterion.criterion_files(path)
    for inner_path in inside or files.result_files(path):
        if named or inner_path.name not in asv_files.SUITE_FILES:
            read_one = _read_file(inner_path, asv, result_files, named=named)
            if read_one is not None:
                stored_files.append(read_one)
    for file in stored_files:
        result_files.votes[file.format] = result_files.votes.get(file.format, 0.0) + 1 / len(
            stored_files
        )
        result_files.stored_files.setdefault(file.path.resolve(), file)


def _read_file(
    path: Path, asv: AsvReader, result_files: _ResultFiles, *, named: bool
) -> _StoredFile | None:
    """Read a file; None for one that is odd, which is kept. Raises UsageError for what is no file.

    In a folder that is odd, too: whoever named the folder has not named the file.
    """
    try:
        result = formats.read_file(path, asv)
    except BrokenFile as error:
        result_files.odd[path] = str(error)
        return None
    except UsageError as error:
        if named:
            raise
        result_files.odd[path] = (
            str(error).removeprefix(f"cannot read {path}: ").removeprefix(f"{path} ")
        )
        return None
    if result is None:
        result_files.odd[path] = _NO_RESULT
        return None
    run, left_out = result.content
    return _StoredFile(
        format=result.format, path=path, named=named, sha=result.sha, run=run, left_out=left_out
    )


def _require_any(paths: Sequence[Path], result_files: _ResultFiles) -> None:
    """Raise UsageError where nothing can be read, with the reason of the first."""
    if result_files.stored_files:
        return
    if result_files.odd:
        path, reason = next(iter(result_files.odd.items()))
        more = len(result_files.odd) - 1
        raise UsageError(
            f"{path}: {reason}" + (f" (and {more} more files like it)" if more else "")
        )
    raise UsageError(
        f"{paths[0]} holds no result of {FORMAT_NAMES}; name the folder of the results, such as "
        ".asv/results or .benchmarks"
    )


def _keep_one_format(result_files: _ResultFiles) -> None:
    """Leave out files of other formats than most are of; raises UsageError where none is."""
    most, *minority_formats = sorted(result_files.votes, key=lambda vote: -result_files.votes[vote])
    if (
        minority_formats
        and result_files.votes[minority_formats[0]] > result_files.votes[most] - _EQUAL
    ):
        first = next(
            stored_file
            for stored_file in result_files.stored_files.values()
            if stored_file.format is most
        )
        second = next(
            stored_file
            for stored_file in result_files.stored_files.values()
            if stored_file.format is minority_formats[0]
        )
        raise UsageError(
            f"{first.path} is of {first.format.value}, {second.path} of {second.format.value}; "
            "give the results of one tool in one format"
        )
    for file in [
        stored_file
        for stored_file in result_files.stored_files.values()
        if stored_file.format is not most
    ]:
        result_files.leave_out(file, f"it is of {file.format.value}, the others of {most.value}")


def _keep_times(result_files: _ResultFiles) -> None:
    """Leave out files without any times: they are no run. Raises UsageError where no file has."""
    empty = [
        stored_file
        for stored_file in result_files.stored_files.values()
        if not stored_file.run.processes
    ]
    if len(empty) == len(result_files.stored_files):
        raise UsageError(f"{empty[0].path} holds no times of any benchmark; is it the right file?")
    for file in empty:
        result_files.leave_out(file, "it holds no times of any benchmark")


def _leave_out_copies(result_files: _ResultFiles) -> None:
    """Leave out files with the content of another: a copy is no further run."""
    first_files: dict[tuple[str, ...], _StoredFile] = {}
    for file in [*result_files.stored_files.values()]:
        # Where each benchmark has a file, two may hold the same values.
        first = first_files.setdefault((file.sha, *file.run.processes), file)
        if first is not file:
            result_files.leave_out(file, f"it is a copy of {first.path}")


def _describe_odd_files(odd: dict[Path, str]) -> Iterator[Caveat]:
    """Yield what was left out, and why."""
    if odd:
        examples = "; ".join(f"{path.name}: {reason}" for path, reason in [*odd.items()][:_NAMED])
        more = f"; and {len(odd) - _NAMED} more" if len(odd) > _NAMED else ""
        examples = examples.replace(_NO_RESULT, "its format is unknown")
        count = "a file was" if len(odd) == 1 else f"{len(odd)} files were"
        yield Caveat("odd-files", f"{count} left out: {examples}{more}")


def _collect_runs(selected_files: list[_StoredFile]) -> tuple[StoredRun, ...]:
    """Return the runs: a file each, but of the corpus and of criterion a folder."""
    if selected_files[0].format is StoredFormat.CORPUS:
        return corpus.join_benchmarks(
            [(stored_file.path, stored_file.run) for stored_file in selected_files]
        )
    if selected_files[0].format is StoredFormat.CRITERION:
        return _join_folders(
            (criterion.find_root_folder(file.path), file.run) for file in selected_files
        )
    return tuple(file.run for file in selected_files)


def _join_folders(runs: Iterable[tuple[Path, StoredRun]]) -> tuple[StoredRun, ...]:
    """Join the benchmarks of each folder."""
    folders: dict[Path, StoredRun] = {}
    for folder, run in runs:
        joined_run = folders.setdefault(folder, replace(run, name=folder.name, processes={}))
        folders[folder] = replace(joined_run, processes={**joined_run.processes, **run.processes})
    return tuple(folders.values())


def _without_addresses(run: StoredRun) -> StoredRun:
    """Return a run whose names have no addresses of objects: each process has others.

    Names that differ in nothing else have numbers, in the order of the file.
    """
    short = [_ADDRESS.sub("0x…", name) for name in run.processes]
    if short == [*run.processes]:
        return run
    names = dict(zip(run.processes, number_duplicates(short), strict=True))
    text = (
        "names of benchmarks contain memory addresses, which change in each process; they are "
        "removed, and such benchmarks numbered; give the class a __repr__"
    )
    caveats = (*run.caveats, Caveat("addresses-in-names", text))
    return replace(rename_benchmarks(run, names), caveats=caveats)


def _select_files(result_files: _ResultFiles, commit: str | None) -> list[_StoredFile]:
    """Return the runs of the commit that is asked for; at least one."""
    stored_files = [*result_files.stored_files.values()]
    if commit is not None:
        return _select_commit_files(stored_files, commit)
    offered = [stored_file for stored_file in stored_files if not stored_file.named]
    if not offered:
        return stored_files
    newest = max(offered, key=lambda stored_file: stored_file.run.timestamps).run.commit
    for file in offered:
        if file.run.commit != newest and not file.run.commit:
            result_files.leave_out(file, "it names no commit, and others do")
    return [
        stored_file
        for stored_file in stored_files
        if stored_file.named or stored_file.run.commit == newest
    ]


def _select_commit_files(stored_files: list[_StoredFile], commit: str) -> list[_StoredFile]:
    commits = sorted({stored_file.run.commit for stored_file in stored_files} - {""})
    fitting = [name for name in commits if commit and name.startswith(commit)]
    exact = [commit] if commit in commits else fitting
    if len(exact) != 1:
        commit_text = ", ".join(name[:12] for name in commits[:10]) or "none"
        problem = f"{len(fitting)} commits begin" if fitting else "no stored commit begins"
        raise UsageError(f"{problem} with {commit!r}; the results are of: {commit_text}")
    return [file for file in stored_files if file.run.commit == exact[0]]


def _check_alike(selected_files: list[_StoredFile]) -> None:
    """Refuse a folder whose runs are of several machines or environments: which is meant?"""
    kinds: dict[tuple[str, ...], Path] = {}
    for file in selected_files:
        if not file.named:
            facts = dict(file.run.host.facts)
            kind = (file.run.host.name, *(facts.get(key, "") for key in _ENVIRONMENT))
            kinds.setdefault(kind, file.path)
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise UsageError(
            f"{first} and {second} are from different machines or environments; name the files or "
            "the folder of one"
        )
