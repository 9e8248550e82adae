"""What can be told to ARCS, and what of it goes together.

The method itself is in :mod:`arcs.learners.arcs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcs.answer.finish import ADAPTIVE
from arcs.errors import SettingsError
from arcs.files import refuse_no_folder
from arcs.learners.base import Learner
from arcs.learners.initial import INIT, is_random
from arcs.penalties import PENALTIES, penalty
from arcs.regimes.kinds import KINDS, RegimeKind
from arcs.search.schedules import SCHEDULE
from arcs.search.strategies import PATIENCE
from arcs.settings import FLAG, LEVEL, NONE, PATH, choice, number, setting, whole

__all__ = ["FINAL_EBIC", "SEARCH_EBIC", "ArcsSettings", "paper_settings"]

#: Price of an edge, as the gamma of the extended BIC: while searching, and in the answer.
SEARCH_EBIC = 1.0
FINAL_EBIC = 1.5


def paper_settings(
    init: Any = "ges", *, experimental: bool = False, **changes: Any
) -> dict[str, Any]:
    """Settings of the published method (Section 5 of the paper).

    The start temperature is 1 for an informative start and 100 for a random one; the refinement
    level is 1e-5 for observational and 1e-3 for experimental data.
    """
    settings: dict[str, Any] = {
        "init": init,
        "penalty": "mcp",
        "search": "anneal",
        "n_iter": 10_000,
        "temperature": 100.0 if is_random(init) else 1.0,
        "interval": 4,
        "threshold": 0.1,
        "refine": 1e-3 if experimental else 1e-5,
        "n_chains": 1,
    }
    return {**settings, **changes}


@dataclass(frozen=True, kw_only=True)
class ArcsSettings(Learner):
    """The settings of a search over orders.

    Parameters
    ----------
    init : str, Order, sequence of int, GaussianDag, Pdag, adjacency or Learner
        Where to start: "random", an order (parents first), a graph, or a learner or its name,
        whose result is sorted topologically.
    penalty : {"l0", "mcp", "l1", "scad"}
        What an edge costs; l0 is the limit of MCP.
    gamma, lam : float, optional
        Parameters of a continuous penalty; what is not given is chosen by BIC over the grid of
        Algorithm 4. l0 and l1 have no `gamma`; for l0, `lam` is the price of an edge in nats
        instead of `ebic`.
    ebic : float
        l0: price of an edge while searching, ``0.5 log n + ebic log p`` nats. Where mechanisms
        differ between regimes, changes are priced with it, too.
    final_ebic : float or "adaptive"
        l0: the same for the answer, where it is at least that of the search; or chosen by the
        data, which keeps more edges where many are weak (:mod:`arcs.answer.prune`).
    search : {"pulls", "anneal", "none"}
        Iterated local search, the paper's annealing, or none.
    n_iter : int, optional
        Flips (annealing; 10,000 by default) or large steps (pulls; until nothing improves).
    temperature : float, sequence or callable, optional
        Annealing: start of the geometric schedule (by default 1 with an informative start, 100
        with a random one), or any schedule. Pulls: a constant, by default 1, at which the walk
        visits orders with about their posterior probability; 0 is greedy.
    interval : int
        Annealing: length m of the flipped interval, 2 to p; the default is shortened if p < 4.
    effort : {"quick", "normal", "thorough"}
        Pulls: how sure to be, before the search stops, that another pass over all nodes would find
        nothing better: a patience of 1, 4 or 12 (:class:`arcs.search.Pulls`).
    patience : int, optional
        Pulls: passes over all nodes without improvement after which the search stops; in place of
        what `effort` says.
    threshold : float
        Continuous penalties: standardised coefficients up to this size are cut.
    refine : float, optional
        Level of the Fisher-z tests of Algorithm 3.
    max_parents : int, optional
        Bound on the number of parents of a node.
    min_r2 : float
        l0: an edge must explain this share of its head's remaining variance, whatever the number
        of rows; the answer is then pruned at a fixed price.
    latent : int, "auto" or None
        Hidden factors that act on all variables: so many, or as many as describe the data best
        (:mod:`arcs.learners.latent`). With hard interventions or none.
    intervention_kind : {"hard", "soft", "unknown"}
        Hard: rows in which a node was set say nothing of its parents and are left out. Soft: it
        keeps its parents, but its noise (or its coefficients) differ there, and the regime is
        reweighted. Unknown: rows carry labels of regimes only, and the targets are found. See
        :mod:`arcs.regimes`.
    discrete_score : {"auto", "ebdeu", "ebic", "bic", "bdeu", "bds", "k2"}
        Tables of categories: what is minimised (:mod:`arcs.scores.discrete`). "auto" is "ebdeu",
        and "ebic" where there are numbers beside the categories. `ebic` is the price
        of parents in "ebic" and "ebdeu" there, too.
    equivalent_sample_size : float
        Rows that the prior of "bdeu", "ebdeu" and "bds" is worth.
    mixed_score : {"degenerate-gaussian", "conditional-gaussian"}
        Numbers beside categories: causes add up (:mod:`arcs.scores.blocks`), or categories change
        slopes and variances, too (:mod:`arcs.scores.conditional`).
    n_chains, n_jobs : int
        Independent searches, and threads to run them in; threads that are left over share the
        steps of a search, from 300 variables on. With unknown targets there are at least six
        searches, with categories five.
    checkpoint : path, optional
        Where to save the search every few seconds.
    resume : bool
        Go on from the checkpoint.
    """

    init: Any = setting("random", INIT)
    penalty: str = setting("l0", choice(*PENALTIES))
    gamma: float | None = setting(None, number(above=1) | NONE)
    lam: float | None = setting(None, number(0) | NONE)
    ebic: float = setting(SEARCH_EBIC, number(0))
    final_ebic: float | str = setting(ADAPTIVE, number(0) | choice(ADAPTIVE))
    search: str = setting("pulls", choice("pulls", "anneal", "none"))
    n_iter: int | None = setting(None, whole(0) | NONE)
    temperature: Any = setting(None, number(0) | SCHEDULE | NONE)
    interval: int = setting(4, whole(2))
    effort: str = setting("normal", choice(*PATIENCE))
    patience: int | None = setting(None, whole(1) | NONE)
    threshold: float = setting(0.0, number(0))
    refine: float | None = setting(None, LEVEL | NONE)
    max_parents: int | None = setting(None, whole(1) | NONE)
    min_r2: float = setting(0.0, number(0, below=1))
    latent: int | str | None = setting(None, whole(1) | choice("auto") | NONE)
    intervention_kind: str = setting("hard", choice(*KINDS))
    discrete_score: str = setting(
        "auto", choice("auto", "ebdeu", "ebic", "bic", "bdeu", "bds", "k2")
    )
    equivalent_sample_size: float = setting(2.0, number(above=0))
    mixed_score: str = setting(
        "degenerate-gaussian", choice("degenerate-gaussian", "conditional-gaussian")
    )
    n_chains: int = setting(1, whole(1))
    n_jobs: int = setting(1, whole(1) | whole(-1, -1))
    checkpoint: Any = setting(None, PATH | NONE, repr=False)
    resume: bool = setting(False, FLAG, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_penalty()
        if self.search == "pulls" and not isinstance(self.temperature, float | None):
            raise SettingsError(
                f"temperature must be a number with search='pulls', got {self.temperature!r:.80}; "
                "schedules are for search='anneal'"
            )
        if self.latent is not None and (self.regimes.alternates or self.penalty != "l0"):
            raise SettingsError(
                "latent is for penalty='l0' and intervention_kind='hard'; leave one of them out"
            )
        if self.resume and self.checkpoint is None:
            raise SettingsError("resume needs a checkpoint to resume from")
        if self.checkpoint is not None:
            refuse_no_folder("checkpoint", self.checkpoint)
        if self.checkpoint is not None and self.regimes.alternates:
            raise SettingsError(
                f"checkpoint: with intervention_kind={self.intervention_kind!r} searches alternate "
                "with the estimation of mechanisms and cannot be resumed; leave it out"
            )

    def _check_penalty(self) -> None:
        """Refuse parameters that the penalty does not have, or not with these values."""
        penalty(self.penalty, 1.0 if self.lam is None else self.lam, self.gamma)
        if self.priced_by_ebic or self.regimes.alternates:
            return
        for name, default in (("ebic", SEARCH_EBIC), ("final_ebic", ADAPTIVE), ("min_r2", 0.0)):
            if getattr(self, name) != default:
                raise SettingsError(
                    f"{name}={getattr(self, name)!r} is a price for penalty='l0' without lam, and "
                    "has no meaning here; leave it out"
                )

    @property
    def passes(self) -> int:
        """The patience of the search: as it was given, or as the effort says."""
        return PATIENCE[self.effort] if self.patience is None else self.patience

    @property
    def agreement(self) -> bool:
        """Whether a second search that agrees may end the search: not where somebody wants it long,
        or says how long it is to be."""
        given = self.patience is not None or self.n_iter is not None or self.n_chains > 1
        return self.effort != "thorough" and not given

    @property
    def priced_by_ebic(self) -> bool:
        """Whether the extended BIC says what an edge costs."""
        return self.penalty == "l0" and self.lam is None

    @property
    def final_gamma(self) -> float:
        """The fixed price of an edge in the answer, which an adaptive one has to surpass."""
        final = FINAL_EBIC if isinstance(self.final_ebic, str) else self.final_ebic
        return max(final, self.ebic)

    @property
    def regimes(self) -> RegimeKind:
        """How mechanisms may differ between regimes."""
        return KINDS[self.intervention_kind]

    @property
    def excludes_rows(self) -> bool:
        """Whether rows in which a variable was set are left out of its own regression."""
        return self.regimes.excludes_rows

    @property
    def knows_targets(self) -> bool:
        """Whether labels of rows name targets, rather than conditions."""
        return self.regimes.knows_targets
