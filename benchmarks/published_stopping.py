"""What the study of learned stopping reports (Traini et al., ASE 2024), table by table.

Facts of the paper alone, for the whole of 586 benchmarks; what is found on a part stands beside
them elsewhere.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Precision, recall and F1 of the stable class, balanced accuracy; means of five folds."""

    precision: float
    recall: float
    f1: float
    balanced: float


@dataclass(frozen=True, slots=True)
class Effect:
    """How much less a model's error of the warm-up is than a baseline's; all with p < 0.001."""

    a12: float
    r: float


@dataclass(frozen=True, slots=True)
class Changes:
    """Shares of benchmarks in percent: by quality of results, by testing time, and both."""

    quality: float
    time: float
    total: float


@dataclass(frozen=True, slots=True)
class Balance:
    """Benchmarks that a model makes better than a baseline does, and worse; `net` as printed."""

    improved: Changes
    regressed: Changes
    net: float


@dataclass(frozen=True, slots=True)
class Times:
    """A model's warm-ups that are longer than needed, and exact, in percent of steady forks.

    `deviation` in percent and `seconds` of testing are the median and both quartiles.
    """

    longer: float
    exact: float
    deviation: str
    seconds: str


CLASSIFIED = {
    "fcn": Accuracy(0.880, 0.659, 0.753, 0.712),
    "oscnn": Accuracy(0.886, 0.650, 0.748, 0.715),
    "rocket": Accuracy(0.810, 0.932, 0.867, 0.682),
}
"""Table 2."""

EFFECTS = {
    ("fcn", "sop"): Effect(0.664, 0.352),
    ("oscnn", "sop"): Effect(0.658, 0.348),
    ("rocket", "sop"): Effect(0.683, 0.282),
    ("fcn", "cv"): Effect(0.637, 0.370),
    ("fcn", "rciw"): Effect(0.731, 0.400),
    ("fcn", "kld"): Effect(0.630, 0.292),
    ("oscnn", "cv"): Effect(0.632, 0.385),
    ("oscnn", "rciw"): Effect(0.728, 0.414),
    ("oscnn", "kld"): Effect(0.621, 0.288),
    ("rocket", "cv"): Effect(0.649, 0.245),
    ("rocket", "rciw"): Effect(0.726, 0.264),
    ("rocket", "kld"): Effect(0.656, 0.157),
}
"""Tables 3 (SOP) and 6 (the others): model and baseline."""

BALANCES = {
    ("fcn", "sop"): Balance(Changes(16.7, 30.7, 47.4), Changes(14.3, 7.8, 22.2), 25.3),
    ("oscnn", "sop"): Balance(Changes(17.9, 30.9, 48.8), Changes(13.7, 8.2, 21.8), 27.0),
    ("rocket", "sop"): Balance(Changes(9.4, 20.1, 29.5), Changes(25.9, 6.5, 32.4), -2.9),
    ("fcn", "cv"): Balance(Changes(26.8, 27.1, 53.9), Changes(12.3, 7.7, 20.0), 34.0),
    ("fcn", "rciw"): Balance(Changes(6.3, 50.3, 56.7), Changes(24.2, 4.6, 28.8), 27.8),
    ("fcn", "kld"): Balance(Changes(25.9, 24.4, 50.3), Changes(13.1, 10.4, 23.5), 26.8),
    ("oscnn", "cv"): Balance(Changes(28.8, 26.8, 55.6), Changes(12.3, 8.0, 20.3), 35.3),
    ("oscnn", "rciw"): Balance(Changes(7.0, 52.6, 59.6), Changes(21.8, 4.8, 26.6), 32.9),
    ("oscnn", "kld"): Balance(Changes(27.8, 23.0, 50.9), Changes(12.1, 12.8, 24.9), 25.9),
    ("rocket", "cv"): Balance(Changes(11.3, 19.8, 31.1), Changes(24.6, 2.7, 27.3), 3.8),
    ("rocket", "rciw"): Balance(Changes(4.1, 24.4, 28.5), Changes(51.4, 3.4, 54.8), -26.3),
    ("rocket", "kld"): Balance(Changes(7.2, 21.5, 28.7), Changes(22.5, 3.9, 26.5), 2.2),
}
"""Tables 4 (SOP) and 7 (the others): model and baseline."""

TIMES = {
    "fcn": Times(38.1, 15.5, "2.8, 5.7, 11.3", "43, 74, 150"),
    "oscnn": Times(41.2, 14.9, "2.4, 5.5, 12.3", "47, 79, 161"),
    "rocket": Times(13.0, 16.6, "4.5, 10.0, 21.7", "30, 51, 78"),
}
"""Figure 4, and Table 5."""
