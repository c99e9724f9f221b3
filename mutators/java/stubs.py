"""JMH benchmarks for methods that have none."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from auditor.core.contracts.stubs import Samples, Stub, reserve_name
from auditor.core.subject import Method, SourceFile
from mutators.java.listing import (
    ABSTRACT,
    PRIVATE,
    PUBLIC,
    STATIC,
    ListedMethod,
    read_hidden_types,
    read_listing,
)
from mutators.java.mutator import JavaMutator

_CLASS = """package {package};

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.Blackhole;

/** Benchmarks of methods that none watched; a beginning, to be looked through. */
@State(Scope.Benchmark)
@SuppressWarnings({{"unchecked", "rawtypes"}})
public class {name} {{
{fields}
{methods}}}
"""
_Makers = dict[tuple[str, bool], str]
"""Expressions that make objects: by the type, and whether a public constructor is needed."""
_LANG = re.compile(r"^java\.lang\.(\w+(?:\[\])*)$")
_MADE_UP = {
    **dict.fromkeys(("byte", "short", "int", "long", "char"), "65"),
    "float": "1.5f",
    "double": "1.5",
    "boolean": "true",
    "java.lang.String": '"text"',
    "java.lang.CharSequence": '"text"',
}
"""Values that one has to begin with; what is not here nobody can make up."""


@dataclass(frozen=True, slots=True)
class _BenchmarkStub:
    """A benchmark method, the fields that it needs, and what is lacking."""

    text: str
    fields: tuple[str, ...]
    lacking: str


def write_stubs(
    methods: Sequence[Method],
    samples: Samples,
    sources: Sequence[SourceFile],
) -> list[Stub]:
    """Return a class for each package, in it: so protected methods can be called as well."""
    methods_by_descriptor = {method.full_descriptor: method for method in read_listing(sources)}
    samples_by_descriptor = {
        method.descriptor: samples.get(method.id, ())
        for method in JavaMutator().find_methods(sources)
    }
    makers: _Makers = {}
    for listed_method in sorted(
        methods_by_descriptor.values(), key=lambda method: len(method.erased)
    ):
        values = _choose_arguments(
            listed_method, samples_by_descriptor[listed_method.full_descriptor]
        )
        concrete = listed_method.public and not listed_method.line.owner_access & ABSTRACT
        if listed_method.line.name == "<init>" and concrete and None not in values:
            text = f"new {listed_method.owner}({', '.join(filter(None, values))})"
            makers.setdefault((listed_method.owner, False), text)
            if listed_method.line.access & PUBLIC:
                makers.setdefault((listed_method.owner, True), text)
    hidden_types = read_hidden_types(sources)
    excluded: list[tuple[str, str]] = []
    by_package: dict[str, list[tuple[Method, ListedMethod]]] = {}
    for requested_method in methods:
        method_listing = methods_by_descriptor.get(requested_method.descriptor)
        if method_listing is None:
            continue
        if reason := _explain_exclusion(method_listing, hidden_types):
            excluded.append((requested_method.id, reason))
            continue
        package = method_listing.line.owner.rpartition("/")[0].replace("/", ".")
        by_package.setdefault(package, []).append((requested_method, method_listing))
    stubs = [
        _write_stub_class(package, package_methods, makers, samples)
        for package, package_methods in sorted(by_package.items())
    ]
    if excluded:
        stubs.append(Stub(path="", text="", ready=(), incomplete=tuple(excluded)))
    return stubs


def _explain_exclusion(method: ListedMethod, hidden_types: Container[str]) -> str:
    """Return why a class of the same package cannot call a method; empty where it can."""
    line = method.line
    if "/" not in line.owner:
        return "JMH refuses benchmarks in the default package, and no other one sees this class"
    if line.name == "<init>" and line.owner_access & ABSTRACT:
        return "its class is abstract"
    if line.access & PRIVATE or method.heir.replace("$", ".") in hidden_types:
        return "it is private"
    hidden = next((kind for kind in method.erased if kind.name in hidden_types), None)
    return f"the type of a parameter is private: {hidden.name}" if hidden is not None else ""


def _choose_arguments(
    method: ListedMethod, samples: Sequence[tuple[str | None, ...]]
) -> tuple[str | None, ...]:
    """Return the arguments of the simplest call that was seen, None where that has no value."""
    return next(
        (sample for sample in samples if len(sample) == len(method.erased)),
        (None,) * len(method.erased),
    )


def _write_stub_class(
    package: str,
    package_methods: Sequence[tuple[Method, ListedMethod]],
    makers: _Makers,
    samples: Samples,
) -> Stub:
    used_names: set[str] = set()
    benchmarks = [
        (
            method.id,
            _write_benchmark(
                listed_method,
                _choose_arguments(listed_method, samples.get(method.id, ())),
                makers,
                used_names,
            ),
        )
        for method, listed_method in package_methods
    ]
    fields = dict.fromkeys(field for _, stub in benchmarks for field in stub.fields)
    name = "UnwatchedBenchmark"
    return Stub(
        path=f"{package.replace('.', '/')}/{name}.java",
        text=_CLASS.format(
            package=package,
            name=name,
            fields="".join(f"    {field}\n" for field in fields),
            methods="\n".join(benchmark.text for _, benchmark in benchmarks),
        ),
        ready=tuple(id_ for id_, benchmark_stub in benchmarks if not benchmark_stub.lacking),
        incomplete=tuple(
            (id_, benchmark.lacking) for id_, benchmark in benchmarks if benchmark.lacking
        ),
    )


def _write_benchmark(
    method: ListedMethod,
    sample_values: Sequence[str | None],
    makers: _Makers,
    used_names: set[str],
) -> _BenchmarkStub:
    maker = method.line.name == "<init>"
    name = _make_benchmark_name(method, used_names)
    kinds = [kind.raw_name for kind in method.erased]
    sampled_arguments = list(zip(kinds, sample_values, strict=True))
    values = [
        (f"{name}{index}", kind, value or _MADE_UP.get(kind))
        for index, (kind, value) in enumerate(sampled_arguments)
    ]
    fields = [(field, _LANG.sub(r"\1", kind), text) for field, kind, text in values]
    # A private type has no name in its package either.
    target = method.heir if method.in_private_type else method.owner
    # An heir may lie in another package, which sees its public constructors only.
    heir = (method.heir, method.heir != method.owner)
    if not maker and not method.line.access & STATIC:
        fields.append((f"{name}Subject", target, makers.get(heir)))
        target = f"{name}Subject"
    arguments = ", ".join(field for field, _, _ in values)
    call = (
        f"new {method.owner}({arguments})" if maker else f"{target}.{method.line.name}({arguments})"
    )
    void = not maker and method.line.descriptor.endswith(")V")
    lacking = ", ".join(f"{field} ({kind})" for field, kind, text in fields if text is None)
    lines = [f"{call};" if void else f"blackhole.consume({call});"]
    if lacking:
        reason = f'throw new UnsupportedOperationException("to be filled in: {lacking}");'
        lines = [reason, f"// {call}"]
    body = "".join(f"        {line}\n" for line in lines)
    return _BenchmarkStub(
        f"    @Benchmark\n    public void {name}(Blackhole blackhole) throws Throwable {{\n"
        f"{body}    }}\n",
        tuple(f"public {kind} {field} = {text or 'null'};" for field, kind, text in fields),
        lacking or _explain_made_up_values(sample_values),
    )


def _explain_made_up_values(sample_values: Sequence[str | None]) -> str:
    if None not in sample_values:
        return ""
    return (
        "its values are made up"
        if set(sample_values) == {None}
        else "some of its values are made up"
    )


def _make_benchmark_name(method: ListedMethod, used_names: set[str]) -> str:
    """Return a name for the benchmark that no other one has."""
    base = re.sub(r"\W", "", method.owner.rpartition(".")[2])
    method_name = method.line.name
    if method_name == "<init>":
        title = f"new{base}"
    else:
        title = f"{base[:1].lower()}{base[1:]}{method_name[:1].upper()}{method_name[1:]}"
    return reserve_name(title, used_names)
