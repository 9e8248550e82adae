"""Graphs in other people's formats, both ways.

Every module states its direction convention first. What a format keeps:

=================  ==========  ============  ===============  ==========  =========
format             structure   coefficients  standard errors  variances,  undirected
                                                              intercepts  edges
=================  ==========  ============  ===============  ==========  =========
``json``           yes         yes           yes              yes         yes
``graphml``        yes         yes           yes              yes         yes
``dot``            yes         yes           yes              yes         yes
networkx objects   yes         yes           yes              yes         yes
``edges`` (CSV)    yes         yes           yes              no          yes
``adjacency`` CSV  yes         yes           no               no          yes
``dagitty``        yes         yes           no               no          yes
``bnlearn``        yes         no            no               no          no
``bnlearn-fit``    yes         yes           no               yes         no (an R script)
``tetrad``         yes         no            no               no          yes
``cx2``            yes         yes           yes              yes         yes
``sif``            yes         signs         no               no          yes
causal-learn       yes         no            no               no          yes
pgmpy objects      yes         yes           no               yes         yes
=================  ==========  ============  ===============  ==========  =========

Coefficients and variances that a format does not keep come back as one.
"""

from arcs.graphs.formats.causal_learn import from_causallearn, to_causallearn
from arcs.graphs.formats.files import (
    FORMATS,
    graph_from_text,
    graph_to_text,
    read_graph,
    write_graph,
)
from arcs.graphs.formats.networkx_graphs import from_networkx, to_networkx
from arcs.graphs.formats.pgmpy_models import from_pgmpy, to_pgmpy

__all__ = [
    "FORMATS",
    "from_causallearn",
    "from_networkx",
    "from_pgmpy",
    "graph_from_text",
    "graph_to_text",
    "read_graph",
    "to_causallearn",
    "to_networkx",
    "to_pgmpy",
    "write_graph",
]
