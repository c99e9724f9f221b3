"""POMs: of an artifact as we ask for it, and of published ones as we read them."""

import xml.etree.ElementTree as ET
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

from auditor.core.errors import SourceUnreadable, UsageError
from runners.jmh.build.maven import DEPENDENCY_PLUGIN, Maven
from runners.jmh.build.pom_tree import parse_pom

_EXECUTION = """<execution><id>copy-{classifier}</id><phase>validate</phase>
<goals><goal>copy-dependencies</goal></goals><configuration>
<excludeTransitive>true</excludeTransitive><useBaseVersion>true</useBaseVersion>
<outputDirectory>${{project.basedir}}/files</outputDirectory>
<classifier>{classifier}</classifier></configuration></execution>"""
_POM_EXECUTION = """<execution><id>pom</id><phase>validate</phase><goals><goal>copy</goal></goals>
<configuration><artifact>{artifact}:pom</artifact><useBaseVersion>true</useBaseVersion>
<outputDirectory>${{project.basedir}}/files</outputDirectory></configuration></execution>"""
_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>bench-audit</groupId><artifactId>wanted</artifactId><version>1</version>
<packaging>pom</packaging><dependencies>{dependencies}</dependencies>
<build><plugins><plugin><groupId>{group}</groupId><artifactId>{plugin}</artifactId>
<version>{version}</version><executions>{executions}</executions></plugin></plugins></build>
</project>"""
_DEPENDENCY = (
    "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
)


def split_coordinates(text: str) -> tuple[str, str, str]:
    """Split GROUP:ARTIFACT:VERSION; raises UsageError for anything else."""
    match text.split(":"):
        case [group, artifact, version] if group and artifact and version:
            return group, artifact, version
        case _:
            raise UsageError(f"not GROUP:ARTIFACT:VERSION: {text!r}")


def render_copy_pom(artifact: str, classifiers: Iterable[str]) -> str:
    """Return a POM that copies the POM of an artifact and its jars into the folder `files`.

    Only the jar without a classifier must have been published.
    """
    executions = "".join(_EXECUTION.format(classifier=name) for name in classifiers)
    return _render_pom((artifact,), executions + _POM_EXECUTION.format(artifact=escape(artifact)))


def render_dependency_pom(*artifacts: str) -> str:
    """Return a POM that depends on artifacts."""
    return _render_pom(artifacts, "")


def _render_pom(artifacts: tuple[str, ...], executions: str) -> str:
    group, plugin, version = DEPENDENCY_PLUGIN.split(":")
    return _POM.format(
        dependencies="".join(
            _DEPENDENCY.format(*map(escape, split_coordinates(artifact))) for artifact in artifacts
        ),
        group=group,
        plugin=plugin,
        version=version,
        executions=executions,
    )


def without_build(pom: Path) -> bytes:
    """Return a published POM as a plain jar's, without plugins: only dependencies are wanted.

    Plugins of old releases can often no longer be had, and could do anything.
    """
    try:
        root = parse_pom(pom)
    except (OSError, ET.ParseError) as error:
        raise SourceUnreadable(f"{pom.name} is not readable as XML: {error}") from error
    space = root.tag.partition("}")[0].lstrip("{") if "}" in root.tag else ""
    ET.register_namespace("", space)
    for parent in [root, *root.findall("{*}profiles/{*}profile")]:
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("build", "reporting", "packaging"):
                parent.remove(child)
    try:
        return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True))
    except RecursionError as error:
        raise SourceUnreadable(f"{pom.name} is nested too deeply to be a POM") from error


def class_path_of(maven: Maven, pom: Path, activity: str) -> tuple[Path, ...]:
    """Return what the tests of a POM need, as jars in the local repository."""
    answer = pom.with_suffix(".classpath")
    maven.run_goals(
        "-f", str(pom), f"{DEPENDENCY_PLUGIN}:build-classpath", "-DincludeScope=test",
        f"-Dmdep.outputFile={answer}", "-Dmdep.pathSeparator=:", cwd=pom.parent, activity=activity,
    )  # fmt: skip
    text = answer.read_text().strip() if answer.is_file() else ""
    return tuple(Path(path) for path in text.split(":") if path)
