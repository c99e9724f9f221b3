"""`bench-audit comment`: a comparison as the one comment on its pull request."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.compare.document import ComparisonDocument, parse_document
from auditor.compare.markdown import render_markdown
from auditor.core.errors import Exit, UsageError
from auditor.core.files.foreign_files import read_named
from auditor.core.files.own_files import describe_beginning
from reports.markdown import MAX_COMMENT_BYTES, format_code
from runners.github.pulls import HeadCommit, PullRequests

COMMENT_MARKER = "<!-- bench-audit -->"
MAX_RESULT_BYTES = 10_000_000
"""Bytes of a result; one of a thousand benchmarks has three million."""
_MAX_EVENT_BYTES = 5_000_000
_REQUIRED_VARIABLES = ("GITHUB_REPOSITORY", "GITHUB_TOKEN")


@click.command(
    cls=purposes.GroupedCommand,
    most_used=("--result",),
    short_help="Write a comparison as a comment on its pull request (for CI).",
)
@options.add_options(
    click.option("--result", type=click.Path(path_type=Path), required=True, help="compare.json."),
    click.option(
        "--event",
        type=click.Path(path_type=Path),
        envvar="GITHUB_EVENT_PATH",
        required=True,
        help="The event of workflow_run; GITHUB_EVENT_PATH by default.",
    ),
    click.option(
        "--api", envvar="GITHUB_API_URL", default="https://api.github.com", help="GitHub's API."
    ),
    click.option(
        "--author", default="github-actions[bot]", help="Who writes the comment: the token's owner."
    ),
    *options.VERBOSITY_OPTIONS,
)
@click.pass_context
def command(context: click.Context, /, **option_values: Any) -> int:
    """Write a result of compare as a comment on its pull request, or write that comment anew.

    For a workflow_run job with the permission pull-requests: write, after a job without any right
    has made the result. Nothing in the result is trusted: it is checked against its schema, and
    what it names stands in code spans. Which pull request it is comes from GitHub's event alone.
    GITHUB_REPOSITORY and GITHUB_TOKEN have to be set.
    """
    surroundings = context.find_object(AppContext) or AppContext.from_process()
    environment = surroundings.environment
    console = Console(environment, quiet=option_values["quiet"])
    missing_variables = [name for name in _REQUIRED_VARIABLES if not environment.get(name)]
    if missing_variables:
        raise UsageError(f"{' and '.join(missing_variables)} must be set to write a comment")
    if not option_values["api"].startswith(("https://", "http://127.0.0.1:")):
        raise UsageError(f"{option_values['api']!r} is not an https address of an API")
    head = HeadCommit.from_event(_read_event(option_values["event"]))
    document = _read_result(option_values["result"])
    pulls = PullRequests(
        api=option_values["api"],
        repository=environment["GITHUB_REPOSITORY"],
        token=environment["GITHUB_TOKEN"],
    )
    number = pulls.find_pull_number(head)
    if number is None:
        console.print_message(
            f"no open pull request has {head.sha[:12]} as its head now: nothing is written"
        )
        return Exit.OK
    comment_url = pulls.write_comment(
        number,
        _format_comment(document, head),
        marker=COMMENT_MARKER,
        author=option_values["author"],
    )
    console.print_note(f"written: {comment_url}")
    return Exit.OK


def _format_comment(document: ComparisonDocument, head: HeadCommit) -> str:
    """Return the comment, which begins with the marker that it is found by."""
    footer = f"\n<sub>bench-audit, for {format_code(head.sha)}</sub>\n"
    available_bytes = MAX_COMMENT_BYTES - len(COMMENT_MARKER) - len(footer) - 1
    return f"{COMMENT_MARKER}\n{render_markdown(document, available_bytes)}{footer}"


def _read_event(path: Path) -> Mapping[str, Any]:
    try:
        event = json.loads(read_named(path, _MAX_EVENT_BYTES))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not a GitHub event: {error}") from error
    if not isinstance(event, dict):
        raise UsageError(f"{path} is not a GitHub event")
    return event


def _read_result(path: Path) -> ComparisonDocument:
    content = read_named(path, MAX_RESULT_BYTES)
    try:
        return parse_document(content)
    except UsageError as error:
        raise UsageError(f"{path}: {describe_beginning(content, path) or error}") from error
