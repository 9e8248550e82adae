"""The table of `benchmarks/discrete.py networks --out FILE`, as Markdown, and what it says.

    python benchmarks/discrete_table.py FILE

Means over the data sets that all methods of a cell's line have in common are not taken: a cell has
the data sets that its method was run on, and tells their number in brackets where it is not five.
Comparisons are over the data sets that both methods have.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

ROWS = (500, 2000, 10_000)
LARGE = ("andes", "pigs", "munin1", "link")
NETWORKS = ("asia", "child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", *LARGE)
PEERS = ("greedy", "tabu", "miic", "pgmpy", "causal-learn")
#: Nats below which scores are the same.
TIE = 1e-6

Fits = dict[tuple[str, int, str], dict[int, tuple[float, float, float]]]


def read(path: str) -> Fits:
    """SHD, nats above the truth and CPU seconds of each network, n, method and data set."""
    fits: Fits = {}
    for line in Path(path).read_text().splitlines():
        name, n, seed, way, *figures = json.loads(line)
        fits.setdefault((name, n, way), {})[seed] = tuple(figures)
    return fits


def cell(found: dict[int, tuple[float, float, float]]) -> str:
    """SHD / CPU seconds, and how many data sets; "> 120" where a method was given up."""
    if not found:
        return ""
    shd, _, seconds = np.mean(list(found.values()), axis=0)
    few = "" if len(found) == 5 else f" ({len(found)})"
    if np.isnan(shd):
        return f"> 120 s{few}"
    digits = f"{shd:.1f}" if len(found) > 1 else f"{shd:.0f}"
    return f"{digits}/{seconds:.2g}{few}"


def both(one: dict[int, tuple], two: dict[int, tuple], at: int) -> tuple[float, float] | None:
    """Means of a figure over common data sets, or None if the second method was given up."""
    common = sorted(set(one) & set(two))
    pairs = [(one[s][at], two[s][at]) for s in common if not np.isnan(two[s][at])]
    if not pairs:
        return None
    first, second = np.mean(pairs, axis=0)
    return float(first), float(second)


def main() -> None:
    """Print the table, then what holds and what does not."""
    fits = read(sys.argv[1])
    closer, farther, better, worse, ratios = [], [], [], [], []
    ways = [way for way in ("ebic", "bic", *PEERS) if any(key[2] == way for key in fits)]
    print("| | n | " + " | ".join(ways) + " |")
    print("|---|--:|" + "--:|" * len(ways))
    for n in ROWS:
        for name in NETWORKS:
            cells = [cell(fits.get((name, n, way), {})) for way in ways]
            print(f"| {name.capitalize()} | {n:,} | " + " | ".join(cells) + " |")
            ours = fits.get((name, n, "ebic"), {})
            shds = [both(ours, fits.get((name, n, way), {}), 0) for way in PEERS]
            known = [pair for pair in shds if pair is not None]
            setting = f"{name} {n}"
            if known:
                (closer if all(a <= b for a, b in known) else farther).append(setting)
            plain = fits.get((name, n, "bic"), ours)
            scores = [both(plain, fits.get((name, n, way), {}), 1) for way in PEERS]
            known = [pair for pair in scores if pair is not None]
            if known:
                (better if all(a <= b + TIE for a, b in known) else worse).append(setting)
            times = both(ours, fits.get((name, n, "greedy"), {}), 2)
            if times and name in LARGE:
                ratios.append(f"{setting}: {times[0] / times[1]:.2f}")
    print(f"\nSHD at or below every peer: {len(closer)}; not: {farther}")
    print(f"BIC at least as good (discrete_score='bic' where run): {len(better)}; not: {worse}")
    print("CPU over pyAgrum's greedy search:", ", ".join(ratios))


if __name__ == "__main__":
    main()
