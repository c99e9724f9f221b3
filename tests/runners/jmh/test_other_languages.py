"""Benchmarks and libraries in Kotlin and Scala, built as JMH's own archetypes build them."""

import shutil
from statistics import median

import pytest
from jmh_making import against_probe, delayed, of_project
from maven_making import dependency, environment, write

from auditor.core.mutant import InjectionKind
from auditor.core.outcome import Measured
from auditor.core.request import BuildOptions, FolderSpec
from auditor.core.schedule import ArmName
from auditor.core.values import TIME
from mutators.java import mutator
from runners.hosts.local import LocalHost
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.project import jmh_jar, prepare_tree
from runners.subjects.place import place_subject

pytestmark = [
    pytest.mark.subject,
    pytest.mark.skipif(shutil.which("mvn") is None, reason="needs Maven"),
]
KOTLIN = {
    "Mixing.kt": """package org.example.kt

fun turn(x: Long): Long {
    var y = x
    for (n in 0 until 300) y = y xor (y shl 7) xor (y ushr 9)
    return y
}

object Mixer {
    fun stir(x: Long): Long = turn(x) + 1
}
""",
    "Sums.kt": """package org.example.kt

import org.openjdk.jmh.annotations.*

@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
open class Sums {
    private var seed = 42L

    @Benchmark
    fun stir(): Long {
        seed = Mixer.stir(seed)
        return seed
    }
}
""",
}
SCALA = {
    "Mixing.scala": """package org.example.sc

object Mixing {
  def stir(x: Long): Long = {
    var y = x
    var n = 0
    while (n < 300) { y = y ^ (y << 7) ^ (y >>> 9); n += 1 }
    y
  }
}
""",
    "Sums.scala": """package org.example.sc

import org.openjdk.jmh.annotations._

@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
class Sums {
  private var seed = 42L

  @Benchmark
  def stir(): Long = {
    seed = Mixing.stir(seed)
    seed
  }
}
""",
}
COMPILERS = {
    "kotlin": """<plugin><groupId>org.jetbrains.kotlin</groupId>
<artifactId>kotlin-maven-plugin</artifactId><version>1.9.24</version>
<executions><execution><phase>generate-sources</phase><goals><goal>compile</goal></goals>
<configuration><jvmTarget>17</jvmTarget><sourceDirs>src/main/kotlin</sourceDirs></configuration>
</execution></executions></plugin>""",
    "scala": """<plugin><groupId>net.alchim31.maven</groupId>
<artifactId>scala-maven-plugin</artifactId><version>4.8.1</version>
<configuration><recompileMode>all</recompileMode></configuration>
<executions><execution><phase>generate-sources</phase><goals><goal>compile</goal></goals>
</execution></executions></plugin>""",
}
LIBRARIES = {
    "kotlin": dependency("org.jetbrains.kotlin", "kotlin-stdlib", "1.9.24"),
    "scala": dependency("org.scala-lang", "scala-library", "2.13.12"),
}
GENERATION = """<plugin><groupId>org.codehaus.mojo</groupId>
<artifactId>exec-maven-plugin</artifactId>
<version>3.1.0</version><executions><execution><phase>process-sources</phase>
<goals><goal>java</goal></goals><configuration>
<includePluginDependencies>true</includePluginDependencies>
<mainClass>org.openjdk.jmh.generators.bytecode.JmhBytecodeGenerator</mainClass>
<arguments><argument>${project.build.outputDirectory}</argument>
<argument>${project.build.directory}/generated-sources/jmh</argument>
<argument>${project.build.outputDirectory}</argument><argument>default</argument></arguments>
</configuration></execution></executions>
<dependencies><dependency>%s</dependency></dependencies></plugin>
<plugin><groupId>org.codehaus.mojo</groupId><artifactId>build-helper-maven-plugin</artifactId>
<version>3.4.0</version><executions><execution><phase>process-sources</phase>
<goals><goal>add-source</goal></goals><configuration><sources>
<source>${project.build.directory}/generated-sources/jmh</source></sources></configuration>
</execution></executions></plugin>
"""
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.example</groupId><artifactId>{language}</artifactId><version>1</version>
<properties><maven.compiler.release>17</maven.compiler.release>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency>{library}</dependency><dependency>{jmh}</dependency></dependencies>
<build><plugins>{compiler}
{generation}<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.11.0</version></plugin>
<plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.1</version></plugin>
</plugins></build></project>"""


def project(language, sources, folder, home, *, generation=GENERATION, library=None):
    """Build a project of one module, as an audit does."""
    generator = dependency("org.openjdk.jmh", "jmh-generator-bytecode", "1.37")
    text = POM.format(
        language=language,
        library=library or LIBRARIES[language],
        jmh=dependency("org.openjdk.jmh", "jmh-core", "1.37"),
        compiler=COMPILERS[language],
        generation=generation and generation % generator,
    )
    tree = {f"src/main/{language}/{name}": text for name, text in sources.items()}
    write(folder / language, {"pom.xml": text, **tree})
    common = {"home": home, "host": LocalHost(), "environment": environment(folder / "user")}
    placed = place_subject(FolderSpec(folder / language), **common)
    return prepare_tree(placed, words=BuildOptions(), **common), common


def test_benchmarks_of_kotlins_own_annotations_need_no_generator_of_the_build(jmh_home, tmp_path):
    """kotlinx-benchmark's annotations are JMH's, and its build is not asked for what it makes."""
    of_jmh = "import org.openjdk.jmh.annotations.*"
    kotlinx_sources = {
        name: text.replace(of_jmh, "import kotlinx.benchmark.*") for name, text in KOTLIN.items()
    }
    assert kotlinx_sources != KOTLIN
    more = dependency("org.jetbrains.kotlinx", "kotlinx-benchmark-runtime-jvm", "0.4.10")
    libraries = f"{LIBRARIES['kotlin']}</dependency><dependency>{more}"

    prepared_project, common = project(
        "kotlin", kotlinx_sources, tmp_path, jmh_home, generation="", library=libraries
    )
    guests = prepare_guests(jmh_core_jar=jmh_jar(prepared_project.parts), **common)
    suited = of_project(prepared_project, JmhHarness(guests), tmp_path)

    assert [benchmark.id for benchmark in suited.suite.benchmarks] == ["org.example.kt.Sums.stir"]
    assert any("Mixer" in method for method in suited.methods)


@pytest.mark.parametrize(
    ("language", "sources", "method"),
    [
        ("kotlin", KOTLIN, "org.example.kt.MixingKt.turn"),
        ("scala", SCALA, "org.example.sc.Mixing$.stir"),
    ],
)
def test_a_method_is_listed_and_slowed(language, sources, method, jmh_home, tmp_path):
    prepared_project, common = project(language, sources, tmp_path, jmh_home)
    guests = prepare_guests(jmh_core_jar=jmh_jar(prepared_project.parts), **common)
    suited = of_project(prepared_project, JmhHarness(guests), tmp_path)

    (benchmark,) = suited.suite.benchmarks
    (slowed_method,) = [
        candidate
        for candidate in suited.methods.values()
        if mutator.matches_method(method, candidate)
    ]
    outcome = suited.run("stir", against_probe(InjectionKind.WORK, 5000), delayed(slowed_method))

    assert benchmark.id == f"org.example.{'kt' if language == 'kotlin' else 'sc'}.Sums.stir"
    assert isinstance(outcome, Measured)
    probe, slowed = (
        median(outcome.find_series(TIME, arm).values) for arm in (ArmName.PROBE, ArmName.SLOWED)
    )
    assert slowed > 3 * probe
