"""Which smells of benchmarks are said: those asked for, not those that a marker allows."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from auditor.core.caveats import Caveat, list_some
from auditor.core.comments import comments_above
from auditor.core.contracts.lint import (
    EvidenceState,
    Linter,
    LintEvidence,
    LintResult,
    Smell,
    SmellFinding,
    SmellRule,
    TimedBenchmark,
)
from auditor.core.errors import UsageError
from auditor.core.subject import SourceFile

CLEARLY = 1.25
"""How much more time calls must need alone than there is: both are measured, with noise. What calls
need and what there is are equal, where they differ by no more than that."""
SHORT_SECONDS = 1e-3
"""Where set-up for each invocation is right by JMH's documentation of `Level.Invocation`."""
EMPTY_SECONDS = 5e-10
"""What an operation takes at most of which nothing is left but the loop around it.

A turn of an empty loop is one cycle. Where a processor is so slow, or shared, that it needs longer
for one, nothing is told.
"""
_INVOCATION = "jmh-invocation-setup"
_BESIDE_NAMES = re.compile(r"\(.*|\[[^\]]*\]")
"""Types of parameters and type arguments."""

MARKER = "bench-audit:allow"
_NAMES = re.compile(rb"[\w-]+(?:,[\w-]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSelection:
    """Which rules are looked for: those named, or all that are on; less those left out.

    `is_everything` also has the rules that are off.
    """

    named: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    is_everything: bool = False

    def select_rules(self, rules: Sequence[SmellRule]) -> tuple[SmellRule, ...]:
        """Return the rules that are wanted; raises UsageError for a name that is none."""
        rule_ids = {rule.id for rule in rules}
        for name in (*self.named, *self.left_out):
            _require_rule(name, rule_ids)
        selected_rules = tuple(
            rule
            for rule in rules
            if rule.id not in self.left_out
            and (rule.id in self.named or (not self.named and (rule.on or self.is_everything)))
        )
        if not selected_rules:
            raise UsageError("the options leave out every chosen rule; leave out fewer")
        return selected_rules


def _require_rule(name: str, rule_ids: Iterable[str], location: str = "") -> None:
    """Raise UsageError where nothing is called so."""
    if name not in rule_ids:
        place = f"{location}: " if location else ""
        raise UsageError(
            f"{place}no rule is called {name!r}; there are {', '.join(sorted(rule_ids))}"
        )


@dataclass(slots=True)
class _AllowMarker:
    """A comment that allows smells, and whether there is one."""

    location: str
    rules: tuple[str, ...]
    reason: str
    used: bool = False


@dataclass(slots=True)
class _MarkerIndex:
    """The markers of the files of one language."""

    comment: bytes
    lines: dict[str, Sequence[bytes]] = field(default_factory=dict)
    by_file: dict[str, dict[int, _AllowMarker]] = field(default_factory=dict)

    def find_reason(self, smell: Smell) -> str:
        """Return why a smell is allowed, empty where it is not."""
        markers = self.by_file.get(smell.span.file, {})
        for number in self._list_marker_lines(smell) if markers else ():
            marker = markers.get(number)
            if marker is not None and smell.rule in marker.rules:
                marker.used = True
                return marker.reason
        return ""

    def _list_marker_lines(self, smell: Smell) -> Iterator[int]:
        """Yield the lines in which a marker for it may be."""
        lines = self.lines[smell.span.file]
        for first in dict.fromkeys((smell.span.first_line, smell.top)):
            yield first
            yield from (number for number, _ in comments_above(lines, first, self.comment))


def _find_markers(sources: Iterable[SourceFile], comment: str, rule_ids: set[str]) -> _MarkerIndex:
    begin = comment.encode()
    pattern = re.compile(re.escape(begin) + rb"\s*" + MARKER.encode() + rb"(?!\S)[ \t]*(.*)")
    markers = _MarkerIndex(begin)
    for source in sources:
        if MARKER.encode() not in source.text:
            continue
        lines = source.text.split(b"\n")
        markers.lines[source.path] = lines
        for number, line in enumerate(lines, 1):
            if match := pattern.search(line):
                location = f"{source.path}:{number}"
                marker = _parse_marker(match[1].strip(), location, rule_ids)
                markers.by_file.setdefault(source.path, {})[number] = marker
    return markers


def _parse_marker(text: bytes, location: str, rule_ids: set[str]) -> _AllowMarker:
    named, _, reason = text.partition(b" ")
    if not _NAMES.fullmatch(named):
        raise UsageError(f"{location}: {MARKER} has no rule; write a rule and a reason")
    rules = tuple(named.decode().split(","))
    for name in rules:
        _require_rule(name, rule_ids, location)
    if not reason.strip():
        raise UsageError(f"{location}: {MARKER} has no reason; write one after {rules[-1]}")
    return _AllowMarker(location, rules, reason.strip().decode(errors="replace"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LinterInput:
    """A linter, the files that it is given, and those too large to be looked at."""

    linter: Linter
    files: tuple[SourceFile, ...]
    large: tuple[SourceFile, ...] = ()


def _place_of(finding: SmellFinding) -> tuple[str, int, str]:
    span = finding.smell.span
    return span.file, span.first_line, finding.rule.id


def run_linters(
    looks: Sequence[LinterInput],
    selection: RuleSelection,
    timed_benchmarks: Sequence[TimedBenchmark] = (),
) -> LintResult:
    """Return what is wrong with the sources.

    `timed_benchmarks` bear findings out or not. Raises UsageError for a rule that is none.
    """
    all_rules = [rule for look in looks for rule in look.linter.rules]
    rules, rule_ids = selection.select_rules(all_rules), {rule.id for rule in all_rules}
    by_id = {rule.id: rule for rule in rules}
    benchmarks: list[str] = []
    findings: list[SmellFinding] = []
    unread: list[str] = []
    skipped: list[str] = []
    needless: list[str] = []
    applied: dict[str, int] = {}
    for reading in looks:
        source_findings = reading.linter.find_smells(reading.files)
        benchmarks += source_findings.benchmarks
        applied |= {rule.id: len(source_findings.benchmarks) for rule in reading.linter.rules}
        unread += source_findings.unread
        skipped += source_findings.skipped
        unread += (source.path for source in reading.large if reading.linter.may_hold(source))
        markers = _find_markers(reading.files, reading.linter.comment_prefix, rule_ids)
        findings += [
            _judge_smell(smell, by_id[smell.rule], markers, timed_benchmarks)
            for smell in source_findings.smells
            if smell.rule in by_id
        ]
        needless += _list_needless_markers(markers, by_id)
    findings.sort(key=_place_of)
    return LintResult(
        rules=rules,
        benchmarks=tuple(benchmarks),
        findings=tuple(findings),
        # A gate is undecided where nothing could be read.
        unread=tuple(unread if benchmarks else [*unread, *skipped]),
        applied=applied,
        caveats=(
            *_list_caveats(needless, unread, skipped),
            *_explain_silence(benchmarks, findings),
        ),
    )


def _judge_smell(
    smell: Smell,
    rule: SmellRule,
    markers: _MarkerIndex,
    timed_benchmarks: Sequence[TimedBenchmark],
) -> SmellFinding:
    return SmellFinding(
        rule=rule,
        smell=smell,
        allowed=markers.find_reason(smell),
        proof=_find_evidence(smell, timed_benchmarks),
    )


def _list_needless_markers(markers: _MarkerIndex, looked_for: Mapping[str, SmellRule]) -> list[str]:
    return [
        marker.location
        for markers_by_line in markers.by_file.values()
        for marker in markers_by_line.values()
        if not marker.used and all(rule in looked_for for rule in marker.rules)
    ]


def _explain_silence(
    benchmarks: Sequence[str], findings: Sequence[SmellFinding]
) -> Iterator[Caveat]:
    """Yield what no finding means, where there is none."""
    if benchmarks and not findings:
        text = (
            "rules read source code only: they miss types of other libraries, code that the "
            "compiler removes, and times; bench-audit abs measures what a suite misses"
        )
        yield Caveat("lint-silence", text)


def _list_caveats(
    needless: Sequence[str], unread: Sequence[str], skipped: Sequence[str]
) -> Iterator[Caveat]:
    if needless:
        yield Caveat(
            "needless-allow",
            f"allow markers where the rule finds nothing: {list_some(needless)}; remove them",
        )
    if unread:
        text = (
            "files with benchmarks were skipped, as their syntax is broken or they are too large: "
            f"{list_some(unread)}"
        )
        yield Caveat("lint-unread", text)
    if skipped:
        text = (
            "rules do not read Kotlin, Scala or Groovy, so files with benchmarks were skipped: "
            f"{list_some(skipped)}; bench-audit abs audits such benchmarks"
        )
        yield Caveat("lint-unread", text)


def _find_evidence(smell: Smell, benchmarks: Sequence[TimedBenchmark]) -> LintEvidence | None:
    """Return whether a run bears a smell out, None where it does not tell.

    Calls whose results nobody uses were removed where they take longer alone than the operation
    that makes them; a slowdown that is detected proves nothing, since what slows them down keeps
    them from being removed.
    """
    timings = list(_timing_of(smell.benchmark, benchmarks))
    if not timings or smell.overlapping:
        return None
    if smell.rule == _INVOCATION:
        return _check_short_invocation(timings)
    return None if smell.calls is None else _check_removed_calls(timings, smell.calls)


def _timing_of(name: str, benchmarks: Sequence[TimedBenchmark]) -> Iterator[TimedBenchmark]:
    """Yield what was measured of a benchmark; nothing where several are called so."""
    pattern = re.compile(rf"(?:^|[./:]){re.escape(name)}(?=$|[^\w.])")
    matches = [
        (match, timing) for timing in benchmarks if (match := pattern.search(timing.benchmark))
    ]
    if name and len({timing.benchmark[: match.start()] for match, timing in matches}) == 1:
        yield from (timing for _, timing in matches)


def _check_short_invocation(benchmarks: Sequence[TimedBenchmark]) -> LintEvidence:
    shortest = min(timing.seconds for timing in benchmarks)
    text = f"an invocation takes {shortest:.3g} s"
    return LintEvidence(
        EvidenceState.CONFIRMED if shortest < SHORT_SECONDS else EvidenceState.REFUTED, text
    )


def _check_removed_calls(
    benchmarks: Sequence[TimedBenchmark], calls: Sequence[str]
) -> LintEvidence | None:
    shortest = min(benchmarks, key=lambda benchmark: benchmark.seconds)
    if shortest.seconds < EMPTY_SECONDS:
        text = f"an operation of {shortest.benchmark} takes {shortest.seconds:.3g} s: an empty loop"
        return LintEvidence(EvidenceState.CONFIRMED, text)
    needs = [(_sum_call_seconds(calls, benchmark), benchmark) for benchmark in benchmarks]
    for needed, timing in needs:
        if needed > CLEARLY * timing.seconds:
            text = (
                f"the calls of {', '.join(calls)} take {needed:.3g} s alone, an operation "
                f"of {timing.benchmark} takes {timing.seconds:.3g} s"
            )
            return LintEvidence(EvidenceState.CONFIRMED, text)
    # Where an operation takes longer, other work may take the time.
    if all(benchmark.seconds / CLEARLY <= needed for needed, benchmark in needs):
        text = f"operations take as long as their calls of {', '.join(calls)} need"
        return LintEvidence(EvidenceState.REFUTED, text)
    return None


def _sum_call_seconds(calls: Sequence[str], timing: TimedBenchmark) -> float:
    """Return the seconds that the calls of an operation take alone, 0 where it is not known whose.

    Of two methods with the name of a call nobody knows which one is called.
    """
    named = [[call for call in timing.calls if _matches_name(call.method, name)] for name in calls]
    if any(len(rates) != 1 for rates in named):
        return 0.0
    return sum(rates[0].per_operation * rates[0].seconds for rates in named)


def _matches_name(method: str, name: str) -> bool:
    bare_name = _BESIDE_NAMES.sub("", method)
    return bare_name == name or bare_name.endswith((f".{name}", f"/{name}"))
