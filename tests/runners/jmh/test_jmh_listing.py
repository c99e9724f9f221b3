"""The lister's lines as benchmarks, and benchmarks as command lines; without a JVM."""

import json
import zipfile
from pathlib import Path

import pytest
from jmh_making import plain

from auditor.core.errors import SourceUnreadable
from auditor.core.mutant import PLAIN, Variant, VariantKind
from auditor.core.plan import Purpose, Trial
from auditor.core.subject import Language, Part, Project, Role
from auditor.core.suite import Benchmark
from runners.jmh.commandline import make_benchmark_job
from runners.jmh.guests import JmhGuest
from runners.jmh.listing import parse_settings, read_entries, read_java_sources


def entry(**more):
    line = {"kind": "benchmark", "name": "a.B.c", "mode": "AverageTime", "fixtures": []}
    return line | more


def benchmarks(*entries, jmh="1.37"):
    return read_entries("\n".join(map(json.dumps, entries)).encode(), jmh).benchmarks


def arguments(benchmark, variant=PLAIN):
    trial = Trial(
        subject="s",
        purpose=Purpose.SUITE,
        variant=variant,
        benchmark=benchmark,
        schedule=plain(blocks=3, warmup=2, seconds=0.05),
        repetition=1,
        seed=1,
        timeout_seconds=10,
    )
    project = Project(
        name="n",
        revision="r",
        language=Language.JAVA,
        harness="jmh",
        root=Path("/project"),
        digest="d",
        parts=(
            Part(Role.DEPENDENCY, Path("/d.jar")),
            Part(Role.LIBRARY, Path("/l.jar")),
            Part(Role.BENCHMARKS, Path("/b.jar")),
        ),
        environment=(("PATH", "/bin"),),
        options=(("java", "/jdk/bin/java"),),
    )
    return make_benchmark_job(project, JmhGuest(Path("/guest")), trial, Path("/into"))


def test_each_choice_of_parameters_is_a_benchmark():
    result = benchmarks(entry(parameters={"size": ["1", "2"], "kind": ["x", "y"]}))

    assert [benchmark.id for benchmark in result] == [
        "a.B.c[size=1,kind=x]",
        "a.B.c[size=1,kind=y]",
        "a.B.c[size=2,kind=x]",
        "a.B.c[size=2,kind=y]",
    ]


@pytest.mark.parametrize(
    ("mode", "threads", "groups", "expected"),
    [
        ("AverageTime", None, 1, (1, 1)),
        ("AverageTime", 4, 1, (4, 1)),
        ("Throughput", 4, 1, (4, 4)),
        ("Throughput", -1, 1, (8, 8)),
        ("Throughput", 4, 3, (6, 6)),
        ("All", None, 1, (1, 1)),
    ],
)
def test_threads_are_divided_by_in_rates_only(mode, threads, groups, expected):
    (benchmark,) = benchmarks(entry(mode=mode, threads=threads, groups=groups, processors=8))

    assert (benchmark.threads, benchmark.concurrency) == expected


def test_a_line_that_jmh_cannot_read_does_not_stop_the_others():
    broken = {"kind": "unusable", "name": "JMH S 3", "reason": "no such mode"}
    listing = read_entries(f"{json.dumps(broken)}\n{json.dumps(entry())}".encode(), "1.37")

    assert [benchmark.id for benchmark in listing.benchmarks] == ["a.B.c"]
    assert listing.unusable == (("JMH S 3", "no such mode"),)


@pytest.mark.parametrize(
    ("message", "is_kept"),
    [
        ({}, False),
        ({"fixtures": ["Trial", "Invocation"]}, False),
        ({"fixtures": ["Iteration"]}, True),
        ({"fixtures": None}, True),
        ({"iteration_batch": 1}, False),
        ({"iteration_batch": 5}, True),
    ],
)
def test_the_authors_iteration_time_is_kept_where_another_would_mean_something_else(
    message, is_kept
):
    (benchmark,) = benchmarks(entry(iteration_seconds=2.0, warmup_seconds=3.0, **message))
    job = arguments(benchmark)

    assert benchmark.block_seconds == (2.0 if is_kept else None)
    assert bool(benchmark.fixed_length_reason) is is_kept
    assert "iteration-seconds=0.05" in job.argv
    assert "warmup-seconds=0.05" in job.argv


@pytest.mark.parametrize(
    ("jmh", "seconds"),
    [("1.37", 10.0), ("1.21", 10.0), ("1.20", 1.0), ("1.9.3", 1.0), ("unknown", 10.0)],
)
def test_an_iteration_that_is_kept_lasts_as_long_as_in_this_jmh_if_the_author_says_nothing(
    jmh, seconds
):
    (benchmark,) = benchmarks(entry(fixtures=["Iteration"]), jmh=jmh)

    assert benchmark.block_seconds == seconds
    assert benchmark.fixed_length_reason == "set-up runs at each iteration"


@pytest.mark.parametrize(("batch", "unit"), [(None, "one call"), (50, "a batch of 50 calls")])
def test_a_single_shot_has_no_time_and_is_said_to_come_after_the_planned_warm_up(batch, unit):
    (benchmark,) = benchmarks(
        entry(mode="SingleShotTime", iteration_batch=batch, iteration_seconds=2.0, fixtures=None)
    )

    assert benchmark.block_seconds is None
    assert benchmark.notes == (
        f"an iteration is {unit}, however long that takes; how many there are, and how many warm "
        "up before them, is as planned, not as written",
    )


@pytest.mark.parametrize(
    ("modes", "forks", "notes"),
    [
        (("AverageTime",), 0, ("the author asks for no fork; it is run in one",)),
        (("SampleTime", "Throughput"), 1, ("only Throughput ran, not SampleTime",)),
        (("All",), None, ("the author asks for all modes; only Throughput ran",)),
        (("AverageTime",), 3, ()),
    ],
)
def test_what_the_author_asked_for_and_does_not_get_is_noted(modes, forks, notes):
    (benchmark,) = benchmarks(*(entry(mode=mode, forks=forks) for mode in modes))

    assert benchmark.notes == notes


def test_settings_that_an_older_program_stored_are_read():
    old = {"mode": "AverageTime", "prepend": ["-Xint"], "kept": True, "notes": ["x"]}

    read = parse_settings(Benchmark(group="a.B", name="c", settings=json.dumps(old)))

    assert (read.mode, read.prepend) == ("AverageTime", ("-Xint",))


def test_a_command_line_has_the_suite_in_front_and_the_guest_last():
    (benchmark,) = benchmarks(entry(parameters={"k": ["a,b = c"]}))

    argv = arguments(benchmark).argv

    assert argv[:3] == (
        "/jdk/bin/java",
        "-cp",
        "/b.jar:/l.jar:/d.jar:/guest/jmh.jar:/guest/boot.jar",
    )
    assert {"benchmark=a.B.c", "mode=AverageTime", "parameter:k=a,b = c"} <= {*argv}
    assert {"warmups=2", "iterations=3"} <= {*argv}


def test_the_agent_is_given_to_changed_variants_only_and_before_the_authors_arguments():
    (benchmark,) = benchmarks(entry(prepend=["-Xmx111m"]))

    plain_job, counting = arguments(benchmark), arguments(benchmark, Variant(VariantKind.COUNTING))

    prepended = [argument for argument in counting.argv if argument.startswith("prepend=")]
    assert prepended == [
        "prepend=-javaagent:/guest/agent.jar=/into/instructions.tsv",
        "prepend=-Xmx111m",
    ]
    assert not any("javaagent" in argument for argument in plain_job.argv)


def test_sources_are_read_from_folders_and_jars_and_the_first_of_a_path_counts(tmp_path):
    folder, jar = tmp_path / "src", tmp_path / "x-sources.jar"
    (folder / "a").mkdir(parents=True)
    (folder / "a" / "A.java").write_bytes(b"one")
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("a/A.java", b"two")
        archive.writestr("a/B.java", b"three")
        archive.writestr("a/B.class", b"four")

    sources = [
        (java_source.path, java_source.unit, java_source.text)
        for java_source in read_java_sources([folder, jar])
    ]

    assert sources == [("a/A.java", "src", b"one"), ("a/B.java", "x-sources.jar", b"three")]


def test_a_list_that_is_no_list_is_one_error():
    with pytest.raises(SourceUnreadable, match="list of benchmarks"):
        read_entries(b"{", "1.37")
