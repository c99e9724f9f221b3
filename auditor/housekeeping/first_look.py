"""`bench-audit` without a command: what lies in the folder, and the one command to run next."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from auditor.config.found import find_configuration
from auditor.core.errors import UsageError
from auditor.importers import formats
from auditor.languages.registry import LANGUAGES
from reports import names, number_format
from runners.subjects.suite_detection import DetectedSuite, detect_suite
from runners.subjects.survey import SuiteFolder, describe_unbuilt, find_suites, list_suites

_MOST_FILES = 50
"""Files of the folder that are looked at for results."""
_NEXT = "next: bench-audit"
_ALL_COMMANDS = "all commands: bench-audit --help"


def first_look(folder: Path) -> tuple[str, ...]:
    """Return the lines to show, none where there is nothing that bench-audit knows."""
    suite_folders = find_suites(folder)
    if suite_folders:
        return (*_describe_suite(folder, suite_folders), _ALL_COMMANDS)
    if results := _find_results(folder):
        name = shlex.quote(results.name)
        format_label = formats.format_name(results)
        return (
            f"found: {names.escape_line(results.name)}, results of {format_label}",
            f"{_NEXT} analyze {name}    what they say",
            _ALL_COMMANDS,
        )
    detected = detect_suite(folder)
    if detected.harness is None:
        unbuilt = describe_unbuilt(folder)
        return (f"found: {unbuilt}", _ALL_COMMANDS) if unbuilt else ()
    return (
        f"found: a project without benchmarks ({_name_language(detected)})",
        f"{_NEXT} trace . --suite --stubs new-benchmarks    begin some, for what its tests call",
        _ALL_COMMANDS,
    )


def _describe_suite(folder: Path, suite_folders: tuple[SuiteFolder, ...]) -> Iterator[str]:
    """Yield what is known of the first suite, and the command that audits it."""
    first = suite_folders[0]
    location = "" if first.path == "." else f" in {names.escape_line(first.path)}"
    count = number_format.format_count(first.suite.benchmarks, "benchmark")
    yield f"found: {count}{location} ({_name_language(first.suite)}, {first.suite.harness})"
    if suite_folders[1:]:
        yield f"more suites: {list_suites(suite_folders[1:])}"
    subject = shlex.quote("." if first.path == "." else f"./{first.path}")
    try:
        configuration = find_configuration(folder / first.path, first.path)
    except UsageError as error:
        yield f"configuration: {error}"
    else:
        if configuration is not None:
            yield f"configuration: {names.escape_line(configuration.label)}"
    yield f"{_NEXT} abs {subject} --dry-run    what would be measured, and how long that takes"


def _name_language(detected_suite: DetectedSuite) -> str:
    return (LANGUAGES.language_of_harness(detected_suite.harness or "") or "unknown").capitalize()


def _find_results(folder: Path) -> Path | None:
    """Return the first file of the folder that holds results of another tool."""
    endings = (".json", ".csv", ".txt", ".log")
    files = sorted(path for path in folder.iterdir() if path.suffix in endings)
    return next((path for path in files[:_MOST_FILES] if formats.format_name(path)), None)
