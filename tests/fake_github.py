"""A GitHub on loopback: pull requests and comments, in pages, for those with the right token."""

import json
import re
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

TOKEN = "a-token"  # noqa: S105 - nobody else knows this GitHub


class FakeGitHub(ThreadingHTTPServer):
    """`pulls` and `comments` are what it holds, `calls` what it was asked; `refuses` writing."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.pulls, self.comments, self.calls, self.refuses = [], [], [], False

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def add_comment(self, login, body):
        self.comments.append({"id": len(self.comments) + 1, "user": {"login": login}, "body": body})


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def _answer(self, code, content):
        body = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _page(self, entries):
        query = {key: values[0] for key, values in parse_qs(urlsplit(self.path).query).items()}
        size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
        return entries[size * (page - 1) : size * page]

    def _record_request(self):
        self.server.calls.append((self.command, urlsplit(self.path).path))
        if self.headers["Authorization"] == f"Bearer {TOKEN}":
            return urlsplit(self.path).path
        self._answer(401, {"message": "Bad credentials"})
        return ""

    def do_GET(self):
        path = self._record_request()
        if path.endswith("/pulls"):
            self._answer(200, self._page(self.server.pulls))
        elif path:
            self._answer(200, self._page(self.server.comments))

    def _read_comment(self):
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"]

    def do_POST(self):
        body = self._read_comment()
        if self._record_request() and not self.server.refuses:
            self.server.add_comment("github-actions[bot]", body)
            self._answer(201, {"html_url": f"{self.server.address}/new"})
        elif self.server.refuses:
            self._answer(403, {"message": "Resource not accessible by integration"})

    def do_PATCH(self):
        body, path = self._read_comment(), self._record_request()
        number = int(re.search(r"/issues/comments/(\d+)$", path)[1])
        self.server.comments[number - 1]["body"] = body
        self._answer(200, {"html_url": f"{self.server.address}/old"})


@contextmanager
def serving():
    """Serve on loopback."""
    with FakeGitHub() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def pull(number, sha, repository="somebody/fork"):
    return {"number": number, "head": {"sha": sha, "repo": {"full_name": repository}}}


def event(sha, repository="somebody/fork", branch="better"):
    return {
        "workflow_run": {
            "id": 7,
            "event": "pull_request",
            "head_sha": sha,
            "head_branch": branch,
            "head_repository": {"full_name": repository},
        }
    }
