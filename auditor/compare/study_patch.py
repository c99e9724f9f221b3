"""Which methods differ between two revisions, and would the suite have detected these?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from auditor.abs.model import AbsVerdict
from auditor.abs.study import abs_audit
from auditor.abs.study.accepted_misses import find_accepted_misses
from auditor.compare.model import Patch
from auditor.core.caveats import Caveat, list_some
from auditor.core.request import (
    FIRST_PART,
    AbsRequest,
    CompareRequest,
    CurveMode,
    DetectionRule,
    second_seed,
)
from auditor.core.result import Verdict
from auditor.core.subject import Method
from auditor.measure.context import StudyContext


def find_differing_methods(
    base: StudyContext, head: StudyContext
) -> tuple[Patch, tuple[Caveat, ...]]:
    """Return the methods that head has changed, added and removed, by what their sources say.

    Lines that are comments, and white space without a meaning, are no difference. Methods without a
    source cannot be compared, which is said.
    """
    base_texts, head_texts = _collect_method_texts(base), _collect_method_texts(head)
    caveats = []
    if unknown_count := sum(text is None for text in head_texts.values()):
        message = (
            f"{unknown_count} methods have no source here, so changes in them are unknown; give a "
            "folder or a repository as the subject"
        )
        caveats.append(Caveat("no-source", message))
    refused = _find_refused(base, head)
    if refused:
        message = (
            f"changed or new methods that cannot be slowed down, so this comparison says nothing "
            f"of them: {list_some(refused)}"
        )
        caveats.append(Caveat("methods-refused", message))
    patch = Patch(
        changed=tuple(
            name for name, text in head_texts.items() if base_texts.get(name, text) != text
        ),
        added=tuple(name for name in head_texts if name not in base_texts),
        removed=tuple(name for name in base_texts if name not in head_texts),
        refused=refused,
        # Of a class with its source, what the compiler adds has none.
        unknown=unknown_count if unknown_count == len(head_texts) else 0,
    )
    return patch, tuple(caveats)


def _find_refused(base: StudyContext, head: StudyContext) -> tuple[str, ...]:
    """Return the methods that head has changed or added and that cannot be slowed down."""
    base_texts, head_texts = (_collect_method_texts(side, refused=True) for side in (base, head))
    return tuple(
        name
        for name, text in head_texts.items()
        if name not in base_texts or base_texts[name] != text
    )


def make_patch_request(request: CompareRequest, abs_request: AbsRequest) -> AbsRequest:
    """Return what the audit of a patch asks: each method up to the first benchmark that detects."""
    # The paper's rule compares each run with one of the unchanged suite.
    needs_suite = abs_request.rule is DetectionRule.PAPER and not abs_request.is_interleaved
    return replace(
        abs_request,
        suite=replace(abs_request.suite, stability_runs=abs_request.runs if needs_suite else 1),
        slowdown=request.slowdown,
        score_only=True,
        curve=CurveMode.NONE,
    )


def audit_patch(patch: Patch, max_methods: int, request: AbsRequest, head: StudyContext) -> Patch:
    """Slow at most `max_methods` down that head has changed or added, the public ones first.

    None is where head has no benchmark.
    """
    method_ids = select_methods(patch, max_methods, head)
    if not method_ids or not head.suite.benchmarks:
        return patch
    methods = head.mutator.find_methods(head.suite.sources)
    verdict = abs_audit.audit_suite(
        replace(request, methods=method_ids), replace(head, request=request.suite)
    )
    unreached_ids = {method.id for method in verdict.methods if method.outcome is Verdict.UNREACHED}
    unwatched = _select_public(unreached_ids & set(patch.added), methods)
    return replace(patch, unwatched=unwatched, verdict=verdict)


def accept_misses_of_head(request: AbsRequest, head: StudyContext) -> AbsRequest:
    """Return the request with the accepted misses of methods that head has.

    Raises UsageError for an entry that means several methods or has no reason, before anything is
    measured.
    """
    methods = head.mutator.find_methods(head.suite.sources)
    accepted = tuple(
        acceptance
        for acceptance in request.accepted
        if any(
            method.id == acceptance.method or head.mutator.matches_name(acceptance.method, method)
            for method in methods
        )
    )
    find_accepted_misses(accepted, head)
    return replace(request, accepted=accepted)


def limit_first_look(head: StudyContext) -> StudyContext:
    """Return head with less time, so that a budget leaves some for a second look."""
    if head.deadline is None:
        return head
    first_seconds = FIRST_PART * max(0.0, head.deadline.seconds_left)
    return replace(head, deadline=head.deadline.make_stage_deadline(first_seconds))


def repeat_audit(methods: Sequence[str], request: AbsRequest, head: StudyContext) -> AbsVerdict:
    """Slow methods down again, with new measurements only."""
    suite = replace(request.suite, seed=second_seed(request.suite.seed))
    repeat_request = replace(request, suite=suite, methods=tuple(methods), accepted=())
    return abs_audit.audit_suite(repeat_request, replace(head, request=suite))


def select_methods(patch: Patch, max_methods: int, head: StudyContext) -> tuple[str, ...]:
    """Return at most `max_methods` that head has changed or added, the public ones first."""
    is_public_by_id = {
        method.id: method.public for method in head.mutator.find_methods(head.suite.sources)
    }
    method_ids = sorted((*patch.changed, *patch.added), key=lambda name: not is_public_by_id[name])
    return tuple(method_ids[:max_methods])


def _select_public(method_ids: set[str], methods: Iterable[Method]) -> tuple[str, ...]:
    return tuple(method.id for method in methods if method.id in method_ids and method.public)


def _collect_method_texts(parts: StudyContext, *, refused: bool = False) -> dict[str, str | None]:
    """Return what each method says that can be slowed, None where its source is not known.

    With `refused`, of each that cannot, but those without code of their own.
    """
    lines = {
        source.path: source.text.decode(errors="replace").splitlines()
        for source in parts.suite.sources
    }
    comment = parts.mutator.comment_prefix.decode()
    compared_texts = parts.mutator.list_method_texts(parts.suite.sources)
    return {
        method.id: compared_texts.get(method.id) or _extract_method_text(method, lines, comment)
        for method in parts.mutator.find_methods(parts.suite.sources)
        if (
            method.refusal is not None and method.trivial is None if refused else not method.refusal
        )
    }


def _extract_method_text(
    method: Method, lines: Mapping[str, Sequence[str]], comment: str
) -> str | None:
    span = method.span
    if span is None or span.file not in lines:
        return None
    method_lines = (
        " ".join(line.split()) for line in lines[span.file][span.first_line - 1 : span.last_line]
    )
    return "\n".join(line for line in method_lines if line and not line.startswith(comment))
