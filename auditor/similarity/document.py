"""The JSON result of `similarity`: its types, and the conversion of judgements.

The names are promised to other programs (reports/schema/similarity.schema.json).
"""

from collections.abc import Sequence

import msgspec

from auditor.core.caveats import Caveat
from auditor.core.provenance import Context
from auditor.core.series.similarity import MeasureValues, PairSimilarity, Similarity
from reports.results import (
    AuditSetting,
    convert_fields,
    copy_fields,
    decode_document,
    list_setting_fields,
)


class BenchmarkSimilarity(msgspec.Struct, frozen=True, kw_only=True):
    """Whether the runs of a benchmark are alike; runs are numbered from zero."""

    id: str  # the benchmark's id
    runs: int  # number of runs
    values: int  # number of values of each run that were compared
    dissimilar: bool | None  # null: not known
    outlier_runs: tuple[int, ...]  # outlier runs, which are to be repeated
    means: MeasureValues | None  # means of M1 to M5 over all pairs
    groups: tuple[tuple[int, ...], ...] | None  # clusters of SAME, the largest first
    pairs: tuple[PairSimilarity, ...]  # all pairs of compared runs
    caveats: tuple[Caveat, ...]  # of the benchmark


class SimilarityDocument(
    AuditSetting, frozen=True, kw_only=True, tag_field="schema", tag="bench-audit/similarity/1"
):
    """Whether the runs of each benchmark are alike."""

    benchmarks: tuple[BenchmarkSimilarity, ...]
    caveats: tuple[Caveat, ...]


def similarity_document(
    similarities: Sequence[Similarity], caveats: Sequence[Caveat], context: Context
) -> SimilarityDocument:
    """Return the document of compared runs; `caveats` are those of the stored results."""
    benchmarks = [
        copy_fields(
            BenchmarkSimilarity,
            similarity,
            id=similarity.benchmark,
            runs=len(similarity.compared),
            groups=similarity.clusters and similarity.clusters.groups,
        )
        for similarity in similarities
    ]
    fields = {
        **list_setting_fields(context),
        "benchmarks": benchmarks,
        "caveats": (*caveats, *context.caveats),
    }
    return convert_fields(SimilarityDocument, fields)


def parse_document(content: str | bytes) -> SimilarityDocument:
    """Return the document in a file; raises UsageError for anything else."""
    return decode_document(SimilarityDocument, "similarity", content)
