"""The tests of two versions of a class: how long they are, and which ones (Pradel et al., 3)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from auditor.concurrency.judge.catalogue import Catalogue
from auditor.concurrency.judge.focus import weights
from auditor.concurrency.judge.generation import ConcurrentTestGenerator
from auditor.concurrency.judge.length import Length, LengthAttempt, search
from auditor.concurrency.judge.tally import Tally
from auditor.concurrency.judge.uncompilable_calls import parts, uncompilable_members
from auditor.concurrency.study_race import RaceMeasurement
from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import (
    ConcurrentTestSuite,
    FocusMethod,
    LibraryVersion,
    Progress,
    RacePlan,
)
from auditor.core.contracts.concurrent_test import Member, Test
from auditor.core.contracts.concurrent_test_runner import (
    ConcurrentResultCache,
    ConcurrentTestRunner,
    Writer,
)
from auditor.core.errors import SubjectError

_FIRST_TRIED = 1000
"""Numbers of the tests that only serve to find a length; those of the suite are below."""
_SPARE = 5
"""How many more tests than asked for are tried where some cannot be made, or fail when they run."""


@dataclass(slots=True)
class Generating:
    """Generates tests that compile and that both versions can run.

    Progress is stored after each test, with all that the next test depends on. An interrupted call
    resumes and generates the same suite.
    """

    subject: str  # name of the class
    plan: RacePlan  # the parameters
    focus: Sequence[FocusMethod]  # methods that the tests prefer
    arena: ConcurrentTestRunner  # compiles and runs tests
    writer: Writer  # writes tests as source
    racing: RaceMeasurement  # times tests of both versions
    memory: ConcurrentResultCache  # stores suite and progress
    phase: Callable[[str], None]  # called with each phase in words
    _generator: ConcurrentTestGenerator = field(init=False)  # set by `suite`
    _banned: tuple[Member, ...] = ()  # members that no test can call

    def suite(self, catalogue: Catalogue) -> ConcurrentTestSuite:
        """Return the suite that is remembered, or make one; raises SubjectError without a test."""
        concurrent_test_suite = self.memory.suite()
        if concurrent_test_suite is not None:
            self.compile(concurrent_test_suite.tests)
            return concurrent_test_suite
        members = (*catalogue.methods, *catalogue.creators)
        weighed = zip(members, weights(members, self.focus), strict=True)
        self._generator = ConcurrentTestGenerator(
            catalogue=catalogue,
            weights={member.key: weight for member, weight in weighed},
            plan=self.plan,
        )
        done = self._tested(self._begun())
        suite = self._made(done)
        self.memory.keep_suite(suite)
        return suite

    def compile(self, tests: Sequence[Test]) -> Mapping[str, str]:
        """Compile tests; return what is wrong with those that do not, by their paths."""
        return self.arena.compile(
            {self.writer.path(test): self.writer.program(test) for test in tests}
        )

    def _made(self, done: Progress) -> ConcurrentTestSuite:
        tests, tally = done.tests, self._generator.tally
        if not tests:
            often = [what for what, _ in tally.dropped.most_common(3)]
            dumps = "".join(f"\n{tally.dumps[one]}" for one in often if one in tally.dumps)
            raise SubjectError(
                f"no test of {self.subject} works with both versions and {max(self.plan.threads)} "
                f"threads; most often: {'; '.join(often) or 'no object of it could be made'}{dumps}"
            )
        caveats = [] if not done.reason else [Caveat("length-fallback", done.reason)]
        if len(tests) < self.plan.tests:
            text = f"only {len(tests)} of {self.plan.tests} tests could be generated"
            caveats.append(Caveat("fewer-tests", text))
        return ConcurrentTestSuite(
            tests=tests,
            length=done.length,
            tried=done.tried,
            methods=tuple(sorted({method.key for method in self._generator.catalogue.methods})),
            focus=tuple(self.focus),
            dropped=tuple(tally.dropped.most_common()),
            caveats=tuple(caveats),
        )

    def _begun(self) -> Progress:
        """Return how far an earlier call came, or the length of tests, of which there are none.

        One that ended without a test may have met a bad hour, so nothing is taken from it.
        """
        progress = self.memory.progress()
        if progress is not None and (progress.tests or progress.number < self._most):
            self._ban(progress.banned)
            self._generator = replace(self._generator, tally=Tally.of(progress.learned))
            self.compile(progress.tests)
            return progress
        fresh = self._generator
        length = self._length()
        # What was banned on the way hangs on how many lengths were tried, so it is forgotten.
        self._generator = replace(fresh, tally=Tally(spoilers=fresh.tally.spoilers))
        self._banned = ()
        return self._kept(Progress(length=length.calls, tried=length.tried, reason=length.reason))

    def _kept(self, progress: Progress) -> Progress:
        learned = self._generator.tally.noted()
        whole = replace(progress, learned=learned, banned=self._banned)
        self.memory.keep_progress(whole)
        return whole

    def _tested(self, progress: Progress) -> Progress:
        """Go on until there are as many tests as asked for, or none is left to try."""
        plan = self.plan
        self.phase(f"tests are made, {progress.length} calls a thread")
        while len(progress.tests) < plan.tests and progress.number < self._most:
            number = progress.number + 1
            test = self._compiled(number, progress.length)
            if test is not None:
                for problem in self._failures(test):
                    self._generator.tally.drop("a test with threads", problem)
                    test = None
                    break
            tests = (*progress.tests, test) if test is not None else progress.tests
            progress = self._kept(replace(progress, number=number, tests=tests))
        return progress

    @property
    def _most(self) -> int:
        """Return how many tests are tried."""
        return self.plan.tests + _SPARE

    def _length(self) -> Length:
        """Find the length of suffixes, for the fewest threads."""
        looking = search(self.plan)
        try:
            length = next(looking)
            for number in range(_FIRST_TRIED, 2 * _FIRST_TRIED):
                self.phase(f"a length of {length} calls is tried")
                length = looking.send(self._tried(number, length))
        except StopIteration as end:
            found: Length = end.value
            return found
        raise AssertionError("a search has an end")

    def _tried(self, number: int, length: int) -> tuple[LengthAttempt, LengthAttempt] | None:
        """Return what a test of a length takes; if one does not work, another one is made."""
        for each in (number, number + _FIRST_TRIED):
            test = self._compiled(each, length)
            if test is None:
                continue
            old, new = (self._lasts(test, version) for version in LibraryVersion)
            if old is not None and new is not None:
                return old, new
        return None

    def _lasts(self, test: Test, version: LibraryVersion) -> LengthAttempt | None:
        few = min(self.plan.threads)
        pilot = self.racing.pilot(test, few, version)
        if isinstance(pilot, str):
            return None
        return LengthAttempt(pilot.suffixes, self.plan.steady(few) / pilot.wall)

    def _compiled(self, number: int, length: int) -> Test | None:
        """Make a test that compiles; without what javac does not take it is made again."""
        while True:
            making = self._generator.test(number, length, max(self.plan.threads))
            test = self.arena.make(making)
            if test is None or not (problems := self.compile([test])):
                return test
            if not self._unwritable(test):
                for problem in problems.values():
                    self._generator.tally.drop("a test that does not compile", problem)
                return None

    def _unwritable(self, test: Test) -> bool:
        """Ban the members that nobody can write, and tell whether there were some."""
        member_tests = parts(test)
        said = self.compile([member_test.test for member_test in member_tests])
        paths = {
            self.writer.path(member_test.test): member_test.test.number
            for member_test in member_tests
        }
        banned = uncompilable_members(
            member_tests, {paths[name]: problem for name, problem in said.items()}
        )
        for member, problem in banned.items():
            self._generator.tally.drop(member.key, f"javac says {problem}, so it is not called")
        self._ban(tuple(banned))
        return bool(banned)

    def _ban(self, members: Sequence[Member]) -> None:
        self._banned = (*self._banned, *members)
        catalogue = self._generator.catalogue.without(frozenset(members))
        self._generator = replace(self._generator, catalogue=catalogue)

    def _failures(self, test: Test) -> Iterator[str]:
        """Yield why a test cannot be raced: what went well a few times may fail in a thousand."""
        for version in LibraryVersion:
            pilot = self.racing.pilot(test, max(self.plan.threads), version)
            if isinstance(pilot, str):
                yield f"{pilot} in the {version} version"
