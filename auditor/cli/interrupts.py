"""Requests to end: the first one raises KeyboardInterrupt, and the program ends soon after it."""

import atexit
import os
import signal
import sys
import threading
import time
from types import FrameType

from auditor.core.errors import Exit

END_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, a polite request to end, and a terminal that was closed."""
LOCAL_GRACE_SECONDS, REMOTE_GRACE_SECONDS = 9.0, 29.0
"""How long tidying up may take: where all runs here, and where machines elsewhere are told."""
_REPEAT_SECONDS = 0.02
"""After which a request is repeated: the callback that swallowed it is over by then."""
INTERRUPT_MESSAGE = "interrupted; what was measured is kept, the same command goes on"


class InterruptHandler:
    """Handles requests to end.

    A second request changes nothing, so that tidying up is not torn off. An exception is not
    enough: library code may swallow it or turn it into another one, and code in C may not look for
    it. So a thread that was started beforehand ends the program when the time for it is over. The
    processes of a suite are ended with ours by their keepers, and the store is always whole.
    """

    def __init__(self, seconds: float = LOCAL_GRACE_SECONDS) -> None:
        """Take how long the program may go on after a request."""
        self.seconds = seconds
        self.requested = False
        self.is_over = False
        """Whether all is done, so that a request has nothing to break off."""

    def install_handlers(self) -> None:
        """Handle the requests that whoever started us has not told us to ignore."""
        read_end, write_end = os.pipe()
        os.set_blocking(write_end, False)
        threading.Thread(target=self._end_program, args=(read_end,), daemon=True).start()
        # Written to as soon as a signal comes, whatever the main thread does.
        signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
        for signal_number in END_SIGNALS:
            if signal.getsignal(signal_number) is not signal.SIG_IGN:
                signal.signal(signal_number, self._handle_request)
        sys.unraisablehook = self._repeat_request
        # The interpreter's own end would give signals back to what kills us, and our exit code.
        # What is registered first is called last, after threads were waited for.
        atexit.register(_ignore_requests)

    def _handle_request(self, _number: int, _frame: FrameType | None) -> None:
        if not (self.requested or self.is_over):
            self.requested = True
            raise KeyboardInterrupt

    def _repeat_request(self, swallowed: "sys.UnraisableHookArgs") -> None:
        """Request again what was raised where nothing can be, as in the callback of a reference."""
        if not issubclass(swallowed.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(swallowed)
            return
        self.requested = False
        threading.Timer(_REPEAT_SECONDS, signal.raise_signal, (signal.SIGINT,)).start()

    def _end_program(self, reads: int) -> None:
        os.read(reads, 1)
        time.sleep(self.seconds)
        os.write(2, f"{INTERRUPT_MESSAGE}\n".encode())
        os._exit(Exit.INTERRUPTED)


def _ignore_requests() -> None:
    for signal_number in END_SIGNALS:
        signal.signal(signal_number, signal.SIG_IGN)


INTERRUPT_HANDLER = InterruptHandler()
"""Those of this process."""
