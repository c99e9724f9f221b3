"""A Maven project, of one module or many, built in a copy of ours."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import NoBenchmarks
from auditor.core.subject import Part, Role
from runners.hosts.disk import writing
from runners.jmh.classes import benchmark_list, digest, split
from runners.jmh.jdk import Jdk
from runners.jmh.maven import DEPENDENCY_PLUGIN, Maven, NotPublished
from runners.subjects.placed import Placed

_CLASS_PATH = "bench-audit.classpath"
# Checks of style and licences are the project's affair, and cost time and downloads.
_SKIPPED = (
    "-DskipTests", "-Denforcer.skip", "-Dcheckstyle.skip", "-Drat.skip", "-Dspotbugs.skip",
    "-Dpmd.skip", "-Djacoco.skip", "-Dmaven.javadoc.skip", "-Dspotless.check.skip",
    "-Dlicense.skip", "-Danimal.sniffer.skip", "-Dgpg.skip", "-Dmaven.source.skip",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Module:
    """A module that was built, and the class path of its tests."""

    folder: Path
    class_path: tuple[Path, ...]

    @property
    def test_classes(self) -> Path:
        return self.folder / "target" / "test-classes"

    def benchmarks(self) -> list[Path]:
        """Return those of its class folders that hold a benchmark list."""
        places = (self.test_classes, self.folder / "target" / "classes")
        return [place for place in places if place.is_dir() and benchmark_list(place) is not None]


def switched(profiles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the argument of mvn that switches profiles on."""
    return (f"-P{','.join(profiles)}",) if profiles else ()


def reactor_parts(
    placed: Placed, maven: Maven, jdk: Jdk, profiles: tuple[str, ...]
) -> tuple[Path, tuple[Part, ...]]:
    """Build the project; return where, and its parts."""
    key = digest((), placed.digest_of_tree, jdk.version, *switched(profiles))
    folder = maven.home.work(f"maven-{key[:24]}")
    with maven.home.locked(folder):
        top = folder / "tree"
        root = top / placed.tree.relative_to(placed.root)
        done = folder / "built"
        if not done.is_file():
            with writing(top):
                shutil.rmtree(top, ignore_errors=True)
                shutil.copytree(placed.root, top, symlinks=True)
            _build(top, root, maven, profiles)
            with writing(done):
                done.touch()
        return root, _parts(top, folder, placed.name)


def _build(top: Path, root: Path, maven: Maven, profiles: tuple[str, ...]) -> None:
    """Compile all modules and let each write its class path, in one go."""
    where, selected = _reactor(top, root)
    words = (
        f"{DEPENDENCY_PLUGIN}:build-classpath", "-DincludeScope=test",
        f"-Dmdep.outputFile=target/{_CLASS_PATH}", "-Dmdep.pathSeparator=:",
        *_SKIPPED, *selected, *switched(profiles),
    )  # fmt: skip
    try:
        maven.run("test-compile", *words, cwd=where, what="the build")
    except NotPublished:
        # A module that needs the jar of another (a shaded one, say) has to wait for it.
        if "<module>" not in _text(where):
            raise
        maven.run("package", *words, cwd=where, what="the build")


def _reactor(top: Path, root: Path) -> tuple[Path, tuple[str, ...]]:
    """Return where to run, and which module: one that needs its siblings is built with them."""
    inside = root.relative_to(top)
    if inside.parts and f"<module>{inside.parts[0]}" in _text(top):
        return top, ("-pl", inside.as_posix(), "-am")
    return root, ()


def _text(folder: Path) -> str:
    pom = folder / "pom.xml"
    return pom.read_text(errors="replace") if pom.is_file() else ""


def _modules(top: Path) -> list[_Module]:
    found = []
    for file in sorted(top.rglob(f"target/{_CLASS_PATH}")):
        entries = tuple(Path(each) for each in file.read_text().strip().split(":") if each)
        target = file.parent
        own = [target / name for name in ("test-classes", "classes") if (target / name).is_dir()]
        found.append(_Module(target.parent, (*own, *entries)))
    return found


def _parts(top: Path, folder: Path, name: str) -> tuple[Part, ...]:
    modules = _modules(top)
    chosen = [module for module in modules if module.benchmarks()]
    if not chosen:
        raise NoBenchmarks(
            f"{name} has no benchmarks: no module's classes hold META-INF/BenchmarkList; they "
            "need jmh-generator-annprocess, and perhaps a profile (`profiles` of the subject)"
        )
    lists = [place for module in chosen for place in module.benchmarks()]
    tests = [module.test_classes for module in modules]
    path = list(dict.fromkeys(each for module in chosen for each in module.class_path))
    rest = [each for each in path if each not in lists]
    library = [each for each in rest if each.is_relative_to(top) and each not in tests]
    benchmarks = lists
    if not library:
        # The benchmarks live among the classes that they measure.
        parted = [split(place, folder / f"split-{n}") for n, place in enumerate(lists)]
        benchmarks = [first for first, _ in parted]
        library = [second for _, second in parted]
    return (
        *(Part(Role.BENCHMARKS, each) for each in benchmarks),
        *(Part(Role.LIBRARY, each) for each in library),
        *(Part(Role.DEPENDENCY, each) for each in rest if each not in library),
        *(Part(Role.SOURCES, each) for each in _sources(modules)),
    )


def _sources(modules: list[_Module]) -> list[Path]:
    places = (
        module.folder / "src" / kind / "java" for kind in ("main", "test") for module in modules
    )
    return [place for place in places if place.is_dir()]
