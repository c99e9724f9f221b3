"""Makers for the tests of Maven projects: a user's folder, trees, and digests of them."""

import hashlib
import os
import zipfile
from pathlib import Path

PASSED_ON = ("PATH", "JAVA_HOME", "MAVEN_OPTS", "SSL_CERT_FILE")
JAVA_RING = Path(__file__).parents[2] / "subjects" / "java-ring"
METADATA = "<metadata>{head}<versioning>{more}</versioning></metadata>"
OWN_REPOSITORY = """<settings><profiles><profile><id>own</id><repositories><repository><id>own</id>
<url>{url}</url><snapshots><enabled>true</enabled></snapshots></repository></repositories></profile>
</profiles><activeProfiles><activeProfile>own</activeProfile></activeProfiles></settings>"""
NOWHERE = """<settings><mirrors><mirror><id>nowhere</id><mirrorOf>external:*</mirrorOf>
<url>https://127.0.0.1:9/</url></mirror></mirrors></settings>"""


def environment(home, **more):
    """Return an environment with a home folder of its own."""
    passed = {key: os.environ[key] for key in PASSED_ON if key in os.environ}
    return tuple(sorted({**passed, "HOME": str(home), **more}.items()))


def everything(folder):
    """Digest all paths, kinds, modes, times of change and contents below a folder."""
    sha = hashlib.sha256()
    for path in sorted(Path(folder).rglob("*")):
        status = path.lstat()
        sha.update(f"{path.relative_to(folder)} {status.st_mode} {status.st_mtime_ns}\n".encode())
        if path.is_file():
            sha.update(path.read_bytes())
    return sha.hexdigest()


def write(folder, files):
    """Write files given by their paths."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def pom(artifact, *, parent=False, modules=(), dependencies=()):
    """Return a POM of a project with modules, or of one of the modules."""
    coordinates = f"<artifactId>{artifact}</artifactId>"
    group = "<groupId>org.example.many</groupId>"
    if parent:
        head = f"<parent>{group}<artifactId>many</artifactId><version>1</version></parent>"
    else:
        head = f"{group}<version>1</version><packaging>pom</packaging>"
    named = "".join(f"<module>{name}</module>" for name in modules)
    needed = "".join(f"<dependency>{declaration}</dependency>" for declaration in dependencies)
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        f"{head}{coordinates}<properties><maven.compiler.release>17</maven.compiler.release>"
        "<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>"
        f"<modules>{named}</modules><dependencies>{needed}</dependencies><build><plugins>"
        "<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.11.0</version></plugin>"
        "<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>"
        "</plugins></build></project>"
    )


def dependency(group, artifact, version):
    """Return what is inside a dependency element."""
    return (
        f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
    )


JMH = (
    dependency("org.openjdk.jmh", "jmh-core", "1.37"),
    dependency("org.openjdk.jmh", "jmh-generator-annprocess", "1.37"),
)
BENCHMARK = """package org.example.many;
import org.openjdk.jmh.annotations.Benchmark;
public class Sums {
    @Benchmark public int sum() { return Sum.of(1, 2); }
}
"""
SUM = """package org.example.many;
public class Sum { public static int of(int a, int b) { return a + b; } }
"""


def many_modules():
    """Return a project whose benchmarks are a module of their own."""
    library = dependency("org.example.many", "library", "1")
    return {
        "pom.xml": pom("many", modules=("library", "benchmarks")),
        "library/pom.xml": pom("library", parent=True),
        "library/src/main/java/org/example/many/Sum.java": SUM,
        "benchmarks/pom.xml": pom("benchmarks", parent=True, dependencies=(library, *JMH)),
        "benchmarks/src/main/java/org/example/many/Sums.java": BENCHMARK,
    }


def one_module():
    """Return a project whose benchmarks live among the classes that they measure."""
    return {
        "pom.xml": pom("one", dependencies=JMH).replace("<packaging>pom</packaging>", ""),
        "src/main/java/org/example/many/Sum.java": SUM,
        "src/main/java/org/example/many/Sums.java": BENCHMARK,
    }


def publish(repository, version, content, number=1):
    """Put org.example:thing into a folder that Maven reads as a repository, a snapshot as it does.

    Its benchmarks are a list and a class of no meaning; `number` counts builds of a snapshot.
    """
    base = version.removesuffix("-SNAPSHOT")
    stamp = f"20260101.00000{number}"
    name = version if base == version else f"{base}-{stamp}-{number}"
    folder = repository / "org/example/thing" / version
    head = "<groupId>org.example</groupId><artifactId>thing</artifactId>"
    needed = f"<dependencies><dependency>{JMH[0]}</dependency></dependencies>"
    declared = f"<modelVersion>4.0.0</modelVersion>{head}<version>{version}</version>{needed}"
    text = f"<latest>{version}</latest><release>{version}</release>"
    write(folder, {f"thing-{name}.pom": f"<project>{declared}</project>"})
    with zipfile.ZipFile(folder / f"thing-{name}.jar", "w") as jar:
        jar.writestr("META-INF/BenchmarkList", "JMH S 13 org.ex.Things S 1 x\n")
        jar.writestr("org/ex/Things.class", content)
    versions = f"<versions><version>{version}</version></versions>"
    write(folder.parent, {"maven-metadata.xml": METADATA.format(head=head, more=text + versions)})
    if base != version:
        snapshot_build = f"<timestamp>{stamp}</timestamp><buildNumber>{number}</buildNumber>"
        more = f"<snapshot>{snapshot_build}</snapshot>"
        head += f"<version>{version}</version>"
        write(folder, {"maven-metadata.xml": METADATA.format(head=head, more=more)})
