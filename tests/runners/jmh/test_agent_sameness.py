"""What the agent must not change."""

from dataclasses import replace

import pytest
from jmh_making import delayed, plain

from auditor.core.jobs import Invocation
from auditor.core.mutant import Variant, VariantKind
from auditor.core.outcome import NotBuilt
from mutators.java.mutator import JavaMutator
from runners.records import RECORDS_VARIABLE, read_records

pytestmark = pytest.mark.subject


def everything(jmh, folder, variant):
    """Run the library's own program, with an agent unless the variant is None."""
    records, instructions = folder / "records", folder / "instructions"
    options = ()
    if variant is not None:
        lines = JavaMutator().build_overlay(jmh.suite.sources, variant).instructions
        instructions.write_text("".join(f"{line}\n" for line in lines))
        options = (f"-javaagent:{jmh.harness.guests.agent_jar}={instructions}",)
    java, library = dict(jmh.project.options)["java"], jmh.project.parts[0].path
    answer = jmh.host.run_process(
        Invocation(
            argv=(java, *options, "-cp", str(library), "org.example.Everything"),
            cwd=folder,
            environment=(*jmh.project.environment, (RECORDS_VARIABLE, str(records))),
            timeout_seconds=60,
            files=((records, b""),),
            collects=(records,),
        )
    )
    assert answer.exit_code == 0, answer.format_tail(40)
    return printed_lines(answer), answer.files[records]


def printed_lines(answer):
    lines = answer.stdout.decode().splitlines()
    return [line for line in lines if "VM warning" not in line]


def slowable(jmh):
    """Return what Everything can run; Parts is for profiles, and it runs none of it."""
    return tuple(
        method
        for method in jmh.methods.values()
        if method.refusal is None and not method.owner.endswith(".Parts")
    )


def test_a_counted_library_gives_equal_results_and_stack_traces(jmh, tmp_path):
    methods = slowable(jmh)

    plain_lines, _ = everything(jmh, tmp_path, None)
    lines, data = everything(jmh, tmp_path, Variant(VariantKind.COUNTING, methods))

    assert lines == plain_lines
    assert "org.objectweb.asm.ClassReader is not visible" in lines
    assert "benchaudit.weaver.Weaver is not visible" in lines
    assert len(read_records(data, 0).present) >= len(methods) - 1
    assert read_records(data, 0).failures == []


@pytest.mark.parametrize("guarded", [False, True])
def test_a_slowed_library_gives_equal_results_and_stack_traces(jmh, tmp_path, guarded):
    variant = Variant(VariantKind.DELAYED, slowable(jmh), guarded=guarded)

    plain_lines, _ = everything(jmh, tmp_path, None)
    lines, data = everything(jmh, tmp_path, variant)

    assert lines == plain_lines
    assert read_records(data, 0).failures == []


def test_a_method_that_no_benchmark_calls_is_still_seen_changed(jmh):
    outcome = jmh.run("turns", plain(), delayed(jmh.find("Greeter.greet")))

    assert not isinstance(outcome, NotBuilt), outcome


def test_a_method_that_is_not_there_is_not_built(jmh):
    method = replace(jmh.find("turns"), descriptor="org/example/Work.turns(J)I")

    outcome = jmh.run("turns", plain(), delayed(method))

    assert isinstance(outcome, NotBuilt)
    assert "turns(J)I" in outcome.message


def test_a_class_that_is_not_there_is_not_built(jmh):
    method = replace(jmh.find("turns"), descriptor="org/example/Gone.turns(I)I")

    assert isinstance(jmh.run("turns", plain(), delayed(method)), NotBuilt)
