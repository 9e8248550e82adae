"""Results on disk: edges and orders by number, figures of edges without the pairs that have none.

A file is believed no more than its contents allow: whoever loads it gets a graph without cycles, an
order that the graph agrees with, and attributes of the promised types, or a
:class:`~arcs.errors.FileFormatError`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from arcs.data.local import LocalStatistics
from arcs.edge_rule import EdgeRule
from arcs.errors import FileFormatError
from arcs.files import ArchiveFormat, warn_of_unknown
from arcs.graphs import Dag, DiscreteDag, GaussianDag, GraphEnsemble, MixedDag, Order, Pdag
from arcs.regimes.changes import Change
from arcs.result_shapes import CHANGE, SHAPES, check_columns, check_shape
from arcs.results import FitResult

__all__ = ["RESULT", "load_result", "save_result"]

#: The version rises when a change of the layout would mislead an older reader.
RESULT = ArchiveFormat("arcs-fit-result", version=1, title="fit result")
#: What is in the header, and of what type.
_TYPES: dict[str, type | tuple[type, ...]] = {
    "names": list,
    "changes": list,
    "method": str,
    "score": (int, float),
    "log_likelihood": (int, float),
    "bic": (int, float),
    "n_rows": int,
    "targets": list,
    "penalty": dict,
    "settings": dict,
    "seed": (int, type(None)),
    "audit": dict,
    "timings": dict,
    "versions": dict,
    "converged": bool,
    "stopped": str,
    "source": str,
    "n_per_node": list,
    "changes_sought": bool,
    "reading": dict,
    "preparation": dict,
    "levels": list,
}
#: Attributes that go there as they are.
_PLAIN = tuple(key for key in _TYPES if key not in ("names", "changes", "levels"))
_MOST_ROWS = 2**53
_SINGLE = (
    *("edge_source", "edge_target", "coefficient", "standard_error", "noise_variance"),
    *("intercept", "order", "cpdag_directed", "cpdag_undirected"),
)
_GROUPS = (
    *("trace", "tuning", "edge_index", "edge_value", "edge_rest", "moments", "ensemble"),
    "tables",
)


def save_result(result: FitResult, path: str | os.PathLike[str]) -> Path:
    """Write `result` to a ``.npz`` or JSON file."""
    header = {"names": list(result.names), **{key: getattr(result, key) for key in _PLAIN}}
    header["settings"] = {key: _without_objects(value) for key, value in result.settings.items()}
    if isinstance(result.dag, DiscreteDag | MixedDag):
        header["levels"] = [None if own is None else list(own) for own in result.dag.levels]
    header["changes"] = [change.to_dict() for change in result.changes]
    write = RESULT.write_binary if Path(path).suffix == ".npz" else RESULT.write_text
    return write(path, header, _arrays_of(result))


def _without_objects(value: Any) -> Any:
    """A start of a search as numbers, so that the fit can be repeated; other settings as is."""
    if isinstance(value, Pdag):
        value = value.consistent_dag()
    if isinstance(value, Dag):
        value = value.adjacency
    return value.nodes if isinstance(value, Order) else value


def load_result(path: str | os.PathLike[str]) -> FitResult:
    """Read a result that :func:`save_result` wrote."""
    source = Path(path)
    header, arrays = RESULT.read(source)
    with RESULT.damage(source):
        known = {"format", "version", *_TYPES}
        strange = [name for name in arrays if name not in _SINGLE and _group_of(name) is None]
        warn_of_unknown(source, [*(key for key in header if key not in known), *strange])
        return _result_of(header, arrays, source)


def _group_of(name: str) -> str | None:
    group, slash, _ = name.partition("/")
    return group if slash and group in _GROUPS else None


# ---------------------------------------------------------------------- writing
def _arrays_of(result: FitResult) -> dict[str, np.ndarray]:
    rows, columns = np.nonzero(result.dag.adjacency)
    arrays: dict[str, np.ndarray] = {
        "edge_source": rows,
        "edge_target": columns,
        **_parameters(result.dag),
        "order": result.order.nodes,
        "cpdag_directed": np.argwhere(result.cpdag.directed).ravel(),
        "cpdag_undirected": np.argwhere(np.triu(result.cpdag.undirected)).ravel(),
    }
    for group in ("trace", "tuning"):
        for name, array in getattr(result, group).items():
            arrays[f"{group}/{name}"] = np.asarray(array)
    for name, matrix in result.edge_values.items():
        # Most pairs have no edge: their common figure, 0 or NaN, is written once.
        unknown = np.isnan(matrix)
        sparse = np.argwhere(~unknown if unknown.mean() > 0.5 else matrix != 0)
        arrays[f"edge_index/{name}"] = sparse.ravel()
        arrays[f"edge_value/{name}"] = np.asarray(matrix)[tuple(sparse.T)]
        arrays[f"edge_rest/{name}"] = np.array([np.nan if unknown.mean() > 0.5 else 0.0])
    for group in ("moments", "ensemble"):
        parts = getattr(result, group)
        if parts is not None:
            arrays |= {f"{group}/{name}": array for name, array in parts.arrays().items()}
    return arrays


def _parameters(dag: Dag) -> dict[str, np.ndarray]:
    """Coefficients and variances of numbers; of categories tables, one after the other."""
    if isinstance(dag, DiscreteDag):
        parts = {"tables": dag.tables} | ({} if dag.counts is None else {"counts": dag.counts})
        return {
            f"tables/{name}": np.concatenate([table.ravel() for table in tables])
            for name, tables in parts.items()
        }
    if isinstance(dag, MixedDag):
        return {"tables/equations": np.concatenate([table.ravel() for table in dag.equations])}
    assert isinstance(dag, GaussianDag)
    at, errors = np.nonzero(dag.adjacency), dag.standard_errors
    return {
        "coefficient": dag.coefficients[at],
        "standard_error": np.zeros(0) if errors is None else errors[at],
        "noise_variance": dag.noise_variances,
        "intercept": dag.intercepts,
    }


# ---------------------------------------------------------------------- reading
def _result_of(
    header: Mapping[str, Any], arrays: Mapping[str, np.ndarray], source: Path
) -> FitResult:
    checked = {key: _checked(key, header[key]) for key in _TYPES if key in header}
    EdgeRule.from_record(checked["penalty"])
    names = tuple(checked.pop("names"))
    "".join(names).encode()  # halves of characters are names of nothing
    p = len(names)
    levels = checked.pop("levels", None)
    dag = _dag_of(arrays, names) if levels is None else _tables_of(arrays, names, levels)
    undirected = _matrix(arrays["cpdag_undirected"], p)
    order = Order(_numbers(arrays["order"], p), names)
    if not order.admits(dag.adjacency):
        raise FileFormatError(f"{source}: damaged: the order contradicts the edges")
    changes = tuple(_change(entry, names, source) for entry in checked.pop("changes", ()))
    checked["targets"] = tuple(tuple(map(int, group)) for group in checked["targets"])
    if any(not 0 <= k < p for group in checked["targets"] for k in group):
        raise FileFormatError(f"{source}: damaged: a target is not one of the {p} variables")
    checked = {**_missing_in_version_0_1(checked, changes, names), **checked}
    if len(checked["n_per_node"]) != p or any(
        not 0 <= n <= _MOST_ROWS for n in checked["n_per_node"]
    ):
        raise FileFormatError(f"{source}: damaged: there must be numbers of rows for {p} variables")
    return _kind_of(dag)(
        dag=dag,  # type: ignore[arg-type]
        cpdag=Pdag(_matrix(arrays["cpdag_directed"], p), undirected | undirected.T, names),
        order=order,
        trace=_columns(arrays, "trace"),
        tuning=_columns(arrays, "tuning"),
        edge_values=_edge_values(arrays, p),
        changes=changes,
        moments=_moments_of(arrays, names, checked),
        ensemble=_ensemble_of(arrays, names),
        **checked,
    )


def _missing_in_version_0_1(
    header: Mapping[str, Any], changes: tuple[Change, ...], names: tuple[str, ...]
) -> dict[str, Any]:
    """What files of version 0.1.0 said by way of settings and audit."""
    sought = header["settings"].get("intervention_kind", "hard") != "hard"
    audit, rows = header["audit"], dict.fromkeys(names, header["n_rows"])
    if sought:
        for change in changes:
            rows[change.target] -= change.rows if change.kind != "noise" else 0
    elif any(header["targets"]):
        rows = {name: n - int(audit.get("intervened", {}).get(name, 0)) for name, n in rows.items()}
    else:
        rows = dict.fromkeys(names, int(audit.get("effective_n", header["n_rows"])))
    return {"n_per_node": list(rows.values()), "changes_sought": sought}


def _dag_of(arrays: Mapping[str, np.ndarray], names: tuple[str, ...]) -> GaussianDag:
    p = len(names)
    at = (_numbers(arrays["edge_source"], p), _numbers(arrays["edge_target"], p))
    coefficients = np.zeros((p, p))
    coefficients[at] = arrays["coefficient"]
    errors = None
    if arrays["standard_error"].size or not at[0].size:
        errors = np.zeros((p, p))
        errors[at] = arrays["standard_error"]
    variances, intercepts = arrays["noise_variance"], arrays["intercept"]
    if variances.shape != (p,) or intercepts.shape != (p,):
        raise ValueError(f"there must be {p} noise variances and intercepts")
    arrows = np.zeros((p, p), dtype=bool)
    arrows[at] = True
    rest = {"intercepts": intercepts, "standard_errors": errors, "adjacency": arrows}
    return GaussianDag(coefficients, variances, names, **rest)


def _tables_of(
    arrays: Mapping[str, np.ndarray], names: tuple[str, ...], levels: list[Any]
) -> DiscreteDag | MixedDag:
    p = len(names)
    arrows = np.zeros((p, p), dtype=bool)
    arrows[_numbers(arrays["edge_source"], p), _numbers(arrays["edge_target"], p)] = True
    if "tables/equations" in arrays:
        return MixedDag(arrows, levels, _equations_of(arrays, arrows, levels), names)
    shapes = [tuple(len(levels[k]) for k in (*np.flatnonzero(arrows[:, j]), j)) for j in range(p)]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    parts = {
        name: [
            part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)
        ]
        for name, flat in _group(arrays, "tables").items()
    }
    return DiscreteDag(arrows, levels, parts["tables"], names, counts=parts.get("counts"))


def _equations_of(
    arrays: Mapping[str, np.ndarray], arrows: np.ndarray, levels: list[Any]
) -> list[np.ndarray]:
    widths = np.array([1 if own is None else len(own) - 1 for own in levels])
    outputs = [1 if own is None else len(own) for own in levels]
    terms = [1 + int(widths[arrows[:, j]].sum()) for j in range(len(levels))]
    ends = np.cumsum([a * b for a, b in zip(terms, outputs, strict=True)])[:-1]
    parts = np.split(arrays["tables/equations"], ends)
    return [part.reshape(a, b) for part, a, b in zip(parts, terms, outputs, strict=True)]


def _kind_of(dag: Dag) -> type[FitResult]:
    if isinstance(dag, DiscreteDag | MixedDag):
        from arcs.discrete_results import DiscreteResult, MixedResult

        return DiscreteResult if isinstance(dag, DiscreteDag) else MixedResult
    return FitResult


def _moments_of(
    arrays: Mapping[str, np.ndarray], names: tuple[str, ...], header: Mapping[str, Any]
) -> LocalStatistics | None:
    parts = _group(arrays, "moments")
    if not parts:
        return None
    return LocalStatistics.from_arrays(parts, names, header["n_rows"], header["targets"])


def _ensemble_of(arrays: Mapping[str, np.ndarray], names: tuple[str, ...]) -> GraphEnsemble | None:
    parts = _group(arrays, "ensemble")
    return GraphEnsemble.from_arrays(names, parts) if parts else None


def _edge_values(arrays: Mapping[str, np.ndarray], p: int) -> dict[str, np.ndarray]:
    values = {}
    for name, flat in _group(arrays, "edge_index").items():
        matrix = np.zeros((p, p))
        matrix[:] = arrays.get(f"edge_rest/{name}", 0.0)
        matrix[tuple(_numbers(flat, p).reshape(-1, 2).T)] = arrays[f"edge_value/{name}"]
        if np.isinf(matrix).any():
            raise ValueError(f"an infinite figure of an edge, {name:.80}")
        values[name] = matrix
    return values


def _change(entry: Mapping[str, Any], names: tuple[str, ...], source: Path) -> Change:
    known = {field.name for field in fields(Change)}
    # Files of version 0.1.0 do not know of shifts.
    known -= {"shift"} - set(entry)
    warn_of_unknown(source, (f"changes: {key}" for key in entry if key not in known))
    if entry["target"] not in names:
        raise FileFormatError(f"{source}: damaged: {entry['target']!r:.80} is not a variable")
    check_shape("changes", entry, CHANGE)
    change = Change(**{key: entry[key] for key in known})
    str(change)  # knows what kinds there are
    return change


def _checked(key: str, value: Any) -> Any:
    if not isinstance(value, _TYPES[key]):
        raise TypeError(f"{key!r} is {value!r:.80}")
    if key in SHAPES:
        check_shape(key, value, SHAPES[key])
    return value


def _numbers(array: np.ndarray, p: int) -> np.ndarray:
    """Numbers of variables; NumPy would count negative ones from the end."""
    numbers = array.astype(np.int64)
    if not np.array_equal(numbers, array) or np.any((numbers < 0) | (numbers >= p)):
        raise IndexError(f"numbers of variables must be whole and from 0 to {p - 1}")
    return numbers


def _matrix(pairs: np.ndarray, p: int) -> np.ndarray:
    matrix = np.zeros((p, p), dtype=bool)
    matrix[tuple(_numbers(pairs, p).reshape(-1, 2).T)] = True
    return matrix


def _group(arrays: Mapping[str, np.ndarray], group: str) -> dict[str, np.ndarray]:
    return {name.split("/", 1)[1]: arrays[name] for name in arrays if _group_of(name) == group}


def _columns(arrays: Mapping[str, np.ndarray], group: str) -> dict[str, np.ndarray]:
    columns = _group(arrays, group)
    check_columns(group, columns)
    return columns
