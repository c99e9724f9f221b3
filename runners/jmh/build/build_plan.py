"""Which modules of a Maven project are built for measuring, found before Maven runs."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from runners.jmh.build import pom_tree
from runners.jmh.build.pom_tree import MavenModule

_MODULE = re.compile(r"\[INFO\] Building (\S.*?\[\d+/\d+\])")
_GOAL = re.compile(r"\[INFO\] --- (?:maven-)?([\w-]+?)(?:-maven)?(?:-plugin)?:\S+:([\w-]+) \(")
_FETCH = re.compile(r"Downloading(?: from)? [^:\s]+: \S*/(\S+)")
_TASK = re.compile(r"(?:> Task )?(:[\w:.-]+)")
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class BuildSteps:
    """Reads the output of Maven or Gradle and tells each step that it begins."""

    def __init__(self, tool: str, tell: Callable[[str], None]) -> None:
        """Take the tool's name as users know it, and who is told."""
        self._tool = tool
        self._tell = tell
        self._rest = b""
        self._module = ""

    def report_steps(self, data: bytes) -> tuple[()]:
        """Take what was printed; there are no iterations in it."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for step in self._parse_steps(lines):
            self._tell(f"{self._tool}: {step}")
        return ()

    def _parse_steps(self, lines: list[bytes]) -> Iterator[str]:
        for chunk in lines:
            line = _COLOURS.sub("", chunk.decode(errors="replace")).strip()
            if match := _MODULE.match(line):
                self._module = " ".join(match[1].split())
                yield self._module
            elif match := _GOAL.match(line):
                yield f"{self._module} {match[1]}:{match[2]}".strip()
            elif match := _FETCH.search(line):
                yield f"{self._module} fetches {match[1]}".strip()
            elif match := _TASK.fullmatch(line):
                yield match[1]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """Where Maven runs, and of which modules."""

    folder: Path
    """The folder that Maven runs in."""
    modules: Mapping[Path, MavenModule] = field(repr=False)
    """All modules of the tree."""
    selected: tuple[Path, ...] = ()
    """The modules that are built with those that they need; all where it is empty."""
    outside: tuple[Path, ...] = ()
    """Modules that a build in `folder` does not reach by itself."""
    is_needed: bool = True
    """Tells whether the modules outside need others that a build in `folder` reaches."""
    profiles: tuple[str, ...] = ()
    """The profiles without which selected modules are not reached."""
    tested: frozenset[Path] | None = None
    """The modules whose tests are compiled; None: those of all."""

    @property
    def modules_by_key(self) -> dict[tuple[str, str], MavenModule]:
        """Return the modules by group and artifact."""
        return _by_key(self.modules)


def plan_build(top: Path, root: Path, *, everything: bool) -> BuildPlan:
    """Return what is built of the modules at and below `root`, a folder in the tree `top`.

    `everything`: all of them, with their tests. Else those with benchmarks, unless no source file
    shows which these are.
    """
    modules = pom_tree.modules_below(top)
    maven_folder = _find_outermost_folder(top, root, modules)
    benchmarks = (
        {}
        if everything
        else pom_tree.benchmark_files(
            {path: module for path, module in modules.items() if path.is_relative_to(root)}
        )
    )
    reactor_folders = pom_tree.find_reactor_folders(maven_folder, modules)
    if not benchmarks:
        selected = () if root == maven_folder else (root,)
        profiles = _list_profiles(reactor_folders, selected)
        return BuildPlan(folder=maven_folder, modules=modules, selected=selected, profiles=profiles)
    needed_modules = _list_needed_modules(benchmarks, modules)
    if (
        maven_folder != top
        and top in modules
        and any(path in needed_modules for path in pom_tree.find_reactor_folders(top, modules))
    ):
        maven_folder, reactor_folders = top, pom_tree.find_reactor_folders(top, modules)
    outside = tuple(path for path in needed_modules if path not in reactor_folders)
    is_single_module = len(reactor_folders) == 1 and not outside
    return BuildPlan(
        folder=maven_folder,
        modules=modules,
        selected=() if is_single_module else tuple(benchmarks),
        outside=outside,
        is_needed=any(path in needed_modules for path in reactor_folders),
        profiles=_list_profiles(reactor_folders, benchmarks),
        tested=_find_tested_modules(benchmarks, modules),
    )


def _find_outermost_folder(top: Path, root: Path, modules: Mapping[Path, MavenModule]) -> Path:
    """Return the outermost folder from which a build reaches `root`."""
    inside = root.relative_to(top).parts
    around = (top.joinpath(*inside[:depth]) for depth in range(len(inside)))
    return next(
        (path for path in around if root in pom_tree.find_reactor_folders(path, modules)), root
    )


def _list_profiles(reached: Mapping[Path, str], selected: Iterable[Path]) -> tuple[str, ...]:
    names = (reached.get(path, "") for path in selected)
    return tuple(dict.fromkeys(name for name in names if name))


def _list_needed_modules(
    folders: Iterable[Path], modules: Mapping[Path, MavenModule]
) -> list[Path]:
    """Return these modules, and those of the tree that they need, in their order."""
    by_key = _by_key(modules)
    needed = list(folders)
    for folder in needed:
        for key in modules[folder].list_dependency_keys():
            if key in by_key and by_key[key].folder not in needed:
                needed.append(by_key[key].folder)
    return needed


def _by_key(modules: Mapping[Path, MavenModule]) -> dict[tuple[str, str], MavenModule]:
    """Return modules by group and artifact; of two with one name the outer one counts."""
    return {modules[folder].module_key: modules[folder] for folder in sorted(modules, reverse=True)}


def _find_tested_modules(
    benchmarks: Mapping[Path, list[Path]], modules: Mapping[Path, MavenModule]
) -> frozenset[Path]:
    """Return the modules with benchmarks among their tests, and those whose tests others use."""
    used = {name for module in modules.values() for name in module.needed_tests()}
    benchmark_modules = {
        path for path, files in benchmarks.items() if not pom_tree.in_main(path, files)
    }
    return frozenset(
        benchmark_modules
        | {folder for folder, maven_module in modules.items() if maven_module.module_key[1] in used}
    )
