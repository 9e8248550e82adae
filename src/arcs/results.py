"""Everything a fit learned, in one read-only object that can be saved without pickle."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from arcs.data.gram import GramStatistics
from arcs.errors import FileFormatError
from arcs.files import write_atomically
from arcs.graphs import GaussianDag, Order, Pdag
from arcs.regimes.changes import Change

__all__ = ["FORMAT_VERSION", "FitResult", "software_versions"]

#: Raised when a change of the file layout would mislead an older reader.
FORMAT_VERSION = 1
_MAGIC = "arcs-fit-result"
#: JSON has no NaN and no infinity; they become ``{"not json": "NaN"}``.
_NOT_JSON = "not json"
#: What reading a damaged file may raise; a garbled archive may claim to be encrypted, compressed in
#: an unknown way (RuntimeError), or of any size (MemoryError).
_DAMAGE = (
    *(LookupError, TypeError, ValueError, EOFError, OSError, RuntimeError, MemoryError),
    # NumPy reads the header of an array as Python source.
    *(zipfile.BadZipFile, zlib.error, SyntaxError, tokenize.TokenError),
)
#: Attributes that go into the header of a file as they are.
_PLAIN = (
    *("method", "score", "log_likelihood", "bic", "n_rows", "targets", "penalty", "settings"),
    *("seed", "audit", "timings", "versions", "converged", "stopped", "source"),
)


@dataclass(frozen=True, eq=False)
class FitResult:
    """What a learner found.

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
        Further figures per edge: "p_value" (NaN where there is no edge), "confidence", ...
    audit : mapping
        What was noticed about the data.
    changes : tuple of Change
        Where mechanisms differ between regimes, if interventions were taken as soft or their
        targets as unknown. Coefficients and noise variances of `dag` are those of the unchanged
        regimes; the log-likelihood counts every row in which they act, with the regime's own noise.
    timings, versions : mapping
    converged : bool
    stopped : str
        "finished", "time limit" or "interrupted".
    source : str
        Where the data came from.
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

    @classmethod
    def from_structure(
        cls,
        method: str,
        graph: np.ndarray | Pdag,
        statistics: GramStatistics,
        *,
        order: Order | None = None,
        score: float | None = None,
        edge_values: Mapping[str, np.ndarray] | None = None,
        **rest: Any,
    ) -> FitResult:
        """Fit coefficients to a structure (a DAG's adjacency, or a CPDAG) and wrap it all up.

        Among the `edge_values` there is always "p_value": by default that of Fisher's z test of an
        edge given the other parents of its head.
        """
        from arcs.graphs.equivalence import consistent_extension, interventional_cpdag_of
        from arcs.refine import edge_p_values
        from arcs.scores import fit_dag

        if isinstance(graph, Pdag):
            adjacency, cpdag = consistent_extension(graph), _named(graph, statistics.names)
        else:
            adjacency = np.asarray(graph, dtype=bool)
            found = interventional_cpdag_of(adjacency, statistics.targets)
            cpdag = _named(found, statistics.names)
        figures = dict(edge_values or {})
        if "p_value" not in figures:
            figures["p_value"] = edge_p_values(adjacency, statistics)
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
            targets=statistics.targets,
            edge_values=figures,
            versions=software_versions(),
            **rest,
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

    def with_(self, **changes: Any) -> FitResult:
        """A copy with some attributes replaced."""
        return replace(self, **changes)

    def __repr__(self) -> str:
        return (
            f"FitResult({self.method}: {len(self.names)} nodes, {self.n_edges} edges, "
            f"BIC {self.bic:.1f}, {self.stopped})"
        )

    def _repr_html_(self) -> str:
        """The report, for notebooks."""
        from arcs.report import notebook_html

        return notebook_html(self)

    # ------------------------------------------------------------------ files
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write to `path`: ``.npz`` for a compact binary file, JSON otherwise. Atomic."""
        target = Path(path)
        header, arrays = self._parts()
        if target.suffix == ".npz":
            text = _dump(header)
            with write_atomically(target, "wb") as stream:
                np.savez_compressed(stream, **{"header": np.array(text), **arrays})  # type: ignore[arg-type]
            return target
        header["arrays"] = {name: _listed(array) for name, array in arrays.items()}
        header["digest"] = _digest(header)
        with write_atomically(target) as stream:
            stream.write(_dump(header, indent=1))
        return target

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FitResult:
        """Read what :meth:`save` wrote; damaged or newer files are refused."""
        source = Path(path)
        try:
            header, arrays = _read(source)
            return cls._from_parts(header, arrays)
        except FileFormatError:
            raise
        except _DAMAGE as error:
            raise FileFormatError(f"{source}: damaged or not a fit result ({error})") from error

    def _parts(self) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """A JSON-able header and the arrays."""
        rows, columns = np.nonzero(self.dag.adjacency)
        errors = self.dag.standard_errors
        arrays: dict[str, np.ndarray] = {
            "edge_source": rows,
            "edge_target": columns,
            "coefficient": self.dag.coefficients[rows, columns],
            "standard_error": np.zeros(0) if errors is None else errors[rows, columns],
            "noise_variance": self.dag.noise_variances,
            "intercept": self.dag.intercepts,
            "order": self.order.nodes,
            "cpdag_directed": np.argwhere(self.cpdag.directed).ravel(),
            "cpdag_undirected": np.argwhere(np.triu(self.cpdag.undirected)).ravel(),
        }
        for group in ("trace", "tuning"):
            for name, array in getattr(self, group).items():
                arrays[f"{group}/{name}"] = np.asarray(array)
        for name, matrix in self.edge_values.items():
            # Most pairs have no edge: their common figure, 0 or NaN, is written once.
            unknown = np.isnan(matrix)
            sparse = np.argwhere(~unknown if unknown.mean() > 0.5 else matrix != 0)
            arrays[f"edge_index/{name}"] = sparse.ravel()
            arrays[f"edge_value/{name}"] = np.asarray(matrix)[tuple(sparse.T)]
            arrays[f"edge_rest/{name}"] = np.array([np.nan if unknown.mean() > 0.5 else 0.0])
        header = {"format": _MAGIC, "version": FORMAT_VERSION, "names": list(self.names)}
        header.update({key: getattr(self, key) for key in _PLAIN})
        header["changes"] = [change.to_dict() for change in self.changes]
        return json.loads(_dump(header)), arrays

    @classmethod
    def _from_parts(cls, header: dict[str, Any], arrays: Mapping[str, np.ndarray]) -> FitResult:
        names = tuple(header["names"])
        p = len(names)
        at = (arrays["edge_source"].astype(int), arrays["edge_target"].astype(int))
        coefficients = np.zeros((p, p))
        coefficients[at] = arrays["coefficient"]
        errors = None
        if arrays["standard_error"].size or not at[0].size:
            errors = np.zeros((p, p))
            errors[at] = arrays["standard_error"]
        dag = GaussianDag(
            coefficients,
            arrays["noise_variance"],
            names,
            intercepts=arrays["intercept"],
            standard_errors=errors,
        )
        undirected = _matrix(arrays["cpdag_undirected"], p)
        cpdag = Pdag(_matrix(arrays["cpdag_directed"], p), undirected | undirected.T, names)
        values = {}
        for name in _group(arrays, "edge_index"):
            matrix = np.zeros((p, p))
            matrix[:] = arrays.get(f"edge_rest/{name}", 0.0)
            index = arrays[f"edge_index/{name}"].astype(int).reshape(-1, 2)
            matrix[tuple(index.T)] = arrays[f"edge_value/{name}"]
            values[name] = matrix
        taken = {"format", "version", "names", "arrays", "digest"}
        rest = {key: value for key, value in header.items() if key not in taken}
        rest["targets"] = tuple(tuple(group) for group in header["targets"])
        rest["changes"] = tuple(Change(**change) for change in header.get("changes", ()))
        return cls(
            dag=dag,
            cpdag=cpdag,
            order=Order(arrays["order"].astype(int), names),
            trace={name: arrays[f"trace/{name}"] for name in _group(arrays, "trace")},
            tuning={name: arrays[f"tuning/{name}"] for name in _group(arrays, "tuning")},
            edge_values=values,
            **rest,
        )


def software_versions() -> dict[str, str]:
    """Versions that a reader needs to run a fit again."""
    packages = ("arcs-bn", "numpy", "scipy", "numba", "scikit-learn")
    versions = {"python": platform.python_version()}
    for package in packages:
        versions[package] = metadata.version(package)
    return versions


def _named(graph: Pdag, names: tuple[str, ...]) -> Pdag:
    return Pdag(graph.directed, graph.undirected, names)


def _matrix(pairs: np.ndarray, p: int) -> np.ndarray:
    matrix = np.zeros((p, p), dtype=bool)
    matrix[tuple(pairs.astype(int).reshape(-1, 2).T)] = True
    return matrix


def _group(arrays: Mapping[str, np.ndarray], prefix: str) -> list[str]:
    return [key.split("/", 1)[1] for key in arrays if key.startswith(f"{prefix}/")]


def _plain(value: Any) -> Any:
    """NumPy scalars, arrays and unknown objects as JSON values."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value)
    return str(value)


def _dump(value: Any, indent: int | None = None) -> str:
    """Strict JSON: no NaN or infinity tokens."""
    plain = json.loads(
        json.dumps(value, default=_plain), parse_constant=lambda token: {_NOT_JSON: token}
    )
    return json.dumps(plain, indent=indent, allow_nan=False)


def _listed(array: np.ndarray) -> dict[str, Any]:
    return {"dtype": str(array.dtype), "values": np.asarray(array).ravel().tolist()}


def _unlisted(entry: Mapping[str, Any]) -> np.ndarray:
    return np.array(_revive(entry["values"]), dtype=np.dtype(entry["dtype"]))


def _digest(header: Mapping[str, Any]) -> str:
    content = {key: value for key, value in header.items() if key != "digest"}
    return hashlib.sha256(_dump(content).encode()).hexdigest()


def _revive(value: Any) -> Any:
    """Undo what strict JSON did to NaN and infinity in the header."""
    if isinstance(value, dict):
        if value.keys() == {_NOT_JSON}:
            return float(value[_NOT_JSON])
        return {key: _revive(entry) for key, entry in value.items()}
    return [_revive(entry) for entry in value] if isinstance(value, list) else value


def _read(path: Path) -> tuple[dict[str, Any], Mapping[str, np.ndarray]]:
    if not path.exists():
        raise FileFormatError(f"{path}: there is no such file")
    if path.suffix == ".npz":
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            content = {key: archive[key] for key in archive.files}
        header = json.loads(str(content.pop("header")))
        _check_header(header, path)
        return _revive(header), content
    header = json.loads(path.read_text(encoding="utf-8"))
    _check_header(header, path)
    if header.get("digest") != _digest(header):
        raise FileFormatError(f"{path}: damaged: its contents do not match their checksum")
    arrays = {name: _unlisted(entry) for name, entry in header["arrays"].items()}
    return _revive(header), arrays


def _check_header(header: Any, path: Path) -> None:
    if not isinstance(header, dict) or header.get("format") != _MAGIC:
        raise FileFormatError(f"{path}: not an ARCS fit result")
    if header.get("version", 0) > FORMAT_VERSION:
        raise FileFormatError(
            f"{path}: written by a newer version of ARCS (format {header['version']}, this one "
            f"reads up to {FORMAT_VERSION}); upgrade arcs-bn"
        )
