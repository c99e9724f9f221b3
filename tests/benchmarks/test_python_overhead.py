"""The benchmark of what an audit of a Python suite costs, run with small numbers."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_it_prints_what_the_documents_name_it_for():
    package = ROOT / "mutators" / "python"
    words = ("--times", "3", "--calls", "2000", "--package", str(package))

    process = subprocess.run(
        (sys.executable, "benchmarks/python_overhead.py", *words),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert process.returncode == 0, process.stderr
    result = dict(
        re.findall(r"^ *(\D+?):? +([+-]?[\d.]+) (?:ms|ns|s)\b", process.stdout, re.MULTILINE)
    )
    assert list(result) == [
        "with the guest, nothing changed",
        "with the module changed",
        "one parse of the changed module",
        "the hook beside that parse",
        "a call of an empty function",
        "the two calls around its body",
        "where it may call itself",
        "each turn of the loop",
        "found with ast",
        "parsed with libcst",
    ]
    seconds = {name: float(value) for name, value in result.items()}
    assert seconds["parsed with libcst"] > seconds["found with ast"] > 0
    assert seconds["where it may call itself"] > seconds["the two calls around its body"] > 0
    assert seconds["each turn of the loop"] > 0
