"""What decides a measurement: the code of the benchmark's own program, and no more."""

from collections.abc import Sequence

from auditor.core.mutant import Overlay, Variant
from auditor.core.subject import BuildInputs, Project, SourceFile


def find_variant_inputs(project: Project, group: str, variant: Variant) -> BuildInputs:
    """Return what the process of a group's benchmark or tests is built of; "": of any.

    All of the project decides where none of the methods that change is in the program: nothing of
    them is run then, but their build may fail.
    """
    group_inputs = project.find_group_inputs(group)
    absent = bool(variant.methods) and not any(map(group_inputs.may_contain, variant.methods))
    return project.all_inputs if absent else group_inputs


def linked_overlay_digest(
    program: BuildInputs, overlay: Overlay, sources: Sequence[SourceFile]
) -> str:
    """Return the digest of that part of an overlay that is in a program; empty: all may be."""
    if program.files is None or not overlay.files:
        return ""
    return overlay.digest_without({source.path for source in sources} - program.files)
