"""From the words of a file or a command line to a request."""

import json
import math
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import msgspec

from auditor.config import reading, research_tools, shares, subjects
from auditor.config.audit import DEFAULT_SLOWDOWN, abs_request
from auditor.config.found import UNNAMED, ProjectConfiguration, find_configuration
from auditor.config.hosts import dask_spec, docker_spec, local_spec, ssh_spec
from auditor.config.quantities import parse_duration
from auditor.config.sections import ClientSection, TraceSection
from auditor.config.settings import Settings
from auditor.config.subjects import python_spec
from auditor.core.errors import UsageError
from auditor.core.files.own_files import describe_file
from auditor.core.files.paths import is_dir, is_file, path_exists
from auditor.core.hosts import DaskSpec, DockerSpec, LocalSpec, SshSpec
from auditor.core.popularity import Ranking
from auditor.core.request import (
    AbsRequest,
    BuildOptions,
    ClientSpec,
    CompareRequest,
    FolderSpec,
    GitSpec,
    Pace,
    PythonSpec,
    SeriesRequest,
    SubjectSpec,
    TraceRequest,
)

_REFUSED = {
    "host": "which machine measures; choose it with --host",
    "docker": "what containers may use; choose the image with --host docker:IMAGE",
    "ssh": "which machine measures; remove it",
    "dispatch": "which machines measure; choose them with --dispatch",
    "dask": "which cluster measures; choose it with --scheduler or --rent",
    "local": "the environment variables of the suite; remove it",
    "python": "what is installed and from where; remove it",
    "store": "which file is written; choose it with --store",
    "clients": "which other folders are read; remove it",
}
"""Keys that reach out of the project, each with what it decides."""
_FLAG = re.compile(r"-[\w .,:;=+!*#\[\]()-]*")
"""A flag without a folder, a variable or a place on the network in it."""


NAMED = "with --untrusted"


@dataclass(frozen=True, slots=True)
class Gates:
    """Limits that decide the exit code; None: no limit. `min_score` is the total, in percent."""

    min_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the user asks for, all defaults filled in and all paths absolute."""

    subject: SubjectSpec  # what is audited
    harness: str | None  # None: the one that the subject uses
    tags: tuple[str, ...]  # Go build tags
    build: BuildOptions  # how Maven or Gradle builds the subject
    python: PythonSpec  # interpreter and packages of a Python subject
    host: str  # "local", "docker" or "ssh"
    local: LocalSpec  # processors and guards of the local host
    docker: DockerSpec  # containers, where the host is docker
    ssh: SshSpec  # the other machine, where the host is ssh
    dispatch: DaskSpec | None  # the cluster; None: one machine
    request: AbsRequest  # of an ABS audit
    compare: CompareRequest  # request of a comparison
    warmup_given: bool
    """False: the harness decides how many blocks warm a process, and the plan has none."""
    length_given: bool
    """False: the harness decides how long a block lasts, and the plan has no length."""
    gates: Gates  # conditions on the result
    trace: TraceRequest  # request of a trace
    series: SeriesRequest  # request of the series commands
    model: Path | None  # file that tells when processes are warm; None: one of ours
    store: Path | None  # file of measurements; None: one for each subject
    text: str = field(repr=False)
    """All of it but `retry_failed`, as JSON that means the same in every folder."""
    retry_failed: bool = False  # whether stored failures are run again
    ignored: tuple[str, ...] = ()  # keys of a research tool's file that mean nothing here
    found_file: str = field(default="", compare=False)
    """The configuration that lay in the project and was not named; empty where there is none."""

    def at_pace(self, pace: Pace) -> "Config":
        """Return this with what was left to the harness: the length of a block, the warm-up."""
        plan = self.request.suite.plan
        if not self.length_given:
            plan = replace(
                plan, iteration_seconds=pace.block_seconds, longest_seconds=pace.longest_seconds
            )
        if not self.warmup_given:
            plan = replace(plan, warmup=math.ceil(pace.warm_seconds / plan.iteration_seconds))
        return replace(
            self, request=replace(self.request, suite=replace(self.request.suite, plan=plan))
        )


def load_config(
    argument: str,
    changes: Mapping[str, Any],
    folder: Path,
    *,
    as_configured: bool = False,
    untrusted: bool = False,
) -> Config:
    """Read a configuration file, or take a subject as it is, with `changes` over it.

    `changes` are keys of the file, from flags; paths are relative to `folder` on the command line
    and to the file's folder in it. `as_configured`: what a research tool's file says of its test
    counts, too. `untrusted`: a stranger may have written the file, so it may not name other files,
    machines or variables. Raises UsageError.
    """
    path = folder / argument
    jar = path.suffix == subjects.JAR and is_file(path)
    if argument.startswith(subjects.PREFIXES) or is_dir(path) or jar:
        if as_configured:
            raise UsageError(f"{argument}: {research_tools.NOT_THEIRS}")
        found_file = find_configuration(path, argument) if is_dir(path) else None
        if found_file is not None:
            return _load_project_configuration(found_file, changes)
        return _resolve_config({"subject": argument}, changes, folder, "")
    try:
        return _load_file(path, argument, changes, as_configured=as_configured, untrusted=untrusted)
    except UsageError as error:
        if results := foreign_results(path, argument):
            raise UsageError(results) from error
        raise


def _load_project_configuration(
    configuration: ProjectConfiguration, changes: Mapping[str, Any]
) -> Config:
    """Read a configuration that lies in the project: it is not trusted, as nobody named it."""
    source, folder = f"{configuration.label}: ", configuration.path.resolve().parent
    try:
        refuse_reaching(configuration.document, source, UNNAMED)
        config = _resolve_config(
            _as_numbers(configuration.document, configuration.label), changes, folder, source
        )
        refuse_other_subject(config.subject, folder, source, UNNAMED)
    except UsageError as error:
        if UNNAMED in str(error) and configuration.is_whole_file:
            named = shlex.quote(configuration.label)
            raise UsageError(f"{error}; to allow it, name the file: {named}") from error
        raise
    config = replace(config, found_file=configuration.label)
    if configuration.is_whole_file and isinstance(config.subject, FolderSpec):
        subject = replace(config.subject, configuration=configuration.path.resolve())
        config = replace(config, subject=subject)
    return config


def foreign_results(path: Path, argument: str) -> str:
    """Return what reads a file with results of another tool; empty for all other files."""
    from auditor.importers import formats  # noqa: PLC0415 numpy comes with it
    from auditor.importers.research_tools.reading import is_table  # noqa: PLC0415 as above

    is_csv = path.suffix == ".csv"
    if not is_file(path) or not (formats.format_name(path) or (is_csv and is_table(path))):
        return ""
    return (
        f"{argument} contains results; to read them, run bench-audit analyze "
        f"{shlex.quote(argument)}"
    )


def _load_file(
    path: Path,
    argument: str,
    changes: Mapping[str, Any],
    *,
    as_configured: bool,
    untrusted: bool,
) -> Config:
    _require_configuration(path, argument)
    document, folder = reading.read_document(path, argument), path.resolve().parent
    try:
        translation = research_tools.translate_tool_file(
            document, folder, as_configured=as_configured
        )
    except ValueError as error:
        raise UsageError(f"{argument}: {error}") from error
    values, ignored = (_as_numbers(document, argument), ()) if translation is None else translation
    source = f"{argument}: "
    if untrusted:
        refuse_reaching(values, source)
    config = replace(_resolve_config(values, changes, folder, source), ignored=ignored)
    if untrusted:
        refuse_other_subject(config.subject, folder, source)
    if isinstance(config.subject, FolderSpec):
        subject = replace(config.subject, configuration=path.resolve())
        config = replace(config, subject=subject)
    return config


def _require_configuration(path: Path, argument: str) -> None:
    if not path_exists(path):
        raise UsageError(f"no such file or folder: {argument}{_suggest_name(path)}")
    if path.suffix not in reading.EXTENSIONS:
        needed = (
            "its name must end in .json, .yaml, .yml or .toml; to audit a project, name its folder"
        )
        raise UsageError(f"{argument} is not a configuration: {describe_file(path) or needed}")


def _as_numbers(document: Mapping[str, Any], argument: str) -> Mapping[str, Any]:
    try:
        return shares.as_numbers(document)
    except UsageError as error:
        raise UsageError(f"{argument}: {error}") from error


def at_revision(config: Config, revision: str, folder: Path) -> Config:
    """Return the configuration of another revision of the subject; raises UsageError."""
    if foreign_results(folder / revision, revision):
        raise UsageError(
            f"{revision} contains results; to compare results, run bench-audit analyze HEAD "
            "--against BASE"
        )
    subject = subjects.revise_subject(config.subject, revision, folder)
    if isinstance(subject, GitSpec) and isinstance(config.subject, FolderSpec):
        subject = replace(subject, configuration=config.subject.configuration)
    return replace(config, subject=subject)


def _suggest_name(path: Path) -> str:
    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    close_matches = get_close_matches(path.name, names, n=1)
    return f"; did you mean {close_matches[0]}?" if close_matches else ""


def parse_config_text(text: str, path: Path) -> Config:
    """Return the configuration of another machine; its file or folder is at `path` here."""
    document = json.loads(text)
    subject = document["subject"]
    if isinstance(subject, str) and not subject.startswith(subjects.PREFIXES):
        document["subject"] = str(path)
    elif isinstance(subject, dict) and subject.get("path"):
        document["subject"] = {**subject, "path": str(path)}
    return _resolve_config(document, {"store": None}, path, "")


def _resolve_config(
    document: Mapping[str, Any], changes: Mapping[str, Any], folder: Path, source: str
) -> Config:
    settings = reading.parse_settings({**document, **_merge_changes(document, changes)}, source)
    try:
        return _build_config(settings, folder)
    except UsageError as error:
        raise type(error)(f"{source}{error}") from error
    except ValueError as error:
        raise UsageError(f"{source}{error}") from error


def _merge_changes(document: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Lay objects (gates) over those of the file key by key, all else as a whole."""
    return {
        key: {**document[key], **value}
        if isinstance(value, Mapping) and isinstance(document.get(key), Mapping)
        else value
        for key, value in changes.items()
    }


def _build_config(settings: Settings, folder: Path) -> Config:
    subject = subjects.parse_subject(settings.subject, folder)
    words = subjects.read_build_options(settings.subject)
    methods = _read_methods(settings, folder)
    store, model = (
        (folder / Path(file).expanduser()).absolute() if file else None
        for file in (settings.store, settings.warmup.model)
    )
    dispatch = dask_spec(settings, folder)
    rent = str(dispatch.rent) if dispatch and dispatch.rent else None
    resolved_settings = msgspec.structs.replace(
        settings,
        dask=msgspec.structs.replace(settings.dask, rent=rent),
        subject=subjects.resolve_subject(subject, words),
        methods="auto" if methods is None else methods,
        clients=_resolve_clients(settings, folder),
        store=str(store) if store else None,
        warmup=msgspec.structs.replace(settings.warmup, model=str(model) if model else None),
        schema=None,
    )
    return Config(
        subject=subject,
        harness=settings.harness,
        tags=settings.tags,
        build=words,
        python=python_spec(settings.python, folder),
        host=settings.host.partition(":")[0],
        local=local_spec(settings.local),
        docker=docker_spec(settings.host, settings.docker, folder),
        ssh=ssh_spec(settings.host, settings.ssh),
        dispatch=dispatch,
        request=abs_request(settings, methods, model),
        compare=_build_compare_request(settings),
        warmup_given=settings.plan.warmup is not None,
        length_given=settings.plan.iteration_time is not None,
        gates=Gates(settings.gates.min_score),
        trace=_trace_request(settings, folder),
        series=series_request(settings),
        model=model,
        store=store,
        text=_format_settings(resolved_settings),
    )


def _format_settings(settings: Settings) -> str:
    values = msgspec.to_builtins(settings)
    return json.dumps({key: value for key, value in values.items() if key != "$schema"})


def _build_compare_request(settings: Settings) -> CompareRequest:
    """Return how revisions are compared; their audit needs a number where "auto" stands."""
    section = settings.compare
    slowdown = settings.slowdown
    return CompareRequest(
        min_delta=section.min_delta,
        rounds=section.rounds,
        fresh=section.confirm,
        slowdown=slowdown if isinstance(slowdown, float) else DEFAULT_SLOWDOWN,
        methods=section.methods,
    )


def _read_methods(settings: Settings, folder: Path) -> tuple[str, ...] | None:
    """Return the names, None for an automatic choice; a file has one a line, # for comments."""
    names = settings.methods
    if names == "auto":
        return None
    if isinstance(names, str):
        path = folder / names
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise ValueError(
                f"{names!r} at methods is not a readable file; write a list of names, a file "
                'with one per line, or "auto"'
            ) from error
        names = tuple(reading.list_names(lines))
    if not names:
        raise ValueError('methods is empty; name some, or write "auto"')
    return tuple(dict.fromkeys(names))


def series_request(settings: Settings) -> SeriesRequest:
    """Return how long benchmarks are watched; raises ValueError."""
    section = settings.steady
    try:
        lasting = parse_duration(section.iteration_time)
    except ValueError as error:
        raise ValueError(f"{error}, at steady.iteration_time") from error
    return SeriesRequest(
        iterations=section.iterations,
        iteration_seconds=lasting,
        forks=section.forks,
    )


def _trace_request(settings: Settings, folder: Path) -> TraceRequest:
    """Return how clients are traced; raises UsageError or ValueError."""
    section: TraceSection = settings.trace
    try:
        limit = parse_duration(section.timeout)
    except ValueError as error:
        raise ValueError(f"{error}, at trace.timeout") from error
    specs = [
        _parse_client(client, folder, number) for number, client in enumerate(settings.clients)
    ]
    names = [spec.name for spec in specs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"the client {twice[0]} is named twice at clients; name it once")
    return TraceRequest(
        clients=tuple(specs),
        seconds=limit,
        jobs=section.jobs,
        ranking=Ranking(section.rank),
        top=section.top,
    )


def _parse_client(client: str | ClientSection, folder: Path, number: int) -> ClientSpec:
    place = f"clients[{number}]"
    subject = subjects.parse_subject(client, folder, place)
    more = client if isinstance(client, ClientSection) else ClientSection()
    return ClientSpec(
        name=subjects.describe_subject(subject),
        subject=subject,
        build=subjects.read_build_options(client),
        python=python_spec(more.python, folder),
        tests=more.tests,
    )


def _resolve_clients(settings: Settings, folder: Path) -> tuple[str | ClientSection, ...]:
    """Return the clients as a configuration that means the same from everywhere."""
    return tuple(
        _resolve_client(client, folder, f"clients[{number}]")
        for number, client in enumerate(settings.clients)
    )


def _resolve_client(client: str | ClientSection, folder: Path, place: str) -> str | ClientSection:
    named = subjects.describe_subject(subjects.parse_subject(client, folder, place))
    if isinstance(client, str):
        return named
    kind, _, rest = named.partition(":")
    location = {kind: rest} if f"{kind}:" in subjects.PREFIXES else {"path": named}
    return msgspec.structs.replace(client, **location)


def refuse_reaching(document: Mapping[str, Any], source: str, condition: str = NAMED) -> None:
    """Raise UsageError, which begins with `source`, for a key that reaches out of the project.

    `condition` says when it is refused.
    """
    for key, meaning in _REFUSED.items():
        if document.get(key) is not None:
            raise UsageError(f"{source}{key} is not allowed {condition}: it decides {meaning}")
    if isinstance(subject := document.get("subject"), Mapping):
        _refuse_tools(subject, source, condition)
    methods = document.get("methods", "auto")
    if isinstance(methods, str) and methods != "auto":
        raise UsageError(f"{source}methods may not name a file {condition}; list the names")
    warmup = document.get("warmup")
    if isinstance(warmup, Mapping) and warmup.get("model") is not None:
        raise UsageError(
            f"{source}warmup.model is not allowed {condition}: it names a file; remove it"
        )


def _refuse_tools(subject: Mapping[str, Any], source: str, condition: str) -> None:
    """Raise UsageError where a subject names a file or a program of the machine for its build."""
    jdk, flags = subject.get("jdk"), subject.get("flags")
    if isinstance(jdk, str) and not jdk.isdecimal():
        raise UsageError(
            f"{source}subject.jdk may not name a folder {condition}; write the number of an "
            "installed JDK"
        )
    if subject.get("gradle") is not None:
        raise UsageError(
            f"{source}subject.gradle is not allowed {condition}: it decides which program builds; "
            "remove it"
        )
    for flag in flags if isinstance(flags, list) else ():
        if isinstance(flag, str) and (not _FLAG.fullmatch(flag) or ".." in flag):
            raise UsageError(
                f"{source}subject.flags may not name files of other folders {condition}: "
                f"{flag[:80]!a}; remove it"
            )


def refuse_other_subject(
    subject: SubjectSpec, folder: Path, source: str, condition: str = NAMED
) -> None:
    """Raise UsageError for a subject that does not lie in the configuration's own folder."""
    inside = isinstance(subject, FolderSpec) and subject.path.resolve().is_relative_to(folder)
    if not inside:
        raise UsageError(
            f"{source}subject must be the configuration's folder or below it {condition}"
        )
