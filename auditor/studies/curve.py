"""Measures the detection curve: pairs that were judged already, at other slowdowns.

One build of a method serves them all: the same bytes read another number.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from auditor.audits import curve, detection
from auditor.audits.curve import Search
from auditor.core.request import CurveMode
from auditor.core.verdict import PairVerdict
from auditor.studies.pair import Manner, Pair, PairKey, Question
from auditor.studies.pairs import PairStudy
from auditor.studies.parts import Parts


def detection_curve(
    question: Question,
    slowdown: float,
    verdicts: Sequence[PairVerdict],
    pairs: Sequence[Pair],
    parts: Parts,
) -> list[Search]:
    """Return the searches, as far as the time allows; `verdicts` are those at `slowdown`."""
    request = question.request
    mode = CurveMode.NONE if request.estimate else request.curve
    known = curve.searches(verdicts, slowdown, request.rule, mode)
    by_key = {pair.key: pair for pair in pairs}
    while pending := _by_size(known):
        for size, wave in pending.items():
            _measure(question, size, wave, by_key, parts)
    return known


def _by_size(known: Sequence[Search]) -> dict[float, list[Search]]:
    """Return what is to be measured next, the largest slowdowns first."""
    found: dict[float, list[Search]] = {}
    for one in known:
        if (size := one.next) is not None:
            found.setdefault(size, []).append(one)
    return dict(sorted(found.items(), reverse=True))


def _measure(
    question: Question,
    size: float,
    wave: Sequence[Search],
    pairs: Mapping[PairKey, Pair],
    parts: Parts,
) -> None:
    """Measure a size of all that wait for it; what each pair is asked is a matter of its own."""
    request = replace(question.request, score_only=False)
    asked = replace(question, request=request, slowdown=size)
    study = PairStudy(asked, size, parts, Manner(name=f"curve at {size:g}", thorough=False))
    made = study.run([pairs[one.method, one.benchmark] for one in wave])
    done = {one.pair.key: one for one in made.pairs}
    for one in wave:
        mine = done[one.method, one.benchmark]
        references = made.references_of(mine.pair.benchmark)
        one.add(size, detection.judge_pair(asked.data(mine, references)))
