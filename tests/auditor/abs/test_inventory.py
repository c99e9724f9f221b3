"""What a dry run lists: benchmarks by place, methods with calls, what fits, what to leave out."""

import shlex
from dataclasses import replace
from types import SimpleNamespace

import pytest
import toy_language
from toy_language import Memory, parts, request

from auditor.abs.preview import preview_abs, take_inventory
from auditor.abs.study import abs_audit
from auditor.core.suite import Benchmark
from auditor.measure.planning.expected_time import ExpectedTime
from auditor.measure.planning.preview import CountedMethod, places_of

QUICK = ExpectedTime(10.0, 20.0)
LONG = ExpectedTime(100 * 3600.0, 200 * 3600.0)


def suite_of(ready, **counts):
    """Return parts with so many benchmarks of each group."""
    benchmarks = [
        Benchmark(group=group, name=f"B{index}")
        for group in counts
        for index in range(counts[group])
    ]
    return replace(ready, suite=replace(ready.suite, benchmarks=tuple(benchmarks)))


def make_inventory(unlimited=QUICK, budget=None, **counts):
    audit_request = request()
    audit_request = replace(
        audit_request, suite=replace(audit_request.suite, budget_seconds=budget)
    )
    ready = suite_of(parts(audit_request), **counts) if counts else parts(audit_request)
    return take_inventory(audit_request, ready, unlimited, None)


def test_benchmarks_are_counted_by_group_or_by_function_in_a_single_one():
    names = ("A/x", "A/y", "B[1]", "B(2)", "B:3", "C")
    alone = [Benchmark(group="g", name=name) for name in names]
    grouped_benchmarks = [Benchmark(group=group, name="A") for group in "gghg"]

    assert places_of(alone) == (("B", 3), ("A", 2), ("C", 1))
    assert places_of(grouped_benchmarks) == (("g", 3), ("h", 1))


@pytest.mark.parametrize(
    ("names", "places"),
    [
        (("t/a.py::f[1]", "t/a.py::f[x::y]", "t/b.py::f"), {"t/a.py": 2, "t/b.py": 1}),
        (("t/a.py::T::f[1]", "t/a.py::T::f[2/3]", "t/a.py::g"), {"T::f": 2, "g": 1}),
        (("a.T.time_f(1)", "a.T.time_f(.5)", "b.c.time_g"), {"a": 2, "b.c": 1}),
        (("a.T.time_f(1)", "a.T.time_f(.5)", "a.time_g"), {"a.T.time_f": 2, "a.time_g": 1}),
    ],
)
def test_benchmarks_in_python_are_counted_by_file_or_by_function_in_a_single_one(names, places):
    place_counts = places_of([Benchmark(group="", name=name) for name in names])

    assert dict(place_counts) == places


def test_methods_have_their_calls_once_these_are_counted():
    store, audit_request = Memory(), request()
    before = preview_abs(audit_request, parts(audit_request, store=store)).inventory
    abs_audit.audit_suite(audit_request, parts(audit_request, store=store))
    after = preview_abs(audit_request, parts(audit_request, store=store)).inventory

    assert CountedMethod(id="toy.hop") in before.methods
    (hop,) = [counted_method for counted_method in after.methods if counted_method.id == "toy.hop"]
    assert hop.benchmarks == sum(
        method == "hop" and share > 0 for (method, _), share in toy_language.SHARES.items()
    )
    assert sum(count for _, count in after.benchmarks) == len(toy_language.BENCHMARKS)


@pytest.mark.parametrize("budget", [None, 3600.0])
def test_the_first_hint_of_a_suite_that_takes_too_long_is_what_to_leave_out(budget):
    result = make_inventory(LONG, budget, conformance=90, a=5, b=5)

    assert result.hints[0] == (
        "conformance has 90 of 100 benchmarks; leave it out: --benchmarks 'a|b'"
    )


def test_names_are_quoted_for_a_shell():
    result = make_inventory(LONG, None, **{"conformance": 90, "it's": 5, "b": 5})

    command = result.hints[0].partition("leave it out: ")[2]
    assert shlex.split(command) == ["--benchmarks", "b|it's"]


def test_nothing_is_left_out_of_a_suite_that_fits_or_has_no_large_part():
    assert make_inventory(QUICK, None, conformance=90, a=5, b=5).hints == ()
    assert make_inventory(LONG, None, a=5, b=5, c=5).hints == ()


def test_what_a_budget_decides_is_said():
    (hint,) = make_inventory(ExpectedTime(1000.0, 2000.0), 500.0).hints

    methods = len(make_inventory().methods)
    least, most = methods // 4, round(methods / 2)
    assert f"decides about {least} to {most} of {methods} methods" in hint


@pytest.mark.parametrize(
    ("refusal", "message"),
    [
        (None, "toy has no public method that can be slowed; name one with --method"),
        ("it has no body", "none of the 1 methods can be slowed; the first: it has no body"),
    ],
)
def test_a_subject_without_methods_says_why(refusal, message):
    audit_request = request(methods=None if refusal is None else ("hop",))
    ready = parts(audit_request)
    (hop,) = [method for method in ready.mutator.find_methods(()) if method.name == "hop"]
    methods = [] if refusal is None else [replace(hop, refusal=refusal)]
    mutator = SimpleNamespace(
        find_methods=lambda _: methods, matches_name=ready.mutator.matches_name
    )

    reason = take_inventory(audit_request, replace(ready, mutator=mutator), QUICK, None).reason

    assert take_inventory(audit_request, ready, QUICK, None).reason == ""
    assert reason.startswith(message)


def test_public_methods_that_cannot_be_slowed_are_named_with_their_reason():
    audit_request = request(methods=None)
    ready = parts(audit_request)
    (hop,) = [method for method in ready.mutator.find_methods(()) if method.name == "hop"]
    bare = [replace(hop, id=f"toy.sum{index}", refusal="it has no body") for index in range(7)]
    abstract = replace(hop, id="toy.abstract", refusal="it is abstract", trivial="it is abstract")
    hidden = replace(hop, id="toy.hidden", refusal="it has no body", public=False)
    mutator = SimpleNamespace(
        find_methods=lambda _: [hop, *bare, abstract, hidden],
        matches_name=ready.mutator.matches_name,
    )

    (hint,) = take_inventory(audit_request, replace(ready, mutator=mutator), QUICK, None).hints

    assert hint == (
        "7 public methods cannot be slowed down, so this audit says nothing of toy.sum0, toy.sum1, "
        "toy.sum2 and 4 more (it has no body)"
    )
    named = replace(audit_request, methods=("toy.hop",))
    assert take_inventory(named, replace(ready, mutator=mutator), QUICK, None).hints == ()


def test_a_subject_whose_public_names_are_no_methods_says_so():
    audit_request = request(methods=None)
    mutator = SimpleNamespace(
        find_methods=lambda _: [], matches_name=parts(audit_request).mutator.matches_name
    )
    ready = replace(
        parts(audit_request), mutator=mutator, hidden=("toy.hop leads to compiled code",)
    )

    reason = take_inventory(audit_request, ready, QUICK, None).reason

    assert reason == "toy has no public method that can be slowed; toy.hop leads to compiled code"
