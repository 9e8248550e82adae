"""What is done with a case, and what must hold: anything else is broken."""

from __future__ import annotations

import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["run_case"]


class Broken(Exception):
    """A promise that was not kept."""


def run_case(shared: None, case: dict[str, Any]) -> tuple[str, str]:
    """What became of the case: "graph", "refused", "read" or "broken", and a word about it."""
    from arcs.errors import ArcsError, DataWarning, FileWarning
    from arcs.jobs import announce_start

    announce_start()
    with tempfile.TemporaryDirectory(prefix="arcs-attack-") as name, warnings.catch_warnings():
        warnings.simplefilter("error")
        for category in (DataWarning, FileWarning):
            warnings.simplefilter("ignore", category)
        warnings.filterwarnings("ignore", "some columns did not converge")
        try:
            return _run(case, Path(name))
        except ArcsError as error:
            return "refused", f"{type(error).__name__}: {str(error)[:80]}"
        except Broken as error:
            return "broken", str(error)
        except BaseException as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(frame.filename).name}:{frame.lineno}"
            return "broken", f"{type(error).__name__}: {str(error)[:120]} ({where})"


def _run(case: dict[str, Any], folder: Path) -> tuple[str, str]:
    if case["kind"] == "file":
        from attacks.damaging import read_damaged

        return "read", read_damaged(case, folder)
    if case["kind"] == "machine":
        from attacks.machines import break_machine

        return "graph", break_machine(case, folder)
    if case["kind"] == "command":
        from attacks.commanding import command

        return command(case, folder)
    return "graph", _fit(case, folder)


def _fit(case: dict[str, Any], folder: Path) -> str:
    from arcs.learners import learner
    from arcs.repeating import same_learner

    data, options = make(case, folder)
    p = case["p"]
    settings = settings_of(case, p)
    model = learner(case["method"], **settings)
    before = _photograph(data)
    result = model.fit(data, **options)
    if _photograph(data) != before:
        raise Broken("the data were changed")
    check_result(result)
    if "knowledge" in settings:
        allowed = settings["knowledge"].resolve(result.names)
        if not allowed.admits(result.dag.adjacency):
            raise Broken("the knowledge was not obeyed")
    loaded = _check_file(result, folder)
    if case["again"] and result.stopped == "finished":
        if settings["random_state"] is not None:
            check_same(result, learner(case["method"], **settings).fit(data, **options))
        check_same(result, same_learner(loaded).fit(data, **options))
    if case["outputs"]:
        _check_outputs(result, folder)
    if case["asked"]:
        from attacks.asking import ask

        ask(result, data, options, model)
    return f"{result.n_edges} edges"


def make(case: dict[str, Any], folder: Path) -> tuple[Any, dict[str, Any]]:
    """The data of the case."""
    from attacks.making import make_data

    return make_data(case, folder)


def settings_of(case: dict[str, Any], p: int) -> dict[str, Any]:
    """The settings of the case."""
    from attacks.making import settings_of as made

    return made(case, p)


def check_result(result: Any) -> None:
    """A graph without cycles, an order that agrees, and finite figures."""
    dag = result.dag
    if not result.order.admits(dag.adjacency):
        raise Broken("the order contradicts the graph")
    figures = {"score": result.score, "log-likelihood": result.log_likelihood, "BIC": result.bic}
    for name, values in {**figures, **_parameters(dag)}.items():
        if not np.isfinite(values).all():
            raise Broken(f"{name}: not finite")
    skeleton = dag.adjacency | dag.adjacency.T
    pdag = result.cpdag
    if (skeleton != (pdag.directed | pdag.directed.T | pdag.undirected)).any():
        raise Broken("the class has another skeleton than the graph")
    rows = result.edge_table().rows()
    if len([row for row in rows if row["to"] != ""]) < result.n_edges:
        raise Broken("edges are missing in the table")
    for row in rows:
        if "strength" in row and not np.isfinite(row["strength"]):
            raise Broken("a strength that is not finite")


def _parameters(dag: Any) -> dict[str, Any]:
    """What the network was fitted with, by the kind of its nodes."""
    if hasattr(dag, "equations"):
        return {"equations": np.concatenate([e.ravel() for e in dag.equations])}
    if hasattr(dag, "tables"):
        for table, levels in zip(dag.tables, dag.levels, strict=True):
            if abs(table.sum(axis=-1) - 1).max() > 1e-9 or table.min() < 0:
                raise Broken("probabilities that do not add up to one")
            if table.shape[-1] != len(set(levels)):
                raise Broken("levels and tables do not agree")
        return {"tables": np.concatenate([table.ravel() for table in dag.tables])}
    if (dag.noise_variances < 0).any():
        raise Broken("a negative variance")
    names = ("coefficients", "intercepts", "noise_variances")
    return {name: getattr(dag, name) for name in names}


def check_same(one: Any, other: Any) -> None:
    """The same to the last bit, unless one of them was stopped early."""
    from arcs.repeating import differences

    if other.stopped == "finished":
        for words in differences(one, other):
            raise Broken(f"the second time, other {words.split(':')[0]}")


def _check_file(result: Any, folder: Path) -> Any:
    from arcs.results import FitResult

    for suffix in ("npz", "json"):
        loaded = FitResult.load(result.save(folder / f"result.{suffix}"))
        check_same(result, loaded)
        if type(loaded) is not type(result) or loaded.reading != result.reading:
            raise Broken("another kind of result in the file")
    return loaded


def _check_outputs(result: Any, folder: Path) -> None:
    from xml.etree import ElementTree

    from arcs.cli.bundle import write_bundle
    from arcs.graphs.formats import read_graph

    bundle = write_bundle(result, folder / "out")
    if bundle.failures:
        raise Broken(f"outputs: {bundle.failures[0]}")
    for name in ("graph.graphml", "graph.dot", "edges.csv"):
        found = read_graph(bundle.files[name])
        # A list of edges does not name variables that have none.
        strange = set(found.names) ^ set(result.names) if name != "edges.csv" else ()
        if found.n_edges != result.n_edges or strange:
            raise Broken(f"{name} holds another graph")
    ElementTree.parse(bundle.files["graph.svg"])
    if hasattr(result.dag, "tables"):
        result.export(folder / "net.bif")
        found = read_graph(folder / "net.bif")
        if found.n_edges != result.n_edges or [len(x) for x in found.levels] != [
            len(x) for x in result.dag.levels
        ]:
            raise Broken("net.bif holds another network")


def _photograph(data: Any) -> Any:
    if isinstance(data, np.ndarray):
        return (
            repr(data.tolist()) if data.dtype == object else data.tobytes(),
            data.shape,
            data.flags.writeable,
        )
    if hasattr(data, "iloc"):
        columns = list(data.columns)
        return repr([data.iloc[:, j].to_list() for j in range(len(columns))]), tuple(columns)
    return repr(data)
