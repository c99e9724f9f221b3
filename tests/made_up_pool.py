"""A class with two versions that only exist here: what answers those who make tests of it."""

from dataclasses import dataclass, field, replace

from auditor.core.contracts.concurrent_test import (
    AttemptRequest,
    DescriptionRequest,
    FactoryRequest,
    GenerationAnswer,
    MemberKind,
    SubtypeRequest,
    Variable,
)

POOL = "org.example.Pool"
OBJECT = "java.lang.Object"
LINES = (
    ("type", POOL, POOL, "public", f"{OBJECT},{POOL}"),
    ("member", "constructor", POOL, "", "org.example.Factory,int", POOL),
    ("member", "method", POOL, "borrow", "", OBJECT),
    ("member", "method", POOL, "giveBack", OBJECT, "void"),
    ("member", "method", POOL, "size", "", "int"),
    ("member", "method", POOL, "close", "", "void"),
    ("member", "get", POOL, "limit", "", "int"),
    ("member", "set", POOL, "limit", "int", "void"),
)
FACTORY = (
    (
        "type",
        "org.example.Factory",
        "org.example.Factory",
        "public,interface,abstract,plain",
        OBJECT,
    ),
    ("answers", "make", "", OBJECT),
)
MOST = 3


@dataclass
class State:
    """A pool: how many are lent, and whether it is closed."""

    lent: int = 0
    closed: bool = False


@dataclass
class Guest:
    """Runs attempts as the guest does; remembers them.

    `worse` are methods that always fail, `stuck` those that hang.
    """

    stuck: frozenset = frozenset()
    worse: frozenset[str] = frozenset()
    with_threads: str = ""
    blames: str = ""
    factory: tuple = FACTORY
    constants: tuple = ()
    attempts: list = field(default_factory=list)

    def make(self, making):
        """Answer a maker until it has made what it wants."""
        try:
            request = next(making)
            while True:
                request = making.send(self.answer(request))
        except StopIteration as end:
            return end.value

    def answer(self, request):
        """Return the answer to a request."""
        match request:
            case DescriptionRequest(types):
                lines_by_type = {
                    POOL: (*LINES, *self.constants),
                    "org.example.Factory": self.factory,
                }
                missing = [
                    ("missing", text, "old", "no such class")
                    for text in types
                    if text not in lines_by_type
                ]
                return GenerationAnswer(
                    lines=(
                        *missing,
                        *(line for text in types for line in lines_by_type.get(text, ())),
                    )
                )
            case SubtypeRequest() | FactoryRequest():
                return GenerationAnswer()
            case AttemptRequest():
                self.attempts.append(request)
                if request.threads and self.with_threads:
                    return GenerationAnswer(
                        problem=self.with_threads, position=self._blamed(request)
                    )
                return self._ran(request)

    def _blamed(self, attempt):
        for segment_index, segment in enumerate(attempt.segments):
            for index, statement in enumerate(segment.statements):
                if statement.member.name == self.blames:
                    return segment_index, index
        return None

    def _ran(self, attempt):
        state = State()
        sequences = [
            (attempt.prefix, 1),
            *(
                (attempt_segment.statements, attempt_segment.repeats)
                for attempt_segment in attempt.segments
            ),
        ]
        for segment, (sequence, repeats) in enumerate(sequences, -1):
            for _ in range(min(repeats, MOST + 1)):  # more than that show nothing new
                for index, statement in enumerate(sequence):
                    answer = self._step(statement, state)
                    if answer is not None:
                        has_position = segment >= 0 and not answer.blocked
                        return replace(answer, position=(segment, index) if has_position else None)
        return GenerationAnswer()

    def _step(self, statement, state):
        name = statement.member.name
        if name in self.stuck or name in self.worse:
            hangs = name in self.stuck
            return GenerationAnswer(problem=f"{name} fails in the new version", blocked=hangs)
        if statement.member.kind is not MemberKind.METHOD:
            return None
        if state.closed and name != "size":
            return GenerationAnswer(problem="closed in the old version")
        if name == "close":
            state.closed = True
        if name == "borrow":
            state.lent += 1
        if name == "giveBack" and state.lent:
            state.lent -= 1
        if state.lent > MOST:
            return GenerationAnswer(problem="no end with the old version", blocked=True)
        return None


def earlier(statements, prefix):
    """Tell whether all variables of a sequence are of statements before their use, with a value."""
    for index, statement in enumerate(statements):
        used = [*statement.arguments, *([statement.receiver] if statement.receiver else [])]
        for variable in used:
            if isinstance(variable, Variable):
                sequence, end = (prefix, len(prefix)) if variable.shared else (statements, index)
                if variable.index >= end or sequence[variable.index].member.returns == "void":
                    return False
    return True
