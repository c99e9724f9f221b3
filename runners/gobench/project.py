"""Making a Go tree in a folder of ours ready: caches, dependencies, a digest of what is built."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from auditor.core.errors import ResolveFailed, SubjectError, UsageError
from auditor.core.files.foreign_files import read_beginning
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from auditor.core.subject import Language, Part, Project, Role
from runners.disk import convert_write_errors
from runners.gobench import commands, settings, toolchain
from runners.gobench.closures import add_closures
from runners.gobench.readable import CopiedTree
from runners.home import HomeFolder
from runners.subjects import gomod
from runners.subjects.gomod import MODULE_FILE, parse_statements, read_module_path
from runners.subjects.gopath import find_generated_module
from runners.subjects.placed import Files, PlacedSubject
from runners.subjects.survey import find_suites, list_suites

NO_WORKSPACE = "off"
"""What GOWORK is where no workspace counts."""
_FOR_BENCHMARKS = re.compile(
    r"(?:^|[/_.-])(?:\w*bench\w*|perf|performance|compar\w*|tests?|testing|integration|e2e)(?:$|[/_.-])",
    re.IGNORECASE,
)
_EXPORTED = re.compile(rb"^func (?:\([^)\n]*\) )?[A-Z]", re.MULTILINE)
_PACKAGE = re.compile(rb"^package\s+(\w+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectModules:
    """The modules of a subject."""

    benchmarks: Path
    """The folder of the module with the benchmarks: the go command runs there."""
    libraries: tuple[Path, ...]
    """The folders of the modules whose packages are audited."""
    root: Path
    """The closest folder around all of them."""
    workspace: str
    """The go.work of the build, or OFF."""
    notes: tuple[str, ...] = ()
    """Which module was chosen, and which were not."""

    def make_go_variables(self) -> dict[str, str]:
        """Return what the go command needs to know of where it runs."""
        return {"PWD": str(self.benchmarks), "GOWORK": self.workspace}

    def list_parts(self) -> tuple[Part, ...]:
        """Return the folders of the modules by what they are for."""
        return (
            *(Part(Role.LIBRARY, library) for library in self.libraries),
            Part(Role.BENCHMARKS, self.benchmarks),
        )


RESOLVE_SECONDS = 900.0

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
    project = _fetch_dependencies(project, home, host)
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


def _fetch_dependencies(project: Project, home: HomeFolder, host: Host) -> Project:
    """Fetch what the suite's build needs, and then what a library's tests outside it need.

    Without the latter these tests do not run, which is said where they count calls.
    """
    project = _resolve_dependencies(project, home, host)
    for module in commands.list_outside_modules(project):
        host.run_process(_make_listing_job(project, module))
    return project


def _resolve_dependencies(project: Project, home: HomeFolder, host: Host) -> Project:
    """Fetch what the build needs, and only that: a module graph may hold more than can be had."""
    listing = _make_listing_job(project)
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    made_top = find_generated_module(suite_folder)
    if made_top:
        project = _with_module_note(project, made_top)
    if _has_dependencies(host, listing):
        return project
    if made_top:
        project = _with_requirements(project, made_top, home, host)
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


def _make_listing_job(project: Project, module: Path | None = None) -> Invocation:
    """Return the job that names all packages that tests need and what is wrong with them.

    The go command downloads those that are missing, if go.mod and go.sum name them.
    """
    flags = commands.build_flags(project, project.root, overlaid=False)
    needed = ("list", "-e", "-deps", "-test", "-f", "{{with .Error}}{{.Err}}{{end}}", *flags)
    arguments = (*needed, "./...")
    return commands.make_go_job(project, *arguments, timeout=RESOLVE_SECONDS, module=module)


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


def _with_module_note(project: Project, top: Path) -> Project:
    """Return the project with a note on the go.mod that was made in a folder."""
    text = f"there is no go.mod; the copy has one for the module {read_module_path(top)}"
    return replace(project, notes=(*project.notes, text))


def _with_requirements(project: Project, top: Path, home: HomeFolder, host: Host) -> Project:
    """Return the project with a go.mod elsewhere that requires what its packages import.

    It is made once for a content, so that later versions of a dependency change nothing. `top` is
    the folder of the go.mod that was made in the copy.
    """
    folder = home.make_cache_folder("go") / "required" / project.digest
    file = folder / MODULE_FILE
    variables = dict(project.environment)
    flags = [flag for flag in settings.split_goflags(variables["GOFLAGS"]) if flag != "-mod=vendor"]
    variables["GOFLAGS"] = settings.join_goflags((*flags, f"-modfile={file}"))
    required = replace(project, environment=tuple(sorted(variables.items())))
    with convert_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with home.lock_folder(folder):
        if not file.is_file():
            job = commands.make_go_job(required, "mod", "tidy", "-e", timeout=RESOLVE_SECONDS)
            initial = (top / MODULE_FILE).read_bytes()
            answer = host.run_process(replace(job, files=((file, initial),), collects=(file,)))
            if answer.exit_code != 0 or answer.timed_out:
                file.unlink(missing_ok=True)
                return _without_requirements(project, answer)
    text = file.read_text(errors="replace")
    digest = hashlib.sha256(f"{project.digest}\n{text}".encode()).hexdigest()[:24]
    note = f"{project.notes[-1]}, which requires the newest versions: {_format_requirements(text)}"
    return replace(required, digest=digest, notes=(*project.notes[:-1], note))


def _without_requirements(project: Project, answer: CompletedProcess) -> Project:
    """Return the project with a note on why the go command could not choose versions."""
    reason = (
        f"not ended after {RESOLVE_SECONDS:g} s"
        if answer.timed_out
        else answer.format_tail(1)[:300]
    )
    note = f"{project.notes[-1]}, without requirements, as `go mod tidy` failed: {reason}"
    return replace(project, notes=(*project.notes[:-1], note))


def _format_requirements(text: str) -> str:
    return ", ".join(
        " ".join(words[1:3]) for words in parse_statements(text) if words[0] == "require"
    )


def choose_modules(
    tree: Path, top: Path, *, chooses: bool = True, workspaces: bool = True
) -> SubjectModules:
    """Return the modules of a tree in a copy whose top is `top`.

    Unless `chooses`, the module at the top of the tree is both, whether it has benchmarks or not,
    and whatever it takes from folders. `workspaces` is False where the user has switched them off.
    """
    benchmark_module, notes = _choose_benchmark_module(tree) if chooses else (tree, ())
    workspace = _find_workspace(benchmark_module, top) if workspaces else NO_WORKSPACE
    main = () if workspace == NO_WORKSPACE else gomod.list_workspace_modules(Path(workspace).parent)
    inside = [path for path in main if path.is_relative_to(benchmark_module)] or [benchmark_module]
    library_candidates = [
        path for path in inside if len(inside) == 1 or not _has_benchmark_name(path, tree)
    ] or inside
    outside_modules = [
        path for path in _list_outside_modules(benchmark_module, main) if path.is_relative_to(top)
    ]
    for_benchmarks = chooses and (
        _has_benchmark_name(benchmark_module, tree) or _is_without_api(benchmark_module)
    )
    is_library = not outside_modules or not for_benchmarks
    libraries = tuple(dict.fromkeys(library_candidates if is_library else outside_modules))
    return SubjectModules(
        benchmarks=benchmark_module,
        libraries=libraries,
        root=Path(os.path.commonpath((benchmark_module, *libraries))),
        workspace=workspace,
        notes=(
            *notes,
            *(() if outside_modules or main else _note_published_versions(benchmark_module, top)),
        ),
    )


def _note_published_versions(module: Path, top: Path) -> Iterator[str]:
    """Say that a module uses a published version of the module in a folder above it."""
    for folder in (parent for parent in module.parents if parent.is_relative_to(top)):
        path, above = gomod.read_module_path(folder), os.path.relpath(folder, module)
        if _imports_module(module, path):
            yield (
                f"the module {module.name} measures a published version of {path}; to audit the "
                f"folder above, add to its go.mod: replace {path} => {above}"
            )


def _find_workspace(module: Path, top: Path) -> str:
    """Return the workspace that Go would find, if it is part of the copy, as Go wants it said.

    One around our folder has nothing to do with the subject, nor has one without the module.
    """
    for folder in (module, *module.parents):
        if not folder.is_relative_to(top):
            break
        if (folder / gomod.WORKSPACE_FILE).is_file():
            is_member = folder == module or module in gomod.list_workspace_modules(folder)
            return str(folder / gomod.WORKSPACE_FILE) if is_member else NO_WORKSPACE
    return NO_WORKSPACE


def _list_outside_modules(module: Path, main: Sequence[Path]) -> Iterator[Path]:
    """Yield the modules outside of a folder that its build takes from folders, and that it uses.

    These are replaced ones, and those of a workspace.
    """
    for path in (*(replacement.folder for replacement in gomod.find_replacements(module)), *main):
        if not path.is_relative_to(module) and _imports_module(
            module, gomod.read_module_path(path)
        ):
            yield path


def _choose_benchmark_module(tree: Path) -> tuple[Path, tuple[str, ...]]:
    """Return the module whose benchmarks are run, and what to say about the choice.

    It is the one at the top of the tree; where that has none, the one below that has most, first
    of those that use the top's module.
    """
    members = {tree, *gomod.list_workspace_modules(tree)}
    folders = find_suites(tree, "go")
    outside_suites = [folder for folder in folders if tree / folder.path not in members]
    if not outside_suites:
        return tree, ()
    if len(outside_suites) < len(folders):
        named = list_suites(outside_suites)
        text = f"other Go modules with benchmarks: {named}; to audit one, name its folder"
        return tree, (text,)
    module = gomod.read_module_path(tree)
    uses = (
        candidate for candidate in outside_suites if _imports_module(tree / candidate.path, module)
    )
    audited_suite = next(uses, outside_suites[0])
    rest = [suite_folder for suite_folder in outside_suites if suite_folder is not audited_suite]
    more = f"; not audited: {list_suites(rest)}" if rest else ""
    text = (
        "the module at the top has no benchmarks; auditing the module "
        f"{audited_suite.summary_text}{more}"
    )
    return tree / audited_suite.path, (text,)


def _has_benchmark_name(module: Path, tree: Path) -> bool:
    """Tell whether a module's folder is called as those are that hold tests or benchmarks alone."""
    return bool(_FOR_BENCHMARKS.search(os.path.relpath(module, tree.parent)))


def _is_without_api(module: Path) -> bool:
    """Tell whether a module exports nothing that others can import."""
    files = (file for file in _list_go_files(module) if not file.name.endswith("_test.go"))
    outer = (file for file in files if "internal" not in file.relative_to(module).parts)
    return not any(map(_is_api, outer))


def _imports_module(module: Path, import_path: str) -> bool:
    """Tell whether a file of a module imports a package of another one."""
    words = (f'"{import_path}"'.encode(), f'"{import_path}/'.encode())
    texts = map(read_beginning, _list_go_files(module))
    return bool(import_path) and any(word in text for text in texts for word in words)


def _list_go_files(module: Path) -> Iterator[Path]:
    """Yield the Go files of a module, but those of other modules below."""
    for directory, folders, files in os.walk(module):
        directory_path = Path(directory)
        folders[:] = [
            folder
            for folder in folders
            if folder not in ("vendor", "testdata")
            and not folder.startswith((".", "_"))
            and not (directory_path / folder / gomod.MODULE_FILE).exists()
        ]
        yield from (directory_path / name for name in files if name.endswith(".go"))


def _is_api(file: Path) -> bool:
    """Tell whether a file exports a function that other modules can import."""
    text = read_beginning(file)
    package = _PACKAGE.search(text)
    return package is not None and package[1] != b"main" and bool(_EXPORTED.search(text))
