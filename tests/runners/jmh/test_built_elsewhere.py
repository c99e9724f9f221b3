"""What was built of a JMH suite on one machine runs on another one."""

from dataclasses import replace

import pytest

from auditor.core.errors import MachineError
from auditor.core.subject import Language, Part, Project, Role
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.jmh.built_suite import BuiltSuite
from runners.jmh.guests import JmhGuest
from runners.jmh.jdk import find_jdk
from runners.subjects.placed import PlacedSubject

PATH = (("PATH", "/usr/local/bin:/usr/bin:/bin"),)


@pytest.fixture
def built(tmp_path):
    """A module of a tree, with a sibling, a jar and a folder that is not there."""
    top = tmp_path / "work" / "java" / "tree"
    files = {
        top / "bench" / "target" / "classes" / "B.class": b"b",
        top / "library" / "target" / "classes" / "L.class": b"l",
        tmp_path / "maven" / "org" / "jmh-core-1.jar": b"jmh",
        tmp_path / "guest" / "agent.jar": b"agent",
    }
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    parts = (
        Part(Role.BENCHMARKS, top / "bench" / "target" / "classes"),
        Part(Role.LIBRARY, top / "library" / "target" / "classes"),
        Part(Role.DEPENDENCY, tmp_path / "maven" / "org" / "jmh-core-1.jar"),
        Part(Role.DEPENDENCY, tmp_path / "absent"),
    )
    jdk = find_jdk(LocalHost(), PATH)
    project = Project(
        name="p",
        revision="",
        language=Language.JAVA,
        harness="jmh",
        root=top / "bench",
        digest="d",
        parts=parts,
        environment=(("PATH", "/theirs"),),
        options=(("java", "/theirs/java"), ("javac", "/theirs/javac"), ("jmh", "1")),
        versions=(("jdk", jdk.version), ("jmh", "1")),
    )
    sources = tmp_path / "sources"
    placed = PlacedSubject(
        root=sources, tree=sources / "bench", name="p", revision="", digest_of_tree="t"
    )
    return BuiltSuite.pack_suite(project, JmhGuest(tmp_path / "guest"), placed)


def test_all_parts_are_there_and_nothing_leads_back(built, tmp_path):
    project, guests = built.unpack_suite(
        home=HomeFolder(tmp_path / "far"), host=LocalHost(), environment=PATH
    )

    read = [part.path.exists() and sorted(part.path.rglob("*")) for part in project.parts]
    assert [path.name for paths in read[:2] for path in paths] == ["B.class", "L.class"]
    assert project.parts[2].path.name == "jmh-core-1.jar"
    assert project.parts[2].path.read_bytes() == b"jmh"
    assert not project.parts[3].path.exists()
    assert all(part.path.is_relative_to(tmp_path / "far") for part in project.parts)
    assert [part.role for part in project.parts] == [part.role for part in built.project.parts]
    assert project.root.name == "bench"
    assert (project.root / "target" / "classes" / "B.class").exists()
    assert guests.agent_jar.read_bytes() == b"agent"
    assert dict(project.options) == {"java": "java", "javac": "javac", "jmh": "1"}
    assert dict(project.environment) == dict(PATH)


def test_another_jdk_is_refused(built, tmp_path):
    foreign_build = replace(
        built, project=replace(built.project, versions=(("jdk", 'openjdk "9"'),))
    )

    with pytest.raises(MachineError, match=r'java is another JDK \(.+\) than on .* \(openjdk "9'):
        foreign_build.unpack_suite(
            home=HomeFolder(tmp_path / "far"), host=LocalHost(), environment=PATH
        )
