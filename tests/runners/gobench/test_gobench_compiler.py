"""Whose fault a failed build is, by what Go 1.26.8 on linux/amd64 said of broken overlays."""

from pathlib import Path

import pytest
from gobench_making import schedule

from auditor.core.errors import AuditError, Exit
from auditor.core.jobs import CompletedProcess
from auditor.core.mutant import PLAIN
from auditor.core.outcome import NotBuilt
from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Arm, ArmName
from auditor.core.suite import Benchmark
from runners.gobench.harness import GoBench

_OVERLAY_PATH = "../work/0123456789abcdef01234567/overlay/"
_GUEST = f"{_OVERLAY_PATH}zz_bench_audit_guest/"
_HEAD = "# example.org/ring/zz_bench_audit_guest\n"
_TYPE = (
    f'{_GUEST}delay.go:148:18: cannot use "x" (untyped string constant) as int value in variable '
    "declaration\n"
)
_CLASH = (
    f"# example.org/ring/clash\n{_OVERLAY_PATH}clash/clash.go:5:7: "
    "zzBenchAudit already declared through import of package zz_bench_audit_guest "
    f'("example.org/ring/zz_bench_audit_guest")\n\t{_OVERLAY_PATH}clash/clash.go:2:23: '
    f"other declaration of zzBenchAudit\n{_OVERLAY_PATH}clash/clash.go:8:76: "
    "use of package zzBenchAudit not in selector\n"
)
_MISSING = (
    "ring.go:2:22: no required module provides package example.org/ring/zz_bench_audit_guest; to "
    "add it:\n\tgo get example.org/ring/zz_bench_audit_guest\n"
)


def _read(stderr, *, code=1, name="BenchmarkA"):
    trial = Trial(
        subject="s",
        purpose=Purpose.PAIRS,
        variant=PLAIN,
        benchmark=Benchmark(group="m", name=name) if name else None,
        schedule=schedule([Arm(ArmName.PLAIN)], 10, 1),
        repetition=1,
        seed=1,
        timeout_seconds=1,
    )
    files = {Path("/x/launch"): b"build go1.26.8"}
    answer = CompletedProcess(exit_code=code, stderr=stderr.encode(), seconds=9.0, files=files)
    return GoBench().read_outcome(trial, [answer])


@pytest.mark.parametrize(
    ("message", "first"),
    [
        (_HEAD + _TYPE, "zz_bench_audit_guest/delay.go:148:18: cannot use"),
        (
            f"{_HEAD}{_TYPE}{_GUEST}delay.go:157:19: too many errors\n",
            "zz_bench_audit_guest/delay.go:148:18: cannot use",
        ),
        (
            "zz_bench_audit_guest/delay.go:6:10: package no/such is not in std "
            "(/usr/local/go/src/no/such)\n",
            "zz_bench_audit_guest/delay.go:6:10: package no/such",
        ),
        (
            f'{_HEAD}{_GUEST}fence_amd64.s:8: unrecognized instruction "NONSENSE"\n'
            f"asm: assembly of {_GUEST}fence_amd64.s failed\n",
            "zz_bench_audit_guest/fence_amd64.s:8: unrecognized",
        ),
        (
            "# example.org/ring.test\nexample.org/ring/zz_bench_audit_guest.EnterGuarded: "
            "relocation target runtime/pprof.nothere not defined\n",
            "example.org/ring/zz_bench_audit_guest.EnterGuarded: relocation",
        ),
        (
            "# example.org/ring.test\nlink: example.org/ring/zz_bench_audit_guest: invalid "
            "reference to runtime.newcoro\n",
            "link: example.org/ring/zz_bench_audit_guest: invalid reference",
        ),
    ],
)
@pytest.mark.parametrize("name", ["BenchmarkA", None])
def test_faults_in_the_guest_alone_are_a_bug_of_ours(message, first, name):
    with pytest.raises(AuditError) as caught:
        _read(message, name=name)

    assert caught.value.exit_code == Exit.INTERNAL
    assert f"does not compile with go1.26.8: {first}" in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "message",
    [
        _CLASH,
        _MISSING,
        _HEAD + _TYPE + _CLASH,
        _HEAD + "compile: writing output: no space left on device\n",
        "# example.org/zz_bench_audit_guests\nzz_bench_audit_guests/a.go:1:2: undefined: x\n",
    ],
)
def test_any_other_fault_is_the_subjects_in_the_compilers_words(message):
    outcome = _read(message)

    assert isinstance(outcome, NotBuilt)
    assert outcome.message == message.strip().replace(_OVERLAY_PATH, "")


def test_a_build_that_hangs_says_how_long():
    outcome = _read("", code=None)

    assert isinstance(outcome, NotBuilt)
    assert outcome.message.startswith("the build was ended after 9 s")
