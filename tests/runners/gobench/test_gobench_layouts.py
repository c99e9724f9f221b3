"""The order of functions in a test binary, drawn by a number."""

import os
import subprocess
from dataclasses import replace

import pytest
from gobench_making import lab, schedule

from auditor.core.mutant import Delay, InjectionKind, Overlay
from auditor.core.outcome import Measured
from auditor.core.plan import Layouts, Purpose
from auditor.core.schedule import Arm, ArmName
from auditor.core.values import TIME
from runners.gobench.settings import draws_layouts, linker_flags

SETTING = """\
package setting

import "testing"

var one, other string

func BenchmarkSet(b *testing.B) {
	if one != "a b" || other != "yes" {
		b.Fatalf("%q %q", one, other)
	}
}
"""


@pytest.mark.parametrize(
    ("version", "draws"),
    [
        ("go1.23.0", True),
        ("go1.22.12", False),
        ("go1.26", True),
        ("go2.0", True),
        ("devel go1.24-0a1b2c3 Mon Jan 6", True),
        ("unknown", False),
        ("", False),
    ],
)
def test_the_linker_knows_layouts_from_1_23_on(version, draws):
    assert draws_layouts(version) is draws


@pytest.mark.parametrize(
    ("goflags", "flags"),
    [
        ("", ["-ldflags=-w -randlayout=7"]),
        ("-mod=mod -modcacherw", ["-ldflags=-w -randlayout=7"]),
        ("-ldflags=-s -v", ["-ldflags=-w -randlayout=7", "-ldflags=-s -w -randlayout=7"]),
        (
            "'-ldflags=-s -w'\t--ldflags=all=-X=a.b=c",
            [
                "-ldflags=-w -randlayout=7",
                "-ldflags=-s -w -w -randlayout=7",
                "-ldflags=all=-X=a.b=c -w -randlayout=7",
            ],
        ),
        ('"-ldflags="', ["-ldflags=-w -randlayout=7", "-ldflags= -w -randlayout=7"]),
    ],
)
def test_linker_flags_of_the_user_are_said_again_with_ours_behind_them(goflags, flags):
    assert list(linker_flags(7, goflags)) == flags


def test_a_program_of_no_layout_of_its_own_is_linked_quickly_all_the_same():
    assert list(linker_flags(0, "-ldflags=-s")) == ["-ldflags=-w", "-ldflags=-s -w"]


def measured(lab, name, layout):
    trial = lab.trial(Purpose.REFERENCE, name, schedule([Arm(ArmName.PLAIN)], 20, 2))
    return lab.run(replace(trial, layout=layout))


def needs_layouts(lab):
    if lab.bench._launcher.find_layouts(lab.project) is not Layouts.DRAWN:
        pytest.skip("the linker of this Go cannot draw layouts")


def symbols(binary):
    """Return the functions of a program in the order in which they lie."""
    completed = subprocess.run(
        ["go", "tool", "nm", "-n", str(binary)], capture_output=True, text=True, check=True
    )
    fields = (line.split(maxsplit=2) for line in completed.stdout.splitlines())
    return [field[2] for field in fields if len(field) == 3 and field[1] in "tT"]


@pytest.mark.subject
def test_each_layout_is_a_program_of_its_own_that_runs(ring):
    needs_layouts(ring)
    for layout in (0, 3, 4):
        outcome = measured(ring, "BenchmarkSmall", layout)
        assert isinstance(outcome, Measured), outcome
        assert len(outcome.find_series(TIME, ArmName.PLAIN).values) == 2

    folder = ring.bench._builds / Overlay().digest
    name = next(path.name for path in (folder / "bin" / "layout-3").glob("*.test"))
    plain, layout_3, layout_4 = (
        symbols(folder / "bin" / layout_folder / name)
        for layout_folder in ("", "layout-3", "layout-4")
    )
    assert layout_3 != layout_4
    assert layout_3 != plain
    assert set(layout_3) == set(layout_4)


@pytest.mark.subject
def test_only_the_user_s_own_build_has_what_a_debugger_needs(ring):
    """A slowed program is linked without, as that takes time and is no part of what runs."""
    measured(ring, "BenchmarkSmall", 0)
    ring.slowed(
        "BenchmarkSmall", "example.org/ring.Small", 20, Delay(InjectionKind.WORK, 1), rounds=1
    )
    plain = ring.bench._builds / Overlay().digest
    debug_info = {
        path.parents[1] == plain: b".debug_line" in path.read_bytes()
        for path in ring.bench._builds.glob("*/bin/*.test")
    }

    assert debug_info == {True: True, False: False}


@pytest.mark.subject
def test_a_layout_is_built_once(ring):
    needs_layouts(ring)
    measured(ring, "BenchmarkSmall", 5)
    (binary,) = ring.bench._builds.rglob("layout-5/*.test")
    before = binary.stat().st_mtime_ns

    measured(ring, "BenchmarkTiny", 5)

    assert binary.stat().st_mtime_ns == before


@pytest.mark.subject
def test_half_a_program_that_a_killed_build_has_left_is_built_again(ring):
    needs_layouts(ring)
    measured(ring, "BenchmarkSmall", 7)
    (binary,) = ring.bench._builds.rglob("layout-7/*.test")
    binary.write_bytes(binary.read_bytes()[:4096])
    binary.with_name(f"{binary.name}.made").unlink()

    assert isinstance(measured(ring, "BenchmarkSmall", 7), Measured)


@pytest.mark.subject
@pytest.mark.parametrize("pattern", ["", "example.org/setting=", "./...="])
def test_flags_for_the_linker_in_goflags_are_not_lost(go_home, tmp_path, pattern):
    tree = tmp_path / "setting"
    tree.mkdir()
    (tree / "go.mod").write_text("module example.org/setting\n\ngo 1.20\n")
    (tree / "setting.go").write_text("package setting\n")
    (tree / "setting_test.go").write_text(SETTING)
    module_path = "example.org/setting"
    flags = f"\"-ldflags={pattern}-X '{module_path}.one=a b' -X {module_path}.other=yes\""
    setting_lab = lab(tree, go_home, {**os.environ, "GOFLAGS": f"-ldflags=-s {flags}"})
    needs_layouts(setting_lab)

    for layout in (0, 3):
        outcome = measured(setting_lab, "BenchmarkSet", layout)
        assert isinstance(outcome, Measured), outcome
    programs = [path.read_bytes() for path in setting_lab.bench._builds.rglob("*.test")]
    assert len(programs) == 2
    assert programs[0] != programs[1]
