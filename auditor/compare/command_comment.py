"""`bench-audit comment`: a comparison as the one comment on its pull request."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from auditor.cli import options, purposes
from auditor.cli.console import Console
from auditor.cli.context import AppContext
from auditor.compare.document import ComparisonDocument, read
from auditor.compare.markdown import markdown
from auditor.core.errors import Exit, UsageError
from auditor.core.files.foreign_files import read_named
from auditor.core.files.own_files import describe_beginning
from reports.markdown import LIMIT, code
from runners.github.pulls import HeadCommit, Pulls

MARKER = "<!-- bench-audit -->"
LARGEST_RESULT = 10_000_000
"""Bytes of a result; one of a thousand benchmarks has three million."""
_LARGEST_EVENT = 5_000_000
_NEEDED = ("GITHUB_REPOSITORY", "GITHUB_TOKEN")


@click.command(
    cls=purposes.Command,
    most_used=("--result",),
    short_help="Write a comparison as a comment on its pull request (for CI).",
)
@options.options(
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
    *options.SAID,
)
@click.pass_context
def command(context: click.Context, /, **given: Any) -> int:
    """Write a result of compare as a comment on its pull request, or write that comment anew.

    For a workflow_run job with the permission pull-requests: write, after a job without any right
    has made the result. Nothing in the result is trusted: it is checked against its schema, and
    what it names stands in code spans. Which pull request it is comes from GitHub's event alone.
    GITHUB_REPOSITORY and GITHUB_TOKEN have to be set.
    """
    surroundings = context.find_object(AppContext) or AppContext.real()
    environment = surroundings.environment
    console = Console(environment, quiet=given["quiet"])
    missing = [name for name in _NEEDED if not environment.get(name)]
    if missing:
        raise UsageError(f"{' and '.join(missing)} must be set to write a comment")
    if not given["api"].startswith(("https://", "http://127.0.0.1:")):
        raise UsageError(f"{given['api']!r} is not an https address of an API")
    head = HeadCommit.of(_event(given["event"]))
    document = _result(given["result"])
    pulls = Pulls(
        api=given["api"],
        repository=environment["GITHUB_REPOSITORY"],
        token=environment["GITHUB_TOKEN"],
    )
    number = pulls.number(head)
    if number is None:
        console.say(f"no open pull request has {head.sha[:12]} as its head now: nothing is written")
        return Exit.OK
    where = pulls.comment(number, text(document, head), marker=MARKER, author=given["author"])
    console.note(f"written: {where}")
    return Exit.OK


def text(document: ComparisonDocument, head: HeadCommit) -> str:
    """Return the comment, which begins with the marker that it is found by."""
    foot = f"\n<sub>bench-audit, for {code(head.sha)}</sub>\n"
    room = LIMIT - len(MARKER) - len(foot) - 1
    return f"{MARKER}\n{markdown(document, room)}{foot}"


def _event(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(read_named(path, _LARGEST_EVENT))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not a GitHub event: {error}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path} is not a GitHub event")
    return found


def _result(path: Path) -> ComparisonDocument:
    content = read_named(path, LARGEST_RESULT)
    try:
        return read(content)
    except UsageError as error:
        raise UsageError(f"{path}: {describe_beginning(content, path) or error}") from error
