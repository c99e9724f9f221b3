"""How many planted faults does lint find in real suites, and how often does it take a near miss?

Each plant is a text edit of one benchmark of a suite that is fetched by name and commit: a fault
of a rule, or something that looks like one and is none. A plant counts as found if the rule has a
finding that it does not have in the untouched suite. Nothing of a suite is built or run.

    benchmarks/lint_recall.py --mirrors FOLDER     # FOLDER/OWNER+NAME/repo, else GitHub is asked
"""

import argparse
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
from public_repositories import (  # noqa: E402
    REPOSITORIES,
    add_mirrors_option,
    fetch_commit,
    find_mirror,
    run_git,
)

from auditor.core.contracts.lint import Smell  # noqa: E402
from auditor.core.subject import SourceFile, SourceRole  # noqa: E402
from auditor.lint.assemble import LINTERS  # noqa: E402

SUITES = {
    "go": (
        "spf13/cast",
        "shopspring/decimal",
        "go-chi/chi",
        "julienschmidt/httprouter",
        "google/uuid",
    ),
    "jmh": (
        "dropwizard/metrics",
        "HdrHistogram/HdrHistogram",
        "airlift/aircompressor",
        "apache/commons-lang",
        "vavr-io/vavr",
    ),
    "py": (
        "python-attrs/cattrs",
        "python-attrs/attrs",
        "python-jsonschema/jsonschema",
        "Textualize/rich",
    ),
}
COMMITS = dict(repository for repositories in REPOSITORIES.values() for repository in repositories)
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
    add_mirrors_option(parser)
    parser.add_argument("--language", choices=SUITES, action="append")
    parser.add_argument("--rule", action="append", help="only these rules")
    parser.add_argument("--missed", action="store_true", help="also print what was judged wrong")
    options = parser.parse_args()
    print("| rule | faults planted | found | near misses | taken for faults |")
    print("| --- | --- | --- | --- | --- |")
    for language in options.language or SUITES:
        suites = [_suite(name, language, options.mirrors) for name in SUITES[language]]
        for rule in LINTERS[language].rules:
            if not options.rule or rule.id in options.rule:
                _row(rule.id, suites, show=options.missed)
    return 0


def _row(rule: str, suites: Sequence[Suite], *, show: bool) -> None:
    counts: Counter[tuple[bool, bool]] = Counter()
    for suite in suites:
        for plant in (candidate for candidate in PLANTS if candidate.rule == rule):
            for site in _matching_sites(suite, plant):
                result = _finds(suite, plant, site)
                counts[plant.fault, result] += 1
                if show and result is not plant.fault:
                    edited = plant.edit(site) or ""
                    new = edited[site.start : site.start + 600]
                    print(f"    {suite.name} {site.file} {plant.fault}\n{new}", file=sys.stderr)
    faults, near_misses = (
        sum(counts[kind, is_reported] for is_reported in (True, False)) for kind in (True, False)
    )
    print(
        f"| {rule} | {faults} | {counts[True, True]} | {near_misses} | {counts[False, True]} |",
        flush=True,
    )


def _matching_sites(suite: Suite, plant: Plant) -> Iterator[Site]:
    """Yield the first MOST sites of a suite where a plant fits."""
    count = 0
    for source in suite.files:
        for site in sites(suite.language, source.path, source.text.decode(errors="replace")):
            if count < MOST and plant.edit(site) is not None:
                count += 1
                yield site


def _finds(suite: Suite, plant: Plant, site: Site) -> bool:
    """Tell whether the rule has a finding in the edited suite that it did not have before."""
    text = plant.edit(site) or ""
    files = [
        SourceFile(path=file.path, unit=file.unit, role=file.role, text=text.encode())
        if file.path == site.file
        else file
        for file in suite.files
    ]
    looked = LINTERS[suite.language].find_smells(files)
    if site.file in looked.unread:
        raise SystemExit(f"{suite.name}: the plant for {plant.rule} broke {site.file}:\n{text}")
    after = _keys(looked.smells)
    return any(key[0] == plant.rule for key in after - suite.before)


def _keys(smells: Sequence[Smell]) -> Counter[tuple[str, ...]]:
    return Counter((smell.rule, smell.span.file, smell.benchmark, smell.text) for smell in smells)


def _suite(name: str, language: str, mirrors: Path | None) -> Suite:
    linter = LINTERS[language]
    files = tuple(
        SourceFile(
            path=path,
            unit=str(PurePosixPath(path).parent),
            role=SourceRole.BENCHMARKS,
            text=text,
        )
        for path, text in _files(name, COMMITS[name], mirrors)
        if path.endswith(linter.file_suffixes)
    )
    return Suite(name, language, files, _keys(linter.find_smells(files).smells))


def _files(name: str, commit: str, mirrors: Path | None) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a commit with their paths, links left out."""
    with tempfile.TemporaryDirectory(prefix="lint-recall-") as scratch:
        # Read in place, as a mirror without its largest files cannot be fetched from.
        folder = find_mirror(name, mirrors) if mirrors else Path(scratch)
        if mirrors is None:
            fetch_commit(name, commit, None, folder)
        entries = run_git(folder, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
        paths = [content.partition(b"\t")[2] for content in entries if content.startswith(b"100")]
        paths = [content for content in paths if content.endswith(ENDINGS) and b"\n" not in content]
        objects = b"".join(commit.encode() + b":" + content + b"\n" for content in paths)
        contents = BytesIO(run_git(folder, "cat-file", "--batch", stdin=objects))
        for path in paths:
            head = contents.readline()
            if head.endswith(b"missing\n"):
                continue  # of a mirror without its largest files
            text = contents.read(int(head.split()[-1]))
            contents.read(1)
            if len(text) <= LARGEST:
                yield path.decode(errors="replace"), text


if __name__ == "__main__":
    raise SystemExit(main())
