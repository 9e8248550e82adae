"""Files that are right, and then are not: whoever reads them answers or refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from attacks.categories import category_rows

__all__ = ["read_damaged"]


def read_damaged(case: dict[str, Any], folder: Path) -> str:
    """Write a file, damage it, and read it."""
    rng = np.random.default_rng(case["seed"])
    path, read = _KINDS[case["file"]](folder, rng)
    content = bytearray(path.read_bytes())
    for _ in range(case["damage"]):
        content = _damaged(content, rng)
    path.write_bytes(bytes(content))
    read(path)
    return case["file"]


def _damaged(content: bytearray, rng: np.random.Generator) -> bytearray:
    if not content:
        return bytearray(b"\0")
    at, how = int(rng.integers(len(content))), int(rng.integers(6))
    if how == 0:
        content[at] = int(rng.integers(256))
    elif how == 1:
        del content[at:]
    elif how == 2:
        del content[at : at + int(rng.integers(1, 20))]
    elif how == 3:
        content[at:at] = bytes(rng.integers(0, 256, int(rng.integers(1, 20))).astype(np.uint8))
    elif how == 4:
        content[at:at] = content[: int(rng.integers(1, 200))]
    else:
        words = (
            b"[" * 2000,
            b"9" * 5000,
            b"-1",
            b"1e999",
            b"NaN",
            b"null",
            b'"',
            b"\xff\xfe",
            b"{",
        )
        content[at:at] = words[int(rng.integers(len(words)))]
    return content


def _rows(rng: np.random.Generator) -> np.ndarray:
    return rng.normal(size=(30, 3)) @ np.array([[1.0, 0.8, 0.0], [0.0, 1.0, 0.7], [0.0, 0.0, 1.0]])


def _table(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
    from arcs.data import Dataset

    path = folder / "data.csv"
    np.savetxt(path, _rows(rng), delimiter=",", header="a,b,c", comments="")
    return path, Dataset.from_file


def _parquet(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from arcs.data import Dataset

    path = folder / "data.parquet"
    pq.write_table(pa.table({"a": rng.normal(size=30), "b": rng.normal(size=30)}), path)
    return path, Dataset.from_file


def _result(suffix: str) -> Any:
    def write(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
        from arcs.learners import learner
        from arcs.results import FitResult
        from attacks.checking import check_result

        path = learner("hc").fit(_rows(rng)).save(folder / f"result.{suffix}")
        return path, lambda path: check_result(FitResult.load(path))

    return write


def _checkpoint(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
    from arcs.learners import learner

    rows, path = _rows(rng), folder / "checkpoint.npz"
    learner("arcs", random_state=0, checkpoint=path).fit(rows)
    model = learner("arcs", random_state=0, checkpoint=path, resume=True)
    return path, lambda path: model.fit(rows)


def _replicates(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
    from arcs.confidence import bootstrap

    rows, path = _rows(rng), folder / "replicates.npz"
    bootstrap(rows, "hc", 3, checkpoint=path)
    return path, lambda path: bootstrap(rows, "hc", 3, checkpoint=path, resume=True)


def _level_table(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
    from arcs.data import Dataset
    from attacks.making import write_table

    path = Path(write_table("csv", "abc", category_rows(rng).tolist(), folder))
    return path, lambda path: Dataset.from_file(path, discrete="auto").level_table()


def _strength_result(kind: str, suffix: str) -> Any:
    def write(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
        from arcs.results import FitResult
        from attacks.checking import check_result

        path = _found(kind, rng).save(folder / f"result.{suffix}")
        return path, lambda path: check_result(FitResult.load(path))

    return write


def _found(kind: str, rng: np.random.Generator) -> Any:
    from arcs.learners import learner

    rows: Any = category_rows(rng)
    if kind == "mixed":
        import pandas as pd

        rows = pd.DataFrame(rows, columns=["a", "b", "c"])
        rows["z"] = (rows["a"] == "yes") + rng.normal(size=len(rows))
    return learner("arcs", random_state=0).fit(rows, discrete="auto", constant="isolate")


def _bif(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
    from arcs.graphs.formats import read_graph

    path = folder / "net.bif"
    _found("discrete", rng).export(path)
    return path, read_graph


def _level_checkpoint(
    folder: Path, rng: np.random.Generator
) -> tuple[Path, Callable[[Path], object]]:
    from arcs.data import Dataset
    from arcs.learners import learner

    rows, path = category_rows(rng), folder / "checkpoint.npz"
    data = Dataset.of(rows, discrete="auto", constant="isolate")
    learner("arcs", random_state=0, checkpoint=path).fit(data)
    model = learner("arcs", random_state=0, checkpoint=path, resume=True)
    return path, lambda path: model.fit(data)


def _level_replicates(
    folder: Path, rng: np.random.Generator
) -> tuple[Path, Callable[[Path], object]]:
    from arcs.confidence import bootstrap
    from arcs.data import Dataset

    path = folder / "replicates.npz"
    data = Dataset.of(category_rows(rng), discrete="auto", constant="isolate")
    bootstrap(data, "arcs", 2, checkpoint=path)
    return path, lambda path: bootstrap(data, "arcs", 2, checkpoint=path, resume=True)


def _knowledge(suffix: str) -> Any:
    def write(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
        from arcs.knowledge import Knowledge, read_knowledge, write_knowledge

        said = Knowledge(required=[("a", "b")], forbidden=[("c", "a")], tiers=[["a"], ["b", "c"]])
        return write_knowledge(said, folder / f"k.{suffix}"), read_knowledge

    return write


def _graph(name: str, format: str | None = None) -> Any:
    def write(folder: Path, rng: np.random.Generator) -> tuple[Path, Callable[[Path], object]]:
        from arcs.graphs.formats import read_graph, write_graph
        from arcs.learners import learner

        path = folder / name
        write_graph(learner("hc").fit(_rows(rng)).dag, path, format)
        return path, lambda path: read_graph(path, format)

    return write


_KINDS: dict[str, Any] = {
    "csv": _table,
    "parquet": _parquet,
    "levels.csv": _level_table,
    "discrete.json": _strength_result("discrete", "json"),
    "discrete.npz": _strength_result("discrete", "npz"),
    "mixed.json": _strength_result("mixed", "json"),
    "mixed.npz": _strength_result("mixed", "npz"),
    "bif": _bif,
    "discrete checkpoint": _level_checkpoint,
    "discrete replicates": _level_replicates,
    "result.json": _result("json"),
    "result.npz": _result("npz"),
    "checkpoint": _checkpoint,
    "replicates": _replicates,
    "toml": _knowledge("toml"),
    "knowledge.csv": _knowledge("csv"),
    "tetrad": _knowledge("txt"),
    "dot": _graph("graph.dot"),
    "graphml": _graph("graph.graphml"),
    "edges.csv": _graph("edges.csv", "edges"),
    "adjacency.csv": _graph("adjacency.csv", "adjacency"),
    "graph.json": _graph("graph.json"),
    "dagitty": _graph("graph.txt", "dagitty"),
}
