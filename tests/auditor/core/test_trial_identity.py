"""What decides the id of a trial, and so which stored run answers it."""

import hashlib
import json
from dataclasses import fields, replace

import pytest
from builders import benchmark, method

from auditor.core.mutant import Delay, InjectionKind, Overlay, OverlayFile, Variant, VariantKind
from auditor.core.plan import Purpose, Trial, canonical_text
from auditor.core.schedule import Arm, ArmName, Block, EarlyStop, Phase, Schedule, StableMinimumStop
from auditor.core.stop_rules import Criterion, StoppingRule

PLAIN_ARM = Arm(ArmName.PLAIN)
SCHEDULE = Schedule(arms=(PLAIN_ARM,), blocks=(Block(Phase.MEASUREMENT, 0),), seconds=0.05)
STOP = EarlyStop(above=0.3, below=0.2, looks=((3, 12.0),), least_deviation=1e-3, enough=0.0)
WATCH = StoppingRule(method=Criterion.COV, measured=3, seconds=1000.0)

SMALLEST = Trial(
    subject="5ab7ec7",
    purpose=Purpose.SUITE,
    benchmark=benchmark(),
    schedule=SCHEDULE,
    repetition=1,
    seed=7,
    timeout_seconds=60.0,
)
PAIR = replace(
    SMALLEST,
    purpose=Purpose.PAIRS,
    variant=Variant(VariantKind.DELAYED, (method(),), guarded=True),
    overlay=Overlay(files=(OverlayFile("ring.go", b"package ring"),), instructions=("wait",)),
    schedule=Schedule(
        arms=(
            Arm(ArmName.PROBE, Delay(InjectionKind.WORK, 0)),
            Arm(ArmName.SLOWED, Delay(InjectionKind.WORK, 1e22)),
        ),
        blocks=(Block(Phase.WARMUP, 0), Block(Phase.MEASUREMENT, 1)),
        seconds=1,
        operations=200,
    ),
)
ALL_PARTS = replace(
    SMALLEST,
    built_overlay="0ver1a1d",
    fork=2,
    tests="example.org/ring",
    layout=3,
    watch=replace(WATCH, width=0.02, model="m0de1"),
    rough=True,
)

GOLDEN = {
    "smallest": (
        SMALLEST,
        '{"benchmark":"example.org/ring.BenchmarkPush","fork":1,"guarded":false,'
        '"overlay":"e3b0c44298fc1c149afbf4c8","purpose":"suite","repetition":1,'
        '"schedule":{"arms":[{"name":"plain"}],"blocks":[["measurement",0]],'
        '"operations":null,"seconds":0.05},"seed":7,"subject":"5ab7ec7","variant":"plain"}',
        "b96f2ebb0761eac301045dae06d97197",
    ),
    "pair": (
        PAIR,
        '{"all_pairs":true,"benchmark":"example.org/ring.BenchmarkPush","fork":1,'
        '"guarded":true,"methods":["example.org/ring.Push"],'
        '"overlay":"423a681525e437948a300e36","purpose":"pairs","repetition":1,'
        '"schedule":{"arms":[{"amount":0.0,"injection":"work",'
        '"name":"probe"},{"amount":1e+22,"injection":"work","name":"slowed"}],'
        '"blocks":[["warmup",0],["measurement",1]],"operations":200,"seconds":1.0},'
        '"seed":7,"subject":"5ab7ec7","variant":"delayed"}',
        "6736f628edba3fe12f1ebd2b79844559",
    ),
    "all parts": (
        ALL_PARTS,
        '{"benchmark":"example.org/ring.BenchmarkPush","fork":2,"guarded":false,"layout":3,'
        '"may_share_machine":true,"overlay":"0ver1a1d","purpose":"suite","repetition":1,'
        '"schedule":{"arms":[{"name":"plain"}],"blocks":[["measurement",0]],'
        '"operations":null,"seconds":0.05},"seed":7,"stopping_rule":{"criterion":"cov",'
        '"measured":3,"model":"m0de1","seconds":1000.0,"width":0.02},"subject":"5ab7ec7",'
        '"tests":"example.org/ring","variant":"plain"}',
        "0f2a4e393771e2fbcf36512d3cc639eb",
    ),
}

CHANGES = {
    "subject": {"subject": "another"},
    "purpose": {"purpose": Purpose.REFERENCE},
    "variant": {"variant": Variant(VariantKind.COUNTING)},
    "methods": {"variant": Variant(VariantKind.PLAIN, (method(),))},
    "guarded": {"variant": Variant(VariantKind.PLAIN, guarded=True)},
    "overlay": {"overlay": Overlay(instructions=("count",))},
    "built_overlay": {"built_overlay": "0ver1a1d"},
    "benchmark": {"benchmark": benchmark("BenchmarkPop")},
    "parameters": {"benchmark": replace(benchmark(), parameters=(("n", "1"),))},
    "no benchmark": {"benchmark": None},
    "repetition": {"repetition": 2},
    "fork": {"fork": 2},
    "seed": {"seed": 8},
    "tests": {"tests": "example.org/ring"},
    "layout": {"layout": 1},
    "watch": {"watch": WATCH},
    "rough": {"rough": True},
    "seconds": {"schedule": replace(SCHEDULE, seconds=0.1)},
    "operations": {"schedule": replace(SCHEDULE, operations=100)},
    "slow blocks": {"schedule": replace(SCHEDULE, slow_seconds=10.0)},
    "number of blocks": {"schedule": replace(SCHEDULE, blocks=SCHEDULE.blocks * 2)},
    "phase": {"schedule": replace(SCHEDULE, blocks=(Block(Phase.WARMUP, 0),))},
    "arms": {"schedule": replace(SCHEDULE, arms=(PLAIN_ARM, PLAIN_ARM))},
    "arm of a block": {
        "schedule": replace(SCHEDULE, arms=(PLAIN_ARM,) * 2, blocks=(Block(Phase.MEASUREMENT, 1),))
    },
    "delay": {
        "schedule": replace(SCHEDULE, arms=(Arm(ArmName.PLAIN, Delay(InjectionKind.WORK, 1)),))
    },
    "amount": {
        "schedule": replace(SCHEDULE, arms=(Arm(ArmName.PLAIN, Delay(InjectionKind.WORK, 2)),))
    },
    "injection": {
        "schedule": replace(SCHEDULE, arms=(Arm(ArmName.PLAIN, Delay(InjectionKind.SPIN, 1)),))
    },
    "criterion": {"watch": replace(WATCH, method=Criterion.KLD)},
    "measured": {"watch": replace(WATCH, measured=4)},
    "watched seconds": {"watch": replace(WATCH, seconds=1.0)},
    "width": {"watch": replace(WATCH, width=0.02)},
    "model": {"watch": replace(WATCH, model="m0de1")},
}


@pytest.mark.parametrize("name", GOLDEN)
def test_the_text_and_the_digest_of_a_trial_are_fixed(name):
    trial, text, digest = GOLDEN[name]

    assert canonical_text(trial) == text
    assert trial.id == digest
    assert hashlib.sha256(text.encode()).hexdigest()[:32] == digest
    assert json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) == text


def test_each_field_that_decides_a_measurement_changes_the_id():
    ids = {name: replace(SMALLEST, **change).id for name, change in CHANGES.items()}

    assert len({*ids.values(), SMALLEST.id}) == len(CHANGES) + 1
    assert {field.name for field in fields(Trial)} - {"schedule", "timeout_seconds"} <= set(ids)


def test_the_time_out_does_not_change_the_id():
    assert replace(SMALLEST, timeout_seconds=1.0).id == SMALLEST.id


def test_early_stopping_changes_the_id_only_of_a_pair_that_may_not_stop():
    stopping = replace(SCHEDULE, stop=STOP, quiet=StableMinimumStop(blocks=2, share=0.1))
    pair = replace(SMALLEST, purpose=Purpose.PAIRS)

    assert replace(SMALLEST, schedule=stopping).id == SMALLEST.id
    assert replace(pair, schedule=stopping).id != pair.id


def test_equal_trials_have_one_id_whether_a_number_is_written_as_a_float():
    integer_trial, float_trial = (
        replace(SMALLEST, schedule=replace(SCHEDULE, seconds=s)) for s in (1, 1.0)
    )

    assert integer_trial == float_trial
    assert integer_trial.id == float_trial.id
