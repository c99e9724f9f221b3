"""Identities of the subject as people can read them: shortened, and nothing in them invisible."""

import re
from collections.abc import Iterable

LONGEST = 120
"""Letters of a name that are shown; the whole of it stands where the page describes its owner."""

_ARGUMENTS = re.compile(r"[(\[{]")
# Controls but tab and line feed, marks that turn the direction of writing or have no width, and
# surrogates, which no file can hold. The joiners of emoji and of some scripts stay.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def seen(text: str) -> str:
    """Return the text with what a reader would not see written as an escape, `\\u202e`."""
    return _UNSEEN.sub(lambda match: _escape(match[0]), text)


def _escape(letter: str) -> str:
    at = ord(letter)
    return f"\\x{at:02x}" if at < 0x100 else f"\\u{at:04x}" if at < 0x10000 else f"\\U{at:08x}"


def line(text: str) -> str:
    """Return the text as one line, with line feeds and tabs written as escapes, too."""
    return seen(text).replace("\n", "\\n").replace("\t", "\\t")


def label(name: str) -> str:
    """Return a name as one line of at most LONGEST letters, its middle left out where need be."""
    whole = line(name)
    if len(whole) <= LONGEST:
        return whole
    tail = LONGEST // 3
    return f"{whole[: LONGEST - tail - 1]}…{whole[-tail:]}"


def labels(ids: Iterable[str]) -> dict[str, str]:
    """Return for each id what a page shows of it."""
    return {name: label(short) for name, short in shorten(ids).items()}


def shorten(ids: Iterable[str]) -> dict[str, str]:
    """Return each id without the prefix that all of them share.

    Go keeps the last element of the package (`uuid.UUID.String`), Java the class
    (`StrBuilder.append(String)`). All lose the same, so what was different stays different.
    """
    known = list(dict.fromkeys(ids))
    at = _cut(known) if known else 0
    return {name: name[at:] for name in known}


def _cut(ids: list[str]) -> int:
    # Parameter types, names of sub-benchmarks and GoABS's {files} have separators of their own.
    bare = [_ARGUMENTS.split(name, maxsplit=1)[0] for name in ids]
    shared = _shared(stem.split(".Benchmark", maxsplit=1)[0] for stem in bare)
    slash = shared.rfind("/") + 1
    if slash and all("." in stem[slash:] for stem in bare):
        return slash
    # The last separator that leaves every name one more: the one before the first of their last.
    last = min(stem.rfind(".") for stem in bare)
    return shared.rfind(".", 0, max(last, 0)) + 1


def _shared(texts: Iterable[str]) -> str:
    """Return the longest common beginning: that of the first and the last in order."""
    ordered = sorted(texts)
    first, last = ordered[0], ordered[-1]
    same = next(
        (index for index, letter in enumerate(first) if last[index : index + 1] != letter),
        len(first),
    )
    return first[:same]
