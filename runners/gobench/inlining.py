"""Which functions Go's compiler never puts in the place of their calls, by its own word."""

import os
import re
from pathlib import Path, PurePosixPath

from auditor.core.listing import Ask
from auditor.core.ports import Places
from auditor.core.subject import Project, Role
from runners.gobench import commands

_INLINE_DECISION = re.compile(
    r"^(?P<file>\S.*?\.go):(?P<line>\d+):\d+: (?P<said>can|cannot) inline "
)
_CHANGES = re.compile(r"-(?:gcflags|pgo)\b")


def never_inlined(project: Project, folder: str, build_folder: Path, ask: Ask) -> Places:
    """Return where the functions of a package are declared that the compiler never inlines.

    The package is compiled once more, for what the compiler says of it. Of generic functions it
    speaks where it makes one of them. None are known where that fails, or where flags of the
    user's own decide what is inlined.
    """
    if _CHANGES.search(dict(project.environment).get("GOFLAGS", "")):
        return frozenset()
    flags = commands.build_flags(project, build_folder, overlaid=False)
    package_argument = commands.folder_argument(project, folder)
    step = (
        "build",
        "-buildvcs=false",
        *flags,
        "-gcflags=-m=2",
        "-o",
        "/dev/null",
        package_argument,
    )
    answer = ask(commands.make_go_job(project, *step))
    if answer.exit_code != 0 or answer.truncated:
        return frozenset()
    places: dict[str, set[tuple[str, int]]] = {"can": set(), "cannot": set()}
    for line in answer.stderr.decode(errors="replace").splitlines():
        if match := _INLINE_DECISION.match(line):
            place = _find_project_path(project, match["file"]), int(match["line"])
            places[match["said"]].add(place)
    return frozenset(places["cannot"] - places["can"])


def _find_project_path(project: Project, compiler_path: str) -> str:
    """Return a path below the root: the compiler writes it from where it is called, or whole."""
    (suite_folder,) = project.list_paths(Role.BENCHMARKS)
    inside = os.path.relpath(suite_folder / compiler_path, project.root)
    return str(PurePosixPath(compiler_path if inside.startswith("../") else inside))
