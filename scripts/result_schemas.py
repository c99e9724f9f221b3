"""Write the JSON Schemas in reports/schema from the types that they describe."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditor.abs.document import AbsOrStability
from auditor.backtest.document import BacktestDocument
from auditor.compare.document import ComparisonDocument
from auditor.concurrency.document import ConcurrencyDocument
from auditor.config.settings import json_schema
from auditor.lint.document import LintDocument
from auditor.qualify.document import QualifyDocument
from auditor.select.document import Proposal, Selection
from auditor.similarity.document import SimilarityDocument
from auditor.steady.document import SteadyDocument
from auditor.trace.document import TraceDocument
from auditor.trace.document_clients import ProfileDocument
from reports.results import format_schema

FOLDER = Path(__file__).parents[1] / "reports" / "schema"
DOCUMENTS: dict[str, tuple[Any, str]] = {
    "result": (AbsOrStability, "A result of bench-audit"),
    "compare": (ComparisonDocument, "bench-audit comparison of two revisions"),
    "concurrency": (ConcurrencyDocument, "bench-audit comparison of two versions of a class"),
    "backtest": (BacktestDocument, "Whether a suite would have detected past commits"),
    "lint": (LintDocument, "What is wrong with benchmarks, by their sources"),
    "qualify": (QualifyDocument, "What a performance gate is worth"),
    "select": (Selection | Proposal, "An answer of bench-audit select"),
    "profile": (ProfileDocument, "Which public methods other projects call"),
    "trace": (TraceDocument, "Which benchmark calls which public method"),
    "similarity": (SimilarityDocument, "Whether runs are alike"),
    "steady": (SteadyDocument, "When benchmarks are warm"),
}


def list_schemas() -> Iterator[tuple[Path, str]]:
    """Yield each file and its text."""
    yield FOLDER / "config.schema.json", json.dumps(json_schema(), indent=2) + "\n"
    for name, (kind, title) in DOCUMENTS.items():
        yield FOLDER / f"{name}.schema.json", format_schema(kind, title)


if __name__ == "__main__":
    for path, text in list_schemas():
        path.write_text(text)
