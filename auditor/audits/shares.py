"""The share of a benchmark's operation that is spent in a method, from CPU samples.

The samples are of the unchanged program, so nothing that an injected probe does is in them, and
they count processor time, so other programs on the machine leave the share as it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy import special

from auditor.audits.attribution import ambiguous_samples, attribution_error
from auditor.core.outcome import Frame, Profiled, Stack
from auditor.core.plan import Run
from auditor.core.result import Interval
from auditor.core.subject import Language, Method
from auditor.core.suite import Benchmark

LOOKS = 7
"""Times that the samples of a benchmark are looked at, so that the error is shared among looks."""
PAIR_ERROR = 0.01
"""Two-sided error of an interval of one share alone."""
CHANCE = 0.05
"""Probability up to which a chi-square of processes is taken for more than chance."""
OFF_CPU = 0.05
"""Part of the time without samples that labels, timers and the end of a block may explain."""
EMPTY_SECONDS = 0.6e-9
"""Time of an operation that does nothing but count: two cycles at 3 GHz."""
CYCLE_SECONDS = 0.3e-9
"""One cycle at 3 GHz: no call that was not removed is as short."""
FEWEST_SAMPLES = 100
"""Samples without which nothing is said of a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """What the samples of a benchmark tell of one method."""

    share: float
    """Samples in the method over all samples of the operation, in [0, 1]."""
    low: float
    """Lower end of the interval: sampling error, dispersion, and all that is not attributed."""
    high: float
    """Upper end of the interval."""
    by_itself: Interval
    """The 99 % interval of this share, its error not divided among benchmarks and looks."""
    irreducible: Interval
    """The interval without sampling error: the narrowest that more samples could give."""
    samples: int
    """Samples of the operation."""
    hits: int
    """Samples in the method."""
    processes: int
    """Profiled processes."""
    seconds_between_calls: float | None
    """Processor time of an operation over its calls; None where one of them is unknown."""
    seconds_per_call: float | None
    """Upper limit of a call's time by the sampling error alone; None where calls are unknown."""
    ambiguous: int
    """Samples that may be of the method, although they name only its callers (JVM)."""
    obstacle: str = ""
    """What keeps the samples from telling the share, for people; empty where nothing does."""


def frames_of(method: Method, frames: Sequence[Frame]) -> frozenset[int]:
    """Return the indices of the frames that belong to a method, by its name or its first line.

    Not by all of its lines: a function that is declared inside has a frame of its own.
    """
    name, span = method.descriptor or method.id, method.span
    return frozenset(
        at
        for at, frame in enumerate(frames)
        if frame.function == name
        or (span is not None and (frame.file, frame.line) == (span.file, span.first_line))
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """Samples of one block, or of one process."""

    hits: int
    samples: int


def share_of(
    method: Method,
    benchmark: Benchmark,
    runs: Sequence[Run],
    *,
    error: float,
    calls: float | None = None,
) -> Share | None:
    """Return the share of a method in a benchmark by its profiled `runs`; None without samples.

    `error` is the two-sided error of the interval after all looks, `calls` are per operation.
    Sampling error: Clopper and Pearson 1934, with the samples divided by the dispersion
    (Pearson's chi-square over its degrees of freedom) of blocks and of processes.
    """
    profiles, out_of_line = _select_profiles(method, runs)
    if not profiles:
        return None
    hits, samples, dispersion = _count_samples(method, profiles)
    sampled = interval(hits / dispersion, samples / dispersion, error / LOOKS)
    operation = _operation_seconds(profiles) or 0.0
    between = operation / calls if operation and calls else None
    inlined = _is_inlined(method, profiles)
    bounds = attribution_error(method.language, operation, calls, inlined=inlined)
    ambiguous = 0 if out_of_line else _count_ambiguous(method, profiles)

    def widen(low: float, high: float) -> Interval:
        low, high = _widen_by_unattributed(low, high, profiles, benchmark)
        shortfall = bounds.shortfall + ambiguous / samples
        return max(0.0, low - bounds.excess), min(1.0, high + shortfall)

    low, high = widen(*sampled)
    return Share(
        share=hits / samples,
        low=low,
        high=high,
        by_itself=widen(*interval(hits / dispersion, samples / dispersion, PAIR_ERROR)),
        irreducible=widen(hits / samples, hits / samples),
        samples=samples,
        hits=hits,
        processes=len(profiles),
        seconds_between_calls=between,
        seconds_per_call=None if between is None else sampled[1] * between,
        ambiguous=ambiguous,
        obstacle="" if samples >= FEWEST_SAMPLES else f"only {samples} samples were taken",
    )


def _count_samples(method: Method, profiles: Sequence[Profiled]) -> tuple[int, int, float]:
    """Return the samples in a method, those of the operation, and the dispersion of both."""
    blocks, processes = [], []
    for profile in profiles:
        windows = list(_windows(profile.stacks, frames_of(method, profile.frames)).values())
        blocks += windows
        processes.append(_Window(sum(w.hits for w in windows), sum(w.samples for w in windows)))
    hits, samples = sum(w.hits for w in processes), sum(w.samples for w in processes)
    return hits, samples, max(_dispersion(blocks), _between(processes))


def _is_inlined(method: Method, profiles: Sequence[Profiled]) -> bool:
    """Tell whether all frames of a method are in code that lies in its callers'."""
    frames = [
        profile.frames[at] for profile in profiles for at in frames_of(method, profile.frames)
    ]
    return bool(frames) and all(frame.inlined for frame in frames)


SAME_PROGRAM = 0.1
"""Relative difference of the time of an operation up to which a program whose method is kept out of
line is taken for the unchanged one."""


def _select_profiles(method: Method, runs: Sequence[Run]) -> tuple[list[Profiled], bool]:
    """Return the profiles that tell the share, and whether they keep the method out of line.

    Those that do count alone where an operation takes as long in them as in the unchanged program.
    """
    unchanged: list[Profiled] = []
    out_of_line: list[Profiled] = []
    for run in runs:
        if isinstance(run.outcome, Profiled) and run.outcome.samples:
            kept_out = method in run.trial.variant.methods
            (out_of_line if kept_out else unchanged).append(run.outcome)
    usual, other = _operation_seconds(unchanged), _operation_seconds(out_of_line)
    if usual and other and abs(other / usual - 1) <= SAME_PROGRAM:
        return out_of_line, True
    return unchanged, False


def _operation_seconds(profiles: Sequence[Profiled]) -> float | None:
    """Return the processor time of an operation, None where it is unknown."""
    operations = sum(one.operations for one in profiles)
    cpu = sum(one.cpu_seconds for one in profiles)
    return cpu / operations if operations and cpu else None


def _count_ambiguous(method: Method, profiles: Sequence[Profiled]) -> int:
    if method.language is not Language.JAVA:
        return 0
    return sum(ambiguous_samples(one, method.descriptor) for one in profiles)


def interval(hits: float, samples: float, error: float) -> tuple[float, float]:
    """Return the interval of a proportion (Clopper and Pearson); `error` is both sides' together.

    The counts need not be whole numbers.
    """
    low = special.betaincinv(hits, samples - hits + 1, error / 2) if hits > 0 else 0.0
    high = special.betaincinv(hits + 1, samples - hits, 1 - error / 2) if hits < samples else 1.0
    return float(low), float(high)


def is_too_short_for_a_call(share: Share) -> bool:
    """Tell whether each call would be shorter than a cycle, by what the samples leave possible."""
    each = share.seconds_per_call
    sampled = share.hits == 0 and share.ambiguous == 0 and not share.obstacle
    return sampled and each is not None and each < CYCLE_SECONDS


def is_empty_operation(share: Share) -> bool:
    """Tell whether the operation is too short to do anything but count."""
    between = share.seconds_between_calls
    return between is not None and between < EMPTY_SECONDS


def _windows(stacks: Sequence[Stack], mine: frozenset[int]) -> Mapping[int, _Window]:
    hits: Counter[int] = Counter()
    samples: Counter[int] = Counter()
    for stack in stacks:
        samples[stack.block] += stack.count
        if not mine.isdisjoint(stack.frames):
            hits[stack.block] += stack.count
    return {block: _Window(hits[block], samples[block]) for block in samples}


def _chi_square(windows: Sequence[_Window]) -> float:
    hits, samples = sum(w.hits for w in windows), sum(w.samples for w in windows)
    share = hits / samples
    if not 0 < share < 1:
        return 0.0
    return sum(
        (w.hits - w.samples * share) ** 2 / (w.samples * share * (1 - share)) for w in windows
    )


def _dispersion(windows: Sequence[_Window]) -> float:
    """Return by how much windows scatter more than independent samples do; at least 1."""
    return max(1.0, _chi_square(windows) / (len(windows) - 1)) if len(windows) > 1 else 1.0


def _between(processes: Sequence[_Window]) -> float:
    """Return the dispersion of processes, where it is more than chance explains."""
    freedom = len(processes) - 1
    dispersed = freedom > 0 and _chi_square(processes) > special.chdtri(freedom, CHANCE)
    return _dispersion(processes) if dispersed else 1.0


def _widen_by_unattributed(
    low: float, high: float, profiles: Sequence[Profiled], benchmark: Benchmark
) -> tuple[float, float]:
    """Widen an interval by all that may or may not belong to the method.

    Unreadable stacks, and time off the processor, may be the method's or not. More processor time
    than the timer shows is of goroutines beside the operation, or of code outside of the timer.
    """
    cpu = sum(one.cpu_seconds for one in profiles)
    if cpu <= 0:
        return low, high
    known = sum(one.samples for one in profiles)
    lost = sum(one.unattributed for one in profiles) / known
    timed = benchmark.concurrency * sum(one.timed_seconds for one in profiles)
    waited = sum(one.waiting_seconds for one in profiles)
    off = max(0.0, (timed - cpu - waited) / cpu)
    more = lost + (off if off > OFF_CPU else 0.0)
    low, high = low / (1 + more), (high + more) / (1 + more)
    beside = max(0.0, 1 - timed / cpu)
    if beside > OFF_CPU:
        low, high = max(0.0, low - beside) / (1 - beside), min(1.0, high / (1 - beside))
    return low, high
