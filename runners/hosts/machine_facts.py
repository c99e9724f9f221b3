"""What a machine is, read from where the kernel says it; "unknown" is a value of its own."""

import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from auditor.core.jobs import HostFacts
from runners.hosts import groups

UNKNOWN = "unknown"
_CPUS = "/sys/devices/system/cpu"
_IDS = ("/etc/machine-id", "/var/lib/dbus/machine-id")
_PERIOD = "100000"
"""Of a quota, in microseconds, where nothing else is said."""
_PRODUCT, _VENDOR = "/sys/class/dmi/id/product_name", "/sys/class/dmi/id/sys_vendor"
_HYPERVISOR = "/proc/device-tree/hypervisor/compatible"
_MARKS = ("/.dockerenv", "/run/.containerenv")
PATHS = (
    *_IDS,
    *_MARKS,
    "/etc/os-release",
    "/proc/1/cgroup",
    "/proc/cpuinfo",
    "/proc/meminfo",
    groups.OWN,
    "/proc/sys/kernel/randomize_va_space",
    _PRODUCT,
    _VENDOR,
    _HYPERVISOR,
    "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    "/sys/hypervisor/type",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    f"{_CPUS}/cpu0/cpufreq/scaling_governor",
    f"{_CPUS}/cpufreq/boost",
    f"{_CPUS}/intel_pstate/no_turbo",
    f"{_CPUS}/smt/control",
)
"""All files of Linux that are asked, beside those of LIMITS in each control group."""
LIMITS = (
    *("cpu.max", "memory.max"),
    *("cpu.cfs_quota_us", "cpu.cfs_period_us", "memory.limit_in_bytes"),
)
_FENCE = "=== bench-audit "
SCRIPT = f"""{groups.WORDS}
{{ printf '%s\\n' {" ".join(PATHS)}; groups {" ".join(LIMITS)} <{groups.OWN}; }} 2>/dev/null |
while read -r path; do
[ -r "$path" ] && echo && printf '{_FENCE}%s\\n' "$path" && cat "$path"
done 2>/dev/null
echo; echo "{_FENCE}arch"; uname -m
echo "{_FENCE}kernel"; uname -sr
echo "{_FENCE}node"; uname -n
echo "{_FENCE}cores"; nproc
"""
"""Words for a shell: they print what a machine, or a container, says of itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineFacts:
    """What a Linux machine says of itself; `texts` are of the files that can be read there."""

    texts: Mapping[str, str]
    arch: str
    kernel: str
    node: str
    cores: str


def split_fenced_texts(printed: str) -> dict[str, str]:
    """Return the texts of files that a shell has printed, each behind a line with its path."""
    return {
        head.strip(): text.strip()
        for head, _, text in (
            section.partition("\n") for section in f"\n{printed}".split(f"\n{_FENCE}")
        )
    }


def parse_facts(printed: str) -> MachineFacts:
    """Return what SCRIPT has printed."""
    parts = split_fenced_texts(printed)
    named = {one: parts.pop(one, "") or UNKNOWN for one in ("arch", "kernel", "node", "cores")}
    facts = {key: text for key, text in parts.items() if key in PATHS or _limits(key)}
    return MachineFacts(texts=facts, **named)


def _limits(path: str) -> bool:
    return path.startswith(f"{groups.ROOT}/") and path.rpartition("/")[2] in LIMITS


def linux_facts(of: MachineFacts) -> HostFacts:
    """Return the name and the facts of a Linux machine."""
    facts = {
        "arch": of.arch,
        "cores": of.cores,
        "kernel": of.kernel,
        **{key: reader(of.texts) or UNKNOWN for key, reader in _LINUX.items()},
    }
    number = next((of.texts[text] for text in _IDS if of.texts.get(text)), "")
    return HostFacts(_digest(number or of.node), tuple(sorted(facts.items())))


def machine_facts() -> HostFacts:
    """Return the name and the facts of the machine we run on."""
    kernel = f"{platform.system()} {platform.release()}"
    arch = platform.machine() or UNKNOWN
    if platform.system() != "Darwin":
        limits = groups.paths(_text(groups.OWN) or "", LIMITS)
        texts = {path: text for path in (*PATHS, *limits) if (text := _text(path)) is not None}
        here = MachineFacts(
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
    match = re.search(r"\[(\w+)\]", text)
    return match[1] if match else ""


def _found(text: str, pattern: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1].strip() if match else ""


def _turbo(texts: Texts) -> str:
    off = texts.get(f"{_CPUS}/intel_pstate/no_turbo", "")
    boost = {"0": "1", "1": "0"}.get(off) or texts.get(f"{_CPUS}/cpufreq/boost", "")
    return {"0": "off", "1": "on"}.get(boost, "")


def _memory(texts: Texts) -> str:
    """Return the memory that may be used: the machine's, or less where a control group says so.

    Version 1 has the largest number where version 2 has "max".
    """
    kibibytes = _found(texts.get("/proc/meminfo", ""), r"^MemTotal:\s+(\d+) kB")
    if not kibibytes:
        return ""
    names = ("memory.max", "memory.limit_in_bytes")
    limits = [int(text) for _, text in _of_groups(texts, *names) if text.isdecimal()]
    return f"{min((int(kibibytes) // 1024, *(limit // 2**20 for limit in limits)))} MiB"


def _cpu(texts: Texts) -> str:
    """Return the name of the processor; 64-bit ARM has numbers only, one set for each kind."""
    text = texts.get("/proc/cpuinfo", "")
    if name := _found(text, r"^(?:model name|Hardware|cpu model)\s*:(.*)$"):
        return name
    numbers = [
        re.findall(rf"^CPU {name}\s*:\s*(\S+)", text, re.MULTILINE)
        for name in ("implementer", "variant", "part", "revision")
    ]
    kinds = dict.fromkeys(zip(*numbers, strict=False))
    return ", ".join(
        f"ARM {maker} variant {variant} part {part} revision {revision}"
        for maker, variant, part, revision in kinds
    )


_MAKERS = re.compile(
    r"Amazon EC2|Apple Virtualization|BHYVE|Bochs|Google Compute Engine|Hyper-V|KVM|KubeVirt|"
    r"OpenStack|Parallels|QEMU|VMware|VirtualBox|Virtual Machine|Xen|innotek"
)
"""Whose machines are virtual, by what those say of their maker and kind."""


def _virtual(texts: Texts) -> str:
    """Tell whether a machine is virtual: on x86 its processor says so, elsewhere what it is."""
    product = texts.get(_PRODUCT) or texts.get("/sys/hypervisor/type", "")
    flags = _found(texts.get("/proc/cpuinfo", ""), r"^flags\s*:(.*)$")
    if flags:
        marked = "hypervisor" in flags.split()
        return f"yes {product}".strip() if marked else ("no" if product else "")
    if texts.get(_HYPERVISOR):
        return f"yes {product}".strip()
    if re.search(r"\.metal(-|$)", product):
        return "no"
    return f"yes {product}" if _MAKERS.search(f"{texts.get(_VENDOR, '')} {product}") else ""


def _container(texts: Texts) -> str:
    if any(mark in texts for mark in _MARKS):
        return "yes"
    marks = re.search(r"docker|kubepods|containerd|libpod|lxc", texts.get("/proc/1/cgroup", ""))
    return "yes" if marks else "no"


def _quota(texts: Texts) -> str:
    """Return what the control group that grants least grants: microseconds, and of how many."""
    quotas = [text for _, text in _of_groups(texts, "cpu.max")]
    quotas += [
        f"{text} {texts.get(f'{folder}/cpu.cfs_period_us', _PERIOD)}"
        for folder, text in _of_groups(texts, "cpu.cfs_quota_us")
    ]
    granted = [text for text in quotas if re.fullmatch(r"[1-9][0-9]* [1-9][0-9]*", text)]
    if granted:
        return min(granted, key=_share)
    return "max" if quotas or groups.OWN in texts else ""


def _share(quota: str) -> float:
    given, _, period = quota.partition(" ")
    return int(given) / int(period)


def _of_groups(texts: Texts, *names: str) -> Iterator[tuple[str, str]]:
    """Yield the folder of each control group that has such a file, and the text of that."""
    for path, text in texts.items():
        folder, _, name = path.rpartition("/")
        if name in names and path.startswith(f"{groups.ROOT}/"):
            yield folder, text


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
    "cpu": _cpu,
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
