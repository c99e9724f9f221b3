"""What kept a machine from its work, from what its kernel counts, and the loop beside it."""

import os
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest
from fake_host import FakeHost
from process_making import shell

from auditor.core.errors import MachineError
from auditor.core.jobs import CompletedProcess, HostInterference
from runners.home import HomeFolder
from runners.hosts.interference import (
    PRESSURE,
    STAT,
    TIMES,
    UPTIME,
    compute_interference,
    parse_counters,
)
from runners.hosts.local import LocalHost
from runners.hosts.reference_workload import AGAIN_SECONDS, ReferenceWorkload

GROUP = "/sys/fs/cgroup/system.slice/cpu.stat"
HEAT = "/sys/devices/system/cpu/cpu1/thermal_throttle/package_throttle_total_time_ms"
# The form is that of proc(5) and of the kernel's documentation of pressure and of control groups.
BEFORE = {
    UPTIME: "69519.00 41415.73\n",
    STAT: "cpu  7000 600 900 4100 140 0 16 400 50 0\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 5\n",
    PRESSURE: "some avg10=21.09 avg60=29.39 avg300=24.57 total=2000000\nfull avg10=0.00 total=7\n",
    GROUP: "usage_usec 99\nnr_throttled 3\nthrottled_usec 5000000\n",
    HEAT.replace("cpu1", "cpu0"): "100\n",
    HEAT: "100\n",
    TIMES: "0m1.500s 0m0.50s\n1m0.000s 0m0.000s\n",
}
AFTER = {
    UPTIME: "69529.00 41416.00\n",
    STAT: "cpu  7500 600 1000 4300 140 0 16 600 90 0\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 5\n",
    PRESSURE: "some avg10=21.09 avg60=29.39 avg300=24.57 total=4500000\nfull avg10=0.00 total=7\n",
    GROUP: "usage_usec 99\nnr_throttled 4\nthrottled_usec 6000000\n",
    HEAT.replace("cpu1", "cpu0"): "200\n",
    HEAT: "600\n",
    TIMES: "0m1.500s 0m0.50s\n1m4.000s 0m0.000s\n",
}


def test_shares_are_of_the_time_that_passed():
    interference = compute_interference(parse_counters(BEFORE), parse_counters(AFTER))

    assert interference.stolen == pytest.approx(200 / 1000)
    assert interference.waited == pytest.approx(0.25)
    assert interference.throttled == pytest.approx(0.1)
    assert interference.hot == pytest.approx(0.05)  # the hottest counts
    assert interference.foreign == pytest.approx(
        (6.0 - 4.0) / 10
    )  # of six busy seconds four are ours


def test_what_others_use_is_a_share_of_the_processors_that_a_process_may_use(monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 8)

    interference = compute_interference(parse_counters(BEFORE), parse_counters(AFTER), 2)

    assert interference.foreign == pytest.approx((6.0 - 4.0) / (10 * 2 / 8))


@pytest.mark.parametrize("path", [UPTIME, STAT, PRESSURE, GROUP, TIMES])
def test_what_a_kernel_does_not_tell_is_not_known(path):
    less = {key: value for key, value in AFTER.items() if key != path}
    interference = compute_interference(parse_counters(BEFORE), parse_counters(less))
    unknown = {name for name, value in asdict(interference).items() if value is None}

    expected = {
        STAT: {"stolen", "foreign"},
        PRESSURE: {"waited"},
        GROUP: {"throttled"},
        TIMES: {"foreign"},
    }
    assert unknown == expected.get(path, {"waited", "throttled", "hot"})


def test_a_processor_that_went_away_says_nothing():
    less = {key: value for key, value in AFTER.items() if key != HEAT}

    assert compute_interference(parse_counters(BEFORE), parse_counters(less)).hot == pytest.approx(
        0.01
    )
    assert compute_interference(
        parse_counters(BEFORE), parse_counters(AFTER | {HEAT: "much"})
    ).hot == pytest.approx(0.01)


@pytest.mark.parametrize("text", ["", "cpu\n", "cpu 1 2 3\n", "nonsense", "cpu a b c d e f g h\n"])
def test_what_is_no_count_is_not_known(text):
    assert (
        compute_interference(parse_counters({STAT: text}), parse_counters({STAT: text}))
        == HostInterference()
    )


def test_the_strain_of_several_processes_is_each_as_long_as_it_took():
    parts = [
        (1.0, HostInterference(stolen=0.5)),
        (3.0, HostInterference(stolen=0.1, waited=0.2)),
        (4.0, HostInterference()),
    ]

    assert HostInterference.combine_processes(parts) == HostInterference(
        stolen=pytest.approx(0.2), waited=pytest.approx(0.2)
    )
    assert HostInterference.combine_processes([]) == HostInterference()


def test_the_strain_of_several_processes_is_the_same_in_any_order():
    parts = [
        (number / 7, HostInterference(stolen=number / 1000, waited=0.1 / number))
        for number in range(1, 60)
    ]
    combined = HostInterference.combine_processes(parts)

    for start in range(len(parts)):
        turned = parts[start:] + parts[:start]
        assert HostInterference.combine_processes(turned[::-1]) == combined


def test_a_machine_that_has_more_to_do_than_processors_lets_tasks_wait(tmp_path):
    if not Path(PRESSURE).exists():
        assert LocalHost().run_process(shell("true", cwd=tmp_path)).strain.waited is None
        return
    spin = "i=0; while [ $i -lt 400000 ]; do i=$((i + 1)); done"
    many = " ".join(f"({spin}) &" for _ in range(8 * os.cpu_count())) + " wait"

    busy = LocalHost().run_process(shell(many, cwd=tmp_path)).strain

    assert busy.waited is not None
    assert busy.waited > 0.3


@pytest.mark.timed
def test_what_a_process_uses_itself_is_not_others(tmp_path):
    if not Path(STAT).exists():
        assert LocalHost().run_process(shell("true", cwd=tmp_path)).strain.foreign is None
        return
    spin = "i=0; while [ $i -lt 150000 ]; do i=$((i + 1)); done"
    many = " ".join(f"({spin}) &" for _ in range(2 * os.cpu_count())) + " wait"
    undisturbed = LocalHost().run_process(shell(many, cwd=tmp_path)).strain
    busy_processes = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(4)]
    try:
        crowded = LocalHost().run_process(shell(many, cwd=tmp_path)).strain
    finally:
        for process in busy_processes:
            process.kill()
            process.wait()

    assert crowded.foreign > 0.25
    assert undisturbed.foreign < crowded.foreign


class Hands:
    """A clock that is set."""

    now_is = 0.0

    def monotonic(self):
        return self.now_is

    def now(self):
        return ""


def test_the_loop_is_run_again_after_a_while(tmp_path):
    clock = Hands()
    outputs = [
        b"1795451375005000000\n1795451375255000000\n",
        b"1795451376000000000\n1795451377000000000\n",
    ]
    host = FakeHost(lambda _: CompletedProcess(exit_code=0, stdout=outputs[len(host.jobs) - 1]))
    loop = ReferenceWorkload(host, HomeFolder(tmp_path), "/usr/bin", clock)

    assert [loop.refresh_timing().seconds, loop.refresh_timing().seconds] == [1.0, 1.0]
    clock.now_is = AGAIN_SECONDS + 1
    assert loop.refresh_timing().seconds == 4.0


def test_a_clock_that_is_not_fine_enough_says_nothing(tmp_path):
    host = FakeHost(lambda _: CompletedProcess(exit_code=0, stdout=b"1795451375N\n1795451375N\n"))

    assert (
        ReferenceWorkload(host, HomeFolder(tmp_path), "/usr/bin", Hands()).refresh_timing().seconds
        is None
    )


def test_the_loop_takes_some_time_on_a_real_machine(tmp_path):
    took = (
        ReferenceWorkload(LocalHost(), HomeFolder(tmp_path), "/usr/bin:/bin", Hands())
        .refresh_timing()
        .seconds
    )

    assert took is not None
    assert took > 0.01


def test_a_probe_runs_the_loop_again_and_again(tmp_path):
    took, strain = ReferenceWorkload(
        LocalHost(), HomeFolder(tmp_path), "/usr/bin:/bin", Hands()
    ).measure_loops(5)

    assert len(took) == 5
    assert min(took) > 0.01
    assert (strain.stolen is not None) is Path(STAT).exists()


def test_a_machine_that_becomes_quiet_is_waited_for(tmp_path, monkeypatch):
    clock, slept, busy = Hands(), [], [True, True, False]
    content = b"".join(b"%d\n" % (1795451375005000000 + index) for index in range(6))

    def probe(_):
        strain = HostInterference(waited=0.9 if busy.pop(0) else 0.0)
        return CompletedProcess(exit_code=0, stdout=content, strain=strain)

    def sleep(seconds):
        slept.append(seconds)
        clock.now_is += seconds

    monkeypatch.setattr("time.sleep", sleep)
    loop = ReferenceWorkload(FakeHost(probe), HomeFolder(tmp_path), "/usr/bin", clock)

    assert loop.becomes_quiet(60.0)
    assert len(slept) == 2
    busy += [True] * 100
    assert not loop.becomes_quiet(60.0)
    assert sum(slept[2:]) <= 60.0


@pytest.mark.parametrize(("code", "is_quiet"), [(0, True), (None, False)])
def test_whether_a_machine_is_quiet_needs_no_fine_clock(tmp_path, monkeypatch, code, is_quiet):
    monkeypatch.setattr("time.sleep", lambda _: None)
    host = FakeHost(lambda _: CompletedProcess(exit_code=code, stdout=b"1795451375N\n" * 6))

    assert (
        ReferenceWorkload(host, HomeFolder(tmp_path), "/usr/bin", Hands()).becomes_quiet(0.1)
        is is_quiet
    )


def test_a_loop_that_fails_is_said(tmp_path):
    host = FakeHost(lambda _: CompletedProcess(exit_code=None, stderr=b"out of something"))

    with pytest.raises(MachineError, match="failed on that machine: out of something"):
        ReferenceWorkload(host, HomeFolder(tmp_path), "/usr/bin", Hands()).measure_loops(5)


def test_a_machine_that_cannot_be_probed_is_said(tmp_path):
    host = FakeHost(lambda _: CompletedProcess(exit_code=0, stdout=b"1795451375N\n" * 6))

    with pytest.raises(MachineError, match="`date` on that machine has no nanoseconds"):
        ReferenceWorkload(host, HomeFolder(tmp_path), "/usr/bin", Hands()).measure_loops(5)
