"""What a changed file says of its methods, whatever numbers they have among all methods."""

import re
from collections.abc import Mapping


def named(text: bytes, guest: str, methods: Mapping[int, str]) -> bytes:
    """Return a file's text with the ids of methods in place of their numbers in calls of the guest.

    A method's number hangs on which others are counted, in other packages too, but decides nothing.
    """
    call = re.compile(rf"\b{guest}\.(Count|Seen)\(([0-9, ]+)\)".encode())
    return call.sub(lambda found: _call(found, methods), text)


def _call(found: re.Match[bytes], methods: Mapping[int, str]) -> bytes:
    ids = sorted(methods[int(number)] for number in found[2].split(b","))
    return found[1] + f"({', '.join(ids)})".encode()
