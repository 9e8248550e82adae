"""Fits of tables with categories; and ARCS on them: the same search over orders, on scores of
families.

Nothing here is loaded by a fit of numbers. Methods that score single edges or test for independence
are given the rows in the place of statistics (:mod:`arcs.learners.evidence`).

What differs in ARCS: the score is one of
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
from arcs.errors import DataError, SettingsError, warn_caller
from arcs.fingerprints import digest_of
from arcs.graphs import Order, Pdag
from arcs.jobs import workers
from arcs.kernels.compilation import Compilation
from arcs.learners.conditions import without_checkpoint
from arcs.learners.evidence import refuse_priors, score_of_categories
from arcs.learners.initial import initial_order
from arcs.learners.preparation import conditions_record, conditions_sentence
from arcs.progress import Laps, Listener, Watch, interruptible
from arcs.scores.cholesky import state_adjacency
from arcs.search import Chain, run_chains
from arcs.search.checkpoint import Checkpoint
from arcs.search.start import Start, make_starts

if TYPE_CHECKING:
    from arcs.learners.arcs import Arcs
    from arcs.learners.base import Learned, Learner
    from arcs.learners.mixed_conditions import MixedFound
    from arcs.scores.discrete import DiscreteScore
    from arcs.scores.mixed import MixedScore

__all__ = ["fit_categories", "learn_rows", "rows_of"]

#: Independent starts of a search, unless more are asked for.
STARTS = 5

Rows = CategoricalTable | MixedData


def rows_of(dataset: Dataset, learner: Learner) -> Rows:
    """The rows as a method takes them: categories alone, or both kinds of columns."""
    if dataset.interventions is not None and not learner.uses_interventions:
        warn_caller(
            f"{learner.name} makes no use of interventions: all {dataset.n} rows are treated as "
            "observational"
        )
        dataset = dataset.without_interventions()
    if len(dataset.discrete) == dataset.p:
        return CategoricalTable.of(dataset)
    return MixedData.of(dataset)


def fit_categories(learner: Learner, dataset: Dataset, listener: Listener | None) -> StrengthResult:
    """Learn a network from a table with categories."""
    _refuse_impossible(learner, dataset)
    watch = Watch(learner.time_limit, listener)
    table = rows_of(dataset, learner)
    audit = dataset.audit()
    audit.warn()
    with interruptible(watch), Compilation(watch.compiles) as compiled:
        learned, table, found = learn_rows(learner, watch, table)
    graph = learned.graph
    stopped = "interrupted" if watch.interrupted else "finished"
    kind = MixedResult if isinstance(table, MixedData) else DiscreteResult
    result = kind.from_table(
        learner.name,
        graph,
        table,
        order=learned.order,
        score=learned.score,
        penalty=learned.penalty,
        settings=learner.settings(),
        seed=learner.random_state,
        trace=learned.trace,
        edge_values=learned.edge_values,
        audit=audit.to_dict(),
        timings={**learned.timings, **compiled.timings(), "total": watch.elapsed},
        converged=learned.converged,
        stopped="time limit" if watch.timed_out else stopped,
        source=dataset.source,
        preparation=_preparation(dataset, found),
    )
    if learner.knowledge is None or isinstance(graph, Pdag):
        return result
    told = result.with_(cpdag=learner.equivalence_class(graph, table))
    assert isinstance(told, StrengthResult)
    return told


def learn_rows(
    learner: Learner, watch: Watch, table: Rows
) -> tuple[Learned, Rows, MixedFound | None]:
    """What is learned from rows, where there are numbers by the policy of the conditions; with the
    rows as they were used."""
    if not isinstance(table, MixedData):
        return _learn(learner, watch, table), table, None
    from arcs.learners.mixed_conditions import learn_by_policy

    def learn(rows: MixedData, resumable: bool) -> Learned:
        model = learner if resumable else without_checkpoint(learner)
        return _learn(model, watch, rows)

    score = getattr(learner, "mixed_score", "degenerate-gaussian")
    found = learn_by_policy(table, score, _gamma_of_mixed(learner), learn)
    return found.learned, found.table, found


def _learn(learner: Learner, watch: Watch, table: Rows) -> Learned:
    """Find a structure in rows that the method takes."""
    from arcs.learners.arcs import Arcs

    if isinstance(learner, Arcs):
        return _search_orders(learner, watch, table)
    # Methods that name tables with categories take their rows in the place of statistics.
    return learner.learn(table, watch)  # type: ignore[arg-type]


# ---------------------------------------------------------------------- what is possible
def _refuse_impossible(learner: Learner, dataset: Dataset) -> None:
    """Refuse methods, settings and data that have no meaning for categories."""
    from arcs.learners.arcs import Arcs

    alone = len(dataset.discrete) == dataset.p
    if not learner.tables:
        dataset.refuse_categories(f"the method {learner.name!r}")
    if not alone and "mixed" not in learner.tables:
        numbers = [name for name in dataset.names if name not in dataset.discrete]
        raise DataError(
            f"the method {learner.name!r} tests categories or numbers, and not one beside the "
            f"other; columns of numbers: {describe_columns(numbers)}. The methods 'arcs', 'ges', "
            "'gies' and 'hc' take both; or cut the numbers into levels with discretize"
        )
    _refuse_roles(dataset, alone)
    if isinstance(learner, Arcs):
        _refuse_settings(learner)


def _refuse_settings(learner: Arcs) -> None:
    usual = type(learner)()
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


def _refuse_roles(dataset: Dataset, alone: bool) -> None:
    if dataset.covariates is not None and alone:
        listed = describe_columns(dataset.covariates.terms)
        raise DataError(
            f"adjust: {listed} cannot be regressed out of categories; take them for variables "
            "(discrete=...), and forbid edges into them by background knowledge"
        )
    if alone and dataset.conditions is not None and not dataset.conditions.implied:
        raise DataError(
            "conditions: categories have no means that could differ; take the column for a "
            "variable (discrete=...), and forbid edges into it by background knowledge"
        )


# ---------------------------------------------------------------------- the search over orders
def _search_orders(model: Arcs, watch: Watch, table: Rows) -> Learned:
    """Starts, searches on one score, the best of them."""
    from arcs.learners.base import Learned

    timings = Laps(watch)
    score = _score(model, table)
    chains = _chains(model, score, _starts(model, table, watch))
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
        "kind": score_of_categories(model.discrete_score, beside_numbers=False),
        "gamma": model.ebic,
        "sample_size": model.equivalent_sample_size,
    }
    return score_of(table, chosen, **rules)


def _gamma_of_mixed(model: Any) -> float:
    kind = score_of_categories(model.discrete_score, beside_numbers=True)
    refuse_priors(kind)
    return float(getattr(model, "ebic", 1.0)) if kind == "ebic" else 0.0


def _starts(model: Arcs, table: Rows, watch: Watch) -> list[Start]:
    _refuse_start(model.init, table)
    # A method that takes these rows takes them in the place of statistics.
    given = initial_order(model, model.init, None, table, watch)  # type: ignore[arg-type]
    known = model.restrictions(table)
    # A search that is to be brief (patience 1, as in a bootstrap) starts once.
    usual = STARTS if model.passes > 1 and model.search != "none" else 1
    count = max(model.n_chains, usual)
    required = None if known is None else known.required
    return make_starts(count, model.random_state, given, table.p, required)


def _refuse_start(init: Any, table: Rows) -> None:
    """Refuse starts by methods that do not take such rows."""
    from arcs.learners import LEARNERS
    from arcs.learners.arcs import Arcs
    from arcs.learners.base import Learner

    kind = LEARNERS.get(init) if isinstance(init, str) else type(init)
    if kind is None or not issubclass(kind, Learner):
        return
    needed = "mixed" if isinstance(table, MixedData) else "categories"
    if needed not in kind.tables or issubclass(kind, Arcs):
        raise SettingsError(
            f"init={init!r:.40}: a search among categories begins at 'random', an order or a "
            "graph, or at what 'hc', 'ges' or 'gies' find (of categories alone also 'pc', 'mmhc')"
        )


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
        arrays, levels = table.arrays, table.dataset.levels
    else:
        was_set = np.zeros(0) if table.was_set is None else table.was_set
        arrays, levels = (table.codes, was_set), table.levels
    key = digest_of(arrays, [table.names, levels, settings], sort_keys=True)
    return Checkpoint(model.checkpoint, key)


def _preparation(dataset: Dataset, found: MixedFound | None) -> dict[str, Any]:
    """What was done to columns, for the record and in words."""
    record: dict[str, Any] = {}
    sentences = []
    if dataset.covariates is not None:
        terms = " + ".join(dataset.covariates.terms)
        sentences.append(f"Adjusted for {terms}: taken out of numbers and indicators of levels.")
    if found is not None and found.policy:
        record["conditions"] = conditions_record(found)
        sentences.append(conditions_sentence(record["conditions"], dataset.p))
    if dataset.cuts:
        cuts = {name: [float(point) for point in points] for name, points in dataset.cuts.items()}
        record["discretize"] = {"cuts": cuts}
        sentences.append(f"Cut into levels: {describe_columns(list(cuts), most=6)}.")
    return {**record, "sentences": sentences} if sentences else {}
