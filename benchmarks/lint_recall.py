"""How many planted faults does lint find in real suites, and how often does it take a near miss?

Each plant is a text edit of one benchmark of a suite that is fetched by name and commit: a fault
of a rule, or something that looks like one and is none. A plant counts as found if the rule has a
finding that it does not have in the untouched suite. Nothing of a suite is built or run.

    benchmarks/lint_recall.py --mirrors FOLDER     # FOLDER/OWNER+NAME/repo, else GitHub is asked
"""

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from lint_plants import PLANTS, Plant, Site, sites  # noqa: E402

from auditor.core.smells import Smell  # noqa: E402
from auditor.core.subject import SourceFile, SourceRole  # noqa: E402
from auditor.linting import LINTERS  # noqa: E402

SUITES = {
    "go": (
        ("spf13/cast", "715c728a3579ae1de12628b259f1198f214e9ccb"),
        ("shopspring/decimal", "9620fb7d0776651853952726217a81ba8f451882"),
        ("go-chi/chi", "735ae2b87f8c733d616e809ae86e0985c1bc3350"),
        ("julienschmidt/httprouter", "484018016424d215c0b87c42f4c9b57d980fbd00"),
        ("google/uuid", "2d3c2a9cc518326daf99a383f07c4d3c44317e4d"),
    ),
    "jmh": (
        ("dropwizard/metrics", "2049d9625bf83d6d9b94004631b2e75b796e6c3f"),
        ("HdrHistogram/HdrHistogram", "de84b0a7de2378abfc405da503bf4898e84ea98e"),
        ("airlift/aircompressor", "9dfc0fa4a34a1d19a8dfa5494fda89ae7c72d356"),
        ("apache/commons-lang", "d15939ef46f0bd4144994df8be95cf5a7f91eb52"),
        ("vavr-io/vavr", "37e4fc1104e975b6a86adb5b16843f3bc5eab70c"),
    ),
    "py": (
        ("python-attrs/cattrs", "82b02c07ca535a1ba656b935767d819eac9d383b"),
        ("python-attrs/attrs", "c1dc5dcba16ed827aa6dcad896b41a3afedb4e32"),
        ("python-jsonschema/jsonschema", "b37f7be6dc7966a1f1a67557976041ffe0826cb3"),
        ("Textualize/rich", "42899d8a0a96b121a514516f4be9db44ff7aeaf3"),
    ),
}
LARGEST = 2_000_000
ENDINGS = (b".go", b".mod", b".java", b".py", b".toml", b".cfg", b".txt")
MOST = 3
"""Sites of a plant in a suite."""


@dataclass(frozen=True)
class Suite:
    """The files of a suite that its linter reads, and what the linter finds in them."""

    name: str
    language: str
    files: tuple[SourceFile, ...]
    before: Counter[tuple[str, ...]]


def main() -> int:
    """Plant, look, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", type=Path, help="git directories OWNER+NAME/repo")
    parser.add_argument("--language", choices=SUITES, action="append")
    parser.add_argument("--rule", action="append", help="only these rules")
    parser.add_argument("--missed", action="store_true", help="also print what was judged wrong")
    asked = parser.parse_args()
    print("| rule | faults planted | found | near misses | taken for faults |")
    print("| --- | --- | --- | --- | --- |")
    for language in asked.language or SUITES:
        suites = [_suite(*one, language, asked.mirrors) for one in SUITES[language]]
        for rule in LINTERS[language].rules:
            if not asked.rule or rule.id in asked.rule:
                _row(rule.id, suites, show=asked.missed)
    return 0


def _row(rule: str, suites: Sequence[Suite], *, show: bool) -> None:
    counts: Counter[tuple[bool, bool]] = Counter()
    for suite in suites:
        for plant in (one for one in PLANTS if one.rule == rule):
            for site in _chosen(suite, plant):
                found = _finds(suite, plant, site)
                counts[plant.fault, found] += 1
                if show and found is not plant.fault:
                    edited = plant.edit(site) or ""
                    start = site.start or 0
                    new = edited[start : start + 600]
                    print(f"    {suite.name} {site.file} {plant.fault}\n{new}", file=sys.stderr)
    faults, near = (sum(counts[kind, one] for one in (True, False)) for kind in (True, False))
    print(
        f"| {rule} | {faults} | {counts[True, True]} | {near} | {counts[False, True]} |", flush=True
    )


def _chosen(suite: Suite, plant: Plant) -> Iterator[Site]:
    """Yield the first sites of a suite where a plant fits, one in each file and then more."""
    chosen = 0
    for source in suite.files:
        for site in sites(suite.language, source.path, source.text.decode(errors="replace")):
            if chosen < MOST and plant.edit(site) is not None:
                chosen += 1
                yield site


def _finds(suite: Suite, plant: Plant, site: Site) -> bool:
    """Tell whether the rule has a finding in the edited suite that it did not have before."""
    text = plant.edit(site) or ""
    files = [
        SourceFile(path=one.path, unit=one.unit, role=one.role, text=text.encode())
        if one.path == site.file
        else one
        for one in suite.files
    ]
    looked = LINTERS[suite.language].look(files)
    if site.file in looked.unread:
        raise SystemExit(f"{suite.name}: the plant for {plant.rule} broke {site.file}:\n{text}")
    after = _keys(looked.smells)
    return any(key[0] == plant.rule for key in after - suite.before)


def _keys(smells: Sequence[Smell]) -> Counter[tuple[str, ...]]:
    return Counter((one.rule, one.span.file, one.benchmark, one.text) for one in smells)


def _suite(name: str, commit: str, language: str, mirrors: Path | None) -> Suite:
    linter = LINTERS[language]
    files = tuple(
        SourceFile(
            path=path,
            unit=str(PurePosixPath(path).parent),
            role=SourceRole.BENCHMARKS,
            text=text,
        )
        for path, text in _files(name, commit, mirrors)
        if path.endswith(linter.endings)
    )
    return Suite(name, language, files, _keys(linter.look(files).smells))


def _files(name: str, commit: str, mirrors: Path | None) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a commit with their paths, links left out."""
    with tempfile.TemporaryDirectory(prefix="lint-recall-") as scratch:
        folder = mirrors / name.replace("/", "+") / "repo" if mirrors else Path(scratch)
        if mirrors is None:
            _git(folder, "init", "--quiet", "--bare")
            _git(folder, "fetch", "--quiet", "--depth=1", f"https://github.com/{name}", commit)
        listed = _git(folder, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
        paths = [one.partition(b"\t")[2] for one in listed if one.startswith(b"100")]
        paths = [one for one in paths if one.endswith(ENDINGS) and b"\n" not in one]
        asked = b"".join(commit.encode() + b":" + one + b"\n" for one in paths)
        answer = BytesIO(_git(folder, "cat-file", "--batch", given=asked))
        for path in paths:
            head = answer.readline()
            if head.endswith(b"missing\n"):
                continue  # of a mirror without its largest files
            text = answer.read(int(head.split()[-1]))
            answer.read(1)
            if len(text) <= LARGEST:
                yield path.decode(errors="replace"), text


def _git(folder: Path, *words: str, given: bytes = b"") -> bytes:
    command = ("git", "--git-dir", str(folder), *words)
    return subprocess.run(command, check=True, capture_output=True, input=given).stdout


if __name__ == "__main__":
    raise SystemExit(main())
