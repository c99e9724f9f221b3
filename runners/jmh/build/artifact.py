"""Published artifacts: the jar, its tests and sources, and what its own POM says it needs."""

import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.errors import BuildFailed, NoBenchmarks, UsageError
from auditor.core.jobs import Invocation
from auditor.core.request import MavenSpec
from auditor.core.subject import Part, Role
from runners.disk import convert_write_errors
from runners.jmh.build.maven import Maven, NotPublished
from runners.jmh.build.poms import (
    class_path_of,
    render_copy_pom,
    render_dependency_pom,
    split_coordinates,
    without_build,
)
from runners.jmh.classes import (
    benchmark_classes,
    benchmark_list,
    digest_class_path,
    split_classes,
    unpack_jar,
)
from runners.jmh.jdk import Jdk, java_environment

_JMH_GROUP = "org.openjdk.jmh"
_COMPILE_SECONDS = 600

_CLASSIFIERS = ("", "tests", "sources", "test-sources")
_JMH = "org.openjdk.jmh"
_CHANGING = re.compile(r"-SNAPSHOT$|^(LATEST|RELEASE)$|[\[(]")


@dataclass(frozen=True, slots=True)
class ResolvedArtifact:
    """What was resolved: files by classifier ("" is the jar), and the class path."""

    folder: Path
    version: str
    files: dict[str, Path]
    class_path: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Artifact:
    """An artifact made ready: its version (found out, for one such as LATEST), parts and jars."""

    version: str
    parts: tuple[Part, ...]
    jars: tuple[Path, ...]


def fetch_artifact(
    spec: MavenSpec, folder: Path, maven: Maven, *, tests: bool = True
) -> ResolvedArtifact:
    """Return an artifact's files and class path; fetched once if its version stays what it is.

    Without `tests` it is the jar alone, and the class path is what runs with it: much that the
    tests of old releases need can no longer be had. Such a folder is for nothing else.
    """
    with maven.home.lock_folder(folder):
        return _resolve_artifact(spec, folder, maven, tests=tests)


def prepare_artifact_files(spec: MavenSpec, folder: Path, maven: Maven, jdk: Jdk) -> Artifact:
    """Return an artifact; fetched once if its version stays what it is, else each time."""
    with maven.home.lock_folder(folder):
        artifact = _resolve_artifact(spec, folder, maven, tests=True)
        parts = _list_parts(spec, artifact, maven, jdk)
    return Artifact(artifact.version, parts, tuple(sorted(artifact.files.values())))


def _list_parts(
    spec: MavenSpec, fetched: ResolvedArtifact, maven: Maven, jdk: Jdk
) -> tuple[Part, ...]:
    benchmarks, library = _find_benchmarks(spec, fetched, maven, jdk)
    sources = [fetched.files[name] for name in ("sources", "test-sources") if name in fetched.files]
    # Benchmarks that had to be rebuilt may use other classes of the tests.
    tests = [path for path in (fetched.files.get("tests"),) if path and path != benchmarks]
    family = () if _has_classes(library) else _same_group(spec.group, fetched.class_path)
    rest = [path for path in (*tests, *fetched.class_path) if path not in family]
    return (
        Part(Role.BENCHMARKS, benchmarks),
        *(Part(Role.LIBRARY, path) for path in (library, *family)),
        *(Part(Role.DEPENDENCY, path) for path in rest),
        *(Part(Role.SOURCES, path) for path in sources),
    )


def _has_classes(library: Path) -> bool:
    return library.is_file() or any(library.rglob("*.class"))


def _same_group(group: str, class_path: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the jars of a group: what an artifact that has only benchmarks is about."""
    folder = tuple(group.split("."))
    jars = [path for path in class_path if path.parts[-3 - len(folder) : -3] == folder]
    return () if group == _JMH else tuple(jars)


def _resolve_artifact(
    spec: MavenSpec, folder: Path, maven: Maven, *, tests: bool
) -> ResolvedArtifact:
    if not _may_change(spec):
        return _load_resolved_artifact(spec, folder) or _fetch_files(
            spec, folder, maven, tests=tests
        )
    # A folder for each content: another auditor may be measuring what was there before.
    with maven.home.make_scratch_folder() as scratch:
        fetched = _fetch_files(spec, scratch, maven, tests=tests)
        target = (
            folder
            / digest_class_path([*fetched.files.values(), *fetched.class_path], fetched.version)[
                :24
            ]
        )
        with convert_write_errors(target):
            target.mkdir(exist_ok=True)
            if not (target / "files").is_dir():
                (scratch / "files").rename(target / "files")
    files = {name: target / "files" / path.name for name, path in fetched.files.items()}
    return replace(fetched, folder=target, files=files)


def _may_change(spec: MavenSpec) -> bool:
    versions = (spec.version, *(artifact.rpartition(":")[2] for artifact in spec.extra))
    return any(_CHANGING.search(version) for version in versions)


def _load_resolved_artifact(spec: MavenSpec, folder: Path) -> ResolvedArtifact | None:
    try:
        record = json.loads((folder / "resolved.json").read_text())
        files = {name: Path(path) for name, path in record["files"].items()}
        fetched = ResolvedArtifact(
            folder, spec.version, files, tuple(map(Path, record["class_path"]))
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    if any(_CHANGING.search(path.parent.name) for path in fetched.class_path):
        return None  # what it depends on may have been published anew
    everything = (*fetched.files.values(), *fetched.class_path)
    return fetched if all(path.exists() for path in everything) else None


def _fetch_files(spec: MavenSpec, folder: Path, maven: Maven, *, tests: bool) -> ResolvedArtifact:
    artifact_name = f"maven:{spec.group}:{spec.artifact}:{spec.version}"
    for artifact in (artifact_name.removeprefix("maven:"), *spec.extra):
        split_coordinates(artifact)
    version, files = _copy_artifact_files(spec, folder, maven, _CLASSIFIERS if tests else ("",))
    if tests:
        pom = folder / "own.pom"
        with convert_write_errors(pom):
            pom.write_bytes(without_build(folder / "files" / f"{spec.artifact}-{version}.pom"))
        class_path = class_path_of(maven, pom, f"{artifact_name}: the dependencies of its tests")
    else:
        class_path = _list_runtime_jars(spec, folder, maven, version)
    if spec.extra:
        extra = folder / "extra.pom"
        _write_text(extra, render_dependency_pom(*spec.extra))
        class_path = _join_class_paths(
            class_path_of(maven, extra, f"{artifact_name}: its extra"), class_path
        )
    class_path = tuple(path for path in class_path if path not in files.values())
    fetched = ResolvedArtifact(folder, version, files, class_path)
    record = {
        "files": {name: str(path) for name, path in fetched.files.items()},
        "class_path": [str(path) for path in fetched.class_path],
    }
    _write_text(folder / "resolved.json", json.dumps(record, indent=1))
    return fetched


def _list_runtime_jars(
    spec: MavenSpec, folder: Path, maven: Maven, version: str
) -> tuple[Path, ...]:
    """Return what an artifact brings along where it is depended on, without itself."""
    pom = folder / "running.pom"
    artifact = f"{spec.group}:{spec.artifact}:{version}"
    _write_text(pom, render_dependency_pom(artifact))
    path = class_path_of(maven, pom, f"maven:{artifact}: its dependencies")
    artifact_parts = (*spec.group.split("."), spec.artifact)
    return tuple(
        jar for jar in path if jar.parent.parent.parts[-len(artifact_parts) :] != artifact_parts
    )


def _copy_artifact_files(
    spec: MavenSpec, folder: Path, maven: Maven, classifiers: tuple[str, ...]
) -> tuple[str, dict[str, Path]]:
    """Fetch the POM, the jar, and those of its companions that were published.

    The version is that of the files: another one than was asked for where that is LATEST, say.
    """
    artifact = f"{spec.group}:{spec.artifact}:{spec.version}"
    _write_text(folder / "pom.xml", render_copy_pom(artifact, classifiers))
    try:
        maven.run_goals("validate", cwd=folder, activity=f"maven:{artifact}")
    except NotPublished as error:
        if error.artifact.startswith(f"{spec.group}:{spec.artifact}:"):
            raise UsageError(str(error)) from error
        raise
    (pom,) = (folder / "files").glob("*.pom")
    jars = {
        name: pom.with_name(f"{pom.stem}{'-' if name else ''}{name}.jar") for name in classifiers
    }
    version = pom.stem.removeprefix(f"{spec.artifact}-")
    return version, {name: path for name, path in jars.items() if path.is_file()}


def _join_class_paths(first: tuple[Path, ...], rest: tuple[Path, ...]) -> tuple[Path, ...]:
    """Join two class paths; of an artifact in both, the version of `first` counts."""
    paths = {path.parent.parent for path in first}
    return (*first, *(path for path in rest if path.parent.parent not in paths))


def _write_text(path: Path, text: str) -> None:
    with convert_write_errors(path):
        path.write_text(text)


def _find_benchmarks(
    spec: MavenSpec, fetched: ResolvedArtifact, maven: Maven, jdk: Jdk
) -> tuple[Path, Path]:
    """Return where the benchmarks and where the library are."""
    artifact_name = f"maven:{spec.group}:{spec.artifact}:{spec.version}"
    jar, tests = fetched.files.get(""), fetched.files.get("tests")
    if jar is None:
        raise UsageError(
            f"{artifact_name} is not a jar; name the artifact that holds the library's classes"
        )
    if tests is not None and benchmark_list(tests) is not None:
        return tests, jar
    if (list_text := benchmark_list(jar)) is not None:
        return split_classes(jar, fetched.folder / "split", benchmark_classes(list_text))
    if (sources := fetched.files.get("test-sources")) is not None:
        artifact_jars = [path for path in (jar, tests) if path is not None]
        return _compile_benchmarks(sources, (*artifact_jars, *fetched.class_path), maven, jdk), jar
    raise NoBenchmarks(
        f"{artifact_name} has no benchmarks: neither its tests nor its own jar has a benchmark "
        "list, and no test sources are published; audit a checkout of the project instead"
    )


def _compile_benchmarks(sources: Path, class_path: Sequence[Path], maven: Maven, jdk: Jdk) -> Path:
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
        if f"{_JMH_GROUP}.annotations" in path.read_text(errors="replace")
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
            f"{_JMH_GROUP}:jmh-core:VERSION to `extra`"
        )
    pom = folder / "processor.pom"
    with convert_write_errors(pom):
        pom.write_text(
            render_dependency_pom(f"{_JMH_GROUP}:jmh-generator-annprocess:{versions[0]}")
        )
    return class_path_of(maven, pom, "the annotation processor of JMH")
