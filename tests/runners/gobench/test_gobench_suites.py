"""Finding benchmarks in real Go modules."""

import json
from dataclasses import replace

import pytest
from gobench_making import schedule

from auditor.core.errors import BuildFailed, MachineError, NoBenchmarks
from auditor.core.jobs import CompletedProcess
from auditor.core.plan import Purpose
from auditor.core.schedule import Arm, ArmName
from auditor.core.subject import SourceRole
from auditor.core.suite import Listing, Suite
from auditor.measure.suite_runs import choose_benchmarks
from runners.gobench.discovery import take_first_errors
from runners.gobench.harness import GoBench
from runners.hosts.local import LocalHost

pytestmark = pytest.mark.subject

UNIT = "example.org/ring"
_SUB = ["a", "a/b", "two_words", "two_words#01", "#00", "a|b(c", "deep-2/er", "size=1", "size=10"]


def test_every_leaf_is_found_under_its_own_name(ring):
    names = {
        benchmark.name
        for benchmark in ring.suite.benchmarks
        if benchmark.name.startswith("BenchmarkSub")
    }

    assert names == {f"BenchmarkSub/{name}" for name in _SUB}


def test_a_benchmark_that_misbehaves_is_unusable_and_the_others_go_on(ring):
    unusable = dict(ring.suite.unusable)
    naughty = "example.org/ring/naughty.Benchmark"

    assert "as it must" in unusable[f"{naughty}Fails"]
    assert "not here" in unusable[f"{naughty}Skips"]
    assert "was ended after" in unusable[f"{naughty}Hangs/really"]
    assert "os.Exit(0)" in unusable[f"{naughty}Exits"]
    assert ring.benchmark("BenchmarkHangs/not")
    assert ring.benchmark("BenchmarkWell")


def _naughty(ring, name):
    """Return the leaves that are found of a benchmark that misbehaves, and why others are not."""
    unit = "example.org/ring/naughty."
    good = [
        benchmark.name
        for benchmark in ring.suite.benchmarks
        if benchmark.name.startswith(f"{name}/")
    ]
    bad = {
        key.removeprefix(unit): reason
        for key, reason in ring.suite.unusable
        if key.startswith(unit + name)
    }
    return [leaf.removeprefix(f"{name}/") for leaf in good], bad


def test_what_comes_after_a_leaf_that_ends_the_process_is_found_too(ring):
    """A panic lets the next one begin before it ends the process."""
    leaves, bad = _naughty(ring, "BenchmarkFamily")
    nested = bad["BenchmarkFamily/nested"]

    assert leaves == ["first", "second", "last"]
    assert "as it must" in bad["BenchmarkFamily/fails"]
    assert "in the family" in bad["BenchmarkFamily/panics"]
    assert "ended with 3" in bad["BenchmarkFamily/nested/exits|("]
    assert "between" in bad["BenchmarkFamily/nested/third"]
    assert nested.startswith("what comes after BenchmarkFamily/nested/third in this function could")
    assert len(bad) == 5


def test_leaves_whose_marks_are_lost_in_a_flood_are_found_too(ring):
    leaves, bad = _naughty(ring, "BenchmarkDrowns")

    assert sorted(leaves) == ["first", "flood", "flood#01", "last", "middle"]
    assert bad == {}


def test_what_cannot_be_listed_is_said(ring):
    leaves, bad = _naughty(ring, "BenchmarkHopeless")
    *_, last = (name for name in bad if "/" in name)

    assert leaves == []
    assert f"what comes after {last} in this function could not" in bad["BenchmarkHopeless"]


def test_a_function_that_breaks_behind_what_it_holds_is_said_to(ring):
    leaves, bad = _naughty(ring, "BenchmarkBreaks")

    assert leaves == []
    assert "panic: behind" in bad["BenchmarkBreaks/before"]
    assert "what comes after BenchmarkBreaks/before" in bad["BenchmarkBreaks"]


def test_a_package_that_does_not_compile_is_named_with_the_compilers_words(ring):
    reason = dict(ring.suite.unusable)["example.org/ring/broken"]

    assert "declared and not used: x" in reason


def test_threads_are_those_of_a_parallel_benchmark(ring):
    parallel = ring.benchmark("BenchmarkParallel")
    processors = json.loads(parallel.settings)["processors"]

    assert (parallel.threads, parallel.concurrency) == (processors, processors)
    assert ring.benchmark("BenchmarkSmall").threads == 1


def test_the_loop_of_the_framework_is_noticed(ring):
    loops = {
        benchmark.name
        for benchmark in ring.suite.benchmarks
        if json.loads(benchmark.settings)["loops"]
    }

    assert loops == {"BenchmarkLoop"}


def test_files_left_out_by_build_tags_are_sources_of_their_own_role(ring):
    roles = {source.path: source.role for source in ring.suite.sources}

    assert roles["hidden.go"] is SourceRole.LEFT_OUT
    assert roles["ring.go"] is roles["naughty/naughty.go"] is SourceRole.LIBRARY
    assert roles["ring_test.go"] is roles["external_test.go"] is SourceRole.BENCHMARKS


def test_what_the_build_leaves_out_is_refused_if_it_has_no_other(ring):
    hidden = ring.methods["example.org/ring.Hidden"]

    assert hidden.refusal == "left out by the build tags in force (//go:build never)"
    assert "no body" in ring.methods["example.org/ring.Native"].refusal


def test_assembly_is_refused_and_exported_methods_are_found(ring):
    assert "no body" in ring.methods["example.org/ring.Native"].refusal
    assert ring.methods["example.org/ring.Ring.Pop"].public
    assert not ring.methods["example.org/ring.turn"].public


def test_a_real_module_is_listed(uuid):
    assert len(uuid.suite.benchmarks) == 15
    assert uuid.suite.unusable == ()


def test_sources_are_read_again_without_building_or_running_anything(ring, tmp_path):
    commands = []

    def ask(job):
        commands.append(job.argv[:2])
        return LocalHost().run_process(job)

    assert tuple(GoBench().read_sources(ring.project, tmp_path, ask)) == ring.suite.sources
    assert set(commands) == {("go", "list")}


def test_packages_are_built_together_behind_the_first_one_and_listed_in_order(ring, tmp_path):
    batch_sizes = []

    def together(ask, jobs):
        assert all(job.makes is not None for job in jobs)
        batch_sizes.append(len(jobs))
        return [ask(job) for job in jobs[::-1]][::-1]

    naughty = {
        benchmark.group
        for benchmark in ring.suite.benchmarks
        if benchmark.group.endswith("/naughty")
    }
    discovered_suites = {
        unit: _suite_of_unit(ring, unit) for unit in naughty
    }  # some of it takes long
    suite = GoBench().discover_suite(
        ring.project,
        tmp_path,
        LocalHost().run_process,
        Listing(suites=discovered_suites, together=together),
    )

    first, rest = batch_sizes
    assert first == 1
    assert rest >= 1
    assert suite.benchmarks == ring.suite.benchmarks
    assert dict(suite.unusable).keys() == dict(ring.suite.unusable).keys()


def test_a_package_in_which_nothing_can_be_asked_for_is_not_built(ring, tmp_path):
    built = []

    def ask(job):
        built.extend([job.makes.name] if job.makes is not None else [])
        return LocalHost().run_process(job)

    listing = Listing(is_asked_for=lambda unit, name: (unit, name[:12]) == (UNIT, "BenchmarkSub"))
    suite = GoBench().discover_suite(ring.project, tmp_path, ask, listing)

    assert len(built) == 1
    assert suite.benchmarks == tuple(
        benchmark for benchmark in ring.suite.benchmarks if benchmark.group == UNIT
    )
    assert set(suite.passed_over) >= {benchmark.group for benchmark in ring.suite.benchmarks} - {
        UNIT
    }
    assert suite.sources == ring.suite.sources


def _nothing(_unit, _name):
    return False


def test_what_is_known_is_kept_where_nothing_can_be_asked_for(ring, tmp_path):
    document = {UNIT: _suite_of_unit(ring, UNIT)}
    listing = Listing(suites=document, is_asked_for=_nothing)

    suite = GoBench().discover_suite(ring.project, tmp_path, LocalHost().run_process, listing)

    assert suite.benchmarks == document[UNIT].benchmarks
    assert f"{UNIT}/naughty" in suite.passed_over
    assert UNIT not in suite.passed_over


def test_all_is_listed_where_nothing_is_known_nor_can_be_asked_for(ring, tmp_path):
    """Else it could not be said what there is."""
    built = set()

    def ask(job):
        if job.makes is None:
            return LocalHost().run_process(job)
        built.add(job.makes)
        return CompletedProcess(exit_code=1, stderr=b"does not build")

    with pytest.raises(BuildFailed, match="with benchmarks builds"):
        GoBench().discover_suite(ring.project, tmp_path, ask, Listing(is_asked_for=_nothing))

    assert len(built) > 1


def test_a_package_that_is_asked_for_and_does_not_build_is_said(ring, tmp_path):
    def ask(job):
        if job.makes is None:
            return LocalHost().run_process(job)
        return CompletedProcess(exit_code=1, stderr=b"it is broken")

    listing = Listing(is_asked_for=lambda unit, _name: unit == UNIT)
    suite = GoBench().discover_suite(ring.project, tmp_path, ask, listing)

    assert not suite.benchmarks
    assert "it is broken" in dict(suite.unusable)[UNIT]
    assert f"{UNIT}/naughty" in suite.passed_over
    with pytest.raises(NoBenchmarks, match=r"may match '\^Benchmark' that could be listed"):
        choose_benchmarks(suite, "^Benchmark")


def _suite_of_unit(ring, unit):
    """Return what was found in a package."""
    return Suite(
        tuple(benchmark for benchmark in ring.suite.benchmarks if benchmark.group == unit),
        (),
        tuple(unusable for unusable in ring.suite.unusable if unusable[0].startswith(f"{unit}.")),
    )


def ending(words):
    """Answer what holds these words as one that its memory was too little for."""

    def ask(job):
        answer = LocalHost().run_process(job)
        if words not in " ".join(job.argv):
            return answer
        return replace(answer, exit_code=-9, stdout=b"", exhausted="64 MiB of memory")

    return ask


def test_what_a_limit_ends_while_it_is_built_is_no_package_that_does_not_build(ring, tmp_path):
    with pytest.raises(
        MachineError, match=r"^go needs more than 64 MiB of memory to list the suite"
    ):
        GoBench().discover_suite(ring.project, tmp_path, ending("test -c"))


def test_a_benchmark_that_a_limit_ends_while_it_is_listed_is_unusable_for_that(ring, tmp_path):
    naughty = [
        benchmark for benchmark in ring.suite.benchmarks if benchmark.group.endswith("/naughty")
    ]
    discovered_suites = {naughty[0].group: Suite(tuple(naughty), ())}  # some of it takes long

    suite = GoBench().discover_suite(
        ring.project, tmp_path, ending("^BenchmarkSmall$"), Listing(suites=discovered_suites)
    )

    reason = dict(suite.unusable)["example.org/ring.BenchmarkSmall"]
    assert reason.startswith("it did not run: it needs more than 64 MiB of memory")
    assert "BenchmarkFib" in {benchmark.name for benchmark in suite.benchmarks}


def test_a_run_tells_by_which_go_and_on_which_machine_it_was_made(ring):
    trial_schedule = schedule([Arm(ArmName.PLAIN)], 10, 1)

    facts = ring.bench.run_trial(
        ring.trial(Purpose.SUITE, "BenchmarkSmall", trial_schedule)
    ).host.facts

    assert dict(facts)["go"] == dict(ring.project.versions)["go"] != "unknown"
    assert {"cpu", "kernel", "governor"} <= set(dict(facts))


@pytest.mark.parametrize(
    ("count", "last"), [(4, "error 3"), (5, "error 4"), (11, "and 7 more lines")]
)
def test_of_many_errors_of_a_compiler_the_first_are_shown(count, last):
    first_errors = take_first_errors("\n".join(f"error {number}" for number in range(count)))

    assert first_errors.splitlines()[:4] == ["error 0", "error 1", "error 2", "error 3"]
    assert first_errors.splitlines()[-1] == last
