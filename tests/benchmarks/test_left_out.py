"""Who learns from what: no trees have seen the system that they judge."""

import json

CODE = """
import json
from types import SimpleNamespace
import numpy as np
import left_out
every = np.array(["a__a#steady#.json", "a__a#never#.json", "b__b#steady#.json"])
left_out.model = lambda stable, names, looked, known: every[known(every)].tolist()
judging = {(str(every[0]),): None, (str(every[2]),): None}
print(json.dumps(left_out.models(SimpleNamespace(names=()), judging, None)))
"""


def test_nothing_is_learned_from_a_benchmark_of_the_system_also_where_it_is_never_steady(printed):
    assert json.loads(printed(CODE)) == {
        "a__a#steady#.json": ["b__b#steady#.json"],
        "b__b#steady#.json": ["a__a#steady#.json", "a__a#never#.json"],
    }
