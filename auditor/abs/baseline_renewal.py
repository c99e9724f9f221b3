"""A baseline that a new result renews, without losing what the new result leaves open."""

from contextlib import suppress
from pathlib import Path

import msgspec

from auditor.abs.document import Document
from auditor.abs.exports import long_tables
from auditor.abs.gates import BaselineResult, is_surely_missed
from auditor.abs.stored_result import read_result_file
from auditor.core.errors import UsageError
from auditor.core.result import Verdict
from reports import results


def renew_baseline(old: Document, new: Document) -> Document:
    """Return `new`, with the verdict of `old` on methods that it detects and `new` leaves open.

    A baseline of another slowdown, rule or `min_delta` has nothing to say of these. Raises
    UsageError for a result without its configuration.
    """
    if _find_question(old) != _find_question(new):
        return new
    detected = {method.id: method for method in old.methods if method.outcome is Verdict.DETECTED}
    methods = tuple(
        method
        if method.outcome is Verdict.DETECTED or is_surely_missed(method)
        else detected.get(method.id, method)
        for method in new.methods
    )
    return msgspec.structs.replace(new, methods=methods)


def _find_question(document: Document) -> tuple[object, ...]:
    min_delta = BaselineResult("the baseline", document).find_min_delta()
    return document.slowdown, document.rule, min_delta


def renew_baseline_file(baseline: Path, result: Path) -> None:
    """Renew a baseline, or begin one; one that cannot be read is replaced.

    Raises UsageError for a result that is none of `abs`.
    """
    renewed = long_tables.require_methods(read_result_file(result))
    with suppress(UsageError):
        old = long_tables.require_methods(read_result_file(baseline))
        renewed = renew_baseline(old, renewed)
    baseline.parent.mkdir(parents=True, exist_ok=True)
    baseline.write_text(results.format_json(renewed))
