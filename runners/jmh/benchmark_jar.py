"""A jar with benchmarks, JMH and all that they need, as the ones called benchmarks.jar are."""

import re
import zipfile
from pathlib import Path

from auditor.core.errors import NoBenchmarks, SourceUnreadable
from auditor.core.subject import Part, Role
from runners.jmh.classes import benchmark_list, open_jar

_RUNNER = "org/openjdk/jmh/runner/Runner.class"
_PROPERTIES = "jmh.properties"
_ADVICE = "name the jar that the benchmarks are run from, such as target/benchmarks.jar"


def jar_parts(jar: Path, display_path: Path) -> tuple[Part, ...]:
    """Return the jar as benchmarks and library at once; `shown` is what the user named."""
    if not zipfile.is_zipfile(jar):
        raise SourceUnreadable(f"{display_path} is not a readable jar; build it again")
    if benchmark_list(jar) is None:
        raise NoBenchmarks(
            f"{display_path} has no benchmarks: no META-INF/BenchmarkList; {_ADVICE}"
        )
    with open_jar(jar) as archive:
        if _RUNNER not in archive.namelist():
            raise NoBenchmarks(
                f"{display_path} holds benchmarks, but no JMH to run them; {_ADVICE}"
            )
    return Part(Role.BENCHMARKS, jar), Part(Role.LIBRARY, jar)


def jmh_within(jar: Path) -> str:
    """Return the version of JMH as the jar has it, "unknown" where it does not say."""
    with open_jar(jar) as archive:
        has = _PROPERTIES in archive.namelist()
        text = archive.read(_PROPERTIES).decode(errors="replace") if has else ""
    match = re.search(r"^jmh\.version=(\S+)", text, re.MULTILINE)
    return match[1] if match else "unknown"
