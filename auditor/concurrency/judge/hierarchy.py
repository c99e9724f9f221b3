"""Which method a call may run, and which field is meant, in the classes of one version."""

from collections import defaultdict
from collections.abc import Iterator

from auditor.core.contracts.bytecode import BytecodeCall, Classes, FieldUse

Where = tuple[str, str]
"""The class that declares a method or field, and its key or name."""


class Hierarchy:
    """The classes of a version; what they extend outside of it is not known."""

    def __init__(self, classes: Classes) -> None:
        """Take the classes by their names."""
        self.classes = classes
        self._below: dict[str, list[str]] = defaultdict(list)
        self._targets: dict[BytecodeCall, frozenset[Where]] = {}
        for code in classes.values():
            for above in self._above(code.name):
                self._below[above].append(code.name)

    def targets(self, call: BytecodeCall) -> frozenset[Where]:
        """Return what a call may run: of a virtual one also what any subclass has instead."""
        if call not in self._targets:
            receivers = self._with_all_below(call.owner) if call.virtual else (call.owner,)
            found = (self.method(receiver, call.key) for receiver in receivers)
            self._targets[call] = frozenset(one for one in found if one is not None)
        return self._targets[call]

    def method(self, owner: str, key: str) -> Where | None:
        """Return where the method of a class is declared, None where that is outside."""
        for ancestor in self.around(owner):
            if key in self.classes[ancestor].methods:
                return ancestor, key
            if key.startswith("<"):
                break  # nobody inherits constructors
        return None

    def field(self, use: FieldUse) -> Where | None:
        """Return where a field is declared, None where that is outside."""
        owner, name = use
        for ancestor in self.around(owner):
            if name in self.classes[ancestor].fields:
                return ancestor, name
        return None

    def around(self, owner: str) -> Iterator[str]:
        """Yield a class and all that it inherits from, the nearest first, superclasses first."""
        waiting, seen = [owner], set()
        interfaces: list[str] = []
        while waiting or interfaces:
            one = waiting.pop() if waiting else interfaces.pop(0)
            if one in seen or one not in self.classes:
                continue
            seen.add(one)
            yield one
            code = self.classes[one]
            interfaces.extend(code.interfaces)
            if code.superclass is not None:
                waiting.append(code.superclass)

    def _above(self, name: str) -> Iterator[str]:
        code = self.classes[name]
        if code.superclass is not None:
            yield code.superclass
        yield from code.interfaces

    def _with_all_below(self, owner: str) -> Iterator[str]:
        waiting, seen = [owner], {owner}
        while waiting:
            one = waiting.pop()
            yield one
            fresh = [each for each in self._below[one] if each not in seen]
            seen.update(fresh)
            waiting.extend(fresh)
