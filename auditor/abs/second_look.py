"""A gate that would fail: the methods that make it fail are measured a second time."""

import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from auditor.abs import running
from auditor.abs.document import Document, accepted_methods
from auditor.abs.exports import long_tables
from auditor.abs.gates import MISSED, BaselineResult, find_new_misses, first_names, is_surely_missed
from auditor.abs.judge.indifference_zone import is_borderline
from auditor.abs.model import MethodVerdict
from auditor.cli.console import Console
from auditor.cli.options import CommandLine
from auditor.core.errors import NoBenchmarks, OutOfTime, UsageError
from auditor.core.request import FIRST_PART, second_seed
from auditor.core.result import Verdict
from auditor.core.units import format_duration
from auditor.store.audits import SECOND_LOOK
from reports import number_format

_LEAST_SECONDS = 10.0
"""What is left of a budget has to last so long for a second look to begin."""
_NO_TIME = "missed, and the budget left too little time to measure again"
_FOLDER = "second-look"


@dataclass(frozen=True, slots=True)
class SecondLook:
    """What became of methods that the first look has as missed."""

    methods: tuple[str, ...]
    """Those that were to be measured again."""
    detected: frozenset[str] = frozenset()
    """Those that the second look detects."""
    undecided: frozenset[str] = frozenset()
    """Those that it leaves open."""
    unmeasured: str = ""
    """Why nothing was measured again; empty where it was."""

    @classmethod
    def from_outcomes(cls, methods: Sequence[str], outcomes: Mapping[str, Verdict]) -> "SecondLook":
        """Return what the outcomes of a second look say of methods that the first has missed."""
        detected = frozenset(
            method for method in methods if outcomes.get(method) is Verdict.DETECTED
        )
        undecided = {method for method in methods if outcomes.get(method) not in MISSED} - detected
        return cls(tuple(methods), detected, frozenset(undecided))

    @property
    def unsure_methods(self) -> frozenset[str]:
        """Return the methods that decide no gate."""
        return frozenset(self.methods) if self.unmeasured else self.detected | self.undecided

    def describe_outcome(self) -> Iterator[str]:
        """Yield a line for each thing that came out."""
        if self.unmeasured:
            yield f"second look: unsure of {first_names(self.methods)}: {self.unmeasured}"
            return
        for names, outcome_text in (
            (self.detected, "missed at first, detected when measured again"),
            (self.undecided, "missed at first, undecided when measured again"),
        ):
            if names:
                yield f"second look: unsure of {first_names(sorted(names))}: {outcome_text}"
        if missed_count := len(self.methods) - len(self.unsure_methods):
            yield f"second look: {number_format.format_count(missed_count, 'method')} missed again"


def list_suspected_misses(
    document: Document, least: float | None, baseline: BaselineResult | None
) -> list[str]:
    """Return the methods whose misses make a gate fail, in their order."""
    new = set() if baseline is None else set(find_new_misses(document, baseline))
    accepted = accepted_methods(document.accepted)
    return [
        method.id
        for method in document.methods
        if is_surely_missed(method)
        and method.id not in accepted
        and (least is not None or method.id in new)
    ]


def second_look_changes(document: Document, methods: Sequence[str], seed: int) -> dict[str, Any]:
    """Return what the configuration of a second look has in the place of the first's.

    Benchmarks that reach none of the methods are left out, unless no benchmark reached one of them.
    """
    unreached = {method.id for method in document.methods if method.outcome is Verdict.UNREACHED}
    look_changes: dict[str, Any] = {
        "methods": list(methods),
        "seed": second_seed(seed),
        "controls": 0,
        "curve": "none",
    }
    if unreached.isdisjoint(methods):
        reaching = sorted(
            {
                pair.benchmark
                for pair in document.pairs
                if pair.method in {*methods} and pair.outcome is not Verdict.UNREACHED
            }
        )
        if reaching:
            look_changes["benchmarks"] = f"^({'|'.join(map(re.escape, reaching))})$"
    return look_changes


def take_second_look(
    command_line: CommandLine, methods: Sequence[str], start_time: float
) -> SecondLook:
    """Measure the methods anew; `start_time` is that of the first look."""
    budget = command_line.config.request.suite.budget_seconds
    if budget is not None:
        left = budget - (time.monotonic() - start_time)
        if left < _LEAST_SECONDS:
            return make_unmeasured(methods)
        command_line = _with_budget(command_line, left)
    folder = command_line.places.output / _FOLDER
    command_line = replace(command_line, places=replace(command_line.places, output=folder))
    try:
        document, _ = running.make_result(
            command_line,
            lambda audit: audit.store_document(audit.measure_score(SECOND_LOOK)),
            running.ABS,
        )
    except (UsageError, OutOfTime, NoBenchmarks) as error:
        return SecondLook(tuple(methods), unmeasured=f"missed, and not measured again: {error}")
    return SecondLook.from_outcomes(
        methods, list_sure_outcomes(long_tables.require_methods(document).methods)
    )


def list_sure_outcomes(methods: Iterable[MethodVerdict]) -> dict[str, Verdict]:
    """Return the outcome of each method; a borderline one counts as open."""
    return {
        method.id: Verdict.INCONCLUSIVE if is_borderline(method.caveats) else method.outcome
        for method in methods
    }


def make_unmeasured(methods: Sequence[str], reason: str = _NO_TIME) -> SecondLook:
    """Return what becomes of methods that cannot be measured again, such as at a budget's end."""
    return SecondLook(tuple(methods), unmeasured=reason)


def limit_first_look(command_line: CommandLine) -> CommandLine:
    """Return what the first look is asked, so that a budget leaves time for the second."""
    budget = command_line.config.request.suite.budget_seconds
    if budget is None:
        return command_line
    reserved_time = format_duration((1 - FIRST_PART) * budget)
    Console(command_line.surroundings.environment, quiet=command_line.quiet).print_note(
        f"of the budget {reserved_time} are kept for a second look at what would make a gate fail"
    )
    return _with_budget(command_line, FIRST_PART * budget)


def _with_budget(command_line: CommandLine, seconds: float) -> CommandLine:
    request = command_line.config.request
    suite = replace(request.suite, budget_seconds=seconds)
    return replace(
        command_line, config=replace(command_line.config, request=replace(request, suite=suite))
    )
