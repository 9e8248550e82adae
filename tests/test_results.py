"""FitResult: saved and loaded without loss and without pickle; damage is noticed."""

import json
import os
import pickle
import zipfile

import numpy as np
import pytest

from arcs.errors import FileFormatError
from arcs.learners import learner
from arcs.learners.arcs import Arcs
from arcs.results import FORMAT_VERSION, FitResult

NAMES = ["flow", 'heat, "in" K', "<b>gain</b>", "größe", "y\nz", "x"]


@pytest.fixture(scope="module")
def result(experiment):
    import pandas as pd

    values, mask = experiment(120, 6, 0)
    frame = pd.DataFrame(values, columns=NAMES)
    settings = {"penalty": "mcp", "search": "anneal", "n_iter": 600, "refine": 1e-3}
    return Arcs(random_state=3, **settings).fit(frame, interventions=mask)


def assert_same(one, other):
    np.testing.assert_array_equal(one.dag.coefficients, other.dag.coefficients)
    np.testing.assert_array_equal(one.dag.noise_variances, other.dag.noise_variances)
    np.testing.assert_array_equal(one.dag.intercepts, other.dag.intercepts)
    np.testing.assert_array_equal(one.dag.standard_errors, other.dag.standard_errors)
    np.testing.assert_array_equal(one.cpdag.directed, other.cpdag.directed)
    np.testing.assert_array_equal(one.cpdag.undirected, other.cpdag.undirected)
    np.testing.assert_array_equal(one.order.nodes, other.order.nodes)
    assert one.names == other.names == one.cpdag.names == one.order.names
    for group in ("trace", "tuning", "edge_values"):
        assert set(getattr(one, group)) == set(getattr(other, group))
        for name, array in getattr(one, group).items():
            np.testing.assert_array_equal(getattr(other, group)[name], array)
    for name in (
        *("method", "score", "log_likelihood", "bic", "n_rows", "targets", "seed"),
        *("converged", "stopped", "source"),
    ):
        assert getattr(one, name) == getattr(other, name), name
    for name in ("penalty", "settings", "audit", "timings", "versions"):
        as_json = json.loads(json.dumps(getattr(one, name), default=str))
        assert json.loads(json.dumps(getattr(other, name), default=str)) == as_json, name


each_suffix = pytest.mark.parametrize("suffix", [".json", ".npz"])


@each_suffix
def test_nothing_is_lost_on_the_way(tmp_path, result, suffix):
    path = result.save(tmp_path / f"fit{suffix}")
    assert path == tmp_path / f"fit{suffix}"
    loaded = FitResult.load(str(path))
    assert_same(result, loaded)
    assert loaded.targets == result.targets
    assert len(result.tuning["bic"]) == 80
    assert result.n_edges > 0


@each_suffix
def test_figures_of_edges_keep_what_is_unknown(tmp_path, result, suffix):
    rng = np.random.default_rng(0)
    full = rng.normal(size=(6, 6))
    some = np.where(rng.random((6, 6)) < 0.3, np.nan, np.where(full > 0, full, 0.0))
    few = np.where(result.dag.adjacency, np.where(full > 0, full, 0.0), np.nan)
    told = result.with_(edge_values={"full": full, "some": some, "few": few})
    assert_same(told, FitResult.load(told.save(tmp_path / f"fit{suffix}")))


def test_pairs_without_an_edge_take_no_room(tmp_path):
    """A file grows with the edges and the variables, not with the pairs of variables."""
    values = np.random.default_rng(0).normal(size=(30, 150))
    empty = learner("hc", penalty=100.0).fit(values)
    assert empty.n_edges == 0
    assert np.isnan(empty.edge_values["p_value"]).all()
    assert os.path.getsize(empty.save(tmp_path / "fit.json")) < 150 * 150


@each_suffix
def test_saving_again_gives_the_same_file(tmp_path, result, suffix):
    one = result.save(tmp_path / f"one{suffix}")
    two = FitResult.load(one).save(tmp_path / f"two{suffix}")
    assert_same(FitResult.load(two), result)
    if suffix == ".json":
        assert one.read_bytes() == two.read_bytes()


@each_suffix
def test_empty_graphs_strange_figures_and_other_learners(tmp_path, suffix):
    values = np.random.default_rng(0).normal(size=(50, 3))
    for name in ("ges", "pc", "arcs"):
        result = learner(name, random_state=0).fit(values)
        odd = result.with_(score=float("nan"), bic=float("-inf"), source="float:nan is a name")
        loaded = FitResult.load(odd.save(tmp_path / f"{name}{suffix}"))
        assert np.isnan(loaded.score)
        assert loaded.bic == float("-inf")
        assert loaded.n_edges == result.n_edges
        np.testing.assert_array_equal(loaded.dag.adjacency, result.dag.adjacency)


@each_suffix
def test_texts_that_look_like_numbers_stay_texts(tmp_path, result, suffix):
    odd = result.with_(source="float:nan", settings={"note": "float:inf", "x": [float("nan"), "a"]})
    loaded = FitResult.load(odd.save(tmp_path / f"fit{suffix}"))
    assert loaded.source == "float:nan"
    assert loaded.settings["note"] == "float:inf"
    assert np.isnan(loaded.settings["x"][0])
    assert loaded.settings["x"][1] == "a"


@each_suffix
def test_nan_and_infinite_arrays(tmp_path, result, suffix):
    trace = {**result.trace, "odd": np.array([np.nan, np.inf, -np.inf, 0.1])}
    loaded = FitResult.load(result.with_(trace=trace).save(tmp_path / f"fit{suffix}"))
    np.testing.assert_array_equal(loaded.trace["odd"], trace["odd"])
    assert loaded.trace["odd"].dtype == trace["odd"].dtype


def test_json_is_strict(tmp_path, result):
    path = result.with_(score=float("nan")).save(tmp_path / "fit.json")

    def refuse(token):
        raise AssertionError(f"{token} is not JSON")

    json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


@each_suffix
def test_no_pickle_inside(tmp_path, result, suffix, monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("pickle was used")

    for name in ("load", "loads", "dump", "dumps"):
        monkeypatch.setattr(pickle, name, refuse)
    path = result.save(tmp_path / f"fit{suffix}")
    assert_same(FitResult.load(path), result)


def test_archives_with_objects_are_refused(tmp_path):
    path = tmp_path / "fit.npz"
    np.savez(path, header=np.array([{"format": "arcs-fit-result"}], dtype=object))
    with pytest.raises(FileFormatError, match=r"fit\.npz"):
        FitResult.load(path)


# ------------------------------------------------------------------------------- damage
@each_suffix
def test_truncated_files_are_refused(tmp_path, result, suffix):
    path = result.save(tmp_path / f"fit{suffix}")
    content = path.read_bytes()
    for size in (0, 1, 10, len(content) // 3, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(FileFormatError, match=rf"fit\{suffix}"):
            FitResult.load(path)


@each_suffix
def test_changed_bytes_are_noticed(tmp_path, result, suffix):
    path = result.save(tmp_path / f"fit{suffix}")
    content = bytearray(path.read_bytes())
    noticed = 0
    places = np.linspace(0, len(content) - 1, 120).astype(int)
    for at in places:
        other = bytearray(content)
        other[at] = ord("7") if other[at] != ord("7") else ord("8")
        path.write_bytes(bytes(other))
        try:
            loaded = FitResult.load(path)
        except FileFormatError:
            noticed += 1
        else:
            # a name or date that the archive keeps twice: what was read is what was written
            assert_same(loaded, result)
    assert noticed >= 60


def test_a_changed_number_is_noticed(tmp_path, result):
    path = result.save(tmp_path / "fit.json")
    content = json.loads(path.read_text(encoding="utf-8"))
    content["arrays"]["coefficient"]["values"][0] += 1e-9
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(FileFormatError, match="damaged: its contents do not match"):
        FitResult.load(path)


@each_suffix
def test_newer_files_are_refused_with_advice(tmp_path, result, suffix, monkeypatch):
    import arcs.results

    monkeypatch.setattr(arcs.results, "FORMAT_VERSION", FORMAT_VERSION + 1)
    path = result.save(tmp_path / f"fit{suffix}")
    monkeypatch.undo()
    with pytest.raises(FileFormatError, match=r"written by a newer version.*upgrade"):
        FitResult.load(path)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(FileFormatError, match="there is no such file"):
        FitResult.load(tmp_path / "nothing.json")
    for name, text in (("a.json", '{"nodes": []}'), ("b.json", "[1, 2]"), ("c.json", "x,y\n1,2")):
        (tmp_path / name).write_text(text)
        with pytest.raises(FileFormatError, match=name):
            FitResult.load(tmp_path / name)
    with zipfile.ZipFile(tmp_path / "d.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with pytest.raises(FileFormatError, match=r"d\.npz"):
        FitResult.load(tmp_path / "d.npz")


@each_suffix
def test_a_failed_save_leaves_the_old_file(tmp_path, result, suffix, monkeypatch):
    path = result.save(tmp_path / f"fit{suffix}")
    before = path.read_bytes()

    def fail(*args):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="no space left"):
        result.with_(score=1.0).save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == [path.name]


# ------------------------------------------------------------------------------- contents
def test_figures_against_rows(experiment):
    """Coefficients, standard errors, likelihood and BIC by least squares on the rows."""
    values, mask = experiment(130, 5, 2)
    result = Arcs(random_state=0).fit(values, interventions=mask)
    likelihood, bic = 0.0, 0.0
    for j in range(5):
        rows = values[~mask[:, j]]
        parents = np.flatnonzero(result.dag.adjacency[:, j])
        design = np.column_stack([np.ones(len(rows)), rows[:, parents]])
        beta, *_ = np.linalg.lstsq(design, rows[:, j], rcond=None)
        residual = rows[:, j] - design @ beta
        n, k = len(rows), len(parents)
        np.testing.assert_allclose(result.dag.coefficients[parents, j], beta[1:], atol=1e-8)
        assert result.dag.intercepts[j] == pytest.approx(beta[0], abs=1e-8)
        assert result.dag.noise_variances[j] == pytest.approx(residual @ residual / n)
        spread = residual @ residual / (n - k - 1) * np.linalg.inv(design.T @ design)
        np.testing.assert_allclose(
            result.dag.standard_errors[parents, j], np.sqrt(np.diag(spread))[1:], rtol=1e-7
        )
        likelihood -= 0.5 * n * (np.log(2 * np.pi * residual @ residual / n) + 1)
        bic -= k * np.log(n)
    assert result.log_likelihood == pytest.approx(likelihood)
    assert result.bic == pytest.approx(2 * likelihood + bic)
    assert result.n_rows == 130


def test_texts(result):
    assert repr(result).startswith(f"FitResult(arcs: 6 nodes, {result.n_edges} edges, BIC ")
    assert result.versions["python"]
    assert set(result.versions) >= {"arcs-bn", "numpy", "numba"}
    assert result.timings["total"] > 0
