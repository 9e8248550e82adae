"""What a fitted network says about causes: effects, predictions, and what to do next.

- :func:`effect_table`: all total effects with standard errors, given the graph;
- :func:`class_effects`: effects over the members of an equivalence class;
- :func:`adjustment_sets`: what to adjust for;
- :func:`predict`, :func:`sample_given`, :func:`impute`: under interventions and given evidence;
- :func:`next_experiments`: what to set next, so that most directions become known;
- :func:`edge_power`: rows needed to see an edge.
"""

from arcs.effects.adjustment import AdjustmentSets, adjustment_sets
from arcs.effects.classes import ClassEffects, class_effects, is_amenable
from arcs.effects.design import Experiment, next_experiments, possible_answers
from arcs.effects.power import EdgePower, edge_power
from arcs.effects.precision import CoefficientPrecision, implied_precision
from arcs.effects.prediction import (
    Conditional,
    Prediction,
    conditional,
    impute,
    predict,
    sample_given,
)
from arcs.effects.question import BootstrapEffects, Effect
from arcs.effects.total import EffectTable, effect_table

__all__ = [
    "AdjustmentSets",
    "BootstrapEffects",
    "ClassEffects",
    "CoefficientPrecision",
    "Conditional",
    "EdgePower",
    "Effect",
    "EffectTable",
    "Experiment",
    "Prediction",
    "adjustment_sets",
    "class_effects",
    "conditional",
    "edge_power",
    "effect_table",
    "implied_precision",
    "impute",
    "is_amenable",
    "next_experiments",
    "possible_answers",
    "predict",
    "sample_given",
]
