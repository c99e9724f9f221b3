"""The Docker daemon of this machine: its images, and containers that were left behind."""

import os
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from docker import APIClient
from docker.errors import APIError, DockerException, ImageNotFound
from docker.utils import kwargs_from_env
from urllib3.exceptions import HTTPError

from auditor.core.errors import BuildFailed, MachineError, ResolveFailed, ToolMissing

LABEL, OWNER = "bench-audit", "bench-audit.owner"
"""What marks our containers, and which process of which machine has made one."""
FAILURES = (DockerException, HTTPError, OSError)
"""What the SDK raises: errors of its own, and those of the connection, which it hands on."""
SECONDS = 60
"""How long the daemon may take for an answer."""
_LOCAL = ("unix://", "http+unix://", "npipe://")
_LINES = 12


@dataclass(frozen=True, slots=True)
class Image:
    """An image by its digest, `sha256:...`, and the variables that it sets."""

    name: str
    digest: str
    variables: Mapping[str, str]


class DockerDaemon:
    """A connection to it."""

    def __init__(self, environment: Mapping[str, str], machine: str) -> None:
        """Connect as DOCKER_HOST says, else in the usual place; raises MachineError."""
        connection_options = kwargs_from_env(environment=dict(environment))
        self._where = str(connection_options.get("base_url") or "unix:///var/run/docker.sock")
        self._machine = machine
        if not self._where.startswith(_LOCAL):
            raise MachineError(
                f"the Docker daemon at {self._where} may run on another machine, which has no "
                "access to local files; set DOCKER_HOST to a socket of this machine"
            )
        try:
            _probe_socket(self._where)
            self.api = APIClient(
                **{**connection_options, "base_url": self._where, "timeout": SECONDS}
            )
        except FAILURES as error:
            raise MachineError(
                f"the Docker daemon at {self._where} does not answer ({_extract_reason(error)}); "
                "start it, or set DOCKER_HOST to another socket"
            ) from error

    @property
    def owner_mark(self) -> str:
        """Return what tells whether the process that has made a container still runs."""
        return f"{self._machine} {os.getpid()} {_read_start_time(os.getpid())}"

    def __enter__(self) -> Self:
        """Return this."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.api.close()

    @contextmanager
    def convert_failures(self, action: str) -> Iterator[None]:
        """Turn what goes wrong when it is asked for something into MachineError."""
        try:
            yield
        except FAILURES as error:
            raise self.make_daemon_error(action, error) from error

    def make_daemon_error(self, action: str, error: Exception) -> MachineError:
        """Return the error for something that it was asked for in vain."""
        if isinstance(error, APIError):
            return MachineError(
                f"the Docker daemon at {self._where} does not {action}: {_extract_reason(error)}; "
                "its log may tell why"
            )
        return MachineError(
            f"the Docker daemon at {self._where} has not answered, asked to {action}; see whether "
            f"it still runs, and begin again ({_extract_reason(error)})"
        )

    def fetch_image(self, name: str) -> Image:
        """Return an image, fetched where it is not here; raises ResolveFailed."""
        try:
            container = self.api.inspect_image(name)
        except ImageNotFound:
            container = self._pull_image(name)
        except FAILURES as error:
            raise self.make_daemon_error(f"look at the image {name}", error) from error
        variables = (container["Config"] or {}).get("Env") or ()
        return Image(
            name,
            container["Id"],
            dict(variable.split("=", 1) for variable in variables if "=" in variable),
        )

    def build_image(self, dockerfile: Path, name: str) -> Image:
        """Build an image of a Dockerfile, its folder being the context; raises BuildFailed."""
        lines: list[str] = []
        try:
            answers = self.api.build(
                path=str(dockerfile.parent),
                dockerfile=dockerfile.name,
                tag=name,
                rm=True,
                forcerm=True,
                decode=True,
            )
            for answer in answers:
                lines += str(answer.get("stream") or answer.get("error") or "").splitlines()
                if "error" in answer:
                    raise BuildFailed(_describe_build_failure(dockerfile, lines))
        except (APIError, TypeError) as error:
            raise BuildFailed(
                _describe_build_failure(dockerfile, [*lines, _extract_reason(error)])
            ) from error
        except FAILURES as error:
            raise self.make_daemon_error(f"build {dockerfile}", error) from error
        return self.fetch_image(name)

    def remove_orphans(self) -> int:
        """Remove containers of ours whose process is gone from this machine; return how many."""
        removed = 0
        with self.convert_failures("list our containers"):
            containers = self.api.containers(all=True, filters={"label": LABEL})
        for container in containers:
            if self._is_orphan(container["Labels"].get(OWNER, "")):
                with (
                    self.convert_failures("remove a container"),
                    suppress(APIError),
                ):  # another auditor is at it, too
                    self.api.remove_container(container["Id"], force=True, v=True)
                    removed += 1
        return removed

    def _is_orphan(self, owner: str) -> bool:
        machine, _, process = owner.partition(" ")
        number, _, start_time = process.partition(" ")
        if machine != self._machine or not number.isdecimal():
            return False
        return _read_start_time(int(number)) != start_time

    def _pull_image(self, name: str) -> Mapping[str, dict[str, list[str]]]:
        named = name if re.search(r":[^/]+$|@", name) else f"{name}:latest"
        try:
            self.api.pull(named)
            image: Mapping[str, dict[str, list[str]]] = self.api.inspect_image(name)
        except FAILURES as error:
            raise ResolveFailed(
                f"the image {name} is not present and cannot be fetched: {_extract_reason(error)}"
            ) from error
        return image


def _probe_socket(address: str) -> None:
    """Raise OSError where nobody listens; a client that finds that out leaves its sockets open."""
    scheme, _, path = address.partition("://")
    if scheme.endswith("unix"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(SECONDS)
            connection.connect(path)


def _describe_build_failure(dockerfile: Path, lines: list[str]) -> str:
    last = "\n".join(line[:300] for line in lines if line.strip() and line.strip() != "--->")
    return f"{dockerfile} does not build; it said:\n" + "\n".join(last.splitlines()[-_LINES:])


def _read_start_time(number: int) -> str:
    """Return when a process of this machine began, in the kernel's own words; none: "gone"."""
    try:
        text = Path(f"/proc/{number}/stat").read_text()
    except OSError:
        return _probe_process(number)
    # The name, in parentheses, may have blanks in it; the 20th field after it is the start.
    return text.rpartition(")")[2].split()[19]


def _probe_process(number: int) -> str:
    """Ask the system whether there is a process, where its files do not tell when it began."""
    if Path("/proc/self/stat").exists():
        return "gone"
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return "gone"
    except PermissionError:
        return "there"
    return "there"


def _extract_reason(error: Exception) -> str:
    """Return what went wrong in the daemon's words, on one line."""
    container = error.explanation if isinstance(error, APIError) and error.explanation else error
    return " ".join(str(container).split())[:300]


def container_refused(error: APIError, program: str, image: Image) -> MachineError:
    """Return the error for a container that cannot be started."""
    message = _extract_reason(error)
    if "executable file not found" in message or "no such file or directory" in message.lower():
        return program_missing(program, image)
    return MachineError(f"the Docker daemon cannot run {program} in {image.name}: {message}")


def program_missing(program: str, image: Image) -> ToolMissing:
    """Return the error for a program that an image does not have."""
    return ToolMissing(
        f"{program} was not found in the image {image.name}; name one that has it with docker.image"
    )
