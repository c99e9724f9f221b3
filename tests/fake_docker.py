"""A Docker daemon that runs nothing, and may go away in the midst of its work."""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from socketserver import ThreadingMixIn, UnixStreamServer

from runners.hosts.daemon import LABEL, OWNER, DockerDaemon

ENDED = {"State": {"ExitCode": 0, "OOMKilled": False}}
ORPHAN = {"Id": "2", "Labels": {LABEL: "", OWNER: "here 1 then"}}
ANSWERS = (
    ("GET", "/version", "begin", {"ApiVersion": "1.41"}),
    ("GET", "/containers/json", "list", [ORPHAN]),
    ("GET", "/images/.*/json", "look", {"Id": "sha256:1", "Config": {}}),
    ("POST", "/containers/create", "create", {"Id": "1"}),
    ("POST", "/containers/1/attach", "attach", None),
    ("POST", "/containers/1/start", "start", {}),
    ("POST", "/containers/1/wait", "wait", {"StatusCode": 0}),
    ("POST", "/containers/1/kill", "kill", {}),
    ("GET", "/containers/1/json", "inspect", ENDED),
    ("DELETE", "/containers/.", "remove", {}),
)
UPGRADED = b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"


class Answering(BaseHTTPRequestHandler):
    """Answers as a daemon does, but for one call, which it does not answer."""

    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = re.sub(r"^/v[0-9.]+", "", self.path.partition("?")[0])
        name, content = next(
            (name, content)
            for verb, pattern, name, content in ANSWERS
            if verb == self.command and re.fullmatch(pattern, path)
        )
        self.close_connection = True
        self.server.calls.append(name)
        if name == self.server.failing_call:
            if self.server.hangs:
                self.server.over.wait(60)
        elif name == "attach":
            self.wfile.write(UPGRADED)
            self.server.over.wait(60)
        else:
            text = json.dumps(content).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(text)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815 the names of the base

    def log_message(self, *_):
        pass


class Server(ThreadingMixIn, UnixStreamServer):
    """Listens at a socket."""

    daemon_threads = True


@contextmanager
def answering(folder, failing_call, *, hangs=False):
    """Give a connection to a daemon that does not answer one call, and what it was asked."""
    with (
        listening(folder, failing_call, hangs=hangs) as (address, calls),
        DockerDaemon({"DOCKER_HOST": address}, "here") as daemon,
    ):
        yield daemon, calls


@contextmanager
def listening(folder, failing_call="", *, hangs=False):
    """Give the address of such a daemon, and what it was asked."""
    with Server(str(folder / "socket"), Answering) as server:
        server.failing_call, server.hangs, server.calls = failing_call, hangs, []
        server.over = threading.Event()
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield f"unix://{server.server_address}", server.calls
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
