"""What validates, and which systems judge."""

import pytest
from training.folds import project
from training.splits import for_validation, systems_in_groups

NAMES = [f"o__s{system}#b{index}#" for system in range(7) for index in range(8)]


def test_a_quarter_of_each_systems_benchmarks_validates():
    learn, validation = for_validation(NAMES)

    assert sorted(learn + validation) == sorted(NAMES)
    for system in range(7):
        assert sum(project(name) == f"o__s{system}" for name in validation) == 2
    assert for_validation(NAMES[::-1]) == (learn, validation)


def test_a_system_with_one_benchmark_cannot_be_on_both_sides():
    with pytest.raises(ValueError, match="class"):
        for_validation([*NAMES, "o__alone#b#"])


def test_six_groups_leave_whole_systems_out():
    groups = systems_in_groups(NAMES)

    systems = [{project(name) for name in group} for group in groups]
    assert systems[0] == {"o__s0", "o__s6"}
    assert [len(group) for group in systems] == [2, 1, 1, 1, 1, 1]
    assert sorted(name for group in groups for name in group) == sorted(NAMES)


def test_as_many_groups_as_systems_leave_one_out_at_a_time_and_there_are_never_more():
    for groups in (7, 24):
        left_out = systems_in_groups(NAMES, groups)

        assert [{project(name) for name in group} for group in left_out] == [
            {f"o__s{system}"} for system in range(7)
        ]
