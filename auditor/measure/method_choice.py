"""Which methods are slowed: those named by the user, or those that are called most."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from auditor.core.caveats import Caveat, list_some
from auditor.core.errors import UsageError
from auditor.core.ports import Mutator
from auditor.core.request import AbsRequest
from auditor.core.subject import Method
from auditor.measure import popularity
from auditor.measure.context import StudyContext

LARGEST_CHOICE = 20
"""How many methods an automatic choice takes (abs-score.md)."""


@dataclass(frozen=True, slots=True)
class MethodCandidates:
    """The methods to look at."""

    methods: tuple[Method, ...]
    """Those whose calls are counted."""
    fixed: bool
    """Whether these are the ones to be judged, and not all public ones."""
    named: tuple[Method, ...] = ()
    """Of all public ones those to be judged, where counts do not choose them."""
    caveats: tuple[Caveat, ...] = ()
    """How they were chosen, where the user has not named them."""

    @property
    def methods_to_judge(self) -> tuple[Method, ...]:
        """Return those to be judged, empty where counts will choose them."""
        return self.methods if self.fixed else self.named

    @property
    def most_slowed(self) -> int:
        """Return how many methods are slowed down at most."""
        slowable = sum(method.refusal is None for method in self.methods_to_judge or self.methods)
        return slowable if self.methods_to_judge else min(LARGEST_CHOICE, slowable)


def choose_candidates(request: AbsRequest, parts: StudyContext) -> MethodCandidates:
    """Return the methods named, in their order, else those of the baseline, else the most used.

    Where nothing is known of their use they are all public ones that can be slowed. Raises
    UsageError for a name that means no method or several.
    """
    names = request.methods
    methods = parts.mutator.find_methods(parts.suite.sources)
    if names is not None:
        meant = (
            resolve_method_name(name, methods, parts.mutator, parts.project.name) for name in names
        )
        return MethodCandidates(tuple(dict.fromkeys(meant)), fixed=True)
    baseline_methods, caveats = _find_baseline_methods(request.baseline_methods, methods)
    if request.popular is not None:
        popular_methods, popularity_caveats = popularity.most_used(
            methods, request.popular, LARGEST_CHOICE
        )
        if baseline_methods or popular_methods:
            return MethodCandidates(
                baseline_methods or popular_methods,
                fixed=True,
                caveats=caveats or popularity_caveats,
            )
    # All public ones are counted also where a baseline chooses, so that a gate alone makes no
    # other program.
    public = [method for method in methods if method.public and method.refusal is None]
    counted_methods = tuple(dict.fromkeys((*public, *baseline_methods)))
    return MethodCandidates(
        counted_methods,
        fixed=False,
        named=baseline_methods,
        caveats=(*caveats, *_describe_refused(methods)),
    )


def _describe_refused(methods: Sequence[Method]) -> tuple[Caveat, ...]:
    """Name the public methods that are not counted, although users may call them most."""
    names_by_reason: dict[str, list[str]] = {}
    for method in methods:
        if method.public and method.refusal is not None and method.trivial is None:
            names_by_reason.setdefault(method.refusal, []).append(method.id)
    if not names_by_reason:
        return ()
    groups = [f"{list_some(names)} ({reason})" for reason, names in names_by_reason.items()]
    count = sum(map(len, names_by_reason.values()))
    text = (
        f"{count} public method{'s'[: count > 1]} cannot be slowed down, so this audit says "
        f"nothing of {'; '.join(groups)}"
    )
    return (Caveat("methods-refused", text),)


def _find_baseline_methods(
    ids: Sequence[str], methods: Sequence[Method]
) -> tuple[tuple[Method, ...], tuple[Caveat, ...]]:
    """Return the methods of a baseline that are here, and say so; nothing where there are none."""
    by_id = {method.id: method for method in methods}
    existing_methods = tuple(by_id[id_] for id_ in ids if id_ in by_id)
    text = (
        f"the methods are those of the baseline result; {len(existing_methods)} of {len(ids)} "
        "exist in this revision"
    )
    return existing_methods, (Caveat("methods-baseline", text),) if existing_methods else ()


def resolve_method_name(
    name: str, methods: Sequence[Method], mutator: Mutator, project: str
) -> Method:
    """Return the one method that a name means; raises UsageError for none or several."""
    exact = [method for method in methods if method.id == name]
    matching_methods = exact or [method for method in methods if mutator.matches_name(name, method)]
    if len(matching_methods) == 1:
        return matching_methods[0]
    if matching_methods:
        choices = ", ".join(method.id for method in matching_methods[:10])
        raise UsageError(f"the method name {name!r} is ambiguous; write one of: {choices}")
    ids = [method.id for method in methods]
    last = name.rpartition(".")[2].partition("(")[0]
    close = get_close_matches(name, ids, n=3, cutoff=0.5)
    same = [
        method_id for method_id in ids if method_id.rpartition(".")[2].partition("(")[0] == last
    ][:5]
    hint = ", ".join(dict.fromkeys([*same, *close])) or f"{len(ids)} methods, none alike"
    raise UsageError(f"unknown method {name!r} in {project}; the subject has: {hint}")
