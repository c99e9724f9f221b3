"""What a machine is, read from where the kernel says it; "unknown" is a value of its own."""

import hashlib
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from auditor.core.jobs import HostFacts

UNKNOWN = "unknown"
_CPUS = "/sys/devices/system/cpu"


def machine_facts() -> HostFacts:
    """Return the name and the facts of the machine we run on."""
    facts = {
        "arch": platform.machine() or UNKNOWN,
        "cores": str(_cores()),
        "kernel": f"{platform.system()} {platform.release()}",
        **_in_kind(),
    }
    return HostFacts(_name(), tuple(sorted(facts.items())))


def _in_kind() -> dict[str, str]:
    readers = _MAC if sys.platform == "darwin" else _LINUX
    return {key: reader() or UNKNOWN for key, reader in readers.items()}


def _cores() -> int:
    """Count the processors that we may use; os.cpu_count() ignores sets and containers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _name() -> str:
    """Return a short digest of the machine's stable number: tells apart, reveals nothing."""
    number = _text("/etc/machine-id") or _text("/var/lib/dbus/machine-id")
    if not number and sys.platform == "darwin":
        number = _sysctl("kern.uuid")
    return hashlib.sha256(f"bench-audit {number or platform.node()}".encode()).hexdigest()[:12]


def _text(path: str) -> str:
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return ""


def _chosen(path: str) -> str:
    """Return the value in brackets of a kernel setting such as `always [madvise] never`."""
    found = re.search(r"\[(\w+)\]", _text(path))
    return found[1] if found else ""


def _found(path: str, pattern: str) -> str:
    found = re.search(pattern, _text(path), re.MULTILINE)
    return found[1].strip() if found else ""


def _turbo() -> str:
    off = _text(f"{_CPUS}/intel_pstate/no_turbo")
    boost = {"0": "1", "1": "0"}.get(off) or _text(f"{_CPUS}/cpufreq/boost")
    return {"0": "off", "1": "on"}.get(boost, "")


def _memory() -> str:
    kibibytes = _found("/proc/meminfo", r"^MemTotal:\s+(\d+) kB")
    return f"{int(kibibytes) // 1024} MiB" if kibibytes else ""


def _virtual() -> str:
    product = _text("/sys/class/dmi/id/product_name") or _text("/sys/hypervisor/type")
    if re.search(r"^flags\s*:.* hypervisor\b", _text("/proc/cpuinfo"), re.MULTILINE):
        return f"yes {product}".strip()
    return "no" if product else ""


def _container() -> str:
    if Path("/.dockerenv").exists() or Path("/run/.containerenv").exists():
        return "yes"
    marks = re.search(r"docker|kubepods|containerd|libpod|lxc", _text("/proc/1/cgroup"))
    return "yes" if marks else "no"


def _quota() -> str:
    """Return the share of time that the control group grants (v2, then v1)."""
    if unified := _text("/sys/fs/cgroup/cpu.max"):
        return unified
    quota = _text("/sys/fs/cgroup/cpu/cpu.cfs_quota_us")
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


_LINUX: dict[str, Callable[[], str]] = {
    "aslr": lambda: _text("/proc/sys/kernel/randomize_va_space"),
    "clocksource": lambda: _text(
        "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    ),
    "container": _container,
    "cpu": lambda: _found("/proc/cpuinfo", r"^(?:model name|Hardware|cpu model)\s*:(.*)$"),
    "governor": lambda: _text(f"{_CPUS}/cpu0/cpufreq/scaling_governor"),
    "memory": _memory,
    "os": lambda: _found("/etc/os-release", r'^PRETTY_NAME="?([^"\n]*)'),
    "quota": _quota,
    "smt": lambda: _text(f"{_CPUS}/smt/control"),
    "thp": lambda: _chosen("/sys/kernel/mm/transparent_hugepage/enabled"),
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
