"""Runs somebody else's method on rows from a folder: the child's side of :mod:`.process`.

This file is a script of its own. It imports nothing but NumPy and the package that it calls, so
that it also runs under an interpreter in which ARCS is not installed.

In: ``job.json`` (the method, its options, a seed) and ``rows.npy``. Out: ``directed.npy`` and
``undirected.npy``, and ``outcome.json`` with the seconds that the call itself took, or the error.
"""

from __future__ import annotations

import json
import random
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Marks = tuple[np.ndarray, np.ndarray]
Call = Callable[[], Marks]


def flop(rows: np.ndarray, options: dict[str, Any]) -> Call:
    """FLOP minimises n log(variance) + lambda k log n: lambda is c."""
    import flopsearch

    def call() -> Marks:
        codes = np.asarray(flopsearch.flop(rows, options["penalty"], **options["stop"]))
        return codes == 1, codes == 2

    return call


def boss(rows: np.ndarray, options: dict[str, Any]) -> Call:
    """causal-learn maximises log L - lambda k log n: lambda is c / 2."""
    from causallearn.search.PermutationBased.BOSS import boss as method

    score = {"lambda_value": options["penalty"] / 2}
    return lambda: _general_graph(method(rows, parameters=score, verbose=False).graph)


def grasp(rows: np.ndarray, options: dict[str, Any]) -> Call:
    """The score is that of :func:`boss`."""
    from causallearn.search.PermutationBased.GRaSP import grasp as method

    score, depth = {"lambda_value": options["penalty"] / 2}, options["depth"]
    return lambda: _general_graph(method(rows, depth=depth, parameters=score, verbose=False).graph)


def pc(rows: np.ndarray, options: dict[str, Any]) -> Call:
    """The stable variant; earlier colliders stand."""
    from causallearn.search.ConstraintBased.PC import pc as method

    settings = {"stable": True, "uc_rule": 0, "uc_priority": 2, "show_progress": False}
    settings["max_k"] = options["max_condition_size"]
    return lambda: _general_graph(method(rows, options["alpha"], "fisherz", **settings).G.graph)


def ges(rows: np.ndarray, options: dict[str, Any]) -> Call:
    """The score is that of :func:`boss`; in the package `ges`, lambda is c log(n) / 2."""
    if options["implementation"] == "ges":
        import ges as package
        from ges.scores.gauss_obs_l0_pen import GaussObsL0Pen

        score = GaussObsL0Pen(rows, lmbda=0.5 * options["penalty"] * np.log(len(rows)))
        return lambda: _matrix(package.fit(score)[0])
    from causallearn.search.ScoreBased.GES import ges as method

    factor = {"lambda_value": options["penalty"] / 2}
    return lambda: _general_graph(
        method(rows, "local_score_BIC_from_cov", options["max_parents"], factor)["G"].graph
    )


def gies(rows: np.ndarray, options: dict[str, Any]) -> Call:
    """The package maximises log L - lambda k with one lambda for all nodes: c log(n) / 2."""
    import gies as package
    from gies.scores.gauss_int_l0_pen import GaussIntL0Pen

    environments = [rows[np.asarray(options["regime"]) == r] for r in options["used"]]
    targets = [list(options["targets"][r]) for r in options["used"]]
    lmbda = 0.5 * options["penalty"] * np.log(len(rows))
    score = GaussIntL0Pen(environments, targets, lmbda=lmbda)
    return lambda: _matrix(package.fit(score)[0])


def xges(rows: np.ndarray, options: dict[str, Any]) -> Call:
    """XGES maximises log L - alpha k log(n) / 2: alpha is c."""
    from xges import XGES

    def call() -> Marks:
        model = XGES(alpha=options["penalty"])
        model.fit(rows, extended_search=options["extended_search"])
        pdag = model.get_pdag()
        p = rows.shape[1]
        directed, undirected = np.zeros((p, p), bool), np.zeros((p, p), bool)
        for i in range(p):
            directed[i, list(pdag.children[i])] = True
            undirected[i, list(pdag.neighbors[i])] = True
        return directed, undirected

    return call


def _general_graph(marks: np.ndarray) -> Marks:
    """causal-learn's end marks: (i, j) = -1 and (j, i) = 1 for i -> j, twice -1 for i - j."""
    tail, head = marks == -1, marks == 1
    return tail & head.T, (tail & tail.T) | (head & head.T)


def _matrix(adjacency: np.ndarray) -> Marks:
    """A matrix with both (i, j) and (j, i) for i - j."""
    present = np.asarray(adjacency) != 0
    return present & ~present.T, present & present.T


METHODS = {"flop": flop, "boss": boss, "grasp": grasp, "pc": pc, "ges": ges, "gies": gies}
METHODS["xges"] = xges


def main(folder: Path) -> None:
    """Do the job in `folder`."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    warnings.simplefilter("ignore")
    if job["seed"] is not None:
        random.seed(job["seed"])
        np.random.seed(job["seed"] % 2**32)  # noqa: NPY002 -- peers draw from the global state
    outcome: dict[str, Any] = {}
    try:
        rows = np.load(folder / "rows.npy", allow_pickle=False)
        call = METHODS[job["method"]](rows, job["options"])
        start = time.perf_counter()
        directed, undirected = call()
        outcome["seconds"] = time.perf_counter() - start
        np.save(folder / "directed.npy", directed)
        np.save(folder / "undirected.npy", undirected)
    except Exception as error:  # whatever a peer raises is reported to the parent
        outcome["error"] = f"{type(error).__name__}: {error}"
    (folder / "outcome.json").write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    # A script's own folder comes first on the path; nothing of it must be mistaken for a peer.
    sys.path.pop(0)
    main(Path(sys.argv[1]))
