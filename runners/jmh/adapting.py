"""Changes in our copy of a Maven project that let it be built and measured here."""

import re
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping

from runners.jmh.pom_tree import Module, dependencies

_TESTS = ("java", "kotlin", "scala", "groovy")
_OF_LEVELS = r"[\w.-]*(?:source|target|release|java|jdk|Source|Target|Release|Java|Jdk|JDK)[\w.-]*"
_LEVEL = re.compile(rf"(<({_OF_LEVELS})>\s*)(1\.[1-7]|[67])(\s*</\2>)")
_OLDEST = ((20, 8), (12, 7))
"""From which JDK on javac compiles for no older Java than this one."""


def raise_levels(modules: Iterable[Module], feature: int) -> None:
    """Let modules compile for the oldest Java that this JDK's compiler still knows."""
    oldest = next((level for jdk, level in _OLDEST if feature >= jdk), 0)

    def raised(found: re.Match[str]) -> str:
        form = "1." if found[3].startswith("1.") else ""  # --release takes no 1.7
        level = int(found[3].removeprefix("1."))
        return found[0] if level >= oldest else f"{found[1]}{form}{oldest}{found[4]}"

    for each in modules:
        pom = each.folder / "pom.xml"
        text = pom.read_bytes().decode("latin-1")  # any encoding of XML that has ASCII in it
        changed = _LEVEL.sub(raised, text)
        if changed != text:
            pom.write_bytes(changed.encode("latin-1"))


def drop_tests(modules: Iterable[Module]) -> None:
    """Remove the sources of tests."""
    for each in modules:
        for language in _TESTS:
            shutil.rmtree(each.folder / "src" / "test" / language, ignore_errors=True)


def use_tree(module: Module, tree: Mapping[tuple[str, str], Module]) -> None:
    """Let a module depend on what the tree builds, whatever versions of that it names."""
    changed = False
    for dependency in dependencies(module.root):
        known = tree.get(module.named(dependency))
        version = dependency.find("{*}version")
        if known is None or "${" in known.version:
            continue
        if version is None:
            version = ET.SubElement(dependency, dependency.tag.replace("dependency", "version"))
        changed = changed or version.text != known.version
        version.text = known.version
    if changed:
        ET.register_namespace("", module.root.tag.rpartition("}")[0].removeprefix("{"))
        pom = ET.ElementTree(module.root)
        pom.write(module.folder / "pom.xml", encoding="utf-8", xml_declaration=True)
