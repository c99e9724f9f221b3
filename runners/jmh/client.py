"""A client of a Java library made ready: a tree and its build tool, or a published jar of tests."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import SubjectError, UsageError
from auditor.core.ports import Host
from auditor.core.request import ClientSpec, MavenSpec
from auditor.core.subject import Language, Part, Project, Role
from runners.home import Home
from runners.jmh import artifact, gradle, reactor
from runners.jmh.classes import digest
from runners.jmh.guests import Guests
from runners.jmh.jdk import find_jdk
from runners.jmh.maven import Maven, fetched
from runners.jmh.tree import copied, is_built
from runners.subjects.place import artifact_folder
from runners.subjects.placed import Placed, detect, is_gradle

CONSOLE = "org.junit.platform:junit-platform-console-standalone:1.11.4"
"""JUnit's own program that runs tests, with the engines of JUnit 3 to 5 in it."""
_CONSOLE_SHA256 = "b016ef6b1c3454d6d7c2c88ce081dabf289699686af6622d6e4e2e1b54b4a2fc"
_MAVEN_TEST = ("-Dmaven.test.failure.ignore=true", "-DfailIfNoTests=false", "test")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the tests of a client run, what decides what they are, and of which revision."""

    folder: Path
    digest: str
    revision: str


class JavaClients:
    """Makes clients ready; `guests` is what their digest depends on, too."""

    def __init__(
        self,
        guests: Guests,
        *,
        home: Home,
        host: Host,
        environment: tuple[tuple[str, str], ...],
    ) -> None:
        """Take what counts, and the machine."""
        self._guests = guests
        self._maven = Maven(home=home, host=host, environment=environment)
        self._jdk = find_jdk(host, environment)

    def ready(self, spec: ClientSpec, placed: Placed, library: Project) -> Project:
        """Return a client that uses the library at the version that it asks for.

        Raises SubjectError where there is no Java project or no jar of tests, and what the build
        tool says where it fails.
        """
        if isinstance(spec.subject, MavenSpec):
            return self._of_jar(spec, spec.subject, placed, library)
        if detect(placed.tree) != "jmh":
            raise SubjectError(f"{placed.name} is no Java project: no Maven or Gradle builds it")
        return self._of_tree(spec, placed, library)

    def _of_jar(self, spec: ClientSpec, of: MavenSpec, placed: Placed, library: Project) -> Project:
        folder = artifact_folder(of, self._maven.home).tree
        found = artifact.fetched(of, folder, self._maven)
        tests = found.files.get("tests")
        if tests is None:
            raise UsageError(
                f"{spec.name} has no published tests (no jar with the classifier tests); name a "
                "checkout of the project instead"
            )
        own = [one for one in (found.files.get(""),) if one]
        console = fetched(self._maven, CONSOLE, _CONSOLE_SHA256, "running tests")
        path = [console, tests, *own, *found.class_path]
        chosen = [f"--include-classname={one}" for one in spec.tests]
        argv = (
            self._jdk.java, "-cp", ":".join(map(str, path)),
            "org.junit.platform.console.ConsoleLauncher", "execute",
            f"--scan-classpath={tests}", "--details=summary", "--disable-banner",
            "--disable-ansi-colors", *chosen,
        )  # fmt: skip
        content = digest([tests, *own, *found.class_path], repr(spec.tests), CONSOLE)
        # Strangers' tests write where they run: not into what later audits read.
        where = self._maven.home.work(f"tests-{content[:24]}")
        parts = (Part(Role.BENCHMARKS, where), *(Part(Role.DEPENDENCY, one) for one in path))
        return self._project(placed, _Place(where, content, found.version), parts, argv, library)

    def _of_tree(self, spec: ClientSpec, placed: Placed, library: Project) -> Project:
        folder = copied(placed, self._maven, self._jdk, spec.build, "client")
        top = folder / "tree"
        root = top / placed.tree.relative_to(placed.root)
        with self._maven.home.locked(folder):
            make = self._by_gradle if is_gradle(placed.tree) else self._by_maven
            cwd, argv = make(spec, top, root, built=is_built(folder))
            is_built(folder, done=True)
        content = repr((placed.digest_of_tree, spec.tests, spec.build))
        place = _Place(cwd, content, placed.revision)
        return self._project(placed, place, (Part(Role.BENCHMARKS, root),), argv, library)

    def _by_gradle(
        self, spec: ClientSpec, top: Path, root: Path, *, built: bool
    ) -> tuple[Path, tuple[str, ...]]:
        tool = gradle.Gradle(host=self._maven.host, environment=self._maven.environment)
        if not built:
            tool.build(top, root, spec.build)
        chosen = [word for one in spec.tests for word in ("--tests", one)]
        # Tests that have run before would be up to date, or had from a cache.
        anew = ("--continue", "--no-build-cache", "cleanTest", "test")
        job = tool.call(*anew, *chosen, *spec.build.flags, top=top, cwd=root)
        return job.cwd, job.argv

    def _by_maven(
        self, spec: ClientSpec, top: Path, root: Path, *, built: bool
    ) -> tuple[Path, tuple[str, ...]]:
        cwd, maven, selected = reactor.place(top, root, self._maven)
        if not built:
            reactor.build(top, root, self._maven, spec.build)
        words = (*reactor.SKIPPED, *selected, *reactor.switched(spec.build))
        chosen = [f"-Dtest={','.join(spec.tests)}"] if spec.tests else []
        quiet = ("-Dsurefire.failIfNoSpecifiedTests=false", *_MAVEN_TEST)
        return cwd, maven.call(*maven.settings(cwd), *words, *chosen, *quiet, cwd=cwd).argv

    def _project(
        self,
        placed: Placed,
        place: _Place,
        parts: tuple[Part, ...],
        argv: tuple[str, ...],
        library: Project,
    ) -> Project:
        decides = repr((place.digest, library.digest, self._guests.folder.name, self._jdk.version))
        return Project(
            name=placed.name,
            revision=place.revision,
            language=Language.JAVA,
            harness="",
            root=place.folder,
            digest=hashlib.sha256(decides.encode()).hexdigest()[:32],
            parts=parts,
            environment=self._maven.call(cwd=place.folder).environment,
            options=(("argv", json.dumps(argv)),),
            versions=(("jdk", self._jdk.version),),
        )
