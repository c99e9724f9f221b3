"""Which methods are slowed: those named by the user, or those that are called most."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.ports import Mutator
from auditor.core.request import AbsRequest
from auditor.core.subject import Method
from auditor.measure import popularity
from auditor.measure.context import StudyContext

LARGEST_CHOICE = 20
"""How many methods an automatic choice takes (abs-score.md)."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The methods to look at."""

    methods: tuple[Method, ...]
    """Those whose calls are counted."""
    fixed: bool
    """Whether these are the ones to be judged, and not all public ones."""
    chosen: tuple[Method, ...] = ()
    """Of all public ones those to be judged, where counts do not choose them."""
    caveats: tuple[Caveat, ...] = ()
    """How they were chosen, where the user has not named them."""

    @property
    def known(self) -> tuple[Method, ...]:
        """Return those to be judged, empty where counts will choose them."""
        return self.methods if self.fixed else self.chosen

    @property
    def most_slowed(self) -> int:
        """Return how many methods are slowed down at most."""
        slowable = sum(method.refusal is None for method in self.known or self.methods)
        return slowable if self.known else min(LARGEST_CHOICE, slowable)


def candidates(request: AbsRequest, parts: StudyContext) -> Candidates:
    """Return the methods named, in their order, else those of the baseline, else the most used.

    Where nothing is known of their use they are all public ones that can be slowed. Raises
    UsageError for a name that means no method or several.
    """
    written = request.methods
    methods = parts.mutator.methods(parts.suite.sources)
    if written is not None:
        meant = (named(name, methods, parts.mutator, parts.project.name) for name in written)
        return Candidates(tuple(dict.fromkeys(meant)), fixed=True)
    held, caveats = _of_baseline(request.baseline_methods, methods)
    if request.popular is not None:
        used, said = popularity.most_used(methods, request.popular, LARGEST_CHOICE)
        if held or used:
            return Candidates(held or used, fixed=True, caveats=caveats or said)
    # All public ones are counted also where a baseline chooses, so that a gate alone makes no
    # other program.
    public = [method for method in methods if method.public and method.refusal is None]
    counted = tuple(dict.fromkeys((*public, *held)))
    return Candidates(counted, fixed=False, chosen=held, caveats=caveats)


def _of_baseline(
    ids: Sequence[str], methods: Sequence[Method]
) -> tuple[tuple[Method, ...], tuple[Caveat, ...]]:
    """Return the methods of a baseline that are here, and say so; nothing where there are none."""
    by_id = {method.id: method for method in methods}
    held = tuple(by_id[id_] for id_ in ids if id_ in by_id)
    text = f"the methods of the baseline, {len(held)} of {len(ids)} are in this revision"
    return held, (Caveat("methods-baseline", text),) if held else ()


def named(name: str, methods: Sequence[Method], mutator: Mutator, project: str) -> Method:
    """Return the one method that a name means; raises UsageError for none or several."""
    exact = [method for method in methods if method.id == name]
    found = exact or [method for method in methods if mutator.matches(name, method)]
    if len(found) == 1:
        return found[0]
    if found:
        those = ", ".join(method.id for method in found[:10])
        raise UsageError(f"the method name {name!r} is ambiguous; write one of: {those}")
    ids = [method.id for method in methods]
    last = name.rpartition(".")[2].partition("(")[0]
    close = get_close_matches(name, ids, n=3, cutoff=0.5)
    same = [one for one in ids if one.rpartition(".")[2].partition("(")[0] == last][:5]
    hint = ", ".join(dict.fromkeys([*same, *close])) or f"{len(ids)} methods, none alike"
    raise UsageError(f"unknown method {name!r} in {project}; the subject has: {hint}")
