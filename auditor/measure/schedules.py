"""The blocks of each kind of process."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

import numpy as np

from auditor.core.mutant import Delay, InjectionKind
from auditor.core.request import Plan, WatchRequest
from auditor.core.schedule import (
    Arm,
    ArmName,
    Block,
    Phase,
    Schedule,
    StableMinimumStop,
    count_fewest_operations,
)
from auditor.core.suite import Benchmark
from auditor.warmup.validity import usual_seconds

PLAIN_ARM = Arm(ArmName.PLAIN)

CALIBRATION_BLOCKS = 6
"""Measured blocks per arm of a calibration: the least of them counts, one has to be quiet."""
MOST_ARMS = 4
"""Arms of a calibration: each warms up."""
QUIET = StableMinimumStop(blocks=4, share=0.03)
"""When the least blocks of a calibration need not be looked for any longer."""
FINER = 2
"""Times as many of them, and as short, where their length is free: more moments are looked at."""


COUNTED_WARMUP = 3
"""Blocks before calls are counted: what the first operations fill is full then, and nothing is
timed, so no compiler has to be waited for."""

ENOUGH_ALLOCATED = 12e6
"""Bytes that a block allocates in which the garbage collector takes its due share: three cycles of
Go's with the least heap. In blocks of 5 ms code that allocates seemed a quarter faster than it is
or a sixth slower."""
COLLECTED = 4e6
"""A block that allocates less sees no collection, however long it is: Go's heap may grow so far."""
IN_ONE_CALL = 3
"""How many times as short blocks of one call are where code allocates. Garbage is not collected
before each, so the collections fall where they may: one in a block is enough, and less no error."""
CALIBRATION_IN_ONE_CALL = IN_ONE_CALL / FINER
"""The same of a calibration, whose blocks are the finer ones anyway: of them the least counts, and
where they were shorter that would be one without a collection (x/text on a busy machine: a block of
half the length took a tenth less)."""


def fit_plan(plan: Plan, benchmark: Benchmark, allocated_per_second: float = 0.0) -> Plan:
    """Return the plan with the block length that suits the benchmark, warm as long as asked.

    That is the author's where it is kept, and a longer one where code allocates.
    """
    length = _find_author_length(plan, benchmark)
    if length is None:
        length = _choose_block_length(plan, allocated_per_second)
    return _set_block_length(plan, length)


def plan_single_call(
    fit: Plan, plan: Plan, benchmark: Benchmark, shorter: float = IN_ONE_CALL
) -> Plan:
    """Return the plan of blocks that one call of the harness's holds.

    `fit` is what suits the benchmark where each has a call of its own, out of `plan`.
    """
    if _find_author_length(plan, benchmark) is not None:
        return fit
    return _set_block_length(fit, max(plan.iteration_seconds, fit.iteration_seconds / shorter))


def _set_block_length(plan: Plan, length: float) -> Plan:
    """Return the plan with blocks of this length, warm as long as before."""
    if length == plan.iteration_seconds:
        return plan
    warmup = max(1, ceil(plan.warmup * plan.iteration_seconds / length)) if plan.warmup else 0
    return replace(plan, warmup=warmup, iteration_seconds=length)


LONG_BLOCK = 4
"""Times as long as asked for may a block last before a process of the suite has fewer of them."""
SUITE_SECONDS = 0.5
"""Measured time of a process of the suite that is enough, where its blocks are so long."""
FEWEST_BLOCKS = 2
"""Measured blocks of such a process."""
FEWEST_SET_UP_BLOCKS = 6
"""Measured blocks of a process that is long because of the set-up before each of them."""
COUNTED_SECONDS = 0.5
"""Time of the blocks in which calls are counted that is enough, where they are so long."""
BRIEF_WARMUP = 0.1
"""A warm-up shorter than this part of a block is left out: one block would be ten times as long."""


COUNTED_PART = 1 / 3
"""Length of a block in which calls are counted, relative to one that is timed. More operations tell
nothing new, unless a method is called very rarely and each time for long."""
LEAST_COUNTED_SECONDS = 0.003
"""Length below which no block is shortened for it."""
BRIEF_COUNT = 3
BRIEF_COUNTED_SECONDS = 0.004
"""Blocks, and their length, in which calls are counted where all that a pair measures would take
too long. They are few, since each may have a set-up of its own, with calls that are counted, and
just enough for the guests to clock the calls of some of them."""


def counted_blocks(plan: Plan, block_seconds: float) -> int:
    """Return the number of blocks in which calls are counted, if one lasts `block_seconds`."""
    if block_seconds <= LONG_BLOCK * plan.iteration_seconds:
        return 2 * plan.iterations
    return min(2 * plan.iterations, max(1, ceil(COUNTED_SECONDS / block_seconds)))


def _warmup_blocks(plan: Plan, block_seconds: float) -> int:
    """Return the number of blocks of `block_seconds` that last as long as the planned warm-up."""
    blocks = plan.warmup * plan.iteration_seconds / block_seconds
    return min(plan.warmup, ceil(blocks)) if blocks > BRIEF_WARMUP else 0


def shorten_plan(plan: Plan, block_seconds: float, set_up_seconds: float = 0.0) -> Plan:
    """Return the plan of a process of the suite whose blocks last `block_seconds`, 0: unknown.

    Where an operation, or the set-up before each block, is far longer than a block, all blocks of
    the plan would take minutes.
    """
    longest = LONG_BLOCK * plan.iteration_seconds
    total_seconds = block_seconds + set_up_seconds
    if total_seconds <= longest:
        return plan
    fewest = FEWEST_BLOCKS if block_seconds > longest else FEWEST_SET_UP_BLOCKS
    blocks = max(fewest, ceil(SUITE_SECONDS / total_seconds))
    return replace(
        plan,
        iterations=min(plan.iterations, blocks),
        warmup=_warmup_blocks(plan, max(block_seconds, plan.iteration_seconds)),
    )


def plan_calibration(plan: Plan, benchmark: Benchmark, operation: float | None = None) -> Plan:
    """Return the plan of a calibration, out of the one that suits the benchmark.

    An `operation` may last so many seconds that its blocks cannot be any shorter. They are warm as
    long as others then, not as many blocks long: all that a calibration compares is its own.
    """
    finest = plan.iteration_seconds / FINER
    if operation is not None and operation > finest:
        warmup_seconds = plan.warmup * plan.iteration_seconds
        warmup = max(MOST_ARMS, ceil(warmup_seconds / max(operation, plan.iteration_seconds)))
        return replace(plan, warmup=min(plan.warmup, warmup), iterations=CALIBRATION_BLOCKS)
    if _find_author_length(plan, benchmark) is not None:
        return replace(plan, iterations=CALIBRATION_BLOCKS)
    return replace(
        plan,
        warmup=FINER * plan.warmup,
        iterations=FINER * CALIBRATION_BLOCKS,
        iteration_seconds=finest,
    )


def _find_author_length(plan: Plan, benchmark: Benchmark) -> float | None:
    return None if plan.for_all else benchmark.block_seconds


def _choose_block_length(plan: Plan, allocated_per_second: float) -> float:
    """Return how long a block lasts of code that allocates so much."""
    longest = max(plan.iteration_seconds, plan.longest_seconds)
    if allocated_per_second * longest < COLLECTED:
        return plan.iteration_seconds
    return min(longest, max(plan.iteration_seconds, ENOUGH_ALLOCATED / allocated_per_second))


def make_plain_schedule(plan: Plan, operations: int | None) -> Schedule:
    """Return the blocks of a process of the unchanged suite."""
    warmup = [Block(Phase.WARMUP, 0)] * plan.warmup
    blocks = [Block(Phase.MEASUREMENT, 0)] * plan.iterations
    return Schedule(
        arms=(PLAIN_ARM,),
        blocks=(*warmup, *blocks),
        seconds=plan.iteration_seconds,
        operations=operations,
    )


def plan_watched(request: WatchRequest, plan: Plan, benchmark: Benchmark, harness: str) -> Plan:
    """Return the most that a process does that ends once it is warm and measured."""
    usual = request.iteration_seconds or usual_seconds(request.watch.method, harness)
    length = benchmark.block_seconds or usual
    return replace(plan, warmup=0, iterations=request.iterations, iteration_seconds=length)


def make_pilot_schedule(plan: Plan) -> Schedule:
    """Return two blocks of the time asked for, to learn how many operations fit."""
    return Schedule(
        arms=(PLAIN_ARM,),
        blocks=(Block(Phase.WARMUP, 0), Block(Phase.MEASUREMENT, 0)),
        seconds=plan.iteration_seconds,
    )


PROFILE_BLOCK_SECONDS = 0.05
"""Length of a profiled block where it is free: some twelve samples at 250 a second, so that blocks
show how shares scatter, and set-up that precedes each block stays rare."""


def shorten_profile_warmup(plan: Plan, operation_seconds: float | None) -> Plan:
    """Return the plan with a warm-up of one profiled block, for code that is interpreted.

    An interpreter has replaced its instructions after some calls. Operations longer than a block
    keep their warm-up: it may be a single one.
    """
    if operation_seconds is not None and operation_seconds > PROFILE_BLOCK_SECONDS:
        return plan
    warmup_blocks = ceil(PROFILE_BLOCK_SECONDS / plan.iteration_seconds)
    return replace(plan, warmup=min(plan.warmup, warmup_blocks))


def make_profile_schedule(
    plan: Plan,
    operations: int | None,
    seconds: float,
    operation_seconds: float | None = None,
    concurrency: int = 1,
) -> Schedule:
    """Return plain blocks that are sampled for about `seconds`, after a warm-up as in `plan`.

    `plan` is the one that suits the benchmark, `operations` those of its blocks. An operation that
    lasts longer than a block should is a block by itself.
    """
    length = max(PROFILE_BLOCK_SECONDS, plan.iteration_seconds)
    fewest = 1 if concurrency == 1 or operations is None else count_fewest_operations(concurrency)
    fewest = min(fewest, operations or 1)  # there is one where several would last too long
    if operation_seconds is not None and fewest * operation_seconds > length:
        length = fewest * operation_seconds
        warmup, blocks = _warmup_blocks(plan, length), max(1, ceil(seconds / length))
        operations = None if operations is None else fewest
    else:
        warmup = max(1, ceil(plan.warmup * plan.iteration_seconds / length))
        blocks = max(2, ceil(seconds / length))
        if operations is not None:
            fitting = operations * length / plan.iteration_seconds
            if operation_seconds:  # the plan's blocks may be longer than planned
                fitting = min(fitting, length / operation_seconds)
            operations = max(2, round(fitting))
    return Schedule(
        arms=(PLAIN_ARM,),
        blocks=(*[Block(Phase.WARMUP, 0)] * warmup, *[Block(Phase.MEASUREMENT, 0)] * blocks),
        seconds=length,
        operations=operations,
    )


def make_counting_schedule(
    plan: Plan,
    operations: int | None,
    blocks: int | None = None,
    *,
    concurrency: int = 1,
    is_brief: bool = False,
) -> Schedule:
    """Return a process that counts calls in `blocks`; by default as many as a pair measures.

    `operations` are those of a timed block, None where the harness does not fix them. A method that
    is called more rarely than once a block is called in some of them.
    """
    block_count = 2 * plan.iterations if blocks is None else blocks
    seconds = max(COUNTED_PART * plan.iteration_seconds, LEAST_COUNTED_SECONDS)
    if is_brief:
        is_slow = block_count < 2 * plan.iterations  # so few since each, or its set-up, takes long
        block_count = 1 if is_slow else BRIEF_COUNT
        seconds = BRIEF_COUNTED_SECONDS
    part = min(1.0, seconds / plan.iteration_seconds)
    return Schedule(
        arms=(PLAIN_ARM,),
        blocks=(
            *[Block(Phase.WARMUP, 0)] * min(plan.warmup, COUNTED_WARMUP, block_count // 2),
            *[Block(Phase.MEASUREMENT, 0)] * block_count,
        ),
        seconds=part * plan.iteration_seconds,
        operations=None
        if operations is None
        else fit_operations(operations, part * operations, concurrency),
    )


def make_slowed_schedule(plan: Plan, operations: int | None, delay: Delay) -> Schedule:
    """Return the blocks of a process that is slow throughout (rule `paper`)."""
    plain_schedule = make_plain_schedule(plan, operations)
    return Schedule(
        arms=(Arm(ArmName.SLOWED, delay),),
        blocks=plain_schedule.blocks,
        seconds=plain_schedule.seconds,
        operations=operations,
    )


def make_pair_schedule(
    plan: Plan,
    operations: int | None,
    delay: Delay,
    rng: np.random.Generator,
    *,
    with_plain: bool = False,
) -> Schedule:
    """Return probe and slowed blocks in pairs, the order within each pair at random.

    `with_plain`: the method stays beside its slowed version, and each pair has a plain block.
    """
    plain = (PLAIN_ARM,) if with_plain else ()
    arms = (Arm(ArmName.PROBE, Delay(delay.wait, 0)), Arm(ArmName.SLOWED, delay), *plain)
    return _alternate_arms(plan, operations, arms, plan.iterations, rng)


def make_calibration_schedule(
    plan: Plan,
    operations: int | None,
    turns: float,
    rng: np.random.Generator,
    *,
    with_plain: bool = False,
) -> Schedule:
    """Return blocks that clock the method, wait not at all, and turn `turns` times.

    `plan` is that of a calibration. `with_plain`: the method stays beside its slowed version, and
    some blocks are plain.
    """
    arms = (
        Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
        Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, turns)),
        Arm(ArmName.CLOCKED, Delay(InjectionKind.CLOCK, 0)),
        *((PLAIN_ARM,) if with_plain else ()),
    )
    return _alternate_arms(plan, operations, arms, plan.iterations, rng)


def make_allocation_schedule(
    plan: Plan, operations: int | None, size: int, rng: np.random.Generator
) -> Schedule:
    """Return pairs of blocks, one of which allocates `size` bytes at each call."""
    arms = (
        Arm(ArmName.PROBE, Delay(InjectionKind.ALLOCATE, 0)),
        Arm(ArmName.ALLOCATING, Delay(InjectionKind.ALLOCATE, size)),
    )
    return _alternate_arms(plan, operations, arms, plan.iterations, rng)


def _alternate_arms(
    plan: Plan,
    operations: int | None,
    arms: Sequence[Arm],
    rounds: int,
    rng: np.random.Generator,
) -> Schedule:
    blocks = [Block(Phase.WARMUP, index % len(arms)) for index in range(plan.warmup)]
    for _ in range(rounds):
        blocks += [Block(Phase.MEASUREMENT, int(arm)) for arm in rng.permutation(len(arms))]
    return Schedule(
        arms=tuple(arms),
        blocks=tuple(blocks),
        seconds=plan.iteration_seconds,
        operations=operations,
    )


PROBE_SECONDS = 60e-9
"""About what a call costs when it is clocked."""


def fit_probed_operations(
    operations: int | None, plan: Plan, plain_seconds: float, calls: float, concurrency: int = 1
) -> int | None:
    """Return the operations of a block whose calls are probed.

    An operation of a nanosecond can take fifty times as long with a probe, above all one that the
    compiler had removed: as many as in a plain block would outlast the watchdog.
    """
    if operations is None:
        return None
    fitting = plan.iteration_seconds / (plain_seconds + calls * PROBE_SECONDS)
    return fit_operations(operations, fitting, concurrency)


def fit_operations(planned: int, fitting: float, concurrency: int = 1) -> int:
    """Return the operations of a block in which about `fitting` last as long as it should.

    There are no more than planned, and two at least unless a single one is planned; more where
    several are in flight at once.
    """
    return max(min(count_fewest_operations(concurrency), planned), min(planned, round(fitting)))
