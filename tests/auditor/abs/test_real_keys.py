"""What does not decide a measurement does not change its key: nothing is measured anew."""

import json

import pytest
from real_program import QUICK, commit, git, runs

pytestmark = pytest.mark.subject

CONFIG = "bench-audit.json"
"""In the repository, beside the sources of the benchmarks."""
KEYS = {**QUICK, "subject": ".", "budget": "10m"}


@pytest.fixture
def audited(program, module, tmp_path):
    """Return what audits the module again and tells which processes were run for that."""
    git(module, "init", "-q", "-b", "main")
    config = module / CONFIG
    config.write_text(json.dumps(KEYS))
    commit(module, "base")
    store, out = tmp_path / "s.sqlite", tmp_path / "out"
    stored_runs = {}

    def audit(*words, config_file=config, output=out, codes=(0,)):
        before = dict(stored_runs)
        answer = program.call("abs", config_file, *words, "--store", store, "-o", output)
        assert answer.returncode in codes, answer
        stored_runs.update(runs(store))
        return {purpose for trial, (purpose, *_) in stored_runs.items() if trial not in before}

    assert {"pilot", "suite", "reach", "pairs"} <= audit()
    return audit


def contents(out):
    """Return files that may come into the repository, by their names, and what they hold."""
    result = (out / "result.json").read_text()
    return {
        "baseline.json": result,
        "indented.json": json.dumps(json.loads(result), indent=4),
        "docs/report.html": (out / "report.html").read_text(),
        "bench-audit-nightly.json": json.dumps({**KEYS, "budget": "30m", "slowdown": 0.9}),
        "bench-audit.nightly.yaml": "subject: .\nbudget: 30m\nslowdown: 0.9\n",
        "bench-audit.toml": 'subject = "."\nbudget = "30m"\n',
    }


DECIDE_NOTHING = {
    "budget": "12m",
    "gates": {"min_score": 40},
    "ignore": [{"method": "example.org/tiny.Unused", "reason": "nobody calls it"}],
    "compare": {"min_delta": 0.2},
}


def test_flags_keys_and_files_that_decide_no_measurement_have_none_made_anew(
    audited, module, tmp_path
):
    """Of each kind all at once, since a call takes seconds."""
    out, config = tmp_path / "out", module / CONFIG
    gates = ("--fail-under", "40", "--baseline", out / "result.json", "--inconclusive", "pass")

    assert audited("--budget", "11m", "--format", "json", "--csv", "-v", "--retry-failed") == set()
    assert audited(*gates, "--quiet", output=tmp_path / "other") == set()
    config.write_text(json.dumps({**KEYS, **DECIDE_NOTHING}))
    assert audited(codes=(0, 5)) == set()
    for name, content in contents(out).items():
        (module / name).parent.mkdir(exist_ok=True)
        (module / name).write_text(content)
    assert audited(codes=(0, 5)) == set()
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps({**KEYS, "subject": str(module)}))
    assert audited(config_file=outside) == set()
