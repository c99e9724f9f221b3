"""Feedback-directed random tests of a class with two versions (Pradel et al., Section 3.3).

A sequence grows statement by statement; what is added stays only where both versions go through it
without an exception.
"""

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field, replace
from math import isqrt

import numpy as np

from auditor.concurrency.judge.arguments import ArgumentGenerator, StatementScope
from auditor.concurrency.judge.catalogue import PRIMITIVES, TypeCatalogue
from auditor.concurrency.judge.tally import GenerationTally
from auditor.concurrency.judge.terminal_methods import (
    Spoilers,
    SpoilerSearch,
    add_release_call,
    releasing_methods,
)
from auditor.core.contracts.concurrency import RacePlan
from auditor.core.contracts.concurrent_test import (
    AttemptRequest,
    GenerationAnswer,
    GenerationSteps,
    Member,
    MemberKind,
    Segment,
    StatementSequence,
    Test,
)


@dataclass(frozen=True, slots=True)
class LengthAttempt:
    """What a random test of a length took with a version: seconds, and repetitions in t_s."""

    seconds: float
    repetitions: float


@dataclass(frozen=True, slots=True)
class SuffixLength:
    """The length found, in calls; `reason` says why it is the longest, if none was found."""

    calls: int
    tried: tuple[int, ...]
    reason: str = ""


_PAIR = 0.3
"""How often what a call returns is given back at once, where the class takes such a thing."""
_BLOCKS_ALONE = 2
"""After so many hangs a method is called no more, unless what it returns is given back."""
_BLOCKS = 8
"""After so many it is not called at all: each costs the time of an attempt, and often a process."""
_MOST_FAILURES = 12
"""Extensions in a row that do not work, after which a sequence is as long as it gets."""
_CREATIONS = 30
_ATTEMPTS = 4
"""How often a whole test is made anew that fails with threads."""
_WITH_THREADS = 3
"""How often a test has to go well with threads: what goes wrong then does so now and then."""
_MOST_POOLED = 12
"""Arguments that are made in a prefix for all suffixes."""
_CREATOR = 0.25
"""How much less the constructors are called than a method of equal weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrentTestGenerator:
    """Makes tests of a class; `weights` are those of the methods by their keys."""

    catalogue: TypeCatalogue
    weights: Mapping[str, float]
    plan: RacePlan
    tally: GenerationTally = field(default_factory=GenerationTally)

    def make_test(self, number: int, length: int, threads: int) -> GenerationSteps[Test | None]:
        """Make a test with suffixes of about `length` calls; None where none works with threads."""
        if self.tally.spoilers is None:
            self.tally.spoilers = yield from self._spoilers()
        for attempt in range(_ATTEMPTS):
            seeds = (self.plan.seed, number, threads, attempt)
            maker = _TestMaker(self, np.random.default_rng(seeds))
            test = yield from maker.make_test(number, length, threads)
            if test is None:
                continue
            answer = yield from self._run_with_threads(test)
            if not answer.problem:
                return test
            self.tally.record_drop("a test with threads", answer.problem)
            if answer.position is not None:
                # What fails beside others now may fail again, and the race be inconclusive.
                segment, index = answer.position
                self._record_failure(test.suffixes[segment][index].member.key)
        return None

    def _record_failure(self, key: str) -> None:
        shunned = self.tally.spoiler_methods.shunned | self.tally.thread_failures.keys() | {key}
        if {
            member.key for member in self.callable_members if _is_called_on_object(member)
        } - shunned:
            self.tally.thread_failures[key] += (
                1  # of a class all of whose methods fail, that is all there is
            )

    def _spoilers(self) -> GenerationSteps[Spoilers]:
        """Look for the methods after which others fail: the same whichever test comes first."""
        generator = replace(self, tally=GenerationTally())
        maker = _TestMaker(generator, np.random.default_rng((self.plan.seed,)))
        if not (yield from maker.create_object()):
            return Spoilers()
        looking = SpoilerSearch(
            maker.arguments, maker.prefix, maker.subject, self._find_base_weight
        )
        return (yield from looking.find_spoilers())

    def _run_with_threads(self, test: Test) -> GenerationSteps[GenerationAnswer]:
        """Run all suffixes at once, a few times; return the first answer that is not well."""
        segments = tuple(Segment(suffix, test.repeats) for suffix in test.suffixes)
        attempt = AttemptRequest(prefix=test.prefix, segments=segments, threads=True)
        answer = yield attempt
        for _ in range(_WITH_THREADS - 1):
            if not answer.problem:
                answer = yield attempt
        return answer

    @property
    def callable_members(self) -> tuple[Member, ...]:
        """Return what suffixes are made of."""
        return (*self.catalogue.methods, *self.catalogue.creators)

    def compute_weight(self, member: Member) -> float:
        """Return how likely a member is drawn, relative to others: less, the more it fails."""
        kind = (
            self.tally.compute_shun_factor(member.key) if _is_called_on_object(member) else _CREATOR
        )
        return self._find_base_weight(member) * kind / (1 + self.tally.failing[member.key])

    def _find_base_weight(self, member: Member) -> float:
        return self.weights.get(member.key, 1.0)


def _is_called_on_object(member: Member) -> bool:
    return member.kind in (MemberKind.METHOD, MemberKind.GET, MemberKind.SET)


@dataclass(slots=True)
class _TestMaker:
    """Makes one test."""

    generator: ConcurrentTestGenerator
    rng: np.random.Generator
    arguments: ArgumentGenerator = field(init=False)
    prefix: StatementSequence = ()
    subject: int = 0

    def __post_init__(self) -> None:
        self.arguments = ArgumentGenerator(self.generator.catalogue, self.rng)

    def make_test(self, number: int, length: int, threads: int) -> GenerationSteps[Test | None]:
        most = self.generator.plan.statements or length
        statements = max(1, min(isqrt(length), most))
        if not (yield from self._build_prefix()):
            return None
        suffixes: list[StatementSequence] = []
        for _ in range(threads):
            new_suffix = yield from self._build_suffix(tuple(suffixes), statements)
            if not new_suffix:
                return None
            suffixes.append(new_suffix)
        if not any(
            _is_called_on_object(statement.member) for suffix in suffixes for statement in suffix
        ):
            # What only makes further objects shares none.
            self.generator.tally.record_drop(
                "a test", "its threads do not use the object they share"
            )
            return None
        mean = sum(map(len, suffixes)) / len(suffixes)
        return Test(
            number=number,
            prefix=self.prefix,
            subject=self.subject,
            suffixes=tuple(suffixes),
            repeats=max(1, round(length / mean)),
        )

    def create_object(self) -> GenerationSteps[bool]:
        """Make an object, and tell whether that worked."""
        creators = self.generator.catalogue.creators
        for _ in range(_CREATIONS if creators else 0):
            scope = StatementScope((), [], None)
            variable = self.arguments.add_call(self._draw_member(creators), scope, None)
            if variable is None:
                continue
            answer = yield AttemptRequest(prefix=tuple(scope.more))
            if not self._note_attempt("a new object", answer):
                self.prefix, self.subject = tuple(scope.more), variable.index
                return True
        return False

    def _build_prefix(self) -> GenerationSteps[bool]:
        """Make an object, bring it into a state, and make arguments for all suffixes."""
        if not (yield from self.create_object()):
            return False
        tally = self.generator.tally
        methods = self.generator.catalogue.methods
        harmful = tally.spoiler_methods.harmful
        usable = [
            method
            for method in methods
            if _is_called_on_object(method) and method.key not in harmful
        ]
        hangs = tally.hangs
        yield from self._build_argument_pool()
        calls = failures = 0
        while usable and calls < self.generator.plan.prefix and failures < _MOST_FAILURES:
            scope = StatementScope((), list(self.prefix), self.subject)
            member = self._draw_member(usable)
            is_extended = hangs[member.key] < _BLOCKS_ALONE and (
                yield from self._extend_prefix(member, scope)
            )
            calls, failures = (calls + 1, 0) if is_extended else (calls, failures + 1)
        return True

    def _extend_prefix(self, member: Member, scope: StatementScope) -> GenerationSteps[bool]:
        if self.arguments.add_call(member, scope, scope.receiver) is None:
            return False
        longer = (*self.prefix, *scope.more)
        answer = yield AttemptRequest(prefix=longer)
        if self._note_attempt(member.key, answer):
            return False
        self.prefix = longer
        return True

    def _build_argument_pool(self) -> GenerationSteps[None]:
        """Make a value of each type that methods ask for, so that suffixes need not."""
        catalogue = self.generator.catalogue
        parameter_types = {
            type_ for method in catalogue.methods for type_ in method.parameters
        } - PRIMITIVES
        makeable_types = [
            type_name for type_name in sorted(parameter_types) if catalogue.find_makers(type_name)
        ]
        for index in self.rng.permutation(len(makeable_types))[:_MOST_POOLED]:
            scope = StatementScope((), list(self.prefix), self.subject)
            if self.arguments.add_value(makeable_types[int(index)], scope) is None:
                continue
            longer = (*self.prefix, *scope.more)
            answer = yield AttemptRequest(prefix=longer)
            if not answer.problem:
                self.prefix = longer

    def _build_suffix(
        self, suffixes: tuple[StatementSequence, ...], most: int
    ) -> GenerationSteps[StatementSequence]:
        statements: StatementSequence = ()
        failures = 0
        while len(statements) < most and failures < _MOST_FAILURES:
            scope = StatementScope(self.prefix, list(statements), self.subject)
            member = self._draw_member(self.generator.callable_members)
            if (
                not self._add_random_call(member, scope)
                or len(statements) + len(scope.more) > most + _ROOM
            ):
                failures += 1
                continue
            longer = (*statements, *scope.more)
            around = tuple(Segment(suffix) for suffix in suffixes)
            # Twice, and the others before and after: suffixes are repeated, side by side.
            segments = (*around, Segment(longer, 2), *around)
            answer = yield AttemptRequest(prefix=self.prefix, segments=segments)
            if self._note_attempt(member.key, answer):
                failures += 1
            else:
                statements, failures = longer, 0
        return statements

    def _add_random_call(self, member: Member, scope: StatementScope) -> bool:
        """Add a call, perhaps with one that takes back what it returns."""
        receiver = scope.receiver if _is_called_on_object(member) else None
        tally = self.generator.tally
        blocked = tally.hangs[member.key]
        must = blocked >= _BLOCKS_ALONE or member.key in tally.spoiler_methods.lent
        back = releasing_methods(member, self.generator.catalogue.methods)
        if (must and not back) or blocked >= _BLOCKS:
            return False
        variable = self.arguments.add_call(member, scope, receiver)
        if variable is None:
            return False
        if back and (must or self.rng.random() < _PAIR):
            return add_release_call(self.arguments, self._draw_member(back), variable, scope)
        return True

    def _draw_member(self, members: list[Member] | tuple[Member, ...]) -> Member:
        weights = np.array([self.generator.compute_weight(member) for member in members])
        return members[int(self.rng.choice(len(members), p=weights / weights.sum()))]

    def _note_attempt(self, key: str, answer: GenerationAnswer) -> bool:
        tally = self.generator.tally
        if answer.blocked:
            tally.hangs[key] += 1
        if answer.problem:
            tally.record_drop(key, answer.problem)
            tally.failing[key] += 1
        else:
            tally.failing[key] = 0
        return bool(answer.problem)


_ROOM = 4
"""Statements by which a suffix may be longer than asked for, since arguments have to be made."""


def search_length(
    plan: RacePlan,
) -> Generator[int, tuple[LengthAttempt, LengthAttempt] | None, SuffixLength]:
    """Yield lengths to try; is sent what both versions took, None where no test could be made.

    A length at which no test works counts as too long. What is fallen back on is the upper bound
    that the search has come to: the maximum, unless that was too long. Where versions are so far
    apart that a length is too short for one and too long for the other it is that length, which a
    race can still scale; with `Plan.strict` the maximum, as in the paper.
    """
    low, high = plan.shortest, plan.longest
    if low == high:
        return SuffixLength(low, ())
    tried: list[int] = []
    while low < high and len(tried) < plan.most_tries:
        # Between two powers of ten the middle is their geometric mean: lengths range over four.
        middle = max(low, round((low * high) ** 0.5))
        if middle in tried:
            break
        tried.append(middle)
        attempts = yield middle
        short = attempts is not None and any(
            length_attempt.seconds <= plan.least_seconds for length_attempt in attempts
        )
        long = attempts is None or any(
            length_attempt.repetitions <= plan.least_repetitions for length_attempt in attempts
        )
        if short and long:
            calls = plan.longest if plan.strict else middle
            return SuffixLength(
                calls,
                tuple(tried),
                "a test of this length is too short for one version and too long for the other; "
                "change --longest",
            )
        if not short and not long:
            return SuffixLength(middle, tuple(tried))
        low, high = (middle, high) if short else (low, middle)
    return SuffixLength(
        high,
        tuple(tried),
        f"none of {len(tried)} test lengths is both measurable and repeatable; change --longest "
        "or --steady",
    )
