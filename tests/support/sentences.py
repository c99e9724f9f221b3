"""Each sentence of a result that could contradict another one, with what must hold to say it."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from auditor.abs.text.claims import (
    OPEN,
    UNWATCHED,
    OpenCause,
    ResultFacts,
    needs_repair,
    needs_time,
)
from auditor.core import busy
from auditor.core.result import Verdict


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence, and what must hold of its owner (a method or benchmark, "" for the result)."""

    sentence: re.Pattern[str]  # finds it in a text, whatever numbers and names it holds
    needs: str  # what must hold, for people
    holds: Callable[[ResultFacts, str], bool]


def _claim(sentence: str, needs: str, holds: Callable[[ResultFacts, str], bool]) -> Claim:
    return Claim(re.compile(sentence), needs, holds)


CLAIMS: Mapping[str, Claim] = MappingProxyType(
    {
        "fewest": _claim(
            r"; (?:fewer cannot|no fewer than \d+ can)\.",
            "each pair is decided",
            lambda facts, _: facts.has_whole_matrix,
        ),
        "same score": _claim(
            r"\d+ of \d+ benchmarks? gives? the same score",
            "all benchmarks of a method were looked at, and some benchmark detects a method",
            lambda facts, _: (
                "score-mode" not in facts.caveat_slugs and bool(facts.document.minimal_cover)
            ),
        ),
        "nothing detected": _claim(
            r"No benchmark detects anything",
            "each pair is decided, none as detected",
            lambda facts, _: facts.has_whole_matrix and not facts.document.minimal_cover,
        ),
        "drop": _claim(
            r"drop it, or run it less often",
            "the benchmark is settled, outside of the cover, has no removed call, and the methods "
            "examined hold most of its operation",
            ResultFacts.is_droppable,
        ),
        "silent": _claim(
            r"detects none of them",
            "the benchmark is settled and detects nothing",
            ResultFacts.detects_nothing,
        ),
        "unexamined": _claim(
            r"its main work is not among the methods examined",
            "the benchmark is settled, and the methods examined hold less than half of it",
            ResultFacts.is_unexamined,
        ),
        "write": _claim(
            r"write a benchmark (?:for it|of it alone)|Write a benchmark",
            "no benchmark watches the method, none had its call removed, it can get slower, and "
            "its miss is not accepted",
            ResultFacts.lacks_benchmark,
        ),
        "use result": _claim(
            r"use the result of .+, whose calls? (?:was|were) removed",
            "the compiler removed a call of a method that no benchmark watches",
            lambda facts, owner: owner in facts.removed_calls,
        ),
        "left open": _claim(
            r"left open by the budget|not measured yet",
            "the method is inconclusive, since there was no time for it",
            lambda facts, owner: facts.is_open_for(owner, OpenCause.BUDGET),
        ),
        "too short": _claim(
            r"too short to be slowed",
            "the method is inconclusive, since it is too short",
            lambda facts, owner: facts.is_open_for(owner, OpenCause.SHORT),
        ),
        "scatter": _claim(
            r"a quieter machine",
            "the method is inconclusive, since measurements scatter",
            lambda facts, owner: facts.is_open_for(owner, OpenCause.SCATTER),
        ),
        "nobody detects": _claim(
            r"(?i)no benchmark would detect it if",
            "the method is missed or unreached",
            lambda facts, owner: facts.methods_by_id[owner].outcome in UNWATCHED,
        ),
        "open": _claim(
            r"Whether a benchmark detects a slowdown of .+ is open|whether one detects is open",
            "the method may still turn out detected",
            lambda facts, owner: facts.methods_by_id[owner].outcome in OPEN,
        ),
        "none notices": _claim(
            r"none detects$",
            "the method is missed",
            lambda facts, owner: facts.methods_by_id[owner].outcome is Verdict.MISSED,
        ),
        "notices": _claim(
            r"\d+ detects?$",
            "the method is detected",
            lambda facts, owner: facts.methods_by_id[owner].outcome is Verdict.DETECTED,
        ),
        "steady": _claim(
            r"^Steady \d",
            "the benchmark spreads, is not to be dropped, and the machine was quiet",
            lambda facts, owner: (
                not (
                    facts.is_droppable(owner)
                    or busy.is_busy(facts.document.strain)
                    or busy.JITTER_SLUG in facts.caveat_slugs
                )
            ),
        ),
        "repeat-quieter": _claim(
            r"^Repeat \d+ benchmarks? on a quieter machine$",
            "the benchmark spreads, is not to be dropped, and the machine itself varied",
            lambda facts, owner: (
                not facts.is_droppable(owner) and busy.JITTER_SLUG in facts.caveat_slugs
            ),
        ),
        "repair": _claim(
            r"Repair",
            "the benchmark failed, and not for want of time",
            lambda facts, owner: needs_repair(facts.benchmarks_by_id[owner]),
        ),
        "more time": _claim(
            r'raise "timeout"',
            "the watchdog ended the benchmark",
            lambda facts, owner: needs_time(facts.benchmarks_by_id[owner]),
        ),
        "measured": _claim(
            r"\(measured\)$",
            "methods were slowed down",
            lambda facts, _: "estimate" not in facts.caveat_slugs,
        ),
        "may go unseen": _claim(
            r"(?:vary|varies) too much to detect a slowdown of .* even in a method",
            "the benchmark detects nothing",
            lambda facts, owner: not facts.detects_any_method(owner),
        ),
    }
)

EXCLUSIONS = (
    ("drop", "use result"),
    ("drop", "steady"),
    ("drop", "unexamined"),
    ("drop", "may go unseen"),
    ("write", "use result"),
    ("write", "left open"),
    ("write", "scatter"),
    ("nobody detects", "open"),
    ("nobody detects", "notices"),
    ("repair", "more time"),
    ("left open", "scatter"),
    ("left open", "too short"),
    ("too short", "scatter"),
    ("same score", "nothing detected"),
)
"""Sentences of which at most one may be said of the same method, benchmark or result."""
