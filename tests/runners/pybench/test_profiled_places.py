"""Where the guest finds that a sampled function is declared."""

import hashlib
import json
import os
import subprocess
import sys

from python_making import RING

from auditor.core.subject import SourceFile, SourceRole
from mutators.python.mutator import PythonMutator

GUEST = RING.parents[2] / "runners" / "pybench" / "guest"
MODULE = b"""import functools
from typing import overload


def twice(function):
    @functools.wraps(function)
    def wrapper(*given):
        return function(*given), function(*given)

    return wrapper


@overload
def decorated(x: int) -> int: ...


@twice
@functools.lru_cache
def decorated(x):
    return sorted([x], key=lambda each: -each)


if functools:

    def branched(x):
        return x
else:

    def branched(x):
        return -x


class Box:
    @property
    def content(self):
        return 1

    @content.setter
    def content(self, value):
        pass

    class Inner:
        def method(self):
            return [each for each in range(3)]
"""
SAY = """
import gc, json, sys
from types import FunctionType
import pack.module
from zz_bench_audit_places import Places
from zz_bench_audit_profile import live_codes

places = Places(sys.argv[1])
file = pack.module.__file__
codes = [code for code in live_codes().values() if code.co_filename == file]
print(json.dumps([(code.co_name, *places.of_code(code)) for code in codes]))
"""


def ask_guest(tmp_path, installed, script):
    """Return what a script prints beside a project whose module is installed elsewhere."""
    tree, site = tmp_path / "tree", tmp_path / "site"
    for folder, text in ((tree / "src" / "pack", MODULE), (site / "pack", installed)):
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
        (folder / "module.py").write_bytes(text)
    digest = hashlib.sha256(MODULE).hexdigest()
    module_list = tmp_path / "modules.txt"
    module_list.write_text(f"source\tpack.module\tsrc/pack/module.py\t{digest}\n")
    completed = subprocess.run(
        (sys.executable, "-c", script, str(module_list)),
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{GUEST}:{site}",
        },
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(completed.stdout)


def test_functions_have_the_lines_that_their_methods_have(tmp_path):
    source = SourceFile(
        path="src/pack/module.py", unit="pack.module", role=SourceRole.LIBRARY, text=MODULE
    )
    methods = {
        (method.id.removeprefix("pack.module."), span.first_line)
        for method in PythonMutator().find_methods([source])
        for span in method.spans
    }
    answer = ask_guest(tmp_path, MODULE, SAY)

    assert {file for _, file, _, _ in answer} == {"src/pack/module.py"}
    not_run = {("branched", 29)}
    assert {(name, line) for _, _, line, name in answer if line} == methods - not_run
    literals = {"<lambda>", "<listcomp>", "<genexpr>"}
    assert all(line == 0 for code_name, _, line, _ in answer if code_name in literals)


def test_a_module_that_is_not_the_projects_belongs_to_no_method(tmp_path):
    answer = ask_guest(tmp_path, MODULE + b"\nmore = 1\n", SAY)

    assert {(file, line) for _, file, line, _ in answer} == {("", 0)}


LEARN = """
import json, sys
import pack.module
import zz_bench_audit_profile as profile

variables = {"BENCH_AUDIT_PROFILE": "profile", "BENCH_AUDIT_MODULES": sys.argv[1]}
profile.prepare(variables)
before = list(profile.find_places().lines)
with open("profile.files", "w") as file:
    file.write(f"{pack.module.__file__}\\n/nowhere.py\\n{json.__file__}\\n")
profile.learn(variables)
known = id(pack.module.branched.__code__)
function = eval("lambda: 1")
late = id(function.__code__)
print(json.dumps({
    "before": before,
    "read": [file == pack.module.__file__ for file in profile.find_places().lines],
    "known": late not in profile.find_codes({known}),
    "late": late in profile.find_codes({known, late}),
}))
"""


def test_a_process_learns_for_its_forks_what_one_of_them_had_to_read(tmp_path):
    answer = ask_guest(tmp_path, MODULE, LEARN)

    assert answer == {"before": [], "read": [True], "known": True, "late": True}


CHANGE = """
import json, sys
import pack.module
from zz_bench_audit_places import Places

places = Places(sys.argv[1])
with open(pack.module.__file__, "a") as file:
    file.write("more = 1")
print(json.dumps(places.of_code(pack.module.branched.__code__)))
"""


def test_a_module_that_changed_after_it_was_loaded_has_no_lines(tmp_path):
    assert ask_guest(tmp_path, MODULE, CHANGE)[1] == 0
