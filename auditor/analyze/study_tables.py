"""Tables of the research tools, judged by the paper's rule.

A table tells less than an audit knows. What is missing in it is undecided here: the tools leave
the rows of a benchmark out when it times out or crashes, so nobody can say what became of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from auditor.abs.judge import abs_score, detection
from auditor.abs.judge.abs_score import AbsData, MethodData
from auditor.abs.judge.pair import PairData
from auditor.abs.model import AbsVerdict, PairVerdict
from auditor.analyze import study
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.outcome import Outcome, Unreadable
from auditor.core.plan import Run
from auditor.core.request import DetectionRule
from auditor.core.stability import Stability
from auditor.core.subject import Language, Method
from auditor.core.suite import Benchmark
from auditor.importers.checking import LONGEST, SHORTEST
from auditor.importers.research_tools.layout import ProcessValues
from auditor.measure import stability_judge
from auditor.measure.stability_judge import slowdown_size
from reports.number_format import format_count


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """A table, and how to judge it.

    More runs than the table has are missing ones.
    """

    rows: tuple[ProcessValues, ...] = field(repr=False)  # its values
    language: Language  # of the subject
    digest: str  # identifies the table
    slowdown: float | None = None  # v, 0.6 for 60 %; None: from the spreads
    runs: int | None = None
    """Number of runs of the slowed suites, the first of the table; None: all that it has."""
    stability_runs: int | None = None  # likewise of the plain suite

    @property
    def first_run(self) -> int:
        """Return the lowest number of a run."""
        return min(row.run for row in self.rows)

    @property
    def required_runs(self) -> int:
        """Return how many runs of a pair have to agree."""
        last = max((row.run for row in self.rows if row.method is not None), default=self.first_run)
        return self.runs or last + 1 - self.first_run

    @property
    def required_plain_runs(self) -> int:
        """Return how many runs of the plain suite there have to be."""
        return self.stability_runs or max(row.run for row in self.rows) + 1 - self.first_run


def judge_table_rows(question: TableRequest) -> AbsVerdict | Stability:
    """Judge a table by the rule `paper`; the stability alone where no method is slowed in it.

    Raises UsageError where the slowdown cannot be sized.
    """
    runs = _TableRuns(question)
    steady = _judge_stability(runs)
    if not runs.methods:
        return steady
    slowdown = question.slowdown or _choose_slowdown(steady)
    pairs = [pair for method in runs.methods for pair in _judge_pairs(runs, method, slowdown)]
    verdict = abs_score.judge_audit(
        AbsData(
            slowdown=slowdown,
            slowdown_source="auto" if question.slowdown is None else "fixed",
            rule=DetectionRule.PAPER,
            methods=tuple(MethodData(method=method) for method in runs.methods),
            pairs=tuple(pairs),
            stability=steady,
        )
    )
    # Nobody has counted calls: values with a slowed method do not tell that it is called.
    return replace(
        verdict, methods=tuple(replace(method, reached_by=()) for method in verdict.methods)
    )


class _TableRuns:
    """The table as runs: of the plain suite by benchmark, of the slowed ones by pair."""

    def __init__(self, question: TableRequest) -> None:
        rows = question.rows
        self._digest, self._first = question.digest, question.first_run
        self.wanted, self.wanted_plain = question.required_runs, question.required_plain_runs
        self.benchmarks = tuple(
            Benchmark(group="", name=name) for name in dict.fromkeys(row.benchmark for row in rows)
        )
        names = dict.fromkeys(row.method for row in rows if row.method is not None)
        self.methods = tuple(_build_method(name, question.language) for name in names)
        self._rows: dict[tuple[str | None, str], list[ProcessValues]] = {}
        for row in rows:
            self._rows.setdefault((row.method, row.benchmark), []).append(row)

    def list_plain_runs(self, benchmark: Benchmark) -> tuple[Run, ...]:
        """Return all plain runs of a benchmark that the table has."""
        return tuple(self._convert_rows(None, benchmark))

    def select_runs(
        self, method: Method | None, benchmark: Benchmark, run_count: int
    ) -> tuple[Run, ...]:
        """Return the first `run_count` runs; one that is missing stands for all that are."""
        runs = [
            run
            for run in self._convert_rows(method, benchmark)
            if run.trial.repetition <= run_count
        ]
        repetitions = {run.trial.repetition for run in runs}
        if len(repetitions) < run_count:
            first = next(number for number in range(1, run_count + 1) if number not in repetitions)
            missing_count = run_count - len(repetitions)
            text = f"the table lacks {missing_count} of {run_count} runs, the first: {first}"
            runs.append(self._build_run(method, benchmark, (first, 1), Unreadable(text, "")))
        return tuple(runs)

    def _convert_rows(self, method: Method | None, benchmark: Benchmark) -> Iterator[Run]:
        for rows in self._rows.get((method.id if method else None, benchmark.id), ()):
            place = (rows.run - self._first + 1, rows.part + 1)
            yield self._build_run(method, benchmark, place, _build_outcome(rows))

    def _build_run(
        self,
        method: Method | None,
        benchmark: Benchmark,
        place: tuple[int, int],
        outcome: Outcome,
    ) -> Run:
        return study.build_run(self._digest, benchmark, place, outcome, method)


def _build_method(name: str, language: Language) -> Method:
    return Method(language=language, id=name, owner="", name=name, parameters=())


def _build_outcome(rows: ProcessValues) -> Outcome:
    """Return the values, unless one is no time: Go rounds to 0.00 what hardly takes any."""
    wrong = [second for second in rows.seconds if not SHORTEST <= second <= LONGEST]
    if wrong:
        return Unreadable(
            f"{len(wrong)} of {len(rows.seconds)} values cannot be times: {wrong[0]}", ""
        )
    return study.measured_outcome(rows.seconds, slowed=rows.method is not None)


def _judge_stability(table_runs: _TableRuns) -> Stability:
    """Judge the plain suite; how long it took is not in a table."""
    runs = [
        run
        for benchmark in table_runs.benchmarks
        for run in table_runs.select_runs(None, benchmark, table_runs.wanted_plain)
    ]
    stability = stability_judge.judge_suite_stability(
        table_runs.benchmarks, runs, wanted_runs=table_runs.wanted_plain
    )
    return study.without_durations(stability, Caveat("from-a-table", _FROM_A_TABLE))


_FROM_A_TABLE = (
    "another program measured these values: machine, delays, warm-up and calls are unknown, so a "
    "method that no benchmark calls counts as missed"
)


def _choose_slowdown(steady: Stability) -> float:
    spreads = [
        benchmark.max_spread for benchmark in steady.benchmarks if benchmark.max_spread is not None
    ]
    size = slowdown_size(spreads)
    if size is None:
        reason = "the spreads are zero" if spreads else "no benchmark has a spread"
        raise UsageError(
            f"the table has no slowdown, and none can be chosen: {reason} over "
            f"{format_count(steady.runs, 'run')}; give a number: --slowdown 0.6"
        )
    return size


def _judge_pairs(table_runs: _TableRuns, method: Method, slowdown: float) -> Iterator[PairVerdict]:
    for benchmark in table_runs.benchmarks:
        runs = table_runs.select_runs(method, benchmark, table_runs.wanted)
        yield detection.judge_pair(
            PairData(
                method=method.id,
                benchmark=benchmark,
                slowdown=slowdown,
                rule=DetectionRule.PAPER,
                process_count=table_runs.wanted,
                plain=table_runs.list_plain_runs(benchmark),
                runs=runs,
            )
        )
