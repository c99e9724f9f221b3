"""Tracing the tests of a real Java client whose calls are known."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from jmh_making import environment

from auditor.core.mutant import Overlay, Variant, VariantKind
from auditor.core.outcome import Skipped, Traced
from auditor.core.request import BuildOptions, ClientSpec, FolderSpec, PythonSpec
from auditor.trace.study import make_trial
from mutators.java.mutator import JavaMutator
from runners.hosts.clock import SystemClock
from runners.hosts.local import LocalHost
from runners.jmh.client import JavaClients
from runners.jmh.guests import prepare_guests
from runners.jmh.harness import JmhHarness
from runners.jmh.library import prepare_library
from runners.jmh.tracer import JavaTracer
from runners.subjects.place import place_subject
from runners.trial import TrialRunner

pytestmark = pytest.mark.subject

TRACED = Path(__file__).parents[2] / "subjects" / "java-traced"
OUTSIDE = {
    # In 4 threads, by reflection, by a method reference, called back twice.
    "Beads.twice": 4000 + 1 + 1 + 2,
    "Beads.countDown": 1,
    "Beads.fail": 2,
    "Beads.each": 1,
    "Beads.later": 1,
    "Beads.ownSize": 1,
    "Beads.<init>(int)": 1,
    "Beads.<init>()": 1,
    "Shape.round": 1,
    "Square.<init>": 3,
    "Square.sides": 1,
    # Of the first with itself, then of the second with the first, by TreeSet.
    "Square.compareTo": 2,
}
INSIDE = {
    # As it is loaded, twice in each, once in what later returns.
    "Beads.twice": 4,
    "Beads.countDown": 5,
    "Beads.<init>(int)": 4,
    "Square.sides": 1,
}


@pytest.fixture
def traced(jmh_home, tmp_path):
    """Return how the tests of the client end, `change` having been made to the folder of both."""

    def run(change=lambda _: None, tests=(), seconds=300.0):
        folder = Path(shutil.copytree(TRACED, tmp_path / "both"))
        change(folder)
        for words in (("init", "-q"), ("add", "-A")):
            subprocess.run(("git", "-C", folder, *words), check=True)
        host = LocalHost()
        variables = (*environment(os.environ), ("GRADLE_USER_HOME", str(tmp_path / "gradle")))
        common = {"home": jmh_home, "host": host, "environment": variables}
        words = BuildOptions()
        placed = place_subject(FolderSpec(folder / "library"), **common)
        library = prepare_library(None, placed, words=words, **common)
        guests = prepare_guests(jmh_core_jar=None, **common)
        sources = JmhHarness(guests).read_sources(library, tmp_path, host.run_process)
        spec = ClientSpec(
            name="client",
            subject=FolderSpec(folder / "client"),
            build=words,
            python=PythonSpec(),
            tests=tests,
        )
        clients = JavaClients(guests, **common)
        ready = clients.prepare_client(spec, place_subject(spec.subject, **common), library)
        methods = tuple(method for method in JavaMutator().find_methods(sources) if method.public)
        variant = Variant(VariantKind.TRACED, methods)
        overlay = JavaMutator().build_overlay(sources, variant)
        assert isinstance(overlay, Overlay), overlay
        trial = make_trial(ready.project, variant, overlay, seconds)
        runner = TrialRunner(
            project=ready.project,
            launcher=JavaTracer(guests, ready.tests),
            host=host,
            builds=jmh_home.make_work_folder(ready.project.digest),
            clock=SystemClock(),
        )
        return runner.run_trial(trial).outcome

    return run


def calls(outcome):
    assert isinstance(outcome, Traced), outcome
    return {call.method.removeprefix("org.example.beads."): call for call in outcome.calls}


def test_calls_are_counted_exactly(traced):
    outcome = traced()

    result = calls(outcome)
    assert {name: call.outside for name, call in result.items() if call.outside} == OUTSIDE
    assert {name: call.inside for name, call in result.items() if call.inside} == INSIDE
    assert (outcome.tests, outcome.missing) == (6, "")


def test_a_killed_jvm_leaves_what_the_chosen_tests_had_counted_a_second_before(traced):
    def dies(root):
        test = root / "client" / "src/test/java/org/example/jeweller/JewellerTest.java"
        text = test.read_text().replace(
            "assertEquals(0, Beads.countDown(5));",
            "assertEquals(0, Beads.countDown(5));\n        try {\n            Thread.sleep(3000);\n"
            "        } catch (InterruptedException error) {\n        }\n"
            "        Runtime.getRuntime().halt(3);",
        )
        test.write_text(text)

    outcome = traced(dies, tests=["JewellerTest#recursion"])

    assert {name: call.outside for name, call in calls(outcome).items()} == {
        "Beads.countDown": 1,
        "Beads.twice": 0,
    }
    assert "the call that runs the tests ended with 1" in outcome.missing


def test_failing_tests_are_said(traced):
    def fails(root):
        test = root / "client" / "src/test/java/org/example/jeweller/JewellerTest.java"
        test.write_text(test.read_text().replace("assertEquals(0, ", "assertEquals(1, "))

    outcome = traced(fails)

    assert calls(outcome)["Beads.countDown"].outside == 1
    assert outcome.missing == "1 of 6 unit tests fail"


def test_a_client_without_tests(traced):
    outcome = traced(lambda root: shutil.rmtree(root / "client/src/test"))

    assert isinstance(outcome, Skipped), outcome
    assert "no JVM" in outcome.reason


GRADLE = """apply plugin: 'java'
sourceCompatibility = 8
repositories { mavenCentral() }
dependencies {
    compile project(':library')
    testCompile 'junit:junit:4.13.2'
}
"""
JUNIT4 = """package org.example.jeweller;

import org.example.beads.Beads;
import org.junit.Assert;
import org.junit.Test;

public class JewellerTest {
    @Test
    public void recursion() {
        Assert.assertEquals(0, Beads.countDown(5));
        Assert.assertEquals(4, Jeweller.polished(2));
    }
}
"""


def by_gradle(root):
    for pom in root.rglob("pom.xml"):
        pom.unlink()
    (root / "settings.gradle").write_text("include 'library', 'client'\n")
    (root / "library" / "build.gradle").write_text("apply plugin: 'java'\n")
    (root / "client" / "build.gradle").write_text(GRADLE)
    test = root / "client/src/test/java/org/example/jeweller/JewellerTest.java"
    test.write_text(JUNIT4)


@pytest.mark.skipif(shutil.which("gradle") is None, reason="needs Gradle")
def test_a_client_that_gradle_builds(traced):
    outcome = traced(by_gradle)

    outside_calls = {name: call.outside for name, call in calls(outcome).items() if call.outside}
    assert outside_calls == {"Beads.countDown": 1, "Beads.twice": 1}
    assert calls(outcome)["Beads.countDown"].inside == 5
    assert (outcome.tests, outcome.missing) == (None, "")
