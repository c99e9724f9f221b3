"""Java subjects made ready: published artifacts, and trees that Maven builds."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.ports import Host
from auditor.core.request import MavenSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.home import Home
from runners.jmh.artifact import artifact_parts
from runners.jmh.classes import digest
from runners.jmh.jdk import Jdk, find_jdk, java_environment
from runners.jmh.maven import Maven
from runners.jmh.reactor import Options, reactor_parts
from runners.subjects.place import artifact_folder
from runners.subjects.placed import Placed

_OPTIONS = frozenset(("profiles", "arguments"))


def prepare_artifact(
    spec: MavenSpec, *, home: Home, host: Host, environment: tuple[tuple[str, str], ...]
) -> Project:
    """Resolve an artifact, its tests and its sources, and all that its benchmarks need."""
    placed = artifact_folder(spec, home)
    jdk = find_jdk(host, environment)
    maven = Maven(home=home, host=host, environment=environment)
    parts = artifact_parts(spec, placed.tree, maven, jdk)
    fetched = sorted(placed.tree.glob("files/*.jar"))
    return _project(placed, placed.tree, parts, jdk, _Given(environment, tuple(fetched)))


def prepare_tree(
    placed: Placed,
    *,
    home: Home,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    options: Mapping[str, str],
) -> Project:
    """Build a Maven project in a copy of the placed tree.

    Options: `profiles` (as for mvn -P) and `arguments` (more of mvn's, parted by spaces).
    """
    if unknown := sorted(set(options) - _OPTIONS):
        raise UsageError(
            f"unknown option {unknown[0]!r} for a Maven project; known: "
            f"{', '.join(sorted(_OPTIONS))}"
        )
    jdk = find_jdk(host, environment)
    maven = Maven(home=home, host=host, environment=environment)
    chosen = Options(options.get("profiles", ""), tuple(options.get("arguments", "").split()))
    root, parts = reactor_parts(placed, maven, jdk, chosen)
    return _project(placed, root, parts, jdk, _Given(environment, (), chosen.words()))


@dataclass(frozen=True, slots=True)
class _Given:
    """What else decides what is built: `fetched` jars, and words about the build."""

    environment: tuple[tuple[str, str], ...]
    fetched: tuple[Path, ...]
    words: tuple[str, ...] = ()


def _project(
    placed: Placed, root: Path, parts: tuple[Part, ...], jdk: Jdk, given: _Given
) -> Project:
    # What is compiled follows from the tree and the jars; its bytes need not repeat (dates, the
    # order of lists), and must not make another subject.
    jars = [part.path for part in parts if part.path.is_file()]
    jars = [path for path in jars if not path.is_relative_to(root)]
    jmh = _jmh_version(parts)
    return Project(
        name=placed.name,
        revision=placed.revision,
        language=Language.JAVA,
        harness="jmh",
        root=root,
        digest=digest([*given.fetched, *jars], jdk.version, placed.digest_of_tree, *given.words),
        parts=parts,
        environment=java_environment(given.environment),
        options=(("java", jdk.java), ("javac", jdk.javac), ("jmh", jmh), ("jdk", jdk.version)),
        versions=(("jdk", jdk.version), ("jmh", jmh)),
    )


def _jmh_version(parts: tuple[Part, ...]) -> str:
    for part in parts:
        if part.role is Role.DEPENDENCY and part.path.name.startswith("jmh-core-"):
            return part.path.name.removeprefix("jmh-core-").removesuffix(".jar")
    raise UsageError(
        "no jmh-core on the class path; add the version that the benchmarks were compiled with "
        "as an extra dependency: org.openjdk.jmh:jmh-core:VERSION"
    )
