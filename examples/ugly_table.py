"""
An ugly table, from start to finish
===================================

Tables as people have them: ids, dates, three batches measured on different days, patients of
both sexes and all ages, holes, a column that never varies. We make one, so that the truth is
known: 30 genes with 35 direct effects among them, 300 patients; batch, age and sex move most
genes.
"""

import numpy as np
import pandas as pd

from arcs.simulate import random_dag, random_weights, sample

rng = np.random.default_rng(1000)
drawn = sample(random_weights(random_dag(30, 35, 1000), 1000), 300, 1000)
frame = pd.DataFrame(drawn.data.values, columns=[f"gene{k}" for k in range(30)])

batch = rng.integers(3, size=300)
age = rng.uniform(20, 80, 300)
sex = rng.choice(["f", "m"], 300)
frame += rng.normal(0, 1.5, (3, 30))[batch]
frame += np.outer((age - 50) / 20, rng.normal(0, 0.7, 30))
frame += np.outer(sex == "m", rng.normal(0, 1.0, 30))
frame = frame.mask(rng.random(frame.shape) < 0.01)
frame.insert(0, "patient", [f"P{k:03}" for k in range(300)])
frame["visit"] = pd.date_range("2024-01-01", periods=300).strftime("%Y-%m-%d")
frame = frame.assign(batch=batch, age=age.round(), sex=sex, dilution=10.0)
frame.iloc[:4, [0, 1, 2, 3, -5, -4, -3, -2, -1]]

# %%
# What the package says about it
# ------------------------------
#
# Nothing is silently dropped: what cannot be used as it is gets refused, with the remedy.

import textwrap

from arcs import ARCS, evaluate
from arcs.errors import DataError

try:
    ARCS(random_state=0).fit(frame)
except DataError as error:
    print(textwrap.fill(str(error), 80))

# %%
# ``patient`` and ``visit`` are no variables: they are excluded. ``batch``, ``age`` and ``sex``
# are not what we want arrows between, but they act on the genes: they are *adjusted for*.
# (``C(batch)`` says that the numbers of batches are names.) Holes are filled in by the EM
# algorithm, and a column that does not vary is kept as a node without edges.

model = ARCS(random_state=0).fit(
    frame,
    exclude=["patient", "visit"],
    adjust="C(batch) + age + sex",
    missing="em",
    constant="isolate",
)
print(model.result_.summary())

# %%
# Was it worth it?
# ----------------
#
# The same without the adjustment: covariates left out, their effects in the data.

plain = ARCS(random_state=0).fit(
    frame.drop(columns=["patient", "visit", "batch", "age", "sex", "dilution"]), missing="em"
)
truth = drawn.truth
genes = [k for k, name in enumerate(model.result_.names) if name.startswith("gene")]
print("adjusted:    ", evaluate(model.adjacency_[np.ix_(genes, genes)], truth.adjacency))
print("not adjusted:", evaluate(plain.adjacency_, truth.adjacency))

# %%
# What moves many variables at once makes an edge between every two of them. That is the most
# frequent reason for graphs that are too dense (:doc:`/understanding/faq`).
#
# The picture, and the strongest edges
# ------------------------------------

model.result_.plot()

# %%
columns = ["from", "to", "coefficient", "interval_low", "interval_high", "direction"]
model.result_.edges()[columns].head(8).round(2)

# %%
# The same on the command line
# ----------------------------
#
# .. not run: it is the fit above once more
#
# .. code-block:: console
#
#    $ arcs fit genes.csv --exclude patient,visit --adjust "C(batch) + age + sex" \
#          --missing em --constant isolate
#
# If conditions (treatments, cell lines) may have other means, but are what you want to learn
# from, name them with ``conditions=`` (``--conditions COLUMN``) instead: :doc:`sachs` shows
# what that does.
