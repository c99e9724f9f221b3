"""Which benchmarks a comparison under a budget measures first: those that call what has changed."""

import re
from collections.abc import Iterator, Sequence

from auditor.compare.model import Patch
from auditor.core.result import ReachState
from auditor.core.subject import Method, SourceFile
from auditor.core.suite import Benchmark
from auditor.measure.block_sizes import BlockSizes
from auditor.measure.context import StudyContext
from auditor.measure.reach_judge import Reach
from auditor.measure.reach_study import CountingLimits, map_reach
from auditor.measure.suite_runs import SuiteBaseline

COUNTING_SHARE = 0.1
"""Part of the time that is left in which calls are counted."""
_IMPORT_LINE = re.compile(r"(?:import|from|package)\b.*|[()]")
"""A whole line that imports something: a method that has changed may need it."""
_GO_IMPORT_START = re.compile(r"import ?\(")
_GO_IMPORT_LINE = re.compile(r'[\w.]*\s?"[^"]*".*')
"""A line in the parentheses of an import of Go."""
_IMPORT_WORDS = frozenset({"import", "from", "package", "as", "static"})
_CALLED_STATES = (ReachState.IN_LOOP, ReachState.SET_UP_ONLY)


def find_changed_methods(
    patch: Patch, base: StudyContext, head: StudyContext
) -> tuple[Method, ...]:
    """Return the methods that head has changed or added, if nothing else differs.

    Empty where lines outside of methods differ (comments, blank lines, and imports that replace
    no other aside): any benchmark may depend on those.
    """
    method_ids = {*patch.changed, *patch.added}
    if not method_ids or _collect_outside_lines(base) != _collect_outside_lines(head):
        return ()
    if _is_import_replaced(base, head):
        return ()
    return tuple(
        method
        for method in head.mutator.find_methods(head.suite.sources)
        if method.id in method_ids
    )


def find_calling_benchmarks(
    methods: Sequence[Method],
    benchmarks: Sequence[Benchmark],
    sizes: BlockSizes,
    parts: StudyContext,
) -> dict[str, bool | None]:
    """Return by id whether a benchmark calls one of `methods`; None: not known.

    Counted by a process of each benchmark whose program holds one of them, as far as a part of the
    time allows.
    """
    baseline = SuiteBaseline(
        benchmarks=tuple(benchmarks),
        usable=tuple(benchmarks),
        unfinished=(),
        plans=sizes.plans,
        operations=sizes.operations,
        pilots=sizes.pilots,
        runs=(),
        counting=sizes.counting_blocks,
    )
    limits = CountingLimits(counting=COUNTING_SHARE, tests=0.0)
    reach_map = map_reach(methods, baseline, parts, with_unit_tests=False, limits=limits)
    uncounted_ids = {method.id for method, _ in reach_map.invalid}
    reach = reach_map.build_reach_map(
        [method for method in methods if method.id not in uncounted_ids]
    )
    return {
        benchmark.id: _is_any_called([reach.get((method.id, benchmark.id)) for method in methods])
        for benchmark in benchmarks
    }


def _is_any_called(reaches: Sequence[Reach | None]) -> bool | None:
    """Tell whether some call is known, None where some call is possible."""
    if any(reach is not None and reach.state in _CALLED_STATES for reach in reaches):
        return True
    is_none_called = all(
        reach is not None and reach.state is ReachState.NOT_AT_ALL for reach in reaches
    )
    return False if is_none_called else None


def _collect_outside_lines(parts: StudyContext) -> dict[str, list[str]]:
    """Return by file the lines that belong to no method that can be compared."""
    method_lines: dict[str, set[int]] = {}
    for method in parts.mutator.find_methods(parts.suite.sources):
        for span in method.spans if method.refusal is None else ():
            lines = range(span.first_line, span.last_line + 1)
            method_lines.setdefault(span.file, set()).update(lines)
    comment = parts.mutator.comment_prefix.decode()
    lines_by_path = {
        source.path: list(
            _list_lines_outside(source, method_lines.get(source.path, set()), comment)
        )
        for source in parts.suite.sources
        if source.path != source.unit  # a list of classes, which is not the user's text
    }
    return {path: lines for path, lines in lines_by_path.items() if lines}


def _is_import_replaced(base: StudyContext, head: StudyContext) -> bool:
    """Tell whether an import may now bring another thing under a name that base has, too."""
    base_lines, head_lines = (
        {
            (source.path, text)
            for source in parts.suite.sources
            for text, is_import in _list_texts(source)
            if is_import
        }
        for parts in (base, head)
    )
    removed_words, added_words = (
        {word for _, text in lines for word in re.findall(r"\w+", text)} - _IMPORT_WORDS
        for lines in (base_lines - head_lines, head_lines - base_lines)
    )
    return not removed_words.isdisjoint(added_words)


def _list_texts(source: SourceFile) -> Iterator[tuple[str, bool]]:
    """Yield the lines without white space that means nothing, and whether each is an import."""
    is_in_parentheses = False
    for line in source.text.decode(errors="replace").splitlines():
        text = " ".join(line.split())
        pattern = _GO_IMPORT_LINE if is_in_parentheses else _IMPORT_LINE
        yield text, pattern.fullmatch(text) is not None
        if _GO_IMPORT_START.match(text) and source.path.endswith(".go"):
            is_in_parentheses = True
        is_in_parentheses = is_in_parentheses and ")" not in text


def _list_lines_outside(source: SourceFile, method_lines: set[int], comment: str) -> Iterator[str]:
    for number, (text, is_import) in enumerate(_list_texts(source), 1):
        is_code = text and not text.startswith(comment) and not is_import
        if is_code and number not in method_lines:
            yield text
