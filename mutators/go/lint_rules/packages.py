"""What the packages of a project declare."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from tree_sitter import Node

from auditor.core.subject import SourceFile, SourceRole
from mutators.go import tree

MODULE = "go.mod"
_UNUSED = (SourceRole.LEFT_OUT, SourceRole.TESTS)
_NAMED = re.compile(rb"""^\s*(?:module\s*\(\s*|module\s+)["`]?([^\s"`()]+)""", re.MULTILINE)
"""What a file MODULE says its module is called."""


@dataclass(frozen=True, slots=True)
class FileScope:
    """A file that a name is looked up from: its folder, the name of its package, its tree.

    `imports` are paths of packages by the names that the file knows them by.
    """

    unit: str
    package: str
    root: Node
    imports: Mapping[str, str] = field(repr=False)

    @classmethod
    def from_file(cls, unit: str, root: Node) -> "FileScope":
        """Return that of a file."""
        return cls(unit, tree.read_package_name(root), root, _read_imports(root))


@dataclass(frozen=True, slots=True)
class ScopedNode:
    """A node of a tree, and the file that it stands in."""

    home: FileScope
    node: Node


@dataclass(slots=True)
class PackageDeclarations:
    """What the files of a package declare; what is declared twice counts as unknown."""

    functions: dict[str, list[ScopedNode]] = field(default_factory=dict)
    methods: dict[tuple[str, str], list[ScopedNode]] = field(default_factory=dict)
    types: dict[str, list[ScopedNode]] = field(default_factory=dict)
    variables: dict[str, list[ScopedNode]] = field(default_factory=dict)
    constants: set[str] = field(default_factory=set)


@dataclass(slots=True)
class ProjectPackages:
    """The packages of a project, parsed where somebody asks for them.

    Files and packages are known by their folders; `_paths` are how these are imported, `_folders`
    the other way round.
    """

    _files: dict[str, list[SourceFile]]
    _paths: dict[str, str]
    _folders: dict[str, str]
    _packages: dict[str, dict[str, PackageDeclarations]] = field(default_factory=dict)

    @classmethod
    def from_sources(cls, sources: Iterable[SourceFile]) -> "ProjectPackages":
        """Return those of all files that are built."""
        files: dict[str, list[SourceFile]] = {}
        modules: dict[str, str] = {}
        for source in sources:
            path = PurePosixPath(source.path)
            if path.name == MODULE and (named := _NAMED.search(source.text)):
                modules[str(path.parent)] = named[1].decode(errors="replace")
            if source.path.endswith(".go") and source.role not in _UNUSED:
                files.setdefault(source.unit, []).append(source)
        paths = {folder: _build_import_path(folder, modules) for folder in files}
        return cls(files, paths, {path: folder for folder, path in paths.items() if path})

    def find_package(self, home: FileScope) -> PackageDeclarations:
        """Return the package of a file."""
        return self._load_folder_packages(home.unit).get(home.package, PackageDeclarations())

    def find_imported_package(self, home: FileScope, name: str) -> PackageDeclarations | None:
        """Return the package that a file knows by a name, None if it is not of the project."""
        folder = self._folders.get(home.imports.get(name, ""))
        if folder is None:
            return None
        candidates = [
            declarations
            for key, declarations in self._load_folder_packages(folder).items()
            if not key.endswith("_test")
        ]
        return candidates[0] if len(candidates) == 1 else None

    def find_import_path(self, unit: str) -> str:
        """Return how the package of a folder is imported, empty where nobody knows."""
        return self._paths.get(unit, "")

    def _load_folder_packages(self, unit: str) -> dict[str, PackageDeclarations]:
        if unit not in self._packages:
            self._packages[unit] = {}
            for source in self._files.get(unit, []):
                root = tree.parse_source(source.text)
                home = FileScope.from_file(unit, root)
                _add_declarations(
                    home, self._packages[unit].setdefault(home.package, PackageDeclarations())
                )
        return self._packages[unit]


def _build_import_path(folder: str, modules: Mapping[str, str]) -> str:
    """Return the path that a folder is imported by, empty where no module says it."""
    folder_path = PurePosixPath(folder)
    for above in (folder_path, *folder_path.parents):
        if str(above) in modules:
            return str(PurePosixPath(modules[str(above)]) / folder_path.relative_to(above))
    return ""


def _read_imports(root: Node) -> dict[str, str]:
    imports: dict[str, str] = {}
    for child in root.named_children:
        if child.type == "import_declaration":
            for spec in (node for node in tree.walk_tree(child) if node.type == "import_spec"):
                path = tree.read_text(spec.child_by_field_name("path"))[1:-1]
                imports.setdefault(
                    tree.read_text(spec.child_by_field_name("name")) or _guess_package_name(path),
                    path,
                )
    return imports


def _guess_package_name(path: str) -> str:
    """Return the usual name of a package: the last part of its path that is not a version."""
    parts = [part for part in path.split("/") if not (part[:1] == "v" and part[1:].isdigit())]
    return parts[-1] if parts else path


def _add_declarations(home: FileScope, package: PackageDeclarations) -> None:
    for child in home.root.named_children:
        name = tree.read_text(child.child_by_field_name("name"))
        if child.type == "function_declaration":
            package.functions.setdefault(name, []).append(ScopedNode(home, child))
        elif child.type == "method_declaration":
            owner = tree.read_receiver(child)[1]
            package.methods.setdefault((owner, name), []).append(ScopedNode(home, child))
        elif child.type == "const_declaration":
            package.constants.update(
                declared_name for _, names in _list_specs(child) for declared_name in names
            )
        elif child.type in ("type_declaration", "var_declaration"):
            for spec, names in _list_specs(child):
                nodes_by_name = package.types if "type" in spec.type else package.variables
                for declared_name in names:
                    nodes_by_name.setdefault(declared_name, []).append(ScopedNode(home, spec))


def _list_specs(declaration: Node) -> Iterator[tuple[Node, list[str]]]:
    """Yield what a declaration of types or variables declares, with the names."""
    pending = [child for child in declaration.named_children if "spec" in child.type]
    for spec_list in declaration.named_children:
        if spec_list.type == "var_spec_list":
            pending += spec_list.named_children
    pending += [child for child in declaration.named_children if child.type == "type_alias"]
    for spec in pending:
        yield spec, [tree.read_text(child) for child in spec.children_by_field_name("name")]


def pick_single_declaration(declared: list[ScopedNode] | None) -> ScopedNode | None:
    """Return the declaration if there is exactly one."""
    return declared[0] if declared is not None and len(declared) == 1 else None
