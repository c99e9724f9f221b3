import json
from datetime import date
from pathlib import Path

import msgspec
import pytest

from auditor.config import load_config
from auditor.config.audit import SUITE_TIME_LIMIT, abs_request
from auditor.config.judgeable import check_judgeable
from auditor.config.load import at_revision
from auditor.config.settings import Settings, json_schema
from auditor.core.accepted import Acceptance
from auditor.core.errors import UsageError
from auditor.core.mutant import InjectionKind
from auditor.core.request import DetectionRule, FolderSpec, GitSpec, Plan

ROOT = Path(__file__).parents[3]
SLOWDOWN = 'a change such as "50%", 0.5 or "1.5x", above 0 and at most 100000%, or "auto"'

FULL_CONFIG = {
    "subject": ".",
    "harness": "go",
    "benchmarks": "^Benchmark",
    "methods": ["example.org/ring.Push", "example.org/ring.Ring.Pop"],
    "runs": 2,
    "slowdown": 0.6,
    "plan": {"forks": 1, "warmup": 10, "iterations": 15, "iteration_time": "50ms"},
    "host": "local",
    "seed": 1,
}

AS_YAML = """\
subject: .
harness: go
benchmarks: ^Benchmark
methods: [example.org/ring.Push, example.org/ring.Ring.Pop]
runs: 2
slowdown: 0.6
plan: {forks: 1, warmup: 10, iterations: 15, iteration_time: 50ms}
host: local
seed: 1
"""

AS_TOML = """\
subject = "."
harness = "go"
benchmarks = "^Benchmark"
methods = ["example.org/ring.Push", "example.org/ring.Ring.Pop"]
runs = 2
slowdown = 0.6
host = "local"
seed = 1
[plan]
forks = 1
warmup = 10
iterations = 15
iteration_time = "50ms"
"""


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({}, SUITE_TIME_LIMIT),
        ({"stability_runs": 5}, None),
        ({"exact": True}, None),
        ({"rule": "paper"}, None),
        ({"slowdown": "auto"}, None),
        ({"dispatch": "dask"}, None),
    ],
)
def test_the_suite_is_run_less_often_only_where_nobody_says_or_needs_how_often(changes, limit):
    settings = msgspec.convert({"subject": ".", "slowdown": 0.5, **changes}, Settings)

    request = abs_request(settings, None, None)

    assert request.suite_time_limit == limit
    assert request.suite.stability_runs == 5


def load_written(folder, text, name="config.json"):
    (folder / name).write_text(text if isinstance(text, str) else json.dumps(text))
    return load_config(name, {}, folder)


def refused(folder, text, name="config.json"):
    with pytest.raises(UsageError) as caught:
        load_written(folder, text, name)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_the_issues_example_means_what_it_says(tmp_path):
    config = load_written(tmp_path, FULL_CONFIG)

    assert config.subject == FolderSpec(tmp_path)
    assert (config.harness, config.host) == ("go", "local")
    assert config.request.methods == ("example.org/ring.Push", "example.org/ring.Ring.Pop")
    assert (config.request.runs, config.request.slowdown) == (2, 0.6)
    assert config.request.suite.plan == Plan(
        forks=1,
        warmup=10,
        iterations=15,
        iteration_seconds=pytest.approx(0.05, rel=1e-12),
        for_all=True,
    )
    assert config.request.suite.benchmarks == "^Benchmark"
    assert config.request.suite.seed == 1


@pytest.mark.parametrize(
    ("name", "text"), [("c.yaml", AS_YAML), ("c.yml", AS_YAML), ("c.toml", AS_TOML)]
)
def test_yaml_and_toml_mean_the_same_as_json(tmp_path, name, text):
    assert load_written(tmp_path, text, name) == load_written(tmp_path, FULL_CONFIG)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.json", '{"ignore": [{"method": "a", "reason": "b", "until": "2026-12-31"}]}'),
        ("c.yaml", "ignore:\n  - {method: a, reason: b, until: 2026-12-31}\n"),
        ("c.toml", '[[ignore]]\nmethod = "a"\nreason = "b"\nuntil = 2026-12-31\n'),
    ],
)
def test_an_accepted_miss_ends_on_a_day_in_every_kind_of_file(tmp_path, name, text):
    config = load_written(tmp_path, text, name)

    assert config.request.accepted == (
        Acceptance(method="a", reason="b", until=date(2026, 12, 31)),
    )
    assert json.loads(config.text)["ignore"][0]["until"] == "2026-12-31"


def test_everything_has_a_default(tmp_path):
    config = load_written(tmp_path, {})
    suite = config.request.suite

    assert config.subject == FolderSpec(tmp_path)
    assert config.harness is None
    assert config.request.methods is None
    assert config.request.slowdown == 0.5
    assert config.request.wait is None
    assert config.request.rule is DetectionRule.OURS
    assert (config.request.runs, suite.stability_runs, suite.seed) == (2, 5, 1)
    assert (suite.benchmarks, suite.budget_seconds, suite.timeout_seconds) == (".*", None, 60.0)
    assert (config.store, config.gates.min_score) == (None, None)


def test_paths_are_relative_to_the_file_and_not_to_the_caller(tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "ring").mkdir()
    (tmp_path / "conf" / "names.txt").write_text(
        "# the stack\nring.Push  # hot\n\nring.Pop\nring.Pop\n"
    )
    (tmp_path / "conf" / "c.json").write_text(
        json.dumps({"subject": "../ring", "methods": "names.txt", "store": "s.sqlite"})
    )

    config = load_config("conf/c.json", {}, tmp_path)

    assert config.subject == FolderSpec(tmp_path / "ring")
    assert config.request.methods == ("ring.Push", "ring.Pop")
    assert config.store == tmp_path / "conf" / "s.sqlite"


def test_the_merged_text_means_the_same_from_every_folder(tmp_path):
    config = load_written(tmp_path, {**FULL_CONFIG, "subject": {"path": "."}, "store": "s.sqlite"})
    (tmp_path / "elsewhere").mkdir()

    reloaded = load_written(tmp_path / "elsewhere", config.text, "again.json")

    assert reloaded == config
    assert reloaded.text == config.text


def test_flags_win_over_the_file_and_gates_are_laid_over_key_by_key(tmp_path):
    (tmp_path / "c.json").write_text(json.dumps({"runs": 3, "seed": 7, "gates": {"min_score": 50}}))

    merged = load_config("c.json", {"gates": {}, "seed": 8}, tmp_path)
    replaced = load_config("c.json", {"gates": {"min_score": 80.0}, "runs": 4}, tmp_path)

    assert (merged.gates.min_score, merged.request.suite.seed, merged.request.runs) == (50.0, 8, 3)
    assert (replaced.gates.min_score, replaced.request.runs) == (80.0, 4)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, None),
        ({"rule": "paper"}, InjectionKind.SLEEP),
        ({"rule": "paper", "wait": "auto"}, None),
        ({"rule": "paper", "wait": "work"}, InjectionKind.WORK),
        ({"wait": "spin"}, InjectionKind.SPIN),
    ],
)
def test_the_papers_rule_sleeps_unless_told_otherwise(tmp_path, settings, expected):
    assert load_written(tmp_path, settings).request.wait is expected


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"fork": 1}, "unknown key 'fork'; did you mean plan.forks?"),
        ({"benchmark": "x"}, "unknown key 'benchmark'; did you mean 'benchmarks'?"),
        ({"plan": {"fork": 1}}, "unknown key 'fork' in plan; did you mean 'forks'?"),
        ({"iterations": 3}, "unknown key 'iterations'; did you mean plan.iterations?"),
        ({"zzz": 3}, "unknown key 'zzz'; the keys are: subject, harness"),
        ({"subject": {"pth": "."}}, "unknown key 'pth' in subject; did you mean 'path'?"),
        ({"runs": "2"}, '"2" at runs must be a whole number'),
        ({"runs": 0}, "0 at runs must be a whole number of at least 1"),
        ({"plan": {"forks": 1.5}}, "1.5 at plan.forks must be a whole number"),
        ({"plan": []}, "[] at plan must be a section with keys"),
        ({"methods": [1]}, "1 at methods[0] must be a text in quotes"),
        ({"methods": []}, "methods is empty"),
        ({"methods": "absent.txt"}, "'absent.txt' at methods is not a readable file"),
        ({"slowdown": "much"}, f'"much" at slowdown must be {SLOWDOWN}'),
        ({"slowdown": -1}, f"-1 at slowdown must be {SLOWDOWN}"),
        ({"slowdown": True}, f"true at slowdown must be {SLOWDOWN}"),
        ({"wait": "nap"}, '"nap" at wait must be "auto", "sleep"'),
        ({"rule": "mine"}, '"mine" at rule must be "ours", "paper" or "gate"'),
        ({"python": {"installer": "conda"}}, '"conda" at python.installer must be "auto", "uv"'),
        ({"python": {"instaler": "uv"}}, "'instaler' in python; did you mean 'installer'?"),
        ({"harness": "nose"}, '"nose" at harness must be "go", "jmh"'),
        (
            {"host": "ssh:"},
            '"ssh:" at host must be "local", "docker", "docker:IMAGE" or',
        ),
        ({"subject": 3}, "3 at subject must be a text in quotes or a section"),
        ({"subject": {}}, "subject needs exactly one of path, git, go, maven and pypi"),
        ({"subject": {"path": ".", "go": "a@b"}}, "exactly one of path"),
        ({"subject": {"path": ".", "extra": ["a:b:1"]}}, "extra at subject works only with maven"),
        ({"benchmarks": "("}, "'(' at benchmarks is not a regular expression"),
        ({"plan": {"iteration_time": "50"}}, "'50' has no unit; write 50s"),
        ({"plan": {"iteration_time": "0s"}}, "must be more than 0"),
        ({"budget": "soon"}, "'soon' is not a duration; write a number and a unit, such as 50ms"),
        ({"timeout": 5}, '5 at timeout must be a number with a unit in quotes, such as "5s"'),
        ({"seed": -1}, "at seed"),
        ({"gates": {"min_score": 101}}, "101 at gates.min_score is not a percentage from 0 to 100"),
        ({"gates": {"min_score": 0.8}}, "0.8 at gates.min_score is ambiguous: write 0.8% or 80%"),
        ({"slowdown": 60}, "60 at slowdown is ambiguous: write 60% or 6000%"),
        ({"min_delta": "5"}, "5 at min_delta is ambiguous: write 5% or 500%"),
        ({"compare": {"min_delta": 1}}, "1 at compare.min_delta is ambiguous: write 1% or 100%"),
        ({"ignore": {"method": "a", "reason": "b"}}, "at ignore must be a list in brackets"),
        ({"ignore": [{"method": "a"}]}, "ignore[0] needs the key 'reason'"),
        ({"ignore": [{"method": "a", "reason": " "}]}, "ignore[0].reason must be a reason"),
        ({"ignore": [{"methd": "a"}]}, "unknown key 'methd' in ignore[0]; did you mean 'method'"),
        (
            {"ignore": [{"method": "a", "reason": "b", "until": "soon"}]},
            'ignore[0].until must be a date such as "2026-12-31", or null',
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path, settings, message):
    error = refused(tmp_path, settings)

    assert error.startswith("config.json: ")
    assert message in error


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.json", '{\n  "runs": 2,\n  "seed" 3}', "broken JSON at line 3, column 10: expecting"),
        ("c.json", "", "broken JSON at line 1, column 1"),
        ("c.json", '{"slowdown": NaN}', "contains NaN, which is not valid JSON"),
        ("c.json", '{"runs": 1, "runs": 2}', "has the key 'runs' twice"),
        ("c.json", "[1]", "must contain one object"),
        ("c.json", "[" * 100_000, "nested too deeply"),
        ("c.json", f'{{"runs": {"1" * 5000}}}', "cannot be read: exceeds the limit (4300 digits)"),
        ("c.toml", f"runs = {'1' * 5000}", "cannot be read: exceeds the limit (4300 digits)"),
        ("c.yaml", "runs: 2\nplan: {forks: 1\nseed: 1", "broken YAML at line 3, column"),
        ("c.yaml", "runs: 2\n\tseed: 1", "broken YAML at line 2, column 1"),
        ("c.yaml", "1: 2", "the keys at the top level must be texts in quotes"),
        ("c.yaml", "seed: 2026-01-01", "must be a whole number"),
        ("c.toml", "runs = 2\nseed = = 1\n", "broken TOML: invalid value (at line 2, column 8)"),
        ("c.toml", "slowdown = nan", "NaN at slowdown must be"),
        ("c.toml", "slowdown = inf", "at slowdown must be"),
        ("c.txt", "{}", "is not a configuration: its name must end in .json"),
    ],
)
def test_a_broken_file_is_refused_with_line_and_column(tmp_path, name, text, message):
    assert message in refused(tmp_path, text, name)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / "c.json").write_bytes(b'{"runs": \xff}')

    with pytest.raises(UsageError, match="not UTF-8 text"):
        load_config("c.json", {}, tmp_path)


def test_a_byte_order_mark_does_no_harm(tmp_path):
    (tmp_path / "c.json").write_bytes(b'\xef\xbb\xbf{"runs": 3}')

    assert load_config("c.json", {}, tmp_path).request.runs == 3


def test_a_missing_file_is_named_with_one_that_is_there(tmp_path):
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(UsageError, match=r"no such file or folder: confg\.json; did you mean conf"):
        load_config("confg.json", {}, tmp_path)


def test_a_name_that_cannot_be_one_is_no_file(tmp_path):
    with pytest.raises(UsageError, match="no such file or folder"):
        load_config("x" * 5000 + ".json", {}, tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [({"stability_runs": 1}, "at least 2"), ({"gates": {"min_score": 5}}, "fixed slowdown")],
)
def test_a_slowdown_from_the_spread_needs_one_and_is_no_base_for_a_gate(
    tmp_path, settings, message
):
    check_judgeable(load_written(tmp_path, {**settings, "slowdown": 0.6}))

    with pytest.raises(UsageError, match=message):
        check_judgeable(load_written(tmp_path, {**settings, "slowdown": "auto"}))


def test_the_rule_of_the_paper_needs_a_run_of_the_suite_for_each_of_its_runs(tmp_path):
    document = {"rule": "paper", "slowdown": 0.6, "runs": 3}
    check_judgeable(load_written(tmp_path, {**document, "stability_runs": 3}))

    with pytest.raises(UsageError, match="needs as many stability_runs"):
        check_judgeable(load_written(tmp_path, {**document, "stability_runs": 2}))


@pytest.mark.parametrize("settings", [{"rule": "gate"}, {"min_delta": 0.05}])
def test_a_gate_and_where_it_fires_go_together(tmp_path, settings):
    check_judgeable(load_written(tmp_path, {"slowdown": 0.6, "rule": "gate", "min_delta": 0.05}))

    with pytest.raises(UsageError, match="go together"):
        check_judgeable(load_written(tmp_path, {"slowdown": 0.6, **settings}))


def test_a_gate_that_no_slowdown_can_reach_is_refused(tmp_path):
    document = {"rule": "gate", "slowdown": 0.5}
    check_judgeable(load_written(tmp_path, {**document, "min_delta": "49%"}))

    with pytest.raises(UsageError, match="a gate at 50% can never fire, as methods are slowed by"):
        check_judgeable(load_written(tmp_path, {**document, "min_delta": "50%"}))


@pytest.mark.parametrize(
    ("warmup", "measured", "seconds"), [({}, 20, 2.0), ({"min_measured_blocks": 30}, 30, 0.0)]
)
def test_two_seconds_are_measured_unless_the_file_says_how_many(
    tmp_path, warmup, measured, seconds
):
    watched = load_written(tmp_path, {"warmup": {"method": "rciw", **warmup}}).request.suite.watched

    assert (watched.watch.measured, watched.measured_seconds) == (measured, seconds)
    assert watched.iteration_seconds is None


def test_a_file_may_say_where_its_schema_is(tmp_path):
    config = load_written(tmp_path, {"$schema": "config.schema.json", "runs": 3})

    assert config.request.runs == 3
    assert "$schema" not in config.text


def test_the_schema_for_editors_is_that_of_the_types():
    stored_schema = json.loads(ROOT.joinpath("reports/schema/config.schema.json").read_text())

    assert stored_schema == json.loads(json.dumps(json_schema()))


def test_every_key_is_documented():
    page = ROOT.joinpath("docs/reference/configuration.md").read_text()

    assert [key for key in Settings.__struct_encode_fields__ if f"`{key}" not in page] == []


def test_a_revision_of_a_folder_knows_the_configuration_that_lies_in_it(tmp_path):
    load_written(tmp_path, {"subject": "."})

    config = at_revision(load_config("config.json", {}, tmp_path), "main", tmp_path)

    assert config.subject == GitSpec(str(tmp_path.resolve()), "main")
    assert config.subject.configuration == (tmp_path / "config.json").resolve()
