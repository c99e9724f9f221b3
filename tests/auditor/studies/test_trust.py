"""What is said of stored runs that are not warm, or not alike."""

import numpy as np

from auditor.core.jobs import HostFacts
from auditor.core.stored import StoredProcess, StoredResults, StoredRun
from auditor.studies import trust
from auditor.studies.stored import stability

NAMES = ("settles", "wanders", "short")


def series(name, seed, length):
    rng = np.random.default_rng(seed)
    noise = 1e-3 * (1 + 0.01 * rng.standard_normal(length))
    if name == "settles":
        noise[:40] *= 1.5
    if name == "wanders":
        noise *= np.exp(0.05 * rng.standard_normal(length).cumsum())
    return tuple(noise.tolist())


def results(length, names=NAMES, forks=3):
    processes = {
        name: tuple(
            StoredProcess(
                seconds=series(name, fork, 50 if name == "short" else length), middle=1e-3
            )
            for fork in range(forks)
        )
        for name in names
    }
    run = StoredRun(
        name="r", host=HostFacts("here", ()), commit="", made=(0.0, 0.0), processes=processes
    )
    return StoredResults(harness="csv", digest="0", runs=(run,))


def test_what_does_not_get_warm_and_what_is_not_alike_is_named():
    found = {one.slug: one.text for one in stability(results(3000)).caveats}

    assert "1 of 3 benchmarks have processes that do not get warm" in found["not-steady"]
    assert "(wanders)" in found["not-steady"]
    assert "(wanders)" in found["dissimilar-runs"]


def test_nothing_is_said_of_short_series_or_of_what_is_fine():
    assert not {"not-steady", "dissimilar-runs"} & {
        one.slug for one in stability(results(3000, names=("settles", "short"))).caveats
    }
    short = results(150)
    assert list(trust.caveats(short, short.runs)) == []
