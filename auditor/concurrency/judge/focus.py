"""Which methods of a class two versions differ in, directly or by what they call (Section 3.1).

All is decided on byte code. A method that changed, or that uses a field that did, has distance 0;
one that calls such a method, in whatever class, 1; and so on. A virtual call may run the method of
any subclass.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain

from auditor.core.contracts.bytecode import BytecodeCall, Classes, FieldCode, FieldUse, MethodCode
from auditor.core.contracts.concurrency import FocusMethod
from auditor.core.contracts.concurrent_test import Member

MemberLocation = tuple[str, str]
"""The class that declares a method or field, and its key or name."""


class ClassHierarchy:
    """The classes of a version; what they extend outside of it is not known."""

    def __init__(self, classes: Classes) -> None:
        """Take the classes by their names."""
        self.classes = classes
        self._below: dict[str, list[str]] = defaultdict(list)
        self._targets: dict[BytecodeCall, frozenset[MemberLocation]] = {}
        for code in classes.values():
            for above in self._list_parents(code.name):
                self._below[above].append(code.name)

    def find_targets(self, call: BytecodeCall) -> frozenset[MemberLocation]:
        """Return what a call may run: of a virtual one also what any subclass has instead."""
        if call not in self._targets:
            receivers = self._list_with_subclasses(call.owner) if call.virtual else (call.owner,)
            locations = (self.find_method(receiver, call.key) for receiver in receivers)
            self._targets[call] = frozenset(
                location for location in locations if location is not None
            )
        return self._targets[call]

    def find_method(self, owner: str, key: str) -> MemberLocation | None:
        """Return where the method of a class is declared, None where that is outside."""
        for ancestor in self.list_ancestors(owner):
            if key in self.classes[ancestor].methods:
                return ancestor, key
            if key.startswith("<"):
                break  # nobody inherits constructors
        return None

    def find_field(self, use: FieldUse) -> MemberLocation | None:
        """Return where a field is declared, None where that is outside."""
        owner, name = use
        for ancestor in self.list_ancestors(owner):
            if name in self.classes[ancestor].fields:
                return ancestor, name
        return None

    def list_ancestors(self, owner: str) -> Iterator[str]:
        """Yield a class and all that it inherits from, the nearest first, superclasses first."""
        waiting, visited = [owner], set()
        interfaces: list[str] = []
        while waiting or interfaces:
            class_name = waiting.pop() if waiting else interfaces.pop(0)
            if class_name in visited or class_name not in self.classes:
                continue
            visited.add(class_name)
            yield class_name
            code = self.classes[class_name]
            interfaces.extend(code.interfaces)
            if code.superclass is not None:
                waiting.append(code.superclass)

    def _list_parents(self, name: str) -> Iterator[str]:
        code = self.classes[name]
        if code.superclass is not None:
            yield code.superclass
        yield from code.interfaces

    def _list_with_subclasses(self, owner: str) -> Iterator[str]:
        waiting, visited = [owner], {owner}
        while waiting:
            class_name = waiting.pop()
            yield class_name
            new_subclasses = [
                subclass for subclass in self._below[class_name] if subclass not in visited
            ]
            visited.update(new_subclasses)
            waiting.extend(new_subclasses)


_ChangeReasons = Mapping[MemberLocation, str]
_PACKAGE = re.compile(r"[\w.$]*\.(?=\w)")
_SuperclassPairs = Set[tuple[str, str | None]]
"""Classes, each with the one that it extends."""
_EACH_STEP = 0.5
_CONSTRUCTOR = "<init>("


def find_focus_methods(old: Classes, new: Classes, subject: str) -> tuple[FocusMethod, ...]:
    """Return the public methods and fields of the class `subject` that changes reach, by distance.

    Inherited ones count as far as their classes are known. What only one version has is none of
    them, as no test can use it.
    """
    before, after = ClassHierarchy(old), ClassHierarchy(new)
    fields = _changed_fields(before, after)
    changed = _changed_methods(before, after, fields)
    above = {(code.name, code.superclass) for code in (*old.values(), *new.values())}
    change_distances = _ChangeDistances(changed, _map_callers(before, after), above)
    methods = [
        *_find_reached_fields(before, after, subject, fields),
        *_find_reached_methods(before, after, subject, change_distances),
    ]
    return tuple(sorted(methods, key=lambda method: (method.distance, method.method)))


def compute_draw_weights(
    methods: Sequence[Member], focus_methods: Sequence[FocusMethod]
) -> tuple[float, ...]:
    """Return how likely each member of the class is to be drawn, 1 for one that no change reaches.

    Half of all draws fall on any of them. The other half fall on what is within some distance of a
    change: each further distance is half as likely, and all within it are equally so. So few
    changed methods come often, although their callers may be nearly all that there is, and none
    comes more rarely than one that is farther off.
    """
    distances = {method.method: method.distance for method in focus_methods}
    method_distances = [distances.get(method.key) for method in methods]
    number = Counter(steps for steps in method_distances if steps is not None)
    likely = {steps: _EACH_STEP**steps for steps in number}
    total = sum(likely.values())
    within = {far: sum(number[closer] for closer in number if closer <= far) for far in number}

    def compute_extra(distance: int) -> float:
        return sum(
            len(methods) * likely[far] / total / within[far] for far in number if far >= distance
        )

    return tuple(1.0 if steps is None else 1.0 + compute_extra(steps) for steps in method_distances)


def _changed_fields(before: ClassHierarchy, after: ClassHierarchy) -> _ChangeReasons:
    """Return what became of each field that is not as it was, to be said after its name."""
    old, new = _all_fields(before), _all_fields(after)
    changes = {
        location: _field_change(old.get(location), new.get(location)) for location in {*old, *new}
    }
    return {location: words for location, words in changes.items() if words}


def _all_fields(version: ClassHierarchy) -> dict[MemberLocation, FieldCode]:
    return {
        (code.name, name): field
        for code in version.classes.values()
        for name, field in code.fields.items()
    }


def _field_change(old: FieldCode | None, new: FieldCode | None) -> str:
    if old is None or new is None:
        return "was added" if old is None else "was removed"
    if old.type != new.type:
        return f"became a {_strip_packages(new.type)}"
    if old.flags != new.flags:
        return _flag_change(old.flags, new.flags)
    return "" if old.values == new.values else "gets another value at first"


def _flag_change(old: frozenset[str], new: frozenset[str]) -> str:
    gained, lost = " ".join(sorted(new - old)), " ".join(sorted(old - new))
    words = (gained and f"became {gained}", lost and f"is no longer {lost}")
    return " and ".join(word for word in words if word)


def _changed_methods(
    before: ClassHierarchy, after: ClassHierarchy, fields: _ChangeReasons
) -> _ChangeReasons:
    """Return why methods are not as they were; those of one version only are among them."""
    old, new = _all_methods(before), _all_methods(after)
    changed_methods = dict.fromkeys(old.keys() ^ new.keys(), "it is in one version only")
    for location in old.keys() & new.keys():
        method_code, new_code = old[location], new[location]
        uses = chain(
            _describe_field_uses(before, location, method_code, fields),
            _describe_field_uses(after, location, new_code, fields),
        )
        reason = _method_change(method_code, new_code) or next(uses, "")
        if reason:
            changed_methods[location] = reason
    return changed_methods


def _all_methods(version: ClassHierarchy) -> dict[MemberLocation, MethodCode]:
    return {
        (code.name, key): method
        for code in version.classes.values()
        for key, method in code.methods.items()
    }


def _method_change(old: MethodCode, new: MethodCode) -> str:
    flags = _flag_change(old.flags, new.flags)
    words = (flags and f"it {flags}", "its code changed" if old.digest != new.digest else "")
    return ", and ".join(word for word in words if word)


def _describe_field_uses(
    version: ClassHierarchy, user: MemberLocation, method: MethodCode, fields: _ChangeReasons
) -> Iterator[str]:
    """Say which changed fields a method uses."""
    for verb, uses in (("reads", method.reads), ("writes", method.writes)):
        for use in uses:
            location = version.find_field(use)
            if location is not None and location in fields:
                owner, name = location
                field_name = name if owner == user[0] else f"{_strip_packages(owner)}.{name}"
                yield f"it {verb} the field {field_name}, which {fields[location]}"


def _map_callers(*versions: ClassHierarchy) -> Mapping[MemberLocation, set[MemberLocation]]:
    """Return who may call each method, in any of the versions."""
    callers: dict[MemberLocation, set[MemberLocation]] = defaultdict(set)
    for version in versions:
        for caller, method in _all_methods(version).items():
            # Whoever calls what has no code runs what has it instead.
            instead = [BytecodeCall(*caller, virtual=True)] if "abstract" in method.flags else []
            for call in (*method.calls, *instead):
                for called in version.find_targets(call):
                    callers[called].add(caller)
    return callers


class _ChangeDistances:
    """How far each method is from a change.

    A constructor is as near as the one that it hands on to, of its own class or of the one above:
    what an object is made by is all of them.
    """

    def __init__(
        self,
        changed: _ChangeReasons,
        callers: Mapping[MemberLocation, set[MemberLocation]],
        above: _SuperclassPairs,
    ) -> None:
        self._changed = changed
        self._distances = dict.fromkeys(changed, 0)
        self._next: dict[MemberLocation, MemberLocation] = {}
        front = sorted(changed)
        while front:
            following: list[MemberLocation] = []
            for called in front:  # which grows by those that are as near
                for caller in sorted(callers.get(called, ())):
                    is_handover = _hands_on(caller, called, above)
                    distance = self._distances[called] + (0 if is_handover else 1)
                    if distance < self._distances.get(caller, distance + 1):
                        self._distances[caller] = distance
                        self._next[caller] = called
                        (front if is_handover else following).append(caller)
            front = following

    def make_focus_method(self, location: MemberLocation, method: str) -> FocusMethod | None:
        """Return what is said of a method, None where no change reaches it."""
        distance = self._distances.get(location)
        if distance is None:
            return None
        return FocusMethod(method=method, distance=distance, reason=self._explain_change(location))

    def _explain_change(self, location: MemberLocation) -> str:
        if location in self._changed:
            return self._changed[location]
        first = last = self._next[location]
        while last in self._next:
            last = self._next[last]
        through = f", and through it {_format_method(last)}" if first != last else ""
        return f"it calls {_format_method(first)}{through}"


def _hands_on(caller: MemberLocation, called: MemberLocation, above: _SuperclassPairs) -> bool:
    owner, key = caller
    if not key.startswith(_CONSTRUCTOR) or not called[1].startswith(_CONSTRUCTOR):
        return False
    return called[0] == owner or (owner, called[0]) in above


def _find_reached_methods(
    before: ClassHierarchy, after: ClassHierarchy, subject: str, reached: _ChangeDistances
) -> Iterator[FocusMethod]:
    keys = (key for version in (before, after) for key in _list_inherited_methods(version, subject))
    for key in dict.fromkeys(keys):
        old_location, new_location = (
            before.find_method(subject, key),
            after.find_method(subject, key),
        )
        if old_location is None or new_location is None:
            continue
        if not _is_public(before, old_location) or not _is_public(after, new_location):
            continue
        if old_location != new_location:
            reason = (
                f"it is now what {_strip_packages(new_location[0])} declares, no longer "
                f"{_strip_packages(old_location[0])}"
            )
            yield FocusMethod(method=key, distance=0, reason=reason)
        elif method := reached.make_focus_method(old_location, key):
            yield method


def _list_inherited_methods(version: ClassHierarchy, subject: str) -> Iterator[str]:
    for owner in version.list_ancestors(subject):
        yield from version.classes[owner].methods


def _is_public(version: ClassHierarchy, location: MemberLocation) -> bool:
    owner, key = location
    return "public" in version.classes[owner].methods[key].flags


def _find_reached_fields(
    before: ClassHierarchy, after: ClassHierarchy, subject: str, changed: _ChangeReasons
) -> Iterator[FocusMethod]:
    for owner in before.list_ancestors(subject):
        for name, old in before.classes[owner].fields.items():
            location = owner, name
            if location in changed and after.find_field((subject, name)) == location:
                new = after.classes[owner].fields[name]
                if "public" in old.flags & new.flags:
                    yield FocusMethod(method=name, distance=0, reason=f"it {changed[location]}")


def _format_method(location: MemberLocation) -> str:
    owner, key = location
    name, _, types = key.partition("(")
    short_types = _PACKAGE.sub("", types)
    if name == "<init>":
        return f"new {_strip_packages(owner)}({short_types}"
    return f"{_strip_packages(owner)}.{name}({short_types}"


def _strip_packages(name: str) -> str:
    return _PACKAGE.sub("", name)
