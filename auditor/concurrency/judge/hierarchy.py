"""Which method a call may run, and which field is meant, in the classes of one version."""

from collections import defaultdict
from collections.abc import Iterator

from auditor.core.contracts.bytecode import BytecodeCall, Classes, FieldUse

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
