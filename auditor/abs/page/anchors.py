"""Where in the page a method, a benchmark or a pair is: the same place in every report."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass

from auditor.abs.document import AbsOrStability, Document
from reports import names

_LONGEST = 48
_UNSAFE = re.compile(r"[^A-Za-z0-9._~-]+")


@dataclass(frozen=True, slots=True)
class PageLink:
    """What is shown of a name, and the fragment where its owner is described (empty: nowhere)."""

    name: str
    anchor: str


Links = Mapping[str, PageLink]


def method_links(document: Document) -> Links:
    """Return the methods of the audit by their ids."""
    short = names.format_labels(method.id for method in document.methods)
    return {
        method_id: PageLink(name, method_fragment(method_id)) for method_id, name in short.items()
    }


def benchmark_links(document: AbsOrStability) -> Links:
    """Return the benchmarks of the audit by their ids."""
    short = names.format_labels(benchmark.id for benchmark in document.benchmarks)
    return {
        benchmark_id: PageLink(name, benchmark_fragment(benchmark_id))
        for benchmark_id, name in short.items()
    }


def link_of(links: Links, name: str) -> PageLink:
    """Return the link of a name; one that is no link where the page does not describe it."""
    return links.get(name) or PageLink(names.format_label(name), "")


def method_fragment(name: str) -> str:
    """Return the fragment of a method."""
    return f"method-{_make_fragment(name)}"


def benchmark_fragment(name: str) -> str:
    """Return the fragment of a benchmark."""
    return f"benchmark-{_make_fragment(name)}"


def pair_fragment(method: str, benchmark: str) -> str:
    """Return the fragment of a pair; short, because there may be thousands."""
    return f"cell-{_compute_digest(f'{len(method)} {method} {benchmark}', 10)}"


def _make_fragment(name: str) -> str:
    """Return the name where an address may hold it, else the end of it and a digest."""
    safe = _UNSAFE.sub("-", name)
    if safe == name and 0 < len(name) <= _LONGEST:
        return name
    return f"{safe[-_LONGEST:].lstrip('.-')}-{_compute_digest(name, 8)}"


def _compute_digest(text: str, letters: int) -> str:
    # A lone surrogate cannot be encoded, but may be in a name that JSON holds.
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:letters]
