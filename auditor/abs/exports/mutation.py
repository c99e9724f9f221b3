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
from reports.results import Plain

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
        file = names.line(method.span.file) if method.span else UNPLACED
        placed.setdefault(file, []).append(method)
    accepted = {miss.method: miss.reason for miss in document.accepted if miss.left_out}
    known = {names.line(file): text for file, text in (sources or {}).items()}
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
            file: _file(document, methods, known.get(file), accepted)
            for file, methods in sorted(placed.items())
        },
        "testFiles": _tests(document),
    }
    return json.dumps(report, indent=1, allow_nan=False) + "\n"


def _file(
    document: Document,
    methods: Sequence[MethodVerdict],
    text: str | None,
    accepted: Mapping[str, str],
) -> Plain:
    spans = {verdict.id: verdict.span or _line(number) for number, verdict in enumerate(methods, 1)}
    # Not `splitlines`, which knows more ends of lines than compilers and viewers do.
    lines = [] if text is None else text.removesuffix("\n").split("\n")
    if text is None or max(span.last_line for span in spans.values()) > len(lines):
        lines = _stand_in(methods, spans)
        text = "\n".join(lines) + "\n"
    return {
        "language": document.language,
        "source": text,
        "mutants": [
            {**_mutant(method, document, accepted), "location": _location(spans[method.id], lines)}
            for method in methods
        ],
    }


def _line(at: int) -> Span:
    return Span("", at, at)


def _stand_in(methods: Iterable[MethodVerdict], spans: Mapping[str, Span]) -> list[str]:
    """Return a text in which each method's first line is its name, and other lines are empty."""
    lines = [""] * _clip_line(max(span.last_line for span in spans.values()), LONGEST)
    for method in methods:
        at = _clip_line(spans[method.id].first_line, len(lines)) - 1
        lines[at] = f"{lines[at]} {names.label(method.id)}".strip()
    return lines


def _clip_line(line: int, last: int) -> int:
    return max(1, min(line, last))


def _location(span: Span, lines: Sequence[str]) -> Plain:
    """Return a span as positions, the end exclusive; both count from one."""
    first = _clip_line(span.first_line, len(lines))
    last = max(first, _clip_line(span.last_line, len(lines)))
    end = len(lines[last - 1]) + 1
    return {"start": {"line": first, "column": 1}, "end": {"line": last, "column": end}}


def _mutant(method: MethodVerdict, document: Document, accepted: Mapping[str, str]) -> Plain:
    name = names.label(method.id)
    size = "" if document.slowdown is None else f" by {number_format.share(document.slowdown)}"
    how = "by estimate, slowed" if words.is_estimate(document) else "slowed"
    reason = accepted.get(method.id)
    found: Plain = {
        "id": method.id,
        "mutatorName": "Slowdown",
        "description": f"{how} {name}{size}",
        "replacement": f"slowed {name}",
        "status": _STATUS.get(method.outcome, "Pending") if reason is None else "Ignored",
        "coveredBy": list(dict.fromkeys((*method.reached_by, *method.detected_by))),
        "killedBy": list(method.detected_by),
    }
    said = method.reason or (None if method.outcome is Verdict.DETECTED else method.outcome.value)
    if reason is not None:
        said = f"accepted: {reason}"
    if said is not None:
        found["statusReason"] = names.seen(said)
    return found


def _tests(document: Document) -> Plain:
    """Return the benchmarks by package or class."""
    groups: dict[str, list[Plain]] = {}
    for benchmark in document.benchmarks:
        group, name = LANGUAGES.split_benchmark(benchmark.id, document.language)
        test: Plain = {"id": benchmark.id, "name": names.label(name)}
        groups.setdefault(names.line(group), []).append(test)
    return {group: {"tests": tests} for group, tests in sorted(groups.items())}
