"""What about this machine makes measurements worse."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from auditor.core.caveats import Caveat

BUSY_SHARE = 0.3
"""The load per core from which others visibly disturb a benchmark."""


def caveats(facts: Mapping[str, str], load: float | None) -> tuple[Caveat, ...]:
    """Return what to know of a machine; `load` is its mean number of running processes.

    What cannot be read is no caveat of its own: most virtual machines show none of it.
    """
    found = []
    governor, quota = facts.get("governor", "unknown"), facts.get("quota", "unknown")
    if governor not in ("performance", "unknown"):
        found.append(
            Caveat(
                "host-governor",
                f"the processor's governor is {governor}, so its speed changes; "
                "set it to performance",
            )
        )
    if facts.get("turbo") == "on":
        found.append(
            Caveat(
                "host-turbo", "turbo is on, so the speed depends on the temperature; turn it off"
            )
        )
    if facts.get("smt") == "on":
        found.append(
            Caveat(
                "host-smt",
                "two threads share each core, so what runs on one slows the other; turn SMT off, "
                "or leave the other threads of the cores that measure alone",
            )
        )
    if facts.get("aslr") not in (None, "0", "unknown"):
        found.append(
            Caveat("host-aslr", "addresses are randomised, so processes differ; runs average that")
        )
    if facts.get("virtual", "no").startswith("yes"):
        found.append(
            Caveat("host-virtual", "this is a virtual machine; its neighbours are measured too")
        )
    if quota.partition(" ")[0] not in ("max", "unknown"):
        found.append(
            Caveat("host-quota", f"processor time is limited ({quota}), which stops benchmarks")
        )
    if load is not None and (others := busy_caveat(load, int(facts.get("cores", "1")))):
        found.append(others)
    return tuple(found)


def busy_caveat(load: float, cores: int) -> Caveat | None:
    """Say that a machine has other work, given its mean number of running processes."""
    if load / cores <= BUSY_SHARE:
        return None
    return Caveat("host-load", f"{load:.1f} processes were running lately on {cores} cores; wait")


def unwritable(folder: Path) -> str | None:
    """Return why nothing can be written to a folder of ours, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x" * 4096)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return None
