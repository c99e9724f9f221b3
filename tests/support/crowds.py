"""Results of any size, and with any names, made without an audit; the same on every machine."""

from collections.abc import Iterable, Mapping
from functools import cache

from builders import benchmark_verdict_of, method_verdict_of, pair_verdict_of
from msgspec.structs import replace

import examples
from auditor.abs import document_of_verdict
from auditor.abs.document import Document
from auditor.abs.model import MethodVerdict, PairRun, PairVerdict, Score
from auditor.core.result import ReachState, Verdict
from auditor.core.stability import BenchmarkVerdict, Bucket

BLOCKS = 24
RUNS = tuple(
    PairRun(
        effect=0.6,
        interval=(0.52, 0.71),
        p=6e-5,
        significant=True,
        large=True,
        reference=tuple(
            1.234e-7 * (1 + (37 * index * seed % 101) / 1013) for index in range(BLOCKS)
        ),
        slowed=tuple(1.987e-7 * (1 + (53 * number * seed % 97) / 887) for number in range(BLOCKS)),
    )
    for seed in (1, 2)
)
OUTCOMES = (Verdict.DETECTED, Verdict.DETECTED, Verdict.MISSED, Verdict.INCONCLUSIVE)


@cache
def crowd(methods: int, benchmarks: int, stride: int) -> Document:
    """A result with one of `stride` pairs reached, each with two runs of 24 blocks an arm."""
    document = document_of_verdict.build_abs_document(
        examples.audit(methods=3, benchmarks=3), examples.context()
    )
    method_names = [
        f"example.org/team/service/internal/codec.Type{index}.Method{index}"
        for index in range(methods)
    ]
    suite = [
        f"example.org/team/service/internal/codec.BenchmarkType{index % 97}/size={index}"
        for index in range(benchmarks)
    ]
    pairs = tuple(
        _pair(method, benchmark, (7 * row + 3 * index) % stride == 0, row + index)
        for row, method in enumerate(method_names)
        for index, benchmark in enumerate(suite)
    )
    verdicts = [pair for pair in pairs if pair.outcome is Verdict.DETECTED]
    by_method, by_benchmark = (
        _group_by(verdicts, "method", "benchmark"),
        _group_by(verdicts, "benchmark", "method"),
    )
    reached = _group_by([pair for pair in pairs if pair.runs], "method", "benchmark")
    covered = len(by_method)
    score = Score(
        percent=100 * covered / methods,
        bounds=(100 * covered / methods, 100.0),
        covered=covered,
        counted=methods,
        excluded_benchmarks=(),
    )
    return replace(
        document,
        scores=replace(document.scores, total=score),
        methods=tuple(
            _method(index, name, by_method.get(name, ()), reached.get(name, ()))
            for index, name in enumerate(method_names)
        ),
        pairs=pairs,
        benchmarks=tuple(
            _benchmark(index, name, by_benchmark.get(name, ()), by_method)
            for index, name in enumerate(suite)
        ),
        minimal_cover=tuple(
            sorted({verdict.benchmark for verdict in verdicts})[: benchmarks // 10]
        ),
        curve=None,
    )


def _group_by(pairs: Iterable[PairVerdict], key: str, value: str) -> Mapping[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for pair in pairs:
        groups.setdefault(getattr(pair, key), []).append(getattr(pair, value))
    return {name: tuple(texts) for name, texts in groups.items()}


def _pair(method: str, benchmark: str, reached: bool, index: int) -> PairVerdict:
    return pair_verdict_of(
        method=method,
        benchmark=benchmark,
        outcome=OUTCOMES[index % 4] if reached else Verdict.UNREACHED,
        reach=ReachState.IN_LOOP if reached else ReachState.NOT_AT_ALL,
        effect=0.6 + index % 13 / 100 if reached else None,
        interval=(0.52, 0.71) if reached else None,
        p=6e-5 if reached else None,
        threshold=0.3 if reached else None,
        achieved_slowdown=0.58 if reached else None,
        method_seconds=1.2e-7 if reached else None,
        calls_per_operation=16.0 if reached else None,
        share=0.9 if reached else None,
        wait="work" if reached else None,
        runs=RUNS if reached else (),
        reason=None,
        caveats=(),
    )


def _method(
    index: int, name: str, detected_by: tuple[str, ...], reached: tuple[str, ...]
) -> MethodVerdict:
    outcome = Verdict.DETECTED if detected_by else Verdict.MISSED if reached else Verdict.UNREACHED
    return method_verdict_of(
        id=name,
        outcome=outcome,
        detected_by=detected_by,
        reached_by=reached,
        set_up_in=(),
        calls=90_000 - 31 * index,
        span=None,
        reason=None,
        caveats=(),
    )


def _benchmark(
    index: int, name: str, methods: tuple[str, ...], by_method: Mapping[str, tuple[str, ...]]
) -> BenchmarkVerdict:
    alone = tuple(text for text in methods if len(by_method[text]) == 1)
    return benchmark_verdict_of(
        id=name,
        max_spread=0.03 + index % 29 / 1000,
        bucket=Bucket.BELOW_5 if index % 29 < 20 else Bucket.BELOW_10,
        means=tuple(1.5e-7 * (1 + (index + run) % 7 / 300) for run in range(5)),
        runs=5,
        seconds=2.5 + index % 11 / 10,
        visible=0.02,
        unique=alone,
        shared=tuple(text for text in methods if text not in set(alone)),
        ending="measured",
        reason=None,
        caveats=(),
    )


def renamed(value: object, called: Mapping[str, str]) -> object:
    """A document as dictionaries, with other names wherever it names something."""
    match value:
        case str():
            return called.get(value, value)
        case dict():
            return {key: renamed(inner, called) for key, inner in value.items()}
        case list() | tuple():
            return [renamed(inner, called) for inner in value]
        case _:
            return value
