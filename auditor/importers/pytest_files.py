"""pytest-benchmark's files (`.benchmarks`, `--benchmark-json`): a process each."""

from pathlib import Path
from statistics import fmean

from auditor.core.jobs import HostFacts
from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.importers.checking import (
    Broken,
    clean,
    fact,
    items,
    mapping,
    moment,
    number,
    process,
    quoted_name,
    text,
)

_NO_COMMIT = "unversioned"


def is_mine(document: dict[str, object]) -> bool:
    """Tell whether pytest-benchmark wrote it."""
    return "machine_info" in document and "benchmarks" in document


def read(document: dict[str, object], path: Path) -> StoredRun:
    """Return the run; raises Broken. Its values are those of rounds, already per iteration."""
    commit = _object(document.get("commit_info"))
    processes: dict[str, tuple[StoredProcess, ...]] = {}
    for index, entry in enumerate(items(document["benchmarks"], "benchmarks")):
        place = f"benchmarks[{index}]"
        benchmark = mapping(entry, place)
        name = text(benchmark.get("fullname"), f"{place}.fullname")
        if name in processes:
            raise Broken(f"{quoted_name(name)} is there twice; give the file of one session")
        processes[name] = (_process(name, benchmark),)
    return StoredRun(
        name=path.name,
        host=_host(_object(document["machine_info"])),
        commit=_commit(commit),
        made=(moment(commit.get("time")), moment(document.get("datetime"))),
        processes=processes,
    )


def _process(name: str, entry: dict[str, object]) -> StoredProcess:
    stats = mapping(entry.get("stats"), f"{quoted_name(name)}: stats")
    what = f"{quoted_name(name)}: stats.data"
    values = [number(item, what) for item in items(stats.get("data", []), what)]
    # The mean is there in either case; of the same values, so that files of both kinds compare.
    middle = (
        fmean(values) if values else number(stats.get("mean"), f"{quoted_name(name)}: stats.mean")
    )
    return process(values, middle)


def _object(value: object) -> dict[str, object]:
    """Return what is said of a machine or a commit: hooks of a project may have emptied it."""
    return value if isinstance(value, dict) else {}


def _commit(info: dict[str, object]) -> str:
    name = info.get("id")
    if not isinstance(name, str) or name in ("", _NO_COMMIT):
        return ""
    return clean(name) + ("-dirty" if info.get("dirty") is True else "")


def _host(info: dict[str, object]) -> HostFacts:
    cpu = _object(info.get("cpu"))
    python = f"{fact(info.get('python_implementation'))} {fact(info.get('python_version'))}"
    facts = {
        "arch": fact(info.get("machine")),
        "cores": fact(cpu.get("count")),
        "cpu": fact(cpu.get("brand_raw")),
        "kernel": f"{fact(info.get('system'))} {fact(info.get('release'))}",
        "python": python,
    }
    return HostFacts(fact(info.get("node")), tuple(sorted(facts.items())))
