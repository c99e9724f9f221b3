"""A published Go module, through the module proxy and the caches that are there."""

import json
import re
from pathlib import Path
from typing import Any

from auditor.core.errors import BuildFailed, ResolveFailed, UsageError
from auditor.core.jobs import Completed, Invocation
from auditor.core.ports import Host
from auditor.core.request import GoModuleSpec
from runners.home import Home
from runners.subjects.gopath import module_file
from runners.subjects.placed import Placed
from runners.subjects.tree_entries import entry, place_entries, walk

_SECONDS = 600
_EXACT = re.compile(r"v\d+\.\d+\.\d+")
_WRONG = re.compile(
    r"unknown revision|no matching versions|malformed|invalid version|not found|"
    r"410 Gone|disallowed version|version .* invalid"
)
_OUR_CACHE = "go-modules"


def place_module(
    spec: GoModuleSpec, *, home: Home, host: Host, environment: tuple[tuple[str, str], ...]
) -> Placed:
    """Download a module into a cache of ours and copy it to where it can be written."""
    metadata = _download(spec, home, host, environment)
    folder = Path(metadata["Dir"])
    entries = [tree_entry for path in walk(folder) for tree_entry in entry(folder, path)]
    if not (folder / "go.mod").is_file():
        # Published before modules were: what the proxy made up requires nothing.
        entries.append(module_file(spec.module, entries))
    root, digest, files = place_entries(entries, home)
    return Placed(
        root=root,
        tree=root,
        name=spec.module,
        revision=metadata["Version"],
        digest_of_tree=digest,
        files=files,
    )


def _download(
    spec: GoModuleSpec, home: Home, host: Host, environment: tuple[tuple[str, str], ...]
) -> dict[str, Any]:
    ours = dict(environment)
    theirs = _settings(home, host, ours)
    ours |= _kept_apart(home, theirs)
    if _EXACT.match(spec.version):
        # Go has verified what is in the user's cache; asking the checksum database again
        # would need the network.
        proxy = (Path(theirs["GOMODCACHE"]) / "cache" / "download").as_uri()
        cached = ours | {"GOPROXY": proxy, "GONOSUMDB": "*", "GOSUMDB": "off"}
        metadata = _module(_go(_get(spec), home, host, cached))
        if "Error" not in metadata:
            return metadata
    answer = _go(_get(spec), home, host, ours)
    metadata = _module(answer)
    if "Error" in metadata:
        raise _failure(spec, str(metadata["Error"]))
    return metadata


def _get(spec: GoModuleSpec) -> tuple[str, ...]:
    return ("mod", "download", "-json", f"{spec.module}@{spec.version}")


def _settings(home: Home, host: Host, environment: dict[str, str]) -> dict[str, str]:
    """Ask Go for the user's settings, which may be in a file of theirs."""
    where = {"XDG_CONFIG_HOME": str(home.cache("go-config"))}
    settings = environment | where | _their_file(environment)
    answer = _go(("env", "-json", "GOPROXY", "GOMODCACHE", "GOENV"), home, host, settings)
    try:
        return dict(json.loads(answer.stdout))
    except ValueError as error:
        raise BuildFailed(f"go env failed: {answer.tail(3)}") from error


def _their_file(environment: dict[str, str]) -> dict[str, str]:
    """Name the user's file of Go settings: we move the folder that it would be looked for in."""
    if "GOENV" in environment or "HOME" not in environment:
        return {}
    base = environment.get("XDG_CONFIG_HOME") or f"{environment['HOME']}/.config"
    return {"GOENV": f"{base}/go/env"}


def _kept_apart(home: Home, theirs: dict[str, str]) -> dict[str, str]:
    """Return what makes Go write nothing outside our folders: caches, and its usage counters."""
    return {
        "GOENV": theirs.get("GOENV", ""),
        "GOMODCACHE": str(home.cache(_OUR_CACHE)),
        "GOCACHE": str(home.cache("go-build")),
        "GOPATH": str(home.cache("go-path")),  # the state of the checksum database
        "XDG_CONFIG_HOME": str(home.cache("go-config")),
        "GOFLAGS": "-modcacherw",
        "GOWORK": "off",
    }


def _go(
    arguments: tuple[str, ...], home: Home, host: Host, environment: dict[str, str]
) -> Completed:
    return host.run(
        Invocation(
            argv=("go", *arguments),
            cwd=home.cache(_OUR_CACHE),
            environment=tuple(sorted(environment.items())),
            timeout_seconds=_SECONDS,
        )
    )


def _module(answer: Completed) -> dict[str, Any]:
    try:
        metadata = json.loads(answer.stdout)
    except ValueError:
        return {"Error": answer.tail(3) or "go mod download ended without an answer"}
    return dict(metadata)


def _failure(spec: GoModuleSpec, output: str) -> UsageError | ResolveFailed:
    line = " ".join(output.split())[:300]
    what = f"go:{spec.module}@{spec.version}"
    if _WRONG.search(line) and "dial" not in line and "lookup" not in line:
        return UsageError(
            f"{what} is not a published module version: {line}; check path and version"
        )
    return ResolveFailed(f"cannot get {what}: {line}; check the network and GOPROXY")
