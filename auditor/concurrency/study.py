"""Two versions of a class: tests are made, raced and judged (Pradel et al., Sections 3 and 4)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from auditor.concurrency.judge import oracle
from auditor.concurrency.judge.catalogue import TypeCatalogue, describe_types
from auditor.concurrency.study_generation import SuiteGenerator
from auditor.concurrency.study_race import RaceMeasurement
from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import (
    SEQUENTIAL,
    ConcurrencyFinding,
    ConcurrencyVerdict,
    ConcurrentTestSuite,
    FocusMethod,
    JudgedTest,
    RacePlan,
    RepetitionTimes,
    ThreadVerdict,
)
from auditor.core.contracts.concurrent_test import Test
from auditor.core.contracts.concurrent_test_runner import (
    ConcurrentResultCache,
    ConcurrentTestRunner,
    TestWriter,
)
from auditor.core.errors import SubjectError
from auditor.core.ports import Observer

_CHANGES = (ConcurrencyFinding.REGRESSION, ConcurrencyFinding.IMPROVEMENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyContext:
    """What the study is handed. `writer` writes the tests of a catalogue."""

    arena: ConcurrentTestRunner
    writer: Callable[[TypeCatalogue], TestWriter]
    memory: ConcurrentResultCache
    observer: Observer


@dataclass(slots=True)
class ConcurrencyStudy:
    """Is the new version slower when threads share an object?"""

    subject: str  # name of the class
    plan: RacePlan  # the parameters
    focus: Sequence[FocusMethod]  # methods that the tests prefer
    workers: ConcurrencyContext  # what generates, runs and remembers tests
    caveats: tuple[Caveat, ...] = ()  # known before the study begins
    _racing: RaceMeasurement = field(init=False)  # set by `run_study`

    def run_study(self) -> ConcurrencyVerdict:
        """Make tests, race them, and say what they come to.

        Raises SubjectError where there is nothing to test, or no test can be made.
        """
        plan, workers = self.plan, self.workers
        self._start_phase("the class is looked at")
        catalogue = workers.arena.run_generation(describe_types(self.subject))
        _require_methods(catalogue)
        writer = workers.writer(catalogue)
        self._racing = RaceMeasurement(plan, workers.arena, writer)
        generating = SuiteGenerator(
            subject=self.subject,
            plan=plan,
            focus=self.focus,
            arena=workers.arena,
            writer=writer,
            racing=self._racing,
            memory=workers.memory,
            phase=self._start_phase,
        )
        suite = generating.load_or_make_suite(catalogue)
        suite = replace(
            suite, files=tuple(pair for test in suite.tests for pair in writer.write_files(test))
        )
        threads = self._race_tests(suite, plan.threads)
        _require_races(self.subject, threads)
        finding = oracle.combine_findings(threads)
        control = None
        if plan.control and finding in _CHANGES:
            (control,) = self._race_tests(_limit_suffixes(suite, threads, finding), (SEQUENTIAL,))
        sizes = {
            test.number: len(test.prefix) + sum(map(len, test.suffixes)) for test in suite.tests
        }
        return ConcurrencyVerdict(
            subject=self.subject,
            finding=finding,
            cause=oracle.decide_cause(finding, control),
            threads=threads,
            control=control,
            smallest=oracle.find_smallest_test(finding, threads, sizes),
            suite=suite,
            plan=plan,
            caveats=(*self.caveats, *suite.caveats, *_list_caveats(threads)),
        )

    def _race_tests(
        self, suite: ConcurrentTestSuite, counts: Sequence[int]
    ) -> tuple[ThreadVerdict, ...]:
        """Race the tests with each number of threads, as long as that can change a finding."""
        plan, enough = self.plan, len(suite.tests) >= self.plan.least_conclusive
        judged: dict[int, list[JudgedTest]] = {count: [] for count in counts}
        left_out = dict.fromkeys(counts, 0)
        for index, test in enumerate(suite.tests):
            left = len(suite.tests) - index
            for threads in counts:
                votes = [judged_test.vote for judged_test in judged[threads]]
                if enough and oracle.is_settled(votes, left, plan):
                    left_out[threads] += 1
                    continue
                mode = "one after the other" if threads == SEQUENTIAL else f"{threads} threads"
                self._start_phase(f"test {index + 1} of {len(suite.tests)}, {mode}")
                repetition_times = self._time_test(test, threads)
                judged[threads].append(oracle.judge_test(repetition_times, plan))
        return tuple(
            oracle.judge_threads(count, judged[count], plan, left_out=left_out[count])
            for count in counts
        )

    def _time_test(self, test: Test, threads: int) -> RepetitionTimes:
        memory = self.workers.memory
        timing = memory.load_times(test, threads)
        if timing is None or (not timing.reason and self._falls_short(timing)):
            timing = self._racing.measure_test(test, threads)
            # What failed may have failed for the machine's sake, so it is run again next time.
            if timing.old and timing.new:
                memory.save_times(test, timing)
        return timing

    def _falls_short(self, timing: RepetitionTimes) -> bool:
        """Tell whether measurements ended that this plan goes on with: it may ask to be surer."""
        return self.plan.processes and oracle.needs_measurement(timing.old, timing.new, self.plan)

    def _start_phase(self, name: str) -> None:
        self.workers.observer.phase_started(name, 0, 0.0)


def _limit_suffixes(
    suite: ConcurrentTestSuite, verdicts: Iterable[ThreadVerdict], finding: ConcurrencyFinding
) -> ConcurrentTestSuite:
    """Return the tests with no more suffixes than the most threads that show a finding have run.

    The control has to do the same calls: those of other threads may not be slower.
    """
    most = max(verdict.threads for verdict in verdicts if verdict.finding is finding)
    return replace(
        suite, tests=tuple(replace(test, suffixes=test.suffixes[:most]) for test in suite.tests)
    )


def _require_methods(catalogue: TypeCatalogue) -> None:
    if not catalogue.methods:
        raise SubjectError(
            f"the versions of {catalogue.subject} have no public method in common; give two "
            "versions of the same class"
        )
    if not catalogue.creators and catalogue.types[catalogue.subject].inner:
        raise SubjectError(
            f"no object of {catalogue.subject} can be created: it is an inner class; make it "
            "static, or name the outer class"
        )
    if not catalogue.creators:
        raise SubjectError(
            f"no object of {catalogue.subject} can be created: both versions need a public "
            "constructor or factory method"
        )


def _require_races(subject: str, verdicts: Iterable[ThreadVerdict]) -> None:
    """Raise SubjectError where nothing at all could be measured."""
    tests = [test.timed for verdict in verdicts for test in verdict.tests]
    if all(test.reason and not (test.old or test.new) for test in tests):
        raise SubjectError(
            f"none of {len(tests)} tests of {subject} could be measured; the first: "
            f"{tests[0].reason}"
        )


def _list_caveats(threads: Sequence[ThreadVerdict]) -> list[Caveat]:
    tests = [test for verdict in threads for test in verdict.tests]
    failed = [test.timed for test in tests if test.timed.reason]
    if not failed:
        return []
    first = failed[0]
    text = (
        f"{len(failed)} of {len(tests)} tests were inconclusive; first: test {first.test} with "
        f"{first.threads} threads: {first.reason}"
    )
    return [Caveat("inconclusive-tests", text)]
