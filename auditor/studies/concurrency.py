"""Two versions of a class: tests are made, raced and judged (Pradel et al., Sections 3 and 4)."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from auditor.audits.concurrency import oracle
from auditor.audits.concurrency.blame import blamed, parts
from auditor.audits.concurrency.catalogue import Catalogue, described
from auditor.audits.concurrency.focus import weights
from auditor.audits.concurrency.generation import Generator
from auditor.audits.concurrency.length import Length, Tried, search
from auditor.audits.concurrency.tally import Tally
from auditor.core.arena import Arena, Memory, Writer
from auditor.core.caveats import Caveat
from auditor.core.concurrency import (
    SEQUENTIAL,
    ConcurrencyVerdict,
    Finding,
    Focus,
    Judged,
    Plan,
    Suite,
    ThreadVerdict,
    Timed,
    Version,
)
from auditor.core.errors import SubjectError
from auditor.core.ports import Observer
from auditor.core.races import Test
from auditor.studies.racing import Racing

_FIRST_TRIED = 1000
"""Numbers of the tests that only serve to find a length; those of the suite are below."""
_SPARE = 5
"""How many more tests than asked for are tried where some cannot be made, or fail when they run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """What the study is handed. `writer` writes the tests of a catalogue."""

    arena: Arena
    writer: Callable[[Catalogue], Writer]
    memory: Memory
    observer: Observer


@dataclass(slots=True)
class ConcurrencyStudy:
    """Is the new version slower when threads share an object?"""

    subject: str
    plan: Plan
    focus: Sequence[Focus]
    workers: Workers
    caveats: tuple[Caveat, ...] = ()
    _writer: Writer = field(init=False)
    _racing: Racing = field(init=False)
    _generator: Generator = field(init=False)

    def audit(self) -> ConcurrencyVerdict:
        """Make tests, race them, and say what they come to.

        Raises SubjectError where there is nothing to test, or no test can be made.
        """
        plan, memory = self.plan, self.workers.memory
        self._phase("the class is looked at")
        catalogue = self.workers.arena.make(described(self.subject))
        _require_methods(catalogue)
        self._writer = self.workers.writer(catalogue)
        self._racing = Racing(plan, self.workers.arena, self._writer)
        suite = memory.suite()
        if suite is None:
            suite = self._suite(catalogue)
            memory.keep_suite(suite)
        else:
            self._compile(suite.tests)
        files = tuple(pair for one in suite.tests for pair in self._writer.files(one))
        suite = replace(suite, files=files)
        threads = self._raced(suite, plan.threads)
        _require_races(self.subject, threads)
        finding = oracle.overall(threads)
        control = None
        if plan.control and finding in (Finding.REGRESSION, Finding.IMPROVEMENT):
            (control,) = self._raced(_of_lane(suite, threads, finding), (SEQUENTIAL,))
        sizes = {one.number: len(one.prefix) + sum(map(len, one.suffixes)) for one in suite.tests}
        return ConcurrencyVerdict(
            subject=self.subject,
            finding=finding,
            cause=oracle.cause(finding, control),
            threads=threads,
            control=control,
            smallest=oracle.smallest(finding, threads, sizes),
            suite=suite,
            plan=plan,
            caveats=(*self.caveats, *suite.caveats, *_caveats(threads)),
        )

    def _suite(self, catalogue: Catalogue) -> Suite:
        known = (*catalogue.methods, *catalogue.creators)
        weighed = zip(known, weights(known, self.focus), strict=True)
        self._generator = generator = Generator(
            catalogue=catalogue,
            weights={one.key: weight for one, weight in weighed},
            plan=self.plan,
        )
        length = self._length()
        # What was banned on the way hangs on how many lengths were tried, so it is forgotten.
        tally = Tally(spoilers=generator.tally.spoilers)
        self._generator = replace(generator, tally=tally)
        self._phase(f"tests are made, {length.calls} calls a thread")
        tests = tuple(self._tests(length.calls))
        if not tests:
            often = [what for what, _ in tally.dropped.most_common(3)]
            dumps = "".join(f"\n{tally.dumps[one]}" for one in often if one in tally.dumps)
            raise SubjectError(
                f"no test of {self.subject} works with both versions and {max(self.plan.threads)} "
                f"threads; most often: {'; '.join(often) or 'no object of it could be made'}{dumps}"
            )
        caveats = [] if not length.reason else [Caveat("length-fallback", length.reason)]
        if len(tests) < self.plan.tests:
            text = f"only {len(tests)} of {self.plan.tests} tests could be made"
            caveats.append(Caveat("fewer-tests", text))
        return Suite(
            tests=tests,
            length=length.calls,
            tried=length.tried,
            methods=tuple(sorted({one.key for one in self._generator.catalogue.methods})),
            focus=tuple(self.focus),
            dropped=tuple(tally.dropped.most_common()),
            caveats=tuple(caveats),
        )

    def _length(self) -> Length:
        """Find the length of suffixes, for the fewest threads."""
        looking = search(self.plan)
        try:
            length = next(looking)
            for number in range(_FIRST_TRIED, 2 * _FIRST_TRIED):
                self._phase(f"a length of {length} calls is tried")
                length = looking.send(self._tried(number, length))
        except StopIteration as end:
            found: Length = end.value
            return found
        raise AssertionError("a search has an end")

    def _tried(self, number: int, length: int) -> tuple[Tried, Tried] | None:
        """Return what a test of a length takes; if one does not work, another one is made."""
        for each in (number, number + _FIRST_TRIED):
            test = self._compiled(each, length)
            if test is None:
                continue
            old, new = (self._lasts(test, one) for one in Version)
            if old is not None and new is not None:
                return old, new
        return None

    def _lasts(self, test: Test, version: Version) -> Tried | None:
        few = min(self.plan.threads)
        pilot = self._racing.pilot(test, few, version)
        if isinstance(pilot, str):
            return None
        return Tried(pilot.suffixes, self.plan.steady(few) / pilot.wall)

    def _tests(self, length: int) -> Iterator[Test]:
        made = 0
        for number in range(1, self.plan.tests + _SPARE + 1):
            test = self._compiled(number, length)
            if test is None:
                continue
            for problem in self._failures(test):
                self._generator.tally.drop("a test with threads", problem)
                break
            else:
                made += 1
                yield test
            if made == self.plan.tests:
                return

    def _compiled(self, number: int, length: int) -> Test | None:
        """Make a test that compiles; without what javac does not take it is made again."""
        while True:
            making = self._generator.test(number, length, max(self.plan.threads))
            test = self.workers.arena.make(making)
            if test is None or not (problems := self._compile([test])):
                return test
            if not self._banned(test):
                for one in problems.values():
                    self._generator.tally.drop("a test that does not compile", one)
                return None

    def _banned(self, test: Test) -> bool:
        """Ban the members that nobody can write, and tell whether there were some."""
        found = parts(test)
        said = self._compile([one.test for one in found])
        paths = {self._writer.path(one.test): one.test.number for one in found}
        banned = blamed(found, {paths[name]: problem for name, problem in said.items()})
        for member, problem in banned.items():
            self._generator.tally.drop(member.key, f"javac says {problem}, so it is not called")
        left = self._generator.catalogue.without(banned.keys())
        self._generator = replace(self._generator, catalogue=left)
        return bool(banned)

    def _failures(self, test: Test) -> Iterator[str]:
        """Yield why a test cannot be raced: what went well a few times may fail in a thousand."""
        for version in Version:
            pilot = self._racing.pilot(test, max(self.plan.threads), version)
            if isinstance(pilot, str):
                yield f"{pilot} in the {version} version"

    def _compile(self, tests: Sequence[Test]) -> Mapping[str, str]:
        writer = self._writer
        return self.workers.arena.compile({writer.path(one): writer.program(one) for one in tests})

    def _raced(self, suite: Suite, counts: Sequence[int]) -> tuple[ThreadVerdict, ...]:
        """Race the tests with each number of threads, as long as that can change a finding."""
        plan, enough = self.plan, len(suite.tests) >= self.plan.least_conclusive
        judged: dict[int, list[Judged]] = {one: [] for one in counts}
        left_out = dict.fromkeys(counts, 0)
        for at, test in enumerate(suite.tests):
            left = len(suite.tests) - at
            for threads in counts:
                votes = [one.vote for one in judged[threads]]
                if enough and oracle.settled(votes, left, plan):
                    left_out[threads] += 1
                    continue
                how = "one after the other" if threads == SEQUENTIAL else f"{threads} threads"
                self._phase(f"test {at + 1} of {len(suite.tests)}, {how}")
                timed = self._timed(test, threads)
                judged[threads].append(oracle.judge(timed, plan))
        return tuple(
            oracle.verdict(one, judged[one], plan, left_out=left_out[one]) for one in counts
        )

    def _timed(self, test: Test, threads: int) -> Timed:
        memory = self.workers.memory
        known = memory.timed(test, threads)
        if known is None or (not known.reason and self._falls_short(known)):
            known = self._racing.measured(test, threads)
            # What failed may have failed for the machine's sake, so it is run again next time.
            if known.old and known.new:
                memory.keep_timed(test, known)
        return known

    def _falls_short(self, known: Timed) -> bool:
        """Tell whether measurements ended that this plan goes on with: it may ask to be surer."""
        return self.plan.processes and oracle.goes_on(known.old, known.new, self.plan)

    def _phase(self, name: str) -> None:
        self.workers.observer.phase_started(name, 0, 0.0)


def _of_lane(suite: Suite, verdicts: Iterable[ThreadVerdict], finding: Finding) -> Suite:
    """Return the tests with no more suffixes than the most threads that show a finding have run.

    The control has to do the same calls: those of other threads may not be slower.
    """
    most = max(one.threads for one in verdicts if one.finding is finding)
    return replace(
        suite, tests=tuple(replace(one, suffixes=one.suffixes[:most]) for one in suite.tests)
    )


def _require_methods(catalogue: Catalogue) -> None:
    if not catalogue.methods:
        raise SubjectError(f"the versions of {catalogue.subject} have no public method in common")
    if not catalogue.creators and catalogue.types[catalogue.subject].inner:
        raise SubjectError(
            f"no object of {catalogue.subject} can be made: it is an inner class, whose objects "
            "belong to one of the class around it; make it static, or name that class"
        )
    if not catalogue.creators:
        raise SubjectError(
            f"no object of {catalogue.subject} can be made: both versions need a public "
            "constructor or a public static method that returns one"
        )


def _require_races(subject: str, verdicts: Iterable[ThreadVerdict]) -> None:
    """Raise SubjectError where nothing at all could be measured."""
    tests = [one.timed for verdict in verdicts for one in verdict.tests]
    if all(one.reason and not (one.old or one.new) for one in tests):
        raise SubjectError(
            f"no test of {subject} could be measured, {len(tests)} were run; with the first, "
            f"{tests[0].reason}"
        )


def _caveats(threads: Sequence[ThreadVerdict]) -> list[Caveat]:
    tests = [one for verdict in threads for one in verdict.tests]
    failed = [one.timed for one in tests if one.timed.reason]
    if not failed:
        return []
    first = failed[0]
    text = (
        f"{len(failed)} of {len(tests)} races were inconclusive; test {first.test} with "
        f"{first.threads} threads: {first.reason}"
    )
    return [Caveat("inconclusive-tests", text)]
