"""When a number is the machine's."""

import pytest

from auditor.core.busy import BUSY, add_to_headline, busy_causes, is_busy
from auditor.core.jobs import HostInterference


@pytest.mark.parametrize(
    "strain",
    [
        HostInterference(waited=0.9, foreign=0.5),
        HostInterference(waited=0.9),
        HostInterference(stolen=BUSY + 0.01),
        HostInterference(throttled=0.5, waited=0.0),
        HostInterference(hot=0.2),
    ],
)
def test_a_machine_that_keeps_a_process_from_its_work_is_busy(strain):
    assert is_busy(strain)
    assert add_to_headline("All is well.", strain).startswith("Busy machine (")
    assert add_to_headline("All is well.", strain).endswith("): All is well.")


@pytest.mark.parametrize(
    "strain",
    [
        HostInterference(),  # macOS counts none of it
        HostInterference(waited=BUSY, stolen=0.02, throttled=0.02, hot=0.02),
        HostInterference(waited=0.9, foreign=0.02),  # more threads of the benchmark than processors
        HostInterference(waited=0.01, foreign=0.5),  # others use other processors
    ],
)
def test_nothing_is_claimed_of_a_machine_without_counters_or_one_that_lets_processes_run(strain):
    assert not is_busy(strain)
    assert add_to_headline("All is well.", strain) == "All is well."


def test_each_cause_is_named_with_its_share():
    strain = HostInterference(waited=0.9, foreign=0.5, stolen=0.2, throttled=0.3, hot=0.4)

    assert [
        busy_cause.replace("\N{NO-BREAK SPACE}", " ") for busy_cause in busy_causes(strain)
    ] == [
        "processes waited 90 % of the time",
        "other virtual machines had 20 % of the processors",
        "a quota stopped processes 30 % of the time",
        "a processor was too hot 40 % of the time",
    ]
