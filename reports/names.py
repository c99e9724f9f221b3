"""Long identities shortened, so that tables can be read."""

import re
from collections.abc import Iterable

_ARGUMENTS = re.compile(r"[(\[{]")


def shorten(ids: Iterable[str]) -> dict[str, str]:
    """Return each id without the prefix that all of them share.

    Go keeps the last element of the package (`uuid.UUID.String`), Java the class
    (`StrBuilder.append(String)`). All lose the same, so what was different stays different.
    """
    known = list(dict.fromkeys(ids))
    at = _cut(known) if known else 0
    return {each: each[at:] for each in known}


def _cut(ids: list[str]) -> int:
    # Parameter types, names of sub-benchmarks and GoABS's {files} have separators of their own.
    bare = [_ARGUMENTS.split(each, maxsplit=1)[0] for each in ids]
    shared = _shared(stem.split(".Benchmark", maxsplit=1)[0] for stem in bare)
    slash = shared.rfind("/") + 1
    if slash:
        return slash
    dots = [at + 1 for at, letter in enumerate(shared) if letter == "."]
    return max((at for at in dots if all("." in stem[at:] for stem in bare)), default=0)


def _shared(texts: Iterable[str]) -> str:
    """Return the longest common beginning: that of the first and the last in order."""
    ordered = sorted(texts)
    first, last = ordered[0], ordered[-1]
    same = next((at for at, letter in enumerate(first) if last[at : at + 1] != letter), len(first))
    return first[:same]
