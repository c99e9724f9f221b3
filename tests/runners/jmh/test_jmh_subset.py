"""The calls that run a choice of benchmarks, given to the real JMH."""

import re
import subprocess

from auditor.core.subject import Role
from runners.jmh.subset import build_subset_commands


def list_selection(jmh, words):
    """Return the names that JMH would run, and the values of parameters that it was told."""
    parts = jmh.project.list_paths(Role.BENCHMARKS, Role.LIBRARY, Role.DEPENDENCY)
    jmh_arguments = words[words.index("-jar") + 2 :]
    argv = ["java", "-cp", ":".join(map(str, parts)), "org.openjdk.jmh.Main", "-lp", *jmh_arguments]
    completed = subprocess.run(argv, capture_output=True, text=True, check=True)
    names = [
        line for line in completed.stdout.splitlines() if re.fullmatch(r"org\.example\.\S+", line)
    ]
    return set(names), set(re.findall(r'param "(\w+)" = \{([^}]*)\}', completed.stdout))


def test_the_calls_run_just_what_was_chosen(jmh):
    suite_ids = [benchmark.id for benchmark in jmh.suite.benchmarks]
    chosen_ids = [
        benchmark_id
        for index, benchmark_id in enumerate(suite_ids)
        if (index % 2 or "[" in benchmark_id) and "1,5" not in benchmark_id
    ]

    selections = [
        (call, list_selection(jmh, call.words))
        for call in build_subset_commands(chosen_ids, suite_ids)
    ]

    assert len(chosen_ids) < len(suite_ids)
    assert any(call.parameters for call, _ in selections)
    run = [
        name
        + ("[" + ",".join(f"{k}={v}" for k, v in call.parameters) + "]" if call.parameters else "")
        for call, (names, _) in selections
        for name in names
    ]
    assert sorted(run) == sorted(chosen_ids)
    assert all(values >= set(call.parameters) for call, (_, values) in selections)


def test_parameters_are_told_from_names_and_values_with_commas_are_whole():
    chosen_ids = ["a.B.c[size=1,kind=x,y]", "a.B.d[size=1,kind=x,y]", "a.B.e", "a.B$C.e"]

    plain, with_parameters = build_subset_commands(chosen_ids, chosen_ids)

    assert (plain.pattern, plain.parameters) == (r"^a\.B\$C\.e$|^a\.B\.e$", ())
    assert with_parameters.pattern == r"^a\.B\.c$|^a\.B\.d$"
    assert with_parameters.parameters == (("size", "1"), ("kind", "x,y"))
    assert with_parameters.shell_command.endswith("-p size=1 -p kind=x,y")
    assert with_parameters.problem.startswith("JMH's -p cannot set kind to the value 'x,y'")
    assert plain.problem == ""
