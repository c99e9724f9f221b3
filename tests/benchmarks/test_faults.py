"""The script of faults sees what is left and lost, and an interrupted audit leaves nothing."""

import json

import pytest

INTERRUPTED = """
import json, random, sys
from pathlib import Path
import faults
random.seed(3)
row = faults.interrupts(faults.Lab.below(Path(sys.stdin.read())), 3, "abs")
print(json.dumps([row.times, row.counts]))
"""
LEFT = """
import json, subprocess, sys
from pathlib import Path
import faults
lab = faults.Lab.below(Path(sys.stdin.read()))
found = [lab.is_something_left(files=True)]
(lab.temporary / "left").touch()
found += [lab.is_something_left(files=files) for files in (True, False)]
with subprocess.Popen(("sleep", "60"), cwd=lab.subject) as left:
    found.append(lab.is_something_left(files=False))
    left.kill()
print(json.dumps(found))
"""
CLEAR = """
import json, sys
import faults
print(json.dumps([faults.Ended(*one, 0.0).is_clear for one in json.load(sys.stdin)]))
"""
TABLE = """
import faults
row = faults.Row("a fault", longest=11.04)
row.note()
row.note("late", "lost")
print(row)
"""
ENDED = [
    ((130, "", "interrupted\n"), True),
    ((4, "", "note[a]: b\nerror[store]: it is damaged\n"), True),
    ((4, "", "error[store]: it is damaged\nerror[internal]: a bug\n"), False),
    ((1, "", "Traceback (most recent call last):\n"), False),
    ((-15, "", ""), False),
]


@pytest.mark.subject
def test_an_audit_that_is_interrupted_at_random_moments_loses_nothing(printed, tmp_path):
    times, counts = json.loads(printed(INTERRUPTED, str(tmp_path)))

    assert times == 3
    assert not any(counts.values()), counts


def test_a_process_and_a_temporary_file_that_are_left_are_seen(printed, tmp_path):
    assert json.loads(printed(LEFT, str(tmp_path))) == [False, True, False, True]


def test_an_end_is_clear_with_one_error_and_a_documented_code(printed):
    document = json.loads(printed(CLEAR, json.dumps([ending for ending, _ in ENDED])))

    assert document == [is_clear for _, is_clear in ENDED]


def test_a_line_of_the_table_counts_what_was_wrong(printed):
    assert printed(TABLE).strip() == "| a fault | 2 | 1 | 0 | 1 | 0 | 0 | 11.0 |"
