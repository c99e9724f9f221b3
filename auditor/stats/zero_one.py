"""Linear programs over yes and no (0/1 programs), solved by HiGHS through scipy.optimize.milp.

All numbers are whole, so that a solution can be checked exactly once it is rounded. Keep them below
a million or so: HiGHS takes a column for whole within 1e-6.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import Any

import numpy as np

NODES = 2_000
"""Nodes of the search tree before it is given up: unlike seconds, the same on any machine."""
SECONDS = 5.0
"""The longest a search may take where its nodes are slow."""
_AT_ONCE = 12
"""Columns decided by one program when solutions are ordered: their powers of two stay small."""
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint: `least` <= the sum of the weights of the chosen columns <= `most`."""

    weights: Mapping[int, int]
    least: float = -inf
    most: float = inf

    def is_satisfied(self, columns: frozenset[int]) -> bool:
        """Tell whether a choice satisfies it."""
        return self.least <= sum(self.weights.get(column, 0) for column in columns) <= self.most


@dataclass(frozen=True, slots=True)
class ProgramSolution:
    """What a search came to.

    `variables` is None where there is no solution (`exact`) or none was found (not `exact`). No
    solution costs less than `bound`.
    """

    variables: frozenset[int] | None
    bound: int
    exact: bool


def find_minimum(
    costs: Sequence[int],
    rows: Sequence[Constraint],
    *,
    nodes: int = NODES,
    seconds: float = SECONDS,
) -> ProgramSolution:
    """Return the columns that satisfy all rows and cost least.

    Of several such choices it is the one that has the first column, else that has the second, and
    so on, whatever the solver prefers; only a search that is given up may leave that open.
    """
    options = {"node_limit": nodes, "time_limit": seconds}
    solution = _solve_program(costs, rows, options)
    if solution.variables is None or not solution.exact:
        return solution
    rows = [*rows, Constraint(dict(enumerate(costs)), most=solution.bound)]
    options["time_limit"] = seconds / _AT_ONCE
    solution_columns = solution.variables
    for start in range(0, len(costs), _AT_ONCE):
        column_range = range(start, min(start + _AT_ONCE, len(costs)))
        if not all(candidate in solution_columns for candidate in column_range):
            wishes = [0] * len(costs)
            for index, column in enumerate(reversed(column_range)):
                wishes[column] = -(2**index)
            better = _solve_program(wishes, rows, options)
            if better.variables is None or not better.exact:
                break
            solution_columns = better.variables
        for candidate in column_range:
            fixed_value = int(candidate in solution_columns)
            rows.append(Constraint({candidate: 1}, least=fixed_value, most=fixed_value))
    return ProgramSolution(solution_columns, solution.bound, exact=True)


def lower_bound(
    costs: Sequence[int], rows: Sequence[Constraint], *, seconds: float = SECONDS
) -> int:
    """Return what no choice can cost less than, by the relaxation to parts of columns.

    It is the sum of all negative costs where the relaxation cannot be solved.
    """
    if not costs:
        return 0
    result = _run_milp(costs, rows, 0, {"time_limit": seconds})
    worst = sum(cost for cost in costs if cost < 0)
    return worst if result.status != 0 else max(worst, _round_up(result.fun))


def _solve_program(
    costs: Sequence[int], rows: Sequence[Constraint], options: Mapping[str, float]
) -> ProgramSolution:
    worst = sum(cost for cost in costs if cost < 0)
    if not costs:
        feasible = all(row.is_satisfied(frozenset()) for row in rows)
        return ProgramSolution(frozenset() if feasible else None, 0, exact=True)
    result = _run_milp(costs, rows, 1, {**options, "mip_rel_gap": 0})
    columns = None
    if result.x is not None:
        columns = frozenset(int(signedinteger) for signedinteger in np.flatnonzero(result.x > 0.5))
        if not all(row.is_satisfied(columns) for row in rows):
            return ProgramSolution(None, worst, exact=False)
    if result.status == 0 and columns is not None:
        return ProgramSolution(columns, sum(costs[column] for column in columns), exact=True)
    bound = getattr(result, "mip_dual_bound", None)
    least = worst if bound is None or not np.isfinite(bound) else max(worst, _round_up(bound))
    return ProgramSolution(columns, least, exact=result.status == 2)


def _run_milp(
    costs: Sequence[int], rows: Sequence[Constraint], integrality: int, options: Mapping[str, float]
) -> Any:
    # Slow to load, and only what has been measured to the end is chosen from.
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415
    from scipy.sparse import csr_array  # noqa: PLC0415

    entries = [
        (index, column, weight)
        for index, row in enumerate(rows)
        for column, weight in row.weights.items()
    ]
    row_indices, columns, weights = zip(*entries, strict=True) if entries else ((), (), ())
    matrix = csr_array(
        (np.array(weights, float), (row_indices, columns)), shape=(len(rows), len(costs))
    )
    limits = ([row.least for row in rows], [row.most for row in rows])
    return milp(
        np.array(costs, float),
        integrality=np.full(len(costs), integrality),
        bounds=Bounds(0, 1),
        constraints=[LinearConstraint(matrix, *limits)] if rows else (),
        options=dict(options),
    )


def _round_up(value: float) -> int:
    return ceil(value - _ROUNDING)
