"""A gate that is run on checkouts: real processes, real repositories."""

import os
import re
import subprocess
from dataclasses import replace

import pytest

from auditor.core.contracts.qualify import CheckoutVersion, GateAnswer, GateCase, SlowedSide
from auditor.core.errors import MachineError, SubjectError
from auditor.core.jobs import CompletedProcess
from runners.gates import AlarmRule, LocalGate, hash_named_files, list_version_factors
from runners.hosts.local import LocalHost

SLOWED = GateCase(side=SlowedSide.SLOWED, method="a.Parse", factor=2.0)
SAME = GateCase(side=SlowedSide.SAME)


def overlay(case, version, trace):
    factor = list_version_factors(case)[version]
    return {"lib/factor": f"{factor:g}\n".encode(), "trace": f"{trace / version}\n".encode()}


@pytest.fixture
def gate(tmp_path):
    """A gate of a shell's words."""
    tree = tmp_path / "tree"
    (tree / "lib").mkdir(parents=True)
    (tree / "run.sh").write_text('touch "$(cat trace)"; cat lib/factor\n')
    (tree / "run.sh").chmod(0o755)
    (tree / "left-by-us").touch()
    (tree / ".gitignore").write_text("*.log\n")
    (tree / "kept.log").touch()
    (tree / "link").symlink_to("run.sh")

    def make_gate(script, *, seconds=20.0, **alarm):
        return LocalGate(
            host=LocalHost(),
            folder=tmp_path / "pair",
            tree=tree,
            files=("run.sh", ".gitignore", "kept.log", "link"),
            overlay=overlay,
            words=("sh", "-c", script, "sh", "{base}", "{head}", "{base_revision}"),
            environment=(("PATH", os.environ["PATH"]), ("TOKEN", "of mine")),
            alarm=AlarmRule(**alarm),
            timeout_seconds=seconds,
        )

    return make_gate


COMPARES = '(cd "$1" && sh run.sh) >b; (cd "$2" && sh run.sh) >h; cmp -s b h'


def test_a_gate_is_known_by_what_is_in_the_files_that_its_command_names(tmp_path):
    script = tmp_path / "gate.sh"
    script.write_text("true\n")
    script.chmod(0o755)
    path = [("PATH", str(tmp_path))]
    words = ("gate.sh", "{base}", "lib/factor", str(tmp_path), str(tmp_path / "absent"))

    before = list(hash_named_files(words, path))
    second_hashes = list(hash_named_files(("sh", str(script)), path))
    script.write_text("false\n")

    assert [text for text, _ in before] == [str(script)]
    assert second_hashes == before
    assert list(hash_named_files(words, path)) != before


def test_a_gate_sees_both_versions_and_both_leave_their_trace(gate):
    shown_case = gate(COMPARES).show_case(SLOWED, 1, 1)

    assert (shown_case.answer, shown_case.exit_code, shown_case.turn) == (GateAnswer.ALARM, 1, 1)
    assert shown_case.ran == (CheckoutVersion.BASE, CheckoutVersion.HEAD)
    assert shown_case.seconds > 0
    assert gate(COMPARES).show_case(SAME, 1, 1).answer is GateAnswer.QUIET


def test_one_that_runs_head_twice_is_told_by_the_traces(gate):
    shown_case = gate('(cd "$2" && sh run.sh); (cd "$2" && sh run.sh)').show_case(SLOWED, 1, 1)

    assert shown_case.ran == (CheckoutVersion.HEAD,)


def test_checkouts_are_repositories_with_the_history_of_a_pull_request(gate, tmp_path):
    words = (
        'test "$PWD" = "$BENCH_AUDIT_HEAD" && test "$2" = "$PWD" '
        '&& test "$1" = "$BENCH_AUDIT_BASE" && test "$(git rev-parse HEAD~1)" = "$3" '
        '&& test "$3" = "$BENCH_AUDIT_BASE_REVISION" '
        '&& test "$(git rev-parse HEAD)" = "$BENCH_AUDIT_HEAD_REVISION" '
        '&& test -z "$(git status --porcelain)" && test "$TOKEN" = "of mine" && test -x run.sh '
        "&& test -h link && test -e kept.log && test ! -e left-by-us"
    )

    for case in (SLOWED, SAME, GateCase(side=SlowedSide.SPED, method="a.Parse", factor=2.0)):
        assert gate(words).show_case(case, 1, 1).answer is GateAnswer.QUIET

    def text(version, *words):
        call = ("git", "-C", tmp_path / "pair" / version, *words)
        return subprocess.run(call, check=True, capture_output=True, text=True).stdout

    assert text("base", "show", "HEAD:lib/factor") == "2\n"
    assert text("head", "show", "HEAD:lib/factor") == "1\n"
    assert text("head", "show", "HEAD~1:lib/factor") == "2\n"


def test_what_a_gate_leaves_is_gone_at_the_next_pair(gate):
    assert gate('touch "$1/made" "$2/made"').show_case(SAME, 1, 1).answer is GateAnswer.QUIET
    second_case = gate('test ! -e "$1/made" && test ! -e "$2/made"').show_case(SAME, 2, 1)

    assert second_case.answer is GateAnswer.QUIET


def test_one_that_is_quiet_is_run_again_in_the_same_checkouts(gate):
    words = 'echo >> "$1/../count"; test "$(wc -l < "$1/../count")" -lt 3'

    late, once = gate(words).show_case(SLOWED, 1, 4), gate(words).show_case(SLOWED, 1, 2)

    assert (late.answer, late.turn) == (GateAnswer.ALARM, 3)
    assert (once.answer, once.turn) == (GateAnswer.QUIET, 2)


@pytest.mark.parametrize(
    ("words", "alarm", "answer"),
    [
        ("exit 0", {}, GateAnswer.QUIET),
        ("exit 3", {}, GateAnswer.ALARM),
        ("exit 3", {"codes": frozenset({1})}, GateAnswer.FAILED),
        ("exit 1", {"codes": frozenset({1})}, GateAnswer.ALARM),
        ("no-such-program", {}, GateAnswer.FAILED),
        ("kill -9 $$", {}, GateAnswer.FAILED),
        ("echo 'Parse: REGRESSION'", {"words": re.compile("REGRESSION")}, GateAnswer.ALARM),
        ("echo REGRESSION >&2; exit 1", {"words": re.compile("REGRESSION")}, GateAnswer.ALARM),
        ("echo fine", {"words": re.compile("REGRESSION")}, GateAnswer.QUIET),
        ("echo broken; exit 1", {"words": re.compile("REGRESSION")}, GateAnswer.FAILED),
    ],
)
def test_what_is_an_alarm_and_what_is_no_answer(gate, words, alarm, answer):
    shown_case = gate(words, **alarm).show_case(SAME, 1, 1)

    assert shown_case.answer is answer
    assert bool(shown_case.tail) is (
        answer is GateAnswer.FAILED and words != "exit 3" and "kill" not in words
    )


def test_one_that_hangs_is_ended_and_is_no_alarm(gate):
    shown_case = gate("sleep 60", seconds=0.5).show_case(SAME, 1, 1)

    assert (shown_case.answer, shown_case.exit_code) == (GateAnswer.FAILED, None)


def test_words_of_the_command_are_not_read_by_a_shell(gate, tmp_path):
    original_gate = gate("true")
    odd = LocalGate(
        **{
            **{name: getattr(original_gate, name) for name in original_gate.__dataclass_fields__},
            "words": ("test", "{head}; touch x", "=", f"{tmp_path / 'pair' / 'head'}; touch x"),
        }
    )

    assert odd.show_case(SAME, 1, 1).answer is GateAnswer.QUIET


def test_a_file_of_the_subject_that_is_a_link_is_replaced_and_not_written_through(gate, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "factor").write_text("mine")
    tree = tmp_path / "tree"
    (tree / "trace").symlink_to(outside / "factor")

    original_gate = gate(COMPARES)
    shown_case = replace(original_gate, files=(*original_gate.files, "trace")).show_case(
        SLOWED, 1, 1
    )

    assert shown_case.answer is GateAnswer.ALARM
    assert (outside / "factor").read_text() == "mine"

    (tree / "lib").rmdir()
    (tree / "lib").symlink_to(outside)
    with pytest.raises(SubjectError, match="lib/factor is behind a symbolic link that leads out"):
        replace(original_gate, files=(*original_gate.files, "lib")).show_case(SLOWED, 1, 1)
    assert (outside / "factor").read_text() == "mine"


def test_a_machine_without_git_says_so(gate, monkeypatch):
    original_gate = gate("true")
    bare = LocalGate(
        **{
            **{name: getattr(original_gate, name) for name in original_gate.__dataclass_fields__},
            "environment": (("PATH", "/nowhere"),),
        }
    )

    with pytest.raises(MachineError, match="git"):
        bare.show_case(SAME, 1, 1)


def test_which_version_is_slowed():
    assert list_version_factors(SAME) == {CheckoutVersion.BASE: 1.0, CheckoutVersion.HEAD: 1.0}
    assert list_version_factors(SLOWED) == {CheckoutVersion.BASE: 1.0, CheckoutVersion.HEAD: 2.0}
    sped = GateCase(side=SlowedSide.SPED, method="a", factor=3.0)
    assert list_version_factors(sped) == {CheckoutVersion.BASE: 3.0, CheckoutVersion.HEAD: 1.0}


def test_completed_without_words_is_judged_by_its_code():
    assert AlarmRule().classify_exit(CompletedProcess(exit_code=125)) is GateAnswer.ALARM
    assert AlarmRule().classify_exit(CompletedProcess(exit_code=126)) is GateAnswer.FAILED
    assert AlarmRule().classify_exit(CompletedProcess(exit_code=-9)) is GateAnswer.FAILED
