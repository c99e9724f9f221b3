"""The sums of all tests: what failed twice, or was skipped without leave, fails."""

import importlib.util
from pathlib import Path

import pytest

PASSED, FAILED, BROKEN, SKIPPED = "", "<failure/>", "<error/>", "<skipped/>"


@pytest.fixture(scope="module")
def tallies():
    path = Path(__file__).parents[1] / "scripts" / "tallies.py"
    spec = importlib.util.spec_from_file_location("tallies", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def left(folder, **runs):
    """Leave reports; of each run the tests with what stands in them."""
    for name, cases in runs.items():
        listed = "".join(
            f'<testcase classname="t" name="{test}">{kind}</testcase>'
            for test, kind in cases.items()
        )
        (folder / f"{name}.xml").write_text(
            f"<testsuites><testsuite>{listed}</testsuite></testsuites>"
        )


@pytest.mark.parametrize(
    ("runs", "code", "sums"),
    [
        ({"beside": {"a": PASSED}, "timed": {"b": PASSED}}, 0, "2 passed, 0 failed, 0 errors, 0"),
        ({"beside": {"a": FAILED}, "again": {"a": PASSED}}, 0, "1 passed, 0 failed, 0 errors, 0"),
        ({"beside": {"a": FAILED}, "again": {"a": FAILED}}, 1, "0 passed, 1 failed, 0 errors, 0"),
        ({"beside": {"a": BROKEN, "b": PASSED}}, 1, "1 passed, 0 failed, 1 errors, 0"),
        ({"beside": {"a": PASSED, "b": SKIPPED}}, 1, "1 passed, 0 failed, 0 errors, 1"),
        ({"beside": {}}, 1, "0 passed, 0 failed, 0 errors, 0"),
    ],
)
def test_what_failed_twice_or_was_skipped_without_leave_fails(  # noqa: PLR0917 a table
    tallies, runs, code, sums, tmp_path, capsys
):
    left(tmp_path, **runs)

    assert tallies.main(0, tmp_path) == code

    assert capsys.readouterr().out.splitlines()[-1].startswith(sums)


def test_a_second_try_is_said(tallies, tmp_path, capsys):
    left(tmp_path, beside={"a": FAILED, "b": PASSED}, again={"a": PASSED})

    tallies.main(0, tmp_path)

    assert "failed at first, and passed alone: t::a" in capsys.readouterr().out
