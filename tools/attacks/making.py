"""From the plain words of a case to data, experiments and knowledge."""

from __future__ import annotations

import gzip
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from attacks.categories import category_data

__all__ = ["knowledge_of", "make_data", "settings_of", "write_table"]

_HOSTILE = (
    *("<script>alert(1)</script>", "=1+1", "a,b", 'a"b', "a\rb", "a\nb", "'x", "../../etc", "%s%n"),
    *("{{ 7*7 }}", "a->b", "graph [", "; DROP TABLE", "\u202etxt", "#", "~/.x", "NA", "nan", "1e5"),
)


#: What carries names; the columns of all else are called x0, x1, ...
_NAMED = ("frame", "dataset", "csv", "gzip", "parquet")


def make_data(case: dict[str, Any], folder: Path) -> tuple[Any, dict[str, Any]]:
    """What to fit, and the options that go with it."""
    rng = np.random.default_rng(case["seed"])
    if case["table"] != "numbers":
        return _categories(case, rng, folder)
    values = _values(case["values"], case["n"], case["p"], rng)
    if case["gaps"]:
        values[rng.random(values.shape) < case["gaps"]] = rng.choice([np.nan, np.nan, np.inf])
    if case["roles"] == "log" and rng.random() < 0.8:
        values = np.abs(values) + 0.1
    names = _names(case["names"] if case["container"] in _NAMED else "plain", values.shape[1])
    options: dict[str, Any] = {"missing": case["missing"], "constant": case["constant"]}
    design = _design(case["design"], values.shape, names, rng)
    if design is not None:
        options["interventions"] = design
    options |= _roles(case["roles"], case["policy"], len(values), rng)
    if case["discretize"] is not None:
        options["discretize"] = case["discretize"]
    return _contained(case["container"], values, names, options, folder)


def _categories(
    case: dict[str, Any], rng: np.random.Generator, folder: Path
) -> tuple[Any, dict[str, Any]]:
    """A table with categories, and the options that go with it."""
    from arcs.data import Dataset

    plain = case["container"] in ("array", "list", "text array")
    names = _names("plain" if plain else case["names"], case["p"])
    data, options = category_data(case, names, rng, folder)
    options |= {"missing": case["missing"], "constant": case["constant"]}
    design = _design(case["design"], (case["n"], case["p"]), names, rng)
    if isinstance(design, dict):
        design = (design["targets"], design["index"])
    if design is not None:
        options["interventions"] = design
    options |= _roles(case["roles"], case["policy"], case["n"], rng)
    in_chunks = case["in chunks"] and case["kind"] == "fit"  # commands take the file itself
    if in_chunks and case["container"] in ("csv", "gzip", "parquet"):
        data = Dataset.from_file(data, in_memory=False, chunk_rows=33, **options)
        return data, {}
    return (Dataset.of(data, **options), {}) if case["container"] == "dataset" else (data, options)


def _values(kind: str, n: int, p: int, rng: np.random.Generator) -> np.ndarray:
    weights = np.triu(rng.normal(size=(p, p)) * (rng.random((p, p)) < 0.4), 1)
    noise = rng.normal(size=(n, p)) * rng.uniform(0.3, 2, p)
    values = noise @ np.linalg.inv(np.eye(p) - weights)
    last = values[:, -1]
    if kind == "noise":
        values = noise
    elif kind in ("duplicate", "near duplicate", "negative copy", "collinear"):
        copies = {
            "duplicate": values[:, 0],
            "near duplicate": values[:, 0] + 1e-9 * rng.normal(size=n),
            "negative copy": -1e-8 * values[:, 0],
            "collinear": values[:, :-1].sum(axis=1) + 1e-7 * rng.normal(size=n),
        }
        last[:] = copies[kind]
    elif kind == "constant":
        last[:] = rng.choice([0.0, 1.0, 1e10])
    elif kind in ("huge", "tiny"):
        values = values * (1e90 if kind == "huge" else 1e-60)
    elif kind in ("binary", "whole"):
        values = (values > 0).astype(float) if kind == "binary" else np.rint(3 * values)
    elif kind == "heavy":
        values = values / np.abs(rng.normal(size=values.shape)) ** 2
    elif kind == "offset":
        values = values + 1e8
    elif kind == "mixed scales":
        values = values * 10.0 ** rng.integers(-12, 13, p)
    elif kind == "few rows":
        values = values[: int(rng.integers(1, 5))]
    return np.ascontiguousarray(values)


def _names(kind: str, p: int) -> list[Any]:
    made: dict[str, list[Any]] = {
        "hostile": [*_HOSTILE[:p], *(f"x{k}" for k in range(len(_HOSTILE), p))],
        "numbers": list(range(p)),
        "long": ["n" * 5000 + str(k) for k in range(p)],
        "unicode": [f"ünï→変数🧬{k}" for k in range(p)],
        "control": [f"\x1b[31mRED{k}" for k in range(p)],
        "repeated": ["same"] * p,
        "blank": [" " * k for k in range(p)],
    }
    return made.get(kind, [f"x{k}" for k in range(p)])


def _design(kind: str | None, shape: tuple[int, int], names: list[Any], rng: Any) -> Any:
    n, p = shape
    if kind == "mask":
        return rng.random((n, p)) < 0.2
    if kind == "all rows":
        mask = np.zeros((n, p), bool)
        mask[:, 0] = True
        return mask
    if kind == "labels":
        return [str(names[int(k)]) if k < p else "" for k in rng.integers(0, 2 * p, n)]
    if kind == "unknown label":
        return [f"drug {k}" if k < 3 else "" for k in rng.integers(0, 6, n)]
    if kind == "one row each":
        return [str(names[k % p]) for k in range(n)]
    if kind == "targets":
        return {"targets": [[], [0], [p - 1]], "index": rng.integers(0, 3, n)}
    return None


def _roles(kind: str | None, policy: str | None, n: int, rng: Any) -> dict[str, Any]:
    """Covariates, conditions and scales."""
    if kind is None:
        return {}
    columns = {"adjust too many": n + 1, "adjust": 2, "batches and covariates": 1}
    made: dict[str, Any] = {}
    if kind in columns:
        made["adjust"] = rng.normal(size=(n, columns[kind]))
    elif kind == "adjust a constant":
        made["adjust"] = np.ones((n, 1))
    elif kind == "adjust names":
        made["adjust"] = ["x0", "no such column"]
    labels = {
        "batches": [f"plate {k}" for k in rng.integers(0, 3, n)],
        "batches and covariates": ["a", "b"] * (n // 2) + ["a"] * (n % 2),
        "one batch": ["only"] * n,
        "a batch for each row": list(range(n)),
        "blank batch": [None, *["a"] * (n - 1)],
    }
    if kind in labels:
        made["conditions"] = labels[kind]
        if policy is not None:
            made["condition_policy"] = policy
    if kind in ("log", "normal-scores", "auto", "no such scale"):
        made = {"transform": kind}
    return made


def _contained(
    kind: str, values: np.ndarray, names: list[Any], options: dict[str, Any], folder: Path
) -> tuple[Any, dict[str, Any]]:
    from arcs.data import Dataset

    design = options.get("interventions")
    if isinstance(design, dict):
        options = {**options, "interventions": (design["targets"], design["index"])}
    arrays = {
        "list": lambda: values.tolist(),
        "fortran": lambda: np.asfortranarray(values),
        "float32": lambda: values.astype(np.float32),
        "object": lambda: values.astype(object),
        "strided": lambda: np.repeat(values, 2, axis=0)[::2],
    }
    if kind in arrays:
        with np.errstate(over="ignore"):
            return arrays[kind](), options
    if kind == "read-only":
        values.setflags(write=False)
    if kind == "frame":
        import pandas as pd

        return pd.DataFrame(values, columns=names), options
    if kind == "dataset":
        return Dataset.from_array(values, names, **options), {}
    if kind in ("covariance", "statistics"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of NumPy, about what ARCS is to refuse
            covariance = np.cov(values, rowvar=False).reshape(values.shape[1], -1)
        pair = (covariance, max(len(values), 2))
        return (pair if kind == "covariance" else Dataset.of(pair).statistics()), {}
    if kind in ("csv", "gzip", "parquet"):
        return _in_file(kind, values, names, folder), options
    return values, options


def _in_file(kind: str, values: np.ndarray, names: list[Any], folder: Path) -> str:
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        path = folder / "data.parquet"
        pq.write_table(
            pa.Table.from_arrays([*values.T.copy()], [str(name) for name in names]), path
        )
        return str(path)
    return write_table(kind, names, values.tolist(), folder)


def write_table(kind: str, names: Any, rows: Any, folder: Path) -> str:
    """A CSV file, gzipped or not; what is missing is written as nothing."""
    from arcs.graphs.formats.cells import write_rows

    cells = [["" if entry is None else _cell(entry) for entry in row] for row in rows]
    text = write_rows([[str(name) for name in names], *cells]).encode("utf-8", "surrogatepass")
    path = folder / ("data.csv.gz" if kind == "gzip" else "data.csv")
    path.write_bytes(gzip.compress(text) if kind == "gzip" else text)
    return str(path)


def _cell(entry: Any) -> str:
    return repr(entry) if isinstance(entry, float) else str(entry)


def knowledge_of(kind: str | None, p: int, rng: np.random.Generator) -> Any:
    """Statements about column numbers."""
    from arcs.knowledge import Knowledge

    if kind is None or p < 2:
        return None
    a, b = (int(k) for k in rng.choice(p, 2, replace=False))
    said: dict[str, Any] = {
        "required": {"required": [(a, b)]},
        "forbidden": {"forbidden": [(a, b), (b, a)]},
        "tiers": {"tiers": [[a], [b]], "edges_within_tiers": bool(rng.random() < 0.5)},
        "roots": {"roots": [a]},
        "leaves": {"leaves": [a, b]},
        "contradiction": {"required": [(a, b)], "forbidden": [(a, b)]},
    }[kind]
    return Knowledge(**said)


def settings_of(case: dict[str, Any], p: int) -> dict[str, Any]:
    """The settings that the method has, with starts and knowledge made of words."""
    from dataclasses import fields

    from arcs.learners import LEARNERS

    rng = np.random.default_rng([case["seed"], 1])
    known = {field.name for field in fields(LEARNERS[case["method"]])}
    settings: dict[str, Any] = {"time_limit": 5.0, "random_state": 0}
    settings |= {name: value for name, value in case["settings"].items() if name in known}
    for name, value in settings.items():
        if value in ("nan", "inf", "-inf"):
            settings[name] = float(value)
    if settings.get("init") == "order":
        settings["init"] = rng.permutation(p)
    elif settings.get("init") == "graph":
        settings["init"] = np.triu(rng.random((p, p)) < 0.3, 1)
    knowledge = knowledge_of(case["knowledge"], p, rng)
    if knowledge is not None and "knowledge" in known:
        settings["knowledge"] = knowledge
    return settings
