"""The options of `concurrency` as a request."""

import re
from dataclasses import replace

import pytest

from auditor.concurrency.command import command
from auditor.config.concurrency import concurrency_request, words_of
from auditor.core.contracts.concurrency import PAPER, LibraryVersion, RacePlan, TimedScope
from auditor.core.errors import UsageError


def request(folder, **options):
    """Return the request of these options for two folders."""
    for name in ("a", "b"):
        (folder / name).mkdir(exist_ok=True)
    return concurrency_request({"subject": "a.B", "old": "a", "new": "b", **options}, folder)


def test_without_options_the_plan_is_that_of_a_ci_job(tmp_path):
    race_request = request(tmp_path)

    assert race_request.plan == RacePlan()
    assert race_request.version_texts == {LibraryVersion.OLD: "a", LibraryVersion.NEW: "b"}
    assert race_request.options == ()


def test_options_go_over_the_paper_s_plan(tmp_path):
    race_request = request(
        tmp_path, paper=True, threads="16, 4", report="10%", scope="each", seed=7
    )

    assert race_request.plan == replace(
        PAPER, threads=(4, 16), report=0.1, scope=TimedScope.EACH, seed=7
    )


def test_the_steady_state_is_as_long_with_many_threads_unless_said(tmp_path):
    assert request(tmp_path, steady_seconds="2s").plan.crowded_seconds == 2.0
    options = {"steady_seconds": "2s", "crowded_seconds": "4s"}
    assert request(tmp_path, **options).plan.choose_measurement_seconds(64) == 4.0


def test_words_for_the_jvm_are_split_as_a_shell_does(tmp_path):
    race_request = request(tmp_path, jvm_args="-Xmx2g -Dname='two words'")

    assert race_request.options == ("-Xmx2g", "-Dname=two words")


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"paper": True, "seed": 3, "jmh": True},
        {"threads": "2,16", "warmup_seconds": "250ms", "report": "10%", "control": False},
        {"jvm_args": "-Xmx2g -Dname='two words'", "scope": "each", "tests": 9},
        {"steady_seconds": "2s", "crowded_seconds": "1s"},
        {"steady_seconds": "10s", "crowded_seconds": "40s", "paper": True},
    ],
)
def test_the_words_of_a_request_ask_for_the_same(tmp_path, options):
    race_request = request(tmp_path, **options)
    words = list(words_of(race_request))

    context = command.make_context("concurrency", words, resilient_parsing=False)
    assert concurrency_request(context.params, tmp_path) == race_request


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threads": "0,8"}, "--threads 0,8 must be numbers from 1 to 1024"),
        ({"threads": "1"}, "--threads 1 tests no concurrency"),
        ({"threads": "8;9"}, "--threads 8;9 must be numbers"),
        ({"warmup_seconds": "5"}, "--warmup: '5' has no unit; write 5s"),
        ({"report": "much"}, "--report much is not a fraction"),
        ({"confidence": "100%"}, "--confidence 100% is not a fraction"),
        ({"confidence": "0"}, "--confidence must be above 0"),
        ({"tests": 0}, "--tests 0 must be at least 1"),
        ({"tests": 2}, "--least-conclusive 3 is above --tests 2"),
        ({"tests": 1000}, "--tests 1000 must be at most 50"),
        ({"seed": -1}, "--seed -1 must be at least 0"),
        ({"least_measurements": 1}, "--least-measurements 1 must be at least 2"),
        ({"most_measurements": 2}, "--least-measurements 3 is above --most-measurements 2"),
        ({"longest": 8}, "--shortest 16 is above --longest 8"),
        ({"jvm_args": "'open"}, '--jvm-args "\'open" cannot be split'),
    ],
)
def test_a_bad_option_is_said_with_what_to_write(tmp_path, options, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        request(tmp_path, **options)
