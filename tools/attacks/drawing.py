"""Cases, drawn at random: plain values only, so that one can be printed, sent and made smaller.

A case says what data to make (kind, size, container, names, gaps), with which experiments and which
knowledge, and which learner to fit with which settings; or which file to damage and to read; or
what happens to the machine.
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
_NAMES = ("plain", "hostile", "unicode") * 12 + (
    *("numbers", "long", "numbers", "long", "control", "repeated", "blank"),
)
_DESIGNS = (None,) * 10 + (
    *("mask", "mask", "labels", "labels", "targets", "targets"),
    *("all rows", "unknown label", "one row each"),
)
#: Covariates, conditions and scales of the rows.
_ROLES = (None,) * 30 + (
    *("adjust", "adjust a constant", "adjust too many", "adjust names", "batches", "batches"),
    *("batches and covariates", "one batch", "a batch for each row", "blank batch"),
    *("log", "normal-scores", "auto", "auto", "no such scale"),
)
_POLICIES = (None, None, None, "common", "free", "sparse", "mixed", "auto", "x")
_KNOWLEDGE = (None,) * 20 + ("required", "forbidden", "tiers", "roots", "leaves", "contradiction")
#: How a table with categories looks; what it comes in; what is said about it.
_SHAPES = ("linked",) * 8 + ("noise", "copy", "constant", "identifier", "rare", "determined")
_LEVELS = ("words", "numbers", "number texts", "truth", "unicode", "hostile", "fractions") * 4 + (
    *("mixed types", "missing words", "spaces", "long", "control", "surrogates", "objects"),
)
_LEVEL_CONTAINERS = ("frame", "categories", "csv", "dataset") * 3 + (
    *("array", "text array", "list", "gzip", "polars", "parquet"),
)
_WISHES = (
    ("auto",) * 8
    + ("all", "names", "declared") * 8
    + (
        *("one", "declared too few", "declared none", "declared badly", "declared twice"),
        *("auto and a name", "no such", "number", "empty", "nested", "nothing"),
    )
)
_CUTS = (None,) * 12 + (
    *("quantiles-3", "quantiles-3", "width-3", "width-3", "hartemink-2", "hartemink-3"),
    *("quantiles-2:x0", "width-100", "quantiles-1", "x", 5),
)
_FILES = (
    *("levels.csv", "discrete.json", "discrete.npz", "mixed.json", "mixed.npz", "bif"),
    *("discrete checkpoint", "discrete replicates"),
    *("csv", "result.json", "result.npz", "checkpoint", "replicates", "toml", "knowledge.csv"),
    *("tetrad", "dot", "graphml", "edges.csv", "adjacency.csv", "graph.json", "dagitty", "parquet"),
)
#: What happens to machines: rare, since each takes as long as hundreds of fits.
_FAULTS = ("killed cluster worker", "killed process", "unwritable cache", "signals")
#: What nobody in his right mind would give as a setting.
_ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 0.0, 0.5, 1.5, -0.5, 1e-300, 1e300, 10**30, -(10**30)),
    *("nan", "inf", "-inf", "", "x", "adaptive", "random", [], [1, 2], {}, "1", "é\u0000"),
)
#: What somebody might, by name of the setting; other settings keep their defaults.
_SANE: dict[str, tuple[Any, ...]] = {
    "penalty": ("l0", "mcp", "scad", "l1", "l0", "mcp", 1.0, None),
    "effort": ("quick", "normal", "thorough"),
    "discrete_score": ("ebic", "bic", "bdeu", "ebdeu", "bds", "k2"),
    "equivalent_sample_size": (1e-3, 0.5, 1.0, 10.0, 1e6),
    "mixed_score": ("degenerate-gaussian", "conditional-gaussian"),
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
    "blocks": ("strength", "columns"),
}
#: Settings that mean something for categories; the others are refused there.
_FOR_LEVELS = (
    *("discrete_score", "equivalent_sample_size", "ebic", "n_chains", "n_jobs", "max_parents"),
    *("effort", "patience", "n_iter", "init", "discrete_score", "discrete_score", "mixed_score"),
)


def draw_case(seed: int, number: int) -> Case:
    """The case of that number in the attack of that seed: always the same."""
    rng = np.random.default_rng([seed, number])
    case: Case = {"seed": int(rng.integers(2**31)), "number": number}
    if rng.random() < 0.15:
        return {**case, "kind": "file", "file": _one(rng, _FILES), "damage": int(rng.integers(5))}
    if rng.random() < 0.0005:
        return {**case, "kind": "machine", "fault": _one(rng, _FAULTS)}
    case |= _categories(rng) if rng.random() < 0.35 else _numbers(rng)
    case |= {
        "kind": "command" if rng.random() < 0.02 else "fit",
        "names": _one(rng, _NAMES),
        "p": int(rng.integers(1, 9)),
        "gaps": float(_one(rng, (0.0,) * 12 + (0.02, 0.2, 0.9))),
        "constant": _one(rng, ("error", "isolate", "isolate", "isolate", "drop")),
        "design": _one(rng, _DESIGNS),
        "knowledge": _one(rng, _KNOWLEDGE),
        "policy": _one(rng, _POLICIES),
        "again": bool(rng.random() < 0.1),
        "outputs": bool(rng.random() < 0.04),
        "asked": bool(rng.random() < 0.1),
    }
    chance = 0.5 if case["table"] == "numbers" else 0.05
    if case["method"] == "arcs" and case["design"] is not None and rng.random() < chance:
        case["settings"]["intervention_kind"] = _one(rng, ("soft", "unknown", "hard"))
    elif case["method"] == "arcs" and rng.random() < 0.04:
        case["settings"]["latent"] = _one(rng, (1, 2, "auto", 0, 100, "x"))
    return case


def _numbers(rng: np.random.Generator) -> Case:
    """What is drawn for a table of numbers."""
    peer = rng.random() < 0.004
    return {
        "table": "numbers",
        "method": _one(rng, _PEERS if peer else _METHODS),
        "values": _one(rng, _VALUES),
        "container": _one(rng, _CONTAINERS),
        "n": int(_one(rng, (2, 5, 8, 12, 20, 30, 40, 60, 80, 150))),
        "missing": _one(rng, ("error", "drop", "pairwise", "em")),
        "roles": _one(rng, _ROLES),
        "discretize": _one(rng, _CUTS) if rng.random() < 0.1 else None,
        "settings": {} if peer else _settings(rng),
    }


def _categories(rng: np.random.Generator) -> Case:
    """What is drawn for a table with categories."""
    return {
        "table": _one(rng, ("categories", "categories", "both")),
        "method": "arcs" if rng.random() < 0.6 else _one(rng, _METHODS),
        "values": _one(rng, _SHAPES),
        "container": _one(rng, _LEVEL_CONTAINERS),
        "levels": _one(rng, _LEVELS),
        "cardinality": int(_one(rng, (2, 2, 2, 3, 3, 4, 6, 1, 30))),
        "wish": _one(rng, _WISHES),
        "n": int(_one(rng, (2, 5, 8, 20, 40, 60, 80, 100, 150, 300))),
        "missing": _one(rng, ("error", "drop", "level", "level", "pairwise")),
        "roles": _one(rng, _ROLES) if rng.random() < 0.2 else None,
        "discretize": _one(rng, _CUTS) if rng.random() < 0.2 else None,
        "in chunks": bool(rng.random() < 0.3),
        "settings": _settings(rng) if rng.random() < 0.15 else _level_settings(rng),
    }


def _level_settings(rng: np.random.Generator) -> dict[str, Any]:
    chosen = rng.choice(_FOR_LEVELS, int(rng.integers(0, 4))).tolist()
    return {str(name): _one(rng, _SANE[name]) for name in chosen}


def _settings(rng: np.random.Generator) -> dict[str, Any]:
    """Mostly sensible settings (those a method does not have are left out later), some odd."""
    chosen = {}
    for name, values in _SANE.items():
        if rng.random() < 0.06:
            chosen[name] = _one(rng, values)
        elif rng.random() < 0.003:
            chosen[name] = _one(rng, _ODD)
    if rng.random() < 0.03:
        chosen["time_limit"] = _one(rng, (1e-9, 0.01, *_ODD))
    if rng.random() < 0.03:
        chosen["random_state"] = _one(rng, _ODD)
    return chosen


def _one(rng: np.random.Generator, values: tuple[Any, ...]) -> Any:
    return values[int(rng.integers(len(values)))]
