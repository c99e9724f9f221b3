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


def overlay(*sources, of, kind=VariantKind.DELAYED, guarded=False, beside=False):
    """Return the overlay of a variant of the methods with these ids."""
    known = {method.id: method for method in GoMutator().find_methods(sources)}
    variant = Variant(
        kind,
        tuple(known[UNIT + (name if name.startswith("/") else f".{name}")] for name in of),
        guarded,
        beside,
    )
    return GoMutator().build_overlay(sources, variant)


def changed(made, path="m.go"):
    """Return the text of a file of an overlay."""
    assert isinstance(made, Overlay), made
    return next(file.text for file in made.files if file.path == path).decode()
