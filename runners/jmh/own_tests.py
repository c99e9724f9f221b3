"""A JMH subject's own unit tests: by their calls methods are chosen where nothing else is known."""

from auditor.core.ports import Host
from auditor.core.request import BuildOptions, MavenSpec
from runners.home import HomeFolder
from runners.jmh import testing
from runners.jmh.build import artifact, reactor
from runners.jmh.build.build_plan import plan_build
from runners.jmh.build.maven import Maven
from runners.jmh.build.source_tree import copy_folder, is_built
from runners.jmh.jdk import find_jdk
from runners.jmh.testing import UnitTests
from runners.subjects.place import place_artifact
from runners.subjects.placed import PlacedSubject, is_gradle


def tests_of_tree(
    placed: PlacedSubject,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
    words: BuildOptions,
) -> UnitTests:
    """Return the call of the build tool, in a copy of their own: what is measured stays as it is.

    The tool compiles as well; tests of siblings that are built with the subject count too.
    """
    maven = Maven(home=home, host=host, environment=environment)
    jdk = find_jdk(host, environment)
    folder = copy_folder(placed, maven, jdk, words, "tests")
    top = folder / "tree"
    root = top / placed.tree.relative_to(placed.root)
    with home.lock_folder(folder):
        if not is_gradle(root):
            reactor.adapt_project(plan_build(top, root, everything=True), jdk)
        is_built(folder, mark_done=True)
    return testing.make_tree_tests(maven, top, root, words, ())


def published_tests(
    spec: MavenSpec, *, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
) -> UnitTests | None:
    """Return the call of JUnit for the jar of tests, None where none was published."""
    maven = Maven(home=home, host=host, environment=environment)
    fetched = artifact.fetch_artifact(spec, place_artifact(spec, home).tree, maven)
    path = testing.published_tests_path(fetched)
    return testing.make_jar_tests(maven, find_jdk(host, environment), path, ()) if path else None
