"""pytest-benchmark's files (`.benchmarks`, `--benchmark-json`): a process each."""

from pathlib import Path
from statistics import fmean

from auditor.core.jobs import HostFacts
from auditor.core.series.stored import StoredProcess, StoredRun
from auditor.importers.checking import (
    BrokenFile,
    build_process,
    escape_text,
    format_fact,
    parse_timestamp,
    quoted_name,
    require_list,
    require_mapping,
    require_number,
    require_text,
)

_NO_COMMIT = "unversioned"


def matches_format(document: dict[str, object]) -> bool:
    """Tell whether pytest-benchmark wrote it."""
    return "machine_info" in document and "benchmarks" in document


def parse_run(document: dict[str, object], path: Path) -> StoredRun:
    """Return the run; raises BrokenFile. Its values are those of rounds, already per iteration."""
    commit = _read_object(document.get("commit_info"))
    processes: dict[str, tuple[StoredProcess, ...]] = {}
    for index, entry in enumerate(require_list(document["benchmarks"], "benchmarks")):
        place = f"benchmarks[{index}]"
        benchmark = require_mapping(entry, place)
        name = require_text(benchmark.get("fullname"), f"{place}.fullname")
        if name in processes:
            raise BrokenFile(f"{quoted_name(name)} exists twice; give the file of one session")
        processes[name] = (_build_process(name, benchmark),)
    return StoredRun(
        name=path.name,
        host=_read_host(_read_object(document["machine_info"])),
        commit=_format_commit(commit),
        timestamps=(parse_timestamp(commit.get("time")), parse_timestamp(document.get("datetime"))),
        processes=processes,
    )


def _build_process(name: str, entry: dict[str, object]) -> StoredProcess:
    stats = require_mapping(entry.get("stats"), f"{quoted_name(name)}: stats")
    label = f"{quoted_name(name)}: stats.data"
    values = [require_number(item, label) for item in require_list(stats.get("data", []), label)]
    # The mean is there in either case; of the same values, so that files of both kinds compare.
    middle = (
        fmean(values)
        if values
        else require_number(stats.get("mean"), f"{quoted_name(name)}: stats.mean")
    )
    return build_process(values, middle)


def _read_object(value: object) -> dict[str, object]:
    """Return what is said of a machine or a commit: hooks of a project may have emptied it."""
    return value if isinstance(value, dict) else {}


def _format_commit(info: dict[str, object]) -> str:
    name = info.get("id")
    if not isinstance(name, str) or name in ("", _NO_COMMIT):
        return ""
    return escape_text(name) + ("-dirty" if info.get("dirty") is True else "")


def _read_host(info: dict[str, object]) -> HostFacts:
    cpu = _read_object(info.get("cpu"))
    python = (
        f"{format_fact(info.get('python_implementation'))} "
        f"{format_fact(info.get('python_version'))}"
    )
    facts = {
        "arch": format_fact(info.get("machine")),
        "cores": format_fact(cpu.get("count")),
        "cpu": format_fact(cpu.get("brand_raw")),
        "kernel": f"{format_fact(info.get('system'))} {format_fact(info.get('release'))}",
        "python": python,
    }
    return HostFacts(format_fact(info.get("node")), tuple(sorted(facts.items())))
