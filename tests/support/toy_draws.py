"""The seeds of what the toy machine measures, a function of a trial's values alone.

Several tests are about trials near a threshold and hold for these draws only. So the text behind a
seed is written out here: it must not change when a class or the text of a trial's id does.
"""

import hashlib
from enum import Enum

from auditor.core.plan import Purpose, Trial
from auditor.core.schedule import Arm, Schedule


def draw_seed(trial: Trial) -> int:
    """Return the seed of the draws of a trial's process."""
    values = [
        repr(trial.subject),
        _member("Purpose", trial.purpose),
        _member("Kind", trial.variant.kind),
        repr(() if trial.built_overlay else tuple(method.id for method in trial.variant.methods)),
        repr(trial.variant.guarded),
        repr(trial.overlay_digest),
        repr(trial.benchmark.id if trial.benchmark else ""),
        _schedule(trial.schedule),
        repr(trial.repetition),
        repr(trial.fork),
        repr(trial.seed),
    ]
    values += [repr(value) for value in (trial.tests, trial.layout) if value]
    if (rule := trial.watch) is not None:
        values.append(
            f"Watch(method={_member('Method', rule.method)}, measured={rule.measured!r},"
            f" seconds={rule.seconds!r}, width={rule.width!r}, model={rule.model!r})"
        )
    # What runs beside a pilot of the toy does not disturb it.
    is_disturbed = trial.rough and trial.purpose is not Purpose.PILOT
    values += ["'rough'"] * is_disturbed + ["'whole'"] * trial.is_whole
    return int(hashlib.sha256(f"({', '.join(values)})".encode()).hexdigest()[:8], 16)


def _schedule(schedule: Schedule) -> str:
    arms = [_arm(arm) for arm in schedule.arms]
    blocks = [
        f"Block(phase={_member('Phase', block.phase)}, arm={block.arm})"
        for block in schedule.blocks
    ]
    return (
        f"Schedule(arms={_tuple(arms)}, blocks={_tuple(blocks)},"
        f" seconds={schedule.seconds!r}, operations={schedule.operations!r})"
    )


def _arm(arm: Arm) -> str:
    delay = "None"
    if arm.delay is not None:
        wait = _member("Wait", arm.delay.wait)
        delay = f"Delay(wait={wait}, number={arm.delay.number!r})"
    return f"Arm(name={_member('ArmName', arm.name)}, delay={delay})"


def _member(kind: str, member: Enum) -> str:
    name = str(member.value).upper().replace("-", "_")
    return f"<{kind}.{name}: {member.value!r}>"


def _tuple(texts: list[str]) -> str:
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"
