"""
The Sachs cells, honestly
=========================

The best-known real data with interventions: 7,466 human T cells, 11 phosphorylated proteins and
lipids, nine conditions (Sachs et al., Science 2005). Every paper on structure learning shows
them, usually with one number. Here is what can and what cannot be said.
"""

from arcs.datasets import SACHS_CONDITIONS, load_sachs

sachs = load_sachs()
for condition in SACHS_CONDITIONS:
    print(f"{condition.n_cells:5} cells  {condition.name:28} {condition.effect}")

# %%
# **What is known.** The reagents, their targets, and 17 edges that are usually taken as the
# truth. They are the network that Sachs et al. inferred from these very cells after
# discretisation, checked against the literature: not an independent truth, and some of its
# edges are disputed.
#
# **What is assumed.** Logarithms of the intensities are linear and Gaussian. They are roughly
# that. Inhibitors block the *activity* of a kinase while its *phosphorylated amount* was
# measured, so they do not set the measured value; and two conditions lack the stimulation that
# the others have.

import pandas as pd

design = sachs.data.interventions
frame = pd.DataFrame(sachs.data.values, columns=sachs.data.names)
frame["target"] = [design.label(regime) for regime in design.regime]
frame["condition"] = sachs.conditions
frame.iloc[::1500, [0, 1, 2, -2, -1]].round(2)

# %%
# Three ways to take the conditions
# ---------------------------------
#
# *All cells alike*, but for the rows in which a protein was the target:

from arcs import ARCS, evaluate

alike = ARCS(random_state=0).fit(
    frame.drop(columns="condition"), interventions="target", conditions="none"
)
print(evaluate(alike.adjacency_, sachs.reference, experimental=True))

# %%
# P edges were found, TP of them right, R reversed, FP extra, M missing. Far too many edges: the
# conditions differ in more than their targets. The means of most proteins move, and dependence
# between cells of *different* conditions is taken for effects between proteins.

values = frame[list(sachs.data.names)]
within = values.groupby(sachs.conditions).transform(lambda column: column - column.mean())
(1 - within.var() / values.var()).round(2).rename("share of variance between conditions")

# %%
# *Groups of the same target have means of their own*, the default when there are interventions.
# It helps, but three of the nine conditions have no target, and two have the same:

groups = ARCS(random_state=0).fit(frame.drop(columns="condition"), interventions="target")
print(evaluate(groups.adjacency_, sachs.reference, experimental=True))

# %%
# *Each condition has means of its own*: only the variation among cells of the same condition
# counts.

careful = ARCS(random_state=0).fit(frame, interventions="target", conditions="condition")
print(evaluate(careful.adjacency_, sachs.reference, experimental=True))
print(careful.result_.summary(top=3))

# %%
from arcs.plots import plot_comparison

plot_comparison(careful.result_, sachs.reference, experimental=True)

# %%
# What to conclude
# ----------------
#
# Few edges, and most of them where the literature has them; several directions are turned.
# Smaller distances have been published for these data, with discretised values and with
# settings chosen against the reference; nothing was chosen here by looking at it. A single
# number on eleven proteins tells little about a method: for that there are simulations
# (:doc:`/results`). What the cells do teach is how much depends on saying which rows belong
# together.
