"""The matrix in the mutation-testing report schema, version 2, so that its viewers open it.

The format: https://github.com/stryker-mutator/mutation-testing-elements (packages/report-schema).
A method is a mutant, "slowed"; a benchmark is a test; to detect is to kill.
"""

import json
from collections.abc import Iterable, Mapping, Sequence

from auditor.abs.document import Document
from auditor.abs.model import MethodVerdict
from auditor.abs.text import words
from auditor.core.result import Verdict
from auditor.core.subject import Span
from auditor.languages.registry import LANGUAGES
from reports import names, number_format
from reports.results import PlainFields

UNPLACED = "methods without a place in the source"
"""The file of methods of which it is not known where they are."""
LONGEST = 100_000
"""Lines of a file whose text is not known; what is behind them is shown in the last."""

_STATUS = {
    Verdict.DETECTED: "Killed",
    Verdict.MISSED: "Survived",
    Verdict.UNREACHED: "NoCoverage",
    Verdict.CRASHED: "RuntimeError",
    Verdict.INVALID: "CompileError",
    Verdict.REFUSED: "Ignored",
    # Viewers count "Timeout" as detected; here it is open what the benchmark would have shown.
    Verdict.TIMED_OUT: "Pending",
}


def format_mutation(document: Document, sources: Mapping[str, str] | None = None) -> str:
    """Return the report; `sources` are the texts of files by the names that spans have.

    Where the text is missing, or too short for the spans in it, lines with the methods' names
    stand for it.
    """
    placed: dict[str, list[MethodVerdict]] = {}
    for method in document.methods:
        file = names.escape_line(method.span.file) if method.span else UNPLACED
        placed.setdefault(file, []).append(method)
    accepted = {miss.method: miss.reason for miss in document.accepted if miss.left_out}
    texts = {names.escape_line(file): text for file, text in (sources or {}).items()}
    report = {
        "schemaVersion": "2.0",
        "thresholds": {"high": 80, "low": 60},
        "framework": {"name": "bench-audit", "version": document.bench_audit},
        "config": {
            "subject": document.subject,
            "revision": document.revision,
            "slowdown": document.slowdown,
            "rule": document.rule.value,
            "estimate": words.is_estimate(document),
            "seed": document.seed,
        },
        "files": {
            file: _build_file(document, methods, texts.get(file), accepted)
            for file, methods in sorted(placed.items())
        },
        "testFiles": _group_benchmarks(document),
    }
    return json.dumps(report, indent=1, allow_nan=False) + "\n"


def _build_file(
    document: Document,
    methods: Sequence[MethodVerdict],
    text: str | None,
    accepted: Mapping[str, str],
) -> PlainFields:
    spans = {
        verdict.id: verdict.span or Span("", number, number)
        for number, verdict in enumerate(methods, 1)
    }
    # Not `splitlines`, which knows more ends of lines than compilers and viewers do.
    lines = [] if text is None else text.removesuffix("\n").split("\n")
    if text is None or max(span.last_line for span in spans.values()) > len(lines):
        lines = _make_substitute_lines(methods, spans)
        text = "\n".join(lines) + "\n"
    return {
        "language": document.language,
        "source": text,
        "mutants": [
            {
                **_build_mutant(method, document, accepted),
                "location": _convert_span(spans[method.id], lines),
            }
            for method in methods
        ],
    }


def _make_substitute_lines(
    methods: Iterable[MethodVerdict], spans: Mapping[str, Span]
) -> list[str]:
    """Return a text in which each method's first line is its name, and other lines are empty."""
    lines = [""] * _clip_line(max(span.last_line for span in spans.values()), LONGEST)
    for method in methods:
        index = _clip_line(spans[method.id].first_line, len(lines)) - 1
        lines[index] = f"{lines[index]} {names.format_label(method.id)}".strip()
    return lines


def _clip_line(line: int, last: int) -> int:
    return max(1, min(line, last))


def _convert_span(span: Span, lines: Sequence[str]) -> PlainFields:
    """Return a span as positions, the end exclusive; both count from one."""
    first = _clip_line(span.first_line, len(lines))
    last = max(first, _clip_line(span.last_line, len(lines)))
    end = len(lines[last - 1]) + 1
    return {"start": {"line": first, "column": 1}, "end": {"line": last, "column": end}}


def _build_mutant(
    method: MethodVerdict, document: Document, accepted: Mapping[str, str]
) -> PlainFields:
    name = names.format_label(method.id)
    size = (
        "" if document.slowdown is None else f" by {number_format.format_share(document.slowdown)}"
    )
    prefix = "by estimate, slowed" if words.is_estimate(document) else "slowed"
    reason = accepted.get(method.id)
    mutant: PlainFields = {
        "id": method.id,
        "mutatorName": "Slowdown",
        "description": f"{prefix} {name}{size}",
        "replacement": f"slowed {name}",
        "status": _STATUS.get(method.outcome, "Pending") if reason is None else "Ignored",
        "coveredBy": list(dict.fromkeys((*method.reached_by, *method.detected_by))),
        "killedBy": list(method.detected_by),
    }
    status_reason = method.reason or (
        None if method.outcome is Verdict.DETECTED else method.outcome.value
    )
    if reason is not None:
        status_reason = f"accepted: {reason}"
    if status_reason is not None:
        mutant["statusReason"] = names.escape_invisible(status_reason)
    return mutant


def _group_benchmarks(document: Document) -> PlainFields:
    """Return the benchmarks by package or class."""
    groups: dict[str, list[PlainFields]] = {}
    for benchmark in document.benchmarks:
        group, name = LANGUAGES.split_benchmark(benchmark.id, document.language)
        test: PlainFields = {"id": benchmark.id, "name": names.format_label(name)}
        groups.setdefault(names.escape_line(group), []).append(test)
    return {group: {"tests": tests} for group, tests in sorted(groups.items())}
