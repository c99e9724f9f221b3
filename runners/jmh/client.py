"""A client of a Java library made ready: a tree and its build tool, or a published jar of tests."""

import hashlib
from dataclasses import dataclass

from auditor.core.errors import SubjectError, UsageError
from auditor.core.ports import Host
from auditor.core.request import ClientSpec, MavenSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.home import Home
from runners.jmh import testing
from runners.jmh.build import artifact
from runners.jmh.build.maven import Maven
from runners.jmh.build.source_tree import built_by_tool, copy_folder, is_built
from runners.jmh.classes import digest
from runners.jmh.guests import JmhGuest
from runners.jmh.jdk import find_jdk
from runners.subjects.place import artifact_folder
from runners.subjects.placed import Placed, detect


@dataclass(frozen=True, slots=True)
class _Content:
    """What decides what the tests of a client do, and of which revision they are."""

    digest: str
    revision: str


@dataclass(frozen=True, slots=True)
class JavaClient:
    """A client, and what runs its tests."""

    project: Project
    tests: testing.UnitTests


class JavaClients:
    """Makes clients ready; `guests` is what their digest depends on, too."""

    def __init__(
        self,
        guests: JmhGuest,
        *,
        home: Home,
        host: Host,
        environment: tuple[tuple[str, str], ...],
    ) -> None:
        """Take what counts, and the machine."""
        self._guests = guests
        self._maven = Maven(home=home, host=host, environment=environment)
        self._jdk = find_jdk(host, environment)

    def ready(self, spec: ClientSpec, placed: Placed, library: Project) -> JavaClient:
        """Return a client that uses the library at the version that it asks for.

        Raises SubjectError where there is no Java project or no jar of tests, and what the build
        tool says where it fails.
        """
        if isinstance(spec.subject, MavenSpec):
            return self._of_jar(spec, spec.subject, placed, library)
        if detect(placed.tree) != "jmh":
            raise SubjectError(f"{placed.name} is not a Java project: no Maven or Gradle builds it")
        return self._of_tree(spec, placed, library)

    def _of_jar(
        self, spec: ClientSpec, of: MavenSpec, placed: Placed, library: Project
    ) -> JavaClient:
        folder = artifact_folder(of, self._maven.home).tree
        fetched = artifact.fetch_artifact(of, folder, self._maven)
        path = testing.published_tests_path(fetched)
        if not path:
            raise UsageError(
                f"{spec.name} has no published tests (no jar with the classifier tests); name a "
                "checkout of the project instead"
            )
        content = digest(path, repr(spec.tests), testing.CONSOLE)
        ready = testing.of_jar(self._maven, self._jdk, path, spec.tests)
        parts = tuple(Part(Role.DEPENDENCY, one) for one in path)
        return self._project(placed, _Content(content, fetched.version), parts, ready, library)

    def _of_tree(self, spec: ClientSpec, placed: Placed, library: Project) -> JavaClient:
        folder = copy_folder(placed, self._maven, self._jdk, spec.build, "client")
        top = folder / "tree"
        root = top / placed.tree.relative_to(placed.root)
        with self._maven.home.locked(folder):
            if not is_built(folder):
                built_by_tool(top, root, self._maven, self._jdk, spec.build)
                is_built(folder, done=True)
        ready = testing.of_tree(self._maven, top, root, spec.build, spec.tests)
        content = repr((placed.digest_of_tree, spec.tests, spec.build))
        return self._project(placed, _Content(content, placed.revision), (), ready, library)

    def _project(
        self,
        placed: Placed,
        of: _Content,
        parts: tuple[Part, ...],
        tests: testing.UnitTests,
        library: Project,
    ) -> JavaClient:
        decides = repr((of.digest, library.digest, self._guests.folder.name, self._jdk.version))
        project = Project(
            name=placed.name,
            revision=of.revision,
            language=Language.JAVA,
            harness="",
            root=tests.job.cwd,
            digest=hashlib.sha256(decides.encode()).hexdigest()[:32],
            parts=parts,
            environment=tests.job.environment,
            versions=(("jdk", self._jdk.version),),
        )
        return JavaClient(project, tests)
