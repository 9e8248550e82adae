"""
Background knowledge
====================

What is known should be said: age comes before disease, a transcription factor acts on its gene
and not the other way round. The search obeys such statements, and directions that they settle
are identified.
"""

from arcs import ARCS, Knowledge, evaluate
from arcs.simulate import network, random_weights, sample

drawn = sample(random_weights(network("asia"), 5), 400, 5)
names = drawn.data.names
free = ARCS(random_state=0).fit(drawn.data)
print(evaluate(free.adjacency_, drawn.truth, experimental=True))

# %%
# Five kinds of statements: required and forbidden edges, tiers (groups in the order of time),
# roots (nothing acts on them) and leaves (they act on nothing).

known = Knowledge(
    tiers=[["asia", "smoke"], ["tub", "lung", "bronc"], ["either"], ["xray", "dysp"]],
    required=[("smoke", "lung")],
    leaves=["xray"],
)
model = ARCS(knowledge=known, random_state=0).fit(drawn.data)
print(evaluate(model.adjacency_, drawn.truth, experimental=True))

# %%
# The equivalence class takes the knowledge into account: lines are what is open even now.

from arcs.plots import plot_cpdag

plot_cpdag(model.result_)

# %%
# Statements that contradict each other are refused at once, and named:

from arcs.errors import KnowledgeError

try:
    Knowledge(tiers=[["asia"], ["tub"]], required=[("tub", "asia")])
except KnowledgeError as error:
    print(error)

# %%
# In a file, for ``arcs fit data.csv -k known.toml`` (CSV and Tetrad's knowledge file work as
# well, see :doc:`/reference/formats`):

from arcs.knowledge import write_knowledge

print(write_knowledge(known, "known.toml").read_text())

# %%
# Other methods obey it, too: ``learner("ges", knowledge=known)``, and ``pc``, ``hc``, ``cd``,
# ``gies``. Those that cannot, refuse it.
#
# A required edge costs nothing and stays in the graph however weak it is. Require what you are
# sure of, forbid what cannot be, and leave the rest to the data.
