"""What a changed file says of its methods, whatever numbers they have among all methods."""

import re
from collections.abc import Mapping


def name_methods(text: bytes, guest: str, methods: Mapping[int, str]) -> bytes:
    """Return a file's text with the ids of methods in place of their numbers in calls of the guest.

    A method's number hangs on which others are counted, in other packages too, but decides nothing.
    """
    call = re.compile(rf"\b{guest}\.(Count|Seen)\(([0-9, ]+)\)".encode())
    return call.sub(lambda match: _name_call_methods(match, methods), text)


def _name_call_methods(match: re.Match[bytes], methods: Mapping[int, str]) -> bytes:
    ids = sorted(methods[int(number)] for number in match[2].split(b","))
    return match[1] + f"({', '.join(ids)})".encode()
