"""The command line in this process, with an audit that answers from memory."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from builders import CONTEXT, benchmark_verdict_of, method_verdict_of, pair_verdict_of

from auditor.abs import document_of_verdict
from auditor.abs.assemble import open_audit
from auditor.abs.document import AbsOrStability
from auditor.abs.model import AbsVerdict, Cover, MethodVerdict, PairVerdict, RuleCount, Score
from auditor.abs.page import report as pages
from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.core.caveats import Caveat
from auditor.core.request import DetectionRule
from auditor.core.result import Verdict
from auditor.core.stability import Bucket, BucketCount, Stability
from auditor.measure.planning.expected_time import ExpectedTime
from auditor.measure.planning.preview import NOTHING, Inventory, Preview
from auditor.measure.planning.rehearsal import PreviewPhase


def score(covered: int = 1, undecided: int = 0, counted: int = 2) -> Score:
    low, high = 100 * covered / (counted or 1), 100 * (covered + undecided) / (counted or 1)
    is_scored = counted > 0
    return Score(
        percent=low if is_scored else None,
        bounds=(low, high) if is_scored else None,
        covered=covered,
        counted=counted,
        excluded_benchmarks=(),
    )


def stability(spread: float | None = 0.02) -> Stability:
    benchmark = benchmark_verdict_of(
        id="example.org/ring.BenchmarkPush",
        max_spread=spread,
        bucket=None if spread is None else Bucket.BELOW_5,
        means=(1e-9, 1.02e-9) if spread is not None else (),
        runs=2,
        seconds=1.0,
        unique=("example.org/ring.Push",),
    )
    buckets = tuple(BucketCount(bucket, int(bucket is Bucket.BELOW_5), 0.0) for bucket in Bucket)
    return Stability(benchmarks=(benchmark,), buckets=buckets, suite_seconds=(2.0, 2.2), runs=2)


def pair(outcome: Verdict, effect: float | None) -> PairVerdict:
    return pair_verdict_of(
        method="example.org/ring.Push",
        benchmark="example.org/ring.BenchmarkPush",
        outcome=outcome,
        effect=effect,
    )


def method(outcome: Verdict) -> MethodVerdict:
    return method_verdict_of(id="example.org/ring.Push", outcome=outcome)


def verdict(total: Score) -> AbsVerdict:
    return AbsVerdict(
        slowdown=0.6,
        slowdown_source="fixed",
        rule=DetectionRule.OURS,
        total=total,
        relative=total,
        absolute=total,
        whole_list=None,
        methods=(
            method_verdict_of(
                id="example.org/ring.Push",
                outcome=Verdict.DETECTED,
                detected_by=("example.org/ring.BenchmarkPush",),
                reached_by=("example.org/ring.BenchmarkPush",),
            ),
            method_verdict_of(id="example.org/ring.[red]Pop", outcome=Verdict.UNREACHED),
        ),
        pairs=(),
        stability=stability(),
        cover=Cover(benchmarks=("example.org/ring.BenchmarkPush",), minimum=1, exact=True),
        rules=(RuleCount("test only", 1), RuleCount("effect only", 1), RuleCount("both", 1)),
        caveats=(Caveat("few-runs", "two runs are few"),),
    )


def phase(name: str, trials: int, stored: int, seconds: float) -> PreviewPhase:
    return PreviewPhase(name=name, trials=trials, stored_count=stored, seconds=seconds)


def preview(inventory: Inventory = NOTHING) -> Preview:
    return Preview(
        phases=(phase("suite", 40, 8, 130.0), phase("pairs", 20, 0, 60.0)),
        caveats=(Caveat("few-pairs", "no outcome can be significant"),),
        expected=EXPECTED,
        inventory=inventory,
    )


EXPECTED = ExpectedTime(100.0, 180.0, 150.0)


@dataclass
class FakeAudit:
    total: Score = field(default_factory=score)
    spread: float | None = 0.02
    failure: BaseException | None = None
    changes: dict[str, Any] = field(default_factory=dict)
    inventory: Inventory = NOTHING

    def plan_audit(self) -> Preview:
        return preview(self.inventory)

    def plan_suite(self) -> Preview:
        return Preview((phase("suite runs", 40, 8, 130.0),), (), EXPECTED)

    def measure_score(self, command: str = "abs") -> AbsVerdict:
        if self.failure is not None:
            raise self.failure
        return replace(verdict(self.total), **self.changes)

    def judge_stored_runs(self) -> AbsVerdict:
        return replace(
            self.measure_score(), caveats=(Caveat("so-far", "nothing was run for this"),)
        )

    def measure_stability(self) -> Stability:
        return stability(self.spread)

    def store_document(self, audit_verdict: AbsVerdict | Stability) -> AbsOrStability:
        if isinstance(audit_verdict, AbsVerdict):
            return document_of_verdict.build_abs_document(audit_verdict, CONTEXT)
        return document_of_verdict.stability_document(audit_verdict, CONTEXT)

    def render_report(self, document: AbsOrStability) -> str:
        return pages.render_page(document)


@dataclass
class Stage:
    """Runs commands with `audit` behind them, `later` from the second time on, if there is one."""

    home: str
    audit: FakeAudit = field(default_factory=FakeAudit)
    later: FakeAudit | None = None
    opened: list[Any] = field(default_factory=list)

    def call(self, *arguments: str, **environment: str) -> int:
        surroundings = AppContext(
            environment={"HOME": self.home, **environment}, replacements={open_audit: self._open}
        )
        return main(arguments, surroundings=surroundings)

    def with_audit(self, **changes: Any) -> "Stage":
        return replace(self, audit=FakeAudit(**changes), opened=[])

    @contextmanager
    def _open(self, config, places, environment, observer) -> Iterator[FakeAudit]:
        self.opened.append((config, places))
        yield self.later if self.later is not None and len(self.opened) > 1 else self.audit
