"""The formats that are read: what tells one, and whose it is.

Summaries that tools print or export are told by how they begin, and the answer names the option
that keeps the values: with a single figure for a benchmark there is nothing to judge.
"""

import csv
import hashlib
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from auditor.core.errors import UsageError
from auditor.core.files import own_files
from auditor.core.series.stored import StoredRun
from auditor.importers import (
    asv_files,
    corpus,
    criterion,
    files,
    go_text,
    google_benchmark,
    hyperfine,
    jmh_csv,
    jmh_json,
    jmh_log,
    jmh_names,
    pyperf_files,
    pytest_files,
    series_csv,
)
from auditor.importers.asv_files import AsvReader
from auditor.importers.checking import BrokenFile, require_mapping

_TABLES: tuple[tuple[bytes, str, str], ...] = (
    (
        rb"^\xef?\xbb?\xbf?Benchmark +(?:\([^)\n]*\) +)*Mode +(?:Cnt|Samples) +Score",
        "JMH's last table",
        "give the file of -rf json -rff FILE, or all that JMH prints",
    ),
    (
        "^(?:[^\n]*│ +(?:sec/op|B/op|allocs/op|B/s)|name +(?:old )?time/op|,sec/op,CI)".encode(),
        "a table of benchstat",
        "give the output of go test -bench . -count 10 that benchstat read",
    ),
    (
        "^ *(?:Time|Range) \\((?:mean ± .{1,2}|min … max)\\):".encode(),
        "what hyperfine prints",
        "give the file of --export-json FILE",
    ),
    (
        rb"^command,mean,stddev,median,user,system,min,max"
        rb"|^\| Command \| Mean \[[^\]\n]+\]|^\[cols=\"<,>,>,>,>\"\]",
        "a summary of hyperfine",
        "give the file of --export-json FILE",
    ),
    (
        rb"^Benchmark +Time +CPU +Iterations|^name,iterations,real_time,cpu_time,time_unit",
        "a table of Google Benchmark",
        "give the file of --benchmark_out=FILE --benchmark_out_format=json "
        "--benchmark_repetitions=10",
    ),
    (
        "^[^\n]* time: +\\[[\\d.]+ (?:p|n|µ|u|m)?s [\\d.]+ (?:p|n|µ|u|m)?s ".encode(),
        "what criterion prints",
        "give the folder target/criterion",
    ),
    (
        rb"^group,function,value,throughput_num,",
        "the raw.csv of criterion",
        "give the folder target/criterion, whose sample.json has the same values",
    ),
    (
        rb"^test \S+ +\.\.\. bench: +[\d.,]+ ns/iter",
        "what Rust's own cargo bench prints",
        "measure with criterion and give the folder target/criterion",
    ),
    (
        rb"^-{3,} benchmark[^\n]*: \d+ tests|^Name \(time in \w+\) +Min"
        rb"|^name,(?:[\w:]+,)*min,max,mean,stddev",
        "a table of pytest-benchmark",
        "give the file of --benchmark-json FILE --benchmark-save-data",
    ),
    (
        rb"^(?:[^\n]*: )?Mean \+- std dev: ",
        "what pyperf prints",
        "give the file of -o FILE",
    ),
    (
        "^\\[ *[\\d.]+%\\] (?:·)+ |^\\| +Change +\\| +Before".encode(),
        "what asv prints",
        "give the folder .asv/results, which asv run --record-samples writes",
    ),
)
_PATTERNS = tuple((re.compile(start, re.MULTILINE), whose, give) for start, whose, give in _TABLES)

Content = tuple[StoredRun, tuple[str, ...]]
"""The run of a file, and the benchmarks in it that measure no time."""


class StoredFormat(Enum):
    """A format, by its name for people."""

    PYTEST = "pytest-benchmark"
    ASV = "asv"
    PYPERF = "pyperf"
    JMH_JSON = "JMH (JSON)"
    JMH_LOG = "JMH (log)"
    JMH_CSV = "JMH (CSV)"
    GO = "go test -bench"
    CORPUS = "the steady-state corpus"
    HYPERFINE = "hyperfine"
    GOOGLE = "Google Benchmark"
    CRITERION = "criterion"
    SERIES = "CSV of series"

    @property
    def harness(self) -> str:
        """Return the name of the tool that measured, as everywhere."""
        return _HARNESSES[self]


_HARNESSES = {
    StoredFormat.PYTEST: "pytest",
    StoredFormat.ASV: "asv",
    StoredFormat.PYPERF: "pyperf",
    StoredFormat.JMH_JSON: jmh_names.HARNESS,
    StoredFormat.JMH_LOG: jmh_names.HARNESS,
    StoredFormat.JMH_CSV: jmh_names.HARNESS,
    StoredFormat.GO: go_text.HARNESS,
    StoredFormat.CORPUS: jmh_names.HARNESS,
    StoredFormat.HYPERFINE: hyperfine.HARNESS,
    StoredFormat.GOOGLE: google_benchmark.HARNESS,
    StoredFormat.CRITERION: criterion.HARNESS,
    StoredFormat.SERIES: "csv",
}
FORMAT_NAMES = (
    "pytest-benchmark, asv, pyperf, JMH, go test, hyperfine, Google Benchmark, criterion, the "
    "corpus or CSV"
)
"""All of them, for a message."""
CSV_HINT = "anything else can be written as the CSV of docs/how-to/import-results.md"


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """What a file holds; `sha` is of its bytes, decompressed."""

    format: StoredFormat
    content: Content
    sha: str


def is_known(path: Path) -> bool:
    """Tell by its first kilobytes whether a file is of some format, or JSON, or a summary."""
    beginning = files.read_start(path)
    if files.is_json(beginning) or _detect_text_format(beginning) is not None:
        return True
    return bool(own_files.describe_beginning(beginning, path) or describe_summary(beginning))


def read_file(path: Path, asv: AsvReader) -> ParsedFile | None:
    """Read a file; None for what nobody here knows. Raises BrokenFile, UsageError."""
    beginning = files.read_start(path)
    if instead := own_files.describe_beginning(beginning, path) or _describe_summary(beginning):
        raise BrokenFile(instead)
    text_format = _detect_text_format(beginning)
    if text_format is not None:
        sha = hashlib.sha256()
        format_, reader = text_format
        return ParsedFile(format_, reader(files.read_lines(path, sha), path), sha.hexdigest())
    if not files.is_json(beginning):
        if not beginning.strip():
            raise BrokenFile("it is empty; copy it again, or leave it out")
        return None
    file_content = files.read_content(path)
    document = files.read_json(file_content)
    result = _parse_json_document(document, path, asv)
    if result is not None:
        return ParsedFile(*result, hashlib.sha256(file_content).hexdigest())
    if instead := _describe_json_summary(document):
        raise BrokenFile(instead)
    return None


def _describe_summary(beginning: bytes) -> str:
    """Return the way out of a summary; empty where values stand beside it, as in JMH's log."""
    has_values = jmh_log.matches_format(beginning) or go_text.has_results(beginning)
    return "" if has_values else describe_summary(beginning)


def format_name(path: Path) -> str:
    """Return the format of a file for people, empty where it is of none."""
    try:
        read_result = read_file(path, AsvReader())
    except (BrokenFile, UsageError):
        return ""
    return read_result.format.value if read_result else ""


_Reader = Callable[[Iterable[bytes], Path], Content]


def _detect_text_format(beginning: bytes) -> tuple[StoredFormat, _Reader] | None:
    """Return whose text it is, and what reads it."""
    # The header of a table decides: names below it may be as lines of other formats.
    if table := _detect_table_format(beginning):
        return table
    # Logs come next: what a build tool prints before may begin as JSON does, "[INFO]".
    if jmh_log.matches_format(beginning):
        return StoredFormat.JMH_LOG, jmh_log.parse_run
    if go_text.is_event(beginning):
        return StoredFormat.GO, go_text.parse_events
    if go_text.matches_format(beginning):
        return StoredFormat.GO, go_text.parse_run
    return None


def _detect_table_format(beginning: bytes) -> tuple[StoredFormat, _Reader] | None:
    header = beginning.partition(b"\n")[0].decode(errors="replace")
    try:
        if series_csv.delimiter_of(header):
            return StoredFormat.SERIES, lambda lines, path: (series_csv.parse_run(lines, path), ())
        return (StoredFormat.JMH_CSV, jmh_csv.parse_run) if jmh_csv.delimiter_of(header) else None
    except csv.Error:
        return None


def _parse_json_document(
    document: object, path: Path, asv: AsvReader
) -> tuple[StoredFormat, Content] | None:
    """Return whose document it is with what it holds; raises BrokenFile."""
    if isinstance(document, list):
        return _parse_json_list(document, path)
    json_object = require_mapping(document, "the whole")
    if pytest_files.matches_format(json_object):
        return StoredFormat.PYTEST, (pytest_files.parse_run(json_object, path), ())
    if asv_files.matches_format(json_object):
        return StoredFormat.ASV, asv.parse_run(json_object, path)
    if pyperf_files.matches_format(json_object):
        return StoredFormat.PYPERF, pyperf_files.parse_run(json_object, path)
    for format_, module in _WITHOUT_OTHERS:
        if module.matches_format(json_object):
            return format_, (module.parse_run(json_object, path), ())
    return None


_WITHOUT_OTHERS = (
    (StoredFormat.GOOGLE, google_benchmark),
    (StoredFormat.HYPERFINE, hyperfine),
    (StoredFormat.CRITERION, criterion),
)
"""Formats that have times only."""


def _parse_json_list(document: list[object], path: Path) -> tuple[StoredFormat, Content] | None:
    if not document:
        raise BrokenFile("an empty list, so nothing was measured; is it the right file?")
    if jmh_json.matches_format(document):
        return StoredFormat.JMH_JSON, jmh_json.parse_run(document, path)
    if corpus.matches_format(document):
        return StoredFormat.CORPUS, (corpus.parse_run(document, path), ())
    return None


def describe_summary(beginning: bytes) -> str:
    """Return what a text sums up and what to give instead; empty where it is no known summary."""
    for start, whose, give in _PATTERNS:
        if start.search(beginning):
            return f"it is {whose}, which has no single values; {give}"
    return ""


def _describe_json_summary(document: object) -> str:
    """Return the same of JSON: metrics that were made for a tool that draws them."""
    entries = document if isinstance(document, list) else [*_list_values(document)]
    first = entries[0] if entries else None
    if not isinstance(first, dict):
        return ""
    if {"name", "unit", "value"} <= set(first):
        return _describe_metrics("github-action-benchmark")
    measures = [value for value in first.values() if isinstance(value, dict)]
    if measures and all("value" in measure for measure in measures):
        return _describe_metrics("Bencher")
    return ""


def _list_values(document: object) -> list[object]:
    return [*document.values()] if isinstance(document, dict) else []


def _describe_metrics(whose: str) -> str:
    return (
        f"it has metrics for {whose}, a figure for each benchmark; give the file that the "
        "framework itself wrote"
    )
