"""A configuration that lies in the project, and that nobody named."""

import json

import pytest
import yaml
from test_config_untrusted import FILES, REACHING

from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.config import load_config
from auditor.core.errors import UsageError


def project(folder, **files):
    path = folder / "project"
    path.mkdir(exist_ok=True)
    for name in FILES:
        (path / name).write_text("module a\n")
    for name, text in files.items():
        (path / name.replace("_", "-").replace("--", ".")).write_text(text)
    return path


@pytest.mark.parametrize(
    ("name", "text", "location"),
    [
        ("bench_audit__toml", 'budget = "7m"\n', "project/bench-audit.toml"),
        ("bench_audit__yaml", yaml.safe_dump({"budget": "7m"}), "project/bench-audit.yaml"),
        ("bench_audit__json", json.dumps({"budget": "7m"}), "project/bench-audit.json"),
        (
            "pyproject__toml",
            '[tool.bench-audit]\nbudget = "7m"\n',
            "project/pyproject.toml [tool.bench-audit]",
        ),
    ],
)
def test_a_configuration_in_the_project_is_taken(tmp_path, name, text, location):
    path = project(tmp_path, **{name: text})

    config = load_config("project", {}, tmp_path)

    assert config.found_file == location
    assert config.request.suite.budget_seconds == 420
    assert config.subject.path == path
    assert (config.subject.configuration is None) is name.startswith("pyproject")


def test_the_command_line_goes_over_it_and_a_named_file_is_not_looked_for(tmp_path):
    path = project(tmp_path, bench_audit__json=json.dumps({"budget": "7m"}))
    (path / "other.json").write_text(json.dumps({"budget": "9m"}))

    assert load_config("project", {"budget": "8m"}, tmp_path).request.suite.budget_seconds == 480
    named = load_config("project/other.json", {}, tmp_path)
    assert (named.found_file, named.request.suite.budget_seconds) == ("", 540)


def test_two_are_one_too_many(tmp_path):
    project(tmp_path, bench_audit__json="{}", pyproject__toml="[tool.bench-audit]\n")

    with pytest.raises(UsageError, match=r"bench-audit.json and project/pyproject.toml .* both"):
        load_config("project", {}, tmp_path)


@pytest.mark.parametrize("name", ["bench-audit.yaml", "bench-audit.toml", "bench-audit.json"])
def test_a_link_is_not_followed_out_of_the_project(tmp_path, name):
    path = project(tmp_path)
    (tmp_path / "secret").write_text('budget: "7m"\nTOKEN: hidden\n')
    (path / name).symlink_to(tmp_path / "secret")

    with pytest.raises(UsageError, match=r"cannot be read: it is a symbolic link") as raised:
        load_config("project", {}, tmp_path)
    assert "TOKEN" not in str(raised.value)


def test_a_table_is_not_read_through_a_link(tmp_path):
    path = project(tmp_path)
    (tmp_path / "secret").write_text('[tool.bench-audit]\nbudget = "7m"\n')
    (path / "pyproject.toml").symlink_to(tmp_path / "secret")

    assert load_config("project", {}, tmp_path).found_file == ""


def test_a_file_that_is_too_large_is_not_read_whole(tmp_path):
    path = project(tmp_path)
    with (path / "bench-audit.json").open("wb") as file:
        file.truncate(3 << 30)

    with pytest.raises(UsageError, match=r"cannot be read: it is larger than 1 MiB"):
        load_config("project", {}, tmp_path)


@pytest.mark.parametrize("text", ["[tool.black]\n", "tool = 1\n", "[[", "\x00"])
def test_a_pyproject_without_our_table_is_not_looked_into(tmp_path, text):
    project(tmp_path, pyproject__toml=text)

    assert load_config("project", {}, tmp_path).found_file == ""


@pytest.mark.parametrize(("keys", "refusal"), REACHING)
def test_each_key_that_reaches_out_of_the_project_is_refused(tmp_path, keys, refusal):
    path = project(tmp_path, bench_audit__json=json.dumps(keys))
    key = refusal.partition(" ")[0]

    with pytest.raises(
        UsageError, match=rf"^project/bench-audit.json: {key} .* in a configuration"
    ):
        load_config("project", {}, tmp_path)
    assert path.joinpath("bench-audit.json").exists()


def test_what_is_refused_says_how_to_take_it_and_a_named_file_is_trusted(tmp_path):
    project(tmp_path, bench_audit__json=json.dumps({"store": "../s.sqlite"}))

    with pytest.raises(UsageError, match=r"to allow it, name the file: project/bench-audit.json"):
        load_config("project", {}, tmp_path)
    assert load_config("project/bench-audit.json", {}, tmp_path).store is not None


@pytest.mark.parametrize(("flags", "lines"), [((), 1), (("-q",), 0)])
def test_it_is_named_in_one_line(tmp_path, monkeypatch, capsys, flags, lines):
    path = project(tmp_path, bench_audit__json=json.dumps({"harness": "go"}))
    monkeypatch.chdir(path)

    main(["lint", ".", *flags], surroundings=AppContext(environment={"HOME": "/nowhere"}))

    errors = capsys.readouterr().err
    assert errors.count("configuration: bench-audit.json\n") == lines
