"""Go sources as data."""

from auditor.core.mutant import Overlay, Variant, VariantKind
from auditor.core.subject import SourceFile, SourceRole
from mutators.go import GoMutator

UNIT = "example.org/m"


def library(text, path="m.go", unit=UNIT):
    return SourceFile(path=path, unit=unit, role=SourceRole.LIBRARY, text=text.encode())


def benchmarks(text, path="m_test.go", unit=UNIT):
    return SourceFile(path=path, unit=unit, role=SourceRole.BENCHMARKS, text=text.encode())


def left_out(text, path="left.go", unit=UNIT):
    return SourceFile(path=path, unit=unit, role=SourceRole.LEFT_OUT, text=text.encode())


def methods(*texts):
    return {
        method.id: method for method in GoMutator().find_methods([library(text) for text in texts])
    }


def overlay(*sources, names, kind=VariantKind.DELAYED, guarded=False, has_plain_blocks=False):
    """Return the overlay of a variant of the methods with these ids."""
    methods_by_id = {method.id: method for method in GoMutator().find_methods(sources)}
    variant = Variant(
        kind,
        tuple(
            methods_by_id[UNIT + (name if name.startswith("/") else f".{name}")] for name in names
        ),
        guarded,
        has_plain_blocks,
    )
    return GoMutator().build_overlay(sources, variant)


def changed(variant_overlay, path="m.go"):
    """Return the text of a file of an overlay."""
    assert isinstance(variant_overlay, Overlay), variant_overlay
    return next(file.text for file in variant_overlay.files if file.path == path).decode()
