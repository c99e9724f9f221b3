"""From the options of `qualify` to a request."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditor.config.quantities import seconds
from auditor.config.shares import share
from auditor.core.contracts.qualify import GatePlan
from auditor.core.errors import UsageError

_MOST_FACTOR = 1000.0
_MOST_RUNS = 10_000
_CODES = range(1, 126)


@dataclass(frozen=True, slots=True, kw_only=True)
class QualifyRequest:
    """A gate and what is asked of it."""

    command: tuple[str, ...]  # the gate's command line
    plan: GatePlan  # how often the gate is shown what
    codes: frozenset[int]  # exit codes that are an alarm
    words: re.Pattern[str] | None  # output that is an alarm; None: the exit code alone decides
    timeout_seconds: float  # of one run of the gate
    budget_seconds: float | None  # of the whole command; None: no limit

    @property
    def written(self) -> str:
        """Return the gate's command as people write it."""
        return shlex.join(self.command)

    @property
    def again(self) -> str:
        """Return the call that asks the same of a configuration, `config.json`."""
        plan = self.plan
        asked = {
            "slowdowns": ",".join(f"{factor!r}x" for factor in plan.factors),
            "runs": str(plan.runs),
            "turns": str(plan.turns),
            "timeout": f"{self.timeout_seconds:.15g}s",
            "seed": str(plan.seed),
        }
        if self.codes != frozenset(_CODES):
            asked["alarm-codes"] = ",".join(map(str, sorted(self.codes)))
        if self.words is not None:
            asked["alarm"] = self.words.pattern
        if plan.most_false_alarms is not None:
            asked["max-false-alarms"] = repr(plan.most_false_alarms)
        if plan.must_see is not None:
            asked["must-see"] = f"{plan.must_see!r}x"
        options = [word for name, value in asked.items() for word in (f"--{name}", value)]
        return shlex.join(
            ("bench-audit", "qualify", "--subject", "config.json", *options, "--", *self.command)
        )


def qualify_request(given: Mapping[str, Any]) -> QualifyRequest:
    """Read the options; raises UsageError."""
    if not given["words"]:
        raise UsageError(
            "no gate given: write its command after --, such as bench-audit qualify --method "
            "Parse -- ./gate.sh {base} {head}"
        )
    plan = GatePlan(
        factors=_factors(given["slowdowns"]) or GatePlan().factors,
        runs=_count("--runs", given["runs"], GatePlan().runs),
        turns=_count("--turns", given["turns"], GatePlan().turns),
        most_false_alarms=_most(given["max_false_alarms"]),
        must_see=_factor("--must-see", given["must_see"]) if given["must_see"] else None,
        seed=1 if given["seed"] is None else given["seed"],
    )
    if plan.must_see is not None and plan.must_see not in plan.factors:
        factors = tuple(sorted({*plan.factors, plan.must_see}))
        plan = GatePlan(**{**_fields(plan), "factors": factors})
    return QualifyRequest(
        command=tuple(given["words"]),
        plan=plan,
        codes=_codes(given["alarm_codes"]),
        words=_pattern(given["alarm"]),
        timeout_seconds=_duration("--timeout", given["timeout"]),
        budget_seconds=_duration("--budget", given["budget"]) if given["budget"] else None,
    )


def _fields(plan: GatePlan) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in plan.__dataclass_fields__}


def _factors(text: str | None) -> tuple[float, ...]:
    words = [one.strip() for one in (text or "").split(",") if one.strip()]
    return tuple(sorted({_factor("--slowdowns", word) for word in words}))


def _factor(option: str, text: str) -> float:
    """Read "1.5x" or "1.5": how many times as long."""
    try:
        found = float(text.strip().removesuffix("x"))
    except ValueError:
        found = 0.0
    if not 1.0 < found <= _MOST_FACTOR:
        raise UsageError(
            f"{option} {text!r} must be a factor such as 1.5x, above 1 and at most {_MOST_FACTOR:g}"
        )
    return found


def _count(option: str, given: int | None, default: int) -> int:
    found = default if given is None else given
    if not 1 <= found <= _MOST_RUNS:
        raise UsageError(f"{option} {found} must be a number from 1 to {_MOST_RUNS}")
    return found


def _most(text: str | None) -> float | None:
    if text is None:
        return None
    found = share("--max-false-alarms", text)
    if not found:
        raise UsageError(
            f"--max-false-alarms {text} needs more runs than are allowed; give 1% or more"
        )
    return found


def _codes(text: str | None) -> frozenset[int]:
    if text is None:
        return frozenset(_CODES)
    words = [one.strip() for one in text.split(",")]
    if not all(word.isdecimal() and int(word) in _CODES for word in words):
        raise UsageError(f"--alarm-codes {text} must be exit codes from 1 to 125, such as 1,2")
    return frozenset(map(int, words))


def _pattern(text: str | None) -> re.Pattern[str] | None:
    if text is None:
        return None
    try:
        return re.compile(text, re.MULTILINE)
    except re.error as error:
        raise UsageError(f"--alarm {text!r} is not a regular expression: {error}") from error


def _duration(option: str, text: str) -> float:
    try:
        return seconds(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error
