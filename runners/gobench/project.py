"""Making a Go tree in a folder of ours ready: caches, dependencies, a digest of what is built."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from auditor.core.errors import ResolveFailed, SubjectError, UsageError
from auditor.core.jobs import Invocation
from auditor.core.ports import Host
from auditor.core.subject import Language, Part, Project, Role
from runners.gobench import commands, toolchain
from runners.gobench.closures import with_closures
from runners.gobench.readable import Tree
from runners.home import Home
from runners.hosts.disk import writing
from runners.subjects.placed import Files, Placed

RESOLVE_SECONDS = 900.0
NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
_MODULE = re.compile(r"^module\s+\"?([^\s\"]+)", re.MULTILINE)


def prepare(  # noqa: PLR0913 - what a subject's spec, the machine and the user each contribute
    tree: Path,
    *,
    name: str | None,
    revision: str,
    home: Home,
    host: Host,
    environment: Mapping[str, str],
    options: Mapping[str, str],
    digest_of_tree: str | None = None,
    files: Files | None = None,
    top: Path | None = None,
) -> Project:
    """Make a project of a copied tree; `options` may have `tags`, the build tags.

    `top` is the copy that the tree is in, if that is more; `digest_of_tree` covers all of it, and
    `files` are what was copied: all that is there, unless told.
    """
    tree = tree.resolve()
    _refuse(tree, options)
    folder = home.cache("go")
    with writing(folder):
        for inner in ("build", "mod", "path", "tmp", "config"):
            (folder / inner).mkdir(parents=True, exist_ok=True)
    whole = Tree((top or tree).resolve(), files or _found(top or tree))
    found = toolchain.settings(host, environment, folder)
    variables = toolchain.environment_of(found, environment, folder) | {
        "PWD": str(tree),
        "GOWORK": _workspace(tree, top or tree, off=found.get("GOWORK") == "off"),
    }
    deciding = toolchain.deciding(found, environment)
    project = Project(
        name=name or _module(tree),
        revision=revision,
        language=Language.GO,
        harness="go",
        root=tree,
        digest=_digest(digest_of_tree or _content(whole.files), deciding, sorted(options.items())),
        parts=(Part(Role.LIBRARY, tree), Part(Role.BENCHMARKS, tree)),
        environment=tuple(sorted(variables.items())),
        options=tuple(sorted(options.items())),
        versions=(("go", found.get("GOVERSION", "unknown")),),
    )
    _resolve(project, host)
    return with_closures(project, whole, host, _digest("", deciding, sorted(options.items())))


def prepare_placed(
    placed: Placed,
    *,
    home: Home,
    host: Host,
    environment: Iterable[tuple[str, str]],
    options: Mapping[str, str] = NO_OPTIONS,
) -> Project:
    """Make a project of a placed tree, as `prepare` does of a folder."""
    return prepare(
        placed.tree,
        name=None,
        revision=placed.revision,
        home=home,
        host=host,
        environment=dict(environment),
        options=options,
        digest_of_tree=placed.digest_of_tree,
        files=placed.files,
        top=placed.root,
    )


def _refuse(tree: Path, options: Mapping[str, str]) -> None:
    if unknown := sorted(set(options) - {"tags"}):
        raise UsageError(f"unknown option {unknown[0]!r} for a Go project; known: tags")
    if not any((tree / file).is_file() for file in ("go.mod", "go.work")):
        raise SubjectError(f"{tree} is no Go module: there is no go.mod and no go.work in it")


def _workspace(tree: Path, top: Path, *, off: bool) -> str:
    """Return the workspace that Go would find, if it is part of the copy, as Go wants it said.

    One around our folder has nothing to do with the subject.
    """
    for folder in (tree, *tree.parents):
        if off or not folder.is_relative_to(top.resolve()):
            break
        if (folder / "go.work").is_file():
            return str(folder / "go.work")
    return "off"


def _resolve(project: Project, host: Host) -> None:
    """Fetch what the build needs, and only that: a module graph may hold more than can be had."""
    flags = commands.build_flags(project, project.root, overlaid=False)
    needed = ("list", "-e", "-deps", "-test", "-f", "{{with .Error}}{{.Err}}{{end}}", *flags)
    listing = commands.go(project, *needed, "./...", timeout=RESOLVE_SECONDS)
    if _complete(host, listing):
        return
    download = host.run(commands.go(project, "mod", "download", timeout=RESOLVE_SECONDS))
    answer = host.run(listing)
    problem = _problem(answer.stdout + answer.stderr)
    if problem and (download.exit_code != 0 or answer.timed_out or _NETWORK.search(problem)):
        raise ResolveFailed(
            f"dependencies of {project.name} could not be had: {problem}; check the network and "
            "GOPROXY, or vendor them"
        )


_MISSING = re.compile(
    rb".*(?:no required module provides|missing go\.sum entry|cannot find module|reading file://"
    rb"|reading https?://|dial tcp|module lookup disabled|unrecognized import path"
    rb"|unknown revision|proxyconnect|connection refused|updates to go\.(?:mod|sum) needed).*"
)
_NETWORK = re.compile(r"dial tcp|lookup |proxyconnect|connection refused|module lookup disabled")


def _complete(host: Host, listing: Invocation) -> bool:
    answer = host.run(listing)
    return not answer.timed_out and not _problem(answer.stdout + answer.stderr)


def _problem(output: bytes) -> str:
    match = _MISSING.search(output)
    return match.group().decode(errors="replace").strip()[:500] if match else ""


def _module(tree: Path) -> str:
    """Return the module's path, or the folder's name for a workspace without one at its top."""
    file = tree / "go.mod"
    match = _MODULE.search(file.read_text(errors="replace")) if file.is_file() else None
    return match.group(1) if match else tree.name


def _found(tree: Path) -> Files:
    """Return all files of a tree with a digest of each."""
    return {
        path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(tree.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(tree).parts
    }


def _content(files: Files) -> str:
    """Return a digest of all files; go.sum among them fixes the dependencies."""
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()


def _digest(content: str, deciding: str, options: Iterable[tuple[str, str]]) -> str:
    return hashlib.sha256(repr((content, deciding, list(options))).encode()).hexdigest()[:24]
