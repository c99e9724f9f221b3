"""What a control group grants, where it is not the one at the root that a process is in."""

import subprocess

import pytest

from runners.hosts import machine_facts
from runners.hosts.interference import compute_interference, parse_counters
from runners.hosts.machine_facts import LIMITS, make_host_facts, parse_facts

UNIFIED = "0::/system.slice/slurmstepd.scope/job_7/step_0\n"
SEPARATE = "9:name=systemd:/a\n4:memory:/slurm/uid_1/job_7\n2:cpu,cpuacct:/slurm\n0::/\n"
ODD = "0::/a b/c\\x2dd:e/\n"
JOB = "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7"
OF_CPU = "/sys/fs/cgroup/cpu/slurm"


def printed(texts):
    """Return what a machine prints that has these files."""
    files = "".join(f"\n{machine_facts._FENCE}{path}\n{text}\n" for path, text in texts.items())
    rest = ("arch", "x86_64"), ("kernel", "Linux 6.1"), ("node", "n"), ("cores", "2")
    return files + "".join(f"\n{machine_facts._FENCE}{name}\n{text}\n" for name, text in rest)


def read_facts(**texts):
    file_texts = {"/proc/meminfo": "MemTotal:  16777216 kB", machine_facts.SELF_CGROUP: UNIFIED}
    return dict(make_host_facts(parse_facts(printed(file_texts | texts))).facts)


@pytest.mark.parametrize("membership", [UNIFIED, SEPARATE, ODD, "0::/\n", "2:cpu:/\n", ""])
def test_a_shell_finds_the_same_files(membership):
    words = f"{machine_facts.WORDS}\ngroups cpu.max memory.max"
    completed = subprocess.run(
        ["sh", "-c", words], input=membership, capture_output=True, text=True, check=True
    )

    assert completed.stderr == ""
    assert sorted(completed.stdout.splitlines()) == sorted(
        machine_facts.list_group_files(membership, ("cpu.max", "memory.max"))
    )


def test_all_groups_from_the_own_one_to_the_root_are_asked():
    folders = [
        path.rpartition("/")[0] for path in machine_facts.list_group_files(UNIFIED, ("cpu.stat",))
    ]

    assert folders == [
        f"{JOB}/step_0",
        JOB,
        "/sys/fs/cgroup/system.slice/slurmstepd.scope",
        "/sys/fs/cgroup/system.slice",
        "/sys/fs/cgroup",
    ]


def test_the_tightest_limit_of_them_holds():
    result = read_facts(
        **{
            f"{JOB}/step_0/cpu.max": "max 100000",
            f"{JOB}/cpu.max": "50000 100000",
            "/sys/fs/cgroup/system.slice/cpu.max": "180000 200000",
            f"{JOB}/step_0/memory.max": "max",
            f"{JOB}/memory.max": str(2**30),
            "/sys/fs/cgroup/system.slice/memory.max": str(2**32),
        }
    )

    assert (result["quota"], result["memory"]) == ("50000 100000", "1024 MiB")


def test_version_1_says_it_in_two_files():
    result = read_facts(
        **{
            machine_facts.SELF_CGROUP: SEPARATE,
            f"{OF_CPU}/cpu.cfs_quota_us": "30000",
            f"{OF_CPU}/cpu.cfs_period_us": "60000",
            "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1",
            "/sys/fs/cgroup/memory/slurm/memory.limit_in_bytes": str(2**31),
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712",
        }
    )

    assert (result["quota"], result["memory"]) == ("30000 60000", "2048 MiB")


@pytest.mark.parametrize(
    "texts",
    [
        {},
        {f"{JOB}/cpu.max": "max 100000"},
        {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1"},
        {f"{JOB}/cpu.max": "nonsense", f"{JOB}/step_0/cpu.max": "0 0"},
    ],
)
def test_without_a_limit_all_is_granted(texts):
    assert read_facts(**texts)["quota"] == "max"
    assert read_facts(**texts)["memory"] == "16384 MiB"


def test_what_a_machine_says_of_other_files_is_not_read():
    assert (
        read_facts(**{"/elsewhere/cpu.max": "1 100", "/sys/fs/cgroup/other": "1"})["quota"] == "max"
    )
    assert {
        path.rpartition("/")[2] for path in machine_facts.list_group_files("0::/\n", LIMITS)
    } == set(LIMITS)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("throttled_usec 5000000", "throttled_usec 6000000"),
        ("throttled_time 5000000000", "throttled_time 6000000000"),
    ],
)
def test_a_group_above_that_is_stopped_stops_us(before, after):
    earlier = {"/proc/uptime": "100.0 1\n", f"{JOB}/step_0/cpu.stat": "throttled_usec 0\n"}
    later = {"/proc/uptime": "110.0 1\n", f"{JOB}/step_0/cpu.stat": "throttled_usec 1000000\n"}

    interference = compute_interference(
        parse_counters({**earlier, f"{JOB}/cpu.stat": f"nr_periods 1\n{before}\n"}),
        parse_counters({**later, f"{JOB}/cpu.stat": f"nr_periods 9\n{after}\n"}),
    )

    assert interference.throttled == pytest.approx(0.2)
