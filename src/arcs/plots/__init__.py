"""Pictures of results, with matplotlib (the extra ``viz``).

Every function takes a result and optional axes, returns the axes, and never calls ``show``. Without
axes it makes a figure that belongs to nobody but ``ax.figure``::

    ax = plot_dag(result)
    ax.figure.savefig("graph.pdf")
"""

from arcs.plots.audits import plot_audit
from arcs.plots.boxplots import plot_boxplots
from arcs.plots.graphs import edge_kinds, plot_comparison, plot_cpdag, plot_dag
from arcs.plots.layout import Layout, layout_graph
from arcs.plots.matrices import plot_adjacency
from arcs.plots.searches import plot_trace, plot_tuning
from arcs.plots.story import plot_condition_means

__all__ = [
    "Layout",
    "edge_kinds",
    "layout_graph",
    "plot_adjacency",
    "plot_audit",
    "plot_boxplots",
    "plot_comparison",
    "plot_condition_means",
    "plot_cpdag",
    "plot_dag",
    "plot_trace",
    "plot_tuning",
]
