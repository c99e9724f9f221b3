"""Stacks that are sampled in real JVMs."""

from dataclasses import replace

import pytest
from jmh_making import plain

from auditor.core.mutant import Overlay, Variant, VariantKind
from auditor.core.outcome import Profiled, Unreadable
from auditor.core.plan import Purpose, Trial
from auditor.measure.profiles.attribution import ambiguous_samples
from mutators.java.mutator import JavaMutator
from runners.jmh.sampling import SAMPLER_VARIABLE

pytestmark = pytest.mark.subject
BLOCKS = 8


def profiled(suited, benchmark, *methods, **variables):
    """Run a trial of purpose PROFILE with methods out of line, and more variables."""
    variant = Variant(VariantKind.PROFILED, methods)
    overlay = JavaMutator().build_overlay(suited.suite.sources, variant)
    assert overlay == Overlay()
    trial = Trial(
        subject=suited.project.digest,
        purpose=Purpose.PROFILE,
        variant=variant,
        overlay=overlay,
        benchmark=suited.benchmark(benchmark),
        schedule=plain(blocks=BLOCKS, warmup=6, seconds=0.15),
        repetition=1,
        seed=1,
        timeout_seconds=120,
    )
    build_folder = suited.folder / overlay.digest
    build_folder.mkdir(exist_ok=True)
    answers = [
        suited.host.run_process(replace(job, environment=(*job.environment, *variables.items())))
        for job in suited.harness.plan_launch(suited.project, trial, build_folder)
    ]
    return suited.harness.read_outcome(trial, answers)


def share(outcome, function):
    """Return the fraction of samples with a frame of the function, by its descriptor."""
    assert isinstance(outcome, Profiled), outcome
    (index,) = [
        position for position, frame in enumerate(outcome.frames) if frame.function == function
    ] or [-1]
    return (
        sum(stack.count for stack in outcome.stacks if index in stack.frames) / outcome.sample_count
    )


def test_the_suite_can_be_sampled(jmh):
    assert jmh.harness.explain_unprofiled(jmh.project) == ""


@pytest.mark.parametrize(
    ("benchmark", "function", "expected"),
    [
        ("threeQuarters", "org/example/Parts.inlined(J)J", 0.75),
        ("twoFifths", "org/example/Parts.called(J)J", 0.4),
        ("dropped", "org/example/Parts.unused(J)J", 0),
        ("turns", "org/example/Work.turns(I)I", 1),
        ("threads", "org/example/Work.turns(I)I", 1),
        ("fresh", "org/example/Work.turns(I)I", 1),
    ],
)
def test_a_share_is_that_of_the_steps(jmh, benchmark, function, expected):
    outcome = profiled(jmh, benchmark)

    assert share(outcome, function) == pytest.approx(expected, abs=0.1)


def test_frames_are_named_as_methods_are(jmh):
    outcome = profiled(jmh, "threeQuarters")

    descriptors = {method.descriptor for method in jmh.methods.values()}
    functions = {frame.function for frame in outcome.frames}
    assert {"org/example/Parts.inlined(J)J", "org/example/Parts.rest(JI)J"} <= functions
    assert {"org/example/Parts.inlined(J)J", "org/example/Parts.rest(JI)J"} <= descriptors


@pytest.mark.timed
def test_samples_cover_the_timed_blocks(jmh):
    outcome = profiled(jmh, "threads")

    assert {stack.block for stack in outcome.stacks} <= {*range(6, 6 + BLOCKS)}
    assert 0.5 * outcome.timed_seconds < outcome.cpu_seconds + outcome.waiting_seconds
    assert outcome.cpu_seconds < 1.2 * outcome.timed_seconds
    assert outcome.sample_count > 20 * outcome.cpu_seconds
    assert outcome.unattributed <= 0.05 * outcome.sample_count
    assert outcome.operations > 0


def test_set_up_of_each_invocation_is_no_part_of_the_operation(jmh):
    outcome = profiled(jmh, "fresh")

    assert not any("eachCall" in frame.function for frame in outcome.frames)


def test_an_old_jmh_is_sampled_too(old_jmh):
    outcome = profiled(old_jmh, "threeQuarters")

    assert share(outcome, "org/example/Parts.inlined(J)J") == pytest.approx(0.75, abs=0.1)


def test_a_profiler_that_cannot_be_loaded_is_an_outcome(jmh, tmp_path):
    outcome = profiled(jmh, "turns", **{SAMPLER_VARIABLE: str(tmp_path)})

    assert isinstance(outcome, Unreadable), outcome
    assert outcome.reason.startswith("async-profiler cannot sample this JVM: ")


def test_the_reason_why_a_suite_cannot_be_sampled_is_told(jmh, tmp_path):
    guests = replace(jmh.harness.guests, folder=tmp_path, unsampled="there is no library")
    harness = type(jmh.harness)(guests)

    assert harness.explain_unprofiled(jmh.project) == "there is no library"


def test_a_method_that_is_kept_out_of_line_has_all_its_samples(jmh):
    (greatest,) = [method for method in jmh.methods.values() if method.name == "greatest"]

    outcome = profiled(jmh, "Sampled.greatest", greatest)

    assert share(outcome, greatest.descriptor) > 0.9


def test_a_method_has_no_more_samples_than_its_callers_may_hide(jmh):
    (greatest,) = [method for method in jmh.methods.values() if method.name == "greatest"]

    outcome = profiled(jmh, "Sampled.greatest")

    hidden = ambiguous_samples(outcome, greatest.descriptor) / outcome.sample_count
    assert share(outcome, greatest.descriptor) + hidden > 0.9


def test_arguments_of_a_sampled_jvm_keep_chosen_methods_out_of_line(jmh, tmp_path):
    method = jmh.find("turns")
    trial = Trial(
        subject="s",
        purpose=Purpose.PROFILE,
        variant=Variant(VariantKind.PROFILED, (method,)),
        benchmark=jmh.benchmark("turns"),
        schedule=plain(),
        repetition=1,
        seed=1,
        timeout_seconds=1,
    )

    (job,) = jmh.harness.plan_launch(jmh.project, trial, tmp_path)

    assert "prepend=-XX:+DebugNonSafepoints" in job.argv
    assert "prepend=-XX:CompileCommand=dontinline,org/example/Work.turns(I)I" in job.argv
    assert not any("javaagent" in argument for argument in job.argv)
