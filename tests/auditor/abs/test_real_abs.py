"""A whole audit of a real suite: its document, and what a second one measures."""

import json
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from real_program import Program, config, everything, repeats, ring, runs
from schema_checks import check_schema

from auditor.store.sqlite import SqliteStore

pytestmark = pytest.mark.subject

RING_CONFIG = {
    "harness": "go",
    "benchmarks": "^Benchmark(Small|PushPop)$",
    "methods": ["ring.Small", "ring.New", "ring.Unused", "ring.Native"],
}
SMALL = "example.org/ring.BenchmarkSmall"
DATES = ("started", "ended")
READ_ONLY = (
    'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && shift && exec "$@"'
)


@dataclass(frozen=True, slots=True)
class Audited:
    """An audit that has ended."""

    program: Program
    subject: Path
    config: Path
    store: Path
    output: Path
    document: dict

    def copy(self, folder):
        """Return a copy of its store: what a test adds, others do not see."""
        return Path(shutil.copy(self.store, folder / "copy.sqlite"))


@pytest.fixture(scope="module")
def audited(shared_cache, tmp_path_factory):
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    folder = tmp_path_factory.mktemp("audited")
    program = Program.below(folder, shared_cache)
    subject = ring(folder / "go-ring")
    config_file = config(folder / "c.json", subject=str(subject), **RING_CONFIG)
    store = folder / "s.sqlite"
    before = everything(subject, program.cwd, program.home)

    document, _ = program.audited("abs", config_file, "--store", store, "-o", folder / "out")

    assert everything(subject, program.cwd, program.home) == before
    return Audited(program, subject, config_file, store, folder / "out", document)


def test_the_document_is_what_its_schema_says(audited):
    check_schema("result", audited.document)


def test_the_names_that_stay_are_there(audited):
    document = audited.document
    assert document.keys() >= {
        "schema", "subject", "host", "seed", "slowdown", "rule", "scores", "methods", "pairs",
        "benchmarks", "minimal_cover", "caveats",
    }  # fmt: skip
    assert document["scores"].keys() == {"total", "relative", "absolute"}
    for score in document["scores"].values():
        assert score.keys() == {"percent", "bounds", "covered", "counted", "excluded_benchmarks"}
    names = {
        "methods": {"id", "outcome", "detected_by", "reached_by", "caveats"},
        "pairs": {
            "method", "benchmark", "outcome", "effect", "interval", "p", "threshold",
            "achieved_slowdown", "caveats",
        },
        "benchmarks": {"id", "max_spread", "runs", "unique", "shared", "caveats"},
        "caveats": {"slug", "text"},
    }  # fmt: skip
    assert [
        key for key, fields in names.items() for entry in document[key] if fields - entry.keys()
    ] == []
    assert {key for key in names if not document[key]} <= {"caveats"}


def test_what_does_not_hang_on_times_is_judged_rightly(audited):
    outcomes = {method["id"]: method["outcome"] for method in audited.document["methods"]}

    assert outcomes["example.org/ring.New"] == "unreached"
    assert outcomes["example.org/ring.Unused"] == "unreached"
    assert outcomes["example.org/ring.Native"] == "refused"
    pairs = [pair for pair in audited.document["pairs"] if pair["effect"] is not None]
    assert [(pair["method"], pair["benchmark"]) for pair in pairs] == [
        ("example.org/ring.Small", SMALL)
    ]
    assert pairs[0]["calls_per_operation"] == pytest.approx(1.0)


def test_the_result_and_the_report_are_written_beside_the_log(audited):
    filenames = {path.name for path in audited.output.iterdir()}

    assert filenames == {"log", "result.json", "report.html"}
    assert json.loads((audited.output / "result.json").read_text()) == audited.document


def test_numbers_name_the_processes_in_the_store_that_they_were_made_of(audited):
    purposes = {trial: purpose for trial, (purpose, *_) in runs(audited.store).items()}
    judged = [run for pair in audited.document["pairs"] for run in pair["runs"]]

    assert judged
    assert {purposes[trial] for run in judged for trial in run["trials"]} == {"pairs"}
    for benchmark in audited.document["benchmarks"]:
        assert [purposes[trial] for trial in benchmark["trials"]] == ["suite"] * benchmark["runs"]


def test_the_same_again_measures_nothing_and_says_the_same(audited, tmp_path):
    store = audited.copy(tmp_path)

    before, document, messages = audited.program.audited_again(
        store, "abs", audited.config, "--store", store, before=audited.document
    )

    assert f"nothing was run: {len(runs(store))} processes are known already" in messages
    changed_keys = [key for key in document if document[key] != before[key]]
    assert set(changed_keys) <= set(DATES)


def test_a_changed_configuration_measures_only_what_is_new(audited, tmp_path):
    store = audited.copy(tmp_path)
    stored_runs = runs(store)
    suite_runs = sum(purpose == "suite" for purpose, *_ in stored_runs.values()) // 2
    more = RING_CONFIG | {"runs": 3, "stability_runs": suite_runs + 1}
    config_file = config(tmp_path / "c.json", subject=str(audited.subject), **more)

    _, messages = audited.program.audited("abs", config_file, "--store", store)

    now = runs(store)
    assert "going on where it stopped: " in messages
    assert {trial: now[trial] for trial in stored_runs} == stored_runs
    # and plain processes where inlined calls may take less than those beside the slowed ones; none
    # of a pair that two runs on a busy machine have left undecided for good
    new = {now[trial][0] for trial in now.keys() - stored_runs.keys()}
    assert {"suite"} <= new <= {"suite", "pairs", "reference"}


def test_controls_and_the_curve_come_on_top(audited, tmp_path):
    store = audited.copy(tmp_path)
    stored_runs = runs(store)
    more = RING_CONFIG | {"controls": 2, "curve": "methods"}
    config_file = config(tmp_path / "c.json", subject=str(audited.subject), **more)

    document, _ = audited.program.audited("abs", config_file, "--store", store)

    new = [purpose for trial, (purpose, *_) in runs(store).items() if trial not in stored_runs]
    assert set(new) <= {"pairs", "reference"}
    assert document["controls"]["judged"] == 2 * len(
        {pair["method"] for pair in measured(document)}
    )
    least = {pair["method"]: pair["slowdown"] for pair in document["curve"]["pairs"]}
    detected_methods = {
        method["id"] for method in document["methods"] if method["outcome"] == "detected"
    }
    assert detected_methods <= least.keys()
    assert all(0 < least[method] <= document["slowdown"] for method in detected_methods)


def measured(document):
    return [pair for pair in document["pairs"] if pair["effect"] is not None]


def test_a_changed_source_is_measured_anew(audited, tmp_path):
    store = audited.copy(tmp_path)
    stored_runs = runs(store)
    changed = ring(tmp_path / "go-ring")
    text = (changed / "ring.go").read_text()
    (changed / "ring.go").write_text(text.replace("turn(500, x)", "turn(600, x)"))
    config_file = config(tmp_path / "c.json", subject=str(changed), **RING_CONFIG)

    document, messages = audited.program.audited("abs", config_file, "--store", store)

    now = runs(store)
    new = [now[trial] for trial in now.keys() - stored_runs.keys()]
    assert "known already" not in messages
    assert document["revision"] != audited.document["revision"]
    assert {trial: now[trial] for trial in stored_runs} == stored_runs
    assert {purpose for purpose, _, _ in new} >= {"pilot", "suite", "reach", "calibration", "pairs"}
    assert {subject for _, subject, _ in new}.isdisjoint(
        stored_run[1] for stored_run in stored_runs.values()
    )


def test_runs_of_another_machine_are_kept_and_measured_anew(audited, tmp_path):
    store = audited.copy(tmp_path)
    moved = machines(store, "UPDATE run SET machine = 'elsewhere'")
    call = ("stability", audited.config, "--store", store, "-o", tmp_path / "out")

    _, messages = audited.program.audited(*call)

    first = messages.splitlines()[0]
    assert first.startswith("note[other-machine]: the store has ")
    assert f" {moved['elsewhere']} runs of this subject from another machine (elsewhere)" in first
    now = machines(store)
    assert now.pop("elsewhere") == moved["elsewhere"]
    # of each of two benchmarks, a pilot and two runs
    assert list(now.values()) == [6 + len(repeats(store))]
    _, _, messages = audited.program.audited_again(store, *call)
    assert f"nothing was run: {6 + len(repeats(store))} processes are known" in messages


def machines(store, change="SELECT 1"):
    """Return how many runs each machine has, after a change."""
    connection = sqlite3.connect(store)
    try:
        with connection:
            connection.execute(change)
        counts = "SELECT machine, count(*) FROM run GROUP BY machine"
        return dict(connection.execute(counts).fetchall())
    finally:
        connection.close()


def test_a_dry_run_measures_and_stores_nothing(audited, tmp_path):
    store = tmp_path / "s.sqlite"
    places = ("--dry-run", "--store", store, "-o", tmp_path / "out")
    for flags, suite_run_count in (((), 4), (("--stability-runs", "1"), 2)):
        document, _ = audited.program.audited("stability", audited.config, *flags, *places)
        trials = [(phase["name"], phase["trials"]) for phase in document["phases"]]
        assert trials == [("pilot", 2), ("suite runs", suite_run_count)]

    answer = audited.program.call("abs", audited.config, *places)

    assert answer.returncode == 0, answer
    assert "pairs (at most)" in answer.stdout
    assert "Nothing was measured; a suite that was not known yet was built" in answer.stdout
    with SqliteStore(store) as opened_store:
        assert opened_store.list_audits() == ()
    assert runs(store) == {}


def test_a_dry_run_after_an_audit_finds_nothing_left_to_do(audited, tmp_path):
    document, _ = audited.program.audited(
        "abs",
        audited.config,
        "--store",
        audited.copy(tmp_path),
        "-o",
        tmp_path / "out",
        "--dry-run",
    )

    assert document["seconds"] == 0
    assert sum(phase["known"] for phase in document["phases"]) == len(runs(audited.store))


def test_what_an_audit_has_found_so_far_is_judged_without_running_anything(audited, tmp_path):
    """With the pairs not yet measured of the one, and all of it of the other."""
    store = audited.copy(tmp_path)
    call = ("abs", audited.config, "--so-far", "--store", store, "-o", tmp_path / "out")

    full_document, _ = audited.program.audited(*call)

    assert full_document["scores"] == audited.document["scores"]
    assert "so-far" not in [caveat["slug"] for caveat in full_document["caveats"]]

    connection = sqlite3.connect(store)
    with connection:
        rows = connection.execute(
            "SELECT run.id FROM run JOIN trial ON trial.id = run.trial "
            "WHERE purpose IN ('pairs', 'profile')"
        ).fetchall()
        connection.executemany("DELETE FROM series WHERE run = ?", rows)
        connection.executemany("DELETE FROM run WHERE id = ?", rows)
    connection.close()
    before = runs(store)

    partial_document, _ = audited.program.audited(*call)

    assert runs(store) == before
    assert "so-far" in [caveat["slug"] for caveat in partial_document["caveats"]]
    low, high = partial_document["scores"]["total"]["bounds"]
    assert low <= full_document["scores"]["total"]["percent"] <= high
    assert low < high
    with SqliteStore(store) as opened_store:
        assert len(opened_store.list_audits()) == 1


def test_the_report_is_made_again_without_running_anything(audited, tmp_path):
    output = tmp_path / "again"
    store = audited.copy(tmp_path)

    answer = audited.program.call(
        "report", audited.config, "--store", store, "-o", output, "--format", "json", PATH=tmp_path
    )

    assert (answer.returncode, json.loads(answer.stdout)) == (0, audited.document), answer
    assert "<html" in (output / "report.html").read_text()


def test_other_formats_point_at_the_lines_of_the_real_sources(audited, tmp_path):
    call = ("report", audited.config, "--store", audited.copy(tmp_path), "-o", tmp_path / "out")

    log = json.loads(audited.program.call(*call, "--format", "sarif").stdout)
    flags = ("--format", "mutation", "--sources", audited.subject)
    report = json.loads(audited.program.call(*call, *flags).stdout)

    quiet = {"detected", "refused", "invalid"}
    methods = audited.document["methods"]
    results = log["runs"][0]["results"]
    assert len(results) == sum(method["outcome"] not in quiet for method in methods) > 0
    for result in results:
        (place,) = result["locations"]
        source_location = place["physicalLocation"]
        lines = (
            (audited.subject / source_location["artifactLocation"]["uri"]).read_text().splitlines()
        )
        name = place["logicalLocations"][0]["fullyQualifiedName"].rpartition(".")[2]
        assert name in lines[source_location["region"]["startLine"] - 1]
        assert lines[source_location["region"]["endLine"] - 1].endswith("}")
    killed = set()
    for name, file in report["files"].items():
        assert file["source"] == (audited.subject / name).read_text()
        killed |= {mutant["id"] for mutant in file["mutants"] if mutant["status"] == "Killed"}
    assert killed == {method["id"] for method in methods if method["outcome"] == "detected"}


def test_the_current_folder_is_the_subject_and_may_be_read_only(audited, tmp_path):
    subject = ring(tmp_path / "go-ring")
    config_file = config(tmp_path / "c.json", subject=str(subject), **RING_CONFIG)
    subject.chmod(0o555)
    before = ("unshare", "-rm", "sh", "-c", READ_ONLY, "sh", str(subject))
    if subprocess.run([*before, "true"], capture_output=True, check=False).returncode != 0:
        before = ()  # then the permissions above have to do
    subject_files = everything(subject)

    program = replace(audited.program, cwd=subject)
    store = audited.copy(tmp_path)
    stored_runs = runs(store)
    answer = program.call("abs", config_file, "--store", store, before=before)

    assert answer.returncode == 0, answer
    assert "This suite would detect a 60\N{NO-BREAK SPACE}% slowdown in " in answer.stdout
    assert runs(store).keys() - stored_runs.keys() <= repeats(store)
    assert everything(subject) == subject_files


def test_blocks_and_warm_up_are_the_harnesss_unless_the_user_says(audited, tmp_path):
    plan = {"forks": 1, "iterations": 2}
    config_file = config(tmp_path / "c.json", subject=str(audited.subject), plan=plan)
    call = (
        "stability",
        "--stability-runs",
        "1",
        config_file,
        "--benchmarks",
        "Small",
        "--store",
        tmp_path / "s.sqlite",
    )

    document, _ = audited.program.audited(*call, "-o", tmp_path / "out")

    lengths = {"iteration_seconds": 0.003, "longest_seconds": 0.03}
    assert document["plan"] == document["plan"] | lengths | {"warmup": 17, "iterations": 2}
    assert document["schema"] == "bench-audit/stability/1"
    assert document["command"] == "bench-audit stability config.json"
    check_schema("result", document)
