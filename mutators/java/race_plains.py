"""Small implementations of interfaces as Java source, which concurrent tests hand over."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from auditor.core.contracts.concurrent_test import Member

Answers = Mapping[str, tuple[Member, ...]]
"""The methods that an implementation of an interface needs, by its name."""

_VALUES = {
    "void": "",
    "java.lang.String": '""',
    "java.lang.Object": "new Object()",
    "char": "'\\0'",
}
_NUMBERS = ("byte", "short", "int", "long", "float", "double")
_ROUNDS = """        private final int rounds;

        {name}(int rounds) {{
            this.rounds = rounds;
        }}

"""
_WORK = """    /** Takes about a nanosecond a round, and shares nothing. */
    private static void work(int rounds) {
        long value = rounds;
        for (int round = 0; round < rounds; round++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
        }
        if (value == Long.MIN_VALUE) { // so that no compiler leaves the loop out
            throw new IllegalStateException();
        }
    }
"""


@dataclass(slots=True)
class InterfaceImplementations:
    """Those of one test; `type_` is how a type stands in source text."""

    type_: Callable[[str], str]
    answers: Answers
    _names: dict[tuple[str, str, bool], str] = field(default_factory=dict)

    def name_implementation(self, member: Member) -> str:
        """Return the class that implements an interface so; one with a parameter works."""
        key = member.owner, member.name, bool(member.parameters)
        return self._names.setdefault(key, f"Plain{len(self._names)}")

    def write_sources(self) -> Iterator[str]:
        """Yield the classes that were named, and what they share."""
        for (type_, says, works), name in self._names.items():
            methods = "".join(
                self._write_method(member, says, works=works) for member in self.answers[type_]
            )
            constructor = _ROUNDS.format(name=name) if works else ""
            yield (
                f"    /** Returns plain values{', after some work' if works else ''}. */\n"
                f"    public static final class {name} implements {self.type_(type_)} {{\n"
                f"{constructor}{methods}    }}\n"
            )
        if any(works for _, _, works in self._names):
            yield _WORK

    def _write_method(self, method: Member, says: str, *, works: bool) -> str:
        parameters = ", ".join(
            f"{self.type_(member)} a{index}" for index, member in enumerate(method.parameters)
        )
        value = _format_value(method.returns, says)
        body = "            work(rounds);\n" if works else ""
        body += f"            return {value};\n" if value else ""
        return (
            f"        @Override\n        public {self.type_(method.returns)} {method.name}"
            f"({parameters}) {{\n{body}        }}\n"
        )


def _format_value(type_: str, says: str) -> str:
    if type_ == "boolean":
        return says
    return f"({type_}) 0" if type_ in _NUMBERS else _VALUES.get(type_, "null")
