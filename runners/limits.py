"""What a limit of the machine's has ended is not the subject's fault."""

from pathlib import Path

from auditor.core.errors import MachineError
from auditor.core.jobs import CompletedProcess, Invocation


def check_limits(job: Invocation, answer: CompletedProcess) -> CompletedProcess:
    """Return the answer of a process that nothing goes on without.

    Raises MachineError where a limit ended it, which else would be blamed on the subject.
    """
    if answer.exhausted:
        program = Path(job.argv[0]).name
        raise MachineError(
            f"{program} needs more than {answer.exhausted} to list the suite; raise the limit"
        )
    return answer
