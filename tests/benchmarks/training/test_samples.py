"""Windows with their labels."""

import numpy as np
from training.samples import Sample, balanced, draw_share, joined, unbalanced

from auditor.warmup.detector import standardise_windows

VALUES = 1e-6 * (2 + np.random.default_rng(1).random(3000))


def test_a_steady_fork_gives_a_hundred_windows_to_learn_from():
    sample = balanced(VALUES, 30)

    assert (sample.windows.shape, sample.windows.dtype) == ((100, 100), np.float32)
    assert (~sample.stable).sum() == 31
    assert (sample.windows[0] == standardise_windows(VALUES, np.array([0]))[0]).all()


def test_windows_as_they_come_are_stable_behind_the_warm_up_and_never_without_an_end_of_it():
    starts = np.array([0, 29, 30, 31, 2900])

    sample = unbalanced(VALUES, 30, starts)

    assert sample.stable.tolist() == [False, False, False, True, True]
    assert (sample.windows == standardise_windows(VALUES, starts)).all()
    assert not unbalanced(VALUES, -1, starts).stable.any()
    assert unbalanced(VALUES, 0, starts).stable.tolist() == [False, True, True, True, True]


def test_a_share_is_drawn_without_repeats_and_keeps_its_labels():
    windows = np.repeat(np.arange(40, dtype=np.float32)[:, None], 100, axis=1)
    full_sample = joined(
        [Sample(windows[:10], windows[:10, 0] > 5), Sample(windows[10:], np.ones(30) > 0)]
    )

    sample = draw_share(full_sample, 0.5, np.random.default_rng(2))
    second_draw = draw_share(full_sample, 0.5, np.random.default_rng(2))

    window_numbers = sample.windows[:, 0]
    assert len(set(window_numbers.tolist())) == 20
    assert (sample.stable == (window_numbers > 5)).all()
    assert (second_draw.windows == sample.windows).all()
    everything = draw_share(full_sample, 1, np.random.default_rng(3))
    assert sorted(everything.windows[:, 0]) == list(range(40))
