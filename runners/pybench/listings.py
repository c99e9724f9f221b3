"""What a framework lists, as benchmarks and as those that cannot run, with what to do."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from auditor.core.suite import Benchmark

Unusable = tuple[tuple[str, str], ...]

_MISSING = re.compile(r"(?:No module named|could not import) '([A-Za-z_][\w.]*)'")
_OPTION = re.compile(
    r"^skipped: .*?(?<![\w-])(?P<skip>--[a-z][\w-]*)|"
    r"arguments are required: (?:-\w/)?(?P<required>--[a-z][\w-]*)"
)
_DISTRIBUTIONS = {
    "yaml": "PyYAML",
    "attr": "attrs",
    "bson": "pymongo",
    "dateutil": "python-dateutil",
    "PIL": "Pillow",
    "cv2": "opencv-python-headless",
    "sklearn": "scikit-learn",
    "bs4": "beautifulsoup4",
    "google.protobuf": "protobuf",
    "ruamel": "ruamel.yaml",
    "pkg_resources": "setuptools",
}
"""Modules whose distribution has another name."""


def parse_entry(line: bytes) -> dict[str, Any]:
    """Return a line of a listing; raises ValueError for what the guest does not write."""
    document = json.loads(line)
    if isinstance(document, dict):
        name = document.get("benchmark", document.get("unusable"))
        reason = document.get("why" if "unusable" in document else "skipped", "")
        if isinstance(name, str) and isinstance(reason, str):
            return document
    raise ValueError(line)


def check_listing(
    entries: Sequence[dict[str, Any]], explain_local: Callable[[str], str]
) -> tuple[tuple[Benchmark, ...], Unusable]:
    """Return the benchmarks of a listing, and what cannot be listed or run, with the reason.

    Where all benchmarks are skipped, none is left. Files that fail and are not known to hold
    benchmarks are named only where there is no benchmark at all.
    """
    entries_by_name: dict[str, dict[str, Any]] = {}
    for item in entries:
        if "benchmark" in item:
            # The first process is handed the file, as the one that runs the benchmark.
            entries_by_name.setdefault(item["benchmark"], item)
    skipped = {name: item.get("skipped", "") for name, item in entries_by_name.items()}
    files = {name.partition("::")[0] for name in entries_by_name}
    # A file that another process lists is no failure: its name was taken in this one.
    failing = [item for item in entries if "unusable" in item and item["unusable"] not in files]
    related = [item for item in failing if item.get("related", True)]
    unusable = {item["unusable"]: item["why"] for item in (related if entries_by_name else failing)}
    if entries_by_name and all(skipped.values()):
        unusable = {name: f"skipped: {reason}" for name, reason in skipped.items()} | unusable
        entries_by_name = {}
    benchmarks = tuple(_make_benchmark(item) for item in entries_by_name.values())
    return benchmarks, tuple(
        (name, add_remedy(reason, explain_local)) for name, reason in unusable.items()
    )


def add_remedy(reason: str, explain_local: Callable[[str], str]) -> str:
    """Return a reason with the line of the configuration that installs or selects the lack.

    `explain_local` says what to do about a module of the project itself, which no package has.
    """
    module_match = _MISSING.search(reason)
    if module_match is None:
        return reason + _suggest_option(reason)
    if explanation := explain_local(module_match[1]):
        return f"{reason}; {explanation}"
    name = (
        module_match[1] if module_match[1] in _DISTRIBUTIONS else module_match[1].partition(".")[0]
    )
    distribution = _DISTRIBUTIONS.get(name, name.replace("_", "-"))
    return (
        f'{reason}; if a package has it, add "python": {{"requirements": ["{distribution}"]}} to '
        "a configuration, and name that: bench-audit abs bench-audit.json"
    )


def _suggest_option(reason: str) -> str:
    """Return the line of the configuration for an option of pytest that a reason names."""
    option_match = _OPTION.search(reason)
    if option_match is None:
        return ""
    option = option_match["skip"] or f"{option_match['required']}=VALUE"
    return f'; if it is an option of pytest, add "python": {{"pytest_options": ["{option}"]}}'


def _make_benchmark(entry: dict[str, Any]) -> Benchmark:
    return Benchmark(group="", name=entry["benchmark"], settings=str(entry.get("index", "")))
