"""A client of a Go library made ready: a copy, and the tool that finds its calls by their types."""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path

from auditor.core.errors import MachineError, SubjectError
from auditor.core.jobs import Invocation
from auditor.core.ports import Host
from auditor.core.subject import Project
from runners.disk import convert_write_errors
from runners.gobench.commands import BUILD_SECONDS
from runners.gobench.project import prepare_placed
from runners.home import HomeFolder
from runners.subjects.placed import PlacedSubject, is_of_kind

_FILES = ("go.mod", "main.go", "work.go", "look.go")
GUEST = "calls/calls.go"


def prepare_client(  # noqa: PLR0913 - what both projects, the machine and the user contribute
    client: PlacedSubject,
    library: str,
    *,
    home: HomeFolder,
    host: Host,
    environment: Iterable[tuple[str, str]],
    tests: Sequence[str] = (),
) -> Project:
    """Return a client that uses a module, at the version that it asks for.

    `tests` are patterns of the packages whose tests run; none: of all that can call the module.
    Raises SubjectError where there is no Go project, and what Go says where it fails.
    """
    if not is_of_kind(client.tree, "go"):
        raise SubjectError(f"{client.name} is not a Go project: it has neither go.mod nor go.work")
    project = prepare_placed(client, home=home, host=host, environment=environment, chooses=False)
    decides = repr((project.digest, library, tuple(tests), compute_tool_digest()))
    key = hashlib.sha256(decides.encode()).hexdigest()[:24]
    options = {
        "library": library,
        "tests": "\n".join(tests),
        "tool": str(_build_tool(project, home, host)),
    }
    return replace(
        project, digest=key, content="", closures=(), options=tuple(sorted(options.items()))
    )


def read_tool_file(name: str) -> bytes:
    """Return one of the tool's files."""
    return (resources.files("runners.gobench") / "tracer" / name).read_bytes()


def compute_tool_digest() -> str:
    """Return a digest of the tool, and of what it puts into a client, hexadecimal."""
    contents = [read_tool_file(name) for name in (*_FILES, GUEST)]
    return hashlib.sha256(b"\0".join(contents)).hexdigest()[:16]


def _build_tool(project: Project, home: HomeFolder, host: Host) -> Path:
    """Build the tool once for each version of Go: it reads what that compiler writes."""
    version = dict(project.versions).get("go", "")
    key = hashlib.sha256(f"{compute_tool_digest()} {version}".encode()).hexdigest()[:16]
    folder = home.make_tool_folder(f"go-tracer-{key}")
    binary = folder / "tracer"
    with home.lock_folder(folder):
        if binary.is_file():
            return binary
        with convert_write_errors(folder):
            for name in _FILES:
                (folder / name).write_bytes(read_tool_file(name))
        variables = {
            **dict(project.environment),
            "GOWORK": "off",
            "GOFLAGS": "",
            "PWD": str(folder),
        }
        job = Invocation(
            argv=("go", "build", "-o", "new", "."),
            cwd=folder,
            environment=tuple(sorted(variables.items())),
            timeout_seconds=BUILD_SECONDS,
        )
        answer = host.run_process(job)
        if answer.exit_code != 0:
            raise MachineError(
                f"bench-audit's tool for finding calls does not build: {answer.format_tail()}"
            )
        with convert_write_errors(folder):
            (folder / "new").rename(binary)
    return binary
