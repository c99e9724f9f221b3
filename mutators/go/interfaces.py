"""Methods by which unexported types of a Go library implement its exported interfaces.

Clients call these methods by the interface. A type implements an interface if it has all its
methods, those of embedded types included, with as many parameters and results.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename

from tree_sitter import Node

from mutators.go import tree

Signature = tuple[int, int]
"""Numbers of parameters and of results."""
_STANDARD: Mapping[str, Mapping[str, Signature]] = {
    "any": {},
    "error": {"Error": (0, 1)},
    "context.Context": {"Deadline": (0, 2), "Done": (0, 1), "Err": (0, 1), "Value": (1, 1)},
    "fmt.Stringer": {"String": (0, 1)},
    "http.Handler": {"ServeHTTP": (2, 0)},
    "io.Closer": {"Close": (0, 1)},
    "io.Reader": {"Read": (1, 2)},
    "io.ReadCloser": {"Read": (1, 2), "Close": (0, 1)},
    "io.ReadSeeker": {"Read": (1, 2), "Seek": (2, 2)},
    "io.ReadWriter": {"Read": (1, 2), "Write": (1, 2)},
    "io.ReadWriteCloser": {"Read": (1, 2), "Write": (1, 2), "Close": (0, 1)},
    "io.ReaderAt": {"ReadAt": (2, 2)},
    "io.Seeker": {"Seek": (2, 2)},
    "io.WriteCloser": {"Write": (1, 2), "Close": (0, 1)},
    "io.Writer": {"Write": (1, 2)},
    "sort.Interface": {"Len": (0, 1), "Less": (2, 1), "Swap": (2, 0)},
}
"""Methods of interfaces that others often embed."""


@dataclass(frozen=True, slots=True)
class Interface:
    """An interface as a file declares it."""

    methods: Mapping[str, Signature]  # its own, by name
    embedded: tuple[str, ...]
    """Names of embedded interfaces, with their package if it is another; or lists of types."""


@dataclass(frozen=True, slots=True)
class PackageTypes:
    """What a package declares."""

    interfaces: Mapping[str, Interface]  # by name
    methods: Mapping[str, Mapping[str, Signature]]  # by type and name
    embedded: Sequence[tuple[str, str]]  # (struct, type of the package in it)


def read_signature(declaration: Node) -> Signature:
    """Return the numbers of parameters and results of a function or a method."""
    return len(tree.parameter_types(declaration)), len(tree.result_types(declaration))


def read_interface(declared: Node) -> Interface:
    """Return an interface of its type in the source."""
    methods: dict[str, Signature] = {}
    embedded: list[str] = []
    for child in declared.named_children:
        if child.type == "method_elem":
            methods[tree.read_text(child.child_by_field_name("name"))] = read_signature(child)
        elif child.type == "type_elem":
            embedded.append(tree.read_text(child).partition("[")[0])
    return Interface(methods, tuple(embedded))


def list_implementing_methods(packages: Mapping[str, PackageTypes]) -> Iterator[str]:
    """Yield these methods as `unit.Type.Method`; `packages` are by import path.

    Interfaces of `internal` packages are left out, as are those that embed unknown ones.
    """
    method_sets = [
        (unit, methods)
        for unit, package in packages.items()
        if "internal" not in unit.split("/")
        for name in package.interfaces
        if _is_exported(name) and (methods := _list_interface_methods(packages, unit, name))
    ]
    for unit, package in packages.items():
        for name in [name for name in package.methods if name and not _is_exported(name)]:
            owners = _find_method_owners(packages, unit, name)
            for interface_unit, methods in method_sets:
                is_visible = unit == interface_unit or all(map(_is_exported, methods))
                if is_visible and all(
                    owners.get(method, ("", None))[1] == signature
                    for method, signature in methods.items()
                ):
                    yield from (f"{unit}.{owners[method][0]}.{method}" for method in methods)


def _is_exported(name: str) -> bool:
    return name[:1].isupper()


def _list_interface_methods(
    packages: Mapping[str, PackageTypes], unit: str, name: str, depth: int = 9
) -> dict[str, Signature] | None:
    """Return all methods of an interface, None where it embeds what is no known interface.

    So no list of types (`~int | string`) is one that a type implements.
    """
    interface = packages[unit].interfaces.get(name) if unit in packages else None
    if interface is None:
        prefix = "" if unit in packages else f"{unit}."
        standard = _STANDARD.get(f"{prefix}{name}")
        return None if standard is None else dict(standard)
    if not depth:
        return None
    methods = dict(interface.methods)
    for embedded in interface.embedded:
        package_name, _, embedded_name = embedded.rpartition(".")
        embedded_unit = _find_unit(packages, package_name) if package_name else unit
        inner = _list_interface_methods(packages, embedded_unit, embedded_name, depth - 1)
        if inner is None:
            return None
        methods |= inner
    return methods


def _find_unit(packages: Mapping[str, PackageTypes], package_name: str) -> str:
    """Return the import path of a package of the library by its name, else that name."""
    return next((unit for unit in packages if basename(unit) == package_name), package_name)


def _find_method_owners(
    packages: Mapping[str, PackageTypes], unit: str, name: str
) -> dict[str, tuple[str, Signature]]:
    """Return the types that declare the methods of a type, promoted ones included, by method."""
    package = packages[unit]
    owners: dict[str, tuple[str, Signature]] = {}
    level, visited = [name], {name}
    while level:
        for holder in level:
            methods = package.methods.get(holder, {})
            if holder in package.interfaces:
                methods = _list_interface_methods(packages, unit, holder) or {}
            for method, signature in methods.items():
                owners.setdefault(method, (holder, signature))
        level = [inner for outer, inner in package.embedded if outer in level]
        level = [inner for inner in level if inner not in visited]
        visited.update(level)
    return owners
