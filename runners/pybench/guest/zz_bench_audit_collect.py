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
_WORD = re.compile(r"\w+")


def uses_benchmark(item: Any) -> bool:
    """Tell whether a test uses the fixture: by its own parameters, or by those of its fixtures."""
    if _FIXTURE in getattr(item, "fixturenames", ()):
        return True
    return any(_FIXTURE in _argument(code, "getfixturevalue") for code in _codes(item))


def skipped(item: Any) -> str:
    """Return why a test would be skipped, empty where that is not known before it runs."""
    try:
        from _pytest.skipping import evaluate_skip_marks

        found = evaluate_skip_marks(item)
    except Exception:  # a condition that fails is an error of the test when it runs
        found = None
    if found is not None:
        return " ".join(str(found.reason).split()) or "marked so"
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
    found, called = set(), False
    for get_instruction in dis.get_instructions(code):
        if get_instruction.argval == name:
            called = True
        elif called and get_instruction.opname.startswith("LOAD_CONST"):
            called = False
            if isinstance(get_instruction.argval, str):
                found.add(get_instruction.argval)
    return found


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, AttributeError, ValueError):
        return False
