"""The tests of two versions of a class: how long they are, and which ones (Pradel et al., 3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from auditor.concurrency.judge.catalogue import TypeCatalogue
from auditor.concurrency.judge.focus import compute_draw_weights
from auditor.concurrency.judge.generation import (
    ConcurrentTestGenerator,
    LengthAttempt,
    SuffixLength,
    search_length,
)
from auditor.concurrency.judge.tally import GenerationTally
from auditor.concurrency.judge.uncompilable_calls import split_test, uncompilable_members
from auditor.concurrency.study_race import RaceMeasurement
from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import (
    ConcurrentTestSuite,
    FocusMethod,
    GenerationProgress,
    LibraryVersion,
    RacePlan,
)
from auditor.core.contracts.concurrent_test import Member, Test
from auditor.core.contracts.concurrent_test_runner import (
    ConcurrentResultCache,
    ConcurrentTestRunner,
    TestWriter,
)
from auditor.core.errors import SubjectError

_FIRST_TRIED = 1000
"""Numbers of the tests that only serve to find a length; those of the suite are below."""
_SPARE = 5
"""How many more tests than asked for are tried where some cannot be made, or fail when they run."""


@dataclass(slots=True)
class SuiteGenerator:
    """Generates tests that compile and that both versions can run.

    Progress is stored after each test, with all that the next test depends on. An interrupted call
    resumes and generates the same suite.
    """

    subject: str  # name of the class
    plan: RacePlan  # the parameters
    focus: Sequence[FocusMethod]  # methods that the tests prefer
    arena: ConcurrentTestRunner  # compiles and runs tests
    writer: TestWriter  # writes tests as source
    racing: RaceMeasurement  # times tests of both versions
    memory: ConcurrentResultCache  # stores suite and progress
    phase: Callable[[str], None]  # called with each phase in words
    _generator: ConcurrentTestGenerator = field(init=False)  # set by `load_or_make_suite`
    _banned: tuple[Member, ...] = ()  # members that no test can call

    def load_or_make_suite(self, catalogue: TypeCatalogue) -> ConcurrentTestSuite:
        """Return the suite that is remembered, or make one; raises SubjectError without a test."""
        concurrent_test_suite = self.memory.load_suite()
        if concurrent_test_suite is not None:
            self.compile_tests(concurrent_test_suite.tests)
            return concurrent_test_suite
        members = (*catalogue.methods, *catalogue.creators)
        weighed = zip(members, compute_draw_weights(members, self.focus), strict=True)
        self._generator = ConcurrentTestGenerator(
            catalogue=catalogue,
            weights={member.key: weight for member, weight in weighed},
            plan=self.plan,
        )
        progress = self._generate_tests(self._resume_progress())
        suite = self._build_suite(progress)
        self.memory.save_suite(suite)
        return suite

    def compile_tests(self, tests: Sequence[Test]) -> Mapping[str, str]:
        """Compile tests; return what is wrong with those that do not, by their paths."""
        return self.arena.compile_tests(
            {self.writer.choose_path(test): self.writer.write_program(test) for test in tests}
        )

    def _build_suite(self, progress: GenerationProgress) -> ConcurrentTestSuite:
        tests, tally = progress.tests, self._generator.tally
        if not tests:
            often = [drop_key for drop_key, _ in tally.dropped.most_common(3)]
            dumps = "".join(f"\n{tally.dumps[reason]}" for reason in often if reason in tally.dumps)
            raise SubjectError(
                f"no test of {self.subject} works with both versions and {max(self.plan.threads)} "
                f"threads; most often: {'; '.join(often) or 'no object of it could be made'}{dumps}"
            )
        caveats = [] if not progress.reason else [Caveat("length-fallback", progress.reason)]
        if len(tests) < self.plan.tests:
            text = f"only {len(tests)} of {self.plan.tests} tests could be generated"
            caveats.append(Caveat("fewer-tests", text))
        return ConcurrentTestSuite(
            tests=tests,
            length=progress.length,
            tried=progress.tried,
            methods=tuple(sorted({method.key for method in self._generator.catalogue.methods})),
            focus=tuple(self.focus),
            dropped=tuple(tally.dropped.most_common()),
            caveats=tuple(caveats),
        )

    def _resume_progress(self) -> GenerationProgress:
        """Return how far an earlier call came, or the length of tests, of which there are none.

        One that ended without a test may have met a bad hour, so nothing is taken from it.
        """
        progress = self.memory.load_progress()
        if progress is not None and (progress.tests or progress.number < self._max_attempts):
            self._ban_members(progress.banned)
            self._generator = replace(
                self._generator, tally=GenerationTally.from_state(progress.learned)
            )
            self.compile_tests(progress.tests)
            return progress
        fresh = self._generator
        length = self._find_length()
        # What was banned on the way hangs on how many lengths were tried, so it is forgotten.
        self._generator = replace(fresh, tally=GenerationTally(spoilers=fresh.tally.spoilers))
        self._banned = ()
        return self._store_progress(
            GenerationProgress(length=length.calls, tried=length.tried, reason=length.reason)
        )

    def _store_progress(self, progress: GenerationProgress) -> GenerationProgress:
        learned = self._generator.tally.dump_state()
        full_progress = replace(progress, learned=learned, banned=self._banned)
        self.memory.save_progress(full_progress)
        return full_progress

    def _generate_tests(self, progress: GenerationProgress) -> GenerationProgress:
        """Go on until there are as many tests as asked for, or none is left to try."""
        plan = self.plan
        self.phase(f"tests are made, {progress.length} calls a thread")
        while len(progress.tests) < plan.tests and progress.number < self._max_attempts:
            number = progress.number + 1
            test = self._make_compilable_test(number, progress.length)
            if test is not None:
                for problem in self._list_failures(test):
                    self._generator.tally.record_drop("a test with threads", problem)
                    test = None
                    break
            tests = (*progress.tests, test) if test is not None else progress.tests
            progress = self._store_progress(replace(progress, number=number, tests=tests))
        return progress

    @property
    def _max_attempts(self) -> int:
        """Return how many tests are tried."""
        return self.plan.tests + _SPARE

    def _find_length(self) -> SuffixLength:
        """Find the length of suffixes, for the fewest threads."""
        looking = search_length(self.plan)
        try:
            length = next(looking)
            for number in range(_FIRST_TRIED, 2 * _FIRST_TRIED):
                self.phase(f"a length of {length} calls is tried")
                length = looking.send(self._try_length(number, length))
        except StopIteration as end:
            length_result: SuffixLength = end.value
            return length_result
        raise AssertionError("a search has an end")

    def _try_length(self, number: int, length: int) -> tuple[LengthAttempt, LengthAttempt] | None:
        """Return what a test of a length takes; if one does not work, another one is made."""
        for test_number in (number, number + _FIRST_TRIED):
            test = self._make_compilable_test(test_number, length)
            if test is None:
                continue
            old, new = (self._measure_length(test, version) for version in LibraryVersion)
            if old is not None and new is not None:
                return old, new
        return None

    def _measure_length(self, test: Test, version: LibraryVersion) -> LengthAttempt | None:
        few = min(self.plan.threads)
        pilot = self.racing.run_pilot(test, few, version)
        if isinstance(pilot, str):
            return None
        return LengthAttempt(pilot.suffixes, self.plan.choose_measurement_seconds(few) / pilot.wall)

    def _make_compilable_test(self, number: int, length: int) -> Test | None:
        """Make a test that compiles; without what javac does not take it is made again."""
        while True:
            making = self._generator.make_test(number, length, max(self.plan.threads))
            test = self.arena.run_generation(making)
            if test is None or not (problems := self.compile_tests([test])):
                return test
            if not self._ban_unwritable_members(test):
                for problem in problems.values():
                    self._generator.tally.record_drop("a test that does not compile", problem)
                return None

    def _ban_unwritable_members(self, test: Test) -> bool:
        """Ban the members that nobody can write, and tell whether there were some."""
        member_tests = split_test(test)
        problems = self.compile_tests([member_test.test for member_test in member_tests])
        paths = {
            self.writer.choose_path(member_test.test): member_test.test.number
            for member_test in member_tests
        }
        banned = uncompilable_members(
            member_tests, {paths[name]: problem for name, problem in problems.items()}
        )
        for member, problem in banned.items():
            self._generator.tally.record_drop(
                member.key, f"javac says {problem}, so it is not called"
            )
        self._ban_members(tuple(banned))
        return bool(banned)

    def _ban_members(self, members: Sequence[Member]) -> None:
        self._banned = (*self._banned, *members)
        catalogue = self._generator.catalogue.exclude_members(frozenset(members))
        self._generator = replace(self._generator, catalogue=catalogue)

    def _list_failures(self, test: Test) -> Iterator[str]:
        """Yield why a test cannot be raced: what went well a few times may fail in a thousand."""
        for version in LibraryVersion:
            pilot = self.racing.run_pilot(test, max(self.plan.threads), version)
            if isinstance(pilot, str):
                yield f"{pilot} in the {version} version"
