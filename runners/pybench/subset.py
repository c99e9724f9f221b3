"""The call of pytest that runs some benchmarks and no others."""

from collections.abc import Sequence

from runners.subset import Subset


def calls(chosen: Sequence[str], known: Sequence[str]) -> tuple[Subset, ...]:
    """Return one call with the node ids, which name tests exactly."""
    del known  # an id that is not named is not run
    if not chosen:
        return ()
    names = sorted(chosen)
    words = ("python", "-m", "pytest", "--benchmark-only", *names)
    return (Subset(pattern=" ".join(names), words=words),)
