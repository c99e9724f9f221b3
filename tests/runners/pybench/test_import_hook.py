"""The hook that serves changed modules, in interpreters of their own."""

import ast
import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

GUEST = Path(__file__).parents[3] / "runners" / "pybench" / "guest"
PLAIN = "def f(x):\n    return x + 1\n"
CHANGED = """import zz_bench_audit as _zz_bench_audit  # zz-bench-audit
def f(x):
    _zz_token = _zz_bench_audit.begin("pack.module.f")  # zz-bench-audit
    try:  # zz-bench-audit
        return x + 1
    finally:  # zz-bench-audit
        _zz_bench_audit.end(_zz_token)  # zz-bench-audit
"""
SAY = "import zz_bench_audit, pack.module as m; print(m.f(1), zz_bench_audit.counter.calls)"
COUNTED = "2 {'pack.module.f': 1}\n"


class Place:
    """A folder with a module, its changed text, and what the hook is told of it."""

    def __init__(self, folder):
        self.folder = folder
        self.top = folder / "top"
        self.file = self.top / "pack" / "module.py"
        self.file.parent.mkdir(parents=True)
        self.file.write_text(PLAIN)
        self.text, self.told = folder / "changed.py", folder / "instructions"
        self.records = folder / "records"
        self.records.write_text("")
        self.text.write_text(CHANGED)
        digest = hashlib.sha256(PLAIN.encode()).hexdigest()
        self.told.write_text(f"module\tpack.module\t{self.text}\t{digest}\n")

    def run(self, code, *path, changed=True, **more):
        """Run code in a fresh interpreter; the guest is on its path, and what is asked for."""
        document = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(map(str, [GUEST, *(path or (self.top,))])),
            "BENCH_AUDIT_RECORDS": str(self.records),
            **more,
        }
        if changed:
            document["BENCH_AUDIT_INSTRUCTIONS"] = str(self.told)
        return subprocess.run(
            (sys.executable, "-c", code), env=document, capture_output=True, text=True, check=False
        )


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


@pytest.mark.parametrize("package", [True, False])
def test_the_changed_text_runs_in_packages_and_namespaces(package, place):
    if package:
        (place.file.parent / "__init__.py").write_text("")

    completed = place.run(SAY)

    assert (completed.stdout, completed.stderr) == (COUNTED, "")
    assert place.records.read_text() == "present\tpack.module\n"


def test_no_byte_code_is_read_and_none_is_written(place):
    cached = place.file.parent / "__pycache__"

    plain = place.run("import pack.module", changed=False)
    before = {path: path.read_bytes() for path in cached.iterdir()}
    changed = place.run(SAY)
    after = {path: path.read_bytes() for path in cached.iterdir()}
    unchanged = place.run("import pack.module as m; print(m.__dict__.keys())", changed=False)

    assert plain.returncode == 0
    assert changed.stdout == COUNTED
    assert after == before != {}
    assert "zz" not in unchanged.stdout


def test_sources_tracebacks_and_file_are_those_of_the_file(place):
    code = """
import inspect, traceback
import pack.module as m
print(m.__file__, m.f.__code__.co_filename, m.f.__code__.co_firstlineno)
print(inspect.getsource(m.f) == open(m.__file__).read())
try:
    m.f("a")
except TypeError as error:
    print(*((f.lineno, f.line) for f in traceback.extract_tb(error.__traceback__)[1:]))
"""
    completed = place.run(code)

    assert completed.stderr == ""
    assert completed.stdout.splitlines() == [
        f"{place.file} {place.file} 1",
        "True",
        "(2, 'return x + 1')",
    ]


def test_a_file_that_is_another_one_by_now_is_not_run(place):
    place.file.write_text(PLAIN.replace("+ 1", "+ 2"))

    completed = place.run(SAY)

    assert completed.returncode == 1
    assert "module.py is not the file that pack.module was changed in" in completed.stderr
    assert place.records.read_text().startswith("refused\tpack.module cannot be changed: ")


def test_what_is_loaded_from_an_archive_is_said_and_not_slowed(place):
    archive = place.folder / "pack.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("pack/__init__.py", "")
        file.write(place.file, "pack/module.py")

    completed = place.run(SAY, archive)

    assert completed.stdout == "2 {}\n"
    assert place.records.read_text() == (
        "refused\tpack.module is loaded by zipimporter, not from a file of source text\n"
    )


def test_the_users_own_sitecustomize_runs_as_well(place):
    (place.top / "sitecustomize.py").write_text("import sys\nsys.own = 'ran'\n")

    completed = place.run(f"import sys; print(sys.own); {SAY}")

    assert completed.stdout == f"ran\n{COUNTED}"


def test_an_error_in_the_users_own_sitecustomize_is_theirs(place):
    (place.top / "sitecustomize.py").write_text("import not_there\n")

    assert "No module named 'not_there'" in place.run(SAY).stderr


@pytest.mark.parametrize("path", sorted(GUEST.glob("*.py")), ids=lambda path: path.name)
def test_the_guest_is_written_for_the_oldest_interpreter(path):
    tree = ast.parse(path.read_text(), feature_version=(3, 9))

    unions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
    ]
    postponed = "from __future__ import annotations" in path.read_text()
    assert postponed or not unions


def test_the_guest_uses_nothing_of_the_library_that_the_oldest_interpreter_lacks(tmp_path):
    newer = tmp_path / "newer.py"
    newer.write_text("import itertools\nprint(list(itertools.pairwise('abc')))\n")
    call = (Path(sys.executable).with_name("vermin"), "--no-tips", "--violations", "--target=3.9-")

    def judged(*paths):
        return subprocess.run((*call, *paths), check=False, capture_output=True, text=True)

    guest, violation = judged(*sorted(GUEST.glob("*.py"))), judged(newer)

    assert guest.returncode == 0, guest.stdout
    assert violation.returncode == 1
    assert "itertools.pairwise" in violation.stdout
