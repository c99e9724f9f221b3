"""Comparisons of two revisions, made up."""

from dataclasses import replace

from builders import CONTEXT

from auditor.compare.document import build_comparison_document
from auditor.compare.judge import ComparisonThresholds, judge_dimension
from auditor.compare.model import BenchmarkComparison, Comparison, Dimension, Patch, Rounds
from auditor.core.caveats import Caveat

LIMITS = ComparisonThresholds(min_delta=0.05, fresh=8)


def benchmark(name, head=1.0, *, fresh=True, allocations=None):
    """Return the comparison of a benchmark that takes `head` times as long."""
    rounds = tuple((1e-6, 1.001e-6, head * 1e-6 * (1 + index / 1000)) for index in range(6))
    judged = [
        judge_dimension(Dimension.TIME, Rounds(first=rounds, fresh=rounds if fresh else ()), LIMITS)
    ]
    if allocations is not None:
        counts = ((*allocations[:1], *allocations),) * 4
        judged.append(
            judge_dimension(Dimension.ALLOCATIONS, Rounds(first=counts, fresh=counts), LIMITS)
        )
    return BenchmarkComparison(id=name, dimensions=tuple(judged))


def build_comparison(*benchmarks, **more):
    comparison = Comparison(
        min_delta=0.05,
        benchmarks=benchmarks,
        added=more.pop("added", ()),
        removed=more.pop("removed", ()),
        controls=len(benchmarks),
        suspected=(),
        **more,
    )
    context = replace(CONTEXT, subject="example.org/ring", revision="v1.6.0")
    return build_comparison_document(comparison, context, base="b" * 40)


def full_comparison():
    return build_comparison(
        benchmark("example.org/ring.BenchmarkPush", 1.3),
        benchmark("example.org/ring.BenchmarkPop", 0.7),
        benchmark("example.org/ring.BenchmarkLen", allocations=(0.0, 1.0)),
        benchmark("example.org/ring.BenchmarkDo", 1.2, fresh=False),
        BenchmarkComparison(id="example.org/ring.BenchmarkSame", same=True),
        BenchmarkComparison(id="example.org/ring.BenchmarkBroken", reason="it fails in head: no"),
        added=("example.org/ring.BenchmarkNew",),
        removed=("example.org/ring.BenchmarkOld",),
        patch=Patch(
            changed=("example.org/ring.Push",), added=("example.org/ring.Twice",), removed=()
        ),
        caveats=(Caveat("no-source", "3 methods have no source here"),),
    )
