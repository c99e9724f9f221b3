"""Names and spellings as users know them: taken, or answered with the right ones."""

import json

import pytest
from cli_acting import Stage

from auditor.config import load_config
from auditor.config.quantities import parse_duration
from auditor.config.settings import HARNESS_NAMES, HARNESSES
from auditor.core.errors import UsageError

SUBJECT = "go:example.org/ring@v1"


@pytest.fixture
def stage(tmp_path):
    return Stage(str(tmp_path))


@pytest.mark.parametrize(
    ("name", "harness"),
    [
        ("pytest-benchmark", "pytest"),
        ("codspeed", "pytest"),
        ("gotest", "go"),
        ("java", "jmh"),
        ("JMH", "jmh"),
        *((name, name) for name in HARNESSES),
    ],
)
def test_a_harness_has_the_names_that_users_know(stage, tmp_path, name, harness):
    (tmp_path / "c.json").write_text(json.dumps({"subject": SUBJECT, "harness": name}))

    assert load_config("c.json", {}, tmp_path).harness == harness
    assert stage.call("abs", SUBJECT, "--harness", name) == 0
    assert stage.opened[-1][0].harness == harness


def test_other_names_stand_for_harnesses_that_there_are():
    assert set(HARNESS_NAMES.values()) <= set(HARNESSES)
    assert not set(HARNESS_NAMES) & set(HARNESSES)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"budget": 600}, '600 at budget must be a number with a unit in quotes, such as "10m"'),
        ({"budget": "600"}, "'600' has no unit; write 10m, at budget"),
        ({"timeout": 90}, '90 at timeout must be a number with a unit in quotes, such as "90s"'),
        ({"plan": {"iteration_time": []}}, "plan.iteration_time must be a number with a unit in"),
        ({"runs": "x"}, '"x" at runs must be a whole number'),
        ({"tags": "x"}, '"x" at tags must be a list in brackets'),
        ({"exact": 1}, "1 at exact must be true or false"),
        ({"harness": "nose"}, '"nose" at harness must be "go"'),
    ],
)
def test_a_value_of_another_kind_is_answered_with_the_right_spelling(tmp_path, keys, message):
    (tmp_path / "c.json").write_text(json.dumps({"subject": SUBJECT, **keys}))

    with pytest.raises(UsageError) as failure:
        load_config("c.json", {}, tmp_path)

    assert message in str(failure.value)
    assert "$" not in str(failure.value)
    assert not {"str", "int", "array", "object", "bool"} & {*str(failure.value).split()}


@pytest.mark.parametrize(("text", "meant"), [("600", "10m"), ("90", "90s"), ("0.5", "0.5s")])
def test_a_duration_without_a_unit_is_answered_with_one(text, meant):
    with pytest.raises(ValueError, match=rf"has no unit; write {meant}$"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("stability", "--slowdown", "50%"), "--slowdown; it belongs to abs, compare, backtest"),
        (("compare", "a", "b", "--curve", "none"), "no such option --curve; it belongs to abs "),
    ],
)
def test_an_option_of_another_command_is_answered_with_that(stage, capsys, words, message):
    assert stage.call(*words) == 2
    assert message in capsys.readouterr().err


def test_a_file_of_the_project_where_a_folder_belongs(stage, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ring.go").write_text("package ring\n")

    assert stage.call("abs", "ring.go") == 2
    assert "to audit a project, name its folder" in capsys.readouterr().err
