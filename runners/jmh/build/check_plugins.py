"""Maven's plug-ins that check a project or make what is published of it, and how they are skipped.

They cost time and downloads, and some want another JDK or Maven than the compiler does.
"""

import re

from auditor.core.errors import BuildFailed

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
_AROUND = re.compile(r"^maven-|(?:-maven)?-plugin$")


class CheckFailed(BuildFailed):
    """A check failed though it was skipped: it has a configuration of its own, or cannot start."""

    def __init__(self, message: str, match: re.Match[str]) -> None:
        """Take the line for the user, and what names the plug-in and its execution."""
        super().__init__(message)
        self.group, self.artifact = match["group"], match["artifact"]
        self.version, self.execution = match["version"], match["execution"]


def failed_check(text: str) -> re.Match[str] | None:
    """Return what names the check that has ended a build that said this; None for other ends.

    A goal that is called "check" is one, whatever plug-in has it: that is Maven's word for it.
    """
    match = _FAILED.search(text)
    if match is None:
        return None
    is_known = _AROUND.sub("", match["artifact"]) in SKIPS
    return match if is_known or match["goal"] == "check" else None
