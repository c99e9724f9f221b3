"""Loops, caches, growing inputs and single processes in Python benchmarks."""

import textwrap

import pytest

from auditor.core.contracts.lint import Confidence
from auditor.core.subject import SourceFile, SourceRole
from mutators.python.lint_rules.linter import PythonLinter

TIMED = """
import functools
from functools import lru_cache
ITEMS = []
COUNT = 50

def work(x):
    return x

@lru_cache(maxsize=9)
def kept(x):
    return x

@functools.cache
def held(x):
    return x

def NAME(benchmark):
    def run():
BODY
    benchmark(run)
"""


def smells(rule, text, path="tests/test_it.py"):
    source = SourceFile(path=path, unit="", role=SourceRole.BENCHMARKS, text=text.encode())
    return [smell for smell in PythonLinter().find_smells([source]).smells if smell.rule == rule]


def timed(rule, body, name="test_it"):
    inner = textwrap.indent(textwrap.dedent(body), " " * 8)
    return smells(rule, TIMED.replace("BODY", inner).replace("NAME", name))


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("for _ in range(100):\n    work(3)", "test_it", 1),
        ("for i in range(COUNT):\n    x = work(3)", "test_it", 1),
        ("for i in range(100):\n    work(i)", "test_it", 0),
        ("for _ in range(1):\n    work(3)", "test_it", 0),
        ("for _ in range(len(ITEMS)):\n    work(3)", "test_it", 0),
        ("for _ in range(5, 9):\n    work(3)", "test_it", 0),
        ("for _ in ITEMS:\n    work(3)", "test_it", 0),
        ("x = 1\nfor _ in range(100):\n    x = work(x)", "test_it", 0),
        ("for _ in range(100):\n    ITEMS.append(3)", "test_it", 0),
        ("for _ in range(100):\n    ITEMS[0] = work(3)", "test_it", 0),
        ("for _ in range(100):\n    if work(3):\n        break", "test_it", 0),
        ("for _ in range(100):\n    x = 3", "test_it", 0),
        ("for _ in range(100):\n    work(3)", "test_100_calls", 0),
        ("for _ in range(2000):\n    work(3)", "test_2k", 0),
        ("for _ in range(100):\n    work(3)", "test_many_calls", 0),
    ],
)
def test_inner_loops(body, name, expected):
    assert len(timed("py-inner-loop", body, name)) == expected


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("kept(3)", "test_it", 1),
        ("held(COUNT)", "test_it", 1),
        ("work(3)", "test_it", 0),
        ("kept(work(3))", "test_it", 0),
        ("x = object()\nkept(x)", "test_it", 0),
        ("kept.cache_clear()\nkept(3)", "test_it", 0),
        ("kept.__wrapped__(3)", "test_it", 0),
        ("kept(3)", "test_cache_hit", 0),
    ],
)
def test_calls_that_a_cache_answers(body, name, expected):
    assert len(timed("py-cached-call", body, name)) == expected


def test_a_cached_function_with_inputs_of_its_own_for_each_round():
    text = TIMED.replace("BODY", "        pass").replace("NAME", "test_it")
    text = text.replace("benchmark(run)", "benchmark.pedantic(CALL)")

    assert len(smells("py-cached-call", text.replace("CALL", "kept, (3,), rounds=9"))) == 1
    renewed = text.replace("CALL", "kept, setup=lambda: ((1,), {}), rounds=9")
    assert smells("py-cached-call", renewed) == []


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("ITEMS.append(1)\nwork(ITEMS)", [None]),
        ("ITEMS.append(1)\nunseen(ITEMS)", [Confidence.POSSIBLE]),
        ("ITEMS.append(work(1))", []),
        ("ITEMS.append(1)\nlen(ITEMS)", []),
        ("ITEMS.append(1)\nwork(ITEMS)\nITEMS.clear()", []),
    ],
)
def test_a_list_that_grows_and_is_read(body, expected):
    assert [smell.sure for smell in timed("py-mutated-argument", body)] == expected


PYPERF = "import pyperf\nrunner = pyperf.Runner(WORDS)\nrunner.bench_func('a', sorted, [2])\n"
ASV = """class Sorting:
    params = [1]
    SETTING
    def time_it(self, n):
        sorted([n])
"""


@pytest.mark.parametrize(
    ("words", "expected"), [("processes=1", 1), ("processes=2", 0), ("", 0), ("values=1", 0)]
)
def test_processes_of_pyperf(words, expected):
    findings = smells("py-one-process", PYPERF.replace("WORDS", words), "bench.py")

    assert len(findings) == expected


@pytest.mark.parametrize(
    ("setting", "expected"),
    [("rounds = 1", 1), ("processes = 1", 1), ("rounds = 2", 0), ("number = 1", 0)],
)
def test_processes_of_asv(setting, expected):
    findings = smells("py-one-process", ASV.replace("SETTING", setting), "benchmarks/sorting.py")

    assert len(findings) == expected


def test_processes_of_benchmarks_that_take_no_time():
    text = ASV.replace("SETTING", "rounds = 1").replace("time_", "peakmem_")

    assert smells("py-one-process", text, "benchmarks/sorting.py") == []
