"""Watchers look at iterations of a tenth of a second that are made up."""

from dataclasses import replace

import numpy as np
import pytest
from builders import suite_run

from auditor.core.schedule import Arm, ArmName, Block, Phase, Schedule
from auditor.core.stop_rules import TRAINED, Criterion, StoppingRule, WarmupResult
from auditor.warmup.stop_rules import ProcessWatcher, WatcherFactory, measure_interval_width

RULES = [
    criterion
    for criterion in Criterion
    if criterion is not Criterion.FIXED and criterion not in TRAINED
]
LASTED = 0.1


def stopping_rule(
    method: Criterion, measured: int = 20, seconds: float = 1000.0, width=None
) -> StoppingRule:
    return StoppingRule(method=method, measured=measured, seconds=seconds, width=width)


def watching(watch: StoppingRule) -> ProcessWatcher:
    blocks = Schedule(
        arms=(Arm(ArmName.PLAIN),), blocks=(Block(Phase.MEASUREMENT, 0),), seconds=LASTED
    )
    return WatcherFactory()(replace(suite_run([1.0]).trial, schedule=blocks, watch=watch))


def watch_values(watch: StoppingRule, values) -> tuple[int, WarmupResult]:
    """Return after how many of the values the watcher ends the process, and what it came to."""
    looking = watching(watch)
    for number, value in enumerate(values, start=1):
        if came_to := looking.observe_iteration(float(value), LASTED):
            return number, came_to
    return len(values), looking.finish_watching()


def noisy(number: int, noise: float = 0.01) -> np.ndarray:
    return 1e-6 * np.exp(noise * np.random.default_rng(1).standard_normal(number))


@pytest.mark.parametrize("method", RULES)
def test_a_process_that_has_got_warm_is_measured_and_ended(method):
    values = noisy(1500)
    values[:15] *= 3

    number, came_to = watch_values(stopping_rule(method), values)

    assert (came_to.method, came_to.enough) == (method, True)
    assert 15 <= came_to.warm <= number - 20
    assert number < len(values)


@pytest.mark.parametrize("method", RULES)
def test_a_process_that_gets_faster_and_faster_is_not_seen_warm(method):
    values = noisy(300) * np.geomspace(1e9, 1e-9, 300)

    assert watch_values(stopping_rule(method), values) == (
        300,
        WarmupResult(method=method, warm=None, enough=False),
    )


def test_what_is_warm_but_not_measured_is_not_seen_warm():
    values = noisy(1000)
    number, came_to = watch_values(stopping_rule(Criterion.RCIW, measured=1), values)
    assert came_to.enough

    cut = watching(stopping_rule(Criterion.RCIW, measured=1))
    for value in values[: came_to.warm]:
        assert cut.observe_iteration(float(value), LASTED) is None

    assert number == came_to.warm + 1
    assert cut.finish_watching() == WarmupResult(method=Criterion.RCIW, warm=None, enough=False)


def test_it_measures_on_until_the_mean_is_known_as_well_as_asked():
    values = noisy(2000, noise=0.05)

    _, quick = watch_values(stopping_rule(Criterion.RCIW), values)
    number, sure = watch_values(stopping_rule(Criterion.RCIW, width=0.01), values)

    assert quick.warm == sure.warm
    assert sure.enough
    assert number - sure.warm > 20
    assert (
        measure_interval_width(values[sure.warm : number])
        <= 0.01
        < measure_interval_width(values[sure.warm : number - 1])
    )


def test_the_width_is_that_of_a_t_interval_of_ten_stretches():
    means = np.arange(10.0) + 100
    values = np.repeat(means, 3)

    # t(9, .975) = 2.2622 (any table of Student's t)
    expected = 2 * 2.2622 * means.std(ddof=1) / np.sqrt(10) / means.mean()
    assert measure_interval_width(values) == pytest.approx(expected, rel=1e-4)
    assert measure_interval_width(values[:19]) == np.inf


def test_a_trial_that_nobody_wants_watched_has_no_watcher():
    with pytest.raises(ValueError, match="nothing asks"):
        WatcherFactory()(suite_run([1.0]).trial)


class ThreeIterationRule:
    """A rule that is warm after three iterations, and takes the second for the last warm-up."""

    method = Criterion.LEARNED
    last_warmup: int | None = None

    def observe_iteration(self, *_: float) -> int | None:
        self.last_warmup = 1
        return 3


def test_since_when_it_was_steady_is_known_once_something_is_measured():
    looking = ProcessWatcher(stopping_rule(Criterion.LEARNED, measured=2), ThreeIterationRule())

    results = [looking.observe_iteration(1e-6, LASTED) for _ in range(3)]
    assert results == [None, None, None]
    assert looking.finish_watching().since is None
    assert looking.observe_iteration(1e-6, LASTED) is None
    came_to = looking.observe_iteration(1e-6, LASTED)
    assert (came_to.warm, came_to.since) == (3, 2)
