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
from runners.disk import convert_write_errors
from runners.gobench import commands, toolchain
from runners.gobench.closures import add_closures
from runners.gobench.modules import NO_WORKSPACE, SubjectModules, choose_modules
from runners.gobench.readable import CopiedTree
from runners.gobench.requirements import RESOLVE_SECONDS, with_module_note, with_requirements
from runners.home import HomeFolder
from runners.subjects.gomod import read_module_path
from runners.subjects.gopath import find_generated_module
from runners.subjects.placed import Files, PlacedSubject

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})


def prepare_project(  # noqa: PLR0913 - what a subject's spec, the machine and the user each contribute
    tree: Path,
    *,
    name: str | None,
    revision: str,
    home: HomeFolder,
    host: Host,
    environment: Mapping[str, str],
    options: Mapping[str, str],
    digest_of_tree: str | None = None,
    files: Files | None = None,
    top: Path | None = None,
    chooses: bool = True,
) -> Project:
    """Make a project of a copied tree; `options` may have `tags`, the build tags.

    `top` is the copy that holds the tree, with the digest `digest_of_tree` and `files`. `chooses`:
    another module below may be taken for the benchmarks that the one at the top lacks.
    """
    tree, top = tree.resolve(), (top or tree).resolve()
    _refuse_unusable_tree(tree, top, options)
    folder = _make_cache_folder(home)
    copied_tree = CopiedTree(top, files or _digest_files(top))
    go_settings = toolchain.read_go_settings(host, environment, folder)
    uses_workspace = go_settings.get("GOWORK") != NO_WORKSPACE
    modules = choose_modules(tree, top, chooses=chooses, workspaces=uses_workspace)
    own_variables = toolchain.build_environment(go_settings, environment, folder)
    option_pairs = sorted(options.items())
    settings = toolchain.build_settings_text(go_settings, environment)
    tree_digest = digest_of_tree or _digest_content(copied_tree.files)
    project = Project(
        name=name or read_module_path(tree) or tree.name,
        revision=revision,
        language=Language.GO,
        harness="go",
        root=modules.root,
        digest=_compute_digest(tree_digest, settings, option_pairs),
        parts=modules.list_parts(),
        environment=tuple(sorted(_add_module_variables(own_variables, modules).items())),
        options=tuple(option_pairs),
        versions=(("go", go_settings.get("GOVERSION", "unknown")),),
        notes=modules.notes,
    )
    project = _resolve_dependencies(project, home, host)
    return add_closures(project, copied_tree, host, _compute_digest("", settings, option_pairs))


def prepare_placed(  # noqa: PLR0913 - as for `prepare_project`
    placed: PlacedSubject,
    *,
    home: HomeFolder,
    host: Host,
    environment: Iterable[tuple[str, str]],
    options: Mapping[str, str] = NO_OPTIONS,
    chooses: bool = True,
) -> Project:
    """Make a project of a placed tree, as `prepare_project` does of a folder."""
    return prepare_project(
        placed.tree,
        name=read_module_path(placed.tree) or placed.name,
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


def _make_cache_folder(home: HomeFolder) -> Path:
    """Return the folder of Go's caches, made where it is missing."""
    folder = home.make_cache_folder("go")
    with convert_write_errors(folder):
        for inner in ("build", "mod", "path", "tmp", "config"):
            (folder / inner).mkdir(parents=True, exist_ok=True)
    return folder


def _refuse_unusable_tree(tree: Path, top: Path, options: Mapping[str, str]) -> None:
    if unknown := sorted(set(options) - {"tags"}):
        raise UsageError(f"unknown option {unknown[0]!r} for a Go project; known: tags")
    around = [parent for parent in (tree, *tree.parents) if parent.is_relative_to(top)]
    if not any((path / file).is_file() for path in around for file in ("go.mod", "go.work")):
        raise SubjectError(f"{tree} is not a Go module: there is no go.mod and no go.work in it")


def _add_module_variables(variables: Mapping[str, str], modules: SubjectModules) -> dict[str, str]:
    flags = variables["GOFLAGS"] + _choose_vendor_flag(modules)
    return {**variables, **modules.make_go_variables(), "GOFLAGS": flags}


def _choose_vendor_flag(modules: SubjectModules) -> str:
    """Return the flag that a vendor folder needs, with a blank in front; empty for Go's default.

    A vendored copy of the library is not what is audited, and one without modules.txt is from
    before modules.
    """
    made_top = find_generated_module(modules.benchmarks)
    if made_top is not None:
        return " -mod=vendor" if (made_top / "vendor").is_dir() else ""
    has_library_elsewhere = modules.root != modules.benchmarks and modules.workspace == NO_WORKSPACE
    is_vendored = (modules.benchmarks / "vendor" / "modules.txt").is_file()
    return " -mod=readonly" if has_library_elsewhere and is_vendored else ""


def _resolve_dependencies(project: Project, home: HomeFolder, host: Host) -> Project:
    """Fetch what the build needs, and only that: a module graph may hold more than can be had."""
    listing = _make_listing_job(project)
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    made_top = find_generated_module(suite_folder)
    if made_top:
        project = with_module_note(project, made_top)
    if _has_dependencies(host, listing):
        return project
    if made_top:
        project = with_requirements(project, made_top, home, host)
        listing = _make_listing_job(project)
    download = host.run_process(
        commands.make_go_job(project, "mod", "download", timeout=RESOLVE_SECONDS)
    )
    answer = host.run_process(listing)
    problem = _find_problem(answer.stdout + answer.stderr)
    if problem and (download.exit_code != 0 or answer.timed_out or _NETWORK.search(problem)):
        notes = [note for note in project.notes[-1:] if made_top or " => " in note]
        note = f" ({notes[0]})" if notes else ""
        raise ResolveFailed(
            f"dependencies of {project.name} could not be downloaded: {problem}{note}; check the "
            "network and GOPROXY, or vendor them"
        )
    return project


def _make_listing_job(project: Project) -> Invocation:
    """Return the job that names all packages that tests need and what is wrong with them."""
    flags = commands.build_flags(project, project.root, overlaid=False)
    needed = ("list", "-e", "-deps", "-test", "-f", "{{with .Error}}{{.Err}}{{end}}", *flags)
    return commands.make_go_job(project, *needed, "./...", timeout=RESOLVE_SECONDS)


_MISSING = re.compile(
    rb".*(?:no required module provides|missing go\.sum entry|cannot find module|reading file://"
    rb"|reading https?://|dial tcp|module lookup disabled|unrecognized import path"
    rb"|unknown revision|proxyconnect|connection refused|updates to go\.(?:mod|sum) needed).*"
)
_NETWORK = re.compile(r"dial tcp|lookup |proxyconnect|connection refused|module lookup disabled")


def _has_dependencies(host: Host, listing: Invocation) -> bool:
    answer = host.run_process(listing)
    return not answer.timed_out and not _find_problem(answer.stdout + answer.stderr)


def _find_problem(output: bytes) -> str:
    match = _MISSING.search(output)
    problem = match.group().decode(errors="replace").strip() if match else ""
    return problem.removesuffix("; to add:")[:500]


def _digest_files(tree: Path) -> Files:
    """Return all files of a tree with a digest of each."""
    return {
        path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(tree.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(tree).parts
    }


def _digest_content(files: Files) -> str:
    """Return a digest of all files; go.sum among them fixes the dependencies."""
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()


def _compute_digest(content: str, deciding: str, options: Iterable[tuple[str, str]]) -> str:
    return hashlib.sha256(repr((content, deciding, list(options))).encode()).hexdigest()[:24]
