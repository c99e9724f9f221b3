"""Two versions of thread-safe classes: what was expected, and what `concurrency` reports.

The pairs are the released versions nearest to rows 1 to 5 of the reference table (Pradel et al.,
Table 2), a later change of the class of rows 6 to 17, three versions of a class as in its Figure 1,
and classes against themselves (A/A).

    python benchmarks/speedgun.py [--seeds 1,2,3] [--only joda] [--folder DIR] [--draw FILE.svg]

Each pair is raced with the default plan; what is in DIR already is not run again. Printed are the
finding of each seed, the speed-ups (old / new, above 1: faster) of all numbers of threads beside
the same calls in one thread, the minutes, and what precision and recall would be at other values
of delta_report.
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from concurrency_sensitivity import LabelledPair, Point, sensitivity
from sensitivity_drawing import svg

from auditor.concurrency import document as concurrency_document
from auditor.concurrency import text
from auditor.concurrency.document import ConcurrencyDocument, ThreadsResult
from auditor.core.contracts.concurrency import ConcurrencyFinding, RacePlan, RepetitionTimes
from reports import number_format

ROOT = Path(__file__).parent.parent
FIGURE = ROOT / "tests" / "subjects" / "java-registry"
REPORTS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0)
OPEN = "--add-opens java.base/java.lang=ALL-UNNAMED --add-opens java.base/java.util=ALL-UNNAMED"
WORSE, BETTER, NONE = (
    ConcurrencyFinding.REGRESSION,
    ConcurrencyFinding.IMPROVEMENT,
    ConcurrencyFinding.NONE,
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two versions of a class, and what their difference should be found to be.

    `row` is that of the table, or says what else the pair is.
    """

    row: str
    subject: str
    old: str
    new: str
    expected: ConcurrencyFinding
    options: tuple[str, ...] = ()


POOL, BUCKETS, DATE, META = (
    "org.apache.commons.pool.impl.GenericObjectPool",
    "org.apache.commons.collections.map.StaticBucketMap",
    "org.joda.time.DateTime",
    "groovy.lang.ExpandoMetaClass",
)
_POOL, _COLLECTIONS = (
    "maven:commons-pool:commons-pool:",
    "maven:commons-collections:commons-collections:",
)
_JODA, _GROOVY = "maven:joda-time:joda-time:", "maven:org.codehaus.groovy:groovy-all:"
_LANG = "maven:org.apache.commons:commons-lang3:3.14.0"
_JVM = ("--jvm-args", OPEN)


def pairs(built: Path) -> Sequence[Pair]:
    """Return the pairs; the classes of Figure 1 are compiled below `built`."""
    plain, locked, volatile = (str(built / name) for name in ("plain", "locked", "volatile"))
    registry = "org.example.Registry"
    published_pairs = [
        Pair("Figure 1, a to b", registry, plain, locked, WORSE),
        Pair("Figure 1, b to c", registry, locked, volatile, BETTER),
        Pair("1", POOL, f"{_POOL}1.4", f"{_POOL}1.5.4", BETTER),
        Pair("2, 3", POOL, f"{_POOL}1.3", f"{_POOL}1.4", BETTER),
        Pair("4", BUCKETS, f"{_COLLECTIONS}3.2.1", f"{_COLLECTIONS}3.2.2", WORSE),
        Pair("5", DATE, f"{_JODA}1.5.2", f"{_JODA}2.1", WORSE),
        Pair("Groovy, read-write lock", META, f"{_GROOVY}1.7.10", f"{_GROOVY}1.8.9", BETTER, _JVM),
    ]
    same = (
        (registry, locked),
        (POOL, f"{_POOL}1.4"),
        (BUCKETS, f"{_COLLECTIONS}3.2.2"),
        (DATE, f"{_JODA}2.1"),
        ("org.joda.time.chrono.ISOChronology", f"{_JODA}2.1"),
        ("org.apache.commons.lang3.time.FastDateFormat", _LANG),
    )
    return [
        *published_pairs,
        *(Pair("A/A", subject, version, version, NONE) for subject, version in same),
    ]


def compiled(folder: Path) -> Path:
    """Compile the versions of Figure 1."""
    for source in sorted(FIGURE.glob("*/org/example/Registry.java")):
        classes = folder / source.relative_to(FIGURE).parts[0]
        subprocess.run(["javac", "-d", str(classes), str(source)], check=True)
    return folder


def raced(pair: Pair, seed: int, folder: Path) -> ConcurrencyDocument | None:
    """Return the result of a pair, None where the command fails."""
    result = folder / "concurrency.json"
    if not result.is_file():
        command = [
            sys.executable, "-m", "auditor", "concurrency", "--class", pair.subject,
            "--old", pair.old, "--new", pair.new, "--seed", str(seed), *pair.options,
            "-o", str(folder), "--store", str(folder / "store.sqlite"), "--quiet",
        ]  # fmt: skip
        process = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
        if process.returncode != 0:
            print(f"{pair.row} {pair.subject}, seed {seed}: {process.stderr.strip()[-600:]}")
            return None
    return concurrency_document.parse_document(result.read_bytes())


def _minutes(document: ConcurrencyDocument) -> float:
    started, over = (
        datetime.fromisoformat(timestamp) for timestamp in (document.started, document.ended)
    )
    return (over - started).total_seconds() / 60


def _speedups(document: ConcurrencyDocument) -> str:
    lanes = [*([document.control] if document.control else []), *document.threads]
    return ", ".join(f"{_called(lane)} {text.format_ratio(lane.speedup)}" for lane in lanes)


def _called(lane: ThreadsResult) -> str:
    votes = lane.votes
    return f"{lane.threads or 1}: {votes.old}/{votes.new}/{votes.none}/{votes.inconclusive}"


def _label_pair(pair: Pair, document: ConcurrencyDocument) -> LabelledPair:
    return LabelledPair(pair.expected, tuple(_timed(document)), RacePlan())


def _timed(document: ConcurrencyDocument) -> Iterator[RepetitionTimes]:
    for lane in document.threads:
        for test in lane.tests:
            yield RepetitionTimes(
                test=test.test,
                threads=lane.threads,
                calls=test.calls,
                repetitions=test.repetitions,
                old=test.old,
                new=test.new,
                # What was measured is judged anew, however far it is spread.
                reason="" if test.old else test.reason,
            )


def _curve(points: Sequence[Point]) -> None:
    print("\ndelta_report  precision  recall")
    for point in points:
        precision, recall = (
            number_format.format_share(ratio) for ratio in (point.precision, point.recall)
        )
        print(f"{point.report:12.2f}  {precision:>9}  {recall:>6}")


def main() -> None:
    """Race the pairs and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--only", default="", help="rows, classes or versions with this text")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "speedgun")
    parser.add_argument("--draw", type=Path, help="the SVG of precision and recall")
    args = parser.parse_args()
    folder = args.folder.absolute()
    labelled_pairs: list[LabelledPair] = []
    for index, pair in enumerate(pairs(compiled(folder / "classes"))):
        if args.only not in f"{pair.row} {pair.subject} {pair.old} {pair.new}":
            continue
        print(f"\n{pair.row}: {pair.subject}, {pair.old} to {pair.new}, expected {pair.expected}")
        right = 0
        seeds = [int(seed) for seed in args.seeds.split(",")]
        for seed in seeds:
            document = raced(pair, seed, folder / f"{index}-{seed}")
            if document is None:
                continue
            labelled_pairs.append(_label_pair(pair, document))
            right += document.finding is pair.expected
            print(
                f"  seed {seed}: {document.finding} ({document.cause}); threads: old/new/none/open "
                f"speed-up {_speedups(document)}; {_minutes(document):.1f} min",
                flush=True,
            )
        print(f"  as expected with {right} of {len(seeds)} seeds", flush=True)
    if labelled_pairs:
        points = sensitivity(labelled_pairs, REPORTS)
        _curve(points)
        if args.draw:
            args.draw.write_text(svg(points, RacePlan().report))


if __name__ == "__main__":
    main()
