"""Concurrent tests as Java source that people can read, keep, and compile by itself."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from auditor.core.contracts.concurrent_test import (
    Argument,
    Literal,
    Member,
    MemberKind,
    Statement,
    StatementSequence,
    Test,
    Variable,
)

Answers = Mapping[str, tuple[Member, ...]]
"""The methods that an implementation of an interface needs, by its name."""

_VALUES = {
    "void": "",
    "java.lang.String": '""',
    "java.lang.Object": "new Object()",
    "char": "'\\0'",
}
_NUMBER_TYPES = ("byte", "short", "int", "long", "float", "double")
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


TypeFormatter = Callable[[str], str]
"""How a type stands in source text."""

PACKAGE = "races"
JMH = "jmh"
"""The folder of benchmarks."""
_STRING = "java.lang.String"
_NUMBERS = {"byte": "(byte) {}", "short": "(short) {}", "int": "{}", "long": "{}L",
            "float": "{}f", "double": "{}", "boolean": "{}"}  # fmt: skip
_INDENT = "    "


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceHeader:
    """What is said above a test: of which class, made how."""

    subject: str
    old: str
    new: str
    seed: int


@dataclass(frozen=True, slots=True)
class RaceWriter:
    """Writes tests of one class; `answers` are those of the interfaces that they implement."""

    formatter: TypeFormatter
    answers: Answers
    notes: RaceHeader
    with_jmh: bool = False

    def name_test_class(self, test: Test) -> str:
        """Return the name of a test's class."""
        return f"{self.package_name}.{_name_test_class(test)}".removeprefix(".")

    def write_files(self, test: Test) -> tuple[tuple[str, str], ...]:
        """Return the sources of a test by their paths."""
        program = ((self.choose_path(test), self.write_program(test)),)
        # JMH refuses benchmarks without a package, and classes without one cannot be named in one.
        if not self.with_jmh or not self.package_name:
            return program
        return (
            *program,
            (
                f"{JMH}/{self.package_name}/{_name_test_class(test)}Benchmark.java",
                self.write_jmh_benchmark(test),
            ),
        )

    def choose_path(self, test: Test) -> str:
        """Return where its source belongs."""
        return f"{self.package_name}/{_name_test_class(test)}.java".removeprefix("/")

    def write_program(self, test: Test) -> str:
        """Return the class of a test: a `benchaudit.race.Race`."""
        body = _RaceClassBody(self.formatter, self.answers, test)
        prefix = body.write_prefix()
        suffixes = [
            body.write_suffix(index, statements) for index, statements in enumerate(test.suffixes)
        ]
        cases = "\n".join(
            f"            case {index}:\n"
            f"                suffix{index}(turns, sink);\n                break;"
            for index in range(len(test.suffixes))
        )
        parts = [
            f"{self._package_line}import benchaudit.race.Race;\nimport benchaudit.race.Sink;\n",
            self._write_comment(test),
            '@SuppressWarnings({"unchecked", "rawtypes", "deprecation"})',
            f"public final class {_name_test_class(test)} implements Race {{",
            body.write_fields(),
            prefix,
            "    @Override\n    public int suffixes() {\n"
            f"        return {len(test.suffixes)};\n    }}\n",
            f"    @Override\n    public int turns() {{\n        return {test.repeats};\n    }}\n",
            "    @Override\n"
            "    public void suffix(int number, int turns, Sink sink) throws Throwable {\n"
            f"        switch (number) {{\n{cases}\n            default:\n"
            "                throw new IllegalArgumentException();\n        }\n    }\n",
            *suffixes,
            *body.plains.write_sources(),
        ]
        return "\n".join(parts).rstrip() + "\n}\n"

    def write_jmh_benchmark(self, test: Test) -> str:
        """Return a test as a benchmark of JMH: a group with a thread for each suffix.

        JMH calls a suffix again and again on one object, which lives for an iteration.
        """
        body = _RaceClassBody(self.formatter, self.answers, test)
        prefix = body.write_prefix()
        name, group = f"{_name_test_class(test)}Benchmark", f"race{test.number}"
        methods = [
            f'    @Benchmark\n    @Group("{group}")\n    @GroupThreads(1)\n'
            f"    public void suffix{index}(Blackhole sink) throws Throwable {{\n"
            f"{body.write_statements(statements, 2, 'sink.consume')}    }}\n"
            for index, statements in enumerate(test.suffixes)
        ]
        imports = "\n".join(f"import org.openjdk.jmh.annotations.{line};" for line in _JMH)
        parts = [
            f"{self._package_line}{imports}\nimport org.openjdk.jmh.infra.Blackhole;\n",
            self._write_comment(test),
            '@State(Scope.Group)\n@SuppressWarnings({"unchecked", "rawtypes", "deprecation"})',
            f"public class {name} {{",
            body.write_fields(),
            prefix.replace("    @Override\n", "    @Setup(Level.Iteration)\n"),
            *methods,
            *body.plains.write_sources(),
        ]
        return "\n".join(parts).rstrip() + "\n}\n"

    @property
    def package_name(self) -> str:
        """Return the tests' package: none where the class has none, which others cannot name."""
        return PACKAGE if "." in self.notes.subject else ""

    @property
    def _package_line(self) -> str:
        return f"package {self.package_name};\n\n" if self.package_name else ""

    def _write_comment(self, test: Test) -> str:
        notes, many = self.notes, len(test.suffixes)
        calls = sum(map(len, test.suffixes)) / many
        return (
            f"/**\n * Test {test.number} of {_escape_comment(notes.subject)}: "
            f"{_escape_comment(notes.old)} against "
            f"{_escape_comment(notes.new)}.\n *\n * <p>{many} suffixes of about {calls:.0f} "
            "statements, "
            f"each done {test.repeats} times, share one object.\n * Made by bench-audit with seed "
            f"{notes.seed}.\n */"
        )


_JMH = (
    "Benchmark", "Group", "GroupThreads", "Level", "Scope", "Setup", "State",
)  # fmt: skip


class _RaceClassBody:
    """The parts of a class; `plains` are the interfaces that they implement."""

    def __init__(self, formatter: TypeFormatter, answers: Answers, test: Test) -> None:
        self._formatter = formatter
        self._test = test
        self.plains = InterfaceImplementations(self._format_type, answers)

    def write_fields(self) -> str:
        lines = [
            f"    private {self._format_type(statement.member.returns)} p{index};\n"
            for index, statement in enumerate(self._test.prefix)
            if statement.member.returns != "void"
        ]
        return "".join(lines)

    def write_prefix(self) -> str:
        lines = []
        for index, statement in enumerate(self._test.prefix):
            target = "" if statement.member.returns == "void" else f"p{index} = "
            lines.append(f"        {target}{self._write_call(statement, self._test.prefix)};\n")
        return (
            "    @Override\n    public void prefix() throws Throwable {\n"
            + "".join(lines)
            + "    }\n"
        )

    def write_suffix(self, number: int, sequence: StatementSequence) -> str:
        return (
            f"    private void suffix{number}(int turns, Sink sink) throws Throwable {{\n"
            "        for (int turn = 0; turn < turns; turn++) {\n"
            f"            block{number}(sink);\n        }}\n    }}\n\n"
            f"    private void block{number}(Sink sink) throws Throwable {{\n"
            f"{self.write_statements(sequence, 2, 'sink.take')}    }}\n"
        )

    def write_statements(self, sequence: StatementSequence, depth: int, take: str) -> str:
        lines = []
        for index, statement in enumerate(sequence):
            if statement.member.returns == "void":
                lines.append(f"{self._write_call(statement, sequence)};")
            else:
                text = self._write_call(statement, sequence)
                lines.append(f"{self._format_type(statement.member.returns)} s{index} = {text};")
                lines.append(f"{take}(s{index});")
        return "".join(f"{_INDENT * depth}{line}\n" for line in lines)

    def _write_call(self, statement: Statement, sequence: StatementSequence) -> str:
        member, arguments = statement.member, self._write_arguments(statement)
        owner = self._format_type(member.owner)
        on = (
            owner
            if statement.receiver is None
            else self._write_receiver(statement.receiver, sequence, member.owner)
        )
        match member.kind:
            case MemberKind.CONSTRUCTOR:
                return f"new {owner}({arguments})"
            case MemberKind.METHOD | MemberKind.STATIC | MemberKind.FACTORY:
                return f"{on}.{member.name}({arguments})"
            case MemberKind.GET | MemberKind.CONSTANT:
                return f"{on}.{member.name}"
            case MemberKind.SET:
                return f"{on}.{member.name} = {arguments}"
            case MemberKind.ARRAY:
                return f"new {owner}[] {{{arguments}}}"
            case MemberKind.PLAIN:
                return f"new {self.plains.name_implementation(member)}({arguments})"

    def _write_receiver(self, receiver: Variable, sequence: StatementSequence, owner: str) -> str:
        """Return an object as its method's class: below it, type arguments may be bound."""
        statements = self._test.prefix if receiver.shared else sequence
        type_ = statements[receiver.index].member.returns
        name = _name_variable(receiver)
        return name if type_ == owner else f"(({self._format_type(owner)}) {name})"

    def _write_arguments(self, statement: Statement) -> str:
        pairs = zip(statement.arguments, statement.member.parameters, strict=True)
        return ", ".join(self._write_argument(argument, type_) for argument, type_ in pairs)

    def _write_argument(self, argument: Argument, type_: str) -> str:
        """Return an argument as its parameter's type, so that no other overload is meant."""
        if isinstance(argument, Variable):
            return f"({self._format_type(type_)}) {_name_variable(argument)}"
        if argument.text is None:
            return f"({self._format_type(type_)}) null"
        text = self._write_literal(argument, argument.text)
        if argument.type == type_ and type_ not in ("byte", "short"):
            return text
        return f"({self._format_type(type_)}) {f'({text})' if text.startswith('-') else text}"

    def _write_literal(self, literal: Literal, text: str) -> str:
        if literal.type == _STRING:
            return quote_literal(text, '"')
        if literal.type == "char":
            return quote_literal(text, "'")
        if literal.type == "java.lang.Class":
            return f"{self._format_type(text)}.class"
        return _NUMBERS[literal.type].format(text)

    def _format_type(self, type_: str) -> str:
        text = self._formatter(type_)
        return text.removeprefix("java.lang.") if text.count(".") == _PLAIN_DOTS else text


_PLAIN_DOTS = 2
"""A class of java.lang, not of a package below."""


def _name_test_class(test: Test) -> str:
    return f"Race{test.number}"


def _escape_comment(text: str) -> str:
    """Return a text that ends no comment and is no escape."""
    plain = text.replace("\\", "&#92;").replace("*/", "*&#47;")
    return "".join(line if line.isprintable() else " " for line in plain)


def _name_variable(variable: Variable) -> str:
    return f"{'p' if variable.shared else 's'}{variable.index}"


def quote_literal(text: str, quote: str) -> str:
    """Return a text as a literal between such quotes."""
    escaped = text.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return f"{quote}{escaped}{quote}"


def _format_value(type_: str, says: str) -> str:
    if type_ == "boolean":
        return says
    return f"({type_}) 0" if type_ in _NUMBER_TYPES else _VALUES.get(type_, "null")
