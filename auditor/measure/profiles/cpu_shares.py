"""The share of a benchmark's operation that is spent in a method, from CPU samples.

The samples are of the unchanged program, so nothing that an injected probe does is in them, and
they count processor time, so other programs on the machine leave the share as it is.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scipy import special

from auditor.core.outcome import Frame, Profiled, Stack
from auditor.core.plan import Run
from auditor.core.result import Interval
from auditor.core.subject import Language, Method
from auditor.core.suite import Benchmark
from auditor.core.units import format_percent
from auditor.measure.profiles.attribution import (
    CALL_SECONDS,
    AttributionError,
    ambiguous_samples,
    attribution_error,
    out_of_line_error,
)

LOOKS = 7
"""Times that the samples of a benchmark are looked at, so that the error is shared among looks."""
PAIR_ERROR = 0.005
"""Two-sided error of an interval of one share alone at one look; 1 % after all looks, about."""
CHANCE = 0.05
"""Probability up to which a chi-square of processes is taken for more than chance."""
OFF_CPU = 0.05
"""Part of the time without samples that labels, timers and the end of a block may explain."""
EMPTY_SECONDS = 0.6e-9
"""Time of an operation that does nothing but count: two cycles at 3 GHz."""
LOOP_SECONDS = 2e-9
"""Time of an operation of JMH that may be its own loop alone: 0.6 to 1.5 ns with a result."""
CYCLE_SECONDS = 0.3e-9
"""One cycle at 3 GHz: no call that was not removed is as short."""
PROCESS_NOISE = 0.15
"""Relative difference of the time of an operation that further processes may show to be chance."""
SAME_PROGRAM = 0.05
"""Relative difference of the time of an operation up to which a program whose method is kept out of
line is taken for the unchanged one: processes of one program differ as much."""
FEWEST_SAMPLES = 100
"""Samples without which nothing is said of a share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuShare:
    """What the samples of a benchmark tell of one method."""

    share: float
    """Samples in the method over all samples of the operation, in [0, 1]."""
    low: float
    """Lower end of the interval: sampling error, dispersion, and all that is not attributed."""
    high: float
    """Upper end of the interval."""
    own_interval: Interval
    """The 99 % interval of this share, its error not divided among benchmarks and looks."""
    irreducible: Interval
    """The interval without sampling error: the narrowest that more samples could give."""
    samples: int
    """Samples of the operation."""
    unchanged: tuple[int, int]
    """Samples in the method and of the operation, both of the unchanged program."""
    by_unchanged: bool
    """Whether `share` and `samples` are of the unchanged program, and not of one that keeps the
    method out of line (JVM)."""
    processes: int
    """Profiled processes."""
    calls: float | None
    """Calls per operation; None where they were not counted."""
    seconds_between_calls: float | None
    """Processor time of an operation over its calls; None where one of them is unknown."""
    seconds_per_call: float | None
    """Upper limit of a call's time by the sampling error alone; None where calls are unknown."""
    seconds_out_of_line: float | None
    """Lower limit of a call's time where a JVM keeps the method out of line; None elsewhere."""
    ambiguous: int
    """Samples that may be of the method, although they name only its callers (JVM)."""
    processors: float = 0.0
    """Processors that the operation keeps busy beyond those that its benchmark asks for, as their
    ratio; 0 where the processor time is unknown."""
    obstacle: str = ""
    """What keeps the samples from telling the share, for people; empty where nothing does."""


FrameKey = str | tuple[str, int]
"""The function of a frame, or its file and line."""


def list_frame_keys(frame: Frame) -> tuple[FrameKey, FrameKey]:
    """Return what may tell that a frame belongs to a method."""
    return frame.function, (frame.file, frame.line)


def list_method_keys(method: Method) -> frozenset[FrameKey]:
    """Return what tells the frames of a method: its name, and its first lines."""
    places = ((span.file, span.first_line) for span in method.spans)
    return frozenset({method.descriptor or method.id, *places})


def frames_of(method: Method, frames: Sequence[Frame]) -> frozenset[int]:
    """Return the indices of the frames that belong to a method, by its name or its first lines.

    Not by all of its lines: a function that is declared inside has a frame of its own.
    """
    keys = list_method_keys(method)
    return frozenset(
        index for index, frame in enumerate(frames) if not keys.isdisjoint(list_frame_keys(frame))
    )


@dataclass(frozen=True, slots=True)
class _SampleCounts:
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
) -> CpuShare | None:
    """Return the share of a method in a benchmark by its profiled `runs`; None without samples.

    `error` is the two-sided error of the interval after all looks, `calls` are per operation.
    Sampling error: Clopper and Pearson 1934, with the samples divided by the dispersion
    (Pearson's chi-square over its degrees of freedom) of blocks and of processes.

    A JVM has profiles of two programs: the unchanged one, and one that keeps the methods out of
    line. The share lies in the intervals of both.
    """
    unchanged, out_of_line = _split_profiles(method, runs)
    programs = [
        (profiles, bounds)
        for profiles, bounds in (
            (unchanged, _bounds_of_unchanged(method, unchanged, calls)),
            (out_of_line, _bounds_of_out_of_line(unchanged, out_of_line, calls)),
        )
        if profiles
    ]
    if not programs:
        return None
    errors = error / LOOKS / len(programs), PAIR_ERROR / len(programs)
    views = [
        _ShareView.from_profiles(method, benchmark, profiles, bounds, errors=errors)
        for profiles, bounds in programs
    ]
    return _combine_views((method, benchmark), views, (unchanged, out_of_line), calls)


def _combine_views(
    pair: tuple[Method, Benchmark],
    views: Sequence["_ShareView"],
    programs: tuple[Sequence[Profiled], Sequence[Profiled]],
    calls: float | None,
) -> CpuShare:
    """Return what the views of the unchanged program and of the one out of line tell together."""
    (method, benchmark), (unchanged, out_of_line) = pair, programs
    best = min(views, key=lambda view: view.irreducible[1] - view.irreducible[0])
    low, high = _intersect_intervals([view.interval for view in views])
    operation = _operation_seconds(unchanged or out_of_line) or 0.0
    between = operation / calls if operation and calls else None
    first = views[0]
    cpu, timed = _sum_times(unchanged or out_of_line, benchmark)
    return CpuShare(
        share=best.hits / best.samples,
        low=min(low, high),
        high=max(low, high),
        own_interval=_find_narrowest([view.own_interval for view in views], best.own_interval),
        irreducible=_find_narrowest([view.irreducible for view in views], best.irreducible),
        samples=best.samples,
        unchanged=_count_samples(method, unchanged)[:2] if unchanged else (0, 0),
        by_unchanged=best.profiles is not out_of_line,
        processes=len(unchanged) + len(out_of_line),
        calls=calls,
        seconds_between_calls=between,
        seconds_per_call=None if between is None else first.most * between,
        seconds_out_of_line=_seconds_out_of_line(views, out_of_line, calls),
        ambiguous=0 if first.profiles is out_of_line else _count_ambiguous(method, unchanged),
        processors=cpu / timed if timed > 0 else 0.0,
        obstacle=_find_obstacle(best, low, high),
    )


def _sum_times(profiles: Sequence[Profiled], benchmark: Benchmark) -> tuple[float, float]:
    """Return the processor time of the operations, and the time of all threads asked for."""
    timed = benchmark.concurrency * sum(profile.timed_seconds for profile in profiles)
    return sum(profile.cpu_seconds for profile in profiles), timed


@dataclass(frozen=True, slots=True)
class _ErrorBounds:
    """What may separate a sampled share from the true one, besides sampling error."""

    error: AttributionError
    slowing: float = 1.0
    """Time of an operation of the sampled program over that of the unchanged one."""
    ambiguous: float = 0.0
    """Part of the samples that may be of the method although they do not name it."""

    def without_noise(self) -> "_ErrorBounds":
        """Return these where processes of one program may differ as much as the two programs do."""
        is_noise = abs(self.slowing - 1) <= PROCESS_NOISE
        return replace(self, slowing=1.0) if is_noise else self

    def widen_interval(self, low: float, high: float) -> Interval:
        """Return the interval of the true share.

        Where the sampled program is slower, the method may take all of the difference or none.
        """
        if self.slowing >= 1:
            low, high = low * self.slowing - (self.slowing - 1), high * self.slowing
        else:
            low, high = low * self.slowing, high * self.slowing + 1 - self.slowing
        return (
            max(0.0, min(1.0, low - self.error.excess)),
            min(1.0, max(0.0, high + self.error.shortfall + self.ambiguous)),
        )


@dataclass(frozen=True, slots=True)
class _ShareView:
    """What the profiles of one program tell of a share."""

    profiles: Sequence[Profiled]
    """Of this program."""
    hits: int
    """Samples in the method."""
    samples: int
    """All samples."""
    least: float
    """Low end of the share in this program, by sampling error alone."""
    most: float
    """High end of it."""
    interval: Interval
    """Of the share, with errors of attribution."""
    own_interval: Interval
    """Likewise, at the error of a verdict by this program alone."""
    irreducible: Interval
    """Likewise, without sampling error: more samples do not narrow it."""

    @classmethod
    def from_profiles(
        cls,
        method: Method,
        benchmark: Benchmark,
        profiles: Sequence[Profiled],
        bounds: _ErrorBounds,
        *,
        errors: tuple[float, float],
    ) -> "_ShareView":
        """Return the view; `errors`: as for `compute_proportion_interval` and `own_interval`."""
        hits, samples, dispersion = _count_samples(method, profiles)
        sampled, own_interval = (
            compute_proportion_interval(hits / dispersion, samples / dispersion, error)
            for error in errors
        )

        def widen_sampled(low: float, high: float) -> Interval:
            return bounds.widen_interval(*_widen_by_unattributed(low, high, profiles, benchmark))

        return cls(
            profiles=profiles,
            hits=hits,
            samples=samples,
            least=sampled[0],
            most=sampled[1],
            interval=widen_sampled(*sampled),
            own_interval=widen_sampled(*own_interval),
            irreducible=bounds.without_noise().widen_interval(
                *_widen_by_unattributed(hits / samples, hits / samples, profiles, benchmark)
            ),
        )


def _intersect_intervals(intervals: Sequence[Interval]) -> Interval:
    """Return what all intervals have in common; its ends change places where that is nothing."""
    return max(low for low, _ in intervals), min(high for _, high in intervals)


def _find_narrowest(intervals: Sequence[Interval], otherwise: Interval) -> Interval:
    low, high = _intersect_intervals(intervals)
    return (low, high) if low <= high else otherwise


def _find_obstacle(best: _ShareView, low: float, high: float) -> str:
    if best.samples < FEWEST_SAMPLES:
        return f"only {best.samples} samples were taken"
    if low > high:
        return (
            f"samples of the unchanged program and of one that keeps the method out of line "
            f"contradict each other: at least {format_percent(low)} and at most "
            f"{format_percent(high)}"
        )
    return ""


def _bounds_of_unchanged(
    method: Method, profiles: Sequence[Profiled], calls: float | None
) -> _ErrorBounds:
    operation = _operation_seconds(profiles) or 0.0
    samples = sum(profile.sample_count for profile in profiles)
    ways = _find_inlining(method, profiles)
    errors = [attribution_error(method.language, operation, calls, inlined=way) for way in ways]
    return _ErrorBounds(
        AttributionError(
            max(error.excess for error in errors), max(error.shortfall for error in errors)
        ),
        ambiguous=_count_ambiguous(method, profiles) / samples if samples else 0.0,
    )


def _bounds_of_out_of_line(
    unchanged: Sequence[Profiled], out_of_line: Sequence[Profiled], calls: float | None
) -> _ErrorBounds:
    slowing = _measure_slowing(unchanged, out_of_line)
    if slowing is None:
        return _ErrorBounds(AttributionError(1.0, 1.0))
    if abs(slowing - 1) <= SAME_PROGRAM:
        slowing = 1.0
    operation = _operation_seconds(unchanged) or _operation_seconds(out_of_line) or 0.0
    return _ErrorBounds(out_of_line_error(operation, calls), slowing)


def _measure_slowing(
    unchanged: Sequence[Profiled], out_of_line: Sequence[Profiled]
) -> float | None:
    usual, out_of_line_seconds = _operation_seconds(unchanged), _operation_seconds(out_of_line)
    return out_of_line_seconds / usual if usual and out_of_line_seconds else None


def _seconds_out_of_line(
    views: Sequence[_ShareView], out_of_line: Sequence[Profiled], calls: float | None
) -> float | None:
    """Return the least time of a call in the program that keeps the method out of line."""
    operation = _operation_seconds(out_of_line)
    view = next((view for view in views if view.profiles is out_of_line), None)
    return view.least * operation / calls if view and operation and calls else None


def _count_samples(method: Method, profiles: Sequence[Profiled]) -> tuple[int, int, float]:
    """Return the samples in a method, those of the operation, and the dispersion of both."""
    blocks, processes = [], []
    for profile in profiles:
        windows = list(_count_by_block(profile.stacks, frames_of(method, profile.frames)).values())
        blocks += windows
        processes.append(
            _SampleCounts(sum(w.hits for w in windows), sum(w.samples for w in windows))
        )
    hits, samples = sum(w.hits for w in processes), sum(w.samples for w in processes)
    return hits, samples, max(_measure_dispersion(blocks), _measure_process_dispersion(processes))


def _find_inlining(method: Method, profiles: Sequence[Profiled]) -> set[bool]:
    """Return whether the frames of a method are in code that lies in its callers': both may be."""
    frames = [
        profile.frames[frame_index]
        for profile in profiles
        for frame_index in frames_of(method, profile.frames)
    ]
    return {frame.inlined for frame in frames} or {False}


def _split_profiles(
    method: Method, runs: Sequence[Run]
) -> tuple[Sequence[Profiled], Sequence[Profiled]]:
    """Return the profiles of the unchanged program, and those that keep the method out of line."""
    unchanged: list[Profiled] = []
    out_of_line: list[Profiled] = []
    for run in runs:
        if isinstance(run.outcome, Profiled) and run.outcome.sample_count:
            kept_out = method in run.trial.variant.methods
            (out_of_line if kept_out else unchanged).append(run.outcome)
    return unchanged, out_of_line


def _operation_seconds(profiles: Sequence[Profiled]) -> float | None:
    """Return the processor time of an operation, None where it is unknown."""
    operations = sum(profile.operations for profile in profiles)
    cpu = sum(profile.cpu_seconds for profile in profiles)
    return cpu / operations if operations and cpu else None


def _count_ambiguous(method: Method, profiles: Sequence[Profiled]) -> int:
    if method.language is not Language.JAVA:
        return 0
    return sum(ambiguous_samples(profile, method.descriptor) for profile in profiles)


def compute_proportion_interval(hits: float, samples: float, error: float) -> tuple[float, float]:
    """Return the interval of a proportion (Clopper and Pearson); `error` is both sides' together.

    The counts need not be whole numbers.
    """
    low = special.betaincinv(hits, samples - hits + 1, error / 2) if hits > 0 else 0.0
    high = special.betaincinv(hits + 1, samples - hits, 1 - error / 2) if hits < samples else 1.0
    return float(low), float(high)


def is_too_short_for_a_call(share: CpuShare) -> bool:
    """Tell whether each call would be shorter than a cycle, by what the samples leave possible."""
    call_seconds = share.seconds_per_call
    sampled = _is_never_seen(share) and share.ambiguous == 0
    return sampled and call_seconds is not None and call_seconds < CYCLE_SECONDS


def is_longer_than_the_operation(share: CpuShare) -> bool:
    """Tell whether the one call of a short operation is longer than it where it has to be made.

    Out of line it takes twice as long as the whole unchanged operation, and longer by more than
    what calling costs; no sample of the unchanged operation is in the method, which is little more
    than the harness's own loop.
    """
    call_seconds, between = share.seconds_out_of_line, share.seconds_between_calls
    if not _is_never_seen(share) or call_seconds is None or between is None:
        return False
    is_short = between < LOOP_SECONDS and share.calls is not None and share.calls < 1.01
    return (
        is_short and call_seconds >= 2 * between and call_seconds - between > 1.5 * CALL_SECONDS[1]
    )


def _is_never_seen(share: CpuShare) -> bool:
    """Tell whether none of enough samples of the unchanged program is in the method."""
    hits, samples = share.unchanged
    return hits == 0 and samples >= FEWEST_SAMPLES and not share.obstacle


def is_empty_operation(share: CpuShare) -> bool:
    """Tell whether the operation is too short to do anything but count."""
    between = share.seconds_between_calls
    return between is not None and between < EMPTY_SECONDS


def _count_by_block(
    stacks: Sequence[Stack], method_frames: frozenset[int]
) -> Mapping[int, _SampleCounts]:
    hits: Counter[int] = Counter()
    samples: Counter[int] = Counter()
    for stack in stacks:
        samples[stack.block] += stack.count
        if not method_frames.isdisjoint(stack.frames):
            hits[stack.block] += stack.count
    return {block: _SampleCounts(hits[block], samples[block]) for block in samples}


def _chi_square(windows: Sequence[_SampleCounts]) -> float:
    hits, samples = sum(w.hits for w in windows), sum(w.samples for w in windows)
    share = hits / samples
    if not 0 < share < 1:
        return 0.0
    return sum(
        (w.hits - w.samples * share) ** 2 / (w.samples * share * (1 - share)) for w in windows
    )


def _measure_dispersion(windows: Sequence[_SampleCounts]) -> float:
    """Return by how much windows scatter more than independent samples do; at least 1."""
    return max(1.0, _chi_square(windows) / (len(windows) - 1)) if len(windows) > 1 else 1.0


def _measure_process_dispersion(processes: Sequence[_SampleCounts]) -> float:
    """Return the dispersion of processes, where it is more than chance explains."""
    freedom = len(processes) - 1
    dispersed = freedom > 0 and _chi_square(processes) > special.chdtri(freedom, CHANCE)
    return _measure_dispersion(processes) if dispersed else 1.0


def _widen_by_unattributed(
    low: float, high: float, profiles: Sequence[Profiled], benchmark: Benchmark
) -> tuple[float, float]:
    """Widen an interval by all that may or may not belong to the method.

    Unreadable stacks, and time off the processor, may be the method's or not. More processor time
    than the timer shows is of goroutines beside the operation, or of code outside of the timer.
    """
    cpu, timed = _sum_times(profiles, benchmark)
    if cpu <= 0:
        return low, high
    sample_count = sum(profile.sample_count for profile in profiles)
    lost = sum(profile.unattributed for profile in profiles) / sample_count
    waited = sum(profile.waiting_seconds for profile in profiles)
    off_cpu_share = max(0.0, (timed - cpu - waited) / cpu)
    more = lost + (off_cpu_share if off_cpu_share > OFF_CPU else 0.0)
    low, high = low / (1 + more), (high + more) / (1 + more)
    background_share = max(0.0, 1 - timed / cpu)
    if background_share >= 1:
        return 0.0, 1.0
    if background_share > OFF_CPU:
        low, high = (
            max(0.0, low - background_share) / (1 - background_share),
            min(1.0, high / (1 - background_share)),
        )
    return low, high
