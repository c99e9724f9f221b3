"""Which methods of a class two versions differ in, directly or by what they call (Section 3.1).

All is decided on byte code. A method that changed, or that uses a field that did, has distance 0;
one that calls such a method, in whatever class, 1; and so on. A virtual call may run the method of
any subclass.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import chain

from auditor.concurrency.judge.hierarchy import Hierarchy, Where
from auditor.core.contracts.bytecode import BytecodeCall, Classes, FieldCode, MethodCode
from auditor.core.contracts.concurrency import FocusMethod
from auditor.core.contracts.concurrent_test import Member

_Why = Mapping[Where, str]
_PACKAGE = re.compile(r"[\w.$]*\.(?=\w)")
_Above = Set[tuple[str, str | None]]
"""Classes, each with the one that it extends."""
_EACH_STEP = 0.5
_CONSTRUCTOR = "<init>("


def focus(old: Classes, new: Classes, subject: str) -> tuple[FocusMethod, ...]:
    """Return the public methods and fields of the class `subject` that changes reach, by distance.

    Inherited ones count as far as their classes are known. What only one version has is none of
    them, as no test can use it.
    """
    before, after = Hierarchy(old), Hierarchy(new)
    fields = _changed_fields(before, after)
    changed = _changed_methods(before, after, fields)
    above = {(code.name, code.superclass) for code in (*old.values(), *new.values())}
    reached = _Reached(changed, _callers(before, after), above)
    methods = [
        *_of_fields(before, after, subject, fields),
        *_of_methods(before, after, subject, reached),
    ]
    return tuple(sorted(methods, key=lambda method: (method.distance, method.method)))


def weights(methods: Sequence[Member], focus_methods: Sequence[FocusMethod]) -> tuple[float, ...]:
    """Return how likely each member of the class is to be drawn, 1 for one that no change reaches.

    Half of all draws fall on any of them. The other half fall on what is within some distance of a
    change: each further distance is half as likely, and all within it are equally so. So few
    changed methods come often, although their callers may be nearly all that there is, and none
    comes more rarely than one that is farther off.
    """
    distances = {method.method: method.distance for method in focus_methods}
    known = [distances.get(method.key) for method in methods]
    number = Counter(each for each in known if each is not None)
    likely = {each: _EACH_STEP**each for each in number}
    whole = sum(likely.values())
    within = {far: sum(number[near] for near in number if near <= far) for far in number}

    def extra(distance: int) -> float:
        return sum(
            len(methods) * likely[far] / whole / within[far] for far in number if far >= distance
        )

    return tuple(1.0 if each is None else 1.0 + extra(each) for each in known)


def _changed_fields(before: Hierarchy, after: Hierarchy) -> _Why:
    """Return what became of each field that is not as it was, to be said after its name."""
    old, new = _all_fields(before), _all_fields(after)
    found = {where: _field_change(old.get(where), new.get(where)) for where in {*old, *new}}
    return {where: words for where, words in found.items() if words}


def _all_fields(version: Hierarchy) -> dict[Where, FieldCode]:
    return {
        (code.name, name): field
        for code in version.classes.values()
        for name, field in code.fields.items()
    }


def _field_change(old: FieldCode | None, new: FieldCode | None) -> str:
    if old is None or new is None:
        return "was added" if old is None else "was removed"
    if old.type != new.type:
        return f"became a {_short(new.type)}"
    if old.flags != new.flags:
        return _flag_change(old.flags, new.flags)
    return "" if old.values == new.values else "gets another value at first"


def _flag_change(old: frozenset[str], new: frozenset[str]) -> str:
    gained, lost = " ".join(sorted(new - old)), " ".join(sorted(old - new))
    words = (gained and f"became {gained}", lost and f"is no longer {lost}")
    return " and ".join(word for word in words if word)


def _changed_methods(before: Hierarchy, after: Hierarchy, fields: _Why) -> _Why:
    """Return why methods are not as they were; those of one version only are among them."""
    old, new = _all_methods(before), _all_methods(after)
    changed_methods = dict.fromkeys(old.keys() ^ new.keys(), "it is in one version only")
    for where in old.keys() & new.keys():
        method_code, other = old[where], new[where]
        uses = chain(_uses(before, where, method_code, fields), _uses(after, where, other, fields))
        reason = _method_change(method_code, other) or next(uses, "")
        if reason:
            changed_methods[where] = reason
    return changed_methods


def _all_methods(version: Hierarchy) -> dict[Where, MethodCode]:
    return {
        (code.name, key): method
        for code in version.classes.values()
        for key, method in code.methods.items()
    }


def _method_change(old: MethodCode, new: MethodCode) -> str:
    flags = _flag_change(old.flags, new.flags)
    words = (flags and f"it {flags}", "its code changed" if old.digest != new.digest else "")
    return ", and ".join(word for word in words if word)


def _uses(version: Hierarchy, user: Where, method: MethodCode, fields: _Why) -> Iterator[str]:
    """Say which changed fields a method uses."""
    for verb, uses in (("reads", method.reads), ("writes", method.writes)):
        for use in uses:
            where = version.field(use)
            if where is not None and where in fields:
                owner, name = where
                shown = name if owner == user[0] else f"{_short(owner)}.{name}"
                yield f"it {verb} the field {shown}, which {fields[where]}"


def _callers(*versions: Hierarchy) -> Mapping[Where, set[Where]]:
    """Return who may call each method, in any of the versions."""
    callers: dict[Where, set[Where]] = defaultdict(set)
    for version in versions:
        for caller, method in _all_methods(version).items():
            # Whoever calls what has no code runs what has it instead.
            instead = [BytecodeCall(*caller, virtual=True)] if "abstract" in method.flags else []
            for call in (*method.calls, *instead):
                for called in version.targets(call):
                    callers[called].add(caller)
    return callers


class _Reached:
    """How far each method is from a change.

    A constructor is as near as the one that it hands on to, of its own class or of the one above:
    what an object is made by is all of them.
    """

    def __init__(self, changed: _Why, callers: Mapping[Where, set[Where]], above: _Above) -> None:
        self._changed = changed
        self._distances = dict.fromkeys(changed, 0)
        self._next: dict[Where, Where] = {}
        front = sorted(changed)
        while front:
            following: list[Where] = []
            for called in front:  # which grows by those that are as near
                for caller in sorted(callers.get(called, ())):
                    near = _hands_on(caller, called, above)
                    distance = self._distances[called] + (0 if near else 1)
                    if distance < self._distances.get(caller, distance + 1):
                        self._distances[caller] = distance
                        self._next[caller] = called
                        (front if near else following).append(caller)
            front = following

    def focus(self, where: Where, method: str) -> FocusMethod | None:
        """Return what is said of a method, None where no change reaches it."""
        distance = self._distances.get(where)
        if distance is None:
            return None
        return FocusMethod(method=method, distance=distance, why=self._why(where))

    def _why(self, where: Where) -> str:
        if where in self._changed:
            return self._changed[where]
        first = last = self._next[where]
        while last in self._next:
            last = self._next[last]
        through = f", and through it {_shown(last)}" if first != last else ""
        return f"it calls {_shown(first)}{through}"


def _hands_on(caller: Where, called: Where, above: _Above) -> bool:
    owner, key = caller
    if not key.startswith(_CONSTRUCTOR) or not called[1].startswith(_CONSTRUCTOR):
        return False
    return called[0] == owner or (owner, called[0]) in above


def _of_methods(
    before: Hierarchy, after: Hierarchy, subject: str, reached: _Reached
) -> Iterator[FocusMethod]:
    keys = (key for version in (before, after) for key in _inherited(version, subject))
    for key in dict.fromkeys(keys):
        one, other = before.method(subject, key), after.method(subject, key)
        if one is None or other is None:
            continue
        if not _public(before, one) or not _public(after, other):
            continue
        if one != other:
            reason = f"it is now what {_short(other[0])} declares, no longer {_short(one[0])}"
            yield FocusMethod(method=key, distance=0, why=reason)
        elif method := reached.focus(one, key):
            yield method


def _inherited(version: Hierarchy, subject: str) -> Iterator[str]:
    for owner in version.around(subject):
        yield from version.classes[owner].methods


def _public(version: Hierarchy, where: Where) -> bool:
    owner, key = where
    return "public" in version.classes[owner].methods[key].flags


def _of_fields(
    before: Hierarchy, after: Hierarchy, subject: str, changed: _Why
) -> Iterator[FocusMethod]:
    for owner in before.around(subject):
        for name, old in before.classes[owner].fields.items():
            where = owner, name
            if where in changed and after.field((subject, name)) == where:
                new = after.classes[owner].fields[name]
                if "public" in old.flags & new.flags:
                    yield FocusMethod(method=name, distance=0, why=f"it {changed[where]}")


def _shown(where: Where) -> str:
    owner, key = where
    name, _, types = key.partition("(")
    shown = _PACKAGE.sub("", types)
    if name == "<init>":
        return f"new {_short(owner)}({shown}"
    return f"{_short(owner)}.{name}({shown}"


def _short(name: str) -> str:
    return _PACKAGE.sub("", name)
