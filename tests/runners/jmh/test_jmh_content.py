"""Which change of a class path makes another subject, and which is a mere rebuild."""

import zipfile

import pytest

from auditor.core.subject import Part, Role
from runners.jmh.content import digest_content, list_readable_files

CLASSES = {"a/A.class": b"\xca\xfe\xba\xbeA", "META-INF/BenchmarkList": b"one\ntwo\n"}
PROPERTIES = "META-INF/maven/g/a/pom.properties"


def _jar(path, entries, year=2020):
    with zipfile.ZipFile(path, "w") as jar:
        for name, data in entries.items():
            jar.writestr(zipfile.ZipInfo(name, (year, 1, 1, 0, 0, 0)), data)
    return path


def _digest(place, role=Role.LIBRARY, copied=()):
    return digest_content([Part(role, place)], dict(copied), "jdk")


def test_a_jar_built_anew_of_the_same_classes_is_the_same(tmp_path):
    backwards = dict(reversed(CLASSES.items())) | {"META-INF/BenchmarkList": b"two\none\n"}
    dates = [{PROPERTIES: f"#Generated {day}\nversion=1\n".encode()} for day in ("Mon", "Tue")]

    digest = _digest(_jar(tmp_path / "a.jar", CLASSES | dates[0]))
    two = _digest(_jar(tmp_path / "b.jar", backwards | dates[1], year=2021))

    assert digest == two


@pytest.mark.parametrize(
    "changed",
    [
        {"a/A.class": b"\xca\xfe\xba\xbeB"},
        {"a/B.class": b"\xca\xfe\xba\xbeA"},
        {"a/words.txt": b"one"},
        {PROPERTIES: b"#Generated Mon\nversion=2\n"},
    ],
)
def test_other_content_is_another_subject(tmp_path, changed):
    original_files = CLASSES | {PROPERTIES: b"#Generated Mon\nversion=1\n"}

    digest = _digest(_jar(tmp_path / "a.jar", original_files))
    two = _digest(_jar(tmp_path / "b.jar", original_files | changed))

    assert digest != two


def test_a_folder_counts_as_its_files_do_and_sources_do_not(tmp_path):
    for name, data in CLASSES.items():
        path = tmp_path / "classes" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    assert _digest(tmp_path / "classes") == _digest(_jar(tmp_path / "a.jar", CLASSES))
    assert _digest(tmp_path / "classes", Role.SOURCES) == digest_content([], {}, "jdk")


def test_a_class_path_may_name_what_is_no_jar_or_is_not_there(tmp_path):
    (tmp_path / "native.so").write_bytes(b"1")
    digest = _digest(tmp_path / "native.so")
    (tmp_path / "native.so").write_bytes(b"2")

    assert _digest(tmp_path / "native.so") != digest
    assert _digest(tmp_path / "gone") != digest


COPIED = dict.fromkeys(
    ("README.md", "pom.xml", "data.json", "src/main/java/a/A.java", "src/test/resources/in"), "1"
)


@pytest.mark.parametrize(
    ("constants", "more"),
    [
        (b"\1\0\6A.java", set()),
        (b"\1\0\x0c../README.md", {"README.md"}),
        (b"\1\0\x08a/A.java", {"src/main/java/a/A.java"}),
        (b"\1\0\x0dsrc/main/java", {"src/main/java/a/A.java"}),
        (b"java/io/File listFiles", {"README.md", "src/main/java/a/A.java"}),
        (b"java/nio/file/Files\1\0\4walk", {"README.md", "src/main/java/a/A.java"}),
        (b"java/lang/ProcessBuilder", {"README.md", "src/main/java/a/A.java"}),
        (b"java/lang/Runtime\1\0\4exec", {"README.md", "src/main/java/a/A.java"}),
        (b"java/lang/RuntimeException", set()),
    ],
)
def test_texts_and_sources_count_where_a_class_hints_at_them(constants, more):
    always = {"pom.xml", "data.json", "src/test/resources/in"}

    assert set(list_readable_files(COPIED, [b"\xca\xfe\xba\xbe", constants])) == always | more
