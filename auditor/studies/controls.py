"""Measures pairs again with a delay of nothing: what an audit detects there is a false alarm."""

from collections.abc import Sequence
from dataclasses import replace

from auditor.audits import controls, detection
from auditor.core.verdict import PairVerdict
from auditor.studies.pair import Manner, Pair, Question, most_runs
from auditor.studies.pairs import PairStudy
from auditor.studies.parts import Parts


def zero_delays(
    question: Question,
    slowdown: float,
    verdicts: Sequence[PairVerdict],
    pairs: Sequence[Pair],
    parts: Parts,
) -> list[PairVerdict]:
    """Return the verdicts on zero-delay pairs, one of each measured method at each turn."""
    request = replace(question.request, score_only=False)
    asked = replace(question, request=request, control=True)
    by_key = {pair.key: pair for pair in pairs}
    found = []
    for turn in range(request.controls):
        manner = Manner(name="controls", first_run=turn * most_runs(request))
        study = PairStudy(asked, slowdown, parts, manner)
        mine = [by_key[one.method, one.benchmark] for one in controls.chosen(verdicts, turn)]
        made = study.run(mine)
        found += [
            detection.judge_pair(asked.data(one, made.references_of(one.pair.benchmark)))
            for one in made.pairs
        ]
    return found
