"""What a build that failed says, and whose fault that is: the subject's, or our guest's."""

import re
from collections.abc import Iterator

from auditor.core.errors import AuditError
from auditor.core.jobs import CompletedProcess

_OVERLAY_FOLDER = re.compile(r"\S*/[0-9a-f]{24}/overlay/")
_PLACE = re.compile(r"(?P<place>[^\s#].*?):\d+(?::\d+)?: ")
_SYMBOL = re.compile(r"(?:link: )?(?P<place>\S+): (?:relocation target|invalid reference) ")
"""The compiler's and the assembler's lines name a place in a file, the linker's a symbol."""
_GUEST = re.compile(r"(?:^|[/ ])zz_bench_audit_guest(?:[/.]|$)")


def describe_build_failure(answer: CompletedProcess, version: str) -> str:
    """Return the compiler's words, with the subject's paths in place of those in our folder.

    `version` is Go's. Raises AuditError if all faults are in the guest: every method would have
    them, and none is to blame.
    """
    blamed = list(_find_blamed_places(answer))
    if blamed and all(_GUEST.search(place) for place, _ in blamed):
        raise AuditError(
            "this is a bug in bench-audit, please report it: the code that it adds does not "
            f"compile with {version}: {blamed[0][1]}"
        )
    if answer.timed_out:
        return (
            f"the build was ended after {answer.seconds:.0f} "
            f"s\n{_strip_overlay_paths(answer.format_tail())}"
        )
    return _strip_overlay_paths(answer.format_tail())


def _find_blamed_places(answer: CompletedProcess) -> Iterator[tuple[str, str]]:
    """Yield each line that finds fault with a place, behind that place.

    Indented lines go on with the one above, and may name another place that has no fault.
    """
    output = answer.stdout + b"\n" + answer.stderr
    for line in _strip_overlay_paths(output.decode(errors="replace")).splitlines():
        match = _PLACE.match(line) or _SYMBOL.match(line)
        if match:
            yield match["place"], line[:300]


def _strip_overlay_paths(text: str) -> str:
    return _OVERLAY_FOLDER.sub("", text)
