"""Whether a machine was itself while it measured."""

from dataclasses import replace

import numpy as np
import pytest

from auditor.core.busy import JITTER_SLUG
from auditor.core.jobs import HostInterference
from auditor.core.plan import Purpose
from auditor.measure import interference as strain
from auditor.measure.interference import (
    DRIFT,
    NoiseRating,
    NotedProcess,
    advise_on_noise,
    combine_interference,
    describe_interference,
    measure_drift,
    rate_noise,
)


def note_process(second, *, strain=None, loop=None, seconds=10.0, machine="here"):
    return NotedProcess(
        machine, f"2026-01-01T00:{second:02}:00Z", seconds, strain or HostInterference(), loop
    )


def slugs(processes):
    return [caveat.slug for caveat in describe_interference(processes)]


def test_nothing_is_said_of_a_quiet_machine():
    quiet = [
        note_process(index, strain=HostInterference(stolen=0.001, throttled=0.0), loop=0.2)
        for index in range(30)
    ]

    assert slugs(quiet) == []
    assert slugs([]) == []
    assert combine_interference(quiet).stolen == pytest.approx(0.001)


def test_stolen_and_throttled_time_are_said():
    strained = [
        note_process(0, strain=HostInterference(stolen=0.2, throttled=0.1)),
        note_process(1, strain=HostInterference(stolen=0.0)),
    ]

    texts = {caveat.slug: caveat.text for caveat in describe_interference(strained)}

    assert set(texts) == {"host-stolen", "host-throttled"}
    assert "used 10.0\N{NO-BREAK SPACE}% of the processors' time" in texts["host-stolen"]
    assert "20.0\N{NO-BREAK SPACE}% during one process" in texts["host-stolen"]


def test_a_processor_that_was_too_hot_is_said():
    texts = {
        caveat.slug: caveat.text
        for caveat in describe_interference(
            [note_process(0, strain=HostInterference(hot=0.2)), note_process(1)]
        )
    }

    assert set(texts) == {"host-hot", "busy-machine"}
    assert "too hot and slowed down for 20.0\N{NO-BREAK SPACE}% of the time" in texts["host-hot"]
    assert slugs([note_process(0, strain=HostInterference(hot=0.005))]) == []


@pytest.mark.parametrize("shape", ["up", "down", "bump"])
def test_a_machine_that_becomes_another_one_is_told_from_one_that_jitters(shape):
    random = np.random.default_rng(1)
    jitter = random.lognormal(0.0, 0.02, 30)
    course = {
        "up": np.linspace(1.0, 1.1, 30),
        "down": np.linspace(1.1, 1.0, 30),
        "bump": np.repeat([1.0, 1.1, 1.0], 10),
    }[shape]

    result = measure_drift(list(0.2 * course * jitter))

    assert result is not None
    assert result == pytest.approx(0.1, abs=0.05)


def test_machines_that_only_jitter_are_rarely_said_to_have_changed():
    random = np.random.default_rng(2)
    drifts = [measure_drift(list(random.lognormal(0.0, 0.1, 30))) for _ in range(300)]

    assert sum(drift is not None for drift in drifts) <= 9
    assert all(drift is None or drift > DRIFT for drift in drifts)


def test_a_short_run_is_not_judged():
    assert measure_drift([0.1] * 5 + [0.5] * 6) is None


def test_a_look_counts_once_and_in_the_order_of_time():
    early = [note_process(index, loop=0.2 + index * 1e-5) for index in range(15)]
    late = [note_process(number, loop=0.3 + number * 1e-5) for number in range(15, 30)]
    text = next(caveat.text for caveat in describe_interference([*late, *late, *early]))

    assert "(30 samples)" in text
    assert "took 50" in text or "took 49" in text


def test_benchmarks_of_more_than_one_machine_are_named():
    def ran(machine, *names):
        return [
            NotedProcess(machine, "2026-01-01T00:00:00Z", 1.0, HostInterference(), None, name)
            for name in names
        ]

    moved = [*ran("one", "a", "b", "", "c"), *ran("other", "b", "", "d"), *ran("one", "a")]

    (caveat,) = describe_interference(moved)

    assert caveat.slug == "benchmarks-moved"
    assert caveat.text.startswith("1 benchmark was measured on several machines (b), as one")
    assert slugs([*ran("one", "a", ""), *ran("other", "b", "")]) == []


def test_machines_that_differ_have_not_changed():
    fast = [note_process(index, loop=0.2 + index * 1e-5, machine="fast") for index in range(15)]
    slow = [
        note_process(number, loop=0.3 + number * 1e-5, machine="slow") for number in range(15, 30)
    ]
    later = [
        note_process(number, loop=0.4 + number * 1e-5, machine="slow") for number in range(30, 45)
    ]

    assert slugs([*fast, *slow]) == ["worker-slow"]
    straggling, changed, noisy = describe_interference([*fast, *slow, *later])
    assert straggling.text.startswith("slow is slower than the other machines")
    assert changed.text.startswith("slow changed speed")
    assert noisy.text.startswith("slow is noisy")


def test_a_loop_that_varies_tells_a_noisy_machine_and_few_samples_do_not():
    noisy = [note_process(index, loop=0.2 + index % 5 * 0.01) for index in range(20)]
    steady = [note_process(index, loop=0.2 + index % 5 * 0.001) for index in range(20)]

    (caveat,) = describe_interference(
        [note_process(index, loop=0.2 + index % 5 * 0.01 + index * 1e-7) for index in range(20)]
    )

    assert caveat.slug == JITTER_SLUG
    assert "varied by 18\N{NO-BREAK SPACE}% (10th to 90th percentile of 20 samples)" in caveat.text
    assert slugs(noisy[:4]) == []
    assert slugs([replace(process, purpose=Purpose.PAIRS) for process in noisy]) == []
    assert slugs(steady) == []


def test_a_machine_that_takes_longer_than_the_others_is_seen():
    looks = {"a": [0.2, 0.21, 0.2], "b": [0.2] * 5, "c": [0.25, 0.3, 0.26], "d": [0.19] * 3}

    assert strain.find_slow_machines(looks) == {"c": pytest.approx(0.3)}
    assert strain.find_slow_machines({"a": [0.2] * 3, "b": [0.23] * 3}) == {
        "b": pytest.approx(0.15)
    }
    assert strain.find_slow_machines({"a": [0.2] * 3, "b": [0.21] * 3}) == {}
    assert strain.find_slow_machines({"a": [0.2] * 3, "b": [0.4] * 2}) == {}
    assert strain.find_slow_machines({"a": [0.2] * 9}) == {}
    assert strain.find_slow_machines({}) == {}


@pytest.mark.parametrize(
    ("noise", "strain", "rating"),
    [
        (0.002, HostInterference(), NoiseRating.QUIET),
        (0.02, HostInterference(), NoiseRating.USABLE),
        (0.2, HostInterference(), NoiseRating.NOISY),
        (0.002, HostInterference(stolen=0.03), NoiseRating.USABLE),
        (0.002, HostInterference(stolen=0.2), NoiseRating.NOISY),
        (0.002, HostInterference(throttled=0.2), NoiseRating.NOISY),
        (0.002, HostInterference(hot=0.2), NoiseRating.NOISY),
        (0.002, HostInterference(hot=0.02), NoiseRating.USABLE),
    ],
)
def test_a_machine_is_rated_by_how_far_a_loop_scatters_and_by_what_it_is_kept_from(
    noise, strain, rating
):
    took = np.random.default_rng(3).normal(0.1, 0.1 * noise, 60)

    probe = rate_noise(took, strain)

    assert probe.rating is rating
    assert probe.loops == 60
    assert probe.seconds == pytest.approx(0.1, rel=0.1)
    assert probe.jitter == pytest.approx(2.56 * noise, rel=0.4)
    assert probe.worst > probe.jitter / 2


@pytest.mark.parametrize(
    ("rating", "strain", "slug", "text"),
    [
        (NoiseRating.NOISY, HostInterference(), "host-noisy", "use a machine without neighbours"),
        (
            NoiseRating.USABLE,
            HostInterference(stolen=0.001),
            "host-usable",
            "use a machine without neighbours",
        ),
        (
            NoiseRating.USABLE,
            HostInterference(stolen=0.02),
            "host-usable",
            "other virtual machines use its processors",
        ),
        (NoiseRating.NOISY, HostInterference(throttled=0.2), "host-noisy", "raise the quota"),
        (
            NoiseRating.NOISY,
            HostInterference(stolen=0.2, hot=0.2),
            "host-noisy",
            "use a machine of your own; it is too hot",
        ),
    ],
)
def test_a_machine_that_is_not_quiet_is_said_what_would_help(rating, strain, slug, text):
    (caveat,) = advise_on_noise(rating, strain)

    assert caveat.slug == slug
    assert text in caveat.text


def test_of_a_quiet_machine_nothing_is_to_be_said():
    assert list(advise_on_noise(NoiseRating.QUIET, HostInterference(stolen=0.001))) == []
