"""Which function costs what to compile: the first default fit of a process, nothing on disk.

    python tools/compile_times.py [--top 30]

CPU seconds of each compiled function, without those compiled on its behalf, and their sum.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--top", type=int, default=30)
    top = parser.parse_args().top
    with tempfile.TemporaryDirectory() as room:
        os.environ["NUMBA_CACHE_DIR"] = room
        from arcs.cli.warmup import compile_default_fit

        begin = time.process_time()
        compiled = compile_default_fit()
        spent = time.process_time() - begin
    ordered = sorted(compiled.functions.items(), key=lambda item: -item[1])
    own = sum(compiled.functions.values())
    print(f"{compiled.count} functions: {own:.1f} of {spent:.1f} CPU s")
    for name, seconds in ordered[:top]:
        print(f"{seconds:7.2f}  {name}")


if __name__ == "__main__":
    main()
