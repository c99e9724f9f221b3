"""The maintainer's view: complete in a file of the output folder, on the terminal with -v."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from auditor.cli.output import make_write_error

_LOG = logging.getLogger(__name__)


LOGGED_PACKAGES = ("auditor", "mutators", "runners", "reports")


_TERMINAL_LEVELS = (None, logging.INFO, logging.DEBUG)


_LOG_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _LogFile(logging.FileHandler):
    """A log that falls silent when the disk is full: what matters then is said elsewhere."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 the base's name
        """Let go of what cannot be written; bugs in our own calls are still shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


@contextmanager
def log_to_folder(folder: Path, verbose: int) -> Iterator[None]:
    """Log to `log` in a folder, and to stderr if asked; raises FolderUnusable."""
    handlers = [_open_log_file(folder / "log")]
    if level := _TERMINAL_LEVELS[min(verbose, 2)]:
        terminal_handler = logging.StreamHandler()
        terminal_handler.setLevel(level)
        handlers.append(terminal_handler)
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_LOG_FORMAT))
    loggers = [logging.getLogger(name) for name in LOGGED_PACKAGES]
    try:
        for logger in loggers:
            logger.setLevel(logging.DEBUG)
            logger.handlers += handlers
        yield
    except BaseException:
        _LOG.debug("ended early", exc_info=True)
        raise
    finally:
        for logger in loggers:
            logger.handlers = [
                other_handler for other_handler in logger.handlers if other_handler not in handlers
            ]
        for handler in handlers:
            with suppress(OSError):  # as in _LogFile
                handler.close()


def _open_log_file(path: Path) -> logging.Handler:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _LogFile(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise make_write_error(path, error) from error
