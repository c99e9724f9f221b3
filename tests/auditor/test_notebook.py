"""`auditor.load`: what a notebook gets of a store."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import auditor
import examples
from auditor.abs import document_of_verdict
from auditor.abs.document import Document, StabilityDocument
from auditor.abs.exports import long_tables
from auditor.core.errors import StoreError, UsageError
from auditor.core.result import Verdict
from auditor.store.audits import AuditRecord
from auditor.store.sqlite import SqliteStore
from reports import results

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "outputs.md"


def filled(path, *audits):
    """Make a store with finished audits: command and text of the result, None if interrupted."""
    with SqliteStore(path) as store:
        for index, (command, text) in enumerate(audits):
            number = store.add_audit(
                AuditRecord(
                    command=command,
                    subject="digest",
                    config='{"subject": "."}',
                    tools=(),
                    version="1.0",
                    started=f"2026-01-0{index + 1}T00:00:00Z",
                )
            )
            if text is not None:
                store.end_audit(number, f"2026-01-0{index + 1}T01:00:00Z", text)
    return path


@pytest.fixture
def store(tmp_path):
    verdict, context = examples.audit(), examples.context()
    stability = results.format_json(
        document_of_verdict.stability_document(verdict.stability, context)
    )
    abs_result = results.format_json(document_of_verdict.build_abs_document(verdict, context))
    return filled(
        tmp_path / "store.sqlite", ("stability", stability), ("abs", abs_result), ("abs", None)
    )


def test_the_last_finished_audit_is_loaded_with_its_verdict(store):
    audit = auditor.load(store)

    assert (audit.command, audit.started) == ("abs", "2026-01-02T00:00:00Z")
    assert isinstance(audit.verdict, Document)
    assert audit.verdict.scores.total.covered == examples.audit().total.covered
    assert isinstance(auditor.load(str(store), "stability").verdict, StabilityDocument)
    assert [loaded.command for loaded in auditor.load_all(store)] == ["stability", "abs"]


def test_data_frames_have_the_rows_and_numbers_of_the_result(store):
    audit = auditor.load(store)
    verdict = examples.audit()

    for name in long_tables.TABLES:
        assert list(getattr(audit, name).columns) == list(
            long_tables.format_table(audit.verdict, name).columns
        )
    assert len(audit.pairs) == len(verdict.pairs)
    effects = [pair.effect for pair in verdict.pairs if pair.effect is not None]
    assert audit.pairs["effect"].dropna().tolist() == effects
    missed = audit.methods.query("outcome == 'missed'")["method"].tolist()
    assert missed == [method.id for method in verdict.methods if method.outcome is Verdict.MISSED]
    slowed = audit.runs.query("arm == 'slowed'")
    assert slowed["seconds"].dtype == float
    assert len(slowed) == sum(len(run.slowed) for pair in verdict.pairs for run in pair.runs)


def test_a_result_of_stability_has_frames_of_benchmarks_only(store):
    audit = auditor.load(store, "stability")

    assert len(audit.benchmarks) == len(examples.audit().stability.benchmarks)
    assert set(audit.runs["arm"]) == {"plain"}
    with pytest.raises(UsageError, match="bench-audit abs"):
        _ = audit.pairs


def test_numbers_that_nobody_knows_are_numbers(tmp_path):
    text = results.format_json(
        document_of_verdict.build_abs_document(examples.all_crashed(), examples.context())
    )
    audit = auditor.load(filled(tmp_path / "store.sqlite", ("abs", text)))

    assert audit.pairs["effect"].dtype == float
    assert audit.pairs["effect"].isna().all()
    assert audit.benchmarks.nlargest(1, "max_spread").empty is False
    for name in long_tables.TABLES:
        numbers = getattr(audit, name).drop(columns=list(long_tables.TEXTS), errors="ignore")
        assert all(dtype.kind in "if" for dtype in numbers.dtypes), name


def test_what_is_not_there_is_said_and_not_made(store, tmp_path):
    missing = tmp_path / "none.sqlite"

    with pytest.raises(UsageError, match=r"none\.sqlite does not exist or is not a file"):
        auditor.load(missing)
    assert not missing.exists()
    with pytest.raises(UsageError, match="no finished audit of compare"):
        auditor.load(store, "compare")


def test_a_damaged_result_is_a_damaged_store(tmp_path):
    with pytest.raises(StoreError):
        auditor.load(filled(tmp_path / "bad.sqlite", ("abs", "{}")))


def test_importing_the_package_loads_nothing_and_has_no_other_names():
    heavy = "numpy pandas msgspec jinja2 sqlite3 auditor.notebook"
    code = f"import sys, auditor; print([m for m in {heavy.split()!r} if m in sys.modules])"
    process = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )

    assert process.stdout.strip() == "[]"
    with pytest.raises(AttributeError, match="laod"):
        _ = auditor.laod


def test_the_lines_of_the_page_run(store, monkeypatch):
    monkeypatch.chdir(store.parent)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    namespace: dict[str, object] = {}

    exec(compile(block, str(PAGE), "exec"), namespace)  # noqa: S102 the lines are ours

    assert namespace["audit"].command == "abs"
