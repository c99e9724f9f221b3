"""Which methods are slowed: those named by the user, or those that are called most."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from auditor.audits import popularity
from auditor.core.caveats import Caveat
from auditor.core.errors import UsageError
from auditor.core.ports import Mutator
from auditor.core.request import AbsRequest
from auditor.core.subject import Method
from auditor.studies.parts import Parts

LARGEST_CHOICE = 20
"""How many methods an automatic choice takes (abs.md, "Finding the often-used methods")."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """The methods to look at; `fixed` tells those that are to be judged from all public ones.

    `caveats` say how they were chosen, where the user has not named them.
    """

    methods: tuple[Method, ...]
    fixed: bool
    caveats: tuple[Caveat, ...] = ()


def candidates(request: AbsRequest, parts: Parts) -> Candidates:
    """Return the methods named, in their order, else those of the baseline, else the most used.

    Where nothing is known of their use they are all public ones that can be slowed. Raises
    UsageError for a name that means no method or several.
    """
    written = request.methods
    methods = parts.mutator.methods(parts.suite.sources)
    if written is None and (of_baseline := _of_baseline(request.baseline_methods, methods)):
        return of_baseline
    if written is None and request.popular is not None:
        chosen, said = popularity.most_used(methods, request.popular, LARGEST_CHOICE)
        if chosen:
            return Candidates(chosen, fixed=True, caveats=said)
    if written is None:
        public = tuple(method for method in methods if method.public and method.refusal is None)
        return Candidates(public, fixed=False)
    meant = (named(name, methods, parts.mutator, parts.project.name) for name in written)
    return Candidates(tuple(dict.fromkeys(meant)), fixed=True)


def _of_baseline(ids: Sequence[str], methods: Sequence[Method]) -> Candidates | None:
    """Return the methods of a baseline; None where there is no baseline or no method of it left."""
    by_id = {one.id: one for one in methods}
    chosen = tuple(by_id[one] for one in ids if one in by_id)
    if not chosen:
        return None
    text = f"the methods of the baseline, {len(chosen)} of {len(ids)} are in this revision"
    return Candidates(chosen, fixed=True, caveats=(Caveat("methods-baseline", text),))


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
