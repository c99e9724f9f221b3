"""What a framework lists, as benchmarks and as those that cannot run, with what to do."""

import json
import re
from collections.abc import Sequence
from typing import Any

from auditor.core.suite import Benchmark

Unusable = tuple[tuple[str, str], ...]

_MISSING = re.compile(r"(?:No module named|could not import) '([A-Za-z_][\w.]*)'")
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


def entry(line: bytes) -> dict[str, Any]:
    """Return a line of a listing; raises ValueError for what the guest does not write."""
    written = json.loads(line)
    if isinstance(written, dict):
        name = written.get("benchmark", written.get("unusable"))
        why = written.get("why" if "unusable" in written else "skipped", "")
        if isinstance(name, str) and isinstance(why, str):
            return written
    raise ValueError(line)


def check_listing(entries: Sequence[dict[str, Any]]) -> tuple[tuple[Benchmark, ...], Unusable]:
    """Return the benchmarks of a listing, and what cannot be listed or run, with the reason.

    Where all benchmarks are skipped, none is left. Files that fail and are not known to hold
    benchmarks are named only where there is no benchmark at all.
    """
    listed = {one["benchmark"]: one for one in entries if "benchmark" in one}
    skipped = {name: one.get("skipped", "") for name, one in listed.items()}
    failing = [one for one in entries if "unusable" in one]
    related = [one for one in failing if one.get("related", True)]
    unusable = {one["unusable"]: one["why"] for one in (related if listed else failing)}
    if listed and all(skipped.values()):
        unusable = {name: f"skipped: {why}" for name, why in skipped.items()} | unusable
        listed = {}
    benchmarks = tuple(_benchmark(one) for one in listed.values())
    return benchmarks, tuple((name, with_remedy(why)) for name, why in unusable.items())


def with_remedy(why: str) -> str:
    """Return a reason with the line of the configuration that installs what is missing."""
    missing = _MISSING.search(why)
    if missing is None:
        return why
    name = missing[1] if missing[1] in _DISTRIBUTIONS else missing[1].partition(".")[0]
    wanted = _DISTRIBUTIONS.get(name, name.replace("_", "-"))
    return f'{why}; if a package has it, add "python": {{"requirements": ["{wanted}"]}}'


def _benchmark(entry: dict[str, Any]) -> Benchmark:
    return Benchmark(group="", name=entry["benchmark"], settings=str(entry.get("index", "")))
