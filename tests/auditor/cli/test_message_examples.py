"""Messages that a test makes are the examples of the catalogue, to the letter."""

import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest
from builders import abs_request

from auditor.abs.judge.abs_score import score_caveats
from auditor.abs.judge.detection import describe_rule_settings, warn_never_significant
from auditor.abs.judge.distortion import describe_distortion
from auditor.abs.judge.indifference_zone import borderline_caveat
from auditor.cli import machine
from auditor.cli.main import main
from auditor.core.caveats import Caveat
from auditor.core.jobs import HostInterference
from auditor.core.request import DetectionRule
from auditor.measure import interference, run_similarity
from auditor.measure.calibration import achieved_caveat
from auditor.series import stored
from auditor.store.machines import describe_unused_runs

CATALOGUE = tomllib.loads(Path(__file__).parents[3].joinpath("auditor/messages.toml").read_text())
EXAMPLES = {
    slug: entry["example"]
    for group in CATALOGUE["titles"]
    for slug, entry in CATALOGUE[group].items()
}
QUIET = {"governor": "performance"}
MACHINES = [
    {"governor": "powersave"},
    QUIET | {"turbo": "on"},
    QUIET | {"smt": "on"},
    QUIET | {"aslr": "2"},
    QUIET | {"virtual": "yes (kvm)"},
    QUIET | {"quota": "200000 100000"},
]
GATE = {"rule": DetectionRule.GATE, "min_delta": 0.05, "slowdown": 0.5}
PAPER = {"rule": DetectionRule.PAPER, "min_delta": 0.05, "slowdown": 0.5}
STRAIN = HostInterference(stolen=0.04, throttled=0.04, hot=0.04)
RUNS = {
    "one-run": [[1.0, 2.0]],
    "runs-left-out": [[1.0, 2.0], [], [1.0, 2.0], [1.0, 2.0], [float("nan")], [1.0, 2.0]],
    "runs-cut": [[1.0, 2.0] * 1500, [1.0, 2.0] * 750],
    "short-runs": [[1.0, 2.0] * 25] * 2,
    "constant-runs": [[1.0, 2.0] * 25, [2.0, 1.0] * 25, [1.0] * 50],
}
RESULTS = SimpleNamespace(
    caveats=(), runs=(), benchmarks=(), left_out=("mem_list",), older=("4d5e6f",), harness="go"
)


def of_score(**changes):
    """Return the caveats of a score without failed benchmarks."""
    plain = {
        "slowdown": 0.42,
        "slowdown_source": "given",
        "rule": DetectionRule.OURS,
        "estimate": False,
        "score_only": False,
        "controls": None,
        "stability": SimpleNamespace(benchmarks=()),
        "unfinished": frozenset(),
        "stored_failures": frozenset(),
    }
    return score_caveats(**plain | changes)


def pure_caveats():
    """Return caveats that pure functions make."""
    yield from (
        caveat for facts in MACHINES for caveat in machine.list_machine_caveats(facts, None)
    )
    yield machine.warn_of_load(3.2, 4)
    yield from describe_rule_settings(abs_request(**GATE))
    yield from describe_rule_settings(abs_request(**PAPER))
    yield from describe_rule_settings(abs_request(significance=0.05))
    yield warn_never_significant(abs_request(iterations=1))
    yield borderline_caveat((0.241, 0.26), 0.25)
    yield Caveat("distorted", describe_distortion(SimpleNamespace(estimate=1.52)))
    yield from of_score(slowdown_source="auto")
    yield from of_score(rule=DetectionRule.PAPER)
    yield from of_score(estimate=True)
    yield from of_score(score_only=True)
    yield from of_score(controls=SimpleNamespace(alarms=[("Push", "BenchmarkPush")], judged=9))
    yield achieved_caveat(0.71, 0.5)
    yield achieved_caveat(0.31, 0.5, (0.28, 0.35))
    yield describe_unused_runs({"ci-1": 7})
    yield from interference.advise_on_noise(interference.NoiseRating.NOISY, HostInterference())
    yield from interference.advise_on_noise(interference.NoiseRating.USABLE, HostInterference())
    for slug, runs in RUNS.items():
        caveats = run_similarity.judge_runs("B", runs).caveats
        yield from (caveat for caveat in caveats if caveat.slug == slug)
    yield from stored.list_result_caveats(SimpleNamespace(**vars(RESULTS), commit_ids=("1a2b3c",)))


CAVEATS = list(pure_caveats())


@pytest.mark.parametrize("caveat", CAVEATS, ids=[caveat.slug for caveat in CAVEATS])
def test_a_caveat_is_the_example_of_its_slug(caveat):
    assert caveat.text.replace("\N{NO-BREAK SPACE}", " ") == EXAMPLES[caveat.slug]


def test_many_slugs_are_compared():
    assert len({caveat.slug for caveat in CAVEATS}) >= 30


def test_an_error_is_the_example_of_its_slug(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("ring").mkdir()

    code = main(["abs", "rign"])

    assert code == CATALOGUE["errors"]["usage"]["exit_code"]
    assert f"error[usage]: {EXAMPLES['usage']}\n" in capsys.readouterr().err
