"""Benchmarks built from published test sources, for artifacts without a list of them."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from auditor.core.errors import BuildFailed, NoBenchmarks
from auditor.core.jobs import Invocation
from runners.disk import convert_write_errors
from runners.jmh.build.maven import Maven
from runners.jmh.build.poms import class_path_of, render_dependency_pom
from runners.jmh.classes import benchmark_list, unpack_jar
from runners.jmh.jdk import Jdk, java_environment

_JMH = "org.openjdk.jmh"
_COMPILE_SECONDS = 600


def compile_benchmarks(sources: Path, class_path: Sequence[Path], maven: Maven, jdk: Jdk) -> Path:
    """Compile the files that use JMH, and those they need; return the folder of the classes.

    `class_path` has the library, the rest of its tests if there are any, and the dependencies.
    """
    folder = sources.parent.parent
    text, classes = folder / "test-sources", folder / "test-classes"
    jars = _unpack_jmh_sources(sources, text)
    with convert_write_errors(classes):
        classes.mkdir(exist_ok=True)
    processors = _fetch_jmh_processor(class_path, folder, maven)
    arguments = [
        *("-nowarn", "-encoding", "UTF-8", "-implicit:class", "-d", str(classes)),
        *("-sourcepath", str(text), "-processorpath", ":".join(map(str, processors))),
        *("-cp", ":".join(map(str, class_path))),
        *map(str, jars),
    ]
    quoted = "\n".join('"{}"'.format(argument.replace("\\", "\\\\")) for argument in arguments)
    answer = maven.host.run_process(
        Invocation(
            argv=(jdk.javac, "@compile.arguments"),
            cwd=folder,
            environment=java_environment(maven.environment),
            timeout_seconds=_COMPILE_SECONDS,
            files=((Path("compile.arguments"), quoted.encode()),),
        )
    )
    if answer.exit_code != 0:
        raise BuildFailed(
            f"{sources.name} does not compile (add missing libraries with `extra`); javac "
            f"said:\n{answer.format_tail()}"
        )
    if benchmark_list(classes) is None:
        raise NoBenchmarks(f"{sources.name} has no benchmarks that JMH's processor finds")
    return classes


def _unpack_jmh_sources(jar: Path, text: Path) -> list[Path]:
    """Unpack the sources and return the files that use JMH."""
    unpack_jar(jar, text)
    for generated in list(text.rglob("jmh_generated")):
        shutil.rmtree(generated)  # published by accident; the processor writes them anew
    sources = [
        path
        for path in sorted(text.rglob("*.java"))
        if f"{_JMH}.annotations" in path.read_text(errors="replace")
    ]
    if not sources:
        raise NoBenchmarks(f"{jar.name} has no benchmarks: no file uses JMH's annotations")
    return sources


def _fetch_jmh_processor(
    class_path: Sequence[Path], folder: Path, maven: Maven
) -> tuple[Path, ...]:
    """Return JMH's annotation processor, of the version of the JMH that is on the class path."""
    versions = [path.parent.name for path in class_path if path.parent.parent.name == "jmh-core"]
    if not versions:
        raise NoBenchmarks(
            "no benchmarks: the tests do not depend on jmh-core; if they should, add "
            f"{_JMH}:jmh-core:VERSION to `extra`"
        )
    pom = folder / "processor.pom"
    with convert_write_errors(pom):
        pom.write_text(render_dependency_pom(f"{_JMH}:jmh-generator-annprocess:{versions[0]}"))
    return class_path_of(maven, pom, "the annotation processor of JMH")
