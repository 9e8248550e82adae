"""The time before and around a fit: what commands take, and which imports are to blame.

    python benchmarks/startup.py [--repeats 5] [--other CHECKOUT]

Every command runs in a process of its own, with everything compiled, on a table of 200 rows and 20
variables. The least of several runs counts (others were disturbed). With another checkout, each
command runs in both in turn, and the median of the ratios of CPU times is printed: a machine that
has other work to do disturbs both. Imports are measured by ``python -X importtime``, which takes
some time itself: the least time of each module over the runs, summed by package. Bytecode is kept,
as it is for an installed package.
"""

from __future__ import annotations

import argparse
import json
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
    parser.add_argument("--other", type=Path, help="another checkout")
    asked = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        table, out = Path(folder, "table.csv"), Path(folder, "out")
        write_table(table)
        fit = ["-m", "arcs", "fit", str(table), "--out", str(out), "--quiet"]
        commands = {
            "python -c pass": ["-c", "pass"],
            "import numpy": ["-c", "import numpy"],
            "import scipy.special": ["-c", "import scipy.special"],
            "import numba": ["-c", "import numba"],
            "import typer, pydantic": ["-c", "import typer, pydantic"],
            "import arcs": ["-c", "import arcs"],
            "arcs --help": ["-m", "arcs", "--help"],
            "arcs fit, 25 resamples": [*fit, "--bootstrap", "25", "--jobs", "1"],
            "arcs fit --bootstrap 0": [*fit, "--bootstrap", "0"],
            "arcs show": ["-m", "arcs", "show", str(out)],
        }
        print(f"{'command':28} {'CPU s':>7} {'wall s':>7}")
        for name, command in commands.items():
            ours = name.startswith("arcs")
            print_times(name, command, asked.repeats, asked.other if ours else None)
        load = json.loads((out / "result.json").read_text())["timings"]["load"]
        print(f"{'of a fit, reading kernels':28} {'':7} {load:7.2f}")
        for name in ("arcs fit --bootstrap 0", "arcs show"):
            print_imports(name, commands[name], asked.repeats)


def print_times(name: str, command: list[str], repeats: int, other: Path | None) -> None:
    """Least times of a command, and its share of what it takes in another checkout."""
    elsewhere = {} if other is None else {"PYTHONPATH": str(other / "src")}
    run(command)  # so that all is compiled
    if other is not None:
        run(command, elsewhere)
    here, there = [], []
    for _ in range(repeats):
        here.append(run(command))
        if other is not None:
            there.append(run(command, elsewhere))
    cpu, wall = np.min(here, axis=0)
    line = f"{name:28} {cpu:7.2f} {wall:7.2f}"
    if there:
        least, _ = np.min(there, axis=0)
        ratio = np.median([one[0] / two[0] for one, two in zip(here, there, strict=True)])
        line += f"   {ratio:.2f} of the {least:.2f} CPU s of the other"
    print(line, flush=True)


def write_table(path: Path) -> None:
    """200 rows of a random tree of 20 variables."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 20))
    for j in range(1, 20):
        rows[:, j] += 0.7 * rows[:, rng.integers(j)]
    header = ",".join(f"g{j}" for j in range(20))
    np.savetxt(path, rows, delimiter=",", header=header, comments="")


def run(command: list[str], more: dict[str, str] | None = None) -> tuple[float, float]:
    """CPU and wall seconds of a process, with more in its environment."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    room = {**os.environ, **(more or {})}
    subprocess.run([sys.executable, *command], check=True, capture_output=True, env=room)
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
