"""The go command on this machine, and an environment in which it writes to folders of ours only."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from auditor.core.errors import AuditError, ToolMissing
from auditor.core.files.paths import is_file
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from runners.hosts.variables import of_installers
from runners.subjects.gomod import MODULE_FILE, read_go_version

_OVERLAY_FOLDER = re.compile(r"\S*/[0-9a-f]{24}/overlay/")
_PLACE = re.compile(r"(?P<place>[^\s#].*?):\d+(?::\d+)?: ")
_SYMBOL = re.compile(r"(?:link: )?(?P<place>\S+): (?:relocation target|invalid reference) ")
"""The compiler's and the assembler's lines name a place in a file, the linker's a symbol."""
_GUEST = re.compile(r"(?:^|[/ ])zz_bench_audit_guest(?:[/.]|$)")

OLDEST = (1, 20)
"""The first with B.Elapsed, -test.skip and -test.v=test2json."""
_ASK_SECONDS = 120.0
_VERSION = re.compile(r"go(\d+)\.(\d+)")
_DECIDING = (
    "GOVERSION",
    "GOOS",
    "GOARCH",
    "GOAMD64",
    "GOARM64",
    "CGO_ENABLED",
    "CC",
    "CGO_CFLAGS",
    "GOEXPERIMENT",
    "GOFLAGS",
    "CXX",
    "CGO_CPPFLAGS",
    "CGO_CXXFLAGS",
    "CGO_LDFLAGS",
    "PKG_CONFIG",
    "GO386",
    "GOARM",
    "GOTOOLCHAIN",
)
"""What decides the bytes that are built."""
RUNTIME = ("GODEBUG", "GOGC", "GOMEMLIMIT", "GOMAXPROCS")
"""Variables by which the program that was built runs in another way."""


def read_go_settings(host: Host, environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Return the user's own `go env`; raises ToolMissing without Go or with one that is too old.

    It is asked outside of the project, so that no other toolchain is fetched.
    """
    invocation = Invocation(
        argv=("go", "env", "-json"),
        cwd=folder,
        environment=tuple(sorted(_isolate_environment(environment, folder).items())),
        timeout_seconds=_ASK_SECONDS,
    )
    answer = host.run_process(invocation)
    if answer.exit_code != 0:
        raise ToolMissing(f"go env failed: {answer.format_tail(3)}; install Go 1.20 or newer")
    variables = {str(key): str(value) for key, value in json.loads(answer.stdout).items()}
    version = variables.get("GOVERSION", "")
    match = _VERSION.match(version)
    if match and (int(match.group(1)), int(match.group(2))) < OLDEST:
        raise ToolMissing(
            f"{version} is too old in {variables.get('GOROOT', 'PATH')}; use 1.20 or newer"
        )
    return variables


def _isolate_environment(environment: Mapping[str, str], folder: Path) -> dict[str, str]:
    """Keep go's counters of its own use, and its cache, out of the user's folders."""
    config_folder = environment.get("XDG_CONFIG_HOME") or f"{environment.get('HOME', '/')}/.config"
    return {
        **environment,
        "GOENV": environment.get("GOENV") or f"{config_folder}/go/env",
        "XDG_CONFIG_HOME": str(folder / "config"),
        "GOCACHE": str(folder / "build"),
        "GOTMPDIR": str(folder / "tmp"),
    }


def build_environment(
    variables: Mapping[str, str], environment: Mapping[str, str], folder: Path
) -> dict[str, str]:
    """Return the environment of all processes: caches of ours, the user's as a read-only source."""
    clean_environment = {
        key: value for key, value in environment.items() if not _is_foreign_variable(key)
    }
    user_proxy = f"file://{variables.get('GOMODCACHE', '')}/cache/download"
    return {
        **_isolate_environment(clean_environment, folder),
        "GOMODCACHE": str(folder / "mod"),
        "GOPATH": str(folder / "path"),
        "GOFLAGS": f"{variables.get('GOFLAGS', '')} -modcacherw".strip(),
        "GOPROXY": ",".join(filter(None, (user_proxy, variables.get("GOPROXY", "")))),
        "PWD": str(folder),
    }


def _is_foreign_variable(name: str) -> bool:
    """Tell whether a variable is none of Go's business."""
    return name.startswith("BENCH_AUDIT_") or of_installers(name)


def build_settings_text(variables: Mapping[str, str], environment: Mapping[str, str]) -> str:
    """Return what decides what is built and how it runs, besides files, as text for a digest."""
    built = [f"{key}={variables.get(key, '')}" for key in _DECIDING]
    return "\n".join(built + [f"{key}={environment.get(key, '')}" for key in RUNTIME])


def language_version(root: Path, folder: str) -> tuple[int, int] | None:
    """Return what the `go` line of the module around a folder (POSIX, below root) says.

    None where it has none: that is an old module, or there is no `go.mod`.
    """
    place = root / folder
    for parent in (place, *place.parents):
        if is_file(parent / MODULE_FILE):
            return read_go_version(parent)
        if parent == root:
            break
    return None


def describe_build_failure(answer: CompletedProcess, version: str) -> str:
    """Return the compiler's words, with the subject's paths in place of those in our folder.

    `version` is Go's. Raises AuditError if all faults are in the guest: every method would have
    them, and none is to blame.
    """
    blamed = list(_find_blamed_places(answer))
    if blamed and all(_GUEST.search(place) for place, _ in blamed):
        raise AuditError(
            "this is a bug in bench-audit, please report it: the code that it adds does not "
            f"compile with {version}: {blamed[0][1]}"
        )
    if answer.timed_out:
        return (
            f"the build was ended after {answer.seconds:.0f} "
            f"s\n{_strip_overlay_paths(answer.format_tail())}"
        )
    return _strip_overlay_paths(answer.format_tail())


def _find_blamed_places(answer: CompletedProcess) -> Iterator[tuple[str, str]]:
    """Yield each line that finds fault with a place, behind that place.

    Indented lines go on with the one above, and may name another place that has no fault.
    """
    output = answer.stdout + b"\n" + answer.stderr
    for line in _strip_overlay_paths(output.decode(errors="replace")).splitlines():
        match = _PLACE.match(line) or _SYMBOL.match(line)
        if match:
            yield match["place"], line[:300]


def _strip_overlay_paths(text: str) -> str:
    return _OVERLAY_FOLDER.sub("", text)
