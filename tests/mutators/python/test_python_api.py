"""Which functions users may call, of packages as people write them."""

import textwrap

import pytest

from auditor.core.subject import SourceFile, SourceRole
from mutators.python.mutator import PythonMutator


def public(**modules):
    """Return the public methods of a package `pack`; `init` is its own module, `main` the program.

    Two underscores between names stand for a package.
    """
    sources = []
    for name, text in modules.items():
        leaf = f"__{name}__" if name in ("init", "main") else name.replace("__", "/")
        unit = "pack" if name == "init" else f"pack.{leaf.replace('/', '.')}"
        sources.append(
            SourceFile(
                path=f"src/pack/{leaf}.py",
                unit=unit,
                role=SourceRole.LIBRARY,
                text=textwrap.dedent(text).encode(),
            )
        )
    return [method.id for method in PythonMutator().find_methods(sources) if method.public]


def test_what_a_package_takes_from_private_modules_is_public_where_it_is_defined():
    result = public(
        init="""
        from ._impl import run, Runner as Runner
        from ._impl import _helper
        from other import foreign
        """,
        _impl="""
        def run(): pass
        def _helper(): pass
        def kept(): pass
        class Runner:
            def go(self): pass
            def _own(self): pass
            def __len__(self): return 0
        """,
    )

    assert result == ["pack._impl.run", "pack._impl.Runner.go", "pack._impl.Runner.__len__"]


def test_what_only_the_interpreter_calls_of_a_module_is_not_public():
    inner = "def __dir__(): return []\ndef shown(): pass\nclass Shown:\n    def __add__(self): 0\n"

    result = public(init="from ._inner import *\ndef __getattr__(name): 0\n", _inner=inner)

    assert result == ["pack._inner.shown", "pack._inner.Shown.__add__"]


def test_a_list_of_names_says_all_also_with_an_underscore():
    result = public(
        init="""
        __all__ = ["one", "_two"]
        __all__ += ("three",)
        from pack.inner import three, four
        def one(): pass
        def _two(): pass
        def five(): pass
        """,
        inner="""
        __all__ = []
        def three(): pass
        def four(): pass
        """,
    )

    assert result == ["pack.one", "pack._two", "pack.inner.three"]


@pytest.mark.parametrize(
    ("message", "more"),
    [
        ('__all__ = ["own"] + ["_two"]', ["_two"]),
        ('__all__ = tuple(["own", *("_two",)])', ["_two"]),
        ('__all__ = sorted({"own", "_two"}, key=len)', ["_two"]),
        ('__all__ = []; __all__.append("own"); __all__.extend(["_two"])', ["_two"]),
        ('__all__ = ["own"]\nfor one in __all__: print(one, len(__all__))\n__all__.sort()', []),
        ('from . import _s; __all__ = ["own"]; __all__ += _s.__all__', ["_s._three"]),
        ('from ._s import *; __all__ = ["own"] + _s.__all__', ["_s._three"]),
        ('import pack._s as s; __all__ = ["own", *s.__all__]', ["_s._three"]),
        ('import pack._s; __all__ = ["own", *pack._s.__all__]', ["_s._three"]),
    ],
)
def test_a_list_of_names_is_put_together(message, more):
    text = "from ._s import _three\ndef own(): pass\ndef _two(): pass\ndef other(): pass\n"
    hidden = '__all__ = ["_three"]\ndef _three(): pass\ndef four(): pass\n'

    result = public(init=f"{text}{message}\n", _s=hidden)

    assert result == [f"pack.{name}" for name in ["own", *more]]


@pytest.mark.parametrize(
    "message",
    [
        '__all__ = [n for n in dir() if not n.startswith("_")]',
        '__all__ = ["_two"] + names()',
        'import other; __all__ = ["_two", *other.__all__]',
        '__all__ = ["_two"]; __all__.remove("_two")',
        "__all__ = []\nfor one in names(): __all__.append(one)",
        "import pack; __all__ = pack.__all__",
    ],
)
def test_where_a_list_of_names_cannot_be_read_there_is_none(message):
    text = "def own(): pass\ndef _two(): pass\n"

    assert public(init=f"{text}{message}\n") == ["pack.own"]
    assert public(init="from ._s import *\n", _s=f"{text}{message}\n") == ["pack._s.own"]


def test_a_plain_module_shows_what_it_defines_and_what_it_imports_under_its_own_name():
    result = public(
        init="",
        tools="""
        from ._impl import a, b as b
        from ._impl import c as _c
        def d():
            def inner(): pass
        """,
        _impl="""
        def a(): pass
        def b(): pass
        def c(): pass
        """,
    )

    assert result == ["pack.tools.d", "pack._impl.b"]


def test_stars_lead_on():
    result = public(
        init="from ._a import *\n",
        _a="from ._b import *\ndef one(): pass\ndef _two(): pass\n",
        _b="__all__ = ['three']\ndef three(): pass\ndef four(): pass\n",
    )

    assert result == ["pack._a.one", "pack._b.three"]


def test_methods_of_bases_are_those_of_the_class():
    result = public(
        init="from ._impl import Shown\n",
        _impl="""
        class _Deep:
            def deep(self): pass
        class _Base(_Deep):
            def base(self): pass
            class _Hidden:
                def no(self): pass
        class Shown(_Base):
            @property
            def own(self): pass
            class Inner:
                def yes(self): pass
        class Other:
            def other(self): pass
        """,
    )

    assert [method_id.removeprefix("pack._impl.") for method_id in result] == [
        "_Deep.deep",
        "_Base.base",
        "Shown.own",
        "Shown.Inner.yes",
    ]


def test_bases_are_found_in_modules_that_are_imported():
    result = public(
        init="""
        from . import _t
        import pack._u as u
        class A(_t.Base[int]): pass
        class B(u.Base, other.Base): pass
        """,
        _t="class Base:\n    def one(self): pass\n",
        _u="class Base:\n    def two(self): pass\n",
    )

    assert result == ["pack._t.Base.one", "pack._u.Base.two"]


def test_another_name_and_branches_are_followed_and_circles_end():
    result = public(
        init="""
        try:
            from ._fast import run
        except ImportError:
            from ._slow import run
        from ._loop import circle
        from ._slow import new
        """,
        _slow="def run(): pass\ndef _old(): pass\nnew = _old\n",
        _loop="from pack import circle\n",
    )

    assert result == ["pack._slow.run", "pack._slow._old"]


def test_what_a_module_does_as_the_program_is_not_public_and_what_it_does_else_is():
    result = public(
        plain="""
        if __name__ == "__main__" and True:
            def demo(): pass
        if __name__ == "__main__" or True:
            def either(): pass
        if not __name__ == "__main__":
            def imported(): pass
        """,
        main="def run(): pass\n",
    )

    assert result == ["pack.plain.either", "pack.plain.imported"]
