"""The program `bench-audit`, also as `python -m auditor`."""

import sys
from typing import NoReturn

from auditor.cli.interrupts import INTERRUPT_HANDLER, INTERRUPT_MESSAGE
from auditor.core.errors import Exit


def entry() -> NoReturn:
    """Be the program; a request to end is heard from here on, also while it is still loaded."""
    INTERRUPT_HANDLER.install_handlers()
    try:
        from auditor.cli.main import run_program  # noqa: PLC0415 it takes a third of a second

        code = run_program()
        INTERRUPT_HANDLER.is_over = True
    except KeyboardInterrupt:
        sys.stderr.write(f"{INTERRUPT_MESSAGE}\n")
        code = Exit.INTERRUPTED
    # Python ends itself by a signal where an interrupt went through the text of an `exec`, which is
    # how data classes are made. The next `exec` makes it forget that.
    exec("")  # noqa: S102
    sys.exit(code)


if __name__ == "__main__":
    entry()
