"""Processes of real suites that end once they are warm and measured."""

import pytest
from real_program import JAVA_RING, PYTHON_RING, config, everything, left_behind, runs

pytestmark = pytest.mark.subject

# The rule looks at a second of iterations at a time, and five times at least.
SHORT = {"iteration_time": "20ms", "measured": 10, "limit": "30s", "iterations": 3000}


def slugs(benchmark):
    return [one["slug"] for one in benchmark["caveats"]]


def told(found):
    return {one["id"].rpartition(".")[2]: slugs(one) for one in found["benchmarks"]}


def test_a_go_suite_is_measured_when_it_is_warm(program, module, tmp_path):
    asked = config(tmp_path / "config.json", subject=str(module), warmup=SHORT)
    before = everything(module)
    call = ("measure", asked, "--warmup", "rciw", "--benchmarks", "Add", "-o", tmp_path / "out")

    found, _ = program.audited(*call)

    (one,) = found["benchmarks"]
    (said,) = [each["text"] for each in one["caveats"] if each["slug"] == "warm-after"]
    assert " iterations by rciw, " in said
    assert len(one["means"]) == 1
    assert not {"not-seen-warm", "watched-time"} & {each["slug"] for each in found["caveats"]}
    assert everything(module) == before
    assert left_behind(program.cache) == []

    store = tmp_path / "out" / "store.sqlite"
    kept = runs(store)
    again, _ = program.audited(*call)
    assert runs(store) == kept
    assert again["benchmarks"][0]["means"] == one["means"]


def test_what_the_limit_ends_is_marked(program, module, tmp_path):
    warmup = {**SHORT, "method": "kbkssd", "limit": "200ms"}
    asked = config(tmp_path / "config.json", subject=str(module), warmup=warmup)

    found, _ = program.audited("measure", asked, "-o", tmp_path / "out")

    assert told(found) == {name: ["not-seen-warm"] for name in ("BenchmarkAdd", "BenchmarkTwice")}
    (said,) = [one["text"] for one in found["caveats"] if one["slug"] == "not-seen-warm"]
    assert said.startswith("2 of 2 benchmarks have processes that were not seen warm")
    assert all(len(one["means"]) == 1 for one in found["benchmarks"])


def test_java_benchmarks_that_go_wrong_do_not_keep_the_others_from_it(program, tmp_path):
    warmup = {**SHORT, "method": "rciw", "limit": "20s"}
    asked = config(tmp_path / "c.json", subject=str(JAVA_RING), warmup=warmup, timeout="5s")

    found, _ = program.audited(
        *("measure", asked, "-o", tmp_path / "out"),
        *("--benchmarks", "Durations.micros|Naughty.(hangs|fails|talks)"),
    )

    ended = {one["id"].rpartition(".")[2]: one["ending"] for one in found["benchmarks"]}
    assert ended == {
        "micros": "measured",
        "talks": "measured",
        "hangs": "timed-out",
        "fails": "crashed",
    }
    watched = {
        name for name, each in told(found).items() if {"warm-after", "not-seen-warm"} & {*each}
    }
    assert watched == {"micros", "talks"}
    (said,) = [one["text"] for one in found["caveats"] if one["slug"] == "watched-time"]
    assert said.startswith("2 watched processes ran ")
    assert left_behind(program.cache) == []


def test_a_python_benchmark_is_watched_for_its_stability(program, tmp_path):
    asked = config(tmp_path / "config.json", subject=str(PYTHON_RING), warmup=SHORT)

    found, _ = program.audited(
        *("stability", asked, "--warmup", "rciw", "-o", tmp_path, "--benchmarks", "push"),
        *("--runs", "2"),
    )

    watched = [one for one in found["benchmarks"] if "warm-after" in slugs(one)]
    assert watched
    assert all(one["max_spread"] is not None for one in watched)


def test_an_audit_warms_all_its_processes_up_alike(program, module, tmp_path):
    warmup = {**SHORT, "method": "rciw"}
    asked = config(tmp_path / "config.json", subject=str(module), warmup=warmup)

    found, _ = program.audited(
        *("abs", asked, "-o", tmp_path / "out", "--benchmarks", "Add"),
        *("--method", "example.org/tiny.Add"),
    )

    assert [slugs(one) for one in found["benchmarks"]] == [[]]
    assert [one["outcome"] for one in found["methods"]] == ["detected"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ({"method": "magic"}, '"fixed", "cov", "rciw", "kld" or "kbkssd"'),
        ({"method": "rciw", "limit": "long"}, "at $.warmup.limit"),
        ({"method": "rciw", "iteration_time": "soon"}, "at $.warmup.iteration_time"),
        ({"width": 0}, "$.warmup.width"),
        ({"method": "cov", "measured": 9, "iterations": 9}, "9 at $.warmup.measured"),
    ],
)
def test_what_no_warm_up_can_be_is_said_in_a_line(program, module, tmp_path, written, said):
    asked = config(tmp_path / "config.json", subject=str(module), warmup=written)

    assert said in program.refused("measure", asked, code=2, slug="usage")
