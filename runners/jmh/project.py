"""Java subjects made ready: artifacts, trees of Maven or Gradle, jars with everything."""

import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.core.errors import NoBenchmarks, SourceUnreadable, UsageError
from auditor.core.ports import Host
from auditor.core.request import BuildOptions, JarSpec, MavenSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.home import HomeFolder
from runners.jmh.build.artifact import prepare_artifact_files
from runners.jmh.build.maven import Maven
from runners.jmh.build.source_tree import build_settings_text, tree_parts
from runners.jmh.classes import benchmark_list, digest_class_path, open_jar
from runners.jmh.content import digest_content
from runners.jmh.jdk import Jdk, find_jdk, java_environment
from runners.steps import ignore_step
from runners.subjects.jar import NAME
from runners.subjects.place import place_artifact
from runners.subjects.placed import PlacedSubject

_RUNNER = "org/openjdk/jmh/runner/Runner.class"
_PROPERTIES = "jmh.properties"
_ADVICE = "name the jar that the benchmarks are run from, such as target/benchmarks.jar"

_JMH_CORE = "jmh-core-"


def prepare_artifact(
    spec: MavenSpec, *, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
) -> Project:
    """Resolve an artifact, its tests and its sources, and all that its benchmarks need."""
    placed_subject = place_artifact(spec, home)
    jdk = find_jdk(host, environment)
    maven = Maven(home=home, host=host, environment=environment)
    artifact = prepare_artifact_files(spec, placed_subject.tree, maven, jdk)
    placed_subject = replace(placed_subject, revision=artifact.version)
    return _make_project(
        placed_subject,
        placed_subject.tree,
        artifact.parts,
        jdk,
        _BuildInputs(environment, artifact.jars),
    )


def prepare_tree(  # noqa: PLR0913 - what the tree, the machine and the user contribute
    placed: PlacedSubject,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    words: BuildOptions,
    tell: Callable[[str], None] = ignore_step,
) -> Project:
    """Build a tree of Maven or Gradle in a copy; `tell` hears of the steps."""
    jdk = find_jdk(host, environment)
    maven = Maven(home=home, host=host, environment=environment, tell=tell)
    root, parts = tree_parts(placed, maven, jdk, words)
    return _make_project(
        placed, root, parts, jdk, _BuildInputs(environment, (), build_settings_text(words))
    )


def prepare_jar(
    spec: JarSpec,
    placed: PlacedSubject,
    *,
    host: Host,
    environment: tuple[tuple[str, str], ...],
) -> Project:
    """Take a jar with all that its benchmarks need."""
    jar = placed.tree / NAME
    parts = _jar_parts(jar, spec.path)
    return _make_project(
        placed, placed.tree, parts, find_jdk(host, environment), _BuildInputs(environment)
    )


@dataclass(frozen=True, slots=True)
class _BuildInputs:
    """What else decides what is built: `fetched` jars, and words about the build."""

    environment: tuple[tuple[str, str], ...]
    fetched: tuple[Path, ...] = ()
    words: tuple[str, ...] = ()


def _make_project(
    placed: PlacedSubject, root: Path, parts: tuple[Part, ...], jdk: Jdk, build_inputs: _BuildInputs
) -> Project:
    # What is compiled follows from the tree and the jars; its bytes need not repeat (dates, the
    # order of lists), and must not make another subject.
    jars = [part.path for part in parts if part.path.is_file()]
    jars = [path for path in jars if not path.is_relative_to(root)]
    jmh = _jmh_version(parts)
    copied = placed.files if root != placed.tree else {}  # else it is the jar: its entries count
    return Project(
        name=placed.name,
        revision=placed.revision,
        language=Language.JAVA,
        harness="jmh",
        root=root,
        digest=digest_class_path(
            [*build_inputs.fetched, *jars], jdk.version, placed.digest_of_tree, *build_inputs.words
        ),
        parts=parts,
        environment=java_environment(build_inputs.environment),
        options=(("java", jdk.java), ("javac", jdk.javac), ("jmh", jmh), ("jdk", jdk.version)),
        versions=(("jdk", jdk.version), ("jmh", jmh)),
        content=digest_content(parts, copied, jdk.version),
    )


def jmh_jar(parts: tuple[Part, ...]) -> Path:
    """Return the jar that holds JMH itself; raises UsageError if there is none."""
    for part in parts:
        core = part.role is Role.DEPENDENCY and part.path.name.startswith(_JMH_CORE)
        if core or part.path.name == NAME:
            return part.path
    raise UsageError(
        "no jmh-core on the class path; add the version that the benchmarks were compiled with to "
        "`extra`: org.openjdk.jmh:jmh-core:VERSION"
    )


def _jmh_version(parts: tuple[Part, ...]) -> str:
    jar = jmh_jar(parts)
    if jar.name == NAME:
        return _jmh_within(jar)
    return jar.name.removeprefix(_JMH_CORE).removesuffix(".jar")


def _jar_parts(jar: Path, display_path: Path) -> tuple[Part, ...]:
    """Return the jar as benchmarks and library at once; `display_path` is what the user named."""
    if not zipfile.is_zipfile(jar):
        raise SourceUnreadable(f"{display_path} is not a readable jar; build it again")
    if benchmark_list(jar) is None:
        raise NoBenchmarks(
            f"{display_path} has no benchmarks: no META-INF/BenchmarkList; {_ADVICE}"
        )
    with open_jar(jar) as archive:
        if _RUNNER not in archive.namelist():
            raise NoBenchmarks(
                f"{display_path} holds benchmarks, but no JMH to run them; {_ADVICE}"
            )
    return Part(Role.BENCHMARKS, jar), Part(Role.LIBRARY, jar)


def _jmh_within(jar: Path) -> str:
    """Return the version of JMH as the jar has it, "unknown" where it does not say."""
    with open_jar(jar) as archive:
        has = _PROPERTIES in archive.namelist()
        text = archive.read(_PROPERTIES).decode(errors="replace") if has else ""
    match = re.search(r"^jmh\.version=(\S+)", text, re.MULTILINE)
    return match[1] if match else "unknown"
