"""The options of `qualify`."""

import shlex

import pytest

from auditor.config.qualify import qualify_request
from auditor.core.errors import UsageError
from auditor.qualify.command import command

NONE = dict.fromkeys(
    ("slowdowns", "runs", "turns", "alarm", "alarm_codes", "max_false_alarms", "must_see", "seed",
     "budget")
)  # fmt: skip


def make_request(**options):
    return qualify_request({**NONE, "words": ("gate", "{base}"), "timeout": "10m", **options})


def test_what_is_not_said_is_ours():
    result = make_request()

    assert result.command == ("gate", "{base}")
    assert result.command_text == "gate '{base}'"
    assert result.plan.factors == (1.1, 1.25, 1.5, 2.0, 10.0)
    assert (result.plan.runs, result.plan.turns, result.plan.seed) == (20, 4, 1)
    assert (result.plan.most_false_alarms, result.plan.must_see) == (None, None)
    assert result.codes == frozenset(range(1, 126))
    assert (result.words, result.timeout_seconds, result.budget_seconds) == (None, 600.0, None)


def test_what_is_said_is_taken():
    result = make_request(
        slowdowns="2x, 50%,2x",
        runs=70,
        turns=1,
        alarm="^slow",
        alarm_codes="1, 3",
        max_false_alarms="5%",
        must_see="1.2x",
        seed=9,
        budget="30m",
        timeout="20s",
    )

    assert result.plan.factors == (1.2, 1.5, 2.0)  # what must be seen is shown
    assert (result.plan.runs, result.plan.turns, result.plan.seed) == (70, 1, 9)
    assert (result.plan.most_false_alarms, result.plan.must_see) == (0.05, 1.2)
    assert result.codes == {1, 3}
    assert result.words.search("a\nslower")
    assert (result.timeout_seconds, result.budget_seconds) == (20.0, 1800.0)
    assert make_request(max_false_alarms=".05").plan.most_false_alarms == 0.05


def test_as_many_runs_are_planned_as_a_demand_needs():
    assert make_request(max_false_alarms="5%").plan.runs == 59
    assert make_request(max_false_alarms="20%").plan.runs == 20
    assert make_request(must_see="2x", runs=5).plan.runs == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": ()}, "no gate given: write its command after --"),
        ({"must_see": "1.5"}, "--must-see 1.5 is ambiguous: write 1.5x or 1.5% or 150%"),
        ({"must_see": "1x"}, "--must-see '1x' must be a factor such as 1.5x, above 1 and at most"),
        ({"slowdowns": "1.5x,nan"}, "--slowdowns nan is not a change"),
        ({"slowdowns": "1e9x"}, "above 1 and at most 1000"),
        ({"max_false_alarms": "5x"}, "is not a fraction"),
        ({"max_false_alarms": "0"}, "needs more runs than are allowed"),
        ({"max_false_alarms": "0.01%"}, "--max-false-alarms 0.01% needs more runs than are"),
        ({"slowdowns": "2"}, "--slowdowns 2 is ambiguous: write 2x or 2% or 200%"),
        ({"alarm": "("}, "is not a regular expression"),
        ({"alarm_codes": "0"}, "must be exit codes from 1 to 125"),
        ({"alarm_codes": "1,two"}, "must be exit codes from 1 to 125"),
        (
            {"max_false_alarms": "5%", "runs": 58},
            "--max-false-alarms cannot pass with --runs 58; give --runs 59",
        ),
        ({"must_see": "2x", "runs": 4}, "--must-see cannot pass with --runs 4; give --runs 5"),
        ({"runs": 0}, "--runs 0 must be a number from 1"),
        ({"turns": 0}, "--turns 0 must be a number from 1"),
        ({"timeout": "long"}, "--timeout: 'long' is not a duration"),
        ({"budget": "soon"}, "--budget: 'soon' is not a duration"),
    ],
)
def test_what_makes_no_sense_is_one_line(options, message):
    with pytest.raises(UsageError) as error:
        make_request(**options)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"slowdowns": "1.05x,3x", "runs": 7, "turns": 1, "seed": 9, "timeout": "90s"},
        {"alarm": "^slow: '\\w+'", "alarm_codes": "3,1"},
        {
            "max_false_alarms": "5%",
            "must_see": "1.2x",
            "words": ("./gate.sh", "--x", "a b", "{head}"),
        },
    ],
)
def test_the_call_to_repeat_it_asks_for_the_same(options):
    first = make_request(**options)

    program, name, *words = shlex.split(first.repeat_command)
    context = command.make_context(name, words)

    assert (program, name, context.params["what"]) == ("bench-audit", "qualify", "config.json")
    assert qualify_request(context.params) == first
