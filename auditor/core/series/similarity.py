"""Whether repeated runs of a benchmark are alike enough to be compared, and which is not."""

from dataclasses import dataclass, field
from enum import StrEnum

from auditor.core.caveats import Caveat


class Measure(StrEnum):
    """The five dissimilarities of two runs (Bauer et al., ICPE 2023, Section 3.1), in order."""

    CORRELATION = "M1"
    COMPRESSION = "M2"
    FOURIER = "M3"
    COSINE = "M4"
    KOLMOGOROV_SMIRNOV = "M5"


MeasureValues = tuple[float, float, float, float, float]
"""One value in [0, 1] for each `Measure`, in its order; 0 is alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSimilarity:
    """Two runs, by their indices among those given, `first` below `second`.

    `distance` is that of SAME, the mean of its four measures, in [0, 1].
    """

    first: int
    second: int
    measures: MeasureValues
    dissimilar: bool
    distance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunClusters:
    """What SAME says (Bauer et al., Section 2.3).

    `groups` are the indices of runs, the largest group first. `outside` are the runs beyond the
    main group; empty also where no group is larger than all others, and so none is the main one.
    """

    groups: tuple[tuple[int, ...], ...]
    outside: tuple[int, ...]

    @property
    def has_divergent_runs(self) -> bool:
        """Return whether there are divergent runs: more than one group."""
        return len(self.groups) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """Whether the runs of one benchmark are alike."""

    benchmark: str  # the benchmark's id
    compared: tuple[int, ...]  # indices of the runs that could be used
    values: int  # number of values of each that were used
    means: (
        MeasureValues | None
    )  # of the measures over all pairs (Algorithm 1); None: too little to tell
    dissimilar: bool | None  # whether `means` say so; None: too little to tell
    outlier_runs: tuple[int, ...]
    """Indices of runs unlike most others while most runs are alike: those to be repeated."""
    clusters: RunClusters | None  # groups of SAME; None: too little to tell
    pairs: tuple[PairSimilarity, ...] = field(repr=False)  # all pairs of `compared`
    caveats: tuple[Caveat, ...] = ()  # of the runs
