"""Making a Go tree in a folder of ours ready: caches, dependencies, a digest of what is built."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from auditor.core.errors import ResolveFailed, SubjectError, UsageError
from auditor.core.jobs import Invocation
from auditor.core.ports import Host
from auditor.core.subject import Language, Project, Role
from runners.disk import writing
from runners.gobench import commands, toolchain
from runners.gobench.closures import with_closures
from runners.gobench.modules import OFF, Modules, choose_modules
from runners.gobench.readable import Tree
from runners.gobench.requirements import RESOLVE_SECONDS, with_module_note, with_requirements
from runners.home import Home
from runners.subjects.gomod import module_path
from runners.subjects.gopath import made_module
from runners.subjects.placed import Files, Placed

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


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
    chooses: bool = True,
) -> Project:
    """Make a project of a copied tree; `options` may have `tags`, the build tags.

    `top` is the copy that the tree is in, if that is more; `digest_of_tree` covers all of it, and
    `files` are what was copied: all that is there, unless told. `chooses` tells whether another
    module below may be taken for the benchmarks that the one at the top lacks.
    """
    tree, top = tree.resolve(), (top or tree).resolve()
    _refuse(tree, top, options)
    folder = _caches(home)
    whole = Tree(top, files or _found(top))
    go_settings = toolchain.settings(host, environment, folder)
    chosen = choose_modules(tree, top, chooses=chooses, workspaces=go_settings.get("GOWORK") != OFF)
    variables = toolchain.environment_of(go_settings, environment, folder) | chosen.variables()
    variables["GOFLAGS"] += _vendoring(chosen)
    deciding = toolchain.build_settings_text(go_settings, environment)
    project = Project(
        name=name or module_path(tree) or tree.name,
        revision=revision,
        language=Language.GO,
        harness="go",
        root=chosen.root,
        digest=_digest(digest_of_tree or _content(whole.files), deciding, sorted(options.items())),
        parts=chosen.parts(),
        environment=tuple(sorted(variables.items())),
        options=tuple(sorted(options.items())),
        versions=(("go", go_settings.get("GOVERSION", "unknown")),),
        notes=chosen.notes,
    )
    project = _resolved(project, home, host)
    return with_closures(project, whole, host, _digest("", deciding, sorted(options.items())))


def prepare_placed(  # noqa: PLR0913 - as for `prepare`
    placed: Placed,
    *,
    home: Home,
    host: Host,
    environment: Iterable[tuple[str, str]],
    options: Mapping[str, str] = NO_OPTIONS,
    chooses: bool = True,
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
        chooses=chooses,
    )


def _caches(home: Home) -> Path:
    """Return the folder of Go's caches, made where it is missing."""
    folder = home.cache("go")
    with writing(folder):
        for inner in ("build", "mod", "path", "tmp", "config"):
            (folder / inner).mkdir(parents=True, exist_ok=True)
    return folder


def _refuse(tree: Path, top: Path, options: Mapping[str, str]) -> None:
    if unknown := sorted(set(options) - {"tags"}):
        raise UsageError(f"unknown option {unknown[0]!r} for a Go project; known: tags")
    around = [parent for parent in (tree, *tree.parents) if parent.is_relative_to(top)]
    if not any((path / file).is_file() for path in around for file in ("go.mod", "go.work")):
        raise SubjectError(f"{tree} is not a Go module: there is no go.mod and no go.work in it")


def _vendoring(chosen: Modules) -> str:
    """Return the flag that a vendor folder needs, with a blank in front; empty for Go's default.

    A vendored copy of the library is not what is audited, and one without modules.txt is from
    before modules.
    """
    made_top = made_module(chosen.benchmarks)
    if made_top is not None:
        return " -mod=vendor" if (made_top / "vendor").is_dir() else ""
    has_library_elsewhere = chosen.root != chosen.benchmarks and chosen.workspace == OFF
    is_vendored = (chosen.benchmarks / "vendor" / "modules.txt").is_file()
    return " -mod=readonly" if has_library_elsewhere and is_vendored else ""


def _resolved(project: Project, home: Home, host: Host) -> Project:
    """Fetch what the build needs, and only that: a module graph may hold more than can be had."""
    listing = _listing(project)
    (here,) = project.paths(Role.BENCHMARKS)
    made_top = made_module(here)
    if made_top:
        project = with_module_note(project, made_top)
    if _complete(host, listing):
        return project
    if made_top:
        project = with_requirements(project, made_top, home, host)
        listing = _listing(project)
    download = host.run(commands.go(project, "mod", "download", timeout=RESOLVE_SECONDS))
    answer = host.run(listing)
    problem = _problem(answer.stdout + answer.stderr)
    if problem and (download.exit_code != 0 or answer.timed_out or _NETWORK.search(problem)):
        note = f" ({project.notes[-1]})" if made_top else ""
        raise ResolveFailed(
            f"dependencies of {project.name} could not be downloaded: {problem}{note}; check the "
            "network and GOPROXY, or vendor them"
        )
    return project


def _listing(project: Project) -> Invocation:
    """Return the job that names all packages that tests need and what is wrong with them."""
    flags = commands.build_flags(project, project.root, overlaid=False)
    needed = ("list", "-e", "-deps", "-test", "-f", "{{with .Error}}{{.Err}}{{end}}", *flags)
    return commands.go(project, *needed, "./...", timeout=RESOLVE_SECONDS)


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
