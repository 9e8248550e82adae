"""The time before and around a fit: what commands take, and which imports are to blame.

    python benchmarks/startup.py [--repeats 5]

Every command runs in a process of its own, with everything compiled, on a table of 200 rows and 20
variables. The least of several runs counts (others were disturbed). Imports are measured by
``python -X importtime``, which takes some time itself: the least time of each module over the runs,
summed by package. Bytecode is kept, as it is for an installed package.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder, "table.csv"), Path(folder, "out")
        write_table(table)
        fit = ["-m", "arcs", "fit", str(table), "--out", str(out), "--quiet"]
        commands = {
            "python -c 'import numpy'": ["-c", "import numpy"],
            "python -c 'import numba'": ["-c", "import numba"],
            "python -c 'import arcs'": ["-c", "import arcs"],
            "arcs --help": ["-m", "arcs", "--help"],
            "arcs fit, 25 resamples": [*fit, "--bootstrap", "25"],
            "arcs fit --bootstrap 0": [*fit, "--bootstrap", "0"],
            "arcs show": ["-m", "arcs", "show", str(out)],
        }
        run(commands["arcs fit, 25 resamples"])  # so that all is compiled
        print(f"{'command':28} {'CPU s':>7} {'wall s':>7}")
        for name, command in commands.items():
            cpu, wall = np.min([run(command) for _ in range(repeats)], axis=0)
            print(f"{name:28} {cpu:7.2f} {wall:7.2f}")
        for name in ("arcs fit --bootstrap 0", "arcs show"):
            print_imports(name, commands[name], repeats)


def write_table(path: Path) -> None:
    """200 rows of a random tree of 20 variables."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 20))
    for j in range(1, 20):
        rows[:, j] += 0.7 * rows[:, rng.integers(j)]
    header = ",".join(f"g{j}" for j in range(20))
    np.savetxt(path, rows, delimiter=",", header=header, comments="")


def run(command: list[str]) -> tuple[float, float]:
    """CPU and wall seconds of a process."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime, wall


def print_imports(name: str, command: list[str], repeats: int) -> None:
    """Milliseconds that imports take, by package."""
    least: dict[str, float] = {}
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", *command],
            check=True,
            capture_output=True,
            text=True,
        )
        for line in done.stderr.splitlines():
            words = line.removeprefix("import time:").split("|")
            if line.startswith("import time:") and words[0].strip().isdigit():
                module, spent = words[2].strip(), float(words[0]) / 1000
                least[module] = min(spent, least.get(module, spent))
    packages: dict[str, float] = defaultdict(float)
    for module, spent in least.items():
        packages[module.split(".")[0]] += spent
    print(f"\n{name}: {sum(least.values()):.0f} ms of imports, {len(least)} modules")
    for package, spent in sorted(packages.items(), key=lambda item: -item[1])[:12]:
        print(f"{spent:8.0f} ms  {package}")


if __name__ == "__main__":
    main()
