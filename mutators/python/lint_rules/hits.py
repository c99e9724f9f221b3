"""What a rule finds."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import libcst as cst

from auditor.core.contracts.lint import Confidence, SmellRule
from mutators.python.lint_rules.benchmark_discovery import BenchmarkSource
from mutators.python.lint_rules.project import PythonProject


@dataclass(frozen=True, eq=False, kw_only=True)
class Hit:
    """One place that a rule has found, in the file of the benchmark.

    `head` is the declaration that the place belongs to, where it is not the benchmark's;
    `shared` says that it belongs to several benchmarks.
    """

    rule: SmellRule
    bench: BenchmarkSource
    node: cst.CSTNode
    text: str
    head: cst.CSTNode | None = None
    shared: bool = False
    sure: Confidence | None = None


Search = Callable[[BenchmarkSource, PythonProject], Iterator[Hit]]
