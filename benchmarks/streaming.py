"""Peak memory of reading a table that is larger than what may be held of it.

Writes a Parquet file of 10 million rows x 100 columns (8 GB of numbers) chunk by chunk into a
temporary folder, streams it in a child process with ``Dataset.from_file(..., in_memory=False)``,
and reports the child's peak resident memory and time. The bound is 1 GiB.

    python benchmarks/streaming.py [--rows 10000000] [--columns 100] [--folder DIR]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

LIMIT = 1 << 30
CHUNK = 100_000

CHILD = """
import json, resource, sys, time
from arcs.data import Dataset
imported = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
data = Dataset.from_file(sys.argv[1], in_memory=False)
statistics = data.statistics()
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({
    "rows": statistics.n_rows, "seconds": seconds, "imported": 1024 * imported,
    "peak": 1024 * peak, "edge": float(statistics.gram(0)[0, 1]),
}))
"""


def write(path: Path, rows: int, columns: int) -> None:
    """A chain x0 -> x1 -> ..., in chunks; no more than one of them is ever in memory."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    names = [f"v{j}" for j in range(columns)]
    schema = pa.schema([(name, pa.float64()) for name in names])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for start in range(0, rows, CHUNK):
            values = rng.standard_normal((min(CHUNK, rows - start), columns))
            values[:, 1] += values[:, 0]
            columns_of_chunk = [np.ascontiguousarray(values[:, j]) for j in range(columns)]
            writer.write_table(pa.table(columns_of_chunk, schema=schema))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=100)
    parser.add_argument("--folder", help="where to put the temporary file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        path = Path(folder) / "large.parquet"
        start = time.perf_counter()
        write(path, options.rows, options.columns)
        size = path.stat().st_size
        print(f"wrote {size / 1e9:.2f} GB in {time.perf_counter() - start:.0f} s")
        answer = subprocess.run(
            [sys.executable, "-c", CHILD, str(path)], check=True, capture_output=True, text=True
        )
    found = json.loads(answer.stdout)
    print(
        f"streamed {found['rows']:,} rows x {options.columns} columns in {found['seconds']:.1f} s; "
        f"peak resident memory {found['peak'] / 2**20:.0f} MiB "
        f"(of which imports {found['imported'] / 2**20:.0f} MiB)"
    )
    assert found["rows"] == options.rows
    assert abs(found["edge"] - np.sqrt(0.5)) < 5 / np.sqrt(options.rows)
    within = found["peak"] < LIMIT
    print(f"bound of {LIMIT / 2**20:.0f} MiB: {'kept' if within else 'EXCEEDED'}")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
