"""Real runs: the shares of functions whose part of an operation is known."""

import math
from dataclasses import replace

import pytest
from python_making import RING, plain, suited

from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Crashed, Profiled, Skipped, Unreadable
from auditor.core.plan import Purpose
from runners.pybench.frontends import FRONTENDS
from runners.pybench.harness import PythonHarness

pytestmark = pytest.mark.subject
SHARES = RING.parent / "python-shares"
FEWEST = 150
"""Samples that a share is judged by: a standard error of .04 at most."""


@pytest.fixture(scope="module")
def shares(python_home, variables, tmp_path_factory):
    return suited(SHARES, python_home, variables, tmp_path_factory.mktemp("shares"))


def profile(suite, benchmark, **more):
    schedule = plain(**{"blocks": 10, "seconds": 0.05, **more})
    return suite.run(benchmark, schedule, Variant(VariantKind.PROFILED), purpose=Purpose.PROFILE)


def count_samples(profiled, method):
    """Return samples with a frame of a method, by the line of its `def`."""
    frame_numbers = {
        number
        for number, frame in enumerate(profiled.frames)
        if (frame.file, frame.line) == (method.span.file, method.span.first_line)
    }
    return sum(stack.count for stack in profiled.stacks if frame_numbers & set(stack.frames))


def measure_shares(suite, benchmark, *names):
    """Return the shares of methods, of as many processes as it takes on a busy machine."""
    samples, method_samples = 0, dict.fromkeys(names, 0)
    for _ in range(12):
        profiled = profile(suite, benchmark)
        assert isinstance(profiled, Profiled), profiled
        samples += profiled.sample_count
        for name in names:
            method_samples[name] += count_samples(profiled, suite.find(name))
        if samples >= FEWEST:
            return {name: count / samples for name, count in method_samples.items()}
    raise AssertionError(f"{samples} samples only")


@pytest.mark.parametrize(
    ("benchmark", "expected"),
    [
        ("test_halves", {"half": 0.5, "other_half": 0.5, "functions.loop": 0.98}),
        ("test_climb", {"climb": 0.5}),
        ("test_wrapped", {"functions.wrapped": 0.5, "wrapper": 0.5, "functions.twice": 0}),
        ("test_box", {"content": 1 / 3, "__add__": 1 / 3, "Box.of": 1 / 3, "__init__": 0}),
        ("test_with_setup", {"half": 0.5, "prepared": 0}),
        ("test_marked", {"half": 0.25}),
        ("test_squares", {"squares": 0.25}),
        ("test_dumped", {"dumped": 0.97}),
    ],
)
def test_shares_are_those_of_the_functions(shares, benchmark, expected):
    result = measure_shares(shares, benchmark, *expected)
    for name, share in expected.items():
        allowed = 0.04 + 3.5 * math.sqrt(share * (1 - share) / FEWEST)
        assert result[name] == pytest.approx(share, abs=allowed), (name, result)


def test_a_short_function_holds_its_body_and_not_its_call(shares):
    measured_shares = measure_shares(shares, "test_same", "functions.same")
    assert measured_shares["functions.same"] < 0.35
    measured_shares = measure_shares(shares, "test_five_steps", "five_steps")
    assert 0.25 < measured_shares["five_steps"] < 0.65


def test_figures_agree_with_each_other(shares):
    profiled = profile(shares, "test_halves", operations=400)
    assert profiled.operations == 10 * 400
    assert 0 < profiled.cpu_seconds <= profiled.timed_seconds
    assert profiled.cpu_seconds + profiled.waiting_seconds <= profiled.timed_seconds * 1.001
    assert {stack.block for stack in profiled.stacks} <= set(range(1, 11))
    assert profiled.unattributed <= max(3, profiled.sample_count / 20)


def test_a_failing_benchmark_leaves_no_sampler(shares, ring):
    assert isinstance(profile(ring, "test_skipped"), Skipped)
    assert isinstance(profile(ring, "test_expected_to_fail"), Skipped | Crashed | Unreadable)


def test_other_interpreters_are_not_profiled(shares):
    harness = PythonHarness(FRONTENDS["pytest"])
    assert harness.explain_unprofiled(shares.project) == ""
    pypy_project = replace(shares.project, versions=(("python", "pypy 7.3"),))
    assert "pypy 7.3" in harness.explain_unprofiled(pypy_project)
