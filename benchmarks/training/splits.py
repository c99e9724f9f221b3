"""Which benchmarks of those that a model may learn from only say when it has learned enough.

Source: the study of learned stopping (ASE 2024), Section 4.4, and its code. Needs scikit-learn (the
dependency group `training`).
"""

from collections.abc import Sequence

from sklearn.model_selection import train_test_split

from training.folds import SEED, by_system, project

SHARE = 0.25
"""Benchmarks that are for validation."""
GROUPS = 6


def for_validation(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the benchmarks to learn from and those to validate on, of each system a share.

    Raises ValueError where a system has one benchmark only.
    """
    all_names = sorted(names)
    systems = [project(name) for name in all_names]
    learn, validate = train_test_split(
        all_names, test_size=SHARE, random_state=SEED, stratify=systems
    )
    return list(learn), list(validate)


def systems_in_groups(names: Sequence[str], groups: int = GROUPS) -> list[tuple[str, ...]]:
    """Return the benchmarks of groups of whole systems, each of which judges once.

    Of fewer systems than groups each is one.
    """
    systems = list(by_system(names))
    many = min(groups, len(systems))
    return [sum(systems[first::many], ()) for first in range(many)]
