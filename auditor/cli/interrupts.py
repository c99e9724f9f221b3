"""Requests to end: the first one raises KeyboardInterrupt, and the program ends soon after it."""

import atexit
import os
import signal
import threading
import time
from types import FrameType

from auditor.core.errors import Exit

REQUESTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a polite request to end, and a terminal that was closed."""
NEAR_SECONDS, FAR_SECONDS = 9.0, 29.0
"""How long tidying up may take: where all runs here, and where machines elsewhere are told."""
MESSAGE = "interrupted; what was measured is kept, the same command goes on"


class Interrupts:
    """Handles requests to end.

    A second request changes nothing, so that tidying up is not torn off. An exception is not
    enough: library code may swallow it or turn it into another one, and code in C may not look for
    it. So a thread that was started beforehand ends the program when the time for it is over. The
    processes of a suite are ended with ours by their keepers, and the store is always whole.
    """

    def __init__(self, seconds: float = NEAR_SECONDS) -> None:
        """Take how long the program may go on after a request."""
        self.seconds = seconds
        self.requested = False
        self.is_over = False
        """Whether all is done, so that a request has nothing to break off."""

    def install(self) -> None:
        """Handle the requests that whoever started us has not told us to ignore."""
        reads, writes = os.pipe()
        os.set_blocking(writes, False)
        threading.Thread(target=self._end, args=(reads,), daemon=True).start()
        # Written to as soon as a signal comes, whatever the main thread does.
        signal.set_wakeup_fd(writes, warn_on_full_buffer=False)
        for number in REQUESTS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._raise)
        # The interpreter's own end would give signals back to what kills us, and our exit code.
        # What is registered first is called last, after threads were waited for.
        atexit.register(_ignore_requests)

    def _raise(self, _number: int, _frame: FrameType | None) -> None:
        if not (self.requested or self.is_over):
            self.requested = True
            raise KeyboardInterrupt

    def _end(self, reads: int) -> None:
        os.read(reads, 1)
        time.sleep(self.seconds)
        os.write(2, f"{MESSAGE}\n".encode())
        os._exit(Exit.INTERRUPTED)


def _ignore_requests() -> None:
    for number in REQUESTS:
        signal.signal(number, signal.SIG_IGN)


INTERRUPTS = Interrupts()
"""Those of this process."""
