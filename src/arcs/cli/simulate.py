"""``arcs simulate``: data from a known network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcs.cli import options
from arcs.cli.console import output, print_json
from arcs.cli.failures import CommandError

if TYPE_CHECKING:
    from arcs.graphs import GaussianDag
    from arcs.simulate import Simulated

__all__ = ["simulate"]

_COLUMN = "intervention"


def simulate(
    out: Annotated[Path, typer.Argument(metavar="OUT", help="CSV file to write.")],
    network: options.NetworkName = None,
    copies: options.Copies = 1,
    nodes: options.Nodes = None,
    edges: options.Edges = None,
    rows: options.Rows = 500,
    per_target: options.RowsPerTarget = 0,
    targets: options.Targets = None,
    truth: options.TruthFile = None,
    seed: options.Seed = 0,
    shuffle: options.Shuffle = True,
    json_: options.Json = False,
) -> None:
    """Draw data from a known network.

    Writes the data and the true model. Coefficients and noise are those of the Gaussian networks,
    or random ones of size 0.5 to 0.8, scaled to unit variances.

    \b
    Examples:
      arcs simulate alarm.csv --network alarm --rows 400
      arcs simulate toy.csv --nodes 20 --edges 40 -n 0 --rows-per-target 5
    """
    from arcs.graphs.formats import write_graph

    if (network is None) == (nodes is None):
        raise typer.BadParameter("give either --network or --nodes", param_hint="--network")
    if targets is not None and not per_target:
        raise typer.BadParameter("needs --rows-per-target", param_hint="--targets")
    if not out.parent.is_dir():
        raise CommandError(f"{out.parent}: there is no such folder; make it first")
    graph, weights, sampling = _seeds(seed)
    model = _model(network, copies, nodes, edges, graph, weights)
    drawn = _draw(model, rows, per_target, targets, sampling, shuffle)
    true_path = (
        truth if truth is not None else out.with_name(f"{out.name.split('.')[0]}-truth.json")
    )
    _write_data(drawn, out)
    write_graph(drawn.truth, true_path)
    facts = {"rows": drawn.data.n, "variables": drawn.truth.p, "edges": drawn.truth.n_edges}
    if json_:
        print_json({**facts, "data": str(out), "truth": str(true_path), "seed": seed})
        return
    console = output()
    experiment = f', interventions in column "{_COLUMN}"' if per_target else ""
    size = f"{drawn.data.n:,} rows, {drawn.truth.p:,} variables"
    console.print(f"{out}: {size}{experiment}", soft_wrap=True)
    console.print(f"{true_path}: the true model, {drawn.truth.n_edges:,} edges", soft_wrap=True)


def _seeds(seed: int) -> list[Any]:
    """Independent random streams for graph, weights and rows."""
    import numpy as np

    return [np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(3)]


def _model(
    name: str | None, copies: int, nodes: int | None, edges: int | None, graph: Any, weights: Any
) -> GaussianDag:
    from arcs.simulate import network, random_dag, random_weights

    if name is None:
        size = 0 if nodes is None else nodes
        most = size * (size - 1) // 2
        return random_weights(
            random_dag(size, min(size, most) if edges is None else edges, graph), weights
        )
    found = network(name, copies)
    return found.gaussian if found.gaussian is not None else random_weights(found, weights)


def _draw(
    model: GaussianDag, rows: int, per_target: int, targets: str | None, rng: Any, shuffle: bool
) -> Simulated:
    from arcs.simulate import sample, sample_experiments

    if not per_target:
        return sample(model, rows, rng, shuffle=shuffle)
    chosen: Any = "each"
    if targets is not None:
        chosen = [name.strip() for name in targets.split(",")]
    return sample_experiments(model, chosen, per_target, rng, n_observational=rows, shuffle=shuffle)


def _write_data(drawn: Simulated, path: Path) -> None:
    import csv

    from arcs.files import write_atomically

    data = drawn.data
    values = [] if data.values is None else data.values.tolist()
    with write_atomically(path) as stream:
        writer = csv.writer(stream, lineterminator="\n")
        design = data.interventions
        if design is None:
            writer.writerow(data.names)
            writer.writerows(values)
            return
        writer.writerow([*data.names, _COLUMN])
        labels = [design.label(regime) for regime in range(len(design.targets))]
        for row, regime in zip(values, design.regime.tolist(), strict=True):
            writer.writerow([*row, labels[regime]])
