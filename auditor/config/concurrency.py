"""From the options of `concurrency` to a request."""

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from auditor.config.quantities import parse_duration
from auditor.config.shares import parse_share
from auditor.config.subjects import PREFIXES, parse_subject
from auditor.core.contracts.concurrency import PAPER, LibraryVersion, RacePlan, TimedScope
from auditor.core.errors import UsageError
from auditor.core.files.paths import is_dir, path_exists
from auditor.core.request import ClassPathSpec, FolderSpec, GitSpec, MavenSpec, VersionSpec

_FORMS = (
    "name jars or folders of classes as a class path (the version's own first), the folder of a "
    "project, git:PATH@REVISION or maven:GROUP:ARTIFACT:VERSION"
)
_ALL_JARS = "*"

_DURATIONS = (
    "warmup_seconds", "steady_seconds", "crowded_seconds", "least_seconds", "attempt_seconds",
)  # fmt: skip
_PARTS = ("stop_spread", "acceptable_spread", "report", "confidence")
_MOST_THREADS = 1024
_MOST_TESTS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcurrencyRequest:
    """What a comparison of two versions is asked for."""

    subject: str  # name of the class
    version_texts: Mapping[LibraryVersion, str]  # each version as the user wrote it
    versions: Mapping[LibraryVersion, VersionSpec]  # each version as it was understood
    plan: RacePlan  # the parameters
    java_home: Path | None = None  # JDK that runs the subject; None: the default one
    options: tuple[str, ...] = ()  # of the subject's JVM
    jmh: bool = False  # whether the tests are also written as JMH benchmarks


def concurrency_request(option_values: Mapping[str, Any], folder: Path) -> ConcurrencyRequest:
    """Read the options; paths are relative to `folder`. Raises UsageError."""
    texts = {version: str(option_values[version]) for version in LibraryVersion}
    return ConcurrencyRequest(
        subject=option_values["subject"],
        version_texts=texts,
        versions={version: version_spec(text, folder) for version, text in texts.items()},
        plan=_build_plan(option_values),
        java_home=option_values.get("java_home"),
        options=_split_jvm_args(option_values.get("jvm_args") or ""),
        jmh=bool(option_values.get("jmh")),
    )


def _split_jvm_args(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"--jvm-args {text!r} cannot be split into words: {error}") from error


def _build_plan(option_values: Mapping[str, Any]) -> RacePlan:
    """Return the plan of a preset with what was given over it."""
    plan = PAPER if option_values.get("paper") else RacePlan()
    named = {field.name for field in fields(RacePlan)}
    changes = {
        key: value for key, value in option_values.items() if key in named and value is not None
    }
    for key in changes.keys() & {*_DURATIONS}:
        try:
            changes[key] = parse_duration(changes[key])
        except ValueError as error:
            raise UsageError(f"{_name_option(key)}: {error}") from error
    for key in changes.keys() & {*_PARTS}:
        changes[key] = parse_share(_name_option(key), changes[key])
    if "threads" in changes:
        changes["threads"] = _parse_threads(changes["threads"])
    if "scope" in changes:
        changes["scope"] = TimedScope(changes["scope"])
    if "steady_seconds" in changes and "crowded_seconds" not in changes:
        changes["crowded_seconds"] = changes["steady_seconds"]
    return _check_plan(replace(plan, **changes))


def _parse_threads(text: str) -> tuple[int, ...]:
    words = [part.strip() for part in text.split(",")]
    if not all(word.isdecimal() and 1 <= int(word) <= _MOST_THREADS for word in words):
        raise UsageError(
            f"--threads {text} must be numbers from 1 to {_MOST_THREADS}, separated by commas, "
            "such as 2,8"
        )
    threads = tuple(sorted({int(word) for word in words}))
    if threads == (1,):
        raise UsageError("--threads 1 tests no concurrency; add a larger number")
    return threads


_LEAST = {
    "tests": 1, "least_repetitions": 1, "least_measurements": 2, "shortest": 1, "prefix": 0,
    "statements": 0, "most_tries": 0, "least_conclusive": 1, "seed": 0,
}  # fmt: skip
_ORDERED = (
    ("least_measurements", "most_measurements"), ("shortest", "longest"),
    ("least_conclusive", "tests"), ("stop_spread", "acceptable_spread"),
)  # fmt: skip


def _check_plan(plan: RacePlan) -> RacePlan:
    for key, lowest in _LEAST.items():
        if getattr(plan, key) < lowest:
            raise UsageError(f"{_name_option(key)} {getattr(plan, key)} must be at least {lowest}")
    for low, high in _ORDERED:
        if getattr(plan, low) > getattr(plan, high):
            raise UsageError(
                f"{_name_option(low)} {getattr(plan, low)} is above {_name_option(high)} "
                f"{getattr(plan, high)}"
            )
    if plan.tests > _MOST_TESTS:
        raise UsageError(f"--tests {plan.tests} must be at most {_MOST_TESTS}")
    if plan.confidence <= 0:
        raise UsageError("--confidence must be above 0")
    return plan


def words_of(request: ConcurrencyRequest) -> tuple[str, ...]:
    """Return the options that ask for the same, paths as they were written."""
    plan = request.plan
    preset = PAPER if plan.strict else RacePlan()
    words = ["--class", request.subject]
    for version in LibraryVersion:
        words += [f"--{version}", request.version_texts[version]]
    words += ["--paper"] if plan.strict else []
    for key in (field.name for field in fields(RacePlan)):
        # Without the second one the first decides both.
        with_steady = key == "crowded_seconds" and "--steady" in words
        if (value := getattr(plan, key)) != getattr(preset, key) or with_steady:
            words += _format_option(key, value)
    if request.java_home is not None:
        words += ["--java-home", str(request.java_home)]
    if request.options:
        words += ["--jvm-args", shlex.join(request.options)]
    return (*words, *(["--jmh"] if request.jmh else []))


def _format_option(key: str, value: Any) -> list[str]:
    name = _name_option(key)
    if isinstance(value, bool):
        return [name if value else name.replace("--", "--no-", 1)]
    if key in _DURATIONS:
        return [name, f"{value:g}s"]
    return [name, ",".join(map(str, value)) if isinstance(value, tuple) else str(value)]


def _name_option(key: str) -> str:
    return f"--{key.removesuffix('_seconds').replace('_', '-')}"


def version_spec(version: str, folder: Path) -> VersionSpec:
    """Return the version meant; paths are relative to `folder`. Raises UsageError.

    Of a class path the first entry is the version's own, what follows are its dependencies. As
    Java has it, an entry that ends in `/*` is all jars of a folder.
    """
    if version.startswith(PREFIXES):
        subject = parse_subject(version, folder)
        if isinstance(subject, GitSpec | MavenSpec):
            return subject
        raise UsageError(f"{version} is not a version of a Java class; {_FORMS}")
    # An empty entry is what an empty variable leaves; that of Java is the current folder.
    entries = [text for text in version.split(os.pathsep) if text]
    if not entries:
        raise UsageError(f"a version is empty; {_FORMS}")
    first, *rest = [_resolve_entry(entry, folder) for entry in entries]
    if not rest and is_dir(first[0]):
        return FolderSpec(first[0])
    return ClassPathSpec(first, tuple(path for paths in rest for path in paths))


def _resolve_entry(entry: str, folder: Path) -> tuple[Path, ...]:
    path = _resolve_path(entry, folder)
    if path.name == _ALL_JARS:
        # Java leaves the order open; ours has to be the same each time.
        jars = [jar for jar in path.parent.glob("*") if jar.suffix.lower() == ".jar"]
        if not jars:
            raise UsageError(f"no jars in {path.parent}; {_FORMS}")
        return tuple(sorted(jars))
    if not path_exists(path):
        raise UsageError(f"no such file or folder: {path}; {_FORMS}")
    return (path,)


def _resolve_path(text: str, folder: Path) -> Path:
    try:
        return (folder / Path(text).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"the version {text!r} is not a path: {error}") from error
