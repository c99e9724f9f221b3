"""Tracing the tests of real Python clients, in each interpreter that is found here."""

import pytest
from python_making import UV, environment_with, traced
from test_interpreters import interpreters

from auditor.core.outcome import Traced

pytestmark = pytest.mark.subject

OUTSIDE = {
    "count_down": 1,
    "fail": 3,
    # 4 x 1000 in threads, 6 in test_reflection, 2 in what is called back, 2 in another process, 5
    # in a fork.
    "double": 4015,
    "each": 1,
    "walk": 1,
    "fetch": 1,
    "never": 0,
    "twice": 0,
    "necklace.Necklace.__init__": 1,
    "necklace.Necklace.of": 1,
    "necklace.Necklace.joined": 1,
    "necklace.Necklace.length": 1,
    "necklace.Necklace.length.setter": 1,
    "necklace.Necklace.__len__": 1,
}
INSIDE = {
    "count_down": 5,
    # 2 in each, 3 in walk, 1 in fetch, 1 as it is imported: here, and in the other process.
    "double": 8,
    "twice": 2,
    "necklace.Necklace.__init__": 2,
    "necklace.Necklace.length": 1,
}


@pytest.fixture(
    scope="module", params=sorted(interpreters().items()), ids=lambda version_path: version_path[0]
)
def outcome(request, python_home, variables, tmp_path_factory):
    _, path = request.param
    scratch = tmp_path_factory.mktemp("traced")
    tool_variables = environment_with(variables, scratch / "bin", uv=UV, python3=path)
    return traced(python_home, tool_variables, scratch)


def test_calls_from_outside_and_inside_are_counted_exactly(outcome):
    assert isinstance(outcome, Traced), outcome
    calls = {call.method.removeprefix("beads."): call for call in outcome.calls}

    assert {name: calls[name].outside for name in OUTSIDE if name in calls} == {
        name: number for name, number in OUTSIDE.items() if name in calls
    }
    assert {name for name in OUTSIDE if name not in calls} == {"never"}
    assert {
        name: method_calls.inside for name, method_calls in calls.items() if method_calls.inside
    } == INSIDE
