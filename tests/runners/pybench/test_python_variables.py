"""Which variables of its user the processes of a Python suite get."""

from pathlib import Path

from auditor.core.request import PythonSpec
from runners.pybench.environment import Interpreter
from runners.pybench.project import make_process_variables

INTERPRETER = Interpreter(path=Path("/env/bin/python"), version="3.11")


def test_what_is_named_gets_there_and_what_is_for_tools_does_not(tmp_path):
    variables = {
        "PATH": "/bin",
        "LANG": "C.UTF-8",
        "PIP_INDEX_URL": "https://me:secret@example.org",
        "PYTHONPATH": "/mine",
        "OMP_NUM_THREADS": "1",
    }

    result = make_process_variables(variables, INTERPRETER, tmp_path, PythonSpec())

    assert result.keys() & variables.keys() == {"PATH", "LANG", "OMP_NUM_THREADS"}
    assert result["PATH"] == "/env/bin:/bin"
