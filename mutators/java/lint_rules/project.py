"""All Java sources of a project: which type or method a name means; files are parsed on demand."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from tree_sitter import Node

from auditor.core.subject import SourceFile
from mutators.java.lint_rules.declarations import (
    Annotation,
    Field,
    JavaMethod,
    TypeDeclaration,
    find_types,
)
from mutators.java.lint_rules.tree import list_children, parse_source, read_text

_DECLARED = re.compile(rb"\b(?:class|interface|enum|record)\s+(\w+)")
_EXTENDED = re.compile(rb"\bextends\s+(?:\w+\s*\.\s*)*(\w+)")
_LONGEST_LINEAGE = 20
_ALWAYS_IMPORTED = frozenset(
    {
        "Boolean",
        "Byte",
        "Character",
        "Class",
        "Double",
        "Enum",
        "Float",
        "Integer",
        "Iterable",
        "Long",
        "Math",
        "Object",
        "Runnable",
        "Short",
        "StrictMath",
        "String",
        "StringBuilder",
        "System",
        "Thread",
    }
)


class JavaFile:
    """A parsed file: its types, and what it imports by name."""

    def __init__(self, path: str, text: bytes) -> None:
        self.path = path
        self.root = parse_source(text)
        self.package = ""
        self.imports: dict[str, str] = {}
        for child in self.root.named_children:
            if child.type == "package_declaration":
                names = [
                    expression
                    for expression in list_children(child)
                    if "identifier" in expression.type
                ]
                self.package = read_text(names[-1]) if names else ""
            elif child.type == "import_declaration" and not _is_wide(child):
                name = read_text(next(iter(list_children(child)), None))
                self.imports[name.rpartition(".")[2]] = name
        self.types = find_types(self.root, path, self.package)


class JavaProject:
    """Finds the declarations of a project by the names that its sources use for them."""

    def __init__(self, sources: Iterable[SourceFile]) -> None:
        self._texts = {file.path: file.text for file in sources if file.path.endswith(".java")}
        self._files: dict[str, JavaFile] = {}
        self._types: dict[str, dict[str, list[TypeDeclaration]]] = {}
        self._extending_types: dict[str, dict[str, list[TypeDeclaration]]] = {}
        self._heirs: dict[TypeDeclaration, list[TypeDeclaration]] = {}
        self._methods: dict[TypeDeclaration, dict[str, list[JavaMethod]]] = {}

    @property
    def file_texts(self) -> dict[str, bytes]:
        """Return the files' texts by path."""
        return self._texts

    def load_file(self, path: str) -> JavaFile:
        """Return a parsed file."""
        if path not in self._files:
            self._files[path] = JavaFile(path, self._texts[path])
        return self._files[path]

    @cached_property
    def _declaring_files(self) -> dict[bytes, list[str]]:
        """Return the files that seem to declare a type of each simple name."""
        files_by_name: dict[bytes, list[str]] = {}
        for path, text in self._texts.items():
            for name in set(_DECLARED.findall(text)):
                files_by_name.setdefault(name, []).append(path)
        return files_by_name

    @cached_property
    def _extending_files(self) -> dict[bytes, list[str]]:
        """Return the files that seem to extend a type of each simple name."""
        files_by_name: dict[bytes, list[str]] = {}
        for path, text in self._texts.items():
            for name in set(_EXTENDED.findall(text)):
                files_by_name.setdefault(name, []).append(path)
        return files_by_name

    def find_type(self, name: str, enclosing_type: TypeDeclaration) -> TypeDeclaration | None:
        """Return the type that a simple name means inside another; None where nobody can tell."""
        file = self.load_file(enclosing_type.file)
        same_file_types = self._index_file_types(enclosing_type.file).get(name)
        if same_file_types:
            return next(
                (
                    type_declaration
                    for type_declaration in same_file_types
                    if type_declaration.outer in (enclosing_type, enclosing_type.outer)
                ),
                same_file_types[0],
            )
        candidates = [
            declaration
            for path in self._declaring_files.get(name.encode(), ())
            for declaration in self._index_file_types(path).get(name, ())
        ]
        imported = file.imports.get(name)
        if imported is not None:
            candidates = [
                candidate
                for candidate in candidates
                if f"{candidate.package}.{candidate.name}" == imported
            ]
        elif name in _ALWAYS_IMPORTED:
            return None
        elif any(
            candidate.package == file.package and not candidate.outer for candidate in candidates
        ):
            candidates = [
                candidate for candidate in candidates if candidate.package == file.package
            ]
        return candidates[0] if len(candidates) == 1 else None

    def _index_file_types(self, path: str) -> Mapping[str, list[TypeDeclaration]]:
        """Return the types of a file by their simple names."""
        if path not in self._types:
            types_by_name = self._types[path] = {}
            for declaration in self.load_file(path).types:
                types_by_name.setdefault(declaration.simple_name, []).append(declaration)
        return self._types[path]

    def find_qualified_type(self, name: str) -> TypeDeclaration | None:
        """Return the type of a full name."""
        paths = self._declaring_files.get(name.rpartition(".")[2].encode(), ())
        candidates = (declaration for path in paths for declaration in self.load_file(path).types)
        return next(
            (
                type_declaration
                for type_declaration in candidates
                if f"{type_declaration.package}.{type_declaration.name}" == name
            ),
            None,
        )

    def walk_lineage(self, declared: TypeDeclaration) -> Iterator[TypeDeclaration]:
        """Yield the type and the classes that it extends, as far as the sources show them."""
        declaration: TypeDeclaration | None = declared
        declarations: set[TypeDeclaration] = set()
        while (
            declaration is not None
            and declaration not in declarations
            and len(declarations) < _LONGEST_LINEAGE
        ):
            yield declaration
            declarations.add(declaration)
            declaration = (
                self.find_type(declaration.parent_name, declaration)
                if declaration.parent_name
                else None
            )

    def list_heirs(self, declared: TypeDeclaration) -> list[TypeDeclaration]:
        """Return the types that extend a type themselves."""
        if declared not in self._heirs:
            self._heirs[declared] = [
                heir
                for path in self._extending_files.get(declared.simple_name.encode(), ())
                for heir in self._index_file_heirs(path).get(declared.simple_name, ())
                if self.find_type(heir.parent_name, heir) is declared
            ]
        return self._heirs[declared]

    def is_overridden(self, method: JavaMethod) -> bool:
        """Tell whether a type that extends the owner of a method has another body for it."""
        if method.modifiers & {"private", "static", "final"}:
            return False
        return any(
            override.name == method.name and len(override.parameters) == len(method.parameters)
            for heir in self.list_heirs(method.owner)
            for override in heir.methods
        )

    def _index_file_heirs(self, path: str) -> Mapping[str, list[TypeDeclaration]]:
        """Return the types of a file by the names of those that they extend."""
        if path not in self._extending_types:
            types_by_parent = self._extending_types[path] = {}
            for declaration in self.load_file(path).types:
                types_by_parent.setdefault(declaration.parent_name, []).append(declaration)
        return self._extending_types[path]

    def find_field(self, name: str, enclosing_type: TypeDeclaration) -> Field | None:
        """Return the field that a name means inside a type."""
        declaration: TypeDeclaration | None = enclosing_type
        while declaration is not None:
            for ancestor in self.walk_lineage(declaration):
                if name in ancestor.fields:
                    return ancestor.fields[name]
            declaration = declaration.outer
        return None

    def find_methods(self, name: str, count: int, owner: TypeDeclaration) -> list[JavaMethod]:
        """Return the methods with so many parameters that a type has or inherits by a name."""
        for ancestor in self.walk_lineage(owner):
            if ancestor not in self._methods:
                methods_by_name = self._methods[ancestor] = {}
                for method in ancestor.methods:
                    methods_by_name.setdefault(method.name, []).append(method)
            same_named_methods = self._methods[ancestor].get(name, ())
            java_methods = [
                java_method
                for java_method in same_named_methods
                if len(java_method.parameters) == count
            ]
            if java_methods:
                return java_methods
        return []

    def find_annotation(self, name: str, method: JavaMethod) -> Annotation | None:
        """Return the annotation that counts for a benchmark: its own, or that of its class.

        The class that it extends comes after its class, the classes around it come last.
        """
        method_annotation = method.find_annotation(name)
        return (
            method_annotation
            if method_annotation is not None
            else self.find_type_annotation(name, method.owner)
        )

    def find_type_annotation(self, name: str, declared: TypeDeclaration) -> Annotation | None:
        """Return the annotation of a type, of one that it extends, or of one around it."""
        declaration: TypeDeclaration | None = declared
        while declaration is not None:
            for ancestor in self.walk_lineage(declaration):
                annotation = ancestor.find_annotation(name)
                if annotation is not None:
                    return annotation
            declaration = declaration.outer
        return None


def _is_wide(declaration: Node) -> bool:
    """Tell whether an import is of all names of a package or type."""
    return any(child.type == "asterisk" for child in declaration.children)
