"""
Effects, and what to do next
============================

A graph is not the end: what happens if we change a variable, how sure is that, and which
experiment would teach us most? Observational data from a network of eleven proteins, 500 cells.
"""

from arcs import ARCS
from arcs.simulate import network, random_weights, sample

drawn = sample(random_weights(network("sachs"), 1000), 500, 1000)
result = ARCS(random_state=0).fit(drawn.data).result_
print(result.summary(top=3))

# %%
# The effect of one variable on another
# -------------------------------------
#
# The *total* effect of PKC on Akt adds up all ways from one to the other. It has three
# uncertainties: that of the estimate given the graph; directions that the data leave open,
# which change what has to be adjusted for; and, after a bootstrap, the graphs that other data
# would have led to.

print(result.effect("PKC", "Akt"))

# %%
# All effects at once, the largest first:

result.effects().head(8).round(2)

# %%
# With a bootstrap
# ----------------
#
# Attach one, and effects say in which share of the resamples there was a way at all:

from arcs.confidence import bootstrap

sure = bootstrap(drawn.data, "arcs", 25, random_state=0).attach(result)
columns = ["from", "to", "effect", "ancestor_share", "bootstrap_low", "bootstrap_high"]
sure.effects()[columns].head(8).round(2)

# %%
# What if?
# --------
#
# Set a variable, or observe it: not the same. Under ``do`` nothing upstream moves; after
# observing, the causes of what was seen become more likely as well.

result.predict(do={"Erk": 2.0}).round(2)

# %%
result.predict(given={"Erk": 2.0}).round(2)

# %%
# What to do next
# ---------------
#
# Some directions are open. Setting a variable tells the directions of the edges around it, and
# more by implication. The plan asks for the one that teaches most:

print(result.next_experiments())

# %%
# And how many rows does it take to see an edge?

source, target = result.dag.named_edges()[0]
print(result.power(source, target, n=[50, 100, 200]))

# %%
# All of this assumes what the arrows assume (:doc:`/understanding/faq`). An effect computed
# from observational data is a prediction of what an experiment would show; do the experiment
# where it matters.
