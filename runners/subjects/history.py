"""The commits that led to a subject."""

from collections.abc import Sequence
from dataclasses import replace

from auditor.core.contracts.history import Commit
from auditor.core.errors import UsageError
from auditor.core.request import FolderSpec, SubjectSpec
from runners.subjects.repository import GitFailed, Repository


def list_recent_commits(spec: SubjectSpec, most: int) -> tuple[Commit, ...]:
    """Return the last commits that changed what is below the subject's folder, newest first.

    Raises UsageError where the subject is no folder in a repository on this machine.
    """
    repository = _find_repository(spec)
    if repository.find_commit("HEAD") is None:
        raise UsageError("the repository has no commit yet; make one first")
    try:
        return tuple(repository.list_commits("HEAD", most))
    except GitFailed as error:
        raise UsageError(f"the history cannot be read: {error}") from error


def find_commits(spec: SubjectSpec, names: Sequence[str]) -> tuple[Commit, ...]:
    """Return commits by their names; raises UsageError for those that do not exist."""
    repository = _find_repository(spec)
    revisions: list[Commit] = []
    for name in names:
        commit_id = repository.find_commit(name)
        if commit_id is None:
            raise UsageError(f"no such commit: {name}; write a hash, a tag or a branch")
        revisions += repository.list_commits(commit_id, 1)
    return tuple(revisions)


def _find_repository(spec: SubjectSpec) -> Repository:
    if isinstance(spec, FolderSpec):
        repository = Repository.find_enclosing(spec.path.expanduser().absolute())
        if repository is not None:
            return replace(repository, top=spec.path.expanduser().absolute())
    raise UsageError(
        "the subject has no history: it is not in a git repository; clone it, and name its folder"
    )
