"""What a rule finds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from auditor.core.contracts.lint import Confidence, SmellRule
from mutators.python.lint_rules.benchmark_discovery import BenchmarkSource
from mutators.python.lint_rules.project import PythonProject


@dataclass(frozen=True, eq=False, kw_only=True)
class RuleHit:
    """One place that a rule reports, in the file of the benchmark."""

    rule: SmellRule  # that reports it
    bench: BenchmarkSource  # the benchmark
    node: cst.CSTNode  # the place
    text: str  # a sentence on this place
    head: cst.CSTNode | None = None  # declaration that the place belongs to; None: the benchmark's
    shared: bool = False  # whether the place belongs to several benchmarks
    sure: Confidence | None = None  # confidence; None: that of the rule


Search = Callable[[BenchmarkSource, PythonProject], Iterator[RuleHit]]
