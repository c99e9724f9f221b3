"""Which machines are alike: what was measured on one may stand beside what the other measures."""

import re
from collections.abc import Mapping

from auditor.core.caveats import Caveat
from auditor.core.jobs import HostFacts

UNKNOWN = "unknown"
"""What a machine says of itself that does not tell."""


def make_machine_key(host: HostFacts) -> str:
    """Return what matters of a machine, in words that two alike share.

    Memory is rounded to GiB: kernels keep a little for themselves, each another amount. What runs
    in containers of an image has other libraries than what does not. A virtual machine is none like
    the metal that it is a part of, nor is one whose control group has a share of the time only, or
    one whose processors change their speed by another rule.
    """
    facts = dict(host.facts)
    processor, cores, arch = (facts.get(key, UNKNOWN) for key in ("cpu", "cores", "arch"))
    image = facts.get("image")
    within = f", containers of {image[:19]}" if image else ""
    virtual = ", virtual" if facts.get("virtual", "").startswith("yes") else ""
    return (
        f"processor {processor}, {cores} cores, {_describe_memory(facts)} of memory, {arch}"
        f"{virtual}{_describe_speed(facts)}{_describe_quota(facts)}{within}"
    )


def _describe_speed(facts: Mapping[str, str]) -> str:
    """Return what decides how fast the processors run, as far as it is known."""
    speed_facts = ((name, facts.get(name, UNKNOWN)) for name in ("governor", "turbo"))
    return "".join(f", {name} {value}" for name, value in speed_facts if value != UNKNOWN)


def _describe_quota(facts: Mapping[str, str]) -> str:
    """Return what of the time is granted where that is not all: microseconds of a period (v2)."""
    quota = facts.get("quota", "")
    return f", quota {quota}" if quota and not quota.startswith("max") else ""


def _describe_memory(facts: Mapping[str, str]) -> str:
    match = re.fullmatch(r"(\d+) MiB", facts.get("memory", ""))
    return f"{round(int(match[1]) / 1024)} GiB" if match else "unknown size"


def describe_unused_runs(elsewhere: Mapping[str, int]) -> Caveat | None:
    """Say that runs are not used, given how many there are by the machine that made them."""
    if not elsewhere:
        return None
    machines = "; ".join(elsewhere)
    text = (
        f"the store has {sum(elsewhere.values())} runs of this subject from another machine "
        f"({machines}); they are kept but not used, and missing runs are measured anew"
    )
    return Caveat("other-machine", text)
