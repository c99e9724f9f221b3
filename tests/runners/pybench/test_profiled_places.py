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

places = Places()
file = pack.module.__file__
codes = [code for code in live_codes().values() if code.co_filename == file]
print(json.dumps([(code.co_name, *places.of_code(code)) for code in codes]))
"""


def places(tmp_path, installed):
    """Return what the guest says of all code of a module that is installed elsewhere."""
    tree, site = tmp_path / "tree", tmp_path / "site"
    for folder, text in ((tree / "src" / "pack", MODULE), (site / "pack", installed)):
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
        (folder / "module.py").write_bytes(text)
    digest = hashlib.sha256(MODULE).hexdigest()
    listed = tmp_path / "modules.txt"
    listed.write_text(f"source\tpack.module\tsrc/pack/module.py\t{digest}\n")
    done = subprocess.run(
        (sys.executable, "-c", SAY),
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{GUEST}:{site}",
            "BENCH_AUDIT_MODULES": str(listed),
        },
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_functions_have_the_lines_that_their_methods_have(tmp_path):
    source = SourceFile(
        path="src/pack/module.py", unit="pack.module", role=SourceRole.LIBRARY, text=MODULE
    )
    methods = {
        (method.id.removeprefix("pack.module."), span.first_line)
        for method in PythonMutator().find_methods([source])
        for span in method.spans
    }
    said = places(tmp_path, MODULE)

    assert {file for _, file, _, _ in said} == {"src/pack/module.py"}
    not_run = {("branched", 29)}
    assert {(name, line) for _, _, line, name in said if line} == methods - not_run
    literals = {"<lambda>", "<listcomp>", "<genexpr>"}
    assert all(line == 0 for own, _, line, _ in said if own in literals)


def test_a_module_that_is_not_the_projects_belongs_to_no_method(tmp_path):
    said = places(tmp_path, MODULE + b"\nmore = 1\n")

    assert {(file, line) for _, file, line, _ in said} == {("", 0)}
