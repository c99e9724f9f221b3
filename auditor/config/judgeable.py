"""Whether an ABS audit can say anything: what no schema can tell."""

from auditor.config.load import Config
from auditor.config.shares import as_percent
from auditor.core.errors import UsageError
from auditor.core.request import DetectionRule


def check_judgeable(config: Config) -> None:
    """Refuse an ABS audit that cannot say anything; raises UsageError."""
    request = config.request
    limited = request.min_delta is not None
    if (request.rule is DetectionRule.GATE and not limited) or (
        request.rule is DetectionRule.OURS and limited
    ):
        raise UsageError(
            'the rule "gate" and min_delta go together: --rule gate --min-delta 5% asks whether a '
            "gate that fires at 5 % would"
        )
    limit, most = request.min_delta, request.slowdown
    if limit is not None and most is not None and limit >= most:
        raise UsageError(
            f"a gate at {as_percent(limit)} can never fire: no method is slowed by more than "
            f"{as_percent(most)}; "
            f"--slowdown must be above --min-delta"
        )
    if request.estimate and request.is_fixed:
        raise UsageError("an estimate is neither exact nor the paper's rule; leave one out")
    paired = request.rule is not DetectionRule.PAPER or request.is_interleaved
    if not paired and request.suite.stability_runs < request.runs:
        raise UsageError(
            f'the rule "paper" compares each of the {request.runs} runs with one of the unchanged '
            f"suite, of which there would be {request.suite.stability_runs}; stability_runs must "
            "be at least runs, or say --interleave"
        )
    if request.slowdown is not None:
        return
    if request.suite.stability_runs < 2:
        raise UsageError(
            'the slowdown "auto" needs at least 2 stability_runs, to see a spread; '
            "or give a number: --slowdown 0.5"
        )
    if config.gates.min_score is not None:
        raise UsageError(
            'a gate needs a fixed slowdown: "auto" rewards noise, since an unstable suite is asked '
            "for less; give a number: --slowdown 0.5"
        )
