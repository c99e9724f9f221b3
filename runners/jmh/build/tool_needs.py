"""Which JDK or Maven a build that failed has asked for."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from auditor.core.errors import AuditError, ToolMissing
from auditor.core.ports import Host
from runners.jmh.jdk import LEAST, find_jdk
from runners.jmh.jdks import describe_jdks, installed_jdks

_CLASS_FILES = 44
"""What the version of a class file is above the number of its Java."""
_LAST_JDK = {5: 8, 6: 11, 7: 19, 8: 26}
"""The last JDK that compiles for a Java that later ones refuse."""
_JAR = "or audit a jar with the benchmarks and JMH in it"


@dataclass(frozen=True, slots=True)
class BuildToolNeed:
    """A tool and its versions, as words that follow "needs"."""

    tool: str
    """JDK or Maven."""
    versions: str
    """What is needed, in words."""
    newest: int | None = None
    """The newest JDK that would do; None where none is too new, or nobody knows."""
    remedy: str = "update its build tool and plug-ins"
    """What to do where a JDK that would do is too old for us."""
    is_level: bool = False
    """Whether the compiler refuses the Java version that the project is compiled for."""
    oldest: int = 0
    """The oldest JDK that would do; 0 where nobody knows."""

    def fits_jdk(self, feature: int) -> bool:
        """Tell whether a JDK that works here may do."""
        newest = feature if self.newest is None else self.newest
        return max(self.oldest, LEAST) <= feature <= newest


class LevelRefused(ToolMissing):
    """The JDK does not compile for a Java as old as the project's, or as the plug-in's default."""


def _require_newer_jdk(number: str) -> BuildToolNeed:
    return BuildToolNeed("JDK", f"JDK {number} or newer", oldest=int(number))


def _require_class_version(number: str) -> BuildToolNeed:
    return _require_newer_jdk(str(int(number) - _CLASS_FILES))


def _require_compatible_jdk(number: str) -> BuildToolNeed:
    last = _LAST_JDK.get(max(int(number), min(_LAST_JDK)))
    words = f"JDK {last} or older, as it is compiled for Java {number}" if last else "an older JDK"
    remedy = "raise the Java version that it is compiled for"
    return BuildToolNeed("JDK", words, last, remedy, is_level=True)


def _require_release(number: str) -> BuildToolNeed:
    return (
        _require_compatible_jdk(number)
        if int(number) <= max(_LAST_JDK)
        else _require_newer_jdk(number)
    )


def _require_older_jdk(number: str) -> BuildToolNeed:
    return BuildToolNeed("JDK", f"a JDK older than {number}", int(number) - 1)


def _require_readable_classes(number: str) -> BuildToolNeed:
    need = _require_older_jdk(str(int(number) - _CLASS_FILES))
    return replace(
        need,
        versions=f"{need.versions}, as its build tool or a plug-in reads no newer classes",
        remedy='update them ("gradle" of the subject names an installed Gradle)',
    )


def _require_jdk_range(versions: str) -> BuildToolNeed:
    """Return the need for a range as Maven writes it, [1.8,11)."""
    end = _END.search(versions)
    newest = int(end[1]) if end else None
    if end and end[3] == ")" and not end[2].strip(".0"):
        newest = int(end[1]) - 1
    return BuildToolNeed("JDK", f"a JDK in the range {versions}", newest)


def _require_maven(words: str) -> BuildToolNeed:
    return BuildToolNeed("Maven", words)


_END = re.compile(r"(?<![\d.])(?:1\.)?(\d{1,3})((?:\.[\w.-]*)?)([\])])$")
_JAVA = r"(?:1\.)?(\d{1,3})(?!\d)"
_CLASSES = r"(4[5-9]|[5-9]\d|\d{3})(?!\d)"
_NEEDS: tuple[tuple[str, Callable[[str], BuildToolNeed]], ...] = (
    (rf"invalid (?:target|source) release: {_JAVA}", _require_newer_jdk),
    (rf"release version {_JAVA} not supported", _require_release),
    (
        rf"more recent version of the Java Runtime \(class file version {_CLASSES}",
        _require_class_version,
    ),
    (rf"class file has wrong version {_CLASSES}", _require_class_version),
    (rf"[Rr]equires at least (?:JVM runtime version|Java) {_JAVA}", _require_newer_jdk),
    (r"languageVersion=(\d{1,3})(?!\d)", _require_newer_jdk),
    (rf"jdk \[ version='{_JAVA}", _require_newer_jdk),
    (
        rf"(?i)(?:source|target) option '?{_JAVA}[\d.]*'? is no longer supported",
        _require_compatible_jdk,
    ),
    (rf"Unsupported class file major version {_CLASSES}", _require_readable_classes),
    (rf"Could not determine java version from '{_JAVA}", _require_older_jdk),
    (r"JDK[^\n]* is not in the allowed range ([^\s.][^\s]*[\])])", _require_jdk_range),
    (r"requires Maven version ([\d.]*\d)", lambda least: _require_maven(f"Maven {least} or newer")),
    (
        r"'modelVersion' must be one of \[4\.0\.0\] but is '(4\.1)",
        lambda _: _require_maven("Maven 4"),
    ),
    (r"(session\.rootDirectory)", lambda _: _require_maven("Maven 3.9 or newer")),
    (
        r"Maven[^\n]* is not in the allowed range ([^\s.][^\s]*[\])])",
        lambda versions: _require_maven(f"Maven {versions}"),
    ),
)


_INTERVAL = re.compile(r"([\[(])([^,\[\]()]*)(?:(,)([^,\[\]()]*))?([\])])")
_FEATURE = re.compile(rf"\s*{_JAVA}")


def java_asked_for(versions: str, feature: int) -> BuildToolNeed | None:
    """Return the need for what the enforcer allows, where it does not allow the JDK `feature`.

    `versions` is what its rule `requireJavaVersion` says: "17" (or newer), or ranges such as
    "[21,22),[25,26)".
    """
    intervals = [*_INTERVAL.finditer(versions)]
    if intervals:
        return (
            None
            if any(_contains_feature(interval, feature) for interval in intervals)
            else _require_jdk_range(versions)
        )
    least = _FEATURE.match(versions)
    return _require_newer_jdk(least[1]) if least and feature < int(least[1]) else None


def _contains_feature(interval: re.Match[str], feature: int) -> bool:
    """Tell whether an interval has a JDK; an end that is no number counts as open."""
    low, high = _FEATURE.match(interval[2]), _FEATURE.match(interval[4] or "")
    first, last = int(low[1]) if low else 0, int(high[1]) if high else feature + 1
    if not interval[3]:
        return not low or feature == first
    # An end such as 21.0.5 is of the same feature.
    includes_first = interval[1] == "[" or "." in interval[2]
    includes_last = interval[5] == "]" or "." in interval[4]
    return (first < feature or (includes_first and first == feature)) and (
        feature < last or (includes_last and feature == last)
    )


def find_need(text: str) -> BuildToolNeed | None:
    """Return what a build that said this needs; None where it failed for another reason."""
    for pattern, need in _NEEDS:
        if match := re.search(pattern, text):
            return need(match[1])
    return None


def jdk_missing(
    need: BuildToolNeed, activity: str, host: Host, environment: tuple[tuple[str, str], ...]
) -> AuditError:
    """Return the error for a build with the wrong JDK: which is needed, here, and installed.

    Where only JDKs would do that are too old for us, it says what else can be done.
    """
    failure = LevelRefused if need.is_level else ToolMissing
    if need.newest is not None and need.newest < LEAST:
        return failure(
            f"{activity}: the project needs {need.versions}, but bench-audit needs JDK {LEAST} or "
            f"newer; {need.remedy}, {_JAR}"
        )
    jdk_feature = find_jdk(host, environment).feature
    jdks = installed_jdks(host, environment)
    may_be_installed = not jdks or any(need.fits_jdk(jdk.feature) for jdk in jdks)
    advice = "choose one" if may_be_installed else "install one that fits and choose it"
    return failure(
        f"{activity}: the project needs {need.versions}, and was built with JDK {jdk_feature}; "
        f'{describe_jdks(jdks)}; {advice} by "jdk" of the subject, or by JAVA_HOME'
    )
