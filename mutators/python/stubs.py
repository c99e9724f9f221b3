"""Benchmarks of pytest-benchmark for functions that have none."""

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import indent

from auditor.core.contracts.stubs import Samples, Stub, reserve_name
from auditor.core.subject import Method, SourceFile
from mutators.python.api import LibraryApi
from mutators.python.functions import (
    GENERATOR,
    LOCALS,
    FunctionDefinitions,
    find_accessor,
    is_generator,
    list_decorator_names,
)
from mutators.python.public import PythonLibrary, read_library
from mutators.python.trivial import Definition

ClassPlace = tuple[str, str]
"""Module and last name of a class; the module is empty where it is not of the library."""
_ENUMS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})

_HEAD = '''"""Benchmarks of functions that none watched; a beginning, to be looked through."""

import pytest
{imports}
'''
_PROPERTIES = ("property", "cached_property")
_CACHES = frozenset({"cache", "cached", "cachedmethod", "lru_cache", "memoize", "memoized"})
_TRANSPARENT = ("staticmethod", "classmethod")
"""Decorators through which the attributes of a function can be read."""


@dataclass(frozen=True, slots=True)
class _LibraryFunction:
    """A function of the library."""

    unit: str
    """The module that defines it."""
    module: str
    """The module to import in order to call it by its id."""
    module_text: str
    """What a test writes for that module."""
    method: Method
    """Its id is the name by which it is called."""
    node: Definition
    """Its first definition."""
    arguments: tuple[tuple[str | None, ...], ...]
    """What calls of it passed."""
    standard_caches: frozenset[str]
    """What its module calls the decorators of functools that keep results."""

    @property
    def decorators(self) -> set[str]:
        """Return the last names of its decorators."""
        return {name.rpartition(".")[2] for name in list_decorator_names(self.node)}

    @property
    def defined_owner(self) -> str:
        """Return the module, the class or the function in which it is defined."""
        return (self.method.descriptor or self.method.id).rpartition(".")[0]

    @property
    def call_text(self) -> str:
        """Return what a test writes in order to call it."""
        return self.module_text + self.method.id.removeprefix(self.module)

    @property
    def is_bound(self) -> bool:
        """Tell whether the first parameter is the object or the class."""
        owner = self.defined_owner
        in_class = owner != self.unit and not owner.endswith(LOCALS)
        return in_class and "staticmethod" not in self.decorators

    @property
    def can_clear_cache(self) -> bool:
        """Tell whether `cache_clear` of what its name means makes the next call run its body."""
        names = list_decorator_names(self.node)
        visible = [name for name in names if name not in _TRANSPARENT]
        return bool(visible) and visible[0] in self.standard_caches


@dataclass(frozen=True, slots=True)
class _CallArguments:
    """The arguments of a call as text, or the names of those that nobody knows."""

    text: str
    unknown: tuple[str, ...] = ()


def write_stubs(
    methods: Sequence[Method], samples: Samples, sources: Sequence[SourceFile]
) -> list[Stub]:
    """Return one file of tests; `samples` has what calls handed over, of constructors too."""
    library = read_library(sources)
    functions_by_id = _index_functions(library, samples)
    requested = [functions_by_id[method.id] for method in methods if method.id in functions_by_id]
    reasons = {function.method.id: _explain_exclusion(function) for function in requested}
    excluded = tuple((name, reason) for name, reason in reasons.items() if reason)
    selected_functions = [function for function in requested if not reasons[function.method.id]]
    if not selected_functions:
        return [Stub(path="", text="", ready=(), incomplete=excluded)] if excluded else []
    writer = _TestWriter(functions_by_id, library.api, LibraryClasses(library.modules, library.api))
    tests_by_id = {
        function.method.id: writer.write_test(function) for function in selected_functions
    }
    head = _write_head(selected_functions)
    if not any("pytest." in text for text, _ in tests_by_id.values()):
        head = head.replace("import pytest\n", "")
    package = selected_functions[0].module.partition(".")[0]
    return [
        Stub(
            path=f"test_unwatched_{package}.py",
            text=head + "\n" + "\n\n".join(text for text, _ in tests_by_id.values()),
            ready=tuple(
                name for name, (_, missing_text) in tests_by_id.items() if not missing_text
            ),
            incomplete=(
                *(
                    (name, missing_text)
                    for name, (_, missing_text) in tests_by_id.items()
                    if missing_text
                ),
                *excluded,
            ),
        )
    ]


def _write_head(functions: Sequence[_LibraryFunction]) -> str:
    """Return the imports; a module whose name leads to something else gets a name of its own."""
    texts = {function.module: function.module_text for function in functions}
    covered = {module: text for module, text in sorted(texts.items()) if module != text}
    imports = sorted(f"import {module}" for module in texts if module not in covered)
    if not covered:
        return _HEAD.format(imports="\n".join(imports))
    names = [f'{text} = importlib.import_module("{module}")' for module, text in covered.items()]
    head = _HEAD.format(imports="\n".join([*imports, "", *names]))
    return head.replace("import pytest\n", "import importlib\n\nimport pytest\n")


def _explain_exclusion(function: _LibraryFunction) -> str:
    """Return why there is no benchmark of a function; empty where there is."""
    if accessor := find_accessor(function.node):
        return f"it is the {accessor} of a property"
    if LOCALS in function.method.id:
        return "only the function around it can call it"
    return GENERATOR if is_generator(function.node) else ""


def _index_functions(library: PythonLibrary, samples: Samples) -> dict[str, _LibraryFunction]:
    functions_by_id = {}
    for source, module_functions in library.functions:
        tree = library.modules.get(source)
        caches = frozenset() if tree is None else _list_standard_caches(tree)
        for function in module_functions:
            main = _find_main_definition(source, function)
            if main is None:
                continue
            module = library.api.find_module(function.method.id) or source.unit
            functions_by_id[function.method.id] = _LibraryFunction(
                source.unit,
                module,
                module.replace(".", "_") if library.api.is_covered(module) else module,
                function.method,
                main,
                samples.get(function.method.id, ()),
                caches,
            )
    return functions_by_id


def _find_main_definition(source: SourceFile, function: FunctionDefinitions) -> Definition | None:
    """Return the definition that the method's lines are of, None where it is in another file."""
    span = function.method.span
    if span is None or span.file != source.path:
        return None
    return next((node for node in function.nodes if node.lineno == span.first_line), None)


def _list_standard_caches(module: ast.Module) -> frozenset[str]:
    """Return what a module calls the decorators of functools that keep results."""
    names: set[str] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            prefixes = [a.asname or a.name for a in node.names if a.name == "functools"]
            names.update(
                f"{prefix}.{name}" for prefix in prefixes for name in ("cache", "lru_cache")
            )
        elif isinstance(node, ast.ImportFrom) and node.module == "functools":
            names.update(a.asname or a.name for a in node.names if a.name in ("cache", "lru_cache"))
    return frozenset(names)


class LibraryClasses:
    """The classes of a library by module and last name.

    Of classes with the same name in a module any one decides.
    """

    def __init__(self, modules: Mapping[SourceFile, ast.Module], api: LibraryApi) -> None:
        """Take the modules of the library and what their names lead to."""
        self._api = api
        self._classes: dict[ClassPlace, list[ast.ClassDef]] = {}
        for source, module in modules.items():
            for node in ast.walk(module):
                if isinstance(node, ast.ClassDef):
                    self._classes.setdefault((source.unit, node.name), []).append(node)

    def is_uncallable(self, place: ClassPlace) -> bool | None:
        """Tell whether a call of a class fails, None where it is not here.

        Such a class is abstract, a protocol or an enumeration.
        """
        if place not in self._classes:
            return None
        ancestors = self._order_ancestors(place)
        is_enumeration = any(not module and name in _ENUMS for module, name in ancestors)
        is_protocol = ("", "Protocol") in self._list_bases(place)
        return is_protocol or is_enumeration or any(self._list_members(ancestors).values())

    def _list_bases(self, place: ClassPlace) -> list[ClassPlace]:
        """Return what a class extends, without type arguments."""
        return [
            self._resolve_base(place[0], base)
            for node in self._classes.get(place, ())
            for base in node.bases
        ]

    def _resolve_base(self, module: str, base: ast.expr) -> ClassPlace:
        """Return the place of a base class; without a module where it is not of the library."""
        plain = base.value if isinstance(base, ast.Subscript) else base
        place = self._api.find_class(module, plain)
        if place in self._classes:
            return place
        first, _, rest = ast.unparse(plain).partition(".")
        last = rest.rpartition(".")[2] or first
        # A class inside of another class or of a function is no name of its module.
        is_inside = (module, first) in self._classes and (module, last) in self._classes
        return module if is_inside else "", last

    def _order_ancestors(self, place: ClassPlace) -> list[ClassPlace]:
        """Return a class and all that it extends, each once and before its own bases."""
        visited_places = {place}
        waiting = [(place, self._list_bases(place))]
        bases_first: list[ClassPlace] = []
        while waiting:
            current_place, bases = waiting[-1]
            if not bases:
                bases_first.append(current_place)
                waiting.pop()
            elif (base := bases.pop()) not in visited_places:
                visited_places.add(base)
                waiting.append((base, self._list_bases(base)))
        return bases_first[::-1]

    def _list_members(self, ancestors: Sequence[ClassPlace]) -> dict[str, bool]:
        """Return the members of a class, and whether each is abstract."""
        members: dict[str, bool] = {}
        for place in reversed(ancestors):
            for node in self._classes.get(place, ()):
                for statement in node.body:
                    members.update(_read_members(statement))
        return members


def _read_members(statement: ast.stmt) -> dict[str, bool]:
    if isinstance(statement, Definition):
        names = list_decorator_names(statement)
        return {
            statement.name: any(name.rpartition(".")[2].startswith("abstract") for name in names)
        }
    targets = (
        statement.targets
        if isinstance(statement, ast.Assign)
        else [statement.target]
        if isinstance(statement, ast.AnnAssign) and statement.value is not None
        else []
    )
    return {target.id: False for target in targets if isinstance(target, ast.Name)}


@dataclass(frozen=True, slots=True)
class _TestWriter:
    """Writes tests of functions."""

    functions_by_id: Mapping[str, _LibraryFunction]
    api: LibraryApi
    classes: LibraryClasses
    used_titles: set[str] = field(default_factory=set)

    def write_test(self, function: _LibraryFunction) -> tuple[str, str]:
        """Return a test, and what is lacking in it."""
        call = _choose_arguments(function)
        target, lines, lacking = self._choose_target(function)
        lacking = list(dict.fromkeys([*call.unknown, *lacking]))
        if isinstance(function.node, ast.AsyncFunctionDef):
            lacking.append("an event loop to run it in")
        is_property = bool(function.decorators & set(_PROPERTIES))
        if not is_property:
            lines += [f"{name} = None" for name in call.unknown]
        forgetting = _write_forgetting(function, target)
        if forgetting is None:
            lacking.append("a call that its cache does not answer")
        lines += _write_call(target, None if is_property else call.text, forgetting or "")
        if lacking:
            lines.insert(0, f'pytest.skip("to be filled in: {", ".join(lacking)}")')
        body = indent("\n".join(lines), "    ")
        title = _make_test_title(function, self.used_titles)
        return f"def test_{title}(benchmark):\n{body}\n", ", ".join(lacking)

    def _choose_target(self, function: _LibraryFunction) -> tuple[str, list[str], list[str]]:
        """Return what is called, the lines that make its object, and what these lack."""
        method = function.method
        owner = function.call_text.rpartition(".")[0]
        if not function.is_bound or "classmethod" in function.decorators:
            return function.call_text, [], []
        if method.name == "__init__":
            lacking = ["a concrete class"] if self._is_uncallable(function) else []
            return owner, [], lacking
        maker = self.functions_by_id.get(f"{method.owner}.__init__")
        making = _choose_arguments(maker) if maker is not None else _CallArguments("", ("subject",))
        if self._is_uncallable(function):
            making = _CallArguments("", ("subject",))
        subject = "None" if making.unknown else f"{owner}({making.text})"
        return f"subject.{method.name}", [f"subject = {subject}"], list(making.unknown)

    def _is_uncallable(self, function: _LibraryFunction) -> bool:
        """Tell whether a call of its class fails."""
        owners = (function.method.owner, function.defined_owner)
        places = map(self.api.find_class_place, owners)
        answers = (self.classes.is_uncallable(place) for place in places if place is not None)
        return next((answer for answer in answers if answer is not None), False)


def _make_test_title(function: _LibraryFunction, used_titles: set[str]) -> str:
    """Return a name for a test that no other one has."""
    name = function.method.id.removeprefix(f"{function.module}.")
    return reserve_name(re.sub(r"\W+|__+", "_", name).strip("_").lower(), used_titles)


def _write_forgetting(function: _LibraryFunction, target: str) -> str | None:
    """Return the line that empties the function's cache; None where that is unknown.

    It is empty where the function keeps no result.
    """
    if "cached_property" in function.decorators:
        return f'vars(subject).pop("{function.method.name}", None)'
    if not function.decorators & _CACHES and not function.can_clear_cache:
        return ""
    return f"{target}.cache_clear()" if function.can_clear_cache else None


def _write_call(target: str, arguments: str | None, forgetting: str) -> list[str]:
    """Return the lines that measure a call, or an attribute where `arguments` is None."""
    call = target if arguments is None else f"{target}({arguments})"
    if forgetting:
        return ["def call():", f"    {forgetting}", f"    return {call}", "", "benchmark(call)"]
    if arguments is None:
        return [f"benchmark(lambda: {target})"]
    return [f"benchmark({', '.join(filter(None, (target, arguments)))})"]


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
