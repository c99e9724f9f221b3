"""The program in which one method is slowed, made the same way for all that is asked of it."""

from auditor.abs.study.pair import VariantKey
from auditor.core.mutant import OverlayRefusal, Variant, VariantKind
from auditor.measure.context import BuiltVariant, StudyContext


def build_overlay(key: VariantKey, parts: StudyContext) -> BuiltVariant | OverlayRefusal:
    """Return what makes a variant, or why there is none."""
    method, nested = key
    variant = Variant(
        VariantKind.DELAYED, (method,), guarded=nested, has_plain_blocks=method.keeps_original
    )
    overlay = parts.mutator.build_overlay(parts.suite.sources, variant)
    return overlay if isinstance(overlay, OverlayRefusal) else BuiltVariant(variant, overlay)
