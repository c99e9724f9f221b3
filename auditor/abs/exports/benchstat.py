"""The runs of the unchanged suite as Go's benchmark format, for benchstat.

The format: https://go.dev/design/14313-benchmark-format. A line is the mean of one run of the
suite: blocks of one process are no independent measurements, and benchstat takes lines for such.
"""

import re
from collections.abc import Iterator

from auditor.abs.document import AbsOrStability
from auditor.core.subject import Language
from auditor.languages.registry import LANGUAGES
from reports import names

_NAME = "Benchmark"
_BLANK = re.compile(r"\s")


def format_benchstat(document: AbsOrStability) -> str:
    """Return one line for each benchmark and complete run, in nanoseconds per operation.

    The number of iterations is 1 in all lines: how many operations a mean is of differs and is not
    in the result. Facts that would keep two revisions apart in benchstat's tables are left out.
    """
    lines = []
    if cpu := document.host_facts.get("cpu"):
        lines.append(f"cpu: {' '.join(names.escape_line(cpu).split())}")
    lines.append("Unit ns/op better=lower")
    package = ""
    for group, line in _list_result_lines(document):
        if group != package:
            lines.append(f"pkg: {group}")
            package = group
        lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def _list_result_lines(document: AbsOrStability) -> Iterator[tuple[str, str]]:
    for benchmark in document.benchmarks:
        group, name = LANGUAGES.split_benchmark(benchmark.id, document.language)
        called = _format_go_name(name, go=document.language == Language.GO)
        for seconds in benchmark.means:
            if seconds is not None:
                yield _escape_blanks(group), f"{called} 1 {1e9 * seconds:.9g} ns/op"


def _format_go_name(name: str, *, go: bool) -> str:
    """Return a name as Go writes one: JMH's parameters become `/key=value`."""
    if not go:
        bare, bracket, parameters = name.partition("[")
        pairs = parameters.removesuffix("]").split(",") if bracket else []
        name = "/".join([bare, *pairs])
    word = _escape_blanks(name)
    after = word.removeprefix(_NAME)
    if go and after != word and not after[:1].islower():
        return word
    # A lower-case letter after it would make it no benchmark's line.
    return f"{_NAME}_{word}" if word[:1].islower() else _NAME + word


def _escape_blanks(text: str) -> str:
    """Return text without blanks, which end a word of the format."""
    return _BLANK.sub(lambda match: f"\\u{ord(match[0]):04x}", names.escape_line(text))
