"""What a machine is, where its processors have numbers instead of names and flags.

The files are those of machines of Amazon and Ampere as their kernels print them, shortened: a core
is `CPU implementer` 0x41 (ARM) with part 0xd0c (Neoverse N1) or 0xd40 (Neoverse V1).
"""

import pytest

from auditor.store.machines import make_machine_key
from runners.hosts import machine_facts
from runners.hosts.machine_facts import make_host_facts, parse_facts

CORE = """\
processor\t: {number}
BogoMIPS\t: 243.75
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: {variant}
CPU part\t: {part}
CPU revision\t: 1
"""
X86 = "processor\t: 0\nmodel name\t: Intel(R) Xeon(R)\nflags\t\t: fpu vme{more}\n"
N1 = "\n".join(CORE.format(number=index, variant="0x3", part="0xd0c") for index in range(2))
V1 = "\n".join(CORE.format(number=number, variant="0x1", part="0xd40") for number in range(2))
MIXED_CORES = CORE.format(number=0, variant="0x3", part="0xd0c") + CORE.format(
    number=1, variant="0x1", part="0xd40"
)


def host(cpuinfo, product="", vendor="", **files):
    """Return the facts of a machine that has these files."""
    texts = {
        "/proc/cpuinfo": cpuinfo,
        machine_facts._PRODUCT: product,
        machine_facts._VENDOR: vendor,
        **files,
    }
    named = {"arch": "aarch64", "kernel": "Linux 6.8", "node": "n", "cores": "2"}
    printed = "".join(
        f"\n{machine_facts._FENCE}{key}\n{text}\n"
        for key, text in {**texts, **named}.items()
        if text
    )
    return make_host_facts(parse_facts(printed))


def read_facts(*arguments, **files):
    return dict(host(*arguments, **files).facts)


@pytest.mark.parametrize(
    ("cpuinfo", "cpu"),
    [
        (N1, "ARM 0x41 variant 0x3 part 0xd0c revision 1"),
        (
            MIXED_CORES,
            "ARM 0x41 variant 0x3 part 0xd0c revision 1, "
            "ARM 0x41 variant 0x1 part 0xd40 revision 1",
        ),
        (X86.format(more=""), "Intel(R) Xeon(R)"),
        ("", "unknown"),
    ],
)
def test_a_processor_has_a_name_or_numbers(cpuinfo, cpu):
    assert read_facts(cpuinfo)["cpu"] == cpu


@pytest.mark.parametrize(
    ("machine_is", "virtual"),
    [
        ((N1, "m6g.large", "Amazon EC2"), "yes m6g.large"),
        ((N1, "m6g.metal", "Amazon EC2"), "no"),
        ((N1, "r8g.metal-24xl", "Amazon EC2"), "no"),
        ((N1, "KVM Virtual Machine", "QEMU"), "yes KVM Virtual Machine"),
        ((N1, "Google Compute Engine", "Google"), "yes Google Compute Engine"),
        ((N1, "HPE ProLiant RL300 Gen11", "HPE"), "unknown"),
        ((N1,), "unknown"),
        ((X86.format(more=" hypervisor"), "Standard PC"), "yes Standard PC"),
        ((X86.format(more=""), "PowerEdge R640"), "no"),
        ((X86.format(more=""),), "unknown"),
    ],
)
def test_whether_it_is_virtual_is_known_by_its_flags_or_by_its_maker(machine_is, virtual):
    assert read_facts(*machine_is)["virtual"] == virtual


def test_a_hypervisor_that_the_firmware_names_is_one():
    assert read_facts(N1, **{machine_facts._HYPERVISOR: "xen,xen-4.11"})["virtual"] == "yes"


def test_what_is_measured_on_unlike_processors_or_beside_metal_is_never_mixed():
    """The cores, the memory and the governor are the same."""
    kinds = [
        host(N1, "m6g.large", "Amazon EC2"),
        host(V1, "m7g.large", "Amazon EC2"),
        host(N1, "m6g.metal", "Amazon EC2"),
    ]

    assert len({make_machine_key(kind) for kind in kinds}) == len(kinds)
