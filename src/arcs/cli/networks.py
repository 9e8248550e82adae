"""``arcs networks``: the networks that ship with the package."""

from __future__ import annotations

from arcs.cli import options
from arcs.cli.console import new_table, output, print_json

__all__ = ["networks"]


def networks(
    json_: options.Json = False,
) -> None:
    """List the networks of the Bayesian network repository.

    They serve ``arcs simulate --network NAME`` and ``network:NAME`` as a truth.

    \b
    Example:
      arcs networks
    """
    from arcs.simulate import network, network_names

    rows = []
    for name in network_names():
        found = network(name)
        parents = int(found.adjacency.sum(axis=0).max(initial=0))
        kind = "gaussian" if found.gaussian is not None else "graph only"
        rows.append((found.name, found.p, found.n_edges, parents, kind))
    keys = ("name", "nodes", "edges", "max_parents", "parameters")
    if json_:
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
        return
    heads = ("network", "nodes", "edges", "most parents", "parameters")
    sides = ("left", "right", "right", "right", "left")
    table = new_table(*zip(heads, sides, strict=True))
    for row in rows:
        table.add_row(*(f"{value:,}" if isinstance(value, int) else value for value in row))
    output().print(table)
