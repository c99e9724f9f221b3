"""How trials of a subject are run."""

import json
from pathlib import Path

import pytest
from fake_host import FakeHost
from watchers import blocks

from auditor.config import load_config
from auditor.core.plan import Purpose, Trial
from auditor.core.subject import Language, Project
from auditor.core.suite import Benchmark
from auditor.languages import subject_setup
from auditor.languages.model import Machine, ReadyProject
from auditor.languages.registry import LANGUAGES
from runners.home import HomeFolder
from runners.hosts.clock import SystemClock
from runners.hosts.reference_workload import NO_LOOP_TIMING
from runners.pybench.frontends import FRONTENDS
from runners.pybench.harness import PythonHarness


@pytest.mark.parametrize(
    ("settings", "may_share"), [({}, True), ({"rule": "paper"}, False), ({"exact": True}, False)]
)
def test_a_plan_that_is_carried_out_as_it_is_has_processes_of_its_own(
    tmp_path, monkeypatch, settings, may_share
):
    project = Project(
        name="p", revision="1", language=Language.PYTHON, harness="pytest", root=Path("/nowhere"),
        digest="d", parts=(), environment=(),
    )  # fmt: skip
    ready = ReadyProject(project, PythonHarness(FRONTENDS["pytest"]))
    language = LANGUAGES.of_harness("pytest")
    monkeypatch.setattr(subject_setup, "prepare_project", lambda *_: (ready, language))
    (tmp_path / "c.json").write_text(json.dumps({"subject": ".", **settings}))
    machine = Machine(home=HomeFolder(tmp_path / "home"), host=FakeHost(None), environment=())
    trial = Trial(
        subject="d", purpose=Purpose.SUITE, benchmark=Benchmark(group="", name="test_a.py::test_a"),
        schedule=blocks(), repetition=1, seed=1, timeout_seconds=1.0,
    )  # fmt: skip

    prepared = subject_setup.prepare_subject(
        load_config("c.json", {}, tmp_path), None, machine, SystemClock(), lambda: NO_LOOP_TIMING
    )

    assert (prepared.executor.find_sharing_key(trial) is not None) == may_share
