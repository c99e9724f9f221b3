"""What the test binary of each package is built of, and may read: digests of it."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from auditor.core.ports import Host
from auditor.core.subject import BuildInputs, Project, Role
from runners.gobench import commands, golist
from runners.gobench.readable import CopiedTree
from runners.subjects import gomod

_COMPILED = (
    "GoFiles", "CgoFiles", "CFiles", "CXXFiles", "MFiles", "HFiles", "FFiles", "SFiles",
    "SwigFiles", "SwigCXXFiles", "SysoFiles", "EmbedFiles",
)  # fmt: skip
_FIELDS = ",".join(
    ("Dir", "ImportPath", "Standard", "Module", "Deps", "Incomplete", "Error", *_COMPILED)
)
_TEST = ".test"
_OUTPUT_LIMIT = 500_000_000
"""A package is told with all that it needs, the standard library's too: about 10 kB each."""
_WITHOUT_EFFECT = frozenset(
    ("module", "require", "exclude", "replace", "retract", "tool", "ignore", "use")
)
"""Lines of go.mod and go.work that choose what is built, which is looked at itself."""

Entry = Mapping[str, object]
"""What go list says of a package, or of a package as it is compiled for a test."""


def add_closures(project: Project, tree: CopiedTree, host: Host, base: str) -> Project:
    """Return the project with what is known of its packages; as it is where go list fails.

    `tree` is the copy that the project is in, `base` all that decides a build besides files.
    """
    modules = host.run_process(commands.make_go_job(project, "list", "-m", "-f", "{{.Dir}}"))
    flags = commands.build_flags(project, project.root, overlaid=False)
    package_patterns = golist.list_module_patterns(modules, project)
    listing = ("list", "-e", "-deps", "-test", f"-json={_FIELDS}", *flags, *package_patterns)
    job = replace(commands.make_go_job(project, *listing), output_limit=_OUTPUT_LIMIT)
    answer = host.run_process(job)
    if answer.exit_code != 0 or answer.truncated:
        return project
    packages = {
        str(document["ImportPath"]): document for document in golist.parse_documents(answer.stdout)
    }
    builder = _ClosureBuilder(
        packages, tree, project.root, f"{base}\n{_describe_location(project, tree)}"
    )
    closures = dict(builder.list_test_closures())
    broken = any(map(_is_broken, packages.values()))
    content = "" if broken else builder.make_full_closure().digest
    return replace(project, closures=tuple(closures.items()), content=content)


def _describe_location(project: Project, tree: CopiedTree) -> str:
    """Say where in the copy the project is, and which workspace is used: both hold for paths."""
    workspace = Path(dict(project.environment).get("GOWORK", "off"))
    inside = workspace.relative_to(tree.top) if workspace.is_relative_to(tree.top) else "off"
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    return f"{suite_folder.relative_to(tree.top)}\0{inside}"


@dataclass
class _ClosureBuilder:
    packages: Mapping[str, Entry]
    tree: CopiedTree
    root: Path
    base: str
    _read: dict[Path, str] = field(default_factory=dict)

    def list_test_closures(self) -> Iterator[tuple[str, BuildInputs]]:
        """Yield the closure of each package with tests, by its import path.

        There is none for a package that is broken, or needs one that is: the message decides then.
        """
        for path, binary in self.packages.items():
            unit = self._find_tested_package(path)
            if unit is None:
                continue
            parts = [self.packages.get(name) for name in golist.string_list(binary, "Deps")]
            dependencies = [part for part in parts if part is not None]
            if (
                dependencies
                and len(dependencies) == len(parts)
                and not any(map(_is_broken, (binary, *dependencies)))
            ):
                yield unit, self._make_closure(dependencies, str(binary.get("Dir")))

    def make_full_closure(self) -> BuildInputs:
        """Return the closure of all packages and their tests."""
        return self._make_closure(
            [
                package
                for path, package in self.packages.items()
                if self._find_tested_package(path) is None
            ]
        )

    def _find_tested_package(self, path: str) -> str | None:
        """Return the package that this one is the test binary of: go list makes it up."""
        unit = path.removesuffix(_TEST)
        return unit if unit != path and unit in self.packages else None

    def _make_closure(self, packages: Sequence[Entry], folder: str | None = None) -> BuildInputs:
        nonstandard_packages = [package for package in packages if not package.get("Standard")]
        code = {
            path: str(package["ImportPath"])
            for package in nonstandard_packages
            for path in _list_compiled_files(package)
        }
        inside = {path: self._find_copied_path(path) for path in code}
        copied = frozenset(path for path in inside.values() if path is not None)
        lines = [
            self.base,
            *sorted({_identify_package(package) for package in nonstandard_packages}),
        ]
        lines += sorted(
            f"{code[path]}\0{path.name}\0{self._digest_dependency(path)}"
            for path, name in inside.items()
            if name is None
        )
        lines += [f"{path}\0{self.tree.files[path]}" for path in sorted(copied)]
        test_folder = None if folder is None else _make_relative(Path(folder), self.tree.top)
        lines += [
            f"{path}\0{self.tree.files[path]}"
            for path in self.tree.list_readable_files(copied, test_folder)
        ]
        lines += sorted(self._list_module_settings(nonstandard_packages))
        digest = hashlib.sha256("\n".join(lines).encode(errors="surrogateescape")).hexdigest()
        return BuildInputs(digest=digest[:32], files=frozenset(self._list_project_paths(copied)))

    def _find_copied_path(self, path: Path) -> str | None:
        """Return a file's path in the copy, None for one that lies elsewhere."""
        if not path.is_relative_to(self.tree.top):
            return None
        inside = path.relative_to(self.tree.top).as_posix()
        return inside if inside in self.tree.files else None

    def _digest_dependency(self, path: Path) -> str:
        """Return a digest of a file that is not in the copy: one of a dependency."""
        if path not in self._read:
            self._read[path] = hashlib.sha256(path.read_bytes()).hexdigest()
        return self._read[path]

    def _list_project_paths(self, copied: Iterable[str]) -> Iterator[str]:
        """Yield the paths of files as a mutator knows them: relative to the project's root."""
        top = self.root.relative_to(self.tree.top).as_posix()
        for path in copied:
            if top == ".":
                yield path
            elif path.startswith(f"{top}/"):
                yield path.removeprefix(f"{top}/")

    def _list_module_settings(self, packages: Iterable[Entry]) -> Iterator[str]:
        """Yield what go.mod and go.work say of the language, the toolchain and the runtime."""
        modules = {
            str(module["GoMod"])
            for package in packages
            if isinstance(module := package.get("Module"), Mapping) and module.get("GoMod")
        }
        files = {self._find_copied_path(Path(name)) for name in modules}
        files |= {file for file in self.tree.files if file.rpartition("/")[2] == "go.work"}
        for path in files - {None}:
            text = (self.tree.top / str(path)).read_text(errors="replace")
            yield "\n".join((str(path), *settings_lines(text)))


def settings_lines(text: str) -> Iterator[str]:
    """Yield the lines of go.mod or go.work that decide how code is built, or how it runs."""
    for words in gomod.parse_statements(text):
        if words[0] not in _WITHOUT_EFFECT:
            yield " ".join(words)


def _make_relative(folder: Path, top: Path) -> str:
    """Return a folder of the copy as `dirname` has it: empty for the top."""
    inside = folder.relative_to(top).as_posix()
    return "" if inside == "." else inside


def _is_broken(package: Entry) -> bool:
    return bool(package.get("Incomplete") or package.get("Error"))


def _list_compiled_files(package: Entry) -> Iterator[Path]:
    folder = Path(str(package.get("Dir", "")))
    for kind in _COMPILED:
        yield from (folder / str(name) for name in golist.string_list(package, kind))


def _identify_package(package: Entry) -> str:
    """Return import path and module: the version decides nothing but is part of the build."""
    module = package.get("Module")
    module_fields = module if isinstance(module, Mapping) else {}
    replacement = module_fields.get("Replace")
    replaced = replacement if isinstance(replacement, Mapping) else {}
    parts = [str(module_fields.get(key, "")) for key in ("Path", "Version", "GoVersion")]
    parts += [str(replaced.get(key, "")) for key in ("Path", "Version", "GoVersion")]
    return "\0".join((str(package["ImportPath"]), *parts))
