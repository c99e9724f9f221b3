"""The maintainer's view: complete in a file of the output folder, on the terminal with -v."""

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from auditor.cli.output import unusable

_LOG = logging.getLogger(__name__)

PACKAGES = ("auditor", "mutators", "runners", "reports")
_LEVELS = (None, logging.INFO, logging.DEBUG)
_FORM = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _LogFile(logging.FileHandler):
    """A log that falls silent when the disk is full: what matters then is said elsewhere."""

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 the base's name
        """Let go of what cannot be written; bugs in our own calls are still shown."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handleError(record)


@contextmanager
def logged(folder: Path, verbose: int) -> Iterator[None]:
    """Log to `log` in a folder, and to stderr if asked; raises FolderUnusable."""
    handlers = [_to_file(folder / "log")]
    if level := _LEVELS[min(verbose, 2)]:
        shown = logging.StreamHandler()
        shown.setLevel(level)
        handlers.append(shown)
    for handler in handlers:
        handler.setFormatter(logging.Formatter(_FORM))
    loggers = [logging.getLogger(name) for name in PACKAGES]
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
            logger.handlers = [one for one in logger.handlers if one not in handlers]
        for handler in handlers:
            with suppress(OSError):  # as in _File
                handler.close()


def _to_file(path: Path) -> logging.Handler:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return _LogFile(path, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise unusable(path, error) from error
