"""Two versions of a class under threads, made up; what a test does not name is dull."""

from dataclasses import replace

from auditor.concurrency.document import Circumstances, Origin, concurrency_document
from auditor.concurrency.judge import oracle
from auditor.core.caveats import Caveat
from auditor.core.contracts.concurrency import (
    SEQUENTIAL,
    ConcurrencyVerdict,
    ConcurrentTestSuite,
    FocusMethod,
    RacePlan,
    RepetitionTimes,
)
from auditor.core.contracts.concurrent_test import Member, MemberKind, Statement, Test

PLAN = RacePlan()
AROUND = Circumstances(
    old=Origin("pool-1.3.jar"),
    new=Origin(". at HEAD", "b" * 40),
    host="abc",
    host_facts=(("cores", "2"),),
    versions=(("java", "17"),),
    version="1.0",
    command="bench-audit concurrency --class org.example.Pool --old pool-1.3.jar --new .",
    started="2026-01-02T03:04:05Z",
    ended="2026-01-02T03:05:05Z",
)


def make_race_test(number=1, *, prefix=3, suffix=4, threads=8):
    """Return a test of so many statements in its prefix and in each suffix."""
    call = Statement(member=Member(kind=MemberKind.METHOD, owner="org.example.Pool", name="size"))
    return Test(
        number=number,
        prefix=(call,) * prefix,
        subject=0,
        suffixes=((call,) * suffix,) * threads,
        repeats=25,
    )


def timed(test=1, threads=8, *, times=1.0, noise=0.001, reason=""):
    """Return a test whose new version takes so many `times` as long as the old one."""
    seconds = 0.01 * (1 + max(threads, 1) / 4)
    values = () if reason else tuple(seconds * (1 + noise * index) for index in range(3))
    return RepetitionTimes(
        test=test,
        threads=threads,
        calls=100 * max(threads, 8),
        repetitions=50,
        old=values,
        new=tuple(times * value for value in reversed(values)),
        reason=reason,
    )


def lane(threads, *times, plan=PLAN, left_out=0):
    """Return the tests with a number of threads; None instead of `times` is an inconclusive one."""
    judged = [
        oracle.judge_test(
            timed(number, threads, reason="a suffix hung")
            if factor is None
            else timed(number, threads, times=factor),
            plan,
        )
        for number, factor in enumerate(times, 1)
    ]
    return oracle.judge_threads(threads, judged, plan, left_out=left_out)


def verdict(*lanes, control=None, tests=None, plan=PLAN, **suite):
    """Return what these numbers of threads come to."""
    finding = oracle.combine_findings(lanes)
    test_numbers = {test.timed.test for lane_result in lanes for test in lane_result.tests}
    tests = tests or tuple(
        make_race_test(number, suffix=9 - number) for number in sorted(test_numbers)
    )
    sizes = {test.number: len(test.prefix) + sum(map(len, test.suffixes)) for test in tests}
    return ConcurrencyVerdict(
        subject="org.example.Pool",
        finding=finding,
        cause=oracle.decide_cause(finding, control),
        threads=lanes,
        control=control,
        smallest=oracle.find_smallest_test(finding, lanes, sizes),
        suite=ConcurrentTestSuite(
            tests=tests, **{"length": 100, "tried": (), "methods": (), "focus": ()} | suite
        ),
        plan=plan,
    )


def full_verdict(**more):
    """Return a regression with all that a verdict can have."""
    result = verdict(
        lane(2, 1.04, 1.1, 0.99, 1.0, None),
        lane(4, 1.4, 1.5, 1.3, 1.0, None),
        lane(8, 1.8, 2.1, 1.7, 1.0, left_out=1),
        control=lane(SEQUENTIAL, 1.0, 1.01, 0.99, 1.0, 1.02),
        tried=(16, 64, 100),
        methods=("borrowObject()", "returnObject(java.lang.Object)", "size()"),
        focus=(
            FocusMethod(method="size()", distance=0, reason="changed: is synchronized now"),
            FocusMethod(method="borrowObject()", distance=1, reason="calls size()"),
        ),
        dropped=(("a call threw java.util.NoSuchElementException", 12), ("a call hung", 1)),
        files=(("PoolTest1.java", "class PoolTest1 {}\n"), ("Main.java", "class Main {}\n")),
        caveats=(Caveat("no-source", "a caveat of the suite"),),
    )
    caveats = (Caveat("busy-machine", "something else ran, too"),)
    return replace(result, caveats=caveats, **more)


def document(concurrency_verdict=None, **around):
    return concurrency_document(concurrency_verdict or full_verdict(), replace(AROUND, **around))
