"""Does `bench-audit abs . --dry-run` begin in untouched checkouts of public repositories?

It has ten minutes in each checkout. The outcome is one of three:

* began: it exits with 0;
* refused: it ends with the error that REFUSALS names for this repository;
* failed: it ends otherwise, prints a traceback, takes too long or changes the checkout.

    benchmarks/first_contact.py --mirrors FOLDER     # FOLDER/OWNER+NAME/repo, else GitHub is asked
    benchmarks/first_contact.py --language go --repository spf13/cast
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from public_repositories import REPOSITORIES, add_mirrors_option, fetch_commit, run_git

SECONDS = 600
_NO_GRADLE = (
    r"^error\[resolve-failed\]: the project's Gradle wrapper cannot fetch .*; name an installed"
)
_OTHER_JDK = r"^error\[tool-missing\]: .* needs (?:a )?JDK .*; installed: .*; choose one by"
REFUSALS: dict[str, str] = {
    # Where the machine has another JDK or Python, or cannot fetch what the build asks for.
    **dict.fromkeys(
        ("airlift/aircompressor", "openzipkin/zipkin", "vavr-io/vavr", "jbellis/jvector"),
        _OTHER_JDK,
    ),
    **dict.fromkeys(
        (
            "micrometer-metrics/micrometer",
            "RoaringBitmap/RoaringBitmap",
            "Kotlin/kotlinx-benchmark",
            "aeron-io/agrona",
            "LMAX-Exchange/disruptor",
        ),
        _NO_GRADLE,
    ),
    "prometheus/client_java": r"^error\[resolve-failed\]: the build: no repository has io\.",
    "FasterXML/jackson-benchmarks": r"^error\[resolve-failed\]: .* cannot fetch .*-SNAPSHOT from",
    "networkx/networkx": r"^error\[tool-missing\]: the project needs Python .*; install one that",
    "shapely/shapely": r"^error\[build-failed\]: .* Could not find geos-config executable",
    # Everywhere.
    "google/gson": r"^error\[no-benchmarks\]: gson has no benchmarks: no source file below it",
    "aio-libs/aiohttp": r"submodules are not checked out \(vendor/llhttp\): git submodule update",
    "python-greenlet/greenlet": r"^no verdict: greenlet has no public method .* compiled code",
    "apache/commons-csv": r'try "profiles": \["benchmark"\] of the subject',
    "aio-libs/propcache": r"^no verdict: propcache has no public method that can be slowed",
    "aio-libs/frozenlist": r"^error\[no-benchmarks\]: frozenlist has no benchmarks: ",
}
"""By repository that cannot begin here: a pattern of the right error, judged by hand."""


@dataclass(frozen=True)
class Contact:
    """How the dry run in one repository ended."""

    outcome: str
    """began, refused or failed."""
    code: int | None
    """Exit code; None after a time-out."""
    seconds: float
    line: str
    """The error, or the first line of the answer."""


def main() -> int:
    """Run the dry runs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_mirrors_option(parser)
    parser.add_argument("--language", choices=REPOSITORIES, action="append")
    parser.add_argument("--repository", action="append", help="only these")
    options = parser.parse_args()
    outcomes: Counter[str] = Counter()
    print("| repository | commit | outcome | exit code | seconds | answer |")
    print("| --- | --- | --- | --- | --- | --- |")
    for language in options.language or REPOSITORIES:
        for name, commit in REPOSITORIES[language]:
            if options.repository and name not in options.repository:
                continue
            contact = _contact(name, commit, options.mirrors)
            outcomes[contact.outcome] += 1
            print(
                f"| {name} | {commit[:7]} | {contact.outcome} | {contact.code} |"
                f" {contact.seconds:.0f} | {contact.line} |",
                flush=True,
            )
    print(*(f"{count} {outcome}" for outcome, count in outcomes.items()), sep=", ")
    return bool(outcomes["failed"])


def _contact(name: str, commit: str, mirrors: Path | None) -> Contact:
    with tempfile.TemporaryDirectory() as folder:
        checkout = Path(folder) / name.partition("/")[2]
        checkout.mkdir()
        fetch_commit(name, commit, mirrors, checkout)
        run_git(checkout, "checkout", "--quiet", "--detach", "FETCH_HEAD")
        start = time.monotonic()
        try:
            process = subprocess.run(
                (Path(sys.executable).with_name("bench-audit"), "abs", ".", "--dry-run"),
                cwd=checkout,
                env={**os.environ, "XDG_STATE_HOME": f"{folder}/state"},
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Contact("failed", None, SECONDS, "no end")
        seconds = time.monotonic() - start
        changed = run_git(checkout, "status", "--porcelain", "--ignored")
    error = re.search(r"^(?:error\[|no verdict: ).*", process.stderr, re.MULTILINE)
    line = error[0] if error else next(iter(process.stdout.splitlines()), "")
    expected = REFUSALS.get(name)
    if changed or "Traceback" in process.stderr:
        outcome = "failed"
    elif process.returncode == 0:
        outcome = "began"
    else:
        outcome = "refused" if expected and re.search(expected, line) else "failed"
    return Contact(outcome, process.returncode, seconds, line.replace("|", "\\|"))


if __name__ == "__main__":
    sys.exit(main())
