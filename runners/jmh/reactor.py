"""A Maven project, of one module or many, built in a copy of ours."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from auditor.core.request import BuildWords
from runners.jmh.maven import DEPENDENCY_PLUGIN, Maven, NotPublished
from runners.jmh.modules import SourceSet

LACKING = (
    "no module's classes hold META-INF/BenchmarkList; they need jmh-generator-annprocess, and "
    "perhaps a profile (`profiles` of the subject)"
)
_WRAPPER = "mvnw"
_CLASS_PATH = "bench-audit.classpath"
# Checks of style and licences are the project's affair, and cost time and downloads.
SKIPPED = (
    "-Denforcer.skip", "-Dcheckstyle.skip", "-Drat.skip", "-Dspotbugs.skip",
    "-Dpmd.skip", "-Djacoco.skip", "-Dmaven.javadoc.skip", "-Dspotless.check.skip",
    "-Dlicense.skip", "-Danimal.sniffer.skip", "-Dgpg.skip", "-Dmaven.source.skip",
)  # fmt: skip


def switched(words: BuildWords) -> tuple[str, ...]:
    """Return the arguments of mvn that the user asks for."""
    profiles = (f"-P{','.join(words.profiles)}",) if words.profiles else ()
    return (*profiles, *words.flags)


def build(top: Path, root: Path, maven: Maven, words: BuildWords) -> None:
    """Compile all modules and let each write its class path, in one go."""
    where, maven, selected = place(top, root, maven)
    arguments = (
        f"{DEPENDENCY_PLUGIN}:build-classpath", "-DincludeScope=test",
        f"-Dmdep.outputFile=target/{_CLASS_PATH}", "-Dmdep.pathSeparator=:",
        "-DskipTests", *SKIPPED, *selected, *switched(words),
    )  # fmt: skip
    try:
        maven.run("test-compile", *arguments, cwd=where, what="the build")
    except NotPublished:
        # A module that needs the jar of another (a shaded one, say) has to wait for it.
        if "<module>" not in _text(where):
            raise
        maven.run("package", *arguments, cwd=where, what="the build")


def place(top: Path, root: Path, maven: Maven) -> tuple[Path, Maven, tuple[str, ...]]:
    """Return where Maven runs, which (the project's wrapper, if there is one), of which module."""
    where, selected = _reactor(top, root)
    wrapper = next((each / _WRAPPER for each in (where, top) if (each / _WRAPPER).is_file()), None)
    if wrapper is not None:
        maven = replace(maven, program=("sh", str(wrapper)))
    return where, maven, selected


def _reactor(top: Path, root: Path) -> tuple[Path, tuple[str, ...]]:
    """Return where to run, and which module: one that needs its siblings is built with them."""
    inside = root.relative_to(top)
    if inside.parts and f"<module>{inside.parts[0]}" in _text(top):
        return top, ("-pl", inside.as_posix(), "-am")
    return root, ()


def _text(folder: Path) -> str:
    pom = folder / "pom.xml"
    return pom.read_text(errors="replace") if pom.is_file() else ""


def source_sets(top: Path) -> Iterator[SourceSet]:
    """Yield those of each module: its tests before its classes, as they run."""
    for file in sorted(top.rglob(f"target/{_CLASS_PATH}")):
        target = file.parent
        entries = tuple(Path(each) for each in file.read_text().strip().split(":") if each)
        own = tuple(target / name for name in ("test-classes", "classes"))
        path = (*(each for each in own if each.is_dir()), *entries)
        for classes, kind in zip(own, ("test", "main"), strict=True):
            yield SourceSet(
                classes=(classes,),
                path=path,
                sources=(target.parent / "src" / kind / "java",),
                test=kind == "test",
            )
