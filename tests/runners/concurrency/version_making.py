"""Makers of versions: classes compiled by javac, jars of them, projects and their revisions."""

import os
import subprocess
import zipfile
from pathlib import Path

from auditor.config.concurrency import version_spec
from auditor.core.request import BuildOptions
from runners.concurrency.versions import ReadyVersion, prepare_version
from runners.home import HomeFolder
from runners.hosts.local import LocalHost
from runners.jmh.jdk import BRIEF

PASSED_ON = ("PATH", "JAVA_HOME", "MAVEN_OPTS", "SSL_CERT_FILE")
COUNTER = """package org.example;
public class Counter {
    private int held;
    public synchronized int add(int more) { return held += more; }
    public static class Cell { public class Inner { } }
    public Runnable nameless() { return new Runnable() { public void run() { } }; }
}
"""
USING = """package org.example;
public class Using { public String text() { return org.needed.Words.of(1); } }
"""
WORDS = """package org.needed;
public class Words { public static String of(int a) { return "" + a; } }
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.example.two</groupId><artifactId>{name}</artifactId><version>1</version>{more}
<properties><maven.compiler.release>17</maven.compiler.release>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties><build><plugins>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.11.0</version></plugin>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
</plugins></build></project>
"""
NEEDED = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{}"


def environment(user: Path) -> tuple[tuple[str, str], ...]:
    """Return an environment with a home folder of its own."""
    passed = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
    return tuple(sorted({**passed, "HOME": str(user)}.items()))


def write_files(folder: Path, files: dict[str, str]) -> Path:
    """Write files given by their paths."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def compiled(folder: Path, *sources: str, release: int = 17, path: tuple[Path, ...] = ()) -> Path:
    """Compile sources, each the text of one class; return the folder of the classes."""
    classes = folder / "classes"
    files = {
        f"{index}/{text.partition('class ')[2].split()[0]}.java": text
        for index, text in enumerate(sources)
    }
    write_files(folder / "sources", files)
    needs = os.pathsep.join(map(str, path))
    call = ("javac", *BRIEF, "--release", str(release), "-cp", needs, "-d")
    paths = [folder / "sources" / name for name in files]
    subprocess.run((*call, classes, *paths), check=True, capture_output=True)
    return classes


def packed(classes: Path, jar: Path, date: tuple[int, ...] = (2020, 1, 2, 3, 4, 6)) -> Path:
    """Write the files of a folder into a jar; all of them have the date."""
    jar.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(jar, "w", zipfile.ZIP_DEFLATED) as file:
        for path in sorted(entry for entry in classes.rglob("*") if entry.is_file()):
            name = path.relative_to(classes).as_posix()
            file.writestr(zipfile.ZipInfo(name, date), path.read_bytes())
    return jar


def git(folder: Path, *words: str) -> str:
    """Run git with nobody's configuration; return what it says."""
    variables = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(folder), "PATH": os.environ["PATH"]}
    author_variables = {
        f"GIT_{role}_{field}": "a@b"
        for role in ("AUTHOR", "COMMITTER")
        for field in ("NAME", "EMAIL")
    }
    call = ("git", "-c", "init.defaultBranch=main", *words)
    answer = subprocess.run(
        call, cwd=folder, env={**variables, **author_variables}, check=True, capture_output=True
    )
    return answer.stdout.decode().strip()


def ready(
    text: str, home: HomeFolder, folder: Path, words: BuildOptions | None = None
) -> ReadyVersion:
    """Return what is written, relative to a folder; the user's home is in it, too."""
    return prepare_version(
        text,
        version_spec(text, folder),
        home=home,
        host=LocalHost(),
        environment=environment(folder),
        words=words,
    )
