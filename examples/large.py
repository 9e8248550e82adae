"""
Large networks
==============

A thousand variables, 500 rows, one core. What changes when p is large: how long it takes, what
to look at, and how many rows are needed.
"""

from arcs import ARCS, evaluate
from arcs.simulate import random_dag, random_weights, sample

p = 1000
drawn = sample(random_weights(random_dag(p, 2 * p, 0), 0), 500, 0)
model = ARCS(random_state=0, time_limit=10).fit(drawn.data)
found = evaluate(model.adjacency_, drawn.truth)
result = model.result_
print(f"{result.stopped} after {result.timings['total']:.0f} s: {found.P} edges, SHD {found.SHD}")

# %%
# Ten seconds are enough to come close: most of the time of a whole fit goes into making sure
# (:doc:`/howto/speed`). The trace shows when the score stopped improving.

from arcs.plots import plot_trace

plot_trace(result)

# %%
# More variables than rows is no obstacle, as long as each variable has few parents: the price
# of an edge, ``0.5 log n + log p``, grows with the logarithm of p only. What suffers are weak
# edges.
#
# What to look at
# ---------------
#
# A drawing of 2,000 edges tells nothing. Ask for neighbourhoods instead: the Markov blanket of
# a variable is all that one needs to predict it.

hub = int(model.adjacency_.sum(axis=1).argmax())
name = result.names[hub]
blanket = result.dag.markov_blanket(hub)
print(
    f"{name} acts on {model.adjacency_[hub].sum()} variables; its Markov blanket has {len(blanket)}"
)

# %%
# Or for the strongest edges:

result.edges()[["from", "to", "standardised", "p_value", "direction"]].head()

# %%
# Bootstrapping a thousand variables takes as many fits as resamples. With ``patience=1`` each
# is several times quicker, which is enough for counting: ``bootstrap(data, ARCS(patience=1),
# 50, n_jobs=-1)`` takes a learner, ``arcs fit data.csv --bootstrap 50 --jobs -1 --set
# patience=1`` does the same.
