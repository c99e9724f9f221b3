"""What about this machine makes measurements worse."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

from auditor.core.caveats import Caveat

BUSY_SHARE = 0.3
"""The load per core from which others visibly disturb a benchmark."""


def list_machine_caveats(facts: Mapping[str, str], load: float | None) -> tuple[Caveat, ...]:
    """Return what to know of a machine; `load` is its mean number of running processes.

    What cannot be read is no caveat of its own: most virtual machines show none of it.
    """
    machine_caveats = []
    governor, quota = facts.get("governor", "unknown"), facts.get("quota", "unknown")
    if governor not in ("performance", "unknown"):
        text = f"the CPU governor is {governor}, so speed changes; set it to performance"
        machine_caveats.append(Caveat("host-governor", text))
    if facts.get("turbo") == "on":
        machine_caveats.append(
            Caveat("host-turbo", "turbo is on, so speed depends on temperature; turn it off")
        )
    if facts.get("smt") == "on":
        machine_caveats.append(
            Caveat(
                "host-smt",
                "two threads share each core and slow each other; turn SMT off, or keep the "
                "second thread of each measuring core idle",
            )
        )
    if facts.get("aslr") not in (None, "0", "unknown"):
        machine_caveats.append(
            Caveat(
                "host-aslr", "address randomisation is on, so processes differ; use several runs"
            )
        )
    if facts.get("virtual", "no").startswith("yes"):
        machine_caveats.append(
            Caveat(
                "host-virtual",
                "this is a virtual machine, so its neighbours disturb; use real hardware",
            )
        )
    if quota.partition(" ")[0] not in ("max", "unknown"):
        machine_caveats.append(
            Caveat("host-quota", f"the CPU quota is {quota}, so benchmarks get paused; raise it")
        )
    if load is not None and (load_caveat := warn_of_load(load, int(facts.get("cores", "1")))):
        machine_caveats.append(load_caveat)
    return tuple(machine_caveats)


def warn_of_load(load: float, cores: int) -> Caveat | None:
    """Say that a machine has other work, given its mean number of running processes."""
    if load / cores <= BUSY_SHARE:
        return None
    return Caveat(
        "host-load", f"{load:.1f} processes were running on {cores} cores; end other work, or wait"
    )


def explain_unwritable(folder: Path) -> str | None:
    """Return why nothing can be written to a folder of ours, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x" * 4096)
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return None
