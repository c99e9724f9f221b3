"""Summaries that tools print or export: told by how they begin, and which option keeps the values.

They have one figure for a benchmark, rounded mostly, so there is nothing to judge.
"""

import re

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


def describe_summary(beginning: bytes) -> str:
    """Return what a text sums up and what to give instead; empty where it is no known summary."""
    for start, whose, give in _PATTERNS:
        if start.search(beginning):
            return f"it is {whose}, which has no single values; {give}"
    return ""


def describe_json_summary(document: object) -> str:
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
