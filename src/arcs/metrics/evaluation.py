"""How far an estimated graph is from the true DAG (Sections 5.2 and 5.4 of the paper).

Edges are counted, whatever their direction: P in the estimate, s0 in the truth. FP are the
estimated edges that are not in the true skeleton, M the true edges that are not in the estimated
skeleton. Of the remaining estimated edges TP are right and ``R = P - TP - FP`` are not, where

*observational data*: the DAG is identified up to its equivalence class only, so a directed edge is
right if (1) the true DAG has it with the same direction, or (2) it coincides after estimate and
truth are both turned into CPDAGs, that is, it has the same direction in both or is undirected in
both. An undirected edge (of an estimated CPDAG) is right by (2) only. An estimate with undirected
edges is taken as it is, also if it is no CPDAG: constraint-based methods may return such graphs.

*experimental data*: directions are compared with the true DAG directly. An estimated undirected
edge in the true skeleton counts into R: the direction was there to be found.

Then ``SHD = R + FP + M`` and ``JI = TP / (s0 + P - TP)``.

Beside them stand the usual others. Skeleton precision and recall ignore directions. Arrow
precision and recall are about directed edges: those of the two CPDAGs for observational data,
those of the graphs themselves for experimental data. `shd_cpdag` is the number of pairs of nodes
on which the two CPDAGs differ [1]_. An empty claim makes no error and an empty truth misses
nothing, so 0/0 counts as 1.

.. [1] I. Tsamardinos, L. E. Brown, C. F. Aliferis, The max-min hill-climbing Bayesian network
   structure learning algorithm, Machine Learning 65 (2006).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from arcs.metrics.alignment import GraphLike, Marks, aligned

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """Counts and rates of one estimated graph.

    Attributes
    ----------
    P, TP, R, FP, M : int
        Estimated, true positive, reversed, false positive and missing edges.
    SHD : int
        Structural Hamming distance R + FP + M.
    JI : float
        Jaccard index TP / (s0 + P - TP).
    s0 : int
        Edges of the truth.
    skeleton_precision, skeleton_recall, skeleton_f1 : float
        Edges whatever their direction.
    arrow_precision, arrow_recall, arrow_f1 : float
        Directed edges (see the module's text).
    shd_cpdag : int
        Pairs of nodes on which the CPDAGs differ.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs import evaluate
    >>> forwards = np.array([[False, True], [False, False]])
    >>> found = evaluate(forwards, forwards.T, experimental=True)
    >>> found.R, found.SHD
    (1, 1)
    """

    P: int
    TP: int
    R: int
    FP: int
    M: int
    SHD: int
    JI: float
    s0: int
    skeleton_precision: float
    skeleton_recall: float
    skeleton_f1: float
    arrow_precision: float
    arrow_recall: float
    arrow_f1: float
    shd_cpdag: int

    def to_dict(self) -> dict[str, int | float]:
        """All fields by name, as plain numbers."""
        return asdict(self)

    def __str__(self) -> str:
        counts = "  ".join(f"{name} {getattr(self, name)}" for name in _COUNTS)
        return f"{counts}  JI {self.JI:.2f}"


_COUNTS = ("P", "TP", "R", "FP", "M", "SHD")


def evaluate(estimate: GraphLike, truth: GraphLike, experimental: bool = False) -> Evaluation:
    """Compare an estimated graph with the true DAG.

    Parameters
    ----------
    estimate : GaussianDag, Pdag or ndarray of bool
        The estimate: a DAG, or a CPDAG as a `Pdag`; as a matrix, `estimate[i, j]` is i → j.
    truth : GaussianDag, Pdag without undirected edges, or ndarray of bool
        The true DAG. Nodes are matched by name if both graphs have names.
    experimental : bool
        Compare directions directly (Section 5.4) instead of up to equivalence (Section 5.2).

    Examples
    --------
    The chain a → b → c may as well run backwards, by Markov equivalence:

    >>> import numpy as np
    >>> chain = np.array([[0, 1, 0], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> print(evaluate(chain.T, chain))
    P 2  TP 2  R 0  FP 0  M 0  SHD 0  JI 1.00
    >>> print(evaluate(chain.T, chain, experimental=True))
    P 2  TP 0  R 2  FP 0  M 0  SHD 2  JI 0.00
    """
    found, true = aligned(estimate, truth)
    found_class, true_class = found.cpdag(), true.cpdag()
    n_found, n_true = found.n_edges, true.n_edges
    shared = _pairs(found.skeleton & true.skeleton)
    correct = _directly_right(found, true)
    if not experimental:
        correct += _right_by_class(found, true, found_class, true_class)
    missing, extra = n_true - shared, n_found - shared
    reversed_edges = n_found - correct - extra
    arrows = (found, true) if experimental else (found_class, true_class)
    return Evaluation(
        P=n_found,
        TP=correct,
        R=reversed_edges,
        FP=extra,
        M=missing,
        SHD=reversed_edges + extra + missing,
        JI=_ratio(correct, n_true + n_found - correct),
        s0=n_true,
        **_rates("skeleton", shared, n_found, n_true),
        **_arrow_rates(*arrows),
        shd_cpdag=_differing_pairs(found_class, true_class),
    )


def _directly_right(found: Marks, true: Marks) -> int:
    """Criterion 1: directed edges of the estimate with the true direction."""
    return int((found.directed & true.directed).sum())


def _right_by_class(found: Marks, true: Marks, found_class: Marks, true_class: Marks) -> int:
    """Edges right by criterion 2 and not by criterion 1.

    An edge with the same direction in both CPDAGs has it in the true DAG, too, and is right by
    criterion 1 already; what remains are the edges that are undirected in both.
    """
    open_in_both = found_class.undirected & true_class.undirected
    directed = found.directed & ~true.directed & open_in_both
    return int(directed.sum()) + _pairs(found.undirected & open_in_both)


def _differing_pairs(one: Marks, other: Marks) -> int:
    differ = (one.directed != other.directed) | (one.undirected != other.undirected)
    return _pairs(differ | differ.T)


def _arrow_rates(found: Marks, true: Marks) -> dict[str, float]:
    shared = int((found.directed & true.directed).sum())
    return _rates("arrow", shared, int(found.directed.sum()), int(true.directed.sum()))


def _rates(kind: str, shared: int, n_found: int, n_true: int) -> dict[str, float]:
    return {
        f"{kind}_precision": _ratio(shared, n_found),
        f"{kind}_recall": _ratio(shared, n_true),
        f"{kind}_f1": _ratio(2 * shared, n_found + n_true),
    }


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _pairs(symmetric: np.ndarray) -> int:
    return int(np.triu(symmetric).sum())
