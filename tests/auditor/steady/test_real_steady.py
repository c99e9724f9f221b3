"""`steady` and `similarity` of suites that are run, and of what the store then has of them."""

import pytest
from real_program import JAVA_RING, PYTHON_RING, config, everything, runs
from schema_checks import check_schema

pytestmark = pytest.mark.subject

SHORT = {"steady": {"iterations": 40, "iteration_time": "2ms"}}
KB = ("--detector", "kb-kssd")  # it needs no more than 30 iterations


def by_benchmark(document):
    series = {}
    for process in document["series"]:
        series.setdefault(process["benchmark"].rpartition(".")[2], []).append(process)
    return series


def test_a_go_suite_is_watched_from_a_cold_start_and_its_store_read(program, module, tmp_path):
    out, before = tmp_path / "out", everything(module)

    document, _ = program.audited(
        *("steady", module, "--run", *KB, "--forks", "2", "-o", out),
        *("--iterations", "40", "--iteration-time", "2ms"),
    )

    check_schema("steady", document)
    processes = {
        name: [(process["run"], process["fork"], process["warm_up"]) for process in processes]
        for name, processes in by_benchmark(document).items()
    }
    assert processes == {
        "BenchmarkAdd": [(0, 0, None), (0, 1, None)],
        "BenchmarkTwice": [(0, 0, None), (0, 1, None)],
    }
    # Where blocks take much longer than 2 ms, as on a busy machine, there are fewer of them, but
    # as many as the detector needs.
    assert all(30 <= process["iterations"] <= 40 for process in document["series"])
    assert [benchmark["iteration_seconds"] for benchmark in document["benchmarks"]] == [
        0.002,
        0.002,
    ]
    assert (document["harness"], document["plan"]["warmup"], document["plan"]["forks"]) == (
        "go",
        0,
        2,
    )
    assert everything(module) == before
    page = (out / "steady.html").read_text()
    assert "40 iterations of 2" in page
    assert "Nothing was run" not in page

    read, _ = program.audited("steady", out / "store.sqlite", *KB)
    assert (read["harness"], read["series"]) == ("go", document["series"])
    similarity, _ = program.audited("similarity", out / "store.sqlite")
    check_schema("similarity", similarity)
    assert {
        benchmark["id"]: benchmark["runs"] for benchmark in similarity["benchmarks"]
    } == dict.fromkeys([benchmark["id"] for benchmark in document["benchmarks"]], 2)


def test_what_steady_has_run_similarity_need_not_run_again(program, module, tmp_path):
    config_path = config(tmp_path / "config.json", subject=str(module), **SHORT)
    places = ("-o", tmp_path / "out", "--benchmarks", "Add")
    plan = program.call("steady", config_path, *places, "--dry-run")
    program.audited("steady", config_path, *KB, *places)
    first = runs(tmp_path / "out" / "store.sqlite")

    similarity, _ = program.audited("similarity", config_path, *places, "--forks", "2")

    second = runs(tmp_path / "out" / "store.sqlite")
    assert "processes (about)" in plan.stdout
    assert sorted(purpose for purpose, *_ in first.values()) == ["pilot", "steady"]
    assert {name: second[name] for name in first} == first
    # One process more; what a busy machine has spoilt is run again.
    added_purposes = {purpose for name, (purpose, *_) in second.items() if name not in first}
    assert added_purposes == {"steady"}
    assert [benchmark["runs"] for benchmark in similarity["benchmarks"]] == [2]


def test_a_java_benchmark_is_run_as_written_where_it_has_to_be(program, tmp_path):
    config_path = config(tmp_path / "config.json", subject=str(JAVA_RING), **SHORT)

    pattern = "Modes.(throughput|single)|Durations.nanos"
    document, _ = program.audited(
        "steady", config_path, *KB, "-o", tmp_path, "--benchmarks", pattern
    )

    series = {name: process for name, (process,) in by_benchmark(document).items()}
    # Set-up at each iteration, and single shots: two iterations of warm-up and three that count.
    configured_iterations = {
        name: process["iterations"]
        for name, process in series.items()
        if process["iterations"] < 40
    }
    assert configured_iterations == {"throughput": 5, "single": 5}
    for name in configured_iterations:
        assert series[name]["label"] == "cannot tell"
        assert [caveat["slug"] for caveat in series[name]["caveats"]] == ["series-short"]
    cold = series["nanos"]
    assert cold["iterations"] == 40
    # Their author has a warm-up of 200 ms, which is longer than all of the 40 of 2 ms.
    assert cold["warm_up"] is None or cold["warm_up"]["iterations"] > 40
    assert (cold["warm_up"] is None) == (cold["steady_from"] is None)


def test_a_python_suite_is_watched_too(program, tmp_path):
    config_path = config(tmp_path / "config.json", subject=str(PYTHON_RING), **SHORT)

    document, _ = program.audited(
        "steady", config_path, *KB, "-o", tmp_path, "--benchmarks", "push", "--seed", "3"
    )

    assert {process["iterations"] for process in document["series"]} == {40}
    warm = {
        benchmark["id"]: benchmark["warm_iterations"] is not None
        for benchmark in document["benchmarks"]
    }
    assert {
        benchmark["id"]: benchmark["needed"] is not None for benchmark in document["benchmarks"]
    } == warm
    assert [caveat["slug"] for caveat in document["caveats"] if caveat["slug"] == "one-fork"] == [
        "one-fork"
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("{module}", "--iterations", "9"), "--iterations works only when a suite is run"),
        (("{module}", "--dry-run"), "--dry-run works only when a suite is run"),
        (("{module}", "--forks", "0"), "--forks works only when a suite is run"),
        (("git:https://example.invalid/a/b",), "write git:"),
        (("{config}", "{module}"), "only one suite can be run at a time"),
        (("{config}", "--commit", "abc"), "--commit works only with stored results"),
        (("{config}", "--iteration-time", "long"), "'long' is not a duration"),
        (("{module}",), "; if it is the folder of a suite, add --run"),
        (("go:example.org/none",), "write go:MODULE@VERSION"),
    ],
)
def test_what_cannot_be_meant_is_said_in_a_line(program, module, tmp_path, words, message):
    config_path = config(tmp_path / "config.json", subject=str(module))
    names = {"module": module, "config": config_path}

    for verb in ("steady", "similarity"):
        line = program.refused(
            verb, *(word.format(**names) for word in words), code=2, slug="usage"
        )
        assert message in line
