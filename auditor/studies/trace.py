"""Which public method is called by which benchmark, how often, and which by none."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

from auditor.audits import reach
from auditor.audits.failures import line, reason
from auditor.audits.reach import Reach
from auditor.audits.stability import filtered
from auditor.audits.suite_use import Counts, judge
from auditor.core.caveats import Caveat
from auditor.core.errors import NoBenchmarks, UsageError
from auditor.core.outcome import Counted, Measured, Outcome, Skipped
from auditor.core.plan import Run
from auditor.core.result import ReachState
from auditor.core.subject import Method
from auditor.core.usage import SuiteUse
from auditor.studies.parts import Parts
from auditor.studies.reach import ReachRuns, map_reach
from auditor.studies.stability import unseen
from auditor.studies.suite import Baseline, chosen, sized

UNLINKED = Reach(state=ReachState.NOT_AT_ALL, calls_per_operation=0.0)


def suite_use(parts: Parts) -> SuiteUse:
    """Count the calls of all public methods in each benchmark, and in the library's own tests.

    Nothing is timed and nothing slowed: each benchmark runs once to find its operations, where the
    harness can fix them, and once with counters. Raises NoBenchmarks where none can be run, and
    UsageError where the library shows no method.
    """
    methods = [one for one in parts.mutator.methods(parts.suite.sources) if one.public]
    if not methods:
        raise UsageError(f"{parts.project.name} has no public method that could be traced")
    base, failed = _counted(parts)
    slowable = [one for one in methods if one.refusal is None]
    counted = map_reach(slowable, base, parts, with_unit_tests=True)
    failed |= _uncounted(counted)
    good = [run for run in counted.runs if isinstance(run.outcome, Counted)]
    if counted.asked and not good:
        _refuse(failed)
    missing = unseen(parts.suite, parts.request.benchmarks, len(base.benchmarks))
    failed |= dict(missing.unlisted)
    counts = Counts(
        methods=methods,
        benchmarks=(*(one.id for one in base.benchmarks), *dict(missing.unlisted)),
        reach=_reach(good, slowable, counted),
        uncounted=_refused(methods) | {one.id: line(why) for one, why in counted.invalid},
        failed={name: line(why) for name, why in failed.items()},
        tests=_tests(counted.usage),
    )
    said = [*filtered(missing, len(base.benchmarks)), *_of_tests(counted.usage)]
    return judge(counts, (*said, *parts.said_of_budget))


def _counted(parts: Parts) -> tuple[Baseline, dict[str, str]]:
    """Return the suite with what its blocks hold, and the benchmarks that fail as they are."""
    benchmarks = chosen(parts.suite, parts.request.benchmarks)
    size = sized(benchmarks, parts)
    failed = {
        run.trial.benchmark.id: reason(run.outcome)
        for run in size.pilots
        if run.trial.benchmark and not isinstance(run.outcome, Measured)
    }
    usable = tuple(one for one in benchmarks if one.id not in failed)
    if not usable:
        _refuse(failed)
    base = Baseline(
        benchmarks=benchmarks,
        usable=usable,
        unfinished=(),
        plans=size.plans,
        operations=size.operations,
        pilots=size.pilots,
        runs=(),
    )
    return base, failed


def _refuse(failed: Mapping[str, str]) -> NoReturn:
    name, why = next(iter(failed.items()), ("no benchmark", "no method could be counted"))
    raise NoBenchmarks(f"every benchmark fails; the first: {name}: {why}"[:600])


def _uncounted(counted: ReachRuns) -> dict[str, str]:
    """Return the benchmarks whose counting run failed, or was prevented by the deadline."""
    ended = {run.trial.benchmark: run.outcome for run in counted.runs}
    found = {}
    for one in counted.asked:
        if one not in ended:
            found[one.id] = "no time was left for it"
        elif not isinstance(ended[one], Counted):
            found[one.id] = reason(ended[one])
    return found


def _reach(
    runs: Sequence[Run], methods: Sequence[Method], counted: ReachRuns
) -> Mapping[tuple[str, str], Reach]:
    invalid = {one.id for one, _ in counted.invalid}
    good = [one for one in methods if one.id not in invalid]
    return reach.reach_map(runs, good) | dict.fromkeys(counted.unlinked, UNLINKED)


def _refused(methods: Sequence[Method]) -> dict[str, str]:
    return {one.id: one.refusal for one in methods if one.refusal is not None}


def _tests(runs: Sequence[Run]) -> dict[str, int] | None:
    """Return the calls of the unit tests, None where they did not run."""
    seen = [run for run in runs if isinstance(run.outcome, Counted)]
    return reach.usage(seen) if seen else None


def _gap(outcome: Outcome) -> str:
    match outcome:
        case Counted():
            return outcome.missing
        case Skipped():
            return outcome.reason
        case _:
            return line(reason(outcome))


def _of_tests(runs: Sequence[Run]) -> list[Caveat]:
    """Say what is missing of the unit tests."""
    gaps = [gap for run in runs if (gap := _gap(run.outcome))]
    gaps = gaps if runs else ["no time was left for them"]
    if not gaps:
        return []
    text = (
        "the calls of the library's own unit tests, by which the methods are ordered, are not known"
        f" or not complete: {'; '.join(gaps)}"
    )
    return [Caveat("unit-tests", text)]
