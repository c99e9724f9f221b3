"""Methods after which others fail: an object that was closed shows little of its class.

Random calls would close nearly every object, and all that is left then are the methods that a
closed one still allows. So these methods are found beforehand, and hardly called.
"""

from collections import Counter

import numpy as np

from auditor.audits.concurrency.arguments import Arguments, Scope
from auditor.core.asking import Attempt, Making, Segment
from auditor.core.races import Kind, Member, Sequence, Variable

_ORDERS = 5
"""In how many orders the methods are called once each; in the best one few come after a spoiler."""
_MOST_HANGS = 2
"""A method that has hung in so many orders is in none of the others: each time costs seconds."""


def spoilers(arguments: Arguments, prefix: Sequence, subject: int) -> Making[frozenset[str]]:
    """Return the keys of the methods that make another one fail when they are called first.

    `prefix` makes the object, whose index is `subject`. What fails by itself is none of them.
    """
    methods = [one for one in arguments.catalogue.methods if one.kind is Kind.METHOD]
    best: list[tuple[str, Segment]] = []
    hangs: Counter[str] = Counter()
    for _ in range(_ORDERS):
        order = _shuffled(methods, arguments.rng)
        order = [one for one in order if hangs[one.key] < _MOST_HANGS]
        kept = yield from _working(arguments, prefix, subject, order, hangs)
        best = max(best, kept, key=len)
    found = set()
    for at, (key, segment) in enumerate(best):
        rest = [one for other, (_, one) in enumerate(best) if other != at]
        answer = yield Attempt(prefix=prefix, segments=(segment, *rest))
        if answer.problem:
            found.add(key)
    return frozenset(found)


def _shuffled(methods: list[Member], rng: np.random.Generator) -> list[Member]:
    return [methods[int(at)] for at in rng.permutation(len(methods))]


def _working(
    arguments: Arguments,
    prefix: Sequence,
    subject: int,
    methods: list[Member],
    hangs: Counter[str],
) -> Making[list[tuple[str, Segment]]]:
    """Call the methods one after the other on one object; return those that did not fail.

    Those that hang are counted.
    """
    kept: list[tuple[str, Segment]] = []
    for member in methods:
        scope = Scope(prefix, [], subject)
        if arguments.call(member, scope, Variable(subject, shared=True)) is None:
            continue
        segment = Segment(tuple(scope.more))
        before = tuple(one for _, one in kept)
        answer = yield Attempt(prefix=prefix, segments=(*before, segment))
        hangs[member.key] += answer.blocked
        if not answer.problem:
            kept.append((member.key, segment))
    return kept
