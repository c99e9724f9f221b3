"""Audits the quality of a project's micro-benchmark suite.

`auditor.load(store)` gives the results of a store to a notebook (docs/reference/outputs.md).
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auditor.notebook import load as load
    from auditor.notebook import load_all as load_all


def __getattr__(name: str) -> Any:
    # Only when asked for: every import of this program runs this file.
    if name in ("load", "load_all"):
        from auditor import notebook  # noqa: PLC0415

        return getattr(notebook, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
