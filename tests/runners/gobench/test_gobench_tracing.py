"""Tracing the tests of a real Go client whose calls are known."""

import os
import shutil
from pathlib import Path

import pytest

from auditor.core.mutant import Overlay, Variant, VariantKind
from auditor.core.outcome import Skipped, TimedOut, Traced
from auditor.core.request import FolderSpec
from auditor.trace.study import make_trial
from mutators.go import GoMutator
from runners.gobench.harness import GoBench
from runners.gobench.project import prepare_project
from runners.gobench.tracer import GoTracer, prepare_client
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.subjects.place import place_subject
from runners.trial import TrialRunner

pytestmark = pytest.mark.subject

TRACED = Path(__file__).parents[2] / "subjects" / "go-traced"
DIRECT = {
    # As the two processes begin, in 4 threads, by its name in parentheses, called back 3 times, in
    # the tests of another package.
    "Double": 2 + 4000 + 1 + 3 + 1,
    "CountDown": 1,
    "Fail": 2,
    "Try": 2,
    "Each": 2,
    "Map": 2,
    "New": 1,
    "Necklace.Add": 4,
    "Necklace.Size": 5,
    "Necklace.String": 0,
    "Bag.Put": 2,
    "Bag.Size": 1,
    "inner.Both": 1,
}
INDIRECT = {"Double": 6, "Necklace.Add": 1, "Necklace.Size": 3, "Necklace.String": 2, "Bag.Size": 1}


@pytest.fixture
def traced(go_home, tmp_path):
    """Return how the tests of a client end that has these files in place of its own."""

    def run(tests=(), files=None, seconds=120.0, more=""):
        folder = Path(shutil.copytree(TRACED, tmp_path / "both"))
        if more:
            (folder / "library" / "more.go").write_text(more)
        if files is not None:
            shutil.rmtree(folder / "client")
            for name, text in files.items():
                path = folder / "client" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        host = LocalHost()
        common = {"home": go_home, "host": host, "environment": dict(os.environ)}
        library = prepare_project(
            folder / "library", name=None, revision="now", options={}, **common
        )
        sources = GoBench().read_sources(library, tmp_path / "library", host.run_process)
        spec = {**common, "environment": tuple(sorted(os.environ.items()))}
        placed = place_subject(FolderSpec(folder / "client"), **spec)
        # What it replaces is beside the copy, too.
        shutil.copytree(folder / "library", placed.tree.parent / "library", dirs_exist_ok=True)
        project = prepare_client(placed, library.name, tests=tests, **spec)
        methods = tuple(method for method in GoMutator().find_methods(sources) if method.public)
        variant = Variant(VariantKind.TRACED, methods)
        overlay = GoMutator().build_overlay(sources, variant)
        assert isinstance(overlay, Overlay), overlay
        trial = make_trial(project, variant, overlay, seconds)
        runner = TrialRunner(
            project=project,
            launcher=GoTracer(),
            host=host,
            builds=go_home.make_work_folder(project.digest),
            clock=SystemClock(),
        )
        return runner.run_trial(trial).outcome

    return run


def test_calls_are_counted_exactly(traced):
    outcome = traced()

    assert isinstance(outcome, Traced), outcome
    calls = {
        call.method.removeprefix("example.org/beads").strip("./"): call for call in outcome.calls
    }
    assert {
        name: method_calls.outside - method_calls.indirect for name, method_calls in calls.items()
    } == DIRECT
    assert {
        name: method_calls.indirect for name, method_calls in calls.items() if method_calls.indirect
    } == INDIRECT
    assert {call.inside for call in outcome.calls} == {None}
    assert (outcome.tests, outcome.missing) == (9, "")
    assert calls["CountDown"].arguments == (("5",),)
    assert calls["Try"].arguments == (('"not today"',), ('"over there"',))


def test_some_packages_can_be_chosen(traced):
    outcome = traced(tests=["./sub"])

    assert isinstance(outcome, Traced), outcome
    assert [(call.method, call.outside) for call in outcome.calls] == [
        ("example.org/beads.Double", 1)
    ]


MODULE = """module example.org/small

go 1.16

require example.org/beads v1.0.0

replace example.org/beads => ../library
"""
SMALL = """package small

import (
	"testing"

	"example.org/beads"
)

func TestDouble(t *testing.T) {
	if beads.Double(2) != 4 {
		t.Fail()
	}
}
"""


def test_a_module_of_before_generic_functions(traced):
    outcome = traced(files={"go.mod": MODULE, "small_test.go": SMALL})

    assert isinstance(outcome, Traced), outcome
    assert [call.outside for call in outcome.calls] == [1]


PROMOTING = """package beads

type pusher struct{ n int }

func (p *pusher) Push(x int) { p.n += x }

type Ring struct{ pusher }
type ring struct{ Ring }
type old = pusher

func (o *old) Turn() { o.n++ }

type Pusher interface{ Push(int) }

func NewRing() Pusher  { return &ring{} }
func NewOld() *pusher  { return &pusher{} }
"""
PROMOTED = """package small

import (
	"testing"

	"example.org/beads"
)

type own struct{ *beads.Ring }
type deep struct{ own }
type over struct{ beads.Ring }

func (o over) Push(x int) { o.Ring.Push(x) }

func push(all ...beads.Pusher) {
	for _, each := range all {
		each.Push(1)
	}
}

func TestPush(t *testing.T) {
	ring := &beads.Ring{}
	push(beads.NewRing(), ring, own{ring}, &deep{own{ring}}, struct{ *own }{&own{ring}})
	push(over{}, &over{})
	ring.Push(1)
	old := beads.NewOld()
	old.Turn()
	old.Turn()
}
"""


def test_calls_of_promoted_methods_count_through_interfaces_too(traced):
    outcome = traced(files={"go.mod": MODULE, "small_test.go": PROMOTED}, more=PROMOTING)

    assert isinstance(outcome, Traced), outcome
    calls = {call.method.rpartition("beads.")[2]: call for call in outcome.calls}
    assert (calls["pusher.Push"].outside, calls["pusher.Push"].indirect) == (5 + 2 + 1, 5)
    assert calls["pusher.Turn"].outside == 2


def test_failing_tests_and_packages_that_do_not_build_are_said(traced):
    fails = SMALL.replace("TestDouble", "TestFails").replace("!= 4", "== 4")
    outcome = traced(
        files={
            "go.mod": MODULE,
            "small_test.go": SMALL,
            "fails_test.go": fails,
            "bad/bad_test.go": SMALL.replace("package small", "package bad") + "\nvar x int = 1.5",
            "odd/odd_test.go": SMALL.replace("package small", "package odd").replace(
                "if beads.Double(2) != 4 {", 'if beads.Double(2) == 4 {\n\t\tpanic("odd")'
            ),
        }
    )

    assert isinstance(outcome, Traced), outcome
    assert [call.outside for call in outcome.calls] == [3]
    assert "packages of tests that do not build: 1;" in outcome.missing
    assert "2 of 3 unit tests fail" in outcome.missing


def test_what_cannot_call_the_library_is_not_run(traced):
    outcome = traced(
        files={
            "go.mod": MODULE.partition("require")[0],
            "a_test.go": 'package small\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n',
        }
    )

    assert outcome == Skipped("none of its tests can call the library")


def test_all_tests_of_a_client_have_one_limit(traced):
    slow = SMALL.replace("if beads", "time.Sleep(time.Hour)\n\tif beads").replace(
        '"testing"', '"testing"\n\t"time"'
    )
    outcome = traced(files={"go.mod": MODULE, "small_test.go": slow}, seconds=25.0)

    assert isinstance(outcome, TimedOut), outcome
    assert outcome.after_seconds == 25.0  # not less: else the same call would run it again
