"""Measures the detection curve: pairs that were judged already, at other slowdowns.

One build of a method serves them all: the same bytes read another number.
"""

from collections.abc import Sequence
from dataclasses import replace

from auditor.audits import curve, detection
from auditor.audits.curve import Search
from auditor.core.request import CurveMode
from auditor.core.verdict import PairVerdict
from auditor.studies.pair import Manner, Question, StudyRuns
from auditor.studies.pairs import PairStudy
from auditor.studies.parts import Parts


def detection_curve(
    question: Question,
    slowdown: float,
    verdicts: Sequence[PairVerdict],
    made: StudyRuns,
    parts: Parts,
) -> list[Search]:
    """Return the searches, as far as the time allows; `verdicts` are those at `slowdown`.

    `made` are the processes that they rest on.
    """
    request = question.request
    mode = CurveMode.NONE if request.estimate else request.curve
    known = curve.searches(verdicts, slowdown, request.rule, mode)
    while pending := _by_size(known):
        for size, wave in pending.items():
            _measure(question, size, wave, made, parts)
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
    before: StudyRuns,
    parts: Parts,
) -> None:
    """Measure a size of all that wait for it; what each pair is asked is a matter of its own."""
    request = replace(question.request, score_only=False)
    asked = replace(question, request=request, slowdown=size)
    # Of the sizes that are tried some lie near the threshold, where nothing can be decided.
    manner = Manner(name=f"curve at {size:g}", thorough=False, known=before.known, at_most=1)
    pairs = {one.pair.key: one.pair for one in before.pairs}
    study = PairStudy(asked, size, parts, manner)
    made = study.run([pairs[one.method, one.benchmark] for one in wave])
    done = {one.pair.key: one for one in made.pairs}
    for one in wave:
        mine = done[one.method, one.benchmark]
        references = made.references_of(mine.pair.benchmark)
        one.add(size, detection.judge_pair(asked.data(mine, references)))
