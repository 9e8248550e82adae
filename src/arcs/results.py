"""Everything a fit learned, in one read-only object that can be saved without pickle."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from arcs.data.local import LocalStatistics, Regressions
from arcs.effects.answers import CausalAnswers
from arcs.errors import SettingsError
from arcs.graphs import GaussianDag, GraphEnsemble, Order, Pdag
from arcs.regimes.changes import Change
from arcs.tables import LabelledMatrix, Table

__all__ = ["FitResult", "software_versions"]


@dataclass(frozen=True, eq=False)
class FitResult(CausalAnswers):
    """What a learner found.

    What it says about causes (effects, predictions, experiments) are methods of
    :class:`~arcs.effects.answers.CausalAnswers`.

    Attributes
    ----------
    method : str
        The learner's name.
    dag : GaussianDag
        Structure with coefficients, standard errors, intercepts and noise variances on the
        user's scale (maximum likelihood given the structure).
    cpdag : Pdag
        The (interventional) equivalence class: what the data can tell apart.
    order : Order
        A topological order, parents first.
    score : float
        The learner's own objective at the result; see its documentation for the direction.
    log_likelihood, bic : float
        Gaussian log-likelihood, and ``2 log L - edges * log n`` (larger is better): comparable
        between methods on the same data.
    n_rows : int
        Rows of the data.
    n_per_node : tuple of int
        For each node the rows in which its mechanism acts: those in which it was not set (nor has
        coefficients of its own, where regimes may differ). `n_rows` for each by default.
    targets : tuple of tuple of int
        Target sets of the experimental regimes; ``((),)`` for observational data.
    penalty : mapping
        Kind and parameters of the penalty in force.
    settings : mapping
        The learner's settings.
    seed : int or None
    trace : mapping of str to ndarray
        Columns of equal length: iteration, score, best, and more.
    tuning : mapping of str to ndarray
        The tuning table (gamma, lambda, BIC, edges), empty if nothing was tuned.
    edge_values : mapping of str to ndarray of shape (p, p)
        Further figures per edge, such as "confidence".
    audit : mapping
        What was noticed about the data.
    changes : tuple of Change
        Where mechanisms differ between regimes, if that was looked for (`changes_sought`: the
        interventions were taken as soft or their targets as unknown). Coefficients and noise
        variances of `dag` are those of the unchanged regimes; the log-likelihood counts every row
        in which they act, with the regime's own noise.
    moments : LocalStatistics or None
        What regressions of the nodes on their parents (and on other candidates, after a bootstrap)
        need: the source of standard errors of effects, and of averaged graphs.
    ensemble : GraphEnsemble or None
        The graphs of a bootstrap.
    statistics : GramStatistics or None
        What the coefficients were fitted to; not saved.
    timings, versions : mapping
    converged : bool
    stopped : str
        "finished", "time limit" or "interrupted".
    source : str
        Where the data came from.
    preparation : mapping
        What was done about covariates and conditions: "adjust", "conditions", and "sentences" that
        say it in words. Empty if nothing was.

    Examples
    --------
    >>> from arcs.simulate import network, random_weights, sample
    >>> drawn = sample(random_weights(network("asia"), 0), 200, 0)
    >>> from arcs import HC
    >>> result = HC().fit(drawn.data)
    >>> result
    FitResult(hc: 8 nodes, 9 edges, BIC -3820.2, finished)
    >>> result.edges().columns.tolist()[:4]
    ['from', 'to', 'coefficient', 'std_error']
    >>> len(result.names)
    8
    """

    method: str
    dag: GaussianDag
    cpdag: Pdag
    order: Order
    score: float
    log_likelihood: float
    bic: float
    n_rows: int
    targets: tuple[tuple[int, ...], ...] = ((),)
    penalty: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    trace: Mapping[str, np.ndarray] = field(default_factory=dict)
    tuning: Mapping[str, np.ndarray] = field(default_factory=dict)
    edge_values: Mapping[str, np.ndarray] = field(default_factory=dict)
    audit: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    converged: bool = True
    stopped: str = "finished"
    source: str = ""
    changes: tuple[Change, ...] = ()
    changes_sought: bool = False
    n_per_node: tuple[int, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)
    preparation: Mapping[str, Any] = field(default_factory=dict)
    moments: LocalStatistics | None = None
    ensemble: GraphEnsemble | None = None
    statistics: Regressions | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        rows = self.n_per_node or (self.n_rows,) * self.dag.p
        object.__setattr__(self, "n_per_node", tuple(int(n) for n in rows))

    @classmethod
    def from_structure(
        cls,
        method: str,
        graph: np.ndarray | Pdag,
        statistics: Regressions,
        *,
        order: Order | None = None,
        score: float | None = None,
        **rest: Any,
    ) -> FitResult:
        """Fit coefficients to a structure (a DAG's adjacency, or a CPDAG) and wrap it all up."""
        from arcs.graphs.equivalence import consistent_extension, interventional_cpdag_of
        from arcs.scores import fit_dag

        if isinstance(graph, Pdag):
            adjacency, cpdag = consistent_extension(graph), _named(graph, statistics.names)
        else:
            adjacency = np.asarray(graph, dtype=bool)
            found = interventional_cpdag_of(adjacency, statistics.targets)
            cpdag = _named(found, statistics.names)
        fitted = fit_dag(adjacency, statistics)
        parents = adjacency.sum(axis=0)
        used = statistics.n > 0
        bic = 2 * fitted.log_likelihood - float(parents[used] @ np.log(statistics.n[used]))
        return cls(
            method=method,
            dag=fitted.dag,
            cpdag=cpdag,
            order=order if order is not None else fitted.dag.order(),
            score=bic if score is None else float(score),
            log_likelihood=fitted.log_likelihood,
            bic=bic,
            n_rows=statistics.n_rows,
            n_per_node=tuple(statistics.n),
            targets=statistics.targets,
            versions=software_versions(),
            statistics=statistics,
            **{"moments": LocalStatistics.of(statistics, adjacency), **rest},
        )

    # ------------------------------------------------------------------ views
    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.dag.names

    @property
    def n_edges(self) -> int:
        """Number of edges of the DAG."""
        return self.dag.n_edges

    @property
    def intervened_nodes(self) -> tuple[int, ...]:
        """Positions of the variables that were a target of some experiment."""
        return tuple(sorted({target for group in self.targets for target in group}))

    @property
    def intervened(self) -> tuple[str, ...]:
        """Names of the variables that were a target of some experiment."""
        return tuple(self.names[node] for node in self.intervened_nodes)

    @property
    def residual_degrees(self) -> np.ndarray:
        """Degrees of freedom of each node's regression on its parents, at least one."""
        rows, parents = np.array(self.n_per_node, dtype=int), self.dag.adjacency.sum(axis=0)
        return np.asarray(np.maximum(rows - parents - 1, 1))

    def strengths(self) -> np.ndarray:
        """How strong edges are, free of units, for pictures: standardised coefficients."""
        return self.dag.standardised_coefficients()

    def edges(self, level: float = 0.95) -> Any:
        """The edges as a data frame, strongest first.

        A ``pandas.DataFrame`` if pandas is installed, otherwise a small table with the same
        columns: ``from``, ``to``, ``coefficient``, ``std_error``, ``interval_low``,
        ``interval_high`` (at the given level), ``p_value``, ``standardised`` (the coefficient with
        all variables scaled to unit variance), ``direction`` ("identified" or "open": the data do
        not tell it from its reversal), ``confidence`` (NaN unless it was computed, see
        :mod:`arcs.confidence`), and further figures of the method.
        """
        return self.edge_table(level).to_frame()

    def edge_table(self, level: float | None = 0.95) -> Table:
        """What :meth:`edges` returns, in any case as a :class:`arcs.tables.Table`.

        Without a level there are no intervals and p-values: they need scipy.special, which takes
        longer to import than a short answer should take.
        """
        dag, standardised = self.dag, self.dag.standardised_coefficients()
        at = np.nonzero(dag.adjacency)
        ranked = np.lexsort((at[1], at[0], -np.abs(standardised[at])))
        tails, heads = at = (at[0][ranked], at[1][ranked])
        unknown = np.full(len(tails), np.nan)
        known = dag.standard_errors
        errors = unknown if known is None else known[at]
        inference: dict[str, Any] = {}
        if level is not None:
            from arcs.scores.student import intervals_and_p_values

            degrees = self.residual_degrees[heads]
            found = intervals_and_p_values(dag.coefficients[at], errors, degrees, level)
            inference = dict(zip(("interval_low", "interval_high", "p_value"), found, strict=True))
        confidence = self.edge_values.get("confidence")
        columns: dict[str, Any] = {
            "from": [self.names[i] for i in tails],
            "to": [self.names[j] for j in heads],
            "coefficient": dag.coefficients[at],
            "std_error": errors,
            **inference,
            "standardised": standardised[at],
            "direction": np.where(self.cpdag.undirected[at], "open", "identified"),
            "confidence": unknown if confidence is None else confidence[at],
        }
        others = {name: m[at] for name, m in self.edge_values.items() if name not in columns}
        return Table({**columns, **others})

    def to_frame(self, what: str = "coefficient") -> Any:
        """A figure of all pairs of variables as a data frame: row i, column j is the edge i -> j.

        `what` is "coefficient", "standardised", "std_error", or the name of one of `edge_values`.
        """
        known = {"coefficient": self.dag.coefficients, **self.edge_values}
        errors = self.dag.standard_errors
        if errors is not None:
            known["std_error"] = errors
        if what == "standardised":
            known[what] = self.dag.standardised_coefficients()
        if what not in known:
            raise SettingsError(
                f"there is no figure {what!r} of the edges; known: standardised, {', '.join(known)}"
            )
        return LabelledMatrix(known[what], self.names).to_frame()

    def to_networkx(self) -> Any:
        """The DAG as a ``networkx.DiGraph``, with every column of :meth:`edges` on its edges."""
        from arcs.graphs import to_networkx

        graph = to_networkx(self.dag)
        for row in self.edge_table().rows():
            known = {name: value for name, value in row.items() if value == value}
            graph.edges[known.pop("from"), known.pop("to")].update(known)
        return graph

    def export(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the DAG for another program; the suffix decides on the format if none is given.

        As :func:`arcs.graphs.write_graph`, with the figures of :meth:`edges` for those that take
        them: ``.graphml`` and ``.cx2`` for Cytoscape.
        """
        from arcs.graphs import write_graph

        same = ("from", "to", "coefficient", "std_error")  # written with the graph itself
        figures = {
            (row["from"], row["to"]): {k: v for k, v in row.items() if k not in same}
            for row in self.edge_table().rows()
        }
        write_graph(self.dag, path, format, figures=figures)

    def summary(self, top: int = 5, *, arrow: str = "→") -> str:
        """What was found in words, a few facts and the `top` strongest edges, as plain text."""
        from arcs.summary import summary_text

        return summary_text(self, top, arrow)

    def plot(self, kind: str = "dag", ax: Any = None, **options: Any) -> Any:
        """Draw the result; a notebook shows the figure that is returned.

        Parameters
        ----------
        kind : {"dag", "cpdag", "adjacency", "trace", "tuning"}
            Which picture; see the functions ``plot_...`` of :mod:`arcs.plots`.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        **options
            Passed on to that function.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from arcs import plots

        known = ("dag", "cpdag", "adjacency", "trace", "tuning")
        if kind not in known:
            raise SettingsError(f"there is no picture {kind!r}; known: {', '.join(known)}")
        return getattr(plots, f"plot_{kind}")(self, ax, **options).figure

    def report(self, path: str | os.PathLike[str], *, title: str | None = None) -> Path:
        """Write the HTML report, one file that needs no network, to `path`."""
        from arcs.report import write_report

        return write_report(self, path, title=title)

    def with_(self, **changes: Any) -> FitResult:
        """A copy with some attributes replaced."""
        return replace(self, **changes)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.method}: {len(self.names)} nodes, {self.n_edges} edges, "
            f"BIC {self.bic:.1f}, {self.stopped})"
        )

    def _repr_html_(self) -> str:
        """The report, for notebooks."""
        from arcs.report import notebook_html

        return notebook_html(self)

    # ------------------------------------------------------------------ files
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write to `path`: ``.npz`` for a compact binary file, JSON otherwise. Atomic."""
        from arcs.result_files import save_result

        return save_result(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FitResult:
        """Read what :meth:`save` wrote; damaged or newer files are refused."""
        from arcs.result_files import load_result

        return load_result(path)


def software_versions() -> dict[str, str]:
    """Versions that a reader needs to run a fit again."""
    return dict(_installed())


@cache
def _installed() -> tuple[tuple[str, str], ...]:
    """The same, read once: to look them up takes longer than a short search."""
    packages = ("arcs-bn", "numpy", "scipy", "numba", "scikit-learn")
    found = ((package, metadata.version(package)) for package in packages)
    return (("python", platform.python_version()), *found)


def _named(graph: Pdag, names: tuple[str, ...]) -> Pdag:
    return Pdag(graph.directed, graph.undirected, names)
