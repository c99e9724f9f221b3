"""The calls that run some benchmarks of a Python suite."""

from runners.pybench.subset import build_subset_commands


def test_pytest_is_given_node_ids():
    (call,) = build_subset_commands("pytest", ["b/t.py::f[x y]", "b/t.py::a"], [])

    assert call.shell_command == "python -m pytest --benchmark-only b/t.py::a 'b/t.py::f[x y]'"
    assert not call.problem


def test_asv_is_given_an_expression_that_matches_nothing_else():
    (call,) = build_subset_commands("asv", ["bench.time_a(1, 'x')", "bench.time_b"], [])

    assert call.words[:3] == ("asv", "run", "--bench")
    assert call.pattern == r"^(bench\.time_a\(1,\ 'x'\)|bench\.time_b)$"


def test_scripts_of_pyperf_run_as_a_whole_which_is_said():
    subsets = build_subset_commands("pyperf", ["b/one.py::x", "b/one.py::y", "b/two.py::x"], [])

    assert [subset.shell_command for subset in subsets] == ["python b/one.py", "python b/two.py"]
    assert all("all of its benchmarks" in subset.problem for subset in subsets)


def test_nothing_is_run_by_no_call():
    assert build_subset_commands("pytest", [], ["a"]) == ()
