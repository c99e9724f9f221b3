"""What the unit tests of real Python projects call."""

import re

import pytest
from python_making import Suited, list_suite, prepared

from auditor.core.mutant import VariantKind
from auditor.core.outcome import Counted, Crashed, NotBuilt, Skipped, TimedOut
from auditor.core.plan import Purpose
from auditor.core.schedule import Schedule

pytestmark = pytest.mark.subject

LIBRARY = """def add(x):
    return x + 1


def twice(x):
    return add(add(x))


def unused(x):
    return x
"""
BENCHMARKS = """from tiny import unused


def test_bench(benchmark):
    benchmark(unused, 1)
"""
ADVICE = (
    '; if a package has it, add "python": {"requirements": ["nowhere"]} to a configuration, and '
    "name that: bench-audit abs bench-audit.json"
)
TESTS = """import pytest

from tiny import add, twice


@pytest.mark.parametrize("x", range(5))
def test_add(x):
    assert add(x) == x + 1


def test_twice():
    assert twice(1) == 3
"""
COUNTING = Schedule(arms=(), blocks=(), seconds=0.01)


@pytest.fixture
def counted(interpreter, python_home, variables, tmp_path):
    """Return how the unit tests of a project end that has these files beside its own."""

    def run(seconds=60, library=LIBRARY, **files):
        folder, scratch = tmp_path / "tiny", tmp_path / "scratch"
        folder.mkdir()
        scratch.mkdir()
        head = '[project]\nname = "tiny"\nversion = "1"\n'
        (folder / "pyproject.toml").write_text(head)
        (folder / "tiny.py").write_text(library)
        (folder / "test_bench.py").write_text(BENCHMARKS)
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text)
        project = prepared(folder, python_home, variables, interpreter=interpreter)
        suite = Suited(project, list_suite(project, scratch), scratch)
        names = [method.id for method in suite.mutator.find_methods(suite.suite.sources)]
        variant = suite.variant(VariantKind.COUNTING, *names)
        return suite.run(None, COUNTING, variant, seconds=seconds, purpose=Purpose.USAGE)

    return run


def calls(outcome):
    assert isinstance(outcome, Counted), outcome
    (window,) = outcome.windows
    assert window.operations == 0
    return dict(window.calls)


def test_calls_of_tests_are_counted_and_not_those_of_benchmarks(counted):
    outcome = counted(test_tiny=TESTS)

    assert calls(outcome) == {"tiny.add": 7, "tiny.twice": 1}
    assert outcome.missing == ""


def test_files_run_in_an_order_that_has_nothing_to_do_with_their_names(counted, tmp_path):
    ran = tmp_path / "ran"
    text = f"def test_it(request):\n    with open({str(ran)!r}, 'a') as out:\n"
    text += "        out.write(request.path.stem[-1])\n"

    counted(**{f"test_{letter}": text for letter in "abcdefgh"})

    order = ran.read_text()
    assert sorted(order) == list("abcdefgh")
    assert order != "abcdefgh"


def test_tests_that_fail_or_cannot_be_read_are_said_and_the_others_count(counted):
    outcome = counted(
        test_tiny=TESTS + "\n\ndef test_wrong():\n    assert add(1) == 1\n",
        test_lost="import nowhere\n",
    )

    assert calls(outcome) == {"tiny.add": 8, "tiny.twice": 1}
    assert outcome.missing == (
        "1 of the files of unit tests cannot be read: test_lost.py: ModuleNotFoundError: No module "
        f"named 'nowhere'{ADVICE}; 1 of 7 unit tests fail"
    )


def test_an_expected_failure_is_none(counted):
    expected = "\n\n@pytest.mark.xfail\ndef test_wrong():\n    assert add(1) == 1\n"

    assert counted(test_tiny=TESTS + expected).missing == ""


def test_what_was_counted_before_a_test_hangs_is_kept(counted):
    hangs = "\n\ndef test_zz_hangs():\n    import time\n    time.sleep(1.1)\n"
    hangs += "\n\ndef test_zzz_hangs():\n    import time\n    time.sleep(1000)\n"

    outcome = counted(test_tiny=TESTS + hangs, seconds=6)

    assert calls(outcome) == {"tiny.add": 7, "tiny.twice": 1}
    # How long ending took beyond the limit hangs on what else the machine does.
    assert re.fullmatch(r"the unit tests were ended after \d+ s", outcome.missing)


def test_a_hang_in_the_first_test_is_a_time_out(counted):
    hangs = "import time\n\n\ndef test_hangs():\n    time.sleep(1000)\n"

    assert isinstance(counted(test_tiny=hangs, seconds=4), TimedOut)


def test_an_interpreter_that_dies_is_a_crash(counted):
    outcome = counted(test_tiny="import os\n\n\ndef test_dies():\n    os.abort()\n")

    assert isinstance(outcome, Crashed)
    assert outcome.exit_code == -6


def test_without_tests_none_are_counted(counted):
    assert counted() == Skipped("pytest finds no unit tests")


def test_where_no_file_of_tests_can_be_read_that_is_the_failure(counted):
    outcome = counted(test_tiny="import nowhere\n")

    assert isinstance(outcome, Crashed)
    message = f"test_tiny.py: ModuleNotFoundError: No module named 'nowhere'{ADVICE}"
    assert outcome.tail == message


def test_tests_that_are_all_skipped_are_said_with_the_reason_of_the_first(counted):
    outcome = counted(
        test_tiny="import pytest\npytestmark = pytest.mark.skip('not here')\n" + TESTS
    )

    assert outcome.missing == "all 6 unit tests are skipped: not here"


def test_a_module_that_cannot_be_changed_is_no_count(counted):
    replaced = "import tiny\n\n\ndef test_add():\n    assert tiny.add(1) == 2\n"
    conftest = (
        "import os, pathlib\n\nif 'BENCH_AUDIT_INSTRUCTIONS' in os.environ:\n"
        "    pathlib.Path('tiny.py').write_text('def add(x): return x + 1')\n"
    )

    assert isinstance(counted(test_tiny=replaced, conftest=conftest), NotBuilt)
