"""Pictures of results, with matplotlib (the extra ``viz``).

Every function takes a result and optional axes, returns the axes, and never calls ``show``. Without
axes it makes a figure that belongs to nobody but ``ax.figure``:

>>> ax = plot_dag(result)                          # doctest: +SKIP
>>> ax.figure.savefig("graph.pdf")                 # doctest: +SKIP
"""

from arcs.plots.boxplots import plot_boxplots
from arcs.plots.edges import EdgeRow, edge_rows, intervened_nodes, standardised_coefficients
from arcs.plots.graphs import edge_kinds, plot_comparison, plot_cpdag, plot_dag
from arcs.plots.layout import Layout, layout_graph
from arcs.plots.matrices import plot_adjacency
from arcs.plots.searches import plot_trace, plot_tuning

__all__ = [
    "EdgeRow",
    "Layout",
    "edge_kinds",
    "edge_rows",
    "intervened_nodes",
    "layout_graph",
    "plot_adjacency",
    "plot_boxplots",
    "plot_comparison",
    "plot_cpdag",
    "plot_dag",
    "plot_trace",
    "plot_tuning",
    "standardised_coefficients",
]
