"""Cases, drawn at random: plain values only, so that one can be printed, sent and made smaller.

A case says what data to make (kind, size, container, names, gaps), with which experiments and which
knowledge, and which learner to fit with which settings; or which file to damage and to read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["draw_case"]

Case = dict[str, Any]

#: Own methods; "arcs" more often, since it has most to go wrong. Peers take seconds each.
_METHODS = ("arcs",) * 8 + ("cd", "ga", "ges", "gies", "hc", "listen", "mmhc", "pc") * 2
_PEERS = ("peer-boss", "peer-flop", "peer-ges", "peer-gies", "peer-grasp", "peer-pc")
_VALUES = ("linear",) * 6 + (
    *("noise", "duplicate", "collinear", "constant", "huge", "tiny", "binary", "heavy"),
    *("whole", "offset", "mixed scales", "few rows", "near duplicate", "negative copy"),
)
_CONTAINERS = (
    ("array",) * 5
    + ("frame", "dataset", "csv") * 2
    + (
        *("list", "frame", "dataset", "fortran", "float32", "read-only", "object", "csv", "gzip"),
        *("covariance", "statistics", "strided", "parquet"),
    )
)
_NAMES = ("plain", "hostile", "unicode") * 6 + (
    "hostile",
    "numbers",
    "long",
    "unicode",
    "control",
    "repeated",
    "blank",
)
_DESIGNS = (None,) * 6 + (
    "mask",
    "mask",
    "labels",
    "labels",
    "targets",
    "all rows",
    "unknown label",
    "one row each",
)
#: Covariates, conditions and scales of the rows.
_ROLES = (None,) * 14 + (
    *("adjust", "adjust a constant", "adjust too many", "adjust names", "batches", "batches"),
    *("batches and covariates", "one batch", "a batch for each row", "blank batch"),
    *("log", "normal-scores", "auto", "auto", "no such scale"),
)
_POLICIES = (None, None, None, "common", "free", "sparse", "mixed", "auto", "x")
_KNOWLEDGE = (None,) * 20 + ("required", "forbidden", "tiers", "roots", "leaves", "contradiction")
_FILES = (
    *("csv", "result.json", "result.npz", "checkpoint", "replicates", "toml", "knowledge.csv"),
    *("tetrad", "dot", "graphml", "edges.csv", "adjacency.csv", "graph.json", "dagitty", "parquet"),
)
#: What nobody in his right mind would give as a setting.
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.0, 0.5, 1.5, -0.5, 1e-300, 1e300, 10**30, -(10**30)),
    *("nan", "inf", "-inf", "", "x", "adaptive", "random", [], [1, 2], {}, "1", "é\u0000"),
)
#: What somebody might, by name of the setting; other settings keep their defaults.
_SANE: dict[str, tuple[Any, ...]] = {
    "penalty": ("l0", "mcp", "scad", "l1", 1.0, 2.0, 0.5, None),
    "gamma": (None, 2.0, 3.7, 10.0),
    "lam": (None, 0.01, 0.1, 1.0, 30.0),
    "ebic": (0.0, 0.5, 1.0, 3.0),
    "final_ebic": ("adaptive", 0.0, 1.0, 2.0),
    "search": ("pulls", "anneal", "none"),
    "n_iter": (None, 0, 1, 50, 300),
    "temperature": (None, 0.0, 1.0, 20.0),
    "interval": (2, 3, 4, 8),
    "patience": (1, 2, 4),
    "min_r2": (0.0, 0.01, 0.5),
    "threshold": (0.0, 0.01, 0.1, 0.5),
    "refine": (None, 0.0, 1e-3, 0.05, 0.5),
    "max_parents": (None, 1, 2, 5, 100),
    "n_chains": (1, 2, 3),
    "n_jobs": (1, 2, -1),
    "init": ("random", "hc", "ges", "pc", "cd", "order", "graph"),
    "alpha": (0.001, 0.05, 0.2),
    "tabu": (0, 1, 10),
    "restarts": (0, 1, 3),
    "max_condition_size": (0, 1, 4),
    "generations": (1, 20),
    "population": (None, 4, 10),
    "turning": (True, False),
    "eager": (True, False),
    "n_lambdas": (1, 5, 20),
    "select": ("change-ratio", "bic"),
    "blocks": ("strength", "names"),
}


def draw_case(seed: int, number: int) -> Case:
    """The case of that number in the attack of that seed: always the same."""
    rng = np.random.default_rng([seed, number])
    case: Case = {"seed": int(rng.integers(2**31)), "number": number}
    if rng.random() < 0.15:
        return {**case, "kind": "file", "file": _one(rng, _FILES), "damage": int(rng.integers(5))}
    peer = rng.random() < 0.004
    case |= {
        "kind": "fit",
        "method": _one(rng, _PEERS if peer else _METHODS),
        "values": _one(rng, _VALUES),
        "container": _one(rng, _CONTAINERS),
        "names": _one(rng, _NAMES),
        "n": int(_one(rng, (2, 5, 8, 12, 20, 30, 40, 60, 80, 150))),
        "p": int(rng.integers(1, 9)),
        "gaps": float(_one(rng, (0.0,) * 12 + (0.02, 0.2, 0.9))),
        "missing": _one(rng, ("error", "error", "drop", "pairwise", "em")),
        "constant": _one(rng, ("error", "drop")),
        "design": _one(rng, _DESIGNS),
        "knowledge": _one(rng, _KNOWLEDGE),
        "roles": _one(rng, _ROLES),
        "policy": _one(rng, _POLICIES),
        "settings": {} if peer else _settings(rng),
        "again": bool(rng.random() < 0.1),
        "outputs": bool(rng.random() < 0.04),
        "asked": bool(rng.random() < 0.1),
    }
    if case["method"] == "arcs" and case["design"] is not None and rng.random() < 0.5:
        case["settings"]["intervention_kind"] = _one(rng, ("soft", "unknown", "hard"))
    elif case["method"] == "arcs" and rng.random() < 0.04:
        case["settings"]["latent"] = _one(rng, (1, 2, "auto", 0, 100, "x"))
    return case


def _settings(rng: np.random.Generator) -> dict[str, Any]:
    """Mostly sensible settings (those a method does not have are left out later), some odd."""
    chosen = {}
    for name, values in _SANE.items():
        if rng.random() < 0.08:
            chosen[name] = _one(rng, values)
        elif rng.random() < 0.006:
            chosen[name] = _one(rng, _ODD)
    if rng.random() < 0.03:
        chosen["time_limit"] = _one(rng, (1e-9, 0.01, *_ODD))
    if rng.random() < 0.03:
        chosen["random_state"] = _one(rng, _ODD)
    return chosen


def _one(rng: np.random.Generator, values: tuple[Any, ...]) -> Any:
    return values[int(rng.integers(len(values)))]
