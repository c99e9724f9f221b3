"""What the sources say is public, beside what the imported packages show."""

import functools
import importlib
import inspect
import pkgutil
import warnings
from pathlib import Path

import pytest

from auditor.core.subject import SourceFile, SourceRole
from mutators.python.mutator import PythonMutator


def modules(package):
    """Return the public modules of an installed package by their names."""
    top = importlib.import_module(package)
    names = [
        package,
        *(walk_package.name for walk_package in pkgutil.walk_packages(top.__path__, f"{package}.")),
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            name: importlib.import_module(name)
            for name in names
            if not any(part.startswith("_") for part in name.split("."))
        }


def list_exports(module, package):
    """Yield the objects that a module shows."""
    named = getattr(module, "__all__", None)
    if named is not None:
        yield from (getattr(module, name) for name in named)
        return
    for name, member in vars(module).items():
        home = str(getattr(member, "__module__", ""))
        is_in_package = (
            home.split(".", maxsplit=1)[0] == package if hasattr(module, "__path__") else False
        )
        if not name.startswith("_") and (is_in_package or home == module.__name__):
            yield member


def getter(member):
    """Return the function behind a property, else what was given."""
    if isinstance(member, functools.cached_property):
        return member.func
    return getattr(member, "fget", member)


def functions(target, package):
    """Yield the functions behind an object: of a class its public methods, inherited ones too."""
    if inspect.isclass(target):
        for base_class in target.__mro__:
            if base_class.__module__.split(".")[0] == package:
                for name, member in vars(base_class).items():
                    if not name.startswith("_"):
                        yield from functions(getter(member), package)
        return
    while hasattr(target, "__wrapped__") or isinstance(target, (staticmethod, classmethod)):
        target = target.__wrapped__ if hasattr(target, "__wrapped__") else target.__func__
    if inspect.isfunction(target) and target.__module__.split(".")[0] == package:
        yield target


def at_run_time(package):
    return {
        f"{function.__module__}.{function.__qualname__}"
        for module in modules(package).values()
        for exported in list_exports(module, package)
        for function in functions(exported, package)
    }


def in_sources(package):
    root = Path(importlib.import_module(package).__file__).parent
    sources = [
        SourceFile(
            path=str(file),
            unit=".".join(file.relative_to(root.parent).with_suffix("").parts).removesuffix(
                ".__init__"
            ),
            role=SourceRole.LIBRARY,
            text=file.read_bytes(),
        )
        for file in root.rglob("*.py")
    ]
    return {method.id for method in PythonMutator().find_methods(sources) if method.public}


@pytest.mark.parametrize("package", ["click", "packaging", "pluggy", "rich"])
def test_the_sources_tell_what_the_imported_package_shows(package):
    imported, source_names = at_run_time(package), in_sources(package)

    # The walk leaves out what Python calls (__init__) and what assigns to a property.
    walked = {
        name
        for name in source_names
        if not name.rpartition(".")[2].startswith("__") and ".setter" not in name
    }
    assert len(imported) > 30
    assert imported - source_names == set()
    assert walked - imported == set()
