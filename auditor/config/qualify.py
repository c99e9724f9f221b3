"""From the options of `qualify` to a request."""

import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from auditor.config.quantities import parse_duration
from auditor.config.shares import as_percent, parse_change, parse_share
from auditor.core.contracts.qualify import CONFIDENCE_LEVEL, DETECTION_RATE, GatePlan
from auditor.core.errors import UsageError

_MOST_FACTOR = 1000.0
_MOST_RUNS = 10_000
_CODES = range(1, 126)
_TOO_FEW_ALARMS = "--max-false-alarms {} needs more runs than are allowed; give 1% or more"


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
    def command_text(self) -> str:
        """Return the gate's command as people write it."""
        return shlex.join(self.command)

    @property
    def repeat_command(self) -> str:
        """Return the call that asks the same of a configuration, `config.json`."""
        plan = self.plan
        option_values = {
            "slowdowns": ",".join(f"{factor!r}x" for factor in plan.factors),
            "runs": str(plan.runs),
            "turns": str(plan.turns),
            "timeout": f"{self.timeout_seconds:.15g}s",
            "seed": str(plan.seed),
        }
        if self.codes != frozenset(_CODES):
            option_values["alarm-codes"] = ",".join(map(str, sorted(self.codes)))
        if self.words is not None:
            option_values["alarm"] = self.words.pattern
        if plan.most_false_alarms is not None:
            option_values["max-false-alarms"] = repr(plan.most_false_alarms)
        if plan.must_see is not None:
            option_values["must-see"] = f"{plan.must_see!r}x"
        options = [word for name, value in option_values.items() for word in (f"--{name}", value)]
        return shlex.join(
            ("bench-audit", "qualify", "--subject", "config.json", *options, "--", *self.command)
        )


def qualify_request(option_values: Mapping[str, Any]) -> QualifyRequest:
    """Read the options; raises UsageError."""
    if not option_values["words"]:
        raise UsageError(
            "no gate given: write its command after --, such as bench-audit qualify --method "
            "Parse -- ./gate.sh {base} {head}"
        )
    alarm_limit = _parse_alarm_limit(option_values["max_false_alarms"])
    must_see = (
        _parse_factor("--must-see", option_values["must_see"])
        if option_values["must_see"]
        else None
    )
    plan = GatePlan(
        factors=_parse_factors(option_values["slowdowns"]) or GatePlan().factors,
        runs=_choose_runs(option_values["runs"], alarm_limit, must_see),
        turns=_check_count("--turns", option_values["turns"], GatePlan().turns),
        most_false_alarms=alarm_limit,
        must_see=must_see,
        seed=1 if option_values["seed"] is None else option_values["seed"],
    )
    if plan.must_see is not None and plan.must_see not in plan.factors:
        factors = tuple(sorted({*plan.factors, plan.must_see}))
        plan = GatePlan(**{**_list_fields(plan), "factors": factors})
    return QualifyRequest(
        command=tuple(option_values["words"]),
        plan=plan,
        codes=_parse_codes(option_values["alarm_codes"]),
        words=_compile_alarm(option_values["alarm"]),
        timeout_seconds=_parse_duration("--timeout", option_values["timeout"]),
        budget_seconds=_parse_duration("--budget", option_values["budget"])
        if option_values["budget"]
        else None,
    )


def _list_fields(plan: GatePlan) -> dict[str, Any]:
    return {name: getattr(plan, name) for name in plan.__dataclass_fields__}


def _parse_factors(text: str | None) -> tuple[float, ...]:
    words = [part.strip() for part in (text or "").split(",") if part.strip()]
    return tuple(sorted({_parse_factor("--slowdowns", word) for word in words}))


def _parse_factor(option: str, text: str) -> float:
    """Read "1.5x", "50%" or "0.5" as 1.5: how many times as long."""
    factor = round(1 + parse_change(option, text, largest_factor=_MOST_FACTOR), 12)
    if not 1.0 < factor <= _MOST_FACTOR:
        raise UsageError(
            f"{option} {text!r} must be a factor such as 1.5x, above 1 and at most {_MOST_FACTOR:g}"
        )
    return factor


def _choose_runs(runs: int | None, alarm_limit: float | None, must_see: float | None) -> int:
    """Return how often a pair is shown at most; raises UsageError where a demand cannot be met.

    Both demands are judged by one-sided Clopper-Pearson bounds of `CONFIDENCE_LEVEL`: no alarm in
    n runs leaves a rate up to 1 - .05^(1/n), an alarm in each of n runs one down to .05^(1/n).
    """
    log_doubt, needed_runs = math.log(1 - CONFIDENCE_LEVEL), {}
    if alarm_limit is not None:
        needed = math.ceil(log_doubt / math.log1p(-alarm_limit))
        if needed > _MOST_RUNS:
            raise UsageError(_TOO_FEW_ALARMS.format(as_percent(alarm_limit)))
        needed_runs["--max-false-alarms"] = needed
    if must_see is not None:
        needed_runs["--must-see"] = math.ceil(log_doubt / math.log(DETECTION_RATE))
    for option, needed in needed_runs.items():
        if runs is not None and runs < needed:
            raise UsageError(f"{option} cannot pass with --runs {runs}; give --runs {needed}")
    return _check_count("--runs", runs, max(GatePlan().runs, *needed_runs.values(), 0))


def _check_count(option: str, value: int | None, default: int) -> int:
    count = default if value is None else value
    if not 1 <= count <= _MOST_RUNS:
        raise UsageError(f"{option} {count} must be a number from 1 to {_MOST_RUNS}")
    return count


def _parse_alarm_limit(text: str | None) -> float | None:
    if text is None:
        return None
    limit = parse_share("--max-false-alarms", text)
    if not limit:
        raise UsageError(_TOO_FEW_ALARMS.format(text))
    return limit


def _parse_codes(text: str | None) -> frozenset[int]:
    if text is None:
        return frozenset(_CODES)
    words = [part.strip() for part in text.split(",")]
    if not all(word.isdecimal() and int(word) in _CODES for word in words):
        raise UsageError(f"--alarm-codes {text} must be exit codes from 1 to 125, such as 1,2")
    return frozenset(map(int, words))


def _compile_alarm(text: str | None) -> re.Pattern[str] | None:
    if text is None:
        return None
    try:
        return re.compile(text, re.MULTILINE)
    except re.error as error:
        raise UsageError(f"--alarm {text!r} is not a regular expression: {error}") from error


def _parse_duration(option: str, text: str) -> float:
    try:
        return parse_duration(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from error
