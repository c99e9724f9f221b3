"""Finding benchmarks in real Go modules."""

import json

import pytest

pytestmark = pytest.mark.subject

_SUB = ["a", "a/b", "two_words", "two_words#01", "#00", "a|b(c", "deep-2/er", "size=1", "size=10"]


def test_every_leaf_is_found_under_its_own_name(ring):
    found = {one.name for one in ring.suite.benchmarks if one.name.startswith("BenchmarkSub")}

    assert found == {f"BenchmarkSub/{name}" for name in _SUB}


def test_a_benchmark_that_misbehaves_is_unusable_and_the_others_go_on(ring):
    unusable = dict(ring.suite.unusable)
    naughty = "example.org/ring/naughty.Benchmark"

    assert "as it must" in unusable[f"{naughty}Fails"]
    assert "not here" in unusable[f"{naughty}Skips"]
    assert "was ended after" in unusable[f"{naughty}Hangs/really"]
    assert "os.Exit(0)" in unusable[f"{naughty}Exits"]
    assert ring.benchmark("BenchmarkHangs/not")
    assert ring.benchmark("BenchmarkWell")


def test_a_package_that_does_not_compile_is_named_with_the_compilers_words(ring):
    reason = dict(ring.suite.unusable)["example.org/ring/broken"]

    assert "declared and not used: x" in reason


def test_threads_are_those_of_a_parallel_benchmark(ring):
    parallel = ring.benchmark("BenchmarkParallel")
    processors = json.loads(parallel.settings)["processors"]

    assert (parallel.threads, parallel.concurrency) == (processors, processors)
    assert ring.benchmark("BenchmarkSmall").threads == 1


def test_the_loop_of_the_framework_is_noticed(ring):
    loops = {one.name for one in ring.suite.benchmarks if json.loads(one.settings)["loops"]}

    assert loops == {"BenchmarkLoop"}


def test_files_left_out_by_build_tags_are_no_sources(ring):
    names = {one.path for one in ring.suite.sources}

    assert "hidden.go" not in names
    assert {"ring.go", "ring_test.go", "external_test.go", "naughty/naughty.go"} <= names


def test_assembly_is_refused_and_exported_methods_are_found(ring):
    assert "no body" in ring.methods["example.org/ring.Native"].refusal
    assert ring.methods["example.org/ring.Ring.Pop"].public
    assert not ring.methods["example.org/ring.turn"].public


def test_a_real_module_is_listed(uuid):
    assert len(uuid.suite.benchmarks) == 15
    assert uuid.suite.unusable == ()
