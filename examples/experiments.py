"""
Experiments: hard, soft, unknown
================================

Observational data leave directions open. Experiments identify them, if the analysis knows what
was done. This page treats the three cases: a variable was *set* (hard), it *responds
differently* (soft), or only the *condition* is on record (unknown).

Hard: a variable was set
------------------------

Knock-outs, clamps, randomised doses. Rows in which a variable was set say nothing about what
acts on it, and are left out of its own regression only. Ten variables, each set in 10 rows,
beside 100 rows in which nothing was done:
"""

import numpy as np

from arcs import ARCS, evaluate
from arcs.simulate import random_dag, random_weights, sample_experiments

truth = random_weights(random_dag(10, 14, 1), 1)
drawn = sample_experiments(truth, "each", 10, 1, n_observational=100)
truth = drawn.truth

as_hard = ARCS(random_state=0).fit(drawn.data)
ignored = ARCS(random_state=0).fit(drawn.data.values)  # the values alone: nobody says what was done
for label, model in (("targets used", as_hard), ("ignored", ignored)):
    found = evaluate(model.adjacency_, truth, experimental=True)
    print(f"{label:14} {found.TP} right, {found.R} reversed, {found.FP} extra, {found.M} missing")

# %%
# In a frame the targets are a column with names (``"X3"``, ``"X1,X3"``, blank or
# ``"control"``): ``fit(frame, interventions="target")``; on the command line ``arcs fit
# data.csv -i target``.
#
# All directions are identified now: the equivalence class has no open edges.

print(as_hard.cpdag_.undirected.any())

# %%
# Soft: a variable responds differently
# -------------------------------------
#
# A drug may weaken a response or make it noisier. The variable keeps its parents; treating it
# as set throws away rows, and worse: its parents may be explained by it for nothing. Here half
# of the variables have four times the noise variance in three conditions:

rng = np.random.default_rng(1000)
larger = random_weights(random_dag(40, 80, 1000), 1000)
regimes = [(), *(tuple(rng.choice(40, 20, replace=False).tolist()) for _ in range(3))]
soft = sample_experiments(larger, regimes, [50, 150, 150, 150], 1000, kind="noise")
for kind in ("hard", "soft"):
    model = ARCS(intervention_kind=kind, random_state=0).fit(soft.data)
    shd = evaluate(model.adjacency_, soft.truth, experimental=True).SHD
    print(f"taken as {kind}: SHD {shd}")

# %%
# (Over 20 such data sets the mean distances are 13.8 and 0.7: :doc:`/method/regimes`.)
#
# Unknown: only the condition is on record
# ----------------------------------------
#
# Drugs hit more than they should, and nobody wrote down what. With labels of conditions alone
# ARCS finds the structure and what each condition changed, with the evidence (how much longer
# the description of the data would be without the change; more is surer).

unknown = sample_experiments(larger, [(), (3,), (7, 11)], [200, 100, 100], 4, kind="noise")
design = unknown.data.interventions
labels = np.array(["control", "drug A", "drug B"])[design.regime]
model = ARCS(intervention_kind="unknown", random_state=0)
model.fit(unknown.data.values, interventions=labels)
for change in model.changes_:
    print(f"{change.regime}: {change.kind} of {change.target}, evidence {change.evidence:.0f}")

true_targets = {
    str(label): [int(k) for k in np.flatnonzero(design.mask[labels == label][0])]
    for label in ("drug A", "drug B")
}
print("in truth:", true_targets)

# %%
# What such data cannot tell is on the page about :doc:`experimental data </method/regimes>`: a
# change in few rows, a variable without parents that is set to what it is anyway, a shift of
# the mean alone.
#
# On the command line: ``arcs fit drugs.csv -i condition --intervention-kind unknown``.
