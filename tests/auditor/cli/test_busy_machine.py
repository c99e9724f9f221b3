"""A machine with other work is said before anything is measured on it."""

import pytest

from auditor.cli.machine import list_machine_caveats, warn_of_load


@pytest.mark.parametrize(
    ("load", "cores", "message"), [(0.5, 2, False), (0.7, 2, True), (4.0, 16, False)]
)
def test_a_machine_is_busy_from_a_third_of_its_cores(load, cores, message):
    assert (warn_of_load(load, cores) is not None) is message
    texts = [caveat.slug for caveat in list_machine_caveats({"cores": str(cores)}, load)]
    assert texts == (["host-load"] if message else [])


def test_the_load_of_another_machine_is_not_known():
    assert list_machine_caveats({"cores": "2"}, None) == ()


@pytest.mark.parametrize(
    ("fact", "harmless", "message"),
    [
        ("governor", "performance", {"powersave": "host-governor"}),
        ("turbo", "off", {"on": "host-turbo"}),
        ("smt", "off", {"on": "host-smt", "notsupported": None, "forceoff": None}),
        ("aslr", "0", {"2": "host-aslr"}),
        ("virtual", "no", {"yes KVM": "host-virtual"}),
        ("quota", "max", {"50000 100000": "host-quota"}),
    ],
)
def test_what_makes_measurements_worse_is_said(fact, harmless, message):
    for value in (harmless, "unknown"):
        assert list_machine_caveats({"cores": "2", fact: value}, None) == ()
    for value, slug in message.items():
        texts = [caveat.slug for caveat in list_machine_caveats({"cores": "2", fact: value}, None)]
        assert texts == ([slug] if slug else [])
