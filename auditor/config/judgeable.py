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
            'the rule "gate" and min_delta go together; give both, such as --rule gate '
            "--min-delta 5%"
        )
    limit, most = request.min_delta, request.slowdown
    if limit is not None and most is not None and limit >= most:
        raise UsageError(
            f"a gate at {as_percent(limit)} can never fire, as methods are slowed by at most "
            f"{as_percent(most)}; make --slowdown larger than --min-delta"
        )
    if request.estimate and request.is_fixed:
        raise UsageError('--estimate excludes --exact and the rule "paper"; leave one out')
    paired = request.rule is not DetectionRule.PAPER or request.is_interleaved
    if not paired and request.suite.stability_runs < request.runs:
        raise UsageError(
            f'the rule "paper" needs as many stability_runs ({request.suite.stability_runs}) as '
            f"runs ({request.runs}); raise stability_runs, or use --interleave"
        )
    if request.slowdown is not None:
        return
    if request.suite.stability_runs < 2:
        raise UsageError(
            'the slowdown "auto" needs at least 2 stability_runs for a spread; or give a number: '
            "--slowdown 0.5"
        )
    if config.gates.min_score is not None:
        raise UsageError(
            'a gate needs a fixed slowdown, as "auto" makes unstable suites easier to pass; give '
            "a number: --slowdown 0.5"
        )
