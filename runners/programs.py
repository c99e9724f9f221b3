"""Programs that were built whole. What was broken off, in a container say, leaves half of one."""

from pathlib import Path

from runners.disk import convert_write_errors


def is_program_built(program: Path) -> bool:
    """Tell whether a program is there, and its build was seen to end well."""
    return program.is_file() and _locate_marker(program).is_file()


def remove_incomplete(program: Path) -> None:
    """Remove what is there of a program that is not whole.

    Go looks at the beginning alone, and takes it for what it is about to build.
    """
    if not is_program_built(program):
        with convert_write_errors(program):
            program.unlink(missing_ok=True)


def mark_built(program: Path) -> None:
    """Remember that it is whole: only now, as its file has been there for a while.

    It is not moved into its place instead, as it would be sent once more to a host far away.
    """
    marker = _locate_marker(program)
    with convert_write_errors(marker):
        marker.touch()


def _locate_marker(program: Path) -> Path:
    return program.with_name(f"{program.name}.made")
