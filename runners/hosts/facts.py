"""What a machine is, read from where the kernel says it; "unknown" is a value of its own."""

import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.jobs import HostFacts

UNKNOWN = "unknown"
_CPUS = "/sys/devices/system/cpu"
_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_MARKS = ("/.dockerenv", "/run/.containerenv")
PATHS = (
    *_IDS,
    *_MARKS,
    "/etc/os-release",
    "/proc/1/cgroup",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/sys/kernel/randomize_va_space",
    "/sys/class/dmi/id/product_name",
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/fs/cgroup/cpu.max",
    "/sys/fs/cgroup/cpu/cpu.cfs_quota_us",
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    "/sys/hypervisor/type",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    f"{_CPUS}/cpu0/cpufreq/scaling_governor",
    f"{_CPUS}/cpufreq/boost",
    f"{_CPUS}/intel_pstate/no_turbo",
    f"{_CPUS}/smt/control",
)
"""All files of Linux that are asked."""
_FENCE = "=== bench-audit "
SCRIPT = f"""for path in {" ".join(PATHS)}; do
[ -r "$path" ] && echo && echo "{_FENCE}$path" && cat "$path"
done 2>/dev/null
echo; echo "{_FENCE}arch"; uname -m
echo "{_FENCE}kernel"; uname -sr
echo "{_FENCE}node"; uname -n
echo "{_FENCE}cores"; nproc
"""
"""Words for a shell: they print what a machine, or a container, says of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a Linux machine says of itself; `texts` are those of PATHS that can be read there."""

    texts: Mapping[str, str]
    arch: str
    kernel: str
    node: str
    cores: str


def fenced(printed: str) -> dict[str, str]:
    """Return the texts of files that a shell has printed, each behind a line with its path."""
    return {
        head.strip(): text.strip()
        for head, _, text in (one.partition("\n") for one in f"\n{printed}".split(f"\n{_FENCE}"))
    }


def said(printed: str) -> Said:
    """Return what SCRIPT has printed."""
    parts = fenced(printed)
    named = {one: parts.pop(one, "") or UNKNOWN for one in ("arch", "kernel", "node", "cores")}
    return Said(texts={key: text for key, text in parts.items() if key in PATHS}, **named)


def linux_facts(of: Said) -> HostFacts:
    """Return the name and the facts of a Linux machine."""
    facts = {
        "arch": of.arch,
        "cores": of.cores,
        "kernel": of.kernel,
        **{key: reader(of.texts) or UNKNOWN for key, reader in _LINUX.items()},
    }
    number = next((of.texts[one] for one in _IDS if of.texts.get(one)), "")
    return HostFacts(_digest(number or of.node), tuple(sorted(facts.items())))


def machine_facts() -> HostFacts:
    """Return the name and the facts of the machine we run on."""
    kernel = f"{platform.system()} {platform.release()}"
    arch = platform.machine() or UNKNOWN
    if platform.system() != "Darwin":
        texts = {path: text for path in PATHS if (text := _text(path)) is not None}
        here = Said(
            texts=texts, arch=arch, kernel=kernel, node=platform.node(), cores=str(_cores())
        )
        return linux_facts(here)
    facts = {key: reader() or UNKNOWN for key, reader in _MAC.items()}
    own = {"arch": arch, "cores": str(_cores()), "kernel": kernel}
    name = _digest(_sysctl("kern.uuid") or platform.node())
    return HostFacts(name, tuple(sorted({**facts, **own}.items())))


def _cores() -> int:
    """Count the processors that we may use; os.cpu_count() ignores sets and containers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _digest(number: str) -> str:
    """Return a short digest of a machine's stable number: tells apart, reveals nothing."""
    return hashlib.sha256(f"bench-audit {number}".encode()).hexdigest()[:12]


def _text(path: str) -> str | None:
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return None


Texts = Mapping[str, str]


def _chosen(text: str) -> str:
    """Return the value in brackets of a kernel setting such as `always [madvise] never`."""
    found = re.search(r"\[(\w+)\]", text)
    return found[1] if found else ""


def _found(text: str, pattern: str) -> str:
    found = re.search(pattern, text, re.MULTILINE)
    return found[1].strip() if found else ""


def _turbo(texts: Texts) -> str:
    off = texts.get(f"{_CPUS}/intel_pstate/no_turbo", "")
    boost = {"0": "1", "1": "0"}.get(off) or texts.get(f"{_CPUS}/cpufreq/boost", "")
    return {"0": "off", "1": "on"}.get(boost, "")


def _memory(texts: Texts) -> str:
    """Return the memory that may be used: the machine's, or less where a control group says so."""
    kibibytes = _found(texts.get("/proc/meminfo", ""), r"^MemTotal:\s+(\d+) kB")
    if not kibibytes:
        return ""
    limits = [
        int(text)
        for path in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
        if (text := texts.get(path, "")).isdecimal()
    ]
    return f"{min(int(kibibytes) // 1024, *(one // 2**20 for one in limits))} MiB"


def _virtual(texts: Texts) -> str:
    product = texts.get("/sys/class/dmi/id/product_name") or texts.get("/sys/hypervisor/type", "")
    if re.search(r"^flags\s*:.* hypervisor\b", texts.get("/proc/cpuinfo", ""), re.MULTILINE):
        return f"yes {product}".strip()
    return "no" if product else ""


def _container(texts: Texts) -> str:
    if any(one in texts for one in _MARKS):
        return "yes"
    marks = re.search(r"docker|kubepods|containerd|libpod|lxc", texts.get("/proc/1/cgroup", ""))
    return "yes" if marks else "no"


def _quota(texts: Texts) -> str:
    """Return the share of time that the control group grants (v2, then v1)."""
    if unified := texts.get("/sys/fs/cgroup/cpu.max"):
        return unified
    quota = texts.get("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "")
    return {"": "", "-1": "max"}.get(quota, quota)


def _sysctl(name: str) -> str:
    try:
        answer = subprocess.run(
            ("/usr/sbin/sysctl", "-n", name),
            capture_output=True,
            timeout=5,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return answer.stdout.decode(errors="replace").strip()


def _whole(path: str) -> Callable[[Texts], str]:
    return lambda texts: texts.get(path, "")


_LINUX: Mapping[str, Callable[[Texts], str]] = {
    "aslr": _whole("/proc/sys/kernel/randomize_va_space"),
    "clocksource": _whole("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
    "container": _container,
    "cpu": lambda texts: _found(
        texts.get("/proc/cpuinfo", ""), r"^(?:model name|Hardware|cpu model)\s*:(.*)$"
    ),
    "governor": _whole(f"{_CPUS}/cpu0/cpufreq/scaling_governor"),
    "memory": _memory,
    "os": lambda texts: _found(texts.get("/etc/os-release", ""), r'^PRETTY_NAME="?([^"\n]*)'),
    "quota": _quota,
    "smt": _whole(f"{_CPUS}/smt/control"),
    "thp": lambda texts: _chosen(texts.get("/sys/kernel/mm/transparent_hugepage/enabled", "")),
    "turbo": _turbo,
    "virtual": _virtual,
}
_MAC: dict[str, Callable[[], str]] = {
    "aslr": lambda: "",
    "clocksource": lambda: "mach_absolute_time",
    "container": lambda: "no",
    "cpu": lambda: _sysctl("machdep.cpu.brand_string"),
    "governor": lambda: "",
    "memory": lambda: f"{int(_sysctl('hw.memsize') or 0) // 2**20} MiB",
    "os": lambda: f"macOS {platform.mac_ver()[0]}",
    "quota": lambda: "max",
    "smt": lambda: "",
    "thp": lambda: "",
    "turbo": lambda: "",
    "virtual": lambda: {"0": "no", "1": "yes"}.get(_sysctl("kern.hv_vmm_present"), ""),
}
