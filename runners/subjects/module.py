"""A published Go module, through the module proxy and the caches that are there."""

import json
import re
from pathlib import Path
from typing import Any

from auditor.core.errors import BuildFailed, ResolveFailed, UsageError
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from auditor.core.request import GoModuleSpec
from runners.home import HomeFolder
from runners.subjects.gopath import make_module_file
from runners.subjects.placed import PlacedSubject
from runners.subjects.tree_entries import list_tree_files, make_entries, place_entries

_SECONDS = 600
_EXACT = re.compile(r"v\d+\.\d+\.\d+")
_WRONG = re.compile(
    r"unknown revision|no matching versions|malformed|invalid version|not found|"
    r"410 Gone|disallowed version|version .* invalid"
)
_OUR_CACHE = "go-modules"


def place_module(
    spec: GoModuleSpec, *, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
) -> PlacedSubject:
    """Download a module into a cache of ours and copy it to where it can be written."""
    metadata = _download_module(spec, home, host, environment)
    folder = Path(metadata["Dir"])
    entries = [
        tree_entry for path in list_tree_files(folder) for tree_entry in make_entries(folder, path)
    ]
    if not (folder / "go.mod").is_file():
        # Published before modules were: what the proxy made up requires nothing.
        entries.append(make_module_file(spec.module, entries))
    root, digest, files = place_entries(entries, home)
    return PlacedSubject(
        root=root,
        tree=root,
        name=spec.module,
        revision=metadata["Version"],
        digest_of_tree=digest,
        files=files,
    )


def _download_module(
    spec: GoModuleSpec, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
) -> dict[str, Any]:
    go_variables = dict(environment)
    user_settings = _read_go_settings(home, host, go_variables)
    go_variables |= _make_isolated_variables(home, user_settings)
    if _EXACT.match(spec.version):
        # Go has verified what is in the user's cache; asking the checksum database again
        # would need the network.
        proxy = (Path(user_settings["GOMODCACHE"]) / "cache" / "download").as_uri()
        cached = go_variables | {"GOPROXY": proxy, "GONOSUMDB": "*", "GOSUMDB": "off"}
        metadata = _parse_metadata(_run_go(_make_download_arguments(spec), home, host, cached))
        if "Error" not in metadata:
            return metadata
    answer = _run_go(_make_download_arguments(spec), home, host, go_variables)
    metadata = _parse_metadata(answer)
    if "Error" in metadata:
        raise _make_download_error(spec, str(metadata["Error"]))
    return metadata


def _make_download_arguments(spec: GoModuleSpec) -> tuple[str, ...]:
    return ("mod", "download", "-json", f"{spec.module}@{spec.version}")


def _read_go_settings(home: HomeFolder, host: Host, environment: dict[str, str]) -> dict[str, str]:
    """Ask Go for the user's settings, which may be in a file of theirs."""
    config_variables = {"XDG_CONFIG_HOME": str(home.make_cache_folder("go-config"))}
    settings = environment | config_variables | _locate_user_settings(environment)
    answer = _run_go(("env", "-json", "GOPROXY", "GOMODCACHE", "GOENV"), home, host, settings)
    try:
        return dict(json.loads(answer.stdout))
    except ValueError as error:
        raise BuildFailed(f"go env failed: {answer.format_tail(3)}") from error


def _locate_user_settings(environment: dict[str, str]) -> dict[str, str]:
    """Name the user's file of Go settings: we move the folder that it would be looked for in."""
    if "GOENV" in environment or "HOME" not in environment:
        return {}
    base = environment.get("XDG_CONFIG_HOME") or f"{environment['HOME']}/.config"
    return {"GOENV": f"{base}/go/env"}


def _make_isolated_variables(home: HomeFolder, user_settings: dict[str, str]) -> dict[str, str]:
    """Return what makes Go write nothing outside our folders: caches, and its usage counters."""
    return {
        "GOENV": user_settings.get("GOENV", ""),
        "GOMODCACHE": str(home.make_cache_folder(_OUR_CACHE)),
        "GOCACHE": str(home.make_cache_folder("go-build")),
        "GOPATH": str(home.make_cache_folder("go-path")),  # the state of the checksum database
        "XDG_CONFIG_HOME": str(home.make_cache_folder("go-config")),
        "GOFLAGS": "-modcacherw",
        "GOWORK": "off",
    }


def _run_go(
    arguments: tuple[str, ...], home: HomeFolder, host: Host, environment: dict[str, str]
) -> CompletedProcess:
    return host.run_process(
        Invocation(
            argv=("go", *arguments),
            cwd=home.make_cache_folder(_OUR_CACHE),
            environment=tuple(sorted(environment.items())),
            timeout_seconds=_SECONDS,
        )
    )


def _parse_metadata(answer: CompletedProcess) -> dict[str, Any]:
    try:
        metadata = json.loads(answer.stdout)
    except ValueError:
        return {"Error": answer.format_tail(3) or "go mod download ended without an answer"}
    return dict(metadata)


def _make_download_error(spec: GoModuleSpec, output: str) -> UsageError | ResolveFailed:
    line = " ".join(output.split())[:300]
    module_version = f"go:{spec.module}@{spec.version}"
    if _WRONG.search(line) and "dial" not in line and "lookup" not in line:
        return UsageError(
            f"{module_version} is not a published module version: {line}; check path and version"
        )
    return ResolveFailed(f"cannot get {module_version}: {line}; check the network and GOPROXY")
