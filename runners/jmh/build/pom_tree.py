"""The Maven modules of a tree, read from its POMs and sources before anything is built."""

import os
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html.entities import name2codepoint
from pathlib import Path

_POM = "pom.xml"
_SOURCES = (".java", ".kt", ".scala", ".groovy")
_LARGEST = 2_000_000
_LEFT_OUT = frozenset(("target", "node_modules"))
_BENCHMARK = re.compile(rb"@(?:org\.openjdk\.jmh\.annotations\.)?Benchmark\b")
_JMH = re.compile(rb"org\.openjdk\.jmh|kotlinx\.benchmark")
_MAIN = ("src", "main")
_ENTITY = re.compile(
    # Comments and CDATA are passed by whole, to the end where they have none.
    rb"<!--(?:.*?-->|.*)|<!\[CDATA\[(?:.*?\]\]>|.*)|&([A-Za-z][A-Za-z0-9]*);",
    re.DOTALL,
)
_OF_XML = ("amp", "lt", "gt", "quot", "apos")


def parse_pom(path: Path) -> ET.Element:
    """Return the root of a POM, with the entities of HTML, which Maven knows too.

    Raises OSError, and ParseError for what is not read whole.
    """
    content = _ENTITY.sub(_as_number, path.read_bytes())
    try:
        return ET.fromstring(content)  # noqa: S314 (expat of today limits expansion)
    except (LookupError, ValueError) as error:
        raise ET.ParseError(f"its encoding is not known: {error}") from error


def _as_number(match: re.Match[bytes]) -> bytes:
    name = (match[1] or b"").decode()
    is_html = name in name2codepoint and name not in _OF_XML
    return f"&#{name2codepoint[name]};".encode() if is_html else match[0]


@dataclass(frozen=True)
class MavenModule:
    """A folder with a POM."""

    folder: Path

    @cached_property
    def root_element(self) -> ET.Element:
        """Return the POM's root element; an empty one where it cannot be read."""
        return ET.Element("project") if self._parsed_root is None else self._parsed_root

    @property
    def is_readable(self) -> bool:
        """Tell whether `root_element` is all of the POM; else it must not be written."""
        return self._parsed_root is not None

    @cached_property
    def _parsed_root(self) -> ET.Element | None:
        try:
            return parse_pom(self.folder / _POM)
        except (OSError, ET.ParseError):
            return None

    @property
    def module_key(self) -> tuple[str, str]:
        """Return group and artifact as they are written, the group perhaps the parent's."""
        return self._read_or_inherit("groupId"), (
            self.root_element.findtext("{*}artifactId") or ""
        ).strip()

    @property
    def version(self) -> str:
        """Return the version as it is written, perhaps the parent's."""
        return self._read_or_inherit("version")

    def _read_or_inherit(self, name: str) -> str:
        text = self.root_element.findtext(f"{{*}}{name}") or self.root_element.findtext(
            f"{{*}}parent/{{*}}{name}"
        )
        return (text or "").strip()

    def list_submodules(self) -> Iterator[tuple[Path, str]]:
        """Yield the folders of the modules that it names, with the profile that does, if any."""
        for element in self.root_element.findall("{*}modules/{*}module"):
            yield self._locate_submodule(element), ""
        for profile in self.root_element.findall("{*}profiles/{*}profile"):
            name = (profile.findtext("{*}id") or "").strip()
            for element in profile.findall("{*}modules/{*}module"):
                yield self._locate_submodule(element), name

    def _locate_submodule(self, element: ET.Element) -> Path:
        path = Path(os.path.normpath(self.folder / (element.text or "").strip()))
        return path.parent if path.suffix == ".xml" else path

    def list_dependency_keys(self) -> Iterator[tuple[str, str]]:
        """Yield group and artifact of what it depends on."""
        for dependency in list_dependencies(self.root_element):
            yield self.dependency_key(dependency)

    def dependency_key(self, dependency: ET.Element) -> tuple[str, str]:
        """Return group and artifact of one of its dependencies."""
        group = (dependency.findtext("{*}groupId") or "").strip()
        group_placeholders = ("${project.groupId}", "${groupId}", "${pom.groupId}")
        artifact = (dependency.findtext("{*}artifactId") or "").strip()
        return self.module_key[0] if group in group_placeholders else group, artifact

    def needed_tests(self) -> Iterator[str]:
        """Yield the artifacts whose jar of tests it depends on."""
        for dependency in list_dependencies(self.root_element):
            kinds = (dependency.findtext("{*}type"), dependency.findtext("{*}classifier"))
            if {"test-jar", "tests"} & set(kinds):
                yield (dependency.findtext("{*}artifactId") or "").strip()

    def jmh_profiles(self) -> list[str]:
        """Return the profiles that bring JMH or its generator."""
        return [
            (profile.findtext("{*}id") or "").strip()
            for profile in self.root_element.findall("{*}profiles/{*}profile")
            if any((element.text or "").strip() == "org.openjdk.jmh" for element in profile.iter())
        ]


def list_dependencies(root: ET.Element) -> Iterator[ET.Element]:
    """Yield the dependencies of a POM, those of its profiles too."""
    for parent in (root, *root.findall("{*}profiles/{*}profile")):
        yield from parent.findall("{*}dependencies/{*}dependency")


def modules_below(root: Path) -> dict[Path, MavenModule]:
    """Return the modules at and below a folder, by their folders; links are not followed."""
    modules = {}
    for directory, folders, files in os.walk(root):
        folders[:] = sorted(folder for folder in folders if not _is_left_out(folder))
        # What a link leads to is not ours to change.
        if _POM in files and not (Path(directory) / _POM).is_symlink():
            modules[Path(directory)] = MavenModule(Path(directory))
    return modules


def find_reactor_folders(top: Path, modules: Mapping[Path, MavenModule]) -> dict[Path, str]:
    """Return the folders that a build at `top` reaches, each with the profile that it needs.

    The profile is empty for what is always built.
    """
    reached = {top: ""}
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        for named, profile in modules[folder].list_submodules() if folder in modules else ():
            needed = reached[folder] or profile
            if named in modules and (named not in reached or (reached[named] and not needed)):
                reached[named] = needed
                waiting.append(named)
    return reached


def benchmark_files(modules: Mapping[Path, MavenModule]) -> dict[Path, list[Path]]:
    """Return the source files with benchmarks of each module that has some."""
    files_by_module: dict[Path, list[Path]] = {}
    for folder in modules:
        for directory, folders, files in os.walk(folder):
            place = Path(directory)
            folders[:] = sorted(
                name for name in folders if not _is_left_out(name) and place / name not in modules
            )
            source_files = [place / file for file in sorted(files) if file.endswith(_SOURCES)]
            for path in filter(_has_benchmark, source_files):
                files_by_module.setdefault(folder, []).append(path)
    return files_by_module


def knows_jmh(modules: Mapping[Path, MavenModule]) -> bool:
    """Tell whether a POM names JMH, or a source file has benchmarks."""
    poms = ((folder / _POM).read_bytes() for folder in modules)
    return any(_JMH.search(text) for text in poms) or bool(benchmark_files(modules))


def in_main(folder: Path, files: Sequence[Path]) -> bool:
    """Tell whether all these files of a module are among its classes, none among its tests."""
    return all(file.relative_to(folder).parts[:2] == _MAIN for file in files)


def _has_benchmark(path: Path) -> bool:
    if path.is_symlink():
        return False
    with path.open("rb") as file:
        text = file.read(_LARGEST)
    return bool(_JMH.search(text) and _BENCHMARK.search(text))


def _is_left_out(name: str) -> bool:
    return name in _LEFT_OUT or name.startswith(".")
