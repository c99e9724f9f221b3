"""Identities of the subject as people can read them: shortened, and nothing in them invisible."""

import re
from collections.abc import Iterable

MAX_LABEL_LENGTH = 120
"""Letters of a name that are shown; the whole of it stands where the page describes its owner."""

_ARGUMENT_START = re.compile(r"[(\[{]")
_MAJOR_VERSION = re.compile(r"v\d+[./]")
"""The last element of a Go module's path from version 2 on, which names nothing."""
# Controls but tab and line feed, marks that turn the direction of writing or have no width, and
# surrogates, which no file can hold. The joiners of emoji and of some scripts stay.
_INVISIBLE_LETTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def escape_invisible(text: str) -> str:
    """Return the text with what a reader would not see written as an escape, `\\u202e`."""
    return _INVISIBLE_LETTERS.sub(lambda match: _escape_letter(match[0]), text)


def _escape_letter(letter: str) -> str:
    code_point = ord(letter)
    return (
        f"\\x{code_point:02x}"
        if code_point < 0x100
        else f"\\u{code_point:04x}"
        if code_point < 0x10000
        else f"\\U{code_point:08x}"
    )


def escape_line(text: str) -> str:
    """Return the text as one line, with line feeds and tabs written as escapes, too."""
    return escape_invisible(text).replace("\n", "\\n").replace("\t", "\\t")


def format_label(name: str) -> str:
    """Return a name as one line of at most LONGEST letters, its middle left out where need be."""
    escaped_name = escape_line(name)
    if len(escaped_name) <= MAX_LABEL_LENGTH:
        return escaped_name
    tail = MAX_LABEL_LENGTH // 3
    return f"{escaped_name[: MAX_LABEL_LENGTH - tail - 1]}…{escaped_name[-tail:]}"


def format_labels(ids: Iterable[str]) -> dict[str, str]:
    """Return for each id what a page shows of it."""
    return {name: format_label(short) for name, short in strip_shared_prefix(ids).items()}


def strip_shared_prefix(ids: Iterable[str]) -> dict[str, str]:
    """Return each id without the prefix that all of them share.

    Go keeps the last element of the package (`uuid.UUID.String`), Java the class
    (`StrBuilder.append(String)`). All lose the same, so what was different stays different.
    """
    unique_ids = list(dict.fromkeys(ids))
    prefix_end = _find_prefix_end(unique_ids) if unique_ids else 0
    return {name: name[prefix_end:] for name in unique_ids}


def _find_prefix_end(ids: list[str]) -> int:
    # Parameter types, names of sub-benchmarks and GoABS's {files} have separators of their own.
    bare_names = [_ARGUMENT_START.split(name, maxsplit=1)[0] for name in ids]
    shared = _find_shared_prefix(stem.split(".Benchmark", maxsplit=1)[0] for stem in bare_names)
    slash = shared.rfind("/") + 1
    if slash and all(_MAJOR_VERSION.match(stem, slash) for stem in bare_names):
        slash = shared.rfind("/", 0, slash - 1) + 1
    if slash and all("." in stem[slash:] for stem in bare_names):
        return slash
    # The last separator that leaves every name one more: the one before the first of their last.
    last = min(stem.rfind(".") for stem in bare_names)
    return shared.rfind(".", 0, max(last, 0)) + 1


def _find_shared_prefix(texts: Iterable[str]) -> str:
    """Return the longest common beginning: that of the first and the last in order."""
    ordered = sorted(texts)
    first, last = ordered[0], ordered[-1]
    shared_length = next(
        (index for index, letter in enumerate(first) if last[index : index + 1] != letter),
        len(first),
    )
    return first[:shared_length]
