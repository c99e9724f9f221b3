"""JMH benchmarks for methods that have none."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from auditor.core.contracts.stubs import Samples, Stub, free
from auditor.core.subject import Method, SourceFile
from mutators.java.listing import ABSTRACT, STATIC, ListedMethod, read_listing
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


def stubs(
    methods: Sequence[Method],
    samples: Samples,
    sources: Sequence[SourceFile],
) -> list[Stub]:
    """Return a class for each package, in it: so protected methods can be called as well."""
    listed = {method.descriptor: method for method in read_listing(sources)}
    known = {
        method.descriptor: samples.get(method.id, ()) for method in JavaMutator().methods(sources)
    }
    makers: dict[str, str] = {}
    for listed_method in sorted(listed.values(), key=lambda method: len(method.erased)):
        values = _values(listed_method, known[listed_method.descriptor])
        concrete = listed_method.public and not listed_method.line.owner_access & ABSTRACT
        if listed_method.line.name == "<init>" and concrete and None not in values:
            makers.setdefault(
                listed_method.owner, f"new {listed_method.owner}({', '.join(filter(None, values))})"
            )
    by_package: dict[str, list[tuple[Method, ListedMethod]]] = {}
    for one in methods:
        found = listed.get(one.descriptor)
        if found and not (found.line.name == "<init>" and found.line.owner_access & ABSTRACT):
            package = found.line.owner.rpartition("/")[0].replace("/", ".")
            by_package.setdefault(package, []).append((one, found))
    return [
        _stub(package, chosen, makers, samples) for package, chosen in sorted(by_package.items())
    ]


def _values(method: ListedMethod, seen: Sequence[tuple[str | None, ...]]) -> tuple[str | None, ...]:
    """Return the arguments of the simplest call that was seen, None where that has no value."""
    return next(
        (sample for sample in seen if len(sample) == len(method.erased)),
        (None,) * len(method.erased),
    )


def _stub(
    package: str,
    chosen: Sequence[tuple[Method, ListedMethod]],
    makers: Mapping[str, str],
    samples: Samples,
) -> Stub:
    taken: set[str] = set()
    made = [
        (
            method.id,
            _benchmark(
                listed_method, _values(listed_method, samples.get(method.id, ())), makers, taken
            ),
        )
        for method, listed_method in chosen
    ]
    fields = dict.fromkeys(field for _, stub in made for field in stub.fields)
    name = "UnwatchedBenchmark"
    return Stub(
        path=f"{package.replace('.', '/')}/{name}.java".lstrip("/"),
        text=_CLASS.format(
            package=package,
            name=name,
            fields="".join(f"    {field}\n" for field in fields),
            methods="\n".join(each.text for _, each in made),
        ).removeprefix("package ;\n\n"),
        ready=tuple(id_ for id_, benchmark_stub in made if not benchmark_stub.lacking),
        incomplete=tuple((id_, each.lacking) for id_, each in made if each.lacking),
    )


def _benchmark(
    method: ListedMethod, seen: Sequence[str | None], makers: Mapping[str, str], taken: set[str]
) -> _BenchmarkStub:
    maker = method.line.name == "<init>"
    name = _name(method, taken)
    kinds = [kind.raw for kind in method.erased]
    known = list(zip(kinds, seen, strict=True))
    values = [
        (f"{name}{index}", kind, value or _MADE_UP.get(kind))
        for index, (kind, value) in enumerate(known)
    ]
    fields = [(field, _LANG.sub(r"\1", kind), text) for field, kind, text in values]
    target = method.owner
    if not maker and not method.line.access & STATIC:
        target = f"{name}Subject"
        fields.append((target, method.owner, makers.get(method.owner)))
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
        lacking or _made_up(seen),
    )


def _made_up(seen: Sequence[str | None]) -> str:
    if None not in seen:
        return ""
    return "its values are made up" if set(seen) == {None} else "some of its values are made up"


def _name(method: ListedMethod, taken: set[str]) -> str:
    """Return a name for the benchmark that no other one has."""
    base = re.sub(r"\W", "", method.owner.rpartition(".")[2])
    own = method.line.name
    if own == "<init>":
        title = f"new{base}"
    else:
        title = f"{base[:1].lower()}{base[1:]}{own[:1].upper()}{own[1:]}"
    return free(title, taken)
