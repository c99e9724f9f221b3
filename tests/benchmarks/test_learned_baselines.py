"""How models of the study are scored fold by fold."""

import json

CODE = """
import json
import numpy as np
import learned_baselines as baselines
from training.replay import stopped

class Rising:
    def score_windows(self, windows):
        looked.append(len(windows))
        return np.arange(len(windows)) + sum(looked[:-1]) + 0.5

looked = []
values = np.ones(3000)
values[::2] = 2.0
forks = {"b": [baselines.Fork(values, 0)]}
found = baselines.early(Rising(), forks, ["b"], MOST, None)["b"][0]
print(json.dumps([sum(looked), int(np.isnan(found).sum()), stopped(found, MOST)[0]]))
"""


def test_no_window_is_scored_behind_one_that_is_enough(printed):
    assert json.loads(printed(CODE.replace("MOST", "50"))) == [60, 440, 49]
    assert json.loads(printed(CODE.replace("MOST", "600"))) == [500, 0, 499]
