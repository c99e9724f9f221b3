"""Any kind of subject, placed."""

import hashlib
import json
import re
import shutil
import tarfile
import zipfile
from pathlib import Path
from typing import Any, assert_never

from auditor.core.errors import (
    BuildFailed,
    ResolveFailed,
    SourceUnreadable,
    ToolMissing,
    UsageError,
)
from auditor.core.jobs import CompletedProcess, Invocation
from auditor.core.ports import Host
from auditor.core.request import (
    DistributionSpec,
    FolderSpec,
    GitSpec,
    GoModuleSpec,
    JarSpec,
    MavenSpec,
    SubjectSpec,
)
from runners.disk import convert_write_errors
from runners.home import HomeFolder
from runners.subjects.folder import place_folder
from runners.subjects.gopath import make_module_file
from runners.subjects.jar import place_jar
from runners.subjects.placed import PlacedSubject
from runners.subjects.revision import place_revision
from runners.subjects.tree_entries import list_tree_files, make_entries, place_entries

_DOWNLOAD_SECONDS = 600
_EXACT = re.compile(r"v\d+\.\d+\.\d+")
_WRONG = re.compile(
    r"unknown revision|no matching versions|malformed|invalid version|not found|"
    r"410 Gone|disallowed version|version .* invalid"
)
_OUR_CACHE = "go-modules"

_SECONDS = 600
_NO_PIP = b"No module named pip"
_ABSENT = re.compile(r"No matching distribution found for (.*)|Could not find a version .*")
_NETWORK_FAILURE = re.compile(
    r"Failed to establish a new connection|name resolution|Max retries exceeded"
)


def place_subject(
    spec: SubjectSpec, *, home: HomeFolder, host: Host, environment: tuple[tuple[str, str], ...]
) -> PlacedSubject:
    """Put the subject's tree into a folder of ours; `environment` is what its tools get.

    Artifacts have no tree: they get an empty folder, and the harness's project fills it.
    """
    match spec:
        case FolderSpec():
            return place_folder(spec, home)
        case JarSpec():
            return place_jar(spec, home)
        case GitSpec():
            return place_revision(spec, home)
        case GoModuleSpec():
            return _place_module(spec, home=home, host=host, environment=environment)
        case DistributionSpec():
            return _place_distribution(spec, home=home, host=host, environment=environment)
        case MavenSpec():
            return place_artifact(spec, home)
        case _:
            assert_never(spec)


def place_artifact(spec: MavenSpec, home: HomeFolder) -> PlacedSubject:
    """Return the folder that the files of these artifacts go to."""
    name = f"{spec.group}:{spec.artifact}"
    identity_text = "\n".join((name, spec.version, *spec.extra))
    digest = hashlib.sha256(identity_text.encode()).hexdigest()
    readable = re.sub(r"[^\w.-]", "_", f"{spec.artifact}-{spec.version}")
    folder = home.make_work_folder(f"{readable}-{digest[:12]}")
    return PlacedSubject(
        root=folder, tree=folder, name=name, revision=spec.version, digest_of_tree=digest
    )


def _place_distribution(
    spec: DistributionSpec,
    *,
    home: HomeFolder,
    host: Host,
    environment: tuple[tuple[str, str], ...],
) -> PlacedSubject:
    """Download a source distribution and copy what is in it to where it can be written."""
    with home.make_scratch_folder() as scratch:

        def run_python(interpreter: str, *words: str) -> CompletedProcess:
            return host.run_process(
                Invocation(
                    argv=(interpreter, "-m", *words),
                    cwd=scratch,
                    environment=environment,
                    timeout_seconds=_SECONDS,
                )
            )

        download = (
            *("pip", "download", "--quiet", "--no-deps", "--no-binary", spec.name),
            *("--dest", str(scratch / "files"), f"{spec.name}=={spec.version}"),
        )
        answer = run_python("python3", *download)
        if _NO_PIP in answer.stderr:  # distributions keep it apart, but for virtual environments
            if run_python("python3", "venv", str(scratch / "pip")).exit_code != 0:
                raise ToolMissing(
                    "python3 has no pip and can make no virtual environment; install them "
                    "(Debian, Ubuntu: python3-pip, python3-venv)"
                )
            answer = run_python(str(scratch / "pip" / "bin" / "python"), *download)
        if answer.exit_code != 0:
            raise _make_download_error(spec, answer)
        tree = _unpack_archive(scratch / "files", scratch / "tree")
        entries = [entry for path in list_tree_files(tree) for entry in make_entries(tree, path)]
        root, digest, files = place_entries(entries, home)
    return PlacedSubject(
        root=root,
        tree=root,
        name=spec.name,
        revision=spec.version,
        digest_of_tree=digest,
        files=files,
    )


def _unpack_archive(downloads: Path, target_folder: Path) -> Path:
    """Unpack the one archive that is there, and return the one folder that is in it."""
    (archive,) = downloads.iterdir()
    with convert_write_errors(target_folder):
        target_folder.mkdir()
        try:
            if zipfile.is_zipfile(archive):
                shutil.unpack_archive(archive, target_folder, "zip")
            else:
                with tarfile.open(archive) as opened:
                    opened.extractall(target_folder, filter="data")
        except (tarfile.TarError, zipfile.BadZipFile, EOFError) as error:
            raise SourceUnreadable(f"{archive.name} cannot be unpacked: {error}") from error
    folders = [path for path in target_folder.iterdir() if path.is_dir()]
    if len(folders) != 1:
        raise SourceUnreadable(f"{archive.name} is not a source distribution: not one folder in it")
    return folders[0]


def _make_download_error(
    spec: DistributionSpec, answer: CompletedProcess
) -> UsageError | ResolveFailed | BuildFailed:
    output = (answer.stdout + b"\n" + answer.stderr).decode(errors="replace")
    distribution = f"pypi:{spec.name}@{spec.version}"
    if _NETWORK_FAILURE.search(output) or answer.timed_out:
        return ResolveFailed(f"cannot get {distribution}; check the network, and pip's index")
    if _ABSENT.search(output):
        return UsageError(
            f"{distribution} has no source distribution on the index; check the name and the "
            "version"
        )
    return BuildFailed(f"pip cannot read {distribution}; it said:\n{answer.format_tail()}")


def _place_module(
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
        raise _make_module_error(spec, str(metadata["Error"]))
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
            timeout_seconds=_DOWNLOAD_SECONDS,
        )
    )


def _parse_metadata(answer: CompletedProcess) -> dict[str, Any]:
    try:
        metadata = json.loads(answer.stdout)
    except ValueError:
        return {"Error": answer.format_tail(3) or "go mod download ended without an answer"}
    return dict(metadata)


def _make_module_error(spec: GoModuleSpec, output: str) -> UsageError | ResolveFailed:
    line = " ".join(output.split())[:300]
    module_version = f"go:{spec.module}@{spec.version}"
    if _WRONG.search(line) and "dial" not in line and "lookup" not in line:
        return UsageError(
            f"{module_version} is not a published module version: {line}; check path and version"
        )
    return ResolveFailed(f"cannot get {module_version}: {line}; check the network and GOPROXY")
