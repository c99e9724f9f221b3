"""Public functions as a running interpreter shows them, held against a count of `sys.setprofile`.

Each library is made in a way in which its sources do not show what its users call.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from auditor.core.mutant import Overlay, Variant, VariantKind
from auditor.core.subject import SourceFile, SourceRole
from mutators.python.mutator import PythonMutator
from mutators.python.public import describe_name_problems
from runners.pybench import guests

COUNTED = """import collections, json, sys
counts = collections.Counter()
def seen(frame, event, _):
    if event == "call":
        code = frame.f_code
        counts[f"{code.co_filename}:{code.co_firstlineno}"] += 1
sys.path.insert(0, sys.argv[1])
import work
if len(sys.argv) == 2:
    sys.setprofile(seen)
work.run()
sys.setprofile(None)
if len(sys.argv) == 3:
    import zz_bench_audit
    counts = zz_bench_audit.counter.calls
print(json.dumps(counts))
"""
FACTORY = {
    "lib/__init__.py": "from lib._made import Loose, Strict\nfrom lib.shapes import Checker\n"
    "__all__ = ['Checker', 'Loose', 'Strict']\n",
    "lib/shapes.py": "from typing import Protocol\nclass Checker(Protocol):\n"
    "    def check(self, value): ...\n",
    "lib/_made.py": "def make(name, limit):\n    class Made:\n"
    "        def check(self, value):\n            return self.first(value)\n"
    "        def first(self, value):\n            return value > limit\n"
    "    Made.__name__ = name\n    return Made\n"
    "Strict = make('Strict', 1)\nLoose = make('Loose', 9)\n",
    "work.py": "import lib\ndef run():\n    for n in range(3): lib.Strict().check(n)\n"
    "    lib.Loose().first(3)\n",
}
WRAPPED = {
    "lib/__init__.py": "from lib._inner import told, plain, cached, part, silent, bound\n",
    "lib/_inner.py": "import functools\ndef deco(function):\n    @functools.wraps(function)\n"
    "    def outer(*given):\n        return function(*given)\n    return outer\n"
    "def quiet(function):\n    def outer(*given):\n        return function(*given)\n"
    "    return outer\n"
    "@deco\ndef told(n):\n    return n\ndef plain(n):\n    return told(n)\n"
    "@functools.lru_cache\ndef cached(n):\n    return n\n"
    "def _both(a, b):\n    return a + b\npart = functools.partial(_both, 1)\n"
    "@quiet\ndef silent(n):\n    return n\n"
    "class _Teller:\n    def tell(self, n):\n        return n\nbound = _Teller().tell\n",
    "work.py": "import lib\ndef run():\n    for n in range(6): lib.told(n)\n"
    "    for n in range(4): lib.cached(n)\n    for n in range(3): lib.part(n)\n"
    "    for n in range(2): lib.silent(n)\n    lib.plain(1)\n    lib.bound(1)\n",
}
DISPATCHED = {
    "lib/__init__.py": "from lib._shape import shape, Teller\n",
    "lib/_shape.py": "from functools import singledispatch, singledispatchmethod\n"
    "@singledispatch\ndef shape(value):\n    return 1\n@shape.register\ndef _(value: list):\n"
    "    return 2\nclass Teller:\n    @singledispatchmethod\n    def tell(self, value):\n"
    "        return 1\n    @tell.register\n    def _(self, value: list):\n        return 2\n",
    "work.py": "import lib\ndef run():\n    for value in (1, [], []): lib.shape(value)\n"
    "    lib.Teller().tell([])\n",
}
REGISTERED = {
    "lib/__init__.py": "from lib.shape import area, dump\nimport lib.more\n",
    "lib/shape.py": "from functools import singledispatch\n__all__ = ['area', 'dump']\n"
    "@singledispatch\ndef area(value):\n    return 1\n"
    "@singledispatch\ndef dump(value):\n    return 1\n"
    "@area.register\ndef _(value: int):\n    return 2\n"
    "@dump.register\ndef _(value: int):\n    return area('')\n"
    "@area.register(list)\ndef of_kind(value):\n    return 2\n"
    "@dump.register(list)\ndef of_kind(value):\n    return 2\n",
    "lib/more.py": "from lib.shape import area\n"
    "@area.register\ndef _(value: dict):\n    return 3\n",
    "work.py": "import lib\ndef run():\n    for value in (1, '', {}, []): lib.area(value)\n"
    "    for value in (1, []): lib.dump(value)\n",
}
ATTRS = {
    "lib/__init__.py": "import attrs\nfrom lib._base import Base\n@attrs.define\n"
    "class Point(Base):\n    x: int\n    def __attrs_post_init__(self):\n        self.x += 1\n"
    "    @property\n    def twice(self):\n        return 2 * self.x\n"
    "    @staticmethod\n    def make(x):\n        return Point(x)\n",
    "lib/_base.py": "import abc\nclass Base(abc.ABC):\n    def shown(self):\n"
    "        return self.twice\n    @property\n    @abc.abstractmethod\n    def twice(self):\n"
    "        pass\n    def later(self):\n        raise NotImplementedError\n",
    "work.py": "import lib\ndef run():\n    for n in range(4): lib.Point.make(n).shown()\n"
    "    lib.Point(1)\n",
}
CLICK = {
    "lib/__init__.py": "import click\n@click.group()\ndef main():\n    pass\n"
    "@main.command('say-it')\n@click.option('--n', type=int)\ndef say(n):\n    return _inner(n)\n"
    "def _inner(n):\n    return n\n",
    "work.py": "import lib\ndef run():\n    for n in '12':\n"
    "        lib.main(['say-it', '--n', n], standalone_mode=False)\n",
}
FACADE = {
    "lib/__init__.py": "try:\n    from _json import encode_basestring as quote\n"
    "except ImportError:\n    from lib.slow import quote\nfrom lib.fast import Quoter\n"
    "__all__ = ['quote', 'Quoter']\n",
    "lib/_slow.py": "def quote(text):\n    return text\n",
    "lib/fast.py": "from _json import encode_basestring\nclass Quoter:\n"
    "    def __init__(self, end=''):\n        self.end = end\n"
    "    def quote(self, text):\n        return encode_basestring(text) + self.end\n",
    "work.py": "import lib\ndef run():\n    quoter = lib.Quoter()\n"
    "    for n in 'abc': quoter.quote(lib.quote(n))\n",
}

HOOKED = {
    "lib/__init__.py": "import importlib\ndef load(n):\n    return str(n)\n"
    "def __getattr__(name):\n    if name != 'late': raise AttributeError(name)\n"
    "    return importlib.import_module('lib.late')\n"
    "def __dir__():\n    return ['load', 'late']\n",
    "lib/late.py": "# Loaded late.\ndef twice(n):\n    return 2 * n\n",
    "work.py": "import lib\nlib.late\ndef run():\n    for n in '123': lib.load(lib.late.twice(n))\n"
    "    dir(lib)\n",
}


class InspectedLibrary:
    """A library in a folder, its sources, and what its public names are."""

    def __init__(self, folder, files):
        self.folder = folder
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text)
        for path, text in guests.locate_guest_files(folder / "ours"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
        self.guest = folder / "ours" / guests.FOLDER
        paths = [Path(name) for name in files if name.startswith("lib/")]
        library = [self.source(path) for path in paths]
        modules, names_file = folder / "modules.txt", folder / "told.txt"
        modules.write_text(
            "".join(f"{module_source.unit}\t{module_source.path}\n" for module_source in library)
        )
        self.call(
            "-m", "zz_bench_audit_api", modules, names_file, PYTHONPATH=f"{self.guest}:{folder}"
        )
        self.sources = [
            *library,
            SourceFile(path="", unit="", role=SourceRole.PUBLIC, text=names_file.read_bytes()),
        ]
        methods = PythonMutator().find_methods(self.sources)
        self.public = {method.id: method for method in methods if method.public}

    def source(self, path):
        unit = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
        text = (self.folder / path).read_bytes()
        return SourceFile(path=str(path), unit=unit, role=SourceRole.LIBRARY, text=text)

    def call(self, *words, **variables):
        completed = subprocess.run(
            (sys.executable, *map(str, words)),
            cwd=self.folder,
            env=os.environ | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert completed.returncode == 0, completed.stderr
        return completed.stdout

    def profiled(self):
        """Return the calls of each function by its file and first line."""
        return json.loads(self.call("-c", COUNTED, self.folder))

    def counted(self):
        """Return the calls of the public functions by our counters."""
        mutator = PythonMutator()
        slowable = tuple(method for method in self.public.values() if method.refusal is None)
        overlay = mutator.build_overlay(self.sources, Variant(VariantKind.COUNTING, slowable))
        assert isinstance(overlay, Overlay), overlay
        lines = []
        changed = [line for line in overlay.instructions if line.startswith("module")]
        for line, file in zip(changed, overlay.files, strict=True):
            kind, unit, path = line.split("\t")
            text = self.folder / "ours" / path
            text.parent.mkdir(parents=True, exist_ok=True)
            text.write_bytes(file.text)
            digest = hashlib.sha256((self.folder / path).read_bytes()).hexdigest()
            lines.append(f"{kind}\t{unit}\t{text}\t{digest}\n")
        instructions = self.folder / "instructions.txt"
        instructions.write_text("".join(lines))
        variables = {
            "PYTHONPATH": str(self.guest),
            "BENCH_AUDIT_INSTRUCTIONS": str(instructions),
            "BENCH_AUDIT_COUNTING": "1",
        }
        return json.loads(self.call("-c", COUNTED, self.folder, "counted", **variables))


LIBRARIES = {
    "factory": (FACTORY, {"lib.Loose.check": 3, "lib.Loose.first": 4}),
    "wrapped": (
        WRAPPED,
        {"lib.told": 7, "lib.cached": 4, "lib.part": 3, "lib.silent": 2, "lib.plain": 1}
        | {"lib.bound": 1},
    ),
    "dispatched": (DISPATCHED, {"lib.shape": 3, "lib.Teller.tell": 1}),
    "registered": (REGISTERED, {"lib.shape.area": 5, "lib.shape.dump": 2}),
    "attrs": (
        ATTRS,
        {"lib.Point.__attrs_post_init__": 5, "lib.Point.make": 4, "lib.Point.twice": 4}
        | {"lib.Base.shown": 4},
    ),
    "click": (CLICK, {"lib.main": 2, "lib.say": 2}),
    "hooked": (HOOKED, {"lib.load": 3, "lib.late.twice": 3}),
    "facade": (FACADE, {"lib.fast.Quoter.__init__": 1, "lib.fast.Quoter.quote": 3}),
}


def test_functions_of_a_single_dispatch_have_their_places(tmp_path):
    library = InspectedLibrary(tmp_path, REGISTERED)
    area, dump = library.public["lib.shape.area"], library.public["lib.shape.dump"]

    assert area.name == "area"
    assert [(span.file, span.first_line) for span in area.spans] == [
        ("lib/shape.py", 4),
        ("lib/shape.py", 10),
        ("lib/shape.py", 16),
        ("lib/more.py", 3),
    ]
    assert [span.first_line for span in dump.spans] == [7, 13, 19]


def test_of_several_definitions_the_one_that_lives_is_the_method(tmp_path):
    branches = (
        "import sys\nif sys.platform == 'none':\n    @numba.njit\n    def f(a, b):\n"
        "        return a\nelse:\n    def f(a):\n        return a\n"
    )
    library = InspectedLibrary(
        tmp_path, {"lib/__init__.py": "from lib._two import f\n", "lib/_two.py": branches}
    )

    assert library.public["lib.f"].span.first_line == 7
    assert library.public["lib.f"].refusal is None


@pytest.mark.parametrize("name", LIBRARIES)
def test_public_functions_are_called_as_often_as_the_interpreter_says(name, tmp_path):
    files, expected = LIBRARIES[name]
    library = InspectedLibrary(tmp_path, files)

    assert set(library.public) == set(expected)
    assert library.counted() == expected
    profiled = library.profiled()
    line_counts = {
        f"{tmp_path / source.path}:{number}": count
        for source in library.sources
        for number in range(1, source.text.count(b"\n") + 2)
        if (count := profiled.get(f"{tmp_path / source.path}:{number}"))
    }
    # What else of the library runs are wrappers and what is private.
    assert sorted(expected.values()) == sorted(
        sum(line_counts.get(place, 0) for place in places(library, method))
        for method in library.public.values()
    )


def places(library, method):
    records = [json.loads(line) for line in library.sources[-1].text.splitlines()]
    names = {method.id, *method.aliases}
    return [
        f"{library.folder / record['path']}:{record['line']}"
        for record in records
        if names & set(record.get("names", ()))
    ]


def test_a_function_has_all_its_public_names(tmp_path):
    library = InspectedLibrary(tmp_path, FACTORY)
    method = library.public["lib.Loose.check"]
    mutator = PythonMutator()

    assert method.aliases == ("lib.Strict.check",)
    for name in ("Strict.check", "lib.Loose.check", "Made.check", "check"):
        assert mutator.matches_name(name, method), name
    assert not mutator.matches_name("Checker.check", method)


def test_a_class_whose_objects_tell_another_module_is_the_librarys(tmp_path):
    text = "class Proxy:\n    __module__ = property(lambda self: self.of.__module__)\n"
    text += "    def use(self): return 1\n"

    assert "lib.Proxy.use" in InspectedLibrary(tmp_path, {"lib/__init__.py": text}).public


def test_what_cannot_be_imported_is_read(tmp_path):
    files = {
        "lib/__init__.py": "",
        "lib/good.py": "def made(f=None): return 1\n",
        "lib/bad.py": "import no_such_module\ndef shown(): pass\ndef _hidden(): pass\n",
        "lib/ending.py": "import sys\ndef last(): pass\nsys.exit(3)\n",
    }

    assert set(InspectedLibrary(tmp_path, files).public) == {
        "lib.good.made",
        "lib.bad.shown",
        "lib.ending.last",
    }


def test_classes_that_refer_to_each_other_and_to_objects_end(tmp_path):
    text = "class _Kind:\n    def ask(self): return 1\n"
    text += "class A:\n    def a(self): return 1\n    class Inner:\n        def i(self): return 1\n"
    text += "class B:\n    def b(self): return 1\n"
    text += "A.other, B.other = B, A\n"
    text += "for n in range(12):\n    setattr(_Kind, f'k{n}', _Kind())\n"
    text += "    setattr(A, f'k{n}', _Kind())\n"
    text += "kind = _Kind()\n"

    public = InspectedLibrary(tmp_path, {"lib/__init__.py": text}).public

    assert set(public) == {"lib.A.a", "lib.A.Inner.i", "lib.B.b", "lib.kind.ask"}


LAZY = """
class Silent(RuntimeError):
    def __str__(self): raise RuntimeError

class Proxy:
    def __getattribute__(self, name):
        raise Silent

class Lying:
    __class__ = type(lambda: 1)
    __qualname__ = __name__ = "lying"
    __closure__ = __code__ = 1

class Leaving:
    def __getattribute__(self, name):
        raise SystemExit(3)

def good(): return 1
proxy, leaving, lying = Proxy(), Leaving(), Lying()
class Holder:
    inner, lying = Proxy(), Lying()
    def kept(self): return 1
def last(): return 1
"""


def test_a_name_that_raises_hides_no_other(tmp_path):
    files = {
        "lib/__init__.py": "from lib._lazy import *\nfrom lib import _lazy\n"
        "__all__ = ['absent', *(one for one in vars(_lazy) if one[0] != '_')]\n"
        "def __getattr__(name): raise LookupError(name)\n",
        "lib/_lazy.py": LAZY,
        "lib/odd.py": "import sys\nfrom lib._lazy import Proxy\ndef of_odd(): return 1\n"
        "sys.modules[__name__] = Proxy()\n",
    }

    library = InspectedLibrary(tmp_path, files)

    assert {"lib.good", "lib.last", "lib.Holder.kept", "lib.odd.of_odd"} <= set(library.public)
    records = [json.loads(line) for line in library.sources[-1].text.splitlines()]
    unread = {record["unread"]: record["why"] for record in records if "unread" in record}
    assert unread["lib.absent"] == "LookupError: absent"
    assert unread["lib.leaving"] == "SystemExit: 3"
    assert unread["lib.proxy"] == "Silent:"
    assert {"lib.Holder.inner", "lib.odd"} <= set(unread)
    of_modules, of_names = describe_name_problems(library.sources)
    assert "could not read lib.odd" in of_modules
    assert of_modules.endswith("those of their sources")
    assert "lib.odd" not in of_names


def test_a_missing_name_in_all_is_no_module_that_could_not_be_read(tmp_path):
    text = "__all__ = ['plain', 'gone']\ndef plain(): return 1\n"

    library = InspectedLibrary(tmp_path, {"lib/__init__.py": text})

    (note,) = describe_name_problems(library.sources)
    assert "could not read lib.gone (lib.gone: AttributeError" in note
    assert note.endswith("these public names lead to no method")


def test_public_names_of_compiled_code_are_named(tmp_path):
    text = "from _json import encode_basestring as quote\nquote.__module__ = 'lib'\n"
    text += "__all__ = ['quote', 'plain']\ndef plain(): return 1\n"

    library = InspectedLibrary(tmp_path, {"lib/__init__.py": text})

    assert set(library.public) == {"lib.plain"}
    (note,) = describe_name_problems(library.sources)
    assert note.endswith("cannot be slowed: lib.quote")


def test_functions_that_a_compiler_wraps_are_refused(tmp_path):
    compiler = "class Dispatcher:\n    def __init__(self, function):\n"
    compiler += "        self.py_func = self.__wrapped__ = function\n"
    compiler += "    def __call__(self, *values): return self.py_func(*values)\n"
    text = "from numba import Dispatcher\ndef fast(function): return Dispatcher(function)\n"
    text += "@fast\ndef area(w):\n    return w\ndef plain(w):\n    return w\n"

    public = InspectedLibrary(tmp_path, {"numba.py": compiler, "lib/__init__.py": text}).public

    assert public["lib.area"].refusal == "numba compiles it: Python code laid over it would not run"
    assert public["lib.plain"].refusal is None


def test_what_stands_in_for_compiled_classes_is_not_public(tmp_path):
    """Here the interpreter runs the compiled class, so nobody calls its twin in Python."""
    text = "from _random import Random\nRandom.__module__ = 'lib'\n__all__ = ['Random']\n"
    twin = "class Random:\n    def random(self): return 4\n"

    library = InspectedLibrary(tmp_path, {"lib/__init__.py": text, "lib/_twin.py": twin})

    assert set(library.public) == set()
    (note,) = describe_name_problems(library.sources)
    assert note.endswith("cannot be slowed: lib.Random")


def test_a_method_that_is_that_of_a_builtin_makes_no_compiled_class(tmp_path):
    text = "class Names(dict):\n    get_one = dict.__getitem__\n    def first(self): return 1\n"

    library = InspectedLibrary(tmp_path, {"lib/__init__.py": text})

    assert set(library.public) == {"lib.Names.first"}
    assert describe_name_problems(library.sources) == []


@pytest.mark.parametrize(
    "line",
    [
        *("{", "[" * 100_000, "1", "{}", '{"names": ["lib.f"]}', '{"unread": []}'),
        '{"path": 1, "line": 1, "names": []}',
        '{"path": "lib.py", "line": 3, "names": [1]}',
        '{"path": "lib.py", "line": 3, "names": ["lib.\\u001b[2J"]}',
        '{"compiled": [[]]}',
        '{"path": "lib.py", "line": 1, "compiler": "no name"}',
    ],
)
def test_a_line_that_the_library_wrote_is_left_out(line):
    valid_line = '{"path": "lib.py", "line": 1, "names": ["lib.f"]}'
    sources = [
        SourceFile(path="lib.py", unit="lib", role=SourceRole.LIBRARY, text=b"def f(): 1\n"),
        SourceFile(path="", unit="", role=SourceRole.PUBLIC, text=f"{valid_line}\n{line}".encode()),
    ]

    assert [method.id for method in PythonMutator().find_methods(sources) if method.public] == [
        "lib.f"
    ]
    (note,) = describe_name_problems(sources)
    assert "public names: 1 line left out" in note
