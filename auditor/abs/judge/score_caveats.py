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
            f"the slowdown {slowdown:.2f} follows the suite's own spreads, which rewards "
            "noise: a gate needs a fixed number"
        )
        caveats.append(Caveat("auto-slowdown", text))
    if rule is DetectionRule.PAPER:
        text = (
            "this rule pools iterations of a process, which are not independent, and compares "
            "with the plain build: for comparison with the literature only"
        )
        caveats.append(Caveat("paper-rule", text))
    if estimate:
        text = "no method was slowed down: the verdicts are predicted from how long methods take"
        caveats.append(Caveat("estimate", text))
    if score_only:
        text = (
            "a method was done once a benchmark had detected it, so which others would is not "
            "known, and redundancy and cover say nothing"
        )
        caveats.append(Caveat("score-mode", text))
    if controls is not None and controls.alarms:
        method, benchmark = controls.alarms[0]
        text = (
            f"{len(controls.alarms)} of {controls.judged} pairs that were slowed by "
            f"nothing were detected, such as {method} in {benchmark}: a detection means less here"
        )
        caveats.append(Caveat("false-alarm", text))
    return [*caveats, *_silent(stability, unfinished)]


def _silent(stability: Stability, unfinished: frozenset[str]) -> Iterator[Caveat]:
    """Say which benchmarks gave no measurement, though there was time for it."""
    silent = [
        benchmark.id
        for benchmark in stability.benchmarks
        if not benchmark.means and benchmark.id not in unfinished
    ]
    if silent:
        text = (
            f"{len(silent)} of {len(stability.benchmarks)} benchmarks gave no measurement, "
            f"so what they might detect is in no score: {', '.join(silent[:5])}"
        )
        yield Caveat("failed-benchmarks", text)
