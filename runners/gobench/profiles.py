"""What a profiled process of Go has left, as samples of the benchmark's timed blocks."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from urllib.parse import unquote

from auditor.core.outcome import Frame, Profiled, Stack
from auditor.core.plan import Trial
from auditor.core.schedule import Phase
from runners.gobench.pprof import ProfileLine, StackSample
from runners.records import GuestRecords

_GUEST = "/zz_bench_audit_guest."
"""Part of the names of the guest's functions."""
LABEL = "bench-audit"
"""Key of the label that the guest gives its samples: "BLOCK.EPOCH"."""
_TIMERS = re.compile(r"^testing\.\(\*B\)\.(StartTimer|StopTimer|ResetTimer)$")
_TYPE_ARGUMENTS = re.compile(r"\[[^\]]*\]")
_LITERAL = re.compile(r"\.(?:func|gowrap|deferwrap)\d+(?:\.\d+)*$|-fm$|\.\d+$")
_DEEPEST = 64
"""Return addresses of a stack that older runtimes keep: what called the outermost is unknown."""
_LOST = frozenset({"runtime._ExternalCode", "runtime._LostExternalCode", "runtime._VDSO"})
"""Functions that stand for a stack that could not be read."""


def profile_samples(
    trial: Trial, records: GuestRecords, samples: Iterable[StackSample], root: str
) -> Profiled:
    """Return the samples of the measured blocks; `root` is the folder of the sources.

    Raises ValueError where the guest says nothing of the profile.
    """
    if records.profile is None:
        raise ValueError("the guest took no CPU profile")
    samples = list(samples)
    cpu, queued, wall = records.profile
    measured_blocks = _find_measured_blocks(trial)
    last = _last_epochs(samples)
    frames: dict[Frame, int] = {}
    counts: Counter[tuple[int, tuple[int, ...]]] = Counter()
    unattributed = background = 0
    for sample in samples:
        block, epoch = _read_label(sample)
        if block is None:
            background += sample.count if _is_runtime(sample) else 0
            continue
        if block not in measured_blocks or epoch != last[block] or _is_ours(sample):
            continue
        if _is_lost(sample):
            unattributed += sample.count
            continue
        stack = dict.fromkeys(_make_frame(line, root) for line in sample.lines)
        numbers = tuple(frames.setdefault(frame, len(frames)) for frame in stack)
        counts[block, numbers] += sample.count
    everything = sum(sample.count for sample in samples)
    attributed = sum(counts.values()) + unattributed
    blocks = [record for record in records.blocks if record.index in measured_blocks]
    timed = sum(record.seconds_per_operation * record.operations for record in blocks)
    return Profiled(
        frames=tuple(frames),
        stacks=tuple(Stack(block, stack, n) for (block, stack), n in sorted(counts.items())),
        unattributed=unattributed,
        background=background,
        period_seconds=cpu / everything if everything else 0.0,
        cpu_seconds=cpu * attributed / everything if everything else 0.0,
        timed_seconds=timed,
        waiting_seconds=queued * min(1.0, timed / wall) if wall > 0 else 0.0,
        operations=round(sum(record.operations for record in blocks)),
        code=tuple(dict.fromkeys(_make_code_frame(ProfileLine(*n), root) for n in records.code)),
    )


def _find_measured_blocks(trial: Trial) -> frozenset[int]:
    blocks = trial.schedule.blocks
    return frozenset(
        index for index, block in enumerate(blocks) if block.phase is Phase.MEASUREMENT
    )


def _read_label(sample: StackSample) -> tuple[int | None, int]:
    """Return the block and epoch of a sample, None for one without a label of ours."""
    block, _, epoch = dict(sample.labels).get(LABEL, "").partition(".")
    if not (block.isdecimal() and epoch.isdecimal()):
        return None, 0
    return int(block), int(epoch)


def _last_epochs(samples: Iterable[StackSample]) -> Mapping[int, int]:
    """Return of each block the epoch behind the last reset of its timer."""
    last: dict[int, int] = {}
    for sample in samples:
        block, epoch = _read_label(sample)
        if block is not None:
            last[block] = max(epoch, last.get(block, 0))
    return last


def _is_ours(sample: StackSample) -> bool:
    """Tell whether a sample is of a timer, or of the guest that hears of it."""
    timer = f"{_GUEST}Timer"
    return any(_TIMERS.match(line.function) or timer in line.function for line in sample.lines)


def _is_lost(sample: StackSample) -> bool:
    """Tell whether the outer end of the stack is missing."""
    names = {line.function for line in sample.lines}
    deep = sample.addresses >= _DEEPEST and not any(_GUEST in name for name in names)
    return deep or not names or bool(names & _LOST)


def _is_runtime(sample: StackSample) -> bool:
    return bool(sample.lines) and sample.lines[-1].function.startswith("runtime.")


def _make_code_frame(line: ProfileLine, root: str) -> Frame:
    """Return a frame of the benchmark's own code, where literals keep their lines."""
    frame = _make_frame(line, root)
    return replace(frame, line=line.line if frame.file else 0)


def _make_frame(line: ProfileLine, root: str) -> Frame:
    """Return a frame whose function is named as the methods of Go are; literals have no line."""
    plain = _TYPE_ARGUMENTS.sub("", line.function)
    path, slash, name = plain.rpartition("/")
    name = unquote(name).replace("(*", "").replace(")", "")
    inside = line.file.startswith(f"{root}/")
    file = line.file.removeprefix(f"{root}/") if inside else ""
    literal = _LITERAL.search(name) is not None
    count = 0 if literal or not inside else line.line
    return Frame(f"{path}{slash}{name}", file, count, line.inlined)
