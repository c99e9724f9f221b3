"""What a machine is, read from where the kernel says it; "unknown" is a value of its own."""

import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from auditor.core.jobs import HostFacts

SELF_CGROUP = "/proc/self/cgroup"
ROOT = "/sys/fs/cgroup"
WORDS = (files("runners.hosts") / "groups.sh").read_text()
"""The same for a shell: `groups NAME... </proc/self/cgroup`."""
_KINDS = ("", "cpu", "memory")
"""Version 2 has one hierarchy, version 1 one for each kind."""

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
    SELF_CGROUP,
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
SCRIPT = f"""{WORDS}
{{ printf '%s\\n' {" ".join(PATHS)}
groups {" ".join(LIMITS)} <{SELF_CGROUP}; }} 2>/dev/null |
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
    named = {name: parts.pop(name, "") or UNKNOWN for name in ("arch", "kernel", "node", "cores")}
    facts = {key: text for key, text in parts.items() if key in PATHS or _is_limit_file(key)}
    return MachineFacts(texts=facts, **named)


def _is_limit_file(path: str) -> bool:
    return path.startswith(f"{ROOT}/") and path.rpartition("/")[2] in LIMITS


def make_host_facts(machine: MachineFacts) -> HostFacts:
    """Return the name and the facts of a Linux machine."""
    facts = {
        "arch": machine.arch,
        "cores": machine.cores,
        "kernel": machine.kernel,
        **{key: reader(machine.texts) or UNKNOWN for key, reader in _LINUX.items()},
    }
    number = next((machine.texts[text] for text in _IDS if machine.texts.get(text)), "")
    return HostFacts(_digest_machine_number(number or machine.node), tuple(sorted(facts.items())))


def read_machine_facts() -> HostFacts:
    """Return the name and the facts of the machine we run on."""
    kernel = f"{platform.system()} {platform.release()}"
    arch = platform.machine() or UNKNOWN
    if platform.system() != "Darwin":
        limits = list_group_files(_read_text(SELF_CGROUP) or "", LIMITS)
        texts = {path: text for path in (*PATHS, *limits) if (text := _read_text(path)) is not None}
        machine = MachineFacts(
            texts=texts, arch=arch, kernel=kernel, node=platform.node(), cores=str(_count_cores())
        )
        return make_host_facts(machine)
    facts = {key: reader() or UNKNOWN for key, reader in _MAC.items()}
    mac_facts = {"arch": arch, "cores": str(_count_cores()), "kernel": kernel}
    name = _digest_machine_number(_read_sysctl("kern.uuid") or platform.node())
    return HostFacts(name, tuple(sorted({**facts, **mac_facts}.items())))


def _count_cores() -> int:
    """Count the processors that we may use; os.cpu_count() ignores sets and containers."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _digest_machine_number(number: str) -> str:
    """Return a short digest of a machine's stable number: tells apart, reveals nothing."""
    return hashlib.sha256(f"bench-audit {number}".encode()).hexdigest()[:12]


def _read_text(path: str) -> str | None:
    try:
        return Path(path).read_text(errors="replace").strip()
    except OSError:
        return None


Texts = Mapping[str, str]


def _find_bracketed(text: str) -> str:
    """Return the value in brackets of a kernel setting such as `always [madvise] never`."""
    match = re.search(r"\[(\w+)\]", text)
    return match[1] if match else ""


def _find_match(text: str, pattern: str) -> str:
    match = re.search(pattern, text, re.MULTILINE)
    return match[1].strip() if match else ""


def _read_turbo(texts: Texts) -> str:
    no_turbo = texts.get(f"{_CPUS}/intel_pstate/no_turbo", "")
    boost = {"0": "1", "1": "0"}.get(no_turbo) or texts.get(f"{_CPUS}/cpufreq/boost", "")
    return {"0": "off", "1": "on"}.get(boost, "")


def _read_memory_limit(texts: Texts) -> str:
    """Return the memory that may be used: the machine's, or less where a control group says so.

    Version 1 has the largest number where version 2 has "max".
    """
    kibibytes = _find_match(texts.get("/proc/meminfo", ""), r"^MemTotal:\s+(\d+) kB")
    if not kibibytes:
        return ""
    names = ("memory.max", "memory.limit_in_bytes")
    limits = [int(text) for _, text in _read_group_files(texts, *names) if text.isdecimal()]
    return f"{min((int(kibibytes) // 1024, *(limit // 2**20 for limit in limits)))} MiB"


def _read_cpu_name(texts: Texts) -> str:
    """Return the name of the processor; 64-bit ARM has numbers only, one set for each kind."""
    text = texts.get("/proc/cpuinfo", "")
    if name := _find_match(text, r"^(?:model name|Hardware|cpu model)\s*:(.*)$"):
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


def _read_virtualisation(texts: Texts) -> str:
    """Tell whether a machine is virtual: on x86 its processor says so, elsewhere what it is."""
    product = texts.get(_PRODUCT) or texts.get("/sys/hypervisor/type", "")
    flags = _find_match(texts.get("/proc/cpuinfo", ""), r"^flags\s*:(.*)$")
    if flags:
        marked = "hypervisor" in flags.split()
        return f"yes {product}".strip() if marked else ("no" if product else "")
    if texts.get(_HYPERVISOR):
        return f"yes {product}".strip()
    if re.search(r"\.metal(-|$)", product):
        return "no"
    return f"yes {product}" if _MAKERS.search(f"{texts.get(_VENDOR, '')} {product}") else ""


def _detect_container(texts: Texts) -> str:
    if any(mark in texts for mark in _MARKS):
        return "yes"
    marks = re.search(r"docker|kubepods|containerd|libpod|lxc", texts.get("/proc/1/cgroup", ""))
    return "yes" if marks else "no"


def _find_least_quota(texts: Texts) -> str:
    """Return what the control group that grants least grants: microseconds, and of how many."""
    quotas = [text for _, text in _read_group_files(texts, "cpu.max")]
    quotas += [
        f"{text} {texts.get(f'{folder}/cpu.cfs_period_us', _PERIOD)}"
        for folder, text in _read_group_files(texts, "cpu.cfs_quota_us")
    ]
    granted = [text for text in quotas if re.fullmatch(r"[1-9][0-9]* [1-9][0-9]*", text)]
    if granted:
        return min(granted, key=_compute_quota_share)
    return "max" if quotas or SELF_CGROUP in texts else ""


def _compute_quota_share(quota: str) -> float:
    quota_time, _, period = quota.partition(" ")
    return int(quota_time) / int(period)


def _read_group_files(texts: Texts, *names: str) -> Iterator[tuple[str, str]]:
    """Yield the folder of each control group that has such a file, and the text of that."""
    for path, text in texts.items():
        folder, _, name = path.rpartition("/")
        if name in names and path.startswith(f"{ROOT}/"):
            yield folder, text


def _read_sysctl(name: str) -> str:
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


def _make_file_reader(path: str) -> Callable[[Texts], str]:
    return lambda texts: texts.get(path, "")


_LINUX: Mapping[str, Callable[[Texts], str]] = {
    "aslr": _make_file_reader("/proc/sys/kernel/randomize_va_space"),
    "clocksource": _make_file_reader(
        "/sys/devices/system/clocksource/clocksource0/current_clocksource"
    ),
    "container": _detect_container,
    "cpu": _read_cpu_name,
    "governor": _make_file_reader(f"{_CPUS}/cpu0/cpufreq/scaling_governor"),
    "memory": _read_memory_limit,
    "os": lambda texts: _find_match(texts.get("/etc/os-release", ""), r'^PRETTY_NAME="?([^"\n]*)'),
    "quota": _find_least_quota,
    "smt": _make_file_reader(f"{_CPUS}/smt/control"),
    "thp": lambda texts: _find_bracketed(
        texts.get("/sys/kernel/mm/transparent_hugepage/enabled", "")
    ),
    "turbo": _read_turbo,
    "virtual": _read_virtualisation,
}
_MAC: dict[str, Callable[[], str]] = {
    "aslr": lambda: "",
    "clocksource": lambda: "mach_absolute_time",
    "container": lambda: "no",
    "cpu": lambda: _read_sysctl("machdep.cpu.brand_string"),
    "governor": lambda: "",
    "memory": lambda: f"{int(_read_sysctl('hw.memsize') or 0) // 2**20} MiB",
    "os": lambda: f"macOS {platform.mac_ver()[0]}",
    "quota": lambda: "max",
    "smt": lambda: "",
    "thp": lambda: "",
    "turbo": lambda: "",
    "virtual": lambda: {"0": "no", "1": "yes"}.get(_read_sysctl("kern.hv_vmm_present"), ""),
}


def list_group_files(cgroup_text: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return where files of these names are, nearest first, by the text of SELF_CGROUP.

    A container may see fewer groups than it is in; its own is then the root.
    """
    folders = []
    for line in cgroup_text.splitlines():
        _, kinds, group = line.split(":", 2)
        for kind in set(_KINDS) & set(kinds.split(",")):
            parts = group.strip("/").split("/") if group.strip("/") else []
            for depth in range(len(parts), -1, -1):
                above = "/".join((ROOT, *filter(None, (kind,)), *parts[:depth]))
                folders += [f"{above}/{name}" for name in names]
    return tuple(folders)
