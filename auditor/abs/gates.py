"""A verdict and the limits it has to meet, as an exit code."""

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from auditor.abs.document import AbsOrStability, Document, accepted_methods
from auditor.abs.judge.indifference_zone import is_borderline
from auditor.abs.judge.outcomes import NOT_COUNTED
from auditor.abs.model import MethodVerdict, Score
from auditor.abs.text.claims import OPEN, ResultFacts
from auditor.abs.text.words import is_estimate, is_withheld
from auditor.config import Config, Gates
from auditor.config.shares import as_percent
from auditor.core.errors import Exit, UsageError
from auditor.core.result import Verdict

MISSED = frozenset({Verdict.MISSED, Verdict.UNREACHED})
_NAMED = 5
"""Methods that a gate names."""


@dataclass(frozen=True, slots=True)
class BaselineResult:
    """A result to compare with, and the name that it was given by."""

    name: str
    document: Document

    def check_comparable(self, config: Config) -> None:
        """Refuse an audit that asks another question than the baseline; raises UsageError."""
        request, baseline_document = config.request, self.document
        if not any(_list_detected_methods(self)):
            raise UsageError(
                f"{self.name} detects no method, so a gate on it can never fail; make it anew"
            )
        if request.slowdown is None:
            raise UsageError(
                'a gate needs a fixed slowdown, as "auto" differs between revisions; give a '
                "number: --slowdown 0.5"
            )
        limit = self.find_min_delta()
        if request.min_delta != limit:
            now, then = (
                "no min_delta" if min_delta is None else f"a min_delta of {as_percent(min_delta)}"
                for min_delta in (request.min_delta, limit)
            )
            raise UsageError(
                f"{self.name} was made with {then}, this audit has {now}, so their misses "
                "are not comparable; use the same settings"
            )
        if (request.slowdown, request.rule) != (baseline_document.slowdown, baseline_document.rule):
            raise UsageError(
                f"{self.name} was made with the slowdown {baseline_document.slowdown} and the rule "
                f"{baseline_document.rule}, this audit has {request.slowdown} and {request.rule}, "
                "so their misses are not comparable; use the same settings"
            )

    def find_min_delta(self) -> float | None:
        """Return the change that counted, None where none was set.

        Raises UsageError where the result holds no configuration.
        """
        try:
            configuration: Any = json.loads(self.document.config)
        except ValueError:
            configuration = None
        if not isinstance(configuration, dict):
            raise UsageError(f"{self.name}: `config` is not a configuration; make it anew")
        return configuration.get("min_delta")


def judge_gates(
    document: Document,
    gates: Gates,
    baseline: BaselineResult | None = None,
    unsure: Collection[str] = (),
) -> tuple[Exit, Sequence[str]]:
    """Return the verdict of the gates on an ABS audit and what to say about it.

    `unsure` are methods that are missed here and were not when they were measured again: they
    decide no gate, nor do misses that are borderline.
    """
    unsure = {*unsure, *_list_unconfirmed_misses(document)}
    score = document.without_accepted or document.scores.total
    if document.scores.total.bounds is None or not _anything_judged(document):
        return Exit.NO_VERDICT, [f"no verdict: {_without_verdict(document)}"]
    if score.bounds is None:
        return Exit.NO_VERDICT, ["no verdict: each method that counts is an accepted miss"]
    gate_results = []
    if gates.min_score is not None:
        low, high = score.bounds
        high = min(100.0, high + 100 * len(unsure) / score.counted)
        gate_results.append(_judge_min_score(document, score, (low, high), gates.min_score))
    if baseline is not None:
        gate_results.append(_judge_new_misses(document, baseline, unsure))
    codes = [code for code, _ in gate_results]
    exit_code = next(
        (item for item in (Exit.GATE_FAILED, Exit.NO_VERDICT) if item in codes), Exit.OK
    )
    messages = [messages for _, messages in gate_results]
    if is_estimate(document):
        messages = [f"{item} (an estimate: nothing was slowed down)" for item in messages]
    return exit_code, messages


def _without_verdict(document: Document) -> str:
    """Say why no method that counts has a verdict."""
    if not document.methods:
        if any(caveat.slug == "methods-auto" for caveat in document.caveats):
            return "no method was chosen (methods-auto)"
        return "the subject has no method to slow"
    facts = ResultFacts(document)
    if not any(benchmark.means for benchmark in document.benchmarks):
        return "nothing was measured"
    if not any(method.outcome in OPEN for method in document.methods):
        return "no method could be slowed"
    if facts.ran_out_of_time:
        return f"each method was {facts.open_wording}; the same command goes on from here"
    return "the outcome of each method is open"


def _judge_min_score(
    document: Document, score: Score, bounds: tuple[float, float], least: float
) -> tuple[Exit, str]:
    low, high = bounds
    limit = f"at least {least:g} %"
    out = sum(miss.left_out for miss in document.accepted)
    score_name = "the total score" + (f" without {out} accepted misses" if out else "")
    if low >= least:
        return Exit.OK, f"gate passed: {limit}, {score_name} is {score.percent:.4g} %"
    if high < least:
        most = "" if high == low else f", at most {high:.4g} %"
        message = f"gate failed: {limit}, {score_name} is {score.percent:.4g} %{most}"
        return Exit.GATE_FAILED, message
    message = f"gate undecided: {limit}, {score_name} is between {low:.4g} % and {high:.4g} %"
    return Exit.NO_VERDICT, message


def _list_unconfirmed_misses(document: Document) -> Iterator[str]:
    """Yield the methods that count and whose miss says no more than a detection would.

    In an estimate that is each miss, as nothing was slowed down.
    """
    accepted = accepted_methods(document.accepted)
    for method in document.methods:
        is_unconfirmed = is_borderline_miss(method) or (
            is_estimate(document) and method.outcome in MISSED
        )
        if is_unconfirmed and method.id not in accepted:
            yield method.id


def is_borderline_miss(method: MethodVerdict) -> bool:
    """Tell whether a method is missed by an effect at the limit, so that either is right."""
    return method.outcome in MISSED and is_borderline(method.caveats)


def is_surely_missed(method: MethodVerdict) -> bool:
    """Tell whether a method is missed, and not by an effect at the limit."""
    return method.outcome in MISSED and not is_borderline_miss(method)


def find_new_misses(document: Document, baseline: BaselineResult) -> list[str]:
    """Return the methods that the baseline has as detected and this result as surely missed."""
    missed = {method.id for method in document.methods if is_surely_missed(method)}
    return [
        method_id for method_id in _list_still_counted(document, baseline) if method_id in missed
    ]


def _list_still_counted(document: Document, baseline: BaselineResult) -> list[str]:
    """Return the methods that the baseline has as detected and that count here."""
    accepted = accepted_methods(document.accepted)
    now = {method.id for method in document.methods}
    return [
        method_id
        for method_id in _list_detected_methods(baseline)
        if method_id in now and method_id not in accepted
    ]


def _list_detected_methods(baseline: BaselineResult) -> list[str]:
    return [method.id for method in baseline.document.methods if method.outcome is Verdict.DETECTED]


def _judge_new_misses(
    document: Document, baseline: BaselineResult, unsure: Collection[str]
) -> tuple[Exit, str]:
    """Look at the methods that were detected: which of them are missed, or may be, by now?"""
    now = {method.id: method.outcome for method in document.methods}
    missed = [path for path in find_new_misses(document, baseline) if path not in unsure]
    open_ = [
        method_id
        for method_id in _list_still_counted(document, baseline)
        if method_id in unsure or now[method_id] not in {*MISSED, Verdict.DETECTED}
    ]
    removed_methods = [
        method_id for method_id in _list_detected_methods(baseline) if method_id not in now
    ]
    if len(removed_methods) == len(_list_detected_methods(baseline)):
        names = first_names(removed_methods)
        message = f"gate undecided: nothing that {baseline.name} detects is audited: {names}"
        return Exit.NO_VERDICT, message
    rest = f"; no longer audited: {first_names(removed_methods)}" if removed_methods else ""
    if missed:
        message = (
            f"gate failed: detected in {baseline.name}, missed now: {first_names(missed)}{rest}"
        )
        return Exit.GATE_FAILED, message
    if open_:
        message = (
            f"gate undecided: detected in {baseline.name}, open now: {first_names(open_)}{rest}"
        )
        return Exit.NO_VERDICT, message
    return Exit.OK, f"gate passed: no method of {baseline.name} is newly missed{rest}"


def first_names(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _anything_judged(document: Document) -> bool:
    """Tell whether a method that counts has a judged pair, or surely no benchmark that calls it."""
    judged = {
        pair.method
        for pair in document.pairs
        if pair.effect is not None or pair.outcome in (Verdict.DETECTED, Verdict.MISSED)
    }
    return any(
        method.outcome is Verdict.UNREACHED
        or (method.id in judged and method.outcome not in NOT_COUNTED)
        for method in document.methods
    )


def judge_stability(
    document: AbsOrStability, least: float | None = None
) -> tuple[Exit, Sequence[str]]:
    """Return the verdict on a stability audit and what to say about it.

    A gate on the score, of `least` percent, cannot tell: no method was slowed down.
    """
    if all(benchmark.max_spread is None for benchmark in document.benchmarks):
        message = "no verdict: no benchmark was measured in two or more whole runs"
        if any(map(is_withheld, document.benchmarks)):
            message = "no verdict: the runs were made on a busy machine; repeat on a quiet one"
        return Exit.NO_VERDICT, [message]
    if least is not None:
        message = f"gate undecided: at least {least:g} %; no method was slowed down"
        return Exit.NO_VERDICT, [message]
    return Exit.OK, []
