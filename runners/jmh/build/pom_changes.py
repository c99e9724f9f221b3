"""Changes in our copy of a Maven project that let it be built and measured here.

Maven's plug-ins that check a project or make what is published of it, and how they are skipped.

They cost time and downloads, and some want another JDK or Maven than the compiler does.
"""

import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.errors import BuildFailed
from runners.jmh.build.pom_tree import MavenModule, list_dependencies

SKIPS = {  # by artifact, without "maven-" in front and "-maven-plugin" behind
    "animal-sniffer": ("animal.sniffer.skip",),
    "apache-rat": ("rat.skip",),
    "bnd-baseline": ("bnd.baseline.skip", "baseline.skip"),
    "buildnumber": ("maven.buildNumber.skip",),
    "checkstyle": ("checkstyle.skip",),
    "clirr": ("clirr.skip",),
    "cyclonedx": ("cyclonedx.skip",),
    "dependency-check-maven": ("dependency-check.skip",),
    "dependency:analyze": ("mdep.analyze.skip",),  # one goal of a plug-in that builds need
    "detekt": ("detekt.skip",),
    "duplicate-finder": ("duplicate-finder.skip",),
    "enforcer": ("enforcer.skip",),
    "findbugs": ("findbugs.skip",),
    "fmt": ("fmt.skip",),
    "forbiddenapis": ("forbiddenapis.skip",),
    "formatter": ("formatter.skip",),
    "git-commit-id": ("maven.gitcommitid.skip",),
    "gpg": ("gpg.skip",),
    "impsort": ("impsort.skip",),
    "jacoco": ("jacoco.skip",),
    "japicmp": ("japicmp.skip",),
    "javadoc": ("maven.javadoc.skip",),
    "ktlint": ("ktlint.skip",),
    "license": ("license.skip", "license.skipCheckLicense", "license.skipUpdateLicense"),
    "modernizer": ("modernizer.skip",),
    "pmd": ("pmd.skip", "cpd.skip"),
    "revapi": ("revapi.skip",),
    "scalastyle": ("scalastyle.skip",),
    "sortpom": ("sort.skip",),
    "source": ("maven.source.skip",),
    "spotbugs": ("spotbugs.skip",),
    "spotless": ("spotless.check.skip", "spotless.apply.skip"),
}
_BASES = ("air", "basepom")
"""What the properties of widely used parent POMs begin with, which have switches of their own."""
_OF_BASES = ("checkstyle", "duplicate-finder", "enforcer", "jacoco", "license", "pmd", "spotbugs")
SKIPPED = (
    *(f"-D{name}" for names in SKIPS.values() for name in names),
    *(f"-D{base}.check.skip-{check}" for base in _BASES for check in _OF_BASES),
    # It writes the class path, and would be skipped with the checks.
    *(f"-D{base}.check.skip-dependency=false" for base in _BASES),
)

_FAILED = re.compile(
    r"Failed to execute goal (?P<group>[\w.-]+):(?P<artifact>[\w.-]+):(?P<version>[^:\s]+):"
    r"(?P<goal>\S+) \((?P<execution>[^)\s]+)\)"
)
_CHECKING = frozenset({"check", "validate", "verify"})
"""Goals that plug-ins of Maven have for checks, which make nothing that a build needs."""
_AROUND = re.compile(r"^maven-|(?:-maven)?-plugin$")


class CheckFailed(BuildFailed):
    """A check failed though it was skipped: it has a configuration of its own, or cannot start."""

    def __init__(self, message: str, match: re.Match[str]) -> None:
        """Take the line for the user, and what names the plug-in and its execution."""
        super().__init__(message)
        self.group, self.artifact = match["group"], match["artifact"]
        self.version, self.execution = match["version"], match["execution"]


_NAMES = {"groupId": "group", "artifactId": "artifact", "version": "version"}
_TESTS = ("java", "kotlin", "scala", "groovy")
_OF_LEVELS = r"[\w.-]*(?:source|target|release|java|jdk|Source|Target|Release|Java|Jdk|JDK)[\w.-]*"
_LEVEL = re.compile(rf"(<({_OF_LEVELS})>\s*)(1\.[1-7]|[67])(\s*</\2>)")
_OLDEST = ((20, 8), (12, 7))
"""From which JDK on javac compiles for no older Java than this one."""
_RELEASE = re.compile(r"<(?:maven\.compiler\.)?release>\s*(?:(\d+)|\$\{([\w.-]+)\})\s*<")
_DEFAULT_LEVEL = 8
"""What today's compiler plug-in compiles for where a project names no Java."""


def remove_path(path: Path) -> None:
    """Remove a file, a link or a folder of our copy, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def raise_levels(modules: Iterable[MavenModule], feature: int) -> None:
    """Let modules compile for the oldest Java that this JDK's compiler still knows."""
    oldest = next((level for jdk, level in _OLDEST if feature >= jdk), 0)

    def raise_level(match: re.Match[str]) -> str:
        form = "1." if match[3].startswith("1.") else ""  # --release takes no 1.7
        level = int(match[3].removeprefix("1."))
        return match[0] if level >= oldest else f"{match[1]}{form}{oldest}{match[4]}"

    for module in modules:
        pom = module.folder / "pom.xml"
        text = pom.read_bytes().decode("latin-1")  # any encoding of XML that has ASCII in it
        changed = _LEVEL.sub(raise_level, text)
        if changed != text:
            pom.write_bytes(changed.encode("latin-1"))


def choose_level(modules: Iterable[MavenModule]) -> str:
    """Return the Java to compile for where no source or target counts: the newest release named.

    Old compiler plug-ins know no release, and compile for a Java that no JDK of today knows.
    """
    text = "\n".join((module.folder / "pom.xml").read_text("latin-1") for module in modules)
    levels = [_DEFAULT_LEVEL]
    for number, name in _RELEASE.findall(text):
        value = re.search(rf"<{re.escape(name)}>\s*(\d+)\s*<", text) if name else None
        levels.append(int(value[1] if value else number or 0))
    return str(max(levels))


def drop_tests(modules: Iterable[MavenModule]) -> None:
    """Remove the sources of tests; where a link leads there, they stay."""
    for module in modules:
        tests = module.folder / "src" / "test"
        if tests.parent.is_symlink() or tests.is_symlink():
            continue
        for language in _TESTS:
            shutil.rmtree(tests / language, ignore_errors=True)


def disable_check(modules: Iterable[Path], check: CheckFailed) -> None:
    """Let no build of these modules run the execution of a check that has failed.

    What Maven reads and we do not is left as it is.
    """
    for module in filter(lambda maven_module: maven_module.is_readable, map(MavenModule, modules)):
        space = module.root_element.tag.rpartition("}")[0]
        tags = _PomTags(f"{space}}}" if space else "")
        plugins = tags.ensure_child(tags.ensure_child(module.root_element, "build"), "plugins")
        elements = [
            element
            for element in plugins
            if tags.read_child_text(element, "artifactId") == check.artifact
        ]
        plugin = elements[0] if elements else tags.add_child(plugins, "plugin")
        if not elements:
            for name in ("groupId", "artifactId", "version"):
                tags.add_child(plugin, name).text = getattr(check, _NAMES[name])
        executions = tags.ensure_child(plugin, "executions")
        check_executions = [
            element
            for element in executions
            if tags.read_child_text(element, "id") == check.execution
        ]
        execution = (
            check_executions[0] if check_executions else tags.add_child(executions, "execution")
        )
        tags.ensure_child(execution, "id").text = check.execution
        tags.ensure_child(execution, "phase").text = "none"
        _write_pom(module)


def depend_on_tree(module: MavenModule, tree: Mapping[tuple[str, str], MavenModule]) -> None:
    """Let a module depend on what the tree builds, whatever versions of that it names."""
    changed = False
    for dependency in list_dependencies(module.root_element):
        maven_module = tree.get(module.dependency_key(dependency))
        version = dependency.find("{*}version")
        if maven_module is None or "${" in maven_module.version:
            continue
        if version is None:
            version = ET.SubElement(dependency, dependency.tag.replace("dependency", "version"))
        changed = changed or version.text != maven_module.version
        version.text = maven_module.version
    if changed:
        _write_pom(module)


def _write_pom(module: MavenModule) -> None:
    ET.register_namespace("", module.root_element.tag.rpartition("}")[0].removeprefix("{"))
    try:
        content = ET.tostring(module.root_element, encoding="utf-8", xml_declaration=True)
    except RecursionError:  # nested so deeply that it stays as it is
        return
    (module.folder / "pom.xml").write_bytes(content)


@dataclass(frozen=True, slots=True)
class _PomTags:
    """Elements of a POM by their plain names; `space` is what their tags begin with."""

    space: str

    def ensure_child(self, parent: ET.Element, name: str) -> ET.Element:
        element = parent.find(f"{self.space}{name}")
        return self.add_child(parent, name) if element is None else element

    def add_child(self, parent: ET.Element, name: str) -> ET.Element:
        return ET.SubElement(parent, f"{self.space}{name}")

    def read_child_text(self, parent: ET.Element, name: str) -> str:
        return (parent.findtext(f"{self.space}{name}") or "").strip()


def failed_check(text: str) -> re.Match[str] | None:
    """Return what names the check that has ended a build that said this; None for other ends.

    A goal with a name of `_CHECKING` is one, whatever plug-in has it.
    """
    match = _FAILED.search(text)
    if match is None:
        return None
    is_known = _AROUND.sub("", match["artifact"]) in SKIPS
    return match if is_known or match["goal"] in _CHECKING else None
