"""A machine with other work is said before anything is measured on it."""

import pytest

from auditor.cli.machine import busy, caveats


@pytest.mark.parametrize(
    ("load", "cores", "said"), [(0.5, 2, False), (0.7, 2, True), (4.0, 16, False)]
)
def test_a_machine_is_busy_from_a_third_of_its_cores(load, cores, said):
    assert (busy(load, cores) is not None) is said
    found = [one.slug for one in caveats({"cores": str(cores)}, load)]
    assert found == (["host-load"] if said else [])


def test_the_load_of_another_machine_is_not_known():
    assert caveats({"cores": "2"}, None) == ()
