"""Benchmarks of pytest-benchmark for functions that have none."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditor.core.contracts.stubs import Samples, Stub, reserve_name
from auditor.core.subject import Method, SourceFile
from mutators.python.functions import Definition, FunctionDefinitions
from mutators.python.public import read_library_functions

_HEAD = '''"""Benchmarks of functions that none watched; a beginning, to be looked through."""

import pytest
{imports}
'''
_PROPERTIES = ("property", "cached_property")


@dataclass(frozen=True, slots=True)
class _LibraryFunction:
    """A function of the library, its definition, and what calls handed over."""

    unit: str
    method: Method
    node: Definition
    arguments: tuple[tuple[str | None, ...], ...]

    @property
    def decorators(self) -> set[str]:
        return {ast.unparse(decorator).rpartition(".")[2] for decorator in self.node.decorator_list}

    @property
    def is_bound(self) -> bool:
        """Tell whether the first parameter is the object or the class."""
        defined = self.method.descriptor or self.method.id
        return defined.rpartition(".")[0] != self.unit and "staticmethod" not in self.decorators


@dataclass(frozen=True, slots=True)
class _CallArguments:
    """The arguments of a call as text, or the names of those that nobody knows."""

    text: str
    unknown: tuple[str, ...] = ()


def write_stubs(
    methods: Sequence[Method], samples: Samples, sources: Sequence[SourceFile]
) -> list[Stub]:
    """Return one file of tests; `samples` has what calls handed over, of constructors too."""
    functions_by_id = _index_functions(sources, samples)
    selected_functions = [
        functions_by_id[method.id] for method in methods if method.id in functions_by_id
    ]
    used_titles: set[str] = set()
    tests_by_id = {
        function.method.id: _write_test(function, functions_by_id, used_titles)
        for function in selected_functions
    }
    if not tests_by_id:
        return []
    imports = sorted({f"import {function.unit}" for function in selected_functions})
    head = _HEAD.format(imports="\n".join(imports))
    if not any("pytest." in text for text, _ in tests_by_id.values()):
        head = head.replace("import pytest\n", "")
    package = selected_functions[0].unit.partition(".")[0]
    return [
        Stub(
            path=f"test_unwatched_{package}.py",
            text=head + "\n" + "\n\n".join(text for text, _ in tests_by_id.values()),
            ready=tuple(
                name for name, (_, missing_text) in tests_by_id.items() if not missing_text
            ),
            incomplete=tuple(
                (name, missing_text)
                for name, (_, missing_text) in tests_by_id.items()
                if missing_text
            ),
        )
    ]


def _index_functions(
    sources: Sequence[SourceFile], samples: Samples
) -> dict[str, _LibraryFunction]:
    functions_by_id = {}
    for source, module_functions in read_library_functions(sources):
        for function in module_functions:
            span = function.method.span
            is_main = span is not None and span.file == source.path
            if is_main and not function.method.name.startswith("setter"):
                functions_by_id[function.method.id] = _make_library_function(
                    source, function, samples
                )
    return functions_by_id


def _make_library_function(
    source: SourceFile, function: FunctionDefinitions, samples: Samples
) -> _LibraryFunction:
    span = function.method.span
    main = next(node for node in function.nodes if span and node.lineno == span.first_line)
    return _LibraryFunction(source.unit, function.method, main, samples.get(function.method.id, ()))


def _make_test_title(function: _LibraryFunction, used_titles: set[str]) -> str:
    """Return a name for a test that no other one has."""
    name = function.method.id.removeprefix(f"{function.unit}.")
    return reserve_name(re.sub(r"\W+|__+", "_", name).strip("_").lower(), used_titles)


def _write_test(
    function: _LibraryFunction,
    functions_by_id: Mapping[str, _LibraryFunction],
    used_titles: set[str],
) -> tuple[str, str]:
    """Return a test, and what is lacking in it."""
    title = _make_test_title(function, used_titles)
    call, lines = _choose_arguments(function), []
    lacking = list(call.unknown)
    target = function.method.id
    if isinstance(function.node, ast.AsyncFunctionDef):
        lacking.append("an event loop to run it in")
    if function.is_bound and function.method.name == "__init__":
        target = function.method.owner
    elif function.is_bound and "classmethod" not in function.decorators:
        maker = functions_by_id.get(f"{function.method.owner}.__init__")
        making = _choose_arguments(maker) if maker is not None else _CallArguments("", ("subject",))
        lacking += [name for name in making.unknown if name not in lacking]
        lines.append(
            "subject = None"
            if making.unknown
            else f"subject = {function.method.owner}({making.text})"
        )
        target = f"subject.{function.method.name}"
    if function.decorators & set(_PROPERTIES):
        lines.append(f"benchmark(lambda: {target})")
    else:
        lines += [f"{name} = None" for name in call.unknown]
        lines.append(f"benchmark({', '.join(filter(None, (target, call.text)))})")
    if lacking:
        lines.insert(0, f'pytest.skip("to be filled in: {", ".join(lacking)}")')
    body = "\n".join(f"    {line}" for line in lines)
    return f"def test_{title}(benchmark):\n{body}\n", ", ".join(lacking)


def _choose_arguments(function: _LibraryFunction) -> _CallArguments:
    """Return the arguments of the simplest call that is known, without what has a default."""
    arguments = function.node.args
    plain = [*arguments.posonlyargs, *arguments.args]
    names = [argument.arg for argument in (*plain, *arguments.kwonlyargs)]
    optional = {parameter.arg for parameter in plain[len(plain) - len(arguments.defaults) :]}
    keyword_defaults = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    optional |= {argument.arg for argument, default in keyword_defaults if default is not None}
    parameter_names = names[1:] if function.is_bound else names
    required_names = [name for name in parameter_names if name not in optional]
    samples: list[dict[str, str | None]] = [
        dict(zip(names, sample, strict=False)) for sample in function.arguments
    ]
    values = next(
        (
            sample
            for sample in samples
            if all(sample.get(name) is not None for name in required_names)
        ),
        {},
    )
    unknown = tuple(name for name in required_names if values.get(name) is None)
    keywords = {kwonlyarg.arg for kwonlyarg in arguments.kwonlyargs}
    words = [name if name in unknown else str(values[name]) for name in required_names]
    texts = [
        f"{name}={word}" if name in keywords else word
        for name, word in zip(required_names, words, strict=True)
    ]
    return _CallArguments(", ".join(texts), unknown)
