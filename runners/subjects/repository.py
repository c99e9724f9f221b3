"""Reading a git repository without writing to it and without running anything it asks for.

The one module that uses gitpython. Nothing is ever checked out: files are read from the object
database, so there are no hooks, filters or line-ending rules to switch off.
"""

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import cast

from auditor.core.contracts.history import Commit
from auditor.core.errors import MachineError, SubjectError, ToolMissing, UsageError
from auditor.core.request import FolderSpec, SubjectSpec

# A repository's own configuration can name programs (fsmonitor, hooks, transports) and must not
# be trusted; commands that would refresh the index must not do so. Foreign owners are fine, as
# nothing of theirs is run.
_SAFE = (
    *("-c", "core.fsmonitor=false"),
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.untrackedCache=false"),
    *("-c", "safe.directory=*"),
    # A folder of a clone that looks like a bare repository would be found before the clone's own
    # .git, and its configuration may name any folder as the work tree.
    *("-c", "safe.bareRepository=explicit"),
    *("-c", "protocol.ext.allow=never"),
    *("-c", "gc.auto=0"),
    # A transfer that stalls ends by itself; gitpython's own time-out leaves a thread behind.
    *("-c", "http.lowSpeedLimit=100"),
    *("-c", "http.lowSpeedTime=60"),
    *("-c", "maintenance.auto=false"),
)
_QUIET = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"}
# Set while git runs a hook, and they name another repository than the one meant.
_UNSET = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE")
# Git's defaults refuse a repository of another owner, and a commit that no branch leads to.
_SERVE = "git -c safe.directory=* -c uploadpack.allowAnySHA1InWant=true upload-pack"
FETCHED = "refs/bench-audit/fetched"


class GitFailed(Exception):
    """A git command ended with an error; the message is its own."""


@dataclass(frozen=True, slots=True)
class CommitEntry:
    """A file, link or submodule of a commit; `submodule` is the commit it stands for."""

    path: PurePosixPath
    mode: int
    data: bytes = field(default=b"", repr=False)
    submodule: str = ""
    address: str | None = None

    @property
    def is_link(self) -> bool:
        """Tell whether `data` is the target of a link."""
        return self.mode == 0o120000

    @property
    def is_executable(self) -> bool:
        """Tell whether the file may be run."""
        return bool(self.mode & 0o100)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository on this machine."""

    top: Path
    """Its work tree, or the folder itself if it is bare."""
    bare: bool = False

    @classmethod
    def from_folder(cls, folder: Path) -> "Repository":
        """Return the repository that a user names, which may be a bare one."""
        return cls(folder, bare=not (folder / ".git").exists())

    @classmethod
    def find_enclosing(cls, folder: Path) -> "Repository | None":
        """Return the repository that a folder is in, None if in none; raises SubjectError."""
        if not any((parent / ".git").exists() for parent in (folder, *folder.parents)):
            return None
        output = _read_from_git(folder, "rev-parse", "--show-toplevel").removesuffix(b"\n")
        top = Path(os.fsdecode(output)).resolve()
        if not folder.resolve().is_relative_to(top):
            raise SubjectError(
                f"the repository around {folder} has another work tree, {top}; remove "
                "core.worktree from its git configuration, or name a copy without .git"
            )
        return cls(top)

    def list_files(self, below: Path) -> Iterator[PurePosixPath]:
        """Yield tracked and new files below a folder, relative to it.

        A submodule or a repository that merely lies inside is one path. Raises SubjectError.
        """
        output = _read_from_git(
            below, "ls-files", "-z", "--cached", "--others", "--exclude-standard"
        )
        names = {name.rstrip(b"/") for name in output.split(b"\0") if name}
        for name in sorted(names):
            yield PurePosixPath(os.fsdecode(name))

    def ignores_folder(self, folder: Path) -> bool:
        """Tell whether no file of a folder is tracked or new to git; raises SubjectError."""
        return next(self.list_files(folder), None) is None

    def list_ignored_files(self, below: Path) -> Iterator[PurePosixPath]:
        """Yield the files below a folder that git ignores, relative to it; raises SubjectError."""
        output = _read_from_git(
            below, "ls-files", "-z", "--others", "--ignored", "--exclude-standard"
        )
        for name in filter(None, output.split(b"\0")):
            yield PurePosixPath(os.fsdecode(name))

    def _run_git(self, *arguments: str) -> bytes:
        return _run_git_command(self.top, *(("--git-dir=.",) if self.bare else ()), *arguments)

    def find_head(self) -> str | None:
        """Return the commit that is checked out; None before the first one."""
        return self.find_commit("HEAD")

    def find_commit(self, revision: str) -> str | None:
        """Return the full name of a commit; None if there is no such revision here."""
        try:
            chunk = self._run_git(
                "rev-parse", "--verify", "--quiet", "--end-of-options",
                f"{revision}^{{commit}}",
            )  # fmt: skip
        except GitFailed:
            return None
        return chunk.decode().strip() or None

    def is_shallow(self) -> bool:
        """Tell whether commits are left out, as in the clones of many CI services."""
        return self._run_git("rev-parse", "--is-shallow-repository").strip() == b"true"

    def find_nearest_tag(self, commit: str) -> str:
        """Return the nearest tag with a digit in it, of a commit or one before; empty if none."""
        words = ("describe", "--tags", "--abbrev=0", "--match", "*[0-9]*", commit)
        try:
            return self._run_git(*words).decode(errors="replace").strip()
        except GitFailed:
            return ""

    def read_origin(self) -> str:
        """Return the address that it was cloned from, empty where there is none."""
        try:
            address = self._run_git("config", "--get", "remote.origin.url")
        except GitFailed:
            return ""
        return address.decode(errors="replace").strip()

    def list_ref_names(self) -> list[str]:
        """Return branches and tags, the newest first, for a hint."""
        output = self._run_git(
            "for-each-ref", "--format=%(refname:short)", "--sort=-creatordate",
            "--count=200", "refs/heads", "refs/tags",
        )  # fmt: skip
        return output.decode(errors="replace").split()

    def list_commits(self, revision: str, most: int) -> Iterator[Commit]:
        """Yield a revision and what led to it, the newest first, of what is below `top`.

        Merges are left out, as what they bring has commits of its own, but for the one named.

        Raises GitFailed where there is no such revision.
        """
        # No message and no name of a file has a NUL.
        shape = "%x00" + "%x00".join(("%H", "%P", "%cs", "%s", "%b")) + "%x00"
        merge_options, below = (("--no-merges",), ("--", ".")) if most > 1 else ((), ())
        output = self._run_git(
            "-c", "core.quotePath=false", "log", f"--max-count={most}", "--name-only",
            "--no-show-signature", "--relative", "--diff-merges=first-parent", *merge_options,
            f"--format=tformat:{shape}", "--end-of-options", revision, *below,
        )  # fmt: skip
        parts = iter(output.decode(errors="replace").split("\0")[1:])
        for name, parents, day, title, message, files in zip(*[parts] * 6, strict=True):
            yield Commit(
                id=name,
                parent=parents.partition(" ")[0],
                day=day,
                title=title,
                message=message.strip(),
                files=tuple(filter(None, files.split("\n"))),
            )

    def fetch_revision(self, source: str, revision: str) -> None:
        """Fetch one revision of another repository, without its history."""
        local = (f"--upload-pack={_SERVE}",) if Path(source).exists() else ()
        self._run_git(
            "fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules",
            *local, "--end-of-options", source, f"+{revision}:{FETCHED}",
        )  # fmt: skip

    def fetch_all(self, source: str) -> None:
        """Fetch all branches and tags of another repository, with their history."""
        self._run_git(
            "fetch", "--quiet", "--no-tags", "--no-recurse-submodules",
            "--end-of-options", source, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*",
        )  # fmt: skip

    def read_entries(self, commit: str) -> Iterator["CommitEntry"]:
        """Yield all that a commit of a repository of ours holds."""
        repo = _import_gitpython().Repo(self.top)
        repo.git.update_environment(GIT_DIR=str(self.top), **_QUIET)
        commit_object = repo.commit(commit)
        for item in commit_object.tree.traverse():
            path = PurePosixPath(str(item.path))
            if item.type == "blob":
                yield CommitEntry(path, item.mode, item.data_stream.read())
            elif item.type == "submodule":
                address = self._read_submodule_addresses(commit).get(str(path))
                yield CommitEntry(path, item.mode, submodule=item.hexsha, address=address)
        repo.close()

    def _read_submodule_addresses(self, commit: str) -> dict[str, str]:
        """Return where the submodules of a commit come from, by their paths."""
        try:
            output = self._run_git("config", "--blob", f"{commit}:.gitmodules", "--list", "-z")
        except GitFailed:
            return {}
        pairs = (line.partition("\n") for line in output.decode(errors="replace").split("\0"))
        values = {key: value for key, _, value in pairs}
        return {
            path: values.get(f"{key.removesuffix('.path')}.url", "")
            for key, path in values.items()
            if key.startswith("submodule.") and key.endswith(".path")
        }


def make_scratch_repository(folder: Path) -> Repository:
    """Make an empty repository of ours."""
    folder.mkdir(parents=True)
    _run_git_command(folder, "init", "--quiet", "--bare", "--template=", ".")
    return Repository(folder, bare=True)


def _import_gitpython() -> ModuleType:
    if shutil.which("git") is None:
        raise ToolMissing("git was not found on PATH; install it, or name a folder without .git")
    import git  # noqa: PLC0415 (its import fails where there is no git program)

    return git


def _read_from_git(folder: Path, *arguments: str) -> bytes:
    try:
        return _run_git_command(folder, *arguments)
    except GitFailed as error:
        raise SubjectError(
            f"git cannot read the repository of {folder}: {error}; repair its .git, or name a "
            "copy without .git"
        ) from error


def _run_git_command(folder: Path, *arguments: str) -> bytes:
    git = _import_gitpython()
    unset = [word for name in _UNSET for word in ("-u", name)]
    settings = [f"{name}={value}" for name, value in _QUIET.items()]
    try:
        answer = git.cmd.Git(folder).execute(
            ["env", *unset, *settings, "git", *_SAFE, *arguments],
            stdout_as_string=False,
            strip_newline_in_stdout=False,
        )
    except git.GitCommandError as error:
        output = str(error.stderr).strip().removeprefix("stderr: ").strip("' \n")
        raise GitFailed(output.splitlines()[-1] if output else "git ended with an error") from error
    except git.GitCommandNotFound as error:
        raise MachineError(f"git could not be run in {folder}: {error.cause}") from error
    return cast("bytes", answer)


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
