"""Asking GitHub about pull requests."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from auditor.core.errors import MachineError
from runners.github.pulls import HeadCommit, PullRequests


class Server(HTTPServer):
    """Sends every request on to `location`, or answers that there is nothing; keeps its headers."""

    def __init__(self, location=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.location, self.headers = location, []
        Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.server.headers.append(dict(self.headers))
        self.send_response(307 if self.server.location else 200)
        if self.server.location:
            self.send_header("Location", self.server.location)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")


def test_a_token_does_not_go_along_with_a_redirection():
    head = HeadCommit("a" * 40, "better", "somebody/fork")
    with Server() as elsewhere, Server(elsewhere.address) as github:
        pulls = PullRequests(api=github.address, repository="a/b", token="secret")  # noqa: S106

        with pytest.raises(MachineError, match="307"):
            pulls.find_pull_number(head)

    assert [header["Authorization"] for header in github.headers] == ["Bearer secret"]
    assert elsewhere.headers == []
