"""What decides a measurement is in the benchmark's own program."""

from dataclasses import replace
from pathlib import Path

from builders import benchmark, method, schedule

from auditor.core.mutant import PLAIN, Overlay, OverlayFile, Variant, VariantKind
from auditor.core.plan import Purpose, Trial
from auditor.core.subject import BuildInputs, Language, Project, SourceFile, SourceRole, Span
from auditor.measure import context

BUILD_INPUTS = BuildInputs(digest="own", files=frozenset({"ring.go", "ring_test.go"}))
GROUP = benchmark().group
PROJECT = Project(
    name="ring",
    revision="1",
    language=Language.GO,
    harness="go",
    root=Path("/nowhere"),
    digest="tree",
    parts=(),
    environment=(),
    content="code",
    closures=((GROUP, BUILD_INPUTS),),
)
SOURCES = [
    SourceFile(path=path, unit="", role=SourceRole.LIBRARY, text=b"")
    for path in ("ring.go", "other/other.go", "ring_test.go")
]


def _in(file, name="Push"):
    return replace(method(name), span=Span(file, 1, 2))


def _delayed(*methods):
    return Variant(VariantKind.DELAYED, methods)


def _overlay(**texts):
    return Overlay(tuple(OverlayFile(f"{key}.go", text) for key, text in sorted(texts.items())))


def test_a_benchmark_is_decided_by_its_closure():
    assert context.find_variant_inputs(PROJECT, GROUP, PLAIN) == BUILD_INPUTS
    assert context.find_variant_inputs(PROJECT, GROUP, _delayed(_in("ring.go"))) == BUILD_INPUTS


def test_everything_decides_all_unit_tests_and_what_is_not_in_the_program():
    assert context.find_variant_inputs(PROJECT, "", PLAIN).digest == "code"
    assert context.find_variant_inputs(PROJECT, "example.org/elsewhere", PLAIN).digest == "code"
    assert (
        context.find_variant_inputs(PROJECT, GROUP, _delayed(_in("other/other.go"))).digest
        == "code"
    )


def test_a_method_without_a_place_may_be_in_any_program():
    assert context.find_variant_inputs(PROJECT, GROUP, _delayed(method())) == BUILD_INPUTS


def test_without_a_digest_of_the_content_that_of_the_tree_decides():
    assert replace(PROJECT, content="").all_inputs.digest == "tree"


def test_files_of_an_overlay_that_are_not_in_the_program_do_not_decide():
    def overlay_digest(**texts):
        return context.linked_overlay_digest(BUILD_INPUTS, _overlay(**texts), SOURCES)

    digest = overlay_digest(ring=b"a", guest=b"g")

    assert overlay_digest(**{"ring": b"a", "guest": b"g", "other/other": b"changed"}) == digest
    assert overlay_digest(ring=b"b", guest=b"g") != digest
    assert overlay_digest(ring=b"a", guest=b"new") != digest


def test_all_of_an_overlay_decides_where_nobody_knows_what_the_program_holds():
    assert context.linked_overlay_digest(PROJECT.all_inputs, _overlay(ring=b"a"), SOURCES) == ""
    assert context.linked_overlay_digest(BUILD_INPUTS, Overlay(), SOURCES) == ""


def test_what_hangs_on_other_files_is_left_out_of_the_digest():
    overlay, two = (Overlay((OverlayFile("a.go", text, b"same"),)) for text in (b"1", b"2"))

    assert overlay.digest != two.digest
    assert overlay.digest_without(()) == two.digest_without(())


def test_a_trial_is_the_same_with_other_methods_that_are_not_in_its_program():
    def trial(overlay_digest, *methods):
        return Trial(
            subject="own",
            purpose=Purpose.REACH,
            variant=Variant(VariantKind.COUNTING, methods),
            overlay=_overlay(**{counted_method.name: b"x" for counted_method in methods}),
            built_overlay=overlay_digest,
            benchmark=benchmark(),
            schedule=schedule(),
            repetition=1,
            seed=1,
            timeout_seconds=60.0,
        ).id

    assert trial("l", method()) == trial("l", method(), method("Pop"))
    assert trial("l", method()) != trial("m", method())
    assert trial("", method()) != trial("", method(), method("Pop"))
