"""Versions that are jars and folders of classes: real ones, made by javac."""

import hashlib
import os
import shutil
import subprocess

import pytest
from version_making import COUNTER, USING, WORDS, compiled, environment, packed, ready

from auditor.core.errors import SourceUnreadable, SubjectError
from runners.home import HomeFolder

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK"),
]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """A library in `using.jar`, what it needs in `libs`, and another class in `counter`."""
    top = tmp_path_factory.mktemp("made")
    needed = compiled(top / "needed", WORDS)
    using = compiled(top / "using", USING, path=(needed,))
    compiled(top / "counter", COUNTER)
    packed(needed, top / "libs" / "words.jar")
    packed(needed, top / "libs" / "again.JAR", (2021, 1, 2, 3, 4, 6))
    (top / "libs" / "notes.txt").write_text("no jar")
    packed(using, top / "using.jar")
    return top


@pytest.fixture
def home(tmp_path):
    return HomeFolder(tmp_path / "home")


def everything(folder):
    """Digest all paths, times of change and contents below a folder."""
    sha = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        sha.update(f"{path} {path.lstat().st_mtime_ns}\n".encode())
        sha.update(path.read_bytes() if path.is_file() else b"")
    return sha.hexdigest()


def names(paths):
    return [path.name for path in paths]


def test_the_first_entry_is_its_own_and_the_rest_are_dependencies(libraries, home):
    version = ready(os.pathsep.join(("using.jar", "libs/words.jar", "")), home, libraries)

    assert names(version.own_entries) == ["using.jar"]
    assert names(version.class_path) == ["using.jar", "words.jar"]
    assert version.name == f"using.jar{os.pathsep}libs/words.jar{os.pathsep}"
    assert version.revision == version.digest[:12]


def test_all_jars_of_a_folder_are_in_an_order_that_stays(libraries, home):
    version = ready(f"using.jar{os.pathsep}libs/*", home, libraries)

    assert names(version.class_path) == ["using.jar", "again.JAR", "words.jar"]


def test_what_is_copied_runs_with_the_whole_class_path(libraries, home, tmp_path):
    version = ready(f"using/classes{os.pathsep}libs/*", home, libraries)
    path = os.pathsep.join(map(str, version.class_path))
    main = "package org.example; class Main { public static void main(String[] a) {" + (
        " System.out.print(new Using().text()); } }"
    )
    classes = compiled(tmp_path / "main", main, path=version.class_path)

    call = ("java", "-cp", f"{path}{os.pathsep}{classes}", "org.example.Main")
    completed = subprocess.run(
        call, check=True, capture_output=True, env=dict(environment(tmp_path))
    )

    assert completed.stdout == b"1"
    assert all(entry.is_relative_to(home.root) for entry in version.class_path)


def test_the_users_files_are_only_read_and_may_change_afterwards(libraries, home, tmp_path):
    folder = tmp_path / "user"
    shutil.copytree(libraries, folder)
    before = everything(folder)

    version = ready(f"counter/classes{os.pathsep}using.jar", home, folder)

    assert everything(folder) == before
    version_content = everything(version.own_entries[0]), version.class_path[1].read_bytes()
    (folder / "using.jar").write_bytes(b"built anew")
    shutil.rmtree(folder / "counter")
    assert (
        everything(version.own_entries[0]),
        version.class_path[1].read_bytes(),
    ) == version_content


def test_the_content_decides_the_digest_and_neither_dates_nor_names_do(libraries, home, tmp_path):
    packed(libraries / "using" / "classes", tmp_path / "other name.jar", (2022, 2, 2, 2, 2, 2))
    packed(libraries / "counter" / "classes", tmp_path / "counter.jar")
    digest = ready(str(libraries / "using.jar"), home, libraries).digest

    assert ready("other name.jar", home, tmp_path).digest == digest
    assert ready("counter.jar", home, tmp_path).digest != digest
    needing = ready(f"using.jar{os.pathsep}libs/words.jar", home, libraries).digest
    assert needing not in (
        digest,
        ready(f"libs/words.jar{os.pathsep}using.jar", home, libraries).digest,
    )


def test_an_empty_folder_among_the_dependencies_adds_nothing(libraries, home, tmp_path):
    (tmp_path / "empty").mkdir()

    version = ready(f"{libraries / 'using.jar'}{os.pathsep}empty", home, tmp_path)

    assert names(version.class_path) == ["using.jar"]


def test_what_is_no_jar_is_refused_in_one_line(libraries, home, tmp_path):
    (tmp_path / "text.jar").write_text("no archive")

    with pytest.raises(
        SourceUnreadable, match=r"text\.jar is not a readable jar: .* again$"
    ) as failure:
        ready(f"{libraries / 'using.jar'}{os.pathsep}text.jar", home, tmp_path)

    assert "\n" not in str(failure.value)


def test_a_jar_that_is_cut_off_or_has_wrong_bytes_is_refused(libraries, home, tmp_path):
    jar_bytes = (libraries / "using.jar").read_bytes()
    (tmp_path / "cut.jar").write_bytes(jar_bytes[: len(jar_bytes) // 2])
    offset = jar_bytes.index(b"Using.class") + len(b"Using.class") + 30
    (tmp_path / "wrong.jar").write_bytes(jar_bytes[:offset] + bytes(8) + jar_bytes[offset + 8 :])

    with pytest.raises(SourceUnreadable, match=r"cut\.jar is not a readable jar"):
        ready("cut.jar", home, tmp_path)
    with pytest.raises(SourceUnreadable, match=r"wrong\.jar is (damaged at|no readable jar)"):
        ready("wrong.jar", home, tmp_path)


@pytest.mark.parametrize("name", ["empty", "only.jar", "notes.txt"])
def test_what_holds_no_classes_is_refused_with_what_to_name(name, home, tmp_path):
    (tmp_path / "empty" / "inner").mkdir(parents=True)
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "notes.txt").write_text("x")
    packed(tmp_path / "texts", tmp_path / "only.jar")

    with pytest.raises(SubjectError, match=f"^no classes in .*/{name}; name the jar or") as failure:
        ready(name, home, tmp_path)

    assert "\n" not in str(failure.value)
