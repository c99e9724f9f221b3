"""Which JDK or Maven a build that failed has asked for."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from auditor.core.errors import AuditError, ToolMissing
from auditor.core.ports import Host
from runners.jmh.jdk import find_jdk
from runners.jmh.jdks import describe_jdks, installed_jdks

_CLASS_FILES = 44
"""What the version of a class file is above the number of its Java."""
_LAST_JDK = {5: 8, 6: 11, 7: 19, 8: 26}
"""The last JDK that compiles for a Java that later ones refuse."""


@dataclass(frozen=True, slots=True)
class Need:
    """A tool and its versions, as words that follow "needs"."""

    tool: str
    versions: str


def _at_least(number: str) -> str:
    return f"JDK {number.removeprefix('1.')} or newer"


def _of_class_file(number: str) -> str:
    return _at_least(str(int(number) - _CLASS_FILES))


def _before(number: str) -> str:
    last = _LAST_JDK.get(int(number.removeprefix("1.")))
    return f"JDK {last} or older, as it is compiled for Java {number}" if last else "an older JDK"


def _reading(number: str) -> str:
    return f"a JDK older than {int(number) - _CLASS_FILES}, as a plug-in reads no newer classes"


_JDK: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r"invalid (?:target|source) release: (\d[\d.]*)", _at_least),
    (r"release version (\d+) not supported", _at_least),
    (r"more recent version of the Java Runtime \(class file version (\d+)", _of_class_file),
    (r"class file has wrong version (\d+)", _of_class_file),
    (r"[Rr]equires at least (?:JVM runtime version|Java) (\d+)", _at_least),
    (r"languageVersion=(\d+)", _at_least),
    (r"jdk \[ version='(\d+)", _at_least),
    (r"(?i)(?:source|target) option '?(\d[\d.]*)'? is no longer supported", _before),
    (r"Unsupported class file major version (\d+)", _reading),
    (r"Could not determine java version from '(\d+)", "a JDK older than {}".format),
    (r"JDK[^\n]* is not in the allowed range ([^\s.][^\s]*[\])])", "a JDK in the range {}".format),
)
_MAVEN: tuple[tuple[str, Callable[[str], str]], ...] = (
    (r"requires Maven version ([\d.]*\d)", "Maven {} or newer".format),
    (r"'modelVersion' must be one of \[4\.0\.0\] but is '(4\.1)", lambda _: "Maven 4"),
    (r"(session\.rootDirectory)", lambda _: "Maven 3.9 or newer"),
    (r"Maven[^\n]* is not in the allowed range ([^\s.][^\s]*[\])])", "Maven {}".format),
)


def find_need(text: str) -> Need | None:
    """Return what a build that said this needs; None where it failed for another reason."""
    for tool, patterns in (("JDK", _JDK), ("Maven", _MAVEN)):
        for pattern, words in patterns:
            if found := re.search(pattern, text):
                return Need(tool, words(found[1]))
    return None


def jdk_missing(
    need: Need, what: str, host: Host, environment: tuple[tuple[str, str], ...]
) -> AuditError:
    """Return the error for a build with the wrong JDK: which is needed, here, and installed."""
    here = find_jdk(host, environment).feature
    return ToolMissing(
        f"{what}: the project needs {need.versions}, and was built with JDK {here}; "
        f"{describe_jdks(installed_jdks(host, environment))}; choose one by "
        '"jdk" of the subject, or by JAVA_HOME'
    )
