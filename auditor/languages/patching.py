"""The overlay that a patch of a checkout is made of."""

from auditor.core.errors import SubjectError
from auditor.core.mutant import Overlay, OverlayRefusal, Variant, VariantKind
from auditor.languages.model import SourcePatch


def delayed_overlay(patch: SourcePatch) -> Overlay:
    """Return the overlay that slows the method; raises SubjectError where the mutator refuses."""
    variant = Variant(VariantKind.DELAYED, (patch.method,), guarded=patch.guarded)
    overlay = patch.mutator.build_overlay(patch.sources, variant)
    if isinstance(overlay, OverlayRefusal):
        raise SubjectError(f"{patch.method.id} cannot be slowed: {overlay.reason}")
    return overlay
