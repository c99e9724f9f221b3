"""Rules that stop where a model takes a run for warm."""

from dataclasses import replace

import numpy as np
import pytest
from steady_making import falling

from auditor.core.stop_rules import TRAINED, Criterion, StoppingRule
from auditor.warmup.detector import WINDOW, standardise_windows
from auditor.warmup.scorers.boosted import BoostedTrees
from auditor.warmup.scorers.files import load_shipped_model
from auditor.warmup.stop_rules import LOOKS, ScoredRule
from auditor.warmup.validity import FALLBACK, trusted_rule, usual_seconds

LASTED = 0.1


def stops(model, values):
    rule = ScoredRule(model)
    return next(
        (
            observe
            for value in values
            if (observe := rule.observe_iteration(float(value), LASTED)) is not None
        ),
        None,
    )


def stepped(last_warm_up: int, seed: int = 3, length: int = 700):
    values = 1e-6 * np.exp(0.01 * np.random.default_rng(seed).standard_normal(length))
    values[: last_warm_up + 1] *= 3
    return values


@pytest.mark.parametrize("method", sorted(TRAINED - {Criterion.LEARNED}))
def test_a_model_of_windows_stops_at_the_first_that_reaches_the_threshold(method):
    model, values = load_shipped_model(method), stepped(30, length=160)
    scores = model.scoring.score_windows(
        standardise_windows(values, np.arange(len(values) - WINDOW + 1))
    )
    # Between two, as the last digit may be another where windows are scored one by one.
    model = replace(model, threshold=float(np.mean(np.sort(scores)[-21:-19])))

    assert stops(model, values) == int(np.argmax(scores >= model.threshold)) > 0


def test_ours_stops_behind_a_step_that_is_in_the_run_and_not_before():
    model, values = load_shipped_model(Criterion.LEARNED), stepped(60)

    assert 60 < stops(model, values) < 160
    # Nothing has changed so far in this one: it cannot know what is still to come.
    assert stops(model, stepped(-1)) < 60


def test_ours_tells_where_the_step_was_although_it_was_not_sure_at_once():
    rule, values = ScoredRule(load_shipped_model(Criterion.LEARNED)), stepped(60)
    for value in values:
        if rule.observe_iteration(float(value), LASTED) is not None:
            break
        assert rule.last_warmup is None

    # The first iteration at the new level counts as the last one of the warm-up.
    assert rule.last_warmup == 61


@pytest.mark.parametrize("threshold", [0.0, 1e-6])
def test_ours_looks_twenty_times_before_it_says_anything(threshold):
    model = replace(load_shipped_model(Criterion.LEARNED), threshold=threshold)

    assert stops(model, stepped(-1)) == LOOKS - 1


@pytest.mark.parametrize(
    ("looks", "first"),
    [
        ([0.0] * LOOKS + [1.0] * LOOKS, LOOKS + 4),  # a quarter of the last twenty
        ([1.0] * 4 + [0.0] * 30 + [0.25] * LOOKS, 33 + LOOKS),  # the first ones are forgotten
        ([0.0] * 30 + [1.0] * 4 + [0.0] * 30, None),
        ([float("nan")] * LOOKS, None),  # what is not a number says nothing
    ],
)
def test_looks_count_together(monkeypatch, looks, first):
    scores = iter(looks)
    # Before anything is replaced: who reads a model tries it, which would take the first look.
    rule = ScoredRule(replace(load_shipped_model(Criterion.LEARNED), threshold=0.25))
    monkeypatch.setattr(BoostedTrees, "score_readiness", lambda *_: next(scores))
    values = stepped(-1)[: WINDOW - 1 + len(looks)]

    warm = next(
        (
            observe
            for value in values
            if (observe := rule.observe_iteration(value, LASTED)) is not None
        ),
        None,
    )

    assert warm == first
    assert (rule.last_warmup is None) == (first is None)


def test_a_score_that_nothing_reaches_is_never_warm():
    assert (
        stops(replace(load_shipped_model(Criterion.LEARNED), threshold=1.0), falling(length=300))
        is None
    )


@pytest.mark.parametrize("method", sorted(TRAINED))
def test_a_model_judges_what_it_has_been_shown_to_judge_and_nothing_else(method):
    watch = StoppingRule(method=method, measured=20, seconds=60.0, model="digest")

    assert trusted_rule(watch, "jmh", 0.1) == watch
    for harness, seconds in (
        ("go", 0.1),
        ("go", 0.01),
        ("jmh", 0.03),
        ("pytest", 0.1),
        ("asv", 0.01),
    ):
        fallback_watch = trusted_rule(watch, harness, seconds)
        assert (fallback_watch.method, fallback_watch.model) == (FALLBACK, None)
        assert replace(fallback_watch, method=method, model="digest") == watch


@pytest.mark.parametrize("method", sorted(TRAINED))
def test_of_models_only_ours_has_been_shown_to_judge_go(method):
    watch = StoppingRule(method=method, measured=20, seconds=60.0, model="digest")

    for seconds in (0.021, 0.03, 0.0363, 0.044):
        assert (trusted_rule(watch, "go", seconds) == watch) == (method is Criterion.LEARNED)
    for harness, seconds in (("go", 0.015), ("go", 0.046), ("jmh", 0.09), ("jmh", 0.15)):
        assert trusted_rule(watch, harness, seconds) != watch


@pytest.mark.parametrize("harness", ["jmh", "go", "pytest", "asv", "pyperf"])
@pytest.mark.parametrize("method", sorted(set(Criterion) - {Criterion.FIXED}))
def test_an_iteration_lasts_as_long_as_the_method_knows_it_where_nobody_says(method, harness):
    usual = usual_seconds(method, harness)

    assert usual == (0.03 if (method, harness) == (Criterion.LEARNED, "go") else 0.1)


def test_rules_that_need_no_training_judge_everything():
    watch = StoppingRule(method=Criterion.KLD, measured=20, seconds=60.0)

    assert trusted_rule(watch, "go", 1.0) == watch
