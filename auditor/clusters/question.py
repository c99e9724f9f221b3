"""What workers are asked beside what they run."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from auditor.core.errors import MachineError
from auditor.versions import find_own_version


class WorkerQuestion:
    """A function that workers are to call; it stays asked, so that an answer may come late."""

    def __init__(
        self, client: Any, function: Callable[..., Any], workers: Sequence[str], *given: Any
    ) -> None:
        """Ask these workers by a client of `distributed`."""
        self._named = ", ".join(workers)
        self._answers: list[Mapping[str, Any]] = []
        self._errors: list[Exception] = []

        def ask_workers() -> None:
            try:
                self._answers.append(client.run(function, *given, workers=workers))
            except Exception as error:  # whatever a worker says that lacks us
                self._errors.append(error)

        # The client itself waits for ever for one that has been halted.
        self._thread = threading.Thread(target=ask_workers, daemon=True)
        self._thread.start()

    def wait_for_answer(self, seconds: float) -> Mapping[str, Any]:
        """Return what each worker answers, for which so many seconds are waited.

        Raises TimeoutError where there is no answer yet, ConnectionError where none will come, and
        MachineError where a worker lacks us.
        """
        self._thread.join(seconds)
        if self._answers:
            return self._answers[0]
        if not self._errors:
            raise TimeoutError(f"{self._named} does not answer")
        error = self._errors[0]
        if isinstance(error, OSError):
            raise ConnectionError(f"{self._named} does not answer: {error}") from error
        raise MachineError(
            f"{self._named} cannot run bench-audit {find_own_version()}: install the same version "
            f"for its Python ({type(error).__name__}: {error})"
        ) from error
