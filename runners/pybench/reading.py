"""What a process of a Python benchmark left, as an outcome; what is incomplete is never one."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from auditor.core.jobs import CompletedProcess
from auditor.core.mutant import VariantKind
from auditor.core.outcome import (
    Counted,
    Crashed,
    Measured,
    NeverCalled,
    NotBuilt,
    Outcome,
    Skipped,
    TimedOut,
    Traced,
    Unreadable,
    Window,
)
from auditor.core.plan import Purpose, Trial
from auditor.core.suite import Benchmark
from runners.pybench.local_modules import MISSING_FILE
from runners.pybench.profile_records import ProfileUnreadable, read_profile
from runners.records import GuestRecords, RecordsUnreadable, read_records

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

_WINDOWS = 2
_UNCHANGED = (VariantKind.PLAIN, VariantKind.PROFILED)
"""Kinds of variants of which no instruction has to be seen in the running code."""


def read_outcome(
    trial: Trial, answers: Sequence[CompletedProcess], name: str, profile: str = ""
) -> Outcome:
    """Return how the trial ended; `name` and `profile` are those of the guest's two files."""
    answer = answers[-1]
    records_data = answer.find_file(name)
    if trial.benchmark is None:
        return _read_test_outcome(trial, answer, records_data)
    if answer.timed_out:
        return TimedOut(answer.seconds, answer.format_tail())
    try:
        records = read_records(records_data, len(trial.schedule.blocks))
    except RecordsUnreadable as error:
        return Unreadable(str(error), answer.format_tail())
    records.stopped |= answer.enough
    failure = _find_failure(trial, records, answer)
    if failure is None and trial.variant.kind is VariantKind.PROFILED:
        return _read_profiled(trial, answer, answer.find_file(profile))
    return failure or _read_values(trial, records)


def _read_profiled(trial: Trial, answer: CompletedProcess, data: bytes) -> Outcome:
    try:
        return read_profile(data, trial.schedule)
    except ProfileUnreadable as error:
        return Unreadable(str(error), answer.format_tail())


def _read_test_outcome(trial: Trial, answer: CompletedProcess, data: bytes) -> Outcome:
    """Return what unit tests have called, as one window; `missing` is what did not run."""
    try:
        records = read_records(data, 0)
    except RecordsUnreadable as error:
        return Unreadable(str(error), answer.format_tail())
    if records.refused:
        return NotBuilt(_join_reasons(records.refused))
    if records.skipped is not None:
        return Skipped(records.skipped)
    if trial.purpose is Purpose.TRACE:
        ran = records.tests is not None or bool(records.calls)
    else:
        ran = bool(records.windows)
    if ran:
        return _read_calls(trial, records, answer)
    if answer.exit_code is None:
        return TimedOut(answer.seconds, answer.format_tail())
    name = add_remedy(_join_reasons(records.failures), _make_local_explanation(trial))
    return Crashed(answer.exit_code, name or answer.format_tail())


def _read_calls(trial: Trial, records: GuestRecords, answer: CompletedProcess) -> Counted | Traced:
    explain_local = _make_local_explanation(trial)
    gaps = [add_remedy(reason, explain_local) for reason in dict.fromkeys(records.missing)]
    if answer.timed_out:
        gaps.append(f"the unit tests were ended after {answer.seconds:.0f} s")
    elif answer.exit_code and not gaps:
        gaps.append(f"the unit tests ended with {answer.exit_code}")
    method_ids = {method.id for method in trial.variant.methods}
    if trial.purpose is Purpose.TRACE:
        method_calls = records.list_method_calls({name: name for name in method_ids})
        return Traced(
            calls=method_calls,
            tests=records.tests,
            missing="; ".join(gaps),
            ended_after=trial.timeout_seconds if answer.timed_out else None,
        )
    calls: Counter[str] = Counter()
    for _, counts, _ in records.windows:
        calls.update(counts)
    method_counts = tuple(
        sorted((name, number) for name, number in calls.items() if name in method_ids)
    )
    library_shares = records.list_library_shares({name: name for name in method_ids})
    return Counted(
        (Window(0, method_counts),), missing="; ".join(gaps), library_shares=library_shares
    )


def _make_local_explanation(trial: Trial) -> Callable[[str], str]:
    """Return what explains missing modules of the packages whose methods a trial counts."""
    packages = {method.id.partition(".")[0] for method in trial.variant.methods}
    return lambda name: MISSING_FILE if name.partition(".")[0] in packages else ""


def _find_failure(trial: Trial, records: GuestRecords, answer: CompletedProcess) -> Outcome | None:
    if records.refused:
        return NotBuilt(_join_reasons(records.refused))
    if records.skipped is not None:
        return Skipped(records.skipped)
    if answer.exit_code:
        name = _join_reasons(records.failures) if records.failures else answer.format_tail()
        return Crashed(answer.exit_code, name)
    if records.failures:
        return Unreadable(_join_reasons(records.failures), answer.format_tail())
    if trial.variant.kind not in _UNCHANGED and not records.present:
        return NeverCalled()  # of a module that is not imported no function is called
    return _check_completeness(trial, records, answer)


def _join_reasons(reasons: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(reasons))[:2000]


def _check_completeness(
    trial: Trial, records: GuestRecords, answer: CompletedProcess
) -> Outcome | None:
    if trial.variant.kind is VariantKind.COUNTING:
        is_complete = len(records.windows) == _WINDOWS
        return (
            None
            if is_complete
            else Unreadable("not all windows were counted", answer.format_tail())
        )
    if not records.is_complete(trial.schedule):
        return Unreadable("not all blocks were run", answer.format_tail())
    for record in records.blocks:
        if not math.isfinite(record.seconds_per_operation) or record.seconds_per_operation <= 0:
            reason = f"block {record.index} has no time: {record.seconds_per_operation} s/op"
            return Unreadable(reason, answer.format_tail())
    return NeverCalled() if _never_called(trial, records) else None


def _never_called(trial: Trial, records: GuestRecords) -> bool:
    return trial.variant.kind is VariantKind.DELAYED and "called" not in records.present


def _read_values(trial: Trial, records: GuestRecords) -> Outcome:
    if trial.variant.kind is VariantKind.COUNTING:
        ids = {method.id: method.id for method in trial.variant.methods}
        return records.summarise_counts(ids, set_up_apart=True)
    return Measured(records.build_series(trial.schedule))


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
