"""Write the protein-signalling data that ship with ARCS from a cdt wheel.

The wheel of the causal discovery toolbox (cdt, MIT licence) carries the 7,466 single-cell
measurements of Sachs et al. (Science 308, 2005), the nine experiments one below the other and
without a column that tells them apart. This script renames the proteins, adds the number of the
experiment from the known sizes and writes one compressed CSV file.

    python tools/extract_sachs.py cdt-0.6.0-py3-none-any.whl src/arcs/datasets/sachs.csv.gz

That the rows are in this order is checked by `tests/datasets/test_sachs.py`: the boundaries are
where the joint distribution changes, and the known effects of the reagents are in their blocks.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import zipfile
from pathlib import Path

MEMBER = "cdt/data/resources/cyto_full_data.csv"
SIZES = (853, 902, 911, 723, 810, 799, 848, 913, 707)
NAMES = {
    "praf": "raf",
    "pmek": "mek",
    "plcg": "plcg",
    "PIP2": "pip2",
    "PIP3": "pip3",
    "p44/42": "erk",
    "pakts473": "akt",
    "PKA": "pka",
    "PKC": "pkc",
    "P38": "p38",
    "pjnk": "jnk",
}


def sachs_csv(wheel: Path) -> str:
    """The table as text: experiment (1 to 9), then one column per protein."""
    with zipfile.ZipFile(wheel) as archive:
        rows = list(csv.reader(io.StringIO(archive.read(MEMBER).decode("utf-8"))))
    header, cells = rows[0], rows[1:]
    if len(cells) != sum(SIZES):
        raise SystemExit(f"expected {sum(SIZES)} rows, found {len(cells)}")
    experiment = [number for number, size in enumerate(SIZES, start=1) for _ in range(size)]
    lines = [",".join(["experiment", *(NAMES[name] for name in header)])]
    for number, row in zip(experiment, cells, strict=True):
        lines.append(",".join([str(number), *(f"{float(cell):g}" for cell in row)]))
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, help="path of a cdt wheel")
    parser.add_argument("target", type=Path, help="the .csv.gz file to write")
    options = parser.parse_args()
    # No time stamp inside, so that the same input gives the same bytes.
    options.target.write_bytes(gzip.compress(sachs_csv(options.wheel).encode(), 9, mtime=0))
    print(f"{options.target}: {options.target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
