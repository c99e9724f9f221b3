"""A client of a Java library made ready: a tree and its build tool, or a published jar of tests."""

import hashlib
from dataclasses import dataclass

from auditor.core.errors import SubjectError, UsageError
from auditor.core.ports import Host
from auditor.core.request import ClientSpec, MavenSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.home import HomeFolder
from runners.jmh import testing
from runners.jmh.build import artifact
from runners.jmh.build.maven import Maven
from runners.jmh.build.source_tree import copy_folder, is_built, run_build_tool
from runners.jmh.classes import digest_class_path
from runners.jmh.guests import JmhGuest
from runners.jmh.jdk import find_jdk
from runners.subjects.place import place_artifact
from runners.subjects.placed import PlacedSubject, is_of_kind


@dataclass(frozen=True, slots=True)
class _ClientContent:
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
        home: HomeFolder,
        host: Host,
        environment: tuple[tuple[str, str], ...],
    ) -> None:
        """Take what counts, and the machine."""
        self._guests = guests
        self._maven = Maven(home=home, host=host, environment=environment)
        self._jdk = find_jdk(host, environment)

    def prepare_client(
        self, spec: ClientSpec, placed: PlacedSubject, library: Project
    ) -> JavaClient:
        """Return a client that uses the library at the version that it asks for.

        Raises SubjectError where there is no Java project or no jar of tests, and what the build
        tool says where it fails.
        """
        if isinstance(spec.subject, MavenSpec):
            return self._prepare_jar_client(spec, spec.subject, placed, library)
        if not is_of_kind(placed.tree, "jmh"):
            raise SubjectError(f"{placed.name} is not a Java project: no Maven or Gradle builds it")
        return self._prepare_tree_client(spec, placed, library)

    def _prepare_jar_client(
        self, spec: ClientSpec, subject: MavenSpec, placed: PlacedSubject, library: Project
    ) -> JavaClient:
        folder = place_artifact(subject, self._maven.home).tree
        fetched = artifact.fetch_artifact(subject, folder, self._maven)
        path = testing.published_tests_path(fetched)
        if not path:
            raise UsageError(
                f"{spec.name} has no published tests (no jar with the classifier tests); name a "
                "checkout of the project instead"
            )
        content = digest_class_path(path, repr(spec.tests), testing.CONSOLE)
        unit_tests = testing.make_jar_tests(self._maven, self._jdk, path, spec.tests)
        parts = tuple(Part(Role.DEPENDENCY, jar) for jar in path)
        return self._make_client(
            placed, _ClientContent(content, fetched.version), parts, unit_tests, library
        )

    def _prepare_tree_client(
        self, spec: ClientSpec, placed: PlacedSubject, library: Project
    ) -> JavaClient:
        folder = copy_folder(placed, self._maven, self._jdk, spec.build, "client")
        top = folder / "tree"
        root = top / placed.tree.relative_to(placed.root)
        with self._maven.home.lock_folder(folder):
            if not is_built(folder):
                run_build_tool(top, root, self._maven, self._jdk, spec.build)
                is_built(folder, mark_done=True)
        unit_tests = testing.make_tree_tests(self._maven, top, root, spec.build, spec.tests)
        content = repr((placed.digest_of_tree, spec.tests, spec.build))
        return self._make_client(
            placed, _ClientContent(content, placed.revision), (), unit_tests, library
        )

    def _make_client(
        self,
        placed: PlacedSubject,
        content: _ClientContent,
        parts: tuple[Part, ...],
        tests: testing.UnitTests,
        library: Project,
    ) -> JavaClient:
        decides = repr(
            (content.digest, library.digest, self._guests.folder.name, self._jdk.version)
        )
        project = Project(
            name=placed.name,
            revision=content.revision,
            language=Language.JAVA,
            harness="",
            root=tests.job.cwd,
            digest=hashlib.sha256(decides.encode()).hexdigest()[:32],
            parts=parts,
            environment=tests.job.environment,
            versions=(("jdk", self._jdk.version),),
        )
        return JavaClient(project, tests)
