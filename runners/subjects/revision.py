"""A revision of a git repository, read into a tree of ours without a check-out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path, PurePosixPath
from urllib.parse import urljoin

from auditor.core.errors import ResolveFailed, SubjectError, UsageError
from auditor.core.request import GitSpec
from runners.home import HomeFolder
from runners.subjects.gopath import add_module_file
from runners.subjects.placed import MARKS, PlacedSubject, detect_kind, is_gopath, suggest_jar_audit
from runners.subjects.repository import (
    FETCHED,
    CommitEntry,
    GitFailed,
    Repository,
    make_scratch_repository,
)
from runners.subjects.survey import describe_candidates
from runners.subjects.tree_entries import TreeEntry, is_audit_file, place_entries, stays_inside

_REMOTE = re.compile(r"(https?|ssh|git|file)://|[\w.-]+@[\w.-]+:")
# A submodule's address is the subject's choice, so it may not lead to files of this machine.
_FOREIGN = re.compile(r"(https?|ssh|git)://")
_TOP = PurePosixPath()


@dataclass(frozen=True, slots=True)
class _FetchSource:
    """Where to fetch from; `local` is the work tree or bare repository, None for a URL."""

    address: str
    local: Path | None = None
    inside: PurePosixPath = _TOP


def place_revision(spec: GitSpec, home: HomeFolder) -> PlacedSubject:
    """Fetch one revision into a repository of ours and write its files into a folder of ours."""
    source = _find_source(spec)
    with home.make_scratch_folder() as scratch:
        repository = make_scratch_repository(scratch / "repository")
        commit = _fetch_commit(spec, source, repository)
        configuration_path = _find_configuration(spec, source)
        entries = [
            item
            for item in _list_entries(repository, commit, source, scratch)
            if item.path != configuration_path and not is_audit_file(item)
        ]
        root, digest, files = place_entries(entries, home)
        if is_gopath(root / source.inside, root):
            origin = Repository.from_folder(source.local).read_origin() if source.local else ""
            entries = add_module_file(entries, source.inside, origin or source.address)
            root, digest, files = place_entries(entries, home)
    tree = root / source.inside
    if detect_kind(tree) is None:
        hint = suggest_jar_audit(tree) or describe_candidates(
            tree, f"git:{spec.repository}", f"@{spec.revision}"
        )
        raise SubjectError(
            f"{spec.repository} at {spec.revision} is not a project that can be audited: "
            f"it has no {MARKS} and no Go files of its own; {hint}"
        )
    name = source.inside.name or source.address.rstrip("/").rpartition("/")[2]
    return PlacedSubject(
        root=root,
        tree=tree,
        name=name.removesuffix(".git") or "subject",
        revision=commit,
        digest_of_tree=f"{digest}:{source.inside}",
        files=files,
        # Of what was fetched without its history all that is known is what it was called.
        tag=Repository.from_folder(source.local).find_nearest_tag(commit)
        if source.local
        else spec.revision,
    )


def _find_configuration(spec: GitSpec, source: _FetchSource) -> PurePosixPath | None:
    """Return where in the tree a configuration of ours lies, if it does."""
    path, top = spec.configuration, source.local
    if path is None or top is None or not path.is_relative_to(top):
        return None
    return PurePosixPath(path.relative_to(top).as_posix())


def _find_source(spec: GitSpec) -> _FetchSource:
    path = Path(spec.repository).expanduser()
    if path.is_dir():
        folder = path.resolve()
        repository = Repository.find_enclosing(folder)
        if repository is not None:
            inside = PurePosixPath(folder.relative_to(repository.top).as_posix())
            return _FetchSource(str(repository.top), repository.top, inside)
        if (folder / "objects").is_dir() and (folder / "HEAD").is_file():
            return _FetchSource(str(folder), folder)
    elif _REMOTE.match(spec.repository):
        return _FetchSource(spec.repository)
    raise UsageError(f"no git repository: {spec.repository}; name a folder inside one, or a URL")


def _fetch_commit(spec: GitSpec, source: _FetchSource, repository: Repository) -> str:
    """Return the commit's full name, once its files are in `repository`."""
    try:
        if source.local is not None:
            commit = _require_commit(spec, Repository.from_folder(source.local))
            repository.fetch_revision(source.address, commit)
            return commit
        try:
            repository.fetch_revision(source.address, spec.revision)
        except GitFailed:
            # An abbreviated commit, or an expression such as v1~3, needs the whole history.
            repository.fetch_all(source.address)
            return _require_commit(spec, repository)
    except GitFailed as error:
        raise ResolveFailed(
            f"cannot fetch {spec.revision} of {spec.repository}: {error}; check the address, "
            "the network and your credentials"
        ) from error
    return _require_commit(replace(spec, revision=FETCHED), repository)


def _require_commit(spec: GitSpec, repository: Repository) -> str:
    commit = repository.find_commit(spec.revision)
    if commit is None:
        similar_names = get_close_matches(
            spec.revision, repository.list_ref_names(), n=3, cutoff=0.5
        )
        hint = "see `git log` and `git tag`"
        if similar_names:
            hint = f"did you mean {', '.join(similar_names)}?"
        elif repository.is_shallow():
            hint = "the clone is shallow: fetch its history (in GitHub Actions fetch-depth: 0)"
        raise UsageError(f"no revision {spec.revision!r} in {spec.repository}; {hint}")
    return commit


def _list_entries(
    repository: Repository, commit: str, source: _FetchSource, scratch: Path
) -> Iterator[TreeEntry]:
    for item in repository.read_entries(commit):
        if item.submodule:
            yield from _list_submodule_entries(item, source, scratch)
        elif not item.is_link:
            yield TreeEntry(item.path, item.data, item.is_executable)
        elif stays_inside(item.path, target := item.data.decode(errors="surrogateescape")):
            yield TreeEntry(item.path, link=target)


def _list_submodule_entries(
    item: CommitEntry, source: _FetchSource, scratch: Path
) -> Iterator[TreeEntry]:
    path, commit = item.path, item.submodule
    inner = _find_submodule_source(item, source)
    folder = scratch / f"module-{commit}-{len(list(scratch.iterdir()))}"
    repository = make_scratch_repository(folder)
    try:
        repository.fetch_revision(inner.address, commit)
    except GitFailed as error:
        raise ResolveFailed(
            f"cannot fetch the submodule {path} from {inner.address}: {error}; check out "
            "the submodule, or check the network"
        ) from error
    for entry in _list_entries(repository, commit, inner, scratch):
        yield replace(entry, path=path / entry.path)


def _find_submodule_source(item: CommitEntry, source: _FetchSource) -> _FetchSource:
    path, commit, address = item.path, item.submodule, item.address
    if source.local is not None:
        checked_out = Repository.find_enclosing((source.local / path).resolve())
        if checked_out and checked_out.top != source.local and checked_out.find_commit(commit):
            return _FetchSource(str(checked_out.top), checked_out.top)
    if address and address.startswith(("./", "../")) and source.local is None:
        address = urljoin(source.address.rstrip("/") + "/", address)
    if address and _FOREIGN.match(address):
        return _FetchSource(address)
    raise ResolveFailed(
        f"the submodule {path} cannot be fetched from {address or 'nowhere'}; check it out in the "
        "repository first"
    )
