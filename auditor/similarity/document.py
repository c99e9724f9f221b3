"""The JSON result of `similarity`: its types, and the way from judgements to them.

The names are promised to other programs (reports/schema/similarity.schema.json).
"""

from collections.abc import Sequence

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.caveats import Caveat as Known
from auditor.core.provenance import Context
from auditor.core.series.similarity import Similarity
from reports.results import Setting, read_as, schema_of, setting, strict

Five = tuple[float, float, float, float, float]


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two runs by their numbers from zero; `measures` are M1 to M5, `distance` is that of SAME."""

    first: int
    second: int
    measures: Five
    dissimilar: bool
    distance: float


class Benchmark(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the runs of a benchmark are alike; null where nobody can tell.

    `apart` are the runs to be repeated, by their numbers from zero. `means` are those of M1 to M5
    over all pairs, `groups` what SAME's clustering finds, the largest one first.
    """

    id: str
    runs: int
    values: int
    dissimilar: bool | None
    apart: tuple[int, ...]
    means: Five | None
    groups: tuple[tuple[int, ...], ...] | None
    pairs: tuple[Pair, ...]
    caveats: tuple[Caveat, ...]


class SimilarityDocument(
    Setting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/similarity/1"
):
    """The answer to "are the runs alike?"."""

    benchmarks: tuple[Benchmark, ...]
    caveats: tuple[Caveat, ...]


def similarity_document(
    found: Sequence[Similarity], caveats: Sequence[Known], context: Context
) -> SimilarityDocument:
    """Return the result of comparing runs; `caveats` are of how these were made."""
    benchmarks = [
        {
            "id": one.benchmark,
            "runs": len(one.compared),
            "values": one.values,
            "dissimilar": one.dissimilar,
            "apart": one.apart,
            "means": one.means,
            "groups": one.clusters and one.clusters.groups,
            "pairs": one.pairs,
            "caveats": one.caveats,
        }
        for one in found
    ]
    made = {
        **setting(context),
        "schema": "bench-audit/similarity/1",
        "benchmarks": benchmarks,
        "caveats": (*caveats, *context.caveats),
    }
    return msgspec.convert(strict(msgspec.to_builtins(made)), SimilarityDocument)


def read(written: str | bytes) -> SimilarityDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return read_as(SimilarityDocument, "similarity", written)


def schema() -> str:
    """Return the JSON Schema of the document, as text."""
    return schema_of(SimilarityDocument, "Whether runs are alike")
