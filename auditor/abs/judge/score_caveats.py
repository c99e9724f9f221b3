"""What a reader must know of the way in which a score was had."""

from collections.abc import Iterator

from auditor.abs.model import Controls
from auditor.core.caveats import Caveat
from auditor.core.request import DetectionRule
from auditor.core.stability import Stability


def score_caveats(  # noqa: PLR0913 - each is asked for by a reader of the score
    *,
    slowdown: float | None,
    slowdown_source: str,
    rule: DetectionRule,
    estimate: bool,
    score_only: bool,
    controls: Controls | None,
    stability: Stability,
    unfinished: frozenset[str],
) -> list[Caveat]:
    """Return what qualifies the scores; `unfinished` benchmarks lack runs for want of time."""
    caveats = []
    if slowdown_source == "auto" and slowdown is not None:
        text = (
            f"the slowdown {slowdown:.2f} was chosen from the suite's own spread, so scores of "
            "two audits are not comparable; for a gate give a number: --slowdown 0.5"
        )
        caveats.append(Caveat("auto-slowdown", text))
    if rule is DetectionRule.PAPER:
        text = (
            'the rule "paper" pools dependent iterations and counts the tool\'s overhead as '
            "slowdown; use it only to compare with the literature"
        )
        caveats.append(Caveat("paper-rule", text))
    if estimate:
        text = (
            "no method was slowed down: the verdicts are predicted from the time that methods take"
        )
        caveats.append(Caveat("estimate", text))
    if score_only:
        text = (
            "each method was measured only until a benchmark detected it, so redundancy and cover "
            "are incomplete; for all pairs use --mode matrix"
        )
        caveats.append(Caveat("score-mode", text))
    if controls is not None and controls.alarms:
        method, benchmark = controls.alarms[0]
        text = (
            f"{len(controls.alarms)} of {controls.judged} A/A control pairs without a delay were "
            f"detected, such as {method} in {benchmark}: detections are less reliable here"
        )
        caveats.append(Caveat("false-alarm", text))
    return [*caveats, *_warn_of_failed_benchmarks(stability, unfinished)]


def _warn_of_failed_benchmarks(
    stability: Stability, unfinished: frozenset[str]
) -> Iterator[Caveat]:
    """Say which benchmarks gave no measurement, though there was time for it."""
    silent = [
        benchmark.id
        for benchmark in stability.benchmarks
        if not benchmark.means and benchmark.id not in unfinished
    ]
    if silent:
        text = (
            f"{len(silent)} of {len(stability.benchmarks)} benchmarks failed, so the score lacks "
            f"what they detect: {', '.join(silent[:5])}"
        )
        yield Caveat("failed-benchmarks", text)
