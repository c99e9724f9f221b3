"""What workers do in the tests of their programs."""

from pathlib import Path

from auditor.clusters import worker


def has(folder, digest):
    """Make a worker one that has the builds in a folder."""
    session = worker._SESSIONS["s"]
    session.benches[digest] = worker._OpenSubject(None, Path(folder), Path(folder), None)


def asks(digest, path, makers, library=None):
    if library:
        worker.read_c_library = lambda: library
    result = worker.ProgramPeers("s", digest, worker.read_program)
    result.makers = makers
    return result.fetch_program(Path(path))
