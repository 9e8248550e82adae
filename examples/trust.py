"""
Which edges can I trust?
========================

A learned graph is an estimate. This page asks three questions of it: would the edge come back
with other data? Does its direction follow from the data at all? And do independent searches
agree?

We use data of which the truth is known, so that the answers can be checked: the signalling
network of Sachs et al. with 300 simulated cells, no experiments.
"""

import numpy as np

from arcs import ARCS, evaluate
from arcs.simulate import network, random_weights, sample

drawn = sample(random_weights(network("sachs"), 3), 300, 3)
model = ARCS(random_state=0).fit(drawn.data)
names = drawn.data.names
print(evaluate(model.adjacency_, drawn.truth))

# %%
# Would it come back? The bootstrap
# ---------------------------------
#
# Rows are drawn again, with replacement, and the graph is learned anew. ``confidence`` counts
# how often two variables were joined, ``direction`` in which share of these cases the arrow
# pointed that way.

from arcs.confidence import bootstrap

again = bootstrap(drawn.data, "arcs", 40, random_state=0)
confidence, direction = again.confidence, again.direction()

true = drawn.truth.adjacency
pairs = [(i, j) for i, j in np.argwhere(np.triu(confidence > 0.1))]
for i, j in sorted(pairs, key=lambda pair: -confidence[tuple(pair)]):
    tail, head = (i, j) if direction[i, j] >= direction[j, i] else (j, i)
    verdict = "true" if true[tail, head] else "turned" if true[head, tail] else "false"
    print(
        f"{names[tail]:5} -> {names[head]:5}  joined {confidence[i, j]:4.0%}"
        f"  direction {direction[tail, head]:4.0%}  {verdict}"
    )

# %%
# Edges that are there in more than half of the resamples make the *averaged network*:

print(evaluate(again.averaged(), drawn.truth))

# %%
# A confidence is a measure of stability, not the probability that an edge is true. An edge that
# an unmeasured common cause makes comes back every time.
#
# Can the data tell the direction?
# --------------------------------
#
# Without experiments several DAGs describe the same distribution. The CPDAG shows which
# directions they share; the others are *open*, whatever the arrow in the picture says.

from arcs.plots import plot_cpdag

plot_cpdag(model.result_)

# %%
# Directions that are open have a bootstrap share near one half, or one that only reflects the
# order of things in the search. An experiment settles them (:doc:`experiments`), and so does
# :doc:`background knowledge <knowledge>`.
#
# Do independent searches agree?
# ------------------------------
#
# The search starts from a random order. If several of them end at the same graph, the optimum
# has probably been found; if not, trust what they share and use more chains.

from arcs.confidence import chain_agreement

agreement = chain_agreement(drawn.data, 4, random_state=0)
print(f"{agreement.largest_group():.0%} of the searches found the same equivalence class;")
print(f"their scores differ by {agreement.score_range():.2f}")

# %%
# How large is the effect?
# ------------------------
#
# Intervals of coefficients take the graph as given. They are too narrow, because the graph was
# chosen with the same rows (:doc:`/understanding/faq`), but they tell strong from weak:

columns = ["from", "to", "coefficient", "interval_low", "interval_high", "p_value", "direction"]
model.result_.edges()[columns].round(3)
