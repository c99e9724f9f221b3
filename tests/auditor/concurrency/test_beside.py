"""What is said of a machine that had other work beside the races."""

from auditor.concurrency.judge.host_load import MAX_FOREIGN_SHARE, list_caveats


def race(seconds=2.0, **shares):
    return {"seconds": seconds, **shares}


def test_a_machine_that_raced_and_nothing_else_has_no_caveat():
    assert [*list_caveats([])] == []
    assert [*list_caveats([race(), race(foreign=0.02, stolen=0.0, throttled=0.0)])] == []
    assert [*list_caveats([race(foreign=MAX_FOREIGN_SHARE / 2), race(foreign=-0.1)])] == []


def test_other_work_is_said_as_a_part_of_all_time_and_of_the_worst():
    (caveat,) = list_caveats([race(1.0, foreign=0.8), race(3.0, foreign=0.0), race(foreign=0.4)])

    assert caveat.slug == "host-load"
    words = "other processes used 27_% of the processors' time during the races, and 80_%"
    assert words.replace("_", "\N{NO-BREAK SPACE}") in caveat.text


def test_what_a_machine_lost_to_others_is_said_as_of_any_measurement():
    result = list_caveats([race(stolen=0.2, throttled=0.1, hot=0.1), race(stolen=0.0)])

    assert [caveat.slug for caveat in result] == ["host-stolen", "host-throttled", "host-hot"]
