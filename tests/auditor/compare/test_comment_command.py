"""`bench-audit comment` against a GitHub of ours: what is written where, and what is refused."""

import json
import os

import msgspec
import pytest
from comparisons import full_comparison
from fake_github import TOKEN, event, pull, serving
from markdown_it import MarkdownIt

from auditor.cli.context import AppContext
from auditor.cli.main import main
from auditor.compare.command_comment import COMMENT_MARKER, MAX_RESULT_BYTES
from reports.markdown import MAX_COMMENT_BYTES

SHA = "c" * 40


@pytest.fixture
def github():
    with serving() as server:
        server.pulls = [pull(1, "a" * 40), pull(2, SHA, "else/where"), pull(3, SHA)]
        yield server


@pytest.fixture
def post(github, tmp_path):
    """Call the command; returns its exit code."""

    def call(*more, result=None, payload=None, **environment):
        file, event_path = tmp_path / "compare.json", tmp_path / "event.json"
        if result is None:
            result = msgspec.json.encode(full_comparison())
        if isinstance(result, bytes):
            file.write_bytes(result)
        event_path.write_text(json.dumps(event(SHA) if payload is None else payload))
        document = {"GITHUB_REPOSITORY": "some/project", "GITHUB_TOKEN": TOKEN, **environment}
        place = AppContext(environment={key: value for key, value in document.items() if value})
        flags = ("--result", str(file), "--event", str(event_path), "--api", github.address, *more)
        return main(["comment", *flags], surroundings=place)

    return call


def test_a_comment_is_written_on_the_one_pull_request_that_is_meant(post, github):
    assert post() == 0

    (comment,) = github.comments
    assert comment["body"].startswith(COMMENT_MARKER + "\n## `2 benchmarks have a regression")
    assert f"for `{SHA}`" in comment["body"]
    assert ("POST", "/repos/some/project/issues/3/comments") in github.calls


def test_the_second_time_the_same_comment_is_written_anew(post, github):
    for index in range(150):
        github.add_comment("somebody", f"comment {index}")
    github.add_comment("somebody", f"{COMMENT_MARKER} mine!")
    post()
    before = len(github.comments)

    assert post() == 0

    assert len(github.comments) == before
    assert ("PATCH", f"/repos/some/project/issues/comments/{before}") in github.calls
    assert github.comments[150]["body"] == f"{COMMENT_MARKER} mine!"


def test_without_a_pull_request_nothing_is_written(post, github, capsys):
    github.pulls = [pull(1, "a" * 40)]

    assert post() == 0

    assert github.comments == []
    assert "no open pull request has cccccccccccc as its head now" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (b"{", "not a result of bench-audit compare"),
        (
            b'{"schema": "bench-audit/abs/1"}',
            "it is a result of bench-audit abs; bench-audit report",
        ),
        (b"\xff\xfe", "not a result of bench-audit compare"),
        (b"[" * 100_000, "not a result of bench-audit compare"),
        (b" " * (MAX_RESULT_BYTES + 1), "it is larger than 10,000,000 bytes"),
    ],
)
def test_a_result_that_is_none_is_refused_and_nothing_is_asked(
    post, github, capsys, result, message
):
    assert post(result=result) == 2

    assert message in capsys.readouterr().err
    assert github.calls == []


def test_a_link_or_a_pipe_in_the_place_of_the_result_is_refused(post, github, tmp_path, capsys):
    (tmp_path / "whole.json").write_bytes(msgspec.json.encode(full_comparison()))
    (tmp_path / "compare.json").symlink_to(tmp_path / "whole.json")
    assert post(result=False) == 2
    (tmp_path / "compare.json").unlink()
    os.mkfifo(tmp_path / "compare.json")
    assert post(result=False) == 2

    err = capsys.readouterr().err
    assert "not a regular file" in err
    assert err.count("compare.json") == 2
    assert github.calls == []


def test_names_that_mean_harm_are_in_code_spans(post, github):
    plain = json.loads(msgspec.json.encode(full_comparison()))
    plain["subject"] = "@team <img src=x> ](http://evil.test)"
    plain["benchmarks"][0]["id"] = "| @all ```\n# Title <script>"
    plain["caveats"].append({"slug": "x`y", "text": "<!-- bench-audit --> [a](javascript:b)"})

    assert post(result=json.dumps(plain).encode()) == 0

    (comment,) = github.comments
    parsed = MarkdownIt("commonmark").enable("table").parse(comment["body"])
    tokens = [node for token in parsed for node in (token, *(token.children or ()))]
    assert "@" not in "".join(token.content for token in tokens if token.type == "text")
    html = {
        token.content.strip() for token in tokens if token.type in ("html_inline", "html_block")
    }
    assert html == {COMMENT_MARKER, "<sub>", "</sub>"}
    assert not [token for token in tokens if token.type in ("link_open", "image", "fence")]
    assert len(comment["body"].encode()) <= MAX_COMMENT_BYTES


@pytest.mark.parametrize("missing", ["GITHUB_TOKEN", "GITHUB_REPOSITORY"])
def test_what_is_missing_is_said(post, capsys, missing):
    assert post(**{missing: ""}) == 2

    assert missing in capsys.readouterr().err


@pytest.mark.parametrize("payload", [{}, {"workflow_run": {"head_sha": 1}}, {"workflow_run": None}])
def test_another_event_is_refused(post, github, payload):
    assert post(payload=payload) == 2
    assert github.calls == []


def test_a_token_is_sent_nowhere_else(post, capsys):
    assert post("--api", "http://example.org") == 2

    assert "is not an https address of an API" in capsys.readouterr().err


def test_without_the_right_to_write_it_is_one_line(post, github, capsys):
    github.refuses = True

    assert post() == 4

    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "the job needs the permission pull-requests: write" in lines[0]


def test_a_wrong_token_is_one_line(post, capsys):
    environment = {"GITHUB_TOKEN": "another"}

    assert post(**environment) == 4

    assert "GitHub refuses GET /pulls: 401" in capsys.readouterr().err
