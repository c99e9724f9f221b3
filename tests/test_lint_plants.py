"""Every rule finds its planted faults in a small suite, and takes no near miss for a fault."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from auditor.core.contracts.lint import Confidence
from auditor.core.subject import SourceFile, SourceRole
from auditor.lint.assemble import LINTERS, list_rules

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from lint_plants import PLANTS, sites

GO = """package ring

import "testing"

func grow(n int) { _ = make([]int, n) }

func BenchmarkGrow(b *testing.B) {
	size := len("abc")
	for i := 0; i < b.N; i++ {
		grow(size)
	}
}
"""
JAVA = """package org.example;

import java.util.*;
import org.openjdk.jmh.annotations.*;
import org.openjdk.jmh.infra.Blackhole;

@State(Scope.Thread)
public class ParseBench {
    private int base = 8;
    Parser parser = new Parser();
    String text = "a,b";

    @Benchmark
    public Object parse() {
        return parser.parse(text);
    }

    @Benchmark
    public Object table() {
        return parser.table(base);
    }
}

class Parser {
    Object parse(String text) { return text.split(","); }
    Object table(int base) { return new int[base]; }
}
"""
PYTEST = """import pytest

TEXT = "some text"


def shout(text):
    return text.upper()


def test_shout(benchmark):
    benchmark(shout, TEXT)
"""
ASV = """class TextSuite:
    params = [1, 2]

    def setup(self):
        self.text = "some text"

    def time_shout(self):
        self.text.upper()
"""
PYPERF = """import pyperf
from pyperf import Runner

runner = Runner()
runner.bench_func("sort", sorted, [3, 1, 2])
"""
FILES = {
    "go": {"ring_test.go": GO},
    "jmh": {"ParseBench.java": JAVA},
    "py": {
        "test_shout.py": PYTEST,
        "benchmarks/bench_text.py": ASV,
        "bench_sort.py": PYPERF,
        "requirements.txt": "pytest-benchmark\n",
    },
}


def look(language, **changed):
    files = FILES[language] | changed
    sources = [
        SourceFile(path=path, unit="", role=SourceRole.BENCHMARKS, text=text.encode())
        for path, text in files.items()
    ]
    looked = LINTERS[language].find_smells(sources)
    assert looked.unread == ()
    return looked.smells


def planted(plant):
    """Yield the findings of a plant's rule in each place where the plant fits."""
    language = plant.rule.partition("-")[0]
    for path, text in FILES[language].items():
        for site in sites(language, path, text):
            edited = plant.edit(site)
            if edited is not None:
                yield [
                    finding
                    for finding in look(language, **{path: edited})
                    if finding.rule == plant.rule
                ]


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: f"{plant.rule}-{plant.fault}")
def test_a_plant_is_found_where_it_is_a_fault(plant):
    result = list(planted(plant))

    assert result
    assert [bool(findings) for findings in result] == [plant.fault] * len(result)


def test_every_rule_has_three_faults_and_three_near_misses():
    counts = Counter((plant.rule, plant.fault) for plant in PLANTS)

    assert {smell_rule.id for smell_rule in list_rules()} == {rule for rule, _ in counts}
    assert min(counts.values()) >= 3


@pytest.mark.parametrize("language", FILES)
def test_the_small_suites_have_no_faults(language):
    disabled_rules = {rule.id for rule in list_rules() if not rule.on}

    assert {finding.rule for finding in look(language)} <= disabled_rules


def test_what_hangs_on_types_that_are_not_seen_is_not_certain():
    """The same fault in a call of the project, and in one of another library."""
    static = "int hash(int n) { return n * 31; }"
    state = JAVA.replace("private int base = 8;", f"private final int base = 8; {static}")
    visible_call = state.replace("parser.table(base)", "hash(base)")
    unseen = state.replace("parser.table(base)", "library.table(base)")
    overloaded_call = state.replace("parser.table(base)", "library.table(base, text)")

    sure = [
        [
            finding.sure
            for finding in look("jmh", **{"ParseBench.java": text})
            if finding.rule == "jmh-final-state"
        ]
        for text in (visible_call, unseen, overloaded_call)
    ]

    assert sure == [[Confidence.CERTAIN], [Confidence.LIKELY], [Confidence.POSSIBLE]]
