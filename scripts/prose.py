"""Check the language of docs: sentences, paragraphs, titles, and words that the glossary replaces.

Prints each fault as PAGE:LINE, and ends with 1 if there is one. `--long` lists sentences of more
than 25 words, too, which a formula or a list of names may have.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GOOD_SENTENCE, LONGEST_SENTENCE, LONGEST_PARAGRAPH = 25, 30, 80
NOT_YET = ("docs/messages.md",)
"""Pages that are still in the old words."""
SOURCES_OF_RULES = "docs/lint/"
"""Their sentences describe syntax; only their titles and paragraphs are checked."""
OLD_WORDS = {
    r"\bwhoever\b": "name the actor",
    r"\b(is|are|was) said\b": "name the message, or the caveat",
    r"\btold apart\b": "separated",
    r"\bnobody watch(es)?\b": "no benchmark covers",
    r"\bwatched by\b": "detected by, or covered by",
    r"\bnotic(e|es|ing) (a|the|an|no|any|that it)\b": "detect",
    r"\bslowed by nothing\b": "A/A control, or zero delay",
    r"\bin turns\b": "interleaved",
    r"\bside by side\b": "in parallel, or interleaved",
    r"\bloop turns?\b": "loop count",
    r"\bmutants?\b": "pair, variant, or slowdown",
    r"\bleft open\b": "inconclusive",
    r"\bcannot be told\b": "inconclusive",
    r"\bhangs? (up)?on\b": "depends on",
    r"\bof which\b": "start a new sentence",
    r"\bin the place of\b": "instead of",
    r"\ball the same\b": "nevertheless",
}
ALLOWED = {("docs/reference/outputs.md", r"\bmutants?\b")}
"""The mutation-testing format has mutants."""
_FENCE = re.compile(r"^(```|<!--)")
_CODE, _LINK = re.compile(r"`[^`]*`"), re.compile(r"\[([^\]]*)\]\([^)]*\)")
_SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[\"*(A-Z0-9`])")

Block = tuple[int, str]
"""The number of its first line, and the text of a paragraph or of an item of a list."""


def blocks(text: str) -> Iterator[Block]:
    """Yield paragraphs and items of lists, without code, tables, quotes and titles."""
    inside, first, lines = False, 0, list[str]()
    for number, line in enumerate([*text.split("\n"), ""], 1):
        fence = bool(_FENCE.match(line))
        starts = re.match(r"\s*([*-]|\d+\.) ", line)
        if inside or fence or starts or not line.strip() or line[0] in "|#>":
            if lines:
                yield first, " ".join(lines)
            lines = []
        if line.startswith("```"):
            inside = not inside
        elif starts:
            first, lines = number, [line[starts.end() :]]
        elif not inside and not fence and line.strip() and line[0] not in "|#>":
            first = first if lines else number
            lines.append(line.strip())


def words(text: str) -> list[str]:
    """Return the words of a text; a span of code is one."""
    plain = _LINK.sub(r"\1", _CODE.sub("code", text))
    return [word for word in plain.split() if re.search(r"\w", word)]


def sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph; a colon ends one, too."""
    return _SENTENCE.split(text)


def faults_of_words(page: str, block: str) -> Iterator[str]:
    """Yield the old words of a block, and what to say instead."""
    plain = _CODE.sub("", block)
    for pattern, better in OLD_WORDS.items():
        match = re.search(pattern, plain, re.IGNORECASE)
        if match and (page, pattern) not in ALLOWED:
            yield f"{match[0]!r}: say {better}"


def faults_of_sentences(block: str, longest: int) -> Iterator[str]:
    """Yield the sentences of a block that are too long."""
    for sentence in sentences(block):
        count = len(words(sentence))
        if count > longest:
            yield f"a sentence of {count} words: {sentence[:60]} …"


def faults(page: str, text: str, longest: int = LONGEST_SENTENCE) -> Iterator[str]:
    """Yield what is wrong with a page."""
    title = text.partition("\n")[0]
    if title.endswith("?"):
        yield f"{page}:1: a title is a noun phrase or 'Do X', not a question"
    for number, block in blocks(text):
        count = len(words(block))
        if count > LONGEST_PARAGRAPH:
            yield f"{page}:{number}: a paragraph of {count} words, at most {LONGEST_PARAGRAPH}"
        if not page.startswith(SOURCES_OF_RULES):
            for fault in (*faults_of_sentences(block, longest), *faults_of_words(page, block)):
                yield f"{page}:{number}: {fault}"


def main() -> int:
    """Print the faults of all pages, and return the exit code."""
    longest = GOOD_SENTENCE if "--long" in sys.argv else LONGEST_SENTENCE
    fault_count = 0
    for path in sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]):
        page = path.relative_to(ROOT).as_posix()
        if page in NOT_YET:
            continue
        for fault in faults(page, path.read_text(), longest):
            fault_count += 1
            print(fault)  # noqa: T201 that is what it is for
    return int(fault_count > 0)


if __name__ == "__main__":
    raise SystemExit(main())
