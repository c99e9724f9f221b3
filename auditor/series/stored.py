"""Runs of results that other tools have stored, and what is to be known of them."""

from collections.abc import Iterator
from dataclasses import replace

from auditor.core.caveats import Caveat, list_some
from auditor.core.jobs import HostFacts
from auditor.core.series.stored import StoredProcess, StoredResults, StoredRun


def split_processes(runs: tuple[StoredRun, ...]) -> tuple[StoredRun, ...]:
    """Return the runs; of a single one its processes, if benchmarks have several of them."""
    if len(runs) > 1:
        return runs
    parts: dict[int, dict[str, tuple[StoredProcess, ...]]] = {}
    for name, processes in runs[0].processes.items():
        for index, process in enumerate(processes):
            parts.setdefault(index, {})[name] = (process,)
    return tuple(replace(runs[0], processes=part) for part in parts.values()) or runs


def count_expected_runs(name: str, runs: tuple[StoredRun, ...]) -> int:
    """Return how many runs should have a benchmark.

    Of a single run, parted by `split_processes`, the first ones should.
    """
    return len(runs) if len(runs) > 1 else max(1, len(runs[0].processes[name]))


def list_result_caveats(results: StoredResults) -> Iterator[Caveat]:
    """Yield what is to be known of results, whatever is asked of them."""
    yield from results.caveats
    figures = {
        name
        for run in results.runs
        for name, processes in run.processes.items()
        if any(process.middle is not None and not process.seconds for process in processes)
    }
    if figures:
        text = (
            f"{len(figures)} of {len(results.benchmark_names)} benchmarks have only a summary of "
            f"each process, not its values{_suggest_option(results.harness)}"
        )
        yield Caveat("figures-only", text)
    if results.left_out:
        text = f"benchmarks that do not measure time were left out: {list_some(results.left_out)}"
        yield Caveat("no-times", text)
    if results.older:
        commit_list = list_some(results.commit_ids) or "unknown"
        text = (
            f"the runs are of commit {commit_list}; results of other commits exist "
            f"({list_some(results.older)}): choose with --commit"
        )
        yield Caveat("chosen-commit", text)
    if len(results.commit_ids) > 1:
        text = (
            f"the runs are of {len(results.commit_ids)} commits, so the spread includes changes of "
            f"the code: {list_some(results.commit_ids)}"
        )
        yield Caveat("mixed-commits", text)


_KEEPING = {
    "pytest": "--benchmark-save-data",
    "asv": "--record-samples",
    "jmh": "-rf json",
    "google-benchmark": "--benchmark_report_aggregates_only=false",
    "criterion": "sample.json in target/criterion",
}
"""Options of the tools that do not always keep values."""


def _suggest_option(harness: str) -> str:
    return f"; {_KEEPING[harness]} keeps these" if harness in _KEEPING else ""


def find_common_host(runs: tuple[StoredRun, ...]) -> HostFacts:
    """Return the machine of all runs, with the facts that are the same of all."""
    names = {run.host.name for run in runs}
    shared = set.intersection(*(set(run.host.facts) for run in runs))
    name = names.pop() if len(names) == 1 else "several machines"
    return HostFacts(name, tuple(sorted(shared)))
