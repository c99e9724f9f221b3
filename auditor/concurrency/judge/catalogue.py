"""The types of two versions: what can be called, and how values of a type come about."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from auditor.core.contracts.concurrent_test import (
    DescriptionRequest,
    FactoryRequest,
    GenerationSteps,
    Lines,
    Member,
    MemberKind,
    SubtypeRequest,
)
from auditor.core.errors import SubjectError

OBJECT, STRING, CLASS = "java.lang.Object", "java.lang.String", "java.lang.Class"
PRIMITIVES = frozenset(("boolean", "byte", "char", "short", "int", "long", "float", "double"))
BOXES = {
    "java.lang.Boolean": "boolean",
    "java.lang.Byte": "byte",
    "java.lang.Character": "char",
    "java.lang.Short": "short",
    "java.lang.Integer": "int",
    "java.lang.Long": "long",
    "java.lang.Float": "float",
    "java.lang.Double": "double",
}
_LITERAL_TYPES = PRIMITIVES | BOXES.keys() | {OBJECT, STRING, CLASS, "void"}
"""Types whose values are written down, or are no values."""
_STAND_INS = {
    "java.util.Collection": "java.util.ArrayList",
    "java.util.List": "java.util.ArrayList",
    "java.util.Set": "java.util.HashSet",
    "java.util.SortedSet": "java.util.TreeSet",
    "java.util.Map": "java.util.HashMap",
    "java.util.SortedMap": "java.util.TreeMap",
    "java.util.Queue": "java.util.ArrayDeque",
    "java.lang.CharSequence": "java.lang.StringBuilder",
    "java.lang.Number": "java.math.BigDecimal",
    "java.util.Calendar": "java.util.GregorianCalendar",
    "java.io.Writer": "java.io.StringWriter",
    "java.io.Reader": "java.io.StringReader",
    "java.io.InputStream": "java.io.ByteArrayInputStream",
    "java.io.OutputStream": "java.io.ByteArrayOutputStream",
}
"""Classes of the JDK that are made where only something above them is asked for."""
_DEPTH = 3
"""How far the makers of arguments of makers are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFacts:
    """What tests need to know of a type."""

    source_name: str  # its name in source text
    supertypes: frozenset[str]  # names of all types that it is assignable to
    public: bool  # whether tests can name it
    abstract: bool  # whether it has no objects of its own
    members: tuple[Member, ...]  # those that tests may use
    answers: tuple[Member, ...] | None = None
    """Methods that an implementation of the interface needs; None: erased types cannot write it."""
    inner: bool = False  # whether its objects belong to an object of the class around it


@dataclass(frozen=True, slots=True)
class TypeCatalogue:
    """The class under test and all types that its tests need.

    `factories` are static methods of other classes that return it, or what nothing else makes, and
    methods of objects (`builder.build()`) that make what nothing else does.
    """

    subject: str
    types: Mapping[str, TypeFacts]
    below: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    factories: tuple[Member, ...] = ()

    @property
    def creators(self) -> tuple[Member, ...]:
        """Return what makes an object of the class under test, or of one below it."""
        return tuple(
            maker for maker in self.find_makers(self.subject) if maker.kind is not MemberKind.PLAIN
        )

    @property
    def methods(self) -> tuple[Member, ...]:
        """Return the public methods and fields of the class under test, without its creators."""
        members = self.types[self.subject].members
        return tuple(
            member
            for member in members
            if member.kind not in (MemberKind.CONSTRUCTOR, MemberKind.CONSTANT)
        )

    def find_constants(self, type_: str) -> tuple[Member, ...]:
        """Return the constants of the class under test that are of just this type."""
        members = self.types[self.subject].members
        return tuple(
            member
            for member in members
            if member.kind is MemberKind.CONSTANT and member.returns == type_
        )

    def find_makers(self, type_: str) -> tuple[Member, ...]:
        """Return what makes a value that can be used as a type."""
        names = [type_, *self.below.get(type_, ())]
        members = [member for name in names for member in self._find_type_makers(name)]
        members += [factory for factory in self.factories if factory.returns in names]
        facts = self.types.get(type_)
        if facts is not None and facts.answers is not None:
            members += [
                Member(kind=MemberKind.PLAIN, owner=type_, name=says, returns=type_)
                for says in ("true", "false")
            ]
        return tuple(members)

    def _find_type_makers(self, name: str) -> Iterator[Member]:
        facts = self.types.get(name)
        return iter(()) if facts is None or not facts.public else _list_makers(name, facts)

    def exclude_members(self, members: Set[Member]) -> "TypeCatalogue":
        """Return what is left without some members, which may be implementations of interfaces."""
        plain = {member.owner for member in members if member.kind is MemberKind.PLAIN}
        left = {
            name: replace(
                facts,
                members=tuple(member for member in facts.members if member not in members),
                answers=None if name in plain else facts.answers,
            )
            for name, facts in self.types.items()
        }
        factories = tuple(factory for factory in self.factories if factory not in members)
        return replace(self, types=left, factories=factories)

    def is_assignable(self, source_type: str, target_type: str) -> bool:
        """Tell whether a value of one type can be used as another."""
        if source_type == target_type or (target_type == OBJECT and source_type != "void"):
            return True
        if source_type in PRIMITIVES or target_type in PRIMITIVES or source_type not in self.types:
            return False
        return target_type in self.types[source_type].supertypes

    def format_type(self, type_: str) -> str:
        """Return a type as it stands in source text."""
        if type_.endswith("[]"):
            return self.format_type(type_[:-2]) + "[]"
        facts = self.types.get(type_)
        return facts.source_name if facts and facts.source_name else type_.replace("$", ".")


def _list_makers(name: str, facts: TypeFacts) -> Iterator[Member]:
    for member in facts.members:
        if (
            member.kind in (MemberKind.CONSTRUCTOR, MemberKind.STATIC, MemberKind.CONSTANT)
            and member.returns == name
        ):
            yield member


def describe_types(subject: str) -> GenerationSteps[TypeCatalogue]:
    """Ask for the class under test and the types that it needs; raises SubjectError without it."""
    lines = (yield DescriptionRequest((subject,))).lines
    _require_subject(subject, lines)
    catalogue = yield from _add_needed_types(TypeCatalogue(subject, {}), lines)
    return (yield from _add_foreign_factories(catalogue))


def _add_needed_types(catalogue: TypeCatalogue, lines: Lines) -> GenerationSteps[TypeCatalogue]:
    """Return a catalogue with the types of a description, and with all that making them needs."""
    subject, types, below = catalogue.subject, {**catalogue.types}, {**catalogue.below}
    for depth in range(_DEPTH + 1):
        new_types = dict(_parse_types(lines))
        types |= new_types
        abstract_types = tuple(sorted(name for name, facts in new_types.items() if facts.abstract))
        if abstract_types:
            below |= _map_subtypes((yield SubtypeRequest(abstract_types)).lines, new_types)
        needed_types = set(_list_needed_types(subject, new_types, types, below))
        missing_types = (
            {_strip_array(type_) for type_ in needed_types} - types.keys() - _LITERAL_TYPES
        )
        if not missing_types or depth == _DEPTH:
            break
        lines = (yield DescriptionRequest(tuple(sorted(missing_types)))).lines
    return replace(catalogue, types=types, below=below)


def _add_foreign_factories(catalogue: TypeCatalogue) -> GenerationSteps[TypeCatalogue]:
    """Return a catalogue with the factories that other classes have, and what these ask for."""
    subject = catalogue.subject
    subject_members = catalogue.types[subject].members
    parameter_types = {
        type_ for member in subject_members for type_ in member.parameters
    } & catalogue.types.keys()
    unmade = {
        type_name
        for type_name in parameter_types
        if not type_name.startswith("java.") and not catalogue.find_makers(type_name)
    }
    lines = (yield FactoryRequest((subject, *sorted(unmade - {subject})))).lines
    members = [_parse_member(*rest) for _, *rest in lines]
    shared = [member for member in members if member.kind is MemberKind.STATIC][:_MOST_FACTORIES]
    catalogue = yield from _add_factories(catalogue, shared)
    left = {type_name for type_name in (subject, *unmade) if not catalogue.find_makers(type_name)}
    of_objects = [
        member for member in members if member.kind is MemberKind.FACTORY and member.returns in left
    ]
    return (yield from _add_factories(catalogue, of_objects[:_MOST_FACTORIES]))


def _parse_member(kind: str, owner: str, name: str, parameters: str, returns: str) -> Member:
    return Member(
        kind=MemberKind(kind),
        owner=owner,
        name=name,
        parameters=_split_list(parameters),
        returns=returns,
    )


def _add_factories(
    catalogue: TypeCatalogue, more: Sequence[Member]
) -> GenerationSteps[TypeCatalogue]:
    """Return a catalogue with those of these factories whose objects, if any, can be had."""
    owners = {member.owner for member in more if member.kind is MemberKind.FACTORY}
    needed_types = {_strip_array(type_) for member in more for type_ in member.parameters} | owners
    if unknown_types := tuple(sorted(needed_types - catalogue.types.keys() - _LITERAL_TYPES)):
        catalogue = yield from _add_needed_types(
            catalogue, (yield DescriptionRequest(unknown_types)).lines
        )
    usable = (
        member
        for member in more
        if member.kind is MemberKind.STATIC or catalogue.find_makers(member.owner)
    )
    return replace(catalogue, factories=(*catalogue.factories, *usable))


_MOST_FACTORIES = 16
"""What a library hands out everywhere would fill a test with objects that nobody shares."""


def _require_subject(subject: str, lines: Lines) -> None:
    for kind, *rest in lines:
        if kind == "missing" and rest[0] == subject:
            raise SubjectError(
                f"{subject} cannot be loaded from the {rest[1]} version: {rest[2]}; add its "
                "dependencies to the class path"
            )
    if not lines:
        raise SubjectError(
            f"the process that loads {subject} ended without an answer; repeat the command"
        )


def _map_subtypes(lines: Lines, types: Mapping[str, TypeFacts]) -> dict[str, tuple[str, ...]]:
    below: dict[str, list[str]] = {}
    for _, above, name in lines:
        below.setdefault(above, []).append(name)
    for name in types:
        if name in _STAND_INS:
            below.setdefault(name, []).insert(0, _STAND_INS[name])
    return {name: tuple(subtypes[:_MOST_BELOW]) for name, subtypes in below.items()}


_MOST_BELOW = 8
"""A base class of everything would have all classes of a jar described."""


def _list_needed_types(
    subject: str,
    new_types: Mapping[str, TypeFacts],
    types: Mapping[str, TypeFacts],
    below: Mapping[str, tuple[str, ...]],
) -> Iterator[str]:
    """Yield the types of what the newly found ones are made of, and what the subject returns."""
    for name, facts in new_types.items():
        if name == subject:
            yield from (
                type_ for member in facts.members for type_ in (*member.parameters, member.returns)
            )
            continue
        yield from (type_ for maker in _list_makers(name, facts) for type_ in maker.parameters)
    yield from (name for names in below.values() for name in names if name not in types)


def _strip_array(type_: str) -> str:
    return type_.replace("[]", "")


def _parse_types(lines: Lines) -> Iterator[tuple[str, TypeFacts]]:
    """Yield the types of a description; those that a version lacks are left out."""
    starts = [number for number, line in enumerate(lines) if line[0] in ("type", "missing")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        kind, name, *rest = lines[start]
        if kind == "type":
            yield name, _parse_facts(rest, lines[start + 1 : end])


def _parse_facts(rest: Iterable[str], lines: Lines) -> TypeFacts:
    source_name, flags, above = rest
    has = flags.split(",")
    answers = [
        _parse_member(MemberKind.METHOD, "", *words) for kind, *words in lines if kind == "answers"
    ]
    members = [_parse_member(*words) for kind, *words in lines if kind == "member"]
    return TypeFacts(
        source_name=source_name,
        supertypes=frozenset(_split_list(above)),
        public="public" in has,
        abstract="abstract" in has,
        inner="inner" in has,
        members=tuple(
            sorted(members, key=lambda member: (member.kind, member.name, member.parameters))
        ),
        # Two versions may ask for the same method with two types of answer: no class has both.
        answers=tuple(sorted(answers, key=lambda answer: answer.key))
        if "plain" in has and len({answer.key for answer in answers}) == len(answers)
        else None,
    )


def _split_list(text: str) -> tuple[str, ...]:
    return tuple(text.split(",")) if text else ()
