"""Series with known beginnings, and KB-KSSD once more, step by step, as an oracle."""

import numpy as np


def falling(length=3000, warm=700, *, seed=1, step=0.5, noise=0.01, level=1e-3):
    """Return a series that is slower by `step` until `warm`."""
    rng = np.random.default_rng(seed)
    values = level * (1 + noise * rng.standard_normal(length))
    values[:warm] *= 1 + step
    return values


def naive_kbkssd(x, outlier_window=100, window=500, critical=4.0, step_window=70):
    """Return the index by plain loops over lists, -1 for none."""
    x = list(map(float, x))
    n = len(x)
    for part in np.array_split(np.arange(1, n), max(1, (n - 1) // outlier_window)):
        part_values = [x[position] for position in part]
        high, low = np.percentile(part_values, 98), np.percentile(part_values, 2)
        over = [index for index, sample in enumerate(part_values) if sample > high]
        under = [index for index, sample in enumerate(part_values) if sample < low]
        for index in over + under:
            part_values[index] = float(np.median(part_values))
        for index, sample in zip(part, part_values, strict=True):
            x[index] = sample
    step = _naive_step(np.array(x), step_window)
    shares = []
    sides = [x] if step < 0 else [x[:step], x[step + 1 :]]
    for side in sides:
        if shares:
            shares.append(0.0)
        shares += _naive_shares(side, window, critical)
    if step >= 0:
        shares[: step + 1] = [0.0] * (step + 1)
    start = n
    while start and shares[start - 1] >= 0.95:
        start -= 1
    return -1 if start > n - 2 else start


def _naive_step(x, w):
    d = x - x.mean()
    n = len(d)
    sums = [-2 * float(d[:index].sum()) for index in range(n + 1)]
    long = int(np.argmin(sums)) - 1
    falls = [
        d[index + 15 : index + 30].sum() - d[index : index + 15].sum() for index in range(n - 29)
    ]
    short = int(np.argmin(falls)) + 14
    long, short = (-1 if number == n - 1 else number for number in (long, short))
    if abs(long - short) <= 1:
        long = -1
    small = min(short, long) if long > -1 else short
    if long > -1:
        big = max(short, long)
        if small == 0:
            return big
        fall = np.median(d[max(big - w, 0) : big + 1]) - np.median(d[big + 1 : big + w + 1])
        rest = np.median(d[big + 1 :])
        between = d[small + 1 : big]
        high = len(between) and np.median(between) > 2 * abs(fall) + rest
        step = big if high else small
    else:
        step = short
    if step < 0:
        return -1
    if len(d[:step]) and np.median(d[:step]) - np.median(d[step:]) < abs(np.median(d) / 2):
        return small if step > small else -1
    return step


def _naive_shares(side, window, critical):
    n = len(side)
    if n <= 1:
        return [0.0] * n
    edges = list(range(0, n, window))
    if n - edges[-1] < 3:
        edges.pop()
    if not edges:
        return [-1.0] * n
    shares = []
    for start, stop in zip(edges, [*edges[1:], n], strict=True):
        values = side[start:stop]
        k = len(values)
        slope = (values[-1] - values[0]) / (k - 1)
        mean = (sum(values) - slope * sum(range(1, k + 1))) / k
        squares = sum(
            (sample - slope * number - mean) ** 2 for number, sample in enumerate(values, 1)
        )
        deviation = (squares / (k - 2)) ** 0.5
        near_count = sum(abs(value - mean) <= critical * deviation for value in values)
        shares += [near_count / k] * k
    return shares
