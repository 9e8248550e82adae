"""ARCS on tables with categories: the same search over orders, on scores of families.

Nothing here is loaded by a fit of numbers. What differs from it: the score is one of
:mod:`arcs.scores.discrete` (categories alone) or of :mod:`arcs.scores.mixed` (numbers beside them);
what it says of an edge is final, so that nothing is pruned afterwards;
and a search starts several times, since a single walk sticks more often. All starts share what they
learn of families, so that five of them cost about twice as much as one.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arcs.data import Dataset
from arcs.data.categorical import CategoricalTable
from arcs.data.checks import describe_columns
from arcs.data.mixed import MixedData
from arcs.discrete_results import DiscreteResult, MixedResult, StrengthResult
from arcs.errors import DataError, SettingsError
from arcs.fingerprints import digest_of
from arcs.graphs import Order
from arcs.jobs import workers
from arcs.kernels.compilation import Compilation
from arcs.progress import Laps, Listener, Watch, interruptible
from arcs.scores.cholesky import state_adjacency
from arcs.search import Chain, run_chains
from arcs.search.checkpoint import Checkpoint
from arcs.search.start import Start, as_order, make_starts

if TYPE_CHECKING:
    from arcs.learners.arcs import Arcs
    from arcs.learners.base import Learned, Learner
    from arcs.scores.discrete import DiscreteScore
    from arcs.scores.mixed import MixedScore

__all__ = ["fit_categories", "learn_categories", "rows_of"]

#: Independent starts of a search, unless more are asked for.
STARTS = 5

Rows = CategoricalTable | MixedData


def rows_of(dataset: Dataset) -> Rows:
    """The rows as the search takes them: categories alone, or both kinds of columns."""
    if len(dataset.discrete) == dataset.p:
        return CategoricalTable.of(dataset)
    return MixedData.of(dataset)


def fit_categories(learner: Learner, dataset: Dataset, listener: Listener | None) -> StrengthResult:
    """Learn a network from a table with categories."""
    model = _as_arcs(learner, dataset)
    watch = Watch(model.time_limit, listener)
    table = rows_of(dataset)
    audit = dataset.audit()
    audit.warn()
    with interruptible(watch), Compilation(watch.compiles) as compiled:
        learned = learn_categories(model, dataset, watch, table)
    adjacency = np.asarray(learned.graph)
    stopped = "interrupted" if watch.interrupted else "finished"
    kind = MixedResult if isinstance(table, MixedData) else DiscreteResult
    result = kind.from_table(
        model.name,
        adjacency,
        table,
        order=learned.order,
        score=learned.score,
        penalty=learned.penalty,
        settings=model.settings(),
        seed=model.random_state,
        trace=learned.trace,
        edge_values={"strength": _score(model, table).strengths(adjacency)},
        audit=audit.to_dict(),
        timings={**learned.timings, **compiled.timings(), "total": watch.elapsed},
        stopped="time limit" if watch.timed_out else stopped,
        source=dataset.source,
        preparation=_preparation(dataset),
    )
    if model.knowledge is None:
        return result
    found = result.with_(cpdag=model.equivalence_class(adjacency, table))
    assert isinstance(found, StrengthResult)
    return found


def learn_categories(
    learner: Learner, dataset: Dataset, watch: Watch, table: Rows | None = None
) -> Learned:
    """Find a structure: starts, searches on one score, the best of them."""
    from arcs.learners.base import Learned

    model = _as_arcs(learner, dataset)
    table = rows_of(dataset) if table is None else table
    timings = Laps(watch)
    score = _score(model, table)
    chains = _chains(model, score, _starts(model, table))
    checkpoint = None if watch.expired() else _checkpoint(model, table)
    if checkpoint is not None and model.resume and os.path.exists(checkpoint.path):
        checkpoint.load(chains)
    best = run_chains(
        chains, model.strategy(table.p), watch, workers=workers(model.n_jobs), checkpoint=checkpoint
    )
    timings.end("search")
    return Learned(
        state_adjacency(best.best),
        Order(best.best.order, table.names),
        best.best_energy,
        score.describe(),
        trace=best.trace(),
        timings=timings.seconds,
    )


# ---------------------------------------------------------------------- what is possible
def _as_arcs(learner: Learner, dataset: Dataset) -> Arcs:
    """The learner, if it can learn from categories with these settings and data."""
    from arcs.learners.arcs import Arcs

    if not isinstance(learner, Arcs):
        dataset.refuse_categories(f"the method {learner.name!r}")
    assert isinstance(learner, Arcs)
    usual = Arcs()
    for name in ("penalty", "lam", "gamma", "final_ebic", "threshold", "refine", "min_r2"):
        if getattr(learner, name) != getattr(usual, name):
            raise SettingsError(
                f"{name}={getattr(learner, name)!r} is about coefficients, which tables of "
                "categories do not have; leave it out (discrete_score chooses what an edge costs)"
            )
    if learner.latent is not None:
        raise SettingsError(
            "latent looks for hidden factors that act linearly; leave it out for categories"
        )
    if learner.regimes.alternates:
        raise SettingsError(
            f"intervention_kind={learner.intervention_kind!r} compares noise and coefficients of "
            "regimes, which categories do not have; with 'hard' the rows in which a variable was "
            "set say nothing of its parents"
        )
    _refuse_roles(dataset, alone=len(dataset.discrete) == dataset.p)
    return learner


def _refuse_roles(dataset: Dataset, alone: bool) -> None:
    if dataset.covariates is not None and alone:
        listed = describe_columns(dataset.covariates.terms)
        raise DataError(
            f"adjust: {listed} cannot be regressed out of categories; take them for variables "
            "(discrete=...), and forbid edges into them by background knowledge"
        )
    if dataset.conditions is not None and not dataset.conditions.implied:
        raise DataError(
            "conditions: categories have no means that could differ; take the column for a "
            "variable (discrete=...), and forbid edges into it by background knowledge"
        )


# ---------------------------------------------------------------------- the search
def _score(model: Arcs, table: Rows) -> DiscreteScore | MixedScore:
    known = model.restrictions(table)
    rules: dict[str, Any] = {
        "max_parents": model.max_parents,
        "allowed": table.allowed(None if known is None else known.allowed),
        "required": None if known is None else known.required,
    }
    if isinstance(table, MixedData):
        from arcs.scores.mixed import mixed_score

        chosen = {"kind": model.mixed_score, "gamma": _gamma_of_mixed(model)}
        return mixed_score(table, chosen, **rules)
    from arcs.scores.discrete import score_of

    chosen = {
        "kind": model.discrete_score,
        "gamma": model.ebic,
        "sample_size": model.equivalent_sample_size,
    }
    return score_of(table, chosen, **rules)


def _gamma_of_mixed(model: Arcs) -> float:
    if model.discrete_score not in ("ebic", "bic"):
        raise SettingsError(
            f"discrete_score={model.discrete_score!r} is for tables of categories alone; numbers "
            "beside them are scored by 'ebic' or 'bic'"
        )
    return model.ebic if model.discrete_score == "ebic" else 0.0


def _starts(model: Arcs, table: Rows) -> list[Start]:
    given = None
    if not (isinstance(model.init, str) and model.init == "random"):
        from arcs.learners.base import Learner

        if isinstance(model.init, str | Learner):
            raise SettingsError(
                f"init={model.init!r:.40}: this method works on columns of numbers; start a "
                "search in categories from 'random', an order or a graph"
            )
        given = as_order(model.init, table.p)
    known = model.restrictions(table)
    # A search that is to be brief (patience 1, as in a bootstrap) starts once.
    usual = STARTS if model.passes > 1 and model.search != "none" else 1
    count = max(model.n_chains, usual)
    required = None if known is None else known.required
    return make_starts(count, model.random_state, given, table.p, required)


def _chains(model: Arcs, score: DiscreteScore | MixedScore, starts: Sequence[Start]) -> list[Chain]:
    """Chains that share their memo, or have one each where threads would get in each other's way;
    a memo changes nothing but the time."""
    alone = workers(model.n_jobs) > 1 and len(starts) > 1
    return [Chain(replace(score) if alone else score, start.order, start.rng) for start in starts]


def _checkpoint(model: Arcs, table: Rows) -> Checkpoint | None:
    if model.checkpoint is None:
        return None
    settings: dict[str, Any] = {
        k: v for k, v in model.settings().items() if k not in ("n_jobs", "time_limit")
    }
    if isinstance(table, MixedData):
        values, levels = np.asarray(table.dataset.values), table.dataset.levels
    else:
        values, levels = table.codes, table.levels
    was_set = np.zeros(0) if table.was_set is None else table.was_set
    key = digest_of((values, was_set), [table.names, levels, settings], sort_keys=True)
    return Checkpoint(model.checkpoint, key)


def _preparation(dataset: Dataset) -> dict[str, Any]:
    """What was done to columns of numbers, for the record and in words."""
    if not dataset.cuts:
        return {}
    cuts = {name: [float(point) for point in points] for name, points in dataset.cuts.items()}
    return {
        "discretize": {"cuts": cuts},
        "sentences": [f"Cut into levels: {describe_columns(list(cuts), most=6)}."],
    }
