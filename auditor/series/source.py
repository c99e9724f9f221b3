"""Where series come from that are not read: a suite that is run, or a store of earlier runs."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from auditor.cli import options
from auditor.config import reading, subjects
from auditor.config.settings import Settings
from auditor.core.errors import UsageError
from auditor.core.files.foreign_files import read_regular
from auditor.core.files.paths import is_file
from auditor.core.series.stored import StoredResults
from auditor.measure import own_series
from auditor.store.suites import is_store, read_suite_runs

_WATCHED = ("iterations", "iteration_time", "forks")
_OF_SUITES = (
    *("harness", "benchmarks", "seed", "budget", "store", "retry_failed", "dry_run"),
    *_WATCHED,
)
_OF_OTHERS = {"benchmarks", "python"}
"""Keys of ours that files of pytest-benchmark, pyperf or asv have, too."""
_TELLING = {field.encode_name for field in msgspec.structs.fields(Settings)} - _OF_OTHERS | {
    "project"
}
_LARGEST = 1 << 20
"""Bytes; no configuration is as large."""


def find_suite(inputs: Sequence[str], *, is_suite: bool) -> str | None:
    """Return the suite that is meant, as `abs` takes it; None where results are to be read.

    A suite is what has the name of one (`go:…`), a jar, a configuration, and a folder that is said
    to be one. Raises UsageError where there are several.
    """
    suite_texts = [text for text in inputs if is_suite or _is_suite(text)]
    if not suite_texts:
        return None
    if len(inputs) > 1:
        raise UsageError(
            f"only one suite can be run at a time: {suite_texts[0]}; leave the others out"
        )
    return inputs[0]


def _is_suite(text: str) -> bool:
    if text.startswith(subjects.PREFIXES):
        return True
    path = Path(text)
    if path.suffix == subjects.JAR:
        return is_file(path)
    return path.suffix in reading.EXTENSIONS and is_file(path) and _is_configuration(path)


def _is_configuration(path: Path) -> bool:
    """Tell whether a file is one of ours, or a research tool's; all but JSON can be no results."""
    if path.suffix != ".json":
        return True
    try:
        document = json.loads(read_regular(path, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(document, dict) and not _TELLING.isdisjoint(document)


def refuse_suite_options(option_values: Mapping[str, Any], path: Path) -> None:
    """Raise UsageError for an option that means nothing where results are read."""
    for name in _OF_SUITES:
        if option_values[name] is not None and option_values[name] is not False:
            raise UsageError(
                f"--{name.replace('_', '-')} works only when a suite is run, but {path} is read; "
                "leave it out, or add --run if this is the folder of a suite"
            )


def collect_config_changes(option_values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of the configuration that the options set; raises UsageError."""
    if option_values["commit"] is not None:
        raise UsageError(
            "--commit works only with stored results; check the commit out, and leave --commit out"
        )
    series_values = {key: option_values[key] for key in _WATCHED if option_values[key] is not None}
    return options.collect_shared_changes(option_values) | (
        {"steady": series_values} if series_values else {}
    )


def read_stored_suite(files: Sequence[Path], commit: str | None) -> StoredResults | None:
    """Return what a store has of the last suite, None where these files are none.

    Raises UsageError and StoreError.
    """
    stores = [file for file in files if is_store(file)]
    if not stores:
        return None
    if len(files) > 1 or commit is not None:
        raise UsageError(
            f"{stores[0]} is a store, which cannot be combined with other inputs; leave the "
            "others out"
        )
    runs = read_suite_runs(stores[0])
    return own_series.build_stored_results(
        runs.runs, harness=runs.harness, digest=runs.digest, settings=runs.configured
    )
