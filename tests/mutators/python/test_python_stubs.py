"""Beginnings of benchmarks in Python: they run, and the body of what they measure runs."""

import ast
import json
import sys

import pytest

from auditor.core.subject import SourceFile, SourceRole
from mutators.python.mutator import PythonMutator
from mutators.python.stubs import write_stubs

CORE = """
import abc, contextlib, functools
from functools import lru_cache as remember
runs = []
def note(value=1):
    runs.append(value)
    return value
def _load(text=""):
    return note(text)
def adder(step):
    def add(number=1):
        return note(number + step)
    return add
def chunks(size=2):
    yield from range(note(size))
@contextlib.contextmanager
def opened(size=2):
    yield note(size)
@remember(maxsize=None)
def slow(number=3):
    return note(number)
def cached(function):
    return functools.cache(function)
@cached
def unclear(number=3):
    return note(number)
def setter_for(name=""):
    return note(name)
def wrapped(function):
    def wrapper():
        return function()
    return wrapper
class Ring:
    def __init__(self):
        self.items = [1]
    def __iter__(self):
        for item in self.items:
            yield note(item)
    @functools.cached_property
    def total(self):
        return note(sum(self.items))
    @property
    def size(self):
        return note(len(self.items))
    @size.setter
    def size(self, value):
        note(value)
    @size.deleter
    def size(self):
        note(0)
    @functools.cache
    def rank(self):
        return note(2)
    @classmethod
    @functools.cache
    def kind(cls):
        return note(2)
class Shape(abc.ABC):
    def __init__(self):
        note()
    @abc.abstractmethod
    def area(self): ...
    def double(self):
        return note(2)
    @classmethod
    def plain(cls):
        return note(2)
class Half(Shape):
    def __init__(self):
        note()
    def half(self):
        return note(2)
class Square(Half):
    def __init__(self):
        note()
    def area(self):
        return note(2)
"""
API = """
from pkg._core import _load, adder
load = _load
add_one = adder(1)
__all__ = ["load", "add_one"]
"""
FILES = {"pkg/__init__.py": "", "pkg/_core.py": CORE, "pkg/api.py": API}
PUBLIC = {"def _load": "pkg.api.load", "    def add(": "pkg.api.add_one"}


def source(path, text, role=SourceRole.LIBRARY):
    unit = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return SourceFile(path=path, unit=unit, role=role, text=text.encode())


@pytest.fixture
def stub():
    places = [
        {"path": "pkg/_core.py", "line": CORE[: CORE.index(text)].count("\n") + 1, "names": [name]}
        for text, name in PUBLIC.items()
    ]
    sources = [source(path, text) for path, text in FILES.items()]
    sources.append(source("names", "\n".join(map(json.dumps, places)), SourceRole.PUBLIC))
    (stub,) = write_stubs(PythonMutator().find_methods(sources), {}, sources)
    return stub


@pytest.fixture
def runs_by_test(stub, tmp_path, monkeypatch):
    """Return how often the body ran of what each test measures three times."""
    for path, text in FILES.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict = {}
    exec(stub.text, names)  # noqa: S102 what we wrote
    core = sys.modules["pkg._core"]

    def measure(function, *arguments):
        core.runs.clear()
        for _ in range(3):
            function(*arguments)

    counts = {}
    for name, test in names.items():
        if name.startswith("test_"):
            try:
                test(measure)
                counts[name.removeprefix("test_")] = len(core.runs)
            except pytest.skip.Exception:
                pass
    yield counts
    for name in ("pkg", "pkg.api", "pkg._core"):
        sys.modules.pop(name, None)


def test_each_call_runs_the_body_of_what_is_ready(stub, runs_by_test):
    expected = {
        "load", "add_one", "slow", "note", "setter_for", "ring_total", "ring_size", "ring_rank",
        "ring_kind", "shape_plain", "square_area", "square__init",
    }  # fmt: skip

    assert {name: count for name, count in runs_by_test.items() if count} == dict.fromkeys(
        expected, 3
    )
    without_note = {"ring__init"}
    assert len(stub.ready) == len(expected | without_note)


def test_modules_are_imported_by_which_the_names_are_called(stub):
    imports = {line for line in stub.text.splitlines() if line.startswith("import pkg")}

    assert imports == {"import pkg._core", "import pkg.api"}


def test_what_a_call_would_not_run_has_no_test_and_a_reason(stub):
    reasons = {name.removeprefix("pkg._core."): reason for name, reason in stub.incomplete}

    for name in ("chunks", "opened", "Ring.__iter__"):
        assert reasons[name] == "a generator: calling it runs nothing of its body"
    assert reasons["Ring.size.setter"] == "it is the setter of a property"
    assert reasons["Ring.size.deleter"] == "it is the deleter of a property"
    assert reasons["wrapped.<locals>.wrapper"] == "only the function around it can call it"
    assert "wrapper" not in stub.text
    assert "deleter" not in stub.text


def test_what_has_to_be_made_by_hand_is_named(stub):
    lacking = {name.removeprefix("pkg._core."): missing for name, missing in stub.incomplete}

    assert lacking["unclear"] == "a call that its cache does not answer"
    assert lacking["Shape.double"] == lacking["Half.half"] == "subject"
    assert lacking["Shape.__init__"] == lacking["Half.__init__"] == "a concrete class"


@pytest.mark.parametrize("base", ["typing.Protocol", "typing.Protocol[int]", "enum.Enum", "Kind"])
def test_protocols_and_enumerations_are_not_called(base):
    text = "import enum, typing\nclass Kind(enum.IntEnum): pass\n"
    text += f"class Of({base}):\n    def __init__(self): print(1)\n    def use(self): print(1)\n"
    sources = [source("lib.py", text)]

    (stub,) = write_stubs(PythonMutator().find_methods(sources), {}, sources)

    assert stub.incomplete == (("lib.Of.__init__", "a concrete class"), ("lib.Of.use", "subject"))


def write_stub(**texts):
    sources = [source(f"lib/{name}.py", text) for name, text in texts.items()]
    (stub,) = write_stubs(PythonMutator().find_methods(sources), {}, sources)
    return stub


SHAPE = "class Shape:\n    def use(self): print(1)\n    def __init__(self): print(1)\n"


def test_a_class_is_not_judged_by_another_of_its_name_in_a_second_module():
    abstract = SHAPE.replace("    def use", "    @abc.abstractmethod\n    def use")
    deeper = (
        "from lib.flat import Shape as Plain\nclass Shape(Plain):\n    def get(self): print(1)\n"
    )

    stub = write_stub(base=f"import abc\n{abstract}", flat=SHAPE, deep=deeper)

    assert dict(stub.incomplete).keys() == {
        "lib.base.Shape.use",
        "lib.base.Shape.__init__",
        "lib.deep.Shape.get",
    }


def test_a_class_called_protocol_can_be_called_and_those_that_extend_it():
    text = SHAPE.replace("Shape", "Protocol")
    text += SHAPE.replace("Shape", "Http(Protocol)")

    assert write_stub(net=text).incomplete == ()


def test_a_class_inside_another_is_found_in_its_module():
    text = """import abc
class Outer:
    class Inner:
        @abc.abstractmethod
        def use(self): print(1)
    class Shape(Inner):
        def __init__(self): print(1)
"""

    reasons = dict(write_stub(nested=text).incomplete)

    assert reasons["lib.nested.Outer.Shape.__init__"] == "a concrete class"


def test_a_base_that_makes_an_abstract_method_concrete_counts_before_what_it_extends():
    text = f"""import abc
{SHAPE.replace("    def use", "    @abc.abstractmethod" + chr(10) + "    def use")}
class Plain(Shape):
    pass
class Usable(Shape):
    def use(self): print(1)
class Mixed(Plain, Usable):
    def __init__(self): print(1)
"""

    reasons = dict(write_stub(mixed=text).incomplete)

    assert "lib.mixed.Shape.__init__" in reasons
    assert "lib.mixed.Mixed.__init__" not in reasons


def test_classes_that_share_many_bases_are_judged_quickly():
    levels = "".join(
        f"class {name}{level}(A{level - 1}, B{level - 1}): pass\n"
        for level in range(1, 40)
        for name in "AB"
    )

    text = f"{SHAPE.replace('Shape', 'A0')}class B0: pass\n{levels}"
    text += "class Last(A39):\n    def __init__(self): print(1)\n"

    assert write_stub(levels=text).incomplete == ()


def test_stubs_parse_each_module_once(monkeypatch):
    texts = []
    parse = ast.parse

    def count(text, *more):
        texts.append(text)
        return parse(text, *more)

    monkeypatch.setattr(ast, "parse", count)
    write_stub(once=SHAPE + "    def once(self): print(1)\n")

    assert len(texts) == 1


@pytest.mark.parametrize(
    ("package", "text"),
    [("by_import", "from ._core import parse\n"), ("by_star", "from .parse import *\n")],
)
def test_a_module_is_called_all_the_same_where_its_package_has_a_function_of_its_name(
    tmp_path, monkeypatch, package, text
):
    texts = {
        "__init__": text,
        "_core": "from .parse import parse\n",
        "parse": "def parse(): return 3\n" + SHAPE,
        "other": "def get(): return 5\n",
    }
    (tmp_path / package).mkdir()
    sources = []
    for name, module_text in texts.items():
        (tmp_path / package / f"{name}.py").write_text(module_text)
        sources.append(source(f"{package}/{name}.py", module_text))
    monkeypatch.syspath_prepend(tmp_path)

    (stub,) = write_stubs(PythonMutator().find_methods(sources), {}, sources)

    names: dict = {}
    exec(stub.text, names)  # noqa: S102 what we wrote
    results = []
    for name, test in names.items():
        if name.startswith("test_"):
            test(lambda function, *arguments: results.append(function(*arguments)))
    assert results[0] == 3
    assert results[-1] == 5


def test_where_there_is_no_test_there_is_no_file():
    sources = [source("lib.py", "def chunks():\n    yield 1\n")]

    (stub,) = write_stubs(PythonMutator().find_methods(sources), {}, sources)

    assert (stub.path, stub.text, stub.ready) == ("", "", ())
