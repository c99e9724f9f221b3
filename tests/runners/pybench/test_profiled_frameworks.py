"""Profiles of suites of pyperf and of asv: what is outside of their timers does not count."""

import pytest
from python_making import plain, suited

from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import Profiled
from auditor.core.plan import Purpose

pytestmark = pytest.mark.subject

FILES = {
    "pyproject.toml": """[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "lib"
version = "1"
""",
    "src/lib/__init__.py": """
def loop(x, turns):
    for _ in range(turns):
        x = (x * 31 + 7) % 1000003
    return x

def half(x):
    return loop(x, 200)

def prepared(x):
    return loop(x, 2000)
""",
}
PYPERF = """
import time
import pyperf
from lib import half, loop, prepared

def operation():
    half(3)
    loop(3, 200)

def with_preparation(loops):
    prepared(3)
    for _ in range(10 * loops):
        prepared(3)
    began = time.perf_counter()
    for _ in range(loops):
        operation()
    return time.perf_counter() - began

runner = pyperf.Runner()
runner.bench_func("operation", operation)
runner.bench_time_func("with_preparation", with_preparation)
"""
ASV = """
from lib import half, loop, prepared

class Suite:
    def setup(self):
        prepared(3)

    def time_operation(self):  # far longer than a sampler needs to stop its process
        for _ in range(20):
            half(3)
        loop(3, 4000)
"""


def write_suite(folder, files):
    for name, text in {**FILES, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


@pytest.fixture(scope="module")
def pyperf(python_home, variables, tmp_path_factory):
    folder = write_suite(tmp_path_factory.mktemp("pyperf"), {"bench/bench_lib.py": PYPERF})
    return suited(folder, python_home, variables, tmp_path_factory.mktemp("pyperf-scratch"))


@pytest.fixture(scope="module")
def asv(python_home, variables, tmp_path_factory):
    files = {
        "asv.conf.json": '{"version": 1, "benchmark_dir": "speed"}',
        "speed/__init__.py": "",
        "speed/bench.py": ASV,
    }
    folder = write_suite(tmp_path_factory.mktemp("asv"), files)
    return suited(folder, python_home, variables, tmp_path_factory.mktemp("asv-scratch"))


def profile(suite, benchmark, blocks=20):
    schedule = plain(blocks=blocks, operations=400)
    profiled = suite.run(
        benchmark, schedule, Variant(VariantKind.PROFILED), purpose=Purpose.PROFILE
    )
    assert isinstance(profiled, Profiled), profiled
    return profiled


def sampled_share(profiled, method):
    frame_numbers = {
        number
        for number, frame in enumerate(profiled.frames)
        if (frame.file, frame.line) == (method.span.file, method.span.first_line)
    }
    method_samples = sum(
        stack.count for stack in profiled.stacks if frame_numbers & set(stack.frames)
    )
    return method_samples / profiled.sample_count


def test_pyperf_measures_half_of_the_operation(pyperf):
    profiled = profile(pyperf, "operation")
    assert profiled.sample_count > 50
    assert sampled_share(profiled, pyperf.find("half")) == pytest.approx(0.5, abs=0.25)
    assert profiled.unattributed < profiled.sample_count / 4


def test_preparation_within_a_pyperf_function_is_not_attributed(pyperf):
    profiled = profile(pyperf, "with_preparation", blocks=2)
    assert profiled.unattributed > profiled.sample_count / 2


def test_set_up_of_asv_is_not_sampled(asv):
    profiled = profile(asv, "time_operation")
    assert profiled.sample_count > 20
    assert sampled_share(profiled, asv.find("prepared")) < 0.05
    assert sampled_share(profiled, asv.find("half")) == pytest.approx(0.5, abs=0.3)
