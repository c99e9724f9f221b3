"""What pytest knows of a test before it runs: its fixtures, and why it would be skipped.

Part of the guest.
"""

from __future__ import annotations

import dis
import importlib.util
import os
import re
from collections.abc import Iterator
from typing import Any

_FIXTURE = "benchmark"
_PLUGINS = frozenset({"pytest_benchmark", "pytest_codspeed"})
_WORD = re.compile(r"\w+")


def uses_benchmark(item: Any) -> bool:
    """Tell whether a test uses the fixture of a plugin: by its parameters or by its fixtures."""
    fixtures = getattr(item, "_fixtureinfo", None)
    if _FIXTURE in getattr(item, "fixturenames", ()):
        return _is_of_plugin(getattr(fixtures, "name2fixturedefs", {}).get(_FIXTURE, ()))
    if any(_FIXTURE in _argument(code, "getfixturevalue") for code in _codes(item)):
        return _is_of_plugin(_definitions(item))
    return False


def _is_of_plugin(definitions: Any) -> bool:
    """Tell whether the last definition is a plugin's, or uses a plugin's that it overrides.

    Without definitions the fixture is missing, which the run of the test says.
    """
    for definition in reversed(tuple(definitions)):
        module = getattr(definition.func, "__module__", None) or ""
        if module.partition(".")[0] in _PLUGINS:
            return True
        if _FIXTURE not in definition.argnames:
            return False
    return True


def _definitions(item: Any) -> Any:
    """Return the definitions of the fixture that a test gets where it asks while it runs."""
    fixtures = getattr(getattr(item, "session", None), "_fixturemanager", None)
    if fixtures is None:
        return ()
    try:
        return fixtures.getfixturedefs(_FIXTURE, item) or ()
    except (AttributeError, TypeError):  # pytest before 8 takes the id of the test
        return fixtures.getfixturedefs(_FIXTURE, item.nodeid) or ()


def skipped(item: Any) -> str:
    """Return why a test would be skipped, empty where that is not known before it runs."""
    try:
        from _pytest.skipping import evaluate_skip_marks

        skip = evaluate_skip_marks(item)
    except Exception:  # a condition that fails is an error of the test when it runs
        skip = None
    if skip is not None:
        return " ".join(str(skip.reason).split()) or "marked so"
    for code in _codes(item):
        for module in _argument(code, "importorskip"):
            if not _is_there(module):
                return f"could not import {module!r}"
    return ""


def may_hold(session: Any, nodeid: str) -> bool:
    """Tell whether the text of a file names the fixture, or one that uses it."""
    path = nodeid.partition("::")[0]
    if session is None or not os.path.isfile(path):
        return True
    with open(path, "rb") as file:
        words = set(_WORD.findall(file.read().decode("utf-8", "replace")))
    return not words.isdisjoint(_users(session))


def _users(session: Any) -> set[str]:
    """Return the names of the fixtures that use the fixture, with its own."""
    fixtures = getattr(getattr(session, "_fixturemanager", None), "_arg2fixturedefs", {})
    uses = {
        name: {argname for definition in definitions for argname in definition.argnames}
        for name, definitions in fixtures.items()
    }
    names, before = {_FIXTURE, "pytest_codspeed", "pytest_benchmark"}, 0
    while len(names) > before:
        before = len(names)
        names |= {name for name, used in uses.items() if used & names}
    return names


def _codes(item: Any) -> Iterator[Any]:
    """Yield the code of a test and of the fixtures that it uses."""
    info = getattr(item, "_fixtureinfo", None)
    fixtures = getattr(info, "name2fixturedefs", {})
    functions = [getattr(item, "function", None)]
    functions += [
        definition.func for definitions in fixtures.values() for definition in definitions
    ]
    for function in functions:
        code = getattr(function, "__code__", None)
        if code is not None:
            yield code


def _argument(code: Any, name: str) -> set[str]:
    """Return the texts that some code hands to a function of this name, as it stands there."""
    if name not in code.co_names:
        return set()
    texts, called = set(), False
    for get_instruction in dis.get_instructions(code):
        if get_instruction.argval == name:
            called = True
        elif called and get_instruction.opname.startswith("LOAD_CONST"):
            called = False
            if isinstance(get_instruction.argval, str):
                texts.add(get_instruction.argval)
    return texts


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, AttributeError, ValueError):
        return False
