"""Which methods should have a benchmark first."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from builders import method

from auditor.core.errors import SubjectError
from auditor.stubs.assemble import LibraryUsage, StubGenerator
from auditor.stubs.judge import WatchState, select_unwatched_methods

METHODS = [method(name) for name in ("Add", "Get", "Len")]
ADD, GET, LEN = (library_method.id for library_method in METHODS)


@pytest.mark.parametrize(
    ("used", "watched", "most", "names"),
    [
        ([LEN, ADD, GET], {}, 20, ["Len", "Add", "Get"]),
        ([LEN, ADD, GET], {}, 2, ["Len", "Add"]),
        ([LEN, ADD, GET], {LEN: WatchState.WATCHED, ADD: WatchState.UNCALLED}, 20, ["Add", "Get"]),
        ([LEN, "gone", LEN, ADD], {}, 20, ["Len", "Add"]),
        ([LEN], {LEN: WatchState.WATCHED}, 20, []),
        ([LEN, ADD, GET], {LEN: WatchState.UNNOTICED}, 20, ["Add", "Get", "Len"]),
        ([LEN, ADD, GET], {LEN: WatchState.UNNOTICED, ADD: WatchState.WATCHED}, 1, ["Get"]),
    ],
)
def test_the_most_used_come_first_without_those_that_are_watched(used, watched, most, names):
    assert [
        unwatched_method.name
        for unwatched_method in select_unwatched_methods(METHODS, used, watched, most)
    ] == names


def test_what_cannot_get_slower_needs_no_benchmark():
    methods = [replace(METHODS[0], trivial="its body is empty"), *METHODS[1:]]

    assert [
        unwatched_method.name
        for unwatched_method in select_unwatched_methods(methods, [ADD, GET], {}, 20)
    ] == ["Get"]


def test_a_method_that_is_called_but_open_is_not_claimed_to_be_detected():
    library = SimpleNamespace(methods=METHODS)
    generator = StubGenerator.__new__(StubGenerator)
    generator._tracing = SimpleNamespace(library=library)

    with pytest.raises(SubjectError, match="is trivial, or a benchmark calls it"):
        generator._choose_methods(
            LibraryUsage(used=[ADD], watched={ADD: WatchState.WATCHED}), most=5
        )
