"""The class under test in a version: how it may be written, what is near, and its format."""

import shutil

import pytest
from version_making import COUNTER, USING, WORDS, compiled, packed, ready

from auditor.core.errors import SourceUnreadable, SubjectError, UsageError
from runners.concurrency.lookup import require_class, require_readable
from runners.concurrency.versions import class_names
from runners.home import HomeFolder

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK"),
]


@pytest.fixture(scope="module", params=["folder", "jar"])
def version(request, tmp_path_factory):
    """Two classes of its own and one that they need, for Java 17."""
    top = tmp_path_factory.mktemp("looked")
    needed = compiled(top / "needed", WORDS)
    classes = compiled(top / "own", COUNTER, USING, path=(needed,))
    (classes / "module-info.class").write_bytes(b"")
    later = classes / "META-INF" / "versions" / "21" / "org" / "example"
    later.mkdir(parents=True)
    (later / "Later.class").write_bytes(b"")
    own_entry = packed(classes, top / "own.jar") if request.param == "jar" else classes
    return ready(f"{own_entry}:{packed(needed, top / 'needed.jar')}", HomeFolder(top / "home"), top)


@pytest.mark.parametrize(
    ("spelling", "binary"),
    [
        ("org.example.Counter", "org.example.Counter"),
        ("org/example/Counter", "org.example.Counter"),
        ("org.example.Counter$Cell", "org.example.Counter$Cell"),
        ("org.example.Counter.Cell", "org.example.Counter$Cell"),
        ("org.example.Counter.Cell.Inner", "org.example.Counter$Cell$Inner"),
        ("org.example.Counter$Cell.Inner", "org.example.Counter$Cell$Inner"),
        ("org.needed.Words", "org.needed.Words"),
    ],
)
def test_a_class_is_found_as_java_or_as_a_class_file_has_it(spelling, binary, version):
    assert require_class(version, spelling) == binary


@pytest.mark.parametrize(
    ("spelling", "suggestion"),
    [
        ("org.example.Conter", r"did you mean org\.example\.Counter\?"),
        ("org.exampel.Counter", r"did you mean org\.example\.Counter\?"),
        ("Counter", r"did you mean org\.example\.Counter\?"),
        ("org.example.Inner", r"did you mean org\.example\.Counter\$Cell\$Inner\?"),
        ("com.acme.Zzyzx", "give its package, too"),
        ("org.example.Later", "give its package, too"),
    ],
)
def test_a_class_that_is_not_there_is_refused_with_what_is_near(spelling, suggestion, version):
    with pytest.raises(UsageError, match=f"has no class {spelling}; {suggestion}$") as failure:
        require_class(version, spelling)

    assert version.name in str(failure.value)


def test_what_is_no_class_of_this_java_is_not_listed(version):
    listed_names = set(class_names(version.own_entries[0]))

    assert {"org.example.Counter", "org.example.Counter$1", "module-info"} <= listed_names
    assert not any("Later" in text for text in listed_names)


def test_a_class_for_a_newer_java_is_refused_and_one_for_the_same_is_not(version):
    require_readable(version, "org.example.Counter", 17, 17)
    require_readable(version, "org.needed.Words", 21, 17)

    with pytest.raises(
        SubjectError, match=r"Counter\$Cell of .* is compiled for Java 17, but runs"
    ):
        require_readable(version, "org.example.Counter$Cell", 11, 17)
    with pytest.raises(SubjectError, match="its tests are compiled with Java 11; set JAVA_HOME"):
        require_readable(version, "org.example.Counter", 17, 11)


def test_a_class_for_java_8_runs_with_java_8(tmp_path):
    classes = compiled(tmp_path, COUNTER, release=8)
    old = ready(str(classes), HomeFolder(tmp_path / "home"), tmp_path)

    require_readable(old, "org.example.Counter", 8, 17)
    with pytest.raises(SubjectError, match="for Java 8, but runs with Java 7"):
        require_readable(old, "org.example.Counter", 7, 17)


def test_a_file_that_is_no_class_is_refused(version):
    with pytest.raises(SourceUnreadable, match=r"^module-info of .* is not a class file"):
        require_readable(version, "module-info", 17, 17)
