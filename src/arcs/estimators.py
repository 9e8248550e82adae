"""ARCS as a scikit-learn estimator."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from arcs.answer.finish import ADAPTIVE
from arcs.data import Dataset, GramStatistics
from arcs.data.dataset import check_reading
from arcs.data.frames import frame_parts, is_frame
from arcs.data.lazy_tables import lazy_table
from arcs.discrete_results import DiscreteResult, MixedResult
from arcs.errors import DataError
from arcs.graphs import DiscreteDag, GaussianDag
from arcs.learners.arcs import Arcs
from arcs.learners.arcs_settings import SEARCH_EBIC, paper_settings
from arcs.progress import COMPILING, Listener, Progress, compiling
from arcs.regimes.kinds import regime_kind

__all__ = ["ARCS"]


class ARCS(BaseEstimator):  # type: ignore[misc]
    """Learn a Gaussian Bayesian network by order search on the regularised Cholesky score.

    Parameters
    ----------
    init : str, Order, sequence of int, GaussianDag, Pdag, adjacency or Learner, default="random"
        Where the search starts: "random", an order (parents first), a graph, or a learner or its
        name ("ges", "cd", ...), whose result is sorted topologically.
    penalty : {"l0", "mcp", "l1", "scad"}, default="l0"
        What an edge costs; l0 is the limit of MCP.
    gamma, lam : float, optional
        Parameters of a continuous penalty; by default chosen by BIC over a grid. For l0, `lam` is
        the price of an edge in nats, in place of `ebic`.
    ebic : float, default=1
        l0: price of an edge while searching, ``0.5 log n + ebic log p`` nats.
    final_ebic : float or "adaptive", default="adaptive"
        l0: the same for the answer, at least `ebic`; or chosen by the data, which keeps more edges
        where many are weak.
    search : {"pulls", "anneal", "none"}, default="pulls"
        Iterated local search, the paper's annealing, or none.
    n_iter : int, optional
        Bound on the number of steps.
    temperature : float, sequence or callable, optional
        Start of the annealing's schedule, or a schedule; constant for pulls (1 by default).
    interval : int, default=4
        Length of the flipped interval of the annealing.
    effort : {"quick", "normal", "thorough"}, default="normal"
        How sure to be, before the iterated local search stops, that going on would not pay.
    patience : int, optional
        Passes without improvement after which it stops, in place of what `effort` says (1, 4, 12).
    threshold : float, default=0
        Continuous penalties: standardised coefficients up to this size are cut.
    refine : float, optional
        Level of the final Fisher-z tests.
    max_parents : int, optional
        Bound on the number of parents of a node.
    min_r2 : float, default=0
        An edge must explain this share of its head's remaining variance: for large n, where even
        effects count that nobody cares about.
    latent : int, "auto" or None, default=None
        Hidden factors that act on all variables: so many, or as many as describe the data best.
    discrete_score : {"auto", "ebdeu", "ebic", "bic", "bdeu", "bds", "k2"}, default="auto"
        Tables of categories: what is minimised; "auto" is "ebdeu", beside numbers "ebic".
    equivalent_sample_size : float, default=2
        Tables of categories: rows that the prior of "bdeu", "ebdeu" and "bds" is worth.
    mixed_score : {"degenerate-gaussian", "conditional-gaussian"}, default="degenerate-gaussian"
        Numbers beside categories: causes add up, or categories change slopes and variances, too.
    knowledge : Knowledge, optional
        Background knowledge (:class:`arcs.knowledge.Knowledge`), obeyed by the search.
    intervention_kind : {"hard", "soft", "unknown"}, default="hard"
        What interventions do: cut a variable off from its parents, change its noise or its
        coefficients, or something in rows of which only the condition is known (labels as
        `interventions`); then the targets are found.
    n_chains : int, default=1
        Independent searches, of which the best counts.
    random_state : int, Generator, RandomState or None
        Seed.
    time_limit : float, optional
        Seconds after which the best result so far is taken.
    n_jobs : int, default=1
        Threads; -1 for all cores. The answer does not depend on it.
    center : bool, default=True
        Whether to remove column means.
    checkpoint : path, optional
        Where to save the search every few seconds.
    resume : bool, default=False
        Go on from the checkpoint.
    verbose : bool or int, default=0
        Report progress on standard error.

    Attributes
    ----------
    adjacency_ : ndarray of bool, shape (p, p)
        ``[i, j]`` is the edge i -> j.
    coef_ : ndarray of shape (p, p)
        ``[i, j]`` is the coefficient of i in the equation of j, on the scale of the data.
    noise_variance_, intercept_ : ndarray of shape (p,)
    order_ : ndarray of int
        A topological order, parents first.
    cpdag_ : Pdag
        The (interventional) equivalence class.
    score_ : float
        The regularised Cholesky score of the order; smaller is better.
    penalty_ : dict
        Kind and parameters of the penalty in force.
    trace_ : dict of ndarray
        The search, step by step.
    n_iter_ : int
        Steps done.
    changes_ : tuple of Change
        Soft and unknown interventions: where mechanisms differ, how, and the evidence.
    result_ : FitResult
        Everything in one object that can be saved, plotted and reported.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from arcs import ARCS
    >>> from arcs.simulate import random_dag, random_weights, sample
    >>> simulated = sample(random_weights(random_dag(10, 12, 0), 0), 500, 0)
    >>> model = ARCS(random_state=0).fit(simulated.data.values)
    >>> model.adjacency_.shape
    (10, 10)
    """

    def __init__(
        self,
        init: Any = "random",
        penalty: str = "l0",
        gamma: float | None = None,
        lam: float | None = None,
        ebic: float = SEARCH_EBIC,
        final_ebic: float | str = ADAPTIVE,
        search: str = "pulls",
        n_iter: int | None = None,
        temperature: Any = None,
        interval: int = 4,
        effort: str = "normal",
        patience: int | None = None,
        threshold: float = 0.0,
        refine: float | None = None,
        max_parents: int | None = None,
        min_r2: float = 0.0,
        latent: int | str | None = None,
        discrete_score: str = "auto",
        equivalent_sample_size: float = 2.0,
        mixed_score: str = "degenerate-gaussian",
        knowledge: Any = None,
        intervention_kind: str = "hard",
        n_chains: int = 1,
        random_state: Any = None,
        time_limit: float | None = None,
        n_jobs: int = 1,
        center: bool = True,
        checkpoint: Any = None,
        resume: bool = False,
        verbose: int = 0,
    ) -> None:
        self.init = init
        self.penalty = penalty
        self.gamma = gamma
        self.lam = lam
        self.ebic = ebic
        self.final_ebic = final_ebic
        self.search = search
        self.n_iter = n_iter
        self.temperature = temperature
        self.interval = interval
        self.effort = effort
        self.patience = patience
        self.threshold = threshold
        self.refine = refine
        self.max_parents = max_parents
        self.min_r2 = min_r2
        self.latent = latent
        self.discrete_score = discrete_score
        self.equivalent_sample_size = equivalent_sample_size
        self.mixed_score = mixed_score
        self.knowledge = knowledge
        self.intervention_kind = intervention_kind
        self.n_chains = n_chains
        self.random_state = random_state
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.center = center
        self.checkpoint = checkpoint
        self.resume = resume
        self.verbose = verbose

    @classmethod
    def paper(cls, init: Any = "ges", *, experimental: bool = False, **changes: Any) -> ARCS:
        """The settings of the paper: MCP tuned by BIC, 10,000 interval flips, refinement."""
        return cls(**paper_settings(init, experimental=experimental, **changes))

    # ------------------------------------------------------------------ fitting
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        interventions: Any = None,
        control: str | None = None,
        **reading: Any,
    ) -> ARCS:
        """Learn a network.

        Parameters
        ----------
        X : array or data frame of shape (n, p), Dataset, path, pair (covariance, n), GramStatistics
        y : ignored
        interventions : optional
            Which variables were set in which rows: an n x p mask, one label per row, the name of
            a column of the frame, or a pair (targets, index). With
            ``intervention_kind="unknown"`` labels name conditions, not variables.
        control : str, optional
            The label of rows without intervention.
        **reading
            ``adjust`` names covariates that are regressed out of every variable (columns, or a
            formula such as "batch + age + age^2"), ``conditions`` the column of conditions whose
            means may differ ("none": not even those of interventions), ``condition_policy`` which
            of them may ("auto", "common", "free", "sparse", "mixed"), ``transform`` the scale of
            the variables ("none", "log", "normal-scores", "auto", or by column), ``discrete`` the
            columns of categories (names, "auto" for text, categories and truth values, "all"),
            ``discretize`` how numbers are cut into levels ("quantiles-3"). What to do about
            columns to leave out (``exclude``), missing values (``missing``), columns that do not
            vary (``constant``) and targets that are not columns (``unmeasured``). As in
            :class:`arcs.data.reading.Reading`.
        """
        check_reading(X, reading)
        learner = self._learner()  # settings are checked before the data are touched
        dataset = self._dataset(X, interventions=interventions, control=control, **reading)
        result = learner.fit(dataset, listener=_listener(self.verbose))
        self.result_ = result
        self.adjacency_ = result.dag.adjacency
        if isinstance(result.dag, GaussianDag):
            self.coef_ = result.dag.coefficients
            self.noise_variance_ = result.dag.noise_variances
            self.intercept_ = result.dag.intercepts
        self.order_ = result.order.nodes
        self.cpdag_ = result.cpdag
        self.score_ = result.score
        self.penalty_ = dict(result.penalty)
        self.changes_ = result.changes
        self.trace_ = dict(result.trace)
        self.n_iter_ = int(result.trace["iteration"][-1]) if "iteration" in result.trace else 0
        return self

    def _dataset(self, X: Any, **reading: Any) -> Dataset:
        """Check rows as scikit-learn does, and keep names; other inputs go their own way."""
        kind = regime_kind(self.intervention_kind)
        reading |= {"center": self.center, "known_targets": kind.knows_targets}
        known = isinstance(X, Dataset | GramStatistics | str | tuple) or lazy_table(X) is not None
        coded = reading.get("discrete") is not None  # scikit-learn's check wants numbers
        if known or coded or hasattr(X, "__fspath__") or is_frame(X):
            dataset = Dataset.of(X, **reading)
            self.n_features_in_ = dataset.p
            self.feature_names_in_ = np.array(dataset.names, dtype=object)
            return dataset
        # What is missing is for the Dataset to refuse, or to deal with.
        values = validate_data(
            self, X, dtype=np.float64, ensure_min_samples=2, ensure_all_finite=False
        )
        return Dataset.of(values, **reading)

    def _learner(self) -> Arcs:
        settings = self.get_params(deep=False)
        for name in ("center", "verbose"):
            settings.pop(name)
        return Arcs(**settings)

    # ------------------------------------------------------------------ using the model
    def score_samples(self, X: Any) -> np.ndarray:
        """Log-likelihood of each row under the fitted network."""
        check_is_fitted(self, "result_")
        if isinstance(self.result_, MixedResult):
            self.result_.prediction()  # which says why not
        if isinstance(self.result_, DiscreteResult):
            return _log_likelihood(self.result_, X)
        self._refuse_adjusted()
        if is_frame(X):
            values = check_array(self._columns(X), dtype=np.float64, estimator=self)
        else:
            values = validate_data(self, X, dtype=np.float64, reset=False)
        dag = self.result_.dag
        residuals = values - dag.intercepts - values @ dag.coefficients
        variances = dag.noise_variances
        return np.asarray(
            -0.5 * (np.log(2 * np.pi * variances) + residuals**2 / variances).sum(axis=1)
        )

    def _refuse_adjusted(self) -> None:
        """The likelihood of rows whose covariates and conditions are not given is not defined."""
        record = self.result_.preparation
        policy = record.get("conditions", {}).get("policy", "common")
        if "adjust" in record or policy != "common":
            raise DataError(
                "the model was adjusted for covariates or for means of conditions, which new rows "
                "do not tell; fit without adjust=... and with conditions='none' to score rows"
            )

    def _columns(self, frame: Any) -> np.ndarray:
        """The rows of a frame that has the columns of the fit, in the same order."""
        values, names, _ = frame_parts(frame)
        known = list(getattr(self, "feature_names_in_", names))
        if len(names) != self.n_features_in_:
            raise DataError(
                f"X has {len(names)} features, but ARCS is expecting {self.n_features_in_} features"
            )
        if sorted(names) != sorted(known):
            raise DataError(
                "The feature names should match those that were passed during fit: expected "
                f"{', '.join(known)}, got {', '.join(names)}"
            )
        if list(names) != known:
            raise DataError("Feature names must be in the same order as they were in fit.")
        return np.asarray(values)

    def score(self, X: Any, y: Any = None) -> float:
        """Mean log-likelihood of the rows: larger is better."""
        return float(self.score_samples(X).mean())

    def sample(
        self, n_samples: int = 1, random_state: Any = None, *, interventions: Any = None
    ) -> np.ndarray:
        """Draw rows from the fitted network, optionally under interventions.

        Rows of numbers; of categories, rows of levels.
        """
        check_is_fitted(self, "result_")
        dag = self.result_.dag
        if isinstance(self.result_, MixedResult):
            self.result_.sample()  # which says why not
        if isinstance(dag, DiscreteDag):
            columns = dag.decoded(dag.sample(n_samples, random_state, interventions))
            return np.array(list(columns.values()), dtype=object).T
        return np.asarray(self.result_.dag.sample(n_samples, random_state, interventions))


def _log_likelihood(result: DiscreteResult, X: Any) -> np.ndarray:
    """Of each row of categories."""
    codes = result.coded(X)
    if (codes < 0).any():
        raise DataError("the rows have missing values; result_.impute(...) fills them in")
    return result.network.log_likelihood(codes)


def _listener(verbose: int) -> Listener | None:
    if not verbose:
        return None
    last = [-1.0]

    def report(event: Progress) -> None:
        if event.elapsed - last[0] >= 1.0:
            last[0] = event.elapsed
            best = "" if event.best is None else f"  best {event.best:.2f}"
            what = f"{event.stage} {event.iteration}"
            what = compiling(event) if event.stage == COMPILING else what
            sys.stderr.write(f"[{event.elapsed:6.1f} s] {what}{best}\n")

    return report
