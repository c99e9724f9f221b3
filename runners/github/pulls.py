"""Pull requests and their comments over GitHub's REST API."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from auditor.core.errors import MachineError, UsageError

TIMEOUT_SECONDS = 30
LARGEST_ANSWER = 20_000_000
"""Bytes of an answer; a page of a hundred comments of the largest size is half of that."""
_PAGE = 100
_MOST_PAGES = 50


@dataclass(frozen=True, slots=True)
class HeadCommit:
    """The commit that a workflow ran for, as GitHub's own event says, and where it lies."""

    sha: str
    branch: str
    repository: str

    @classmethod
    def from_event(cls, event: Mapping[str, Any]) -> "HeadCommit":
        """Read the event of `workflow_run`; raises UsageError for another."""
        try:
            run = event["workflow_run"]
            commit = cls(run["head_sha"], run["head_branch"], run["head_repository"]["full_name"])
        except (KeyError, TypeError) as error:
            raise UsageError(
                "the event is not workflow_run, so the pull request is unknown; run this command "
                "in a workflow_run workflow"
            ) from error
        if not all(
            isinstance(text, str) for text in (commit.sha, commit.branch, commit.repository)
        ):
            raise UsageError(
                "the workflow_run event has no commit; run this command in a workflow_run workflow"
            )
        return commit


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows nothing: a redirection would take the token along."""

    def redirect_request(self, *_: Any) -> None:
        """Refuse, so that the answer is an error."""


class PullRequests:
    """The pull requests of a repository."""

    def __init__(self, *, api: str, repository: str, token: str) -> None:
        """Take the address of the API without a slash at its end, `owner/name`, and a token."""
        self._root = f"{api.rstrip('/')}/repos/{quote(repository)}"
        self._token = token
        self._opener = urllib.request.build_opener(_NoRedirect)

    def find_pull_number(self, head: HeadCommit) -> int | None:
        """Return the open pull request whose head is this commit; None if there is none (now)."""
        owner = head.repository.partition("/")[0]
        query = {"state": "open", "head": f"{owner}:{head.branch}"}
        for pull in self._list_items("/pulls", query):
            pull_head = pull.get("head") or {}
            repository_name = (pull_head.get("repo") or {}).get("full_name")
            if pull_head.get("sha") == head.sha and repository_name == head.repository:
                return int(pull["number"])
        return None

    def write_comment(self, number: int, text: str, *, marker: str, author: str) -> str:
        """Write the one comment that begins with `marker`, or write it anew; return its address.

        Only a comment of `author` is ours: anyone can write the marker.
        """
        comments_path = f"/issues/{number}/comments"
        for page in self._list_items(comments_path, {}):
            is_authored = (page.get("user") or {}).get("login") == author
            if is_authored and str(page.get("body", "")).startswith(marker):
                old = f"/issues/comments/{int(page['id'])}"
                return str(self._send_request("PATCH", old, {"body": text}).get("html_url", ""))
        return str(self._send_request("POST", comments_path, {"body": text}).get("html_url", ""))

    def _list_items(self, path: str, query: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        for page in range(1, _MOST_PAGES + 1):
            more = urlencode({**query, "per_page": _PAGE, "page": page})
            page_items = self._send_request("GET", f"{path}?{more}", None)
            if not isinstance(page_items, list):
                raise MachineError(f"GitHub's answer about {path} is no list")
            yield from page_items
            if len(page_items) < _PAGE:
                return

    def _send_request(self, method: str, path: str, body: Mapping[str, Any] | None) -> Any:
        request = urllib.request.Request(  # noqa: S310 - the scheme is checked where it comes from
            self._root + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Accept": "application/vnd.github+json",
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                "X-GitHub-Api-Version": "2022-11-28",
            },
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                return json.loads(answer.read(LARGEST_ANSWER))
        except urllib.error.HTTPError as error:
            hint = (
                "; the job needs the permission pull-requests: write" if error.code == 403 else ""
            )
            raise MachineError(
                f"GitHub refuses {method} {path.partition('?')[0]}: {error.code}{hint}"
            ) from error
        except (OSError, ValueError) as error:
            raise MachineError(f"GitHub cannot be reached: {error}") from error
