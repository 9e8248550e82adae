"""FitResult: saved and loaded without loss and without pickle; damage is noticed."""

import json
import os
import pickle
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from arcs.errors import FileFormatError, FileWarning, SettingsError
from arcs.learners import learner
from arcs.learners.arcs import Arcs
from arcs.regimes.changes import Change
from arcs.result_files import RESULT
from arcs.results import FitResult

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
        *("converged", "stopped", "source", "n_per_node", "changes_sought"),
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
    values = np.random.default_rng(0).normal(size=(30, 300))
    empty = learner("hc", penalty=100.0).fit(values)
    assert empty.n_edges == 0
    assert os.path.getsize(empty.save(tmp_path / "fit.json")) < 300 * 300


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
    import arcs.result_files

    newer = replace(RESULT, version=RESULT.version + 1)
    monkeypatch.setattr(arcs.result_files, "RESULT", newer)
    path = result.save(tmp_path / f"fit{suffix}")
    monkeypatch.undo()
    with pytest.raises(FileFormatError, match=r"written by a newer version.*upgrade"):
        FitResult.load(path)


def rewritten(path, result, suffix, change):
    """A file whose digest is right, but whose contents `change` has had its way with."""
    header, arrays = RESULT.read(result.save(path / f"fit{suffix}"))
    change(header, arrays)
    write = RESULT.write_binary if suffix == ".npz" else RESULT.write_text
    return write(path / f"fit{suffix}", header, arrays)


@each_suffix
def test_what_a_later_version_added_is_ignored_with_a_warning(tmp_path, result, suffix):
    def change(header, arrays):
        header["later"] = {"a": 1}
        arrays["later/x"] = np.arange(3)
        header["changes"] = [{**CHANGE, "since": 3}]

    path = rewritten(tmp_path, result, suffix, change)
    with pytest.warns(FileWarning, match="not known to this version") as caught:
        loaded = FitResult.load(path)
    assert_same(loaded, result)
    assert loaded.changes == (Change(**CHANGE),)
    text = " ".join(str(warning.message) for warning in caught)
    assert all(f"'{name}'" in text for name in ("later", "later/x", "changes: since"))


CHANGE = {"regime": "r", "target": "flow", "kind": "noise", "evidence": 2.0, "rows": 9}
CHANGE["variance_ratio"] = 2.0


def set_array(name, value):
    def change(header, arrays):
        arrays[name] = np.array(value)

    return change


def set_header(name, value):
    def change(header, arrays):
        header[name] = value

    return change


@each_suffix
@pytest.mark.parametrize(
    "change",
    [
        lambda header, arrays: arrays["edge_source"].__setitem__(0, -1),
        lambda header, arrays: arrays["edge_target"].__setitem__(0, 6),
        lambda header, arrays: arrays["order"].__setitem__(slice(None), arrays["order"][::-1]),
        lambda header, arrays: arrays["edge_index/figure"].__setitem__(0, -1),
        lambda header, arrays: arrays.pop("edge_value/figure"),
        lambda header, arrays: arrays["coefficient"].__setitem__(0, np.nan),
        set_array("cpdag_directed", [0, -1]),
        set_array("cpdag_directed", [0, 1, 1, 0]),
        set_array("order", [0.5, 1, 2, 3, 4, 5]),
        set_array("noise_variance", [1.0]),
        set_header("audit", "text"),
        set_header("settings", None),
        set_header("seed", "text"),
        set_header("targets", [[9]]),
        set_header("targets", [[-1]]),
        set_header("names", "abcdef"),
        set_header("names", ["a"] * 6),
        set_header("names", list(range(6))),
        set_header("changes", [{"target": "flow"}]),
        set_header("changes", [{**CHANGE, "target": "nobody"}]),
        set_header("changes", "text"),
        set_header("score", "text"),
        set_header("timings", []),
        set_header("n_per_node", [120]),
        set_header("n_per_node", [-1] * 6),
        set_header("n_per_node", ["many"] * 6),
        lambda header, arrays: header.pop("score"),
        set_header("names", ["\ud800", "b", "c", "d", "e", "f"]),
        set_header("n_per_node", ["9" * 50] * 6),
        set_header("n_per_node", [2**80] * 6),
        set_header("timings", {"total": [1]}),
        set_header("versions", {"numpy": 2}),
        set_header("penalty", {"kind": "l0", "final_ebic": [1]}),
        set_header("audit", {"rows_dropped": "many"}),
        set_header("preparation", {"sentences": "text"}),
        set_header("preparation", {"sentences": [1]}),
        set_header("preparation", {"adjust": {"partial_r2": {"age": 3}}}),
        set_header("preparation", {"transform": {"kinds": {"log": "flow"}}}),
        set_header("preparation", {"conditions": {"labels": [["a"]]}}),
        set_header("settings", {"knowledge": "text"}),
        set_header("penalty", {"kind": "l0", "final_ebic": "text"}),
        set_header("changes", [{**CHANGE, "kind": "unheard of"}]),
        set_header("changes", [{**CHANGE, "evidence": "text"}]),
        set_header("changes", [{**CHANGE, "shift": "text"}]),
        lambda header, arrays: arrays["edge_value/figure"].__setitem__(0, np.inf),
        lambda header, arrays: arrays["moments/norms"].__setitem__(0, 1e300),
        lambda header, arrays: arrays["moments/n"].__setitem__(0, -1),
        set_array("trace/best", [[1.0, 2.0]]),
        set_array("trace/best", ["a", "b"]),
        lambda header, arrays: arrays.update({"trace/best": arrays["trace/best"][:-1]}),
        lambda header, arrays: arrays.update({"tuning/lambda": np.ones(99)}),
        lambda header, arrays: arrays["moments/norms"].__setitem__(0, np.inf),
        lambda header, arrays: arrays["moments/members"].__setitem__(0, 7),
    ],
)
def test_crafted_files_with_a_right_digest_are_refused(tmp_path, result, suffix, change):
    told = result.with_(edge_values={"figure": np.where(result.dag.adjacency, 0.5, np.nan)})
    path = rewritten(tmp_path, told, suffix, change)
    with pytest.raises(FileFormatError, match=rf"fit\{suffix}: damaged"):
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


# ------------------------------------------------------------------------------- what people hold
COLUMNS = [
    *("from", "to", "coefficient", "std_error", "interval_low", "interval_high", "p_value"),
    *("standardised", "direction", "confidence"),
]


def test_edges_are_a_frame_strongest_first(result):
    frame = result.edges()
    assert list(frame.columns) == COLUMNS
    assert sorted(zip(frame["from"], frame["to"], strict=True)) == sorted(result.dag.named_edges())
    assert (np.diff(np.abs(frame["standardised"])) <= 0).all()
    standardised = result.dag.standardised_coefficients()
    for row in frame.to_dict("records"):
        at = result.names.index(row["from"]), result.names.index(row["to"])
        assert row["coefficient"] == result.dag.coefficients[at]
        assert row["std_error"] == result.dag.standard_errors[at]
        assert row["standardised"] == standardised[at]
        assert row["direction"] == ("open" if result.cpdag.undirected[at] else "identified")
        assert np.isnan(row["confidence"])


def test_without_pandas_the_columns_are_the_same(result, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert list(result.edges()) == COLUMNS
    assert len(result.edges()) == result.n_edges


def test_figures_of_the_method_are_further_columns(result):
    p = len(result.names)
    figures = {"confidence": np.arange(p * p).reshape(p, p) / 64, "own": np.ones((p, p))}
    frame = result.with_(edge_values=figures).edges()
    assert list(frame.columns) == [*COLUMNS, "own"]
    for source, target, confidence in zip(
        frame["from"], frame["to"], frame["confidence"], strict=True
    ):
        assert (
            confidence
            == figures["confidence"][result.names.index(source), result.names.index(target)]
        )


def test_rows_that_count_are_those_in_which_a_node_was_not_set(experiment):
    values, mask = experiment(120, 6, 0)
    result = Arcs(random_state=0).fit(values, interventions=mask)
    assert result.n_per_node == tuple((~mask).sum(axis=0))
    parents = result.dag.adjacency.sum(axis=0)
    np.testing.assert_array_equal(result.residual_degrees, (~mask).sum(axis=0) - parents - 1)
    assert result.intervened == tuple(np.array(result.names)[mask.any(axis=0)])
    assert result.with_(n_per_node=()).n_per_node == (120,) * 6


def test_figures_of_all_pairs(result):
    frame = result.to_frame()
    np.testing.assert_array_equal(frame.to_numpy(), result.dag.coefficients)
    assert list(frame.index) == list(frame.columns) == list(result.names)
    np.testing.assert_array_equal(
        result.to_frame("standardised"), result.dag.standardised_coefficients()
    )
    with pytest.raises(SettingsError, match=r"'weight'.*known: .*coefficient"):
        result.to_frame("weight")


def test_networkx_gets_every_figure(result):
    graph = result.to_networkx()
    assert set(graph.edges) == set(result.dag.named_edges())
    for row in result.edge_table().rows():
        data = graph.edges[row["from"], row["to"]]
        assert data["weight"] == data["coefficient"] == row["coefficient"]
        assert data["direction"] == row["direction"]
        assert "confidence" not in data


@pytest.mark.parametrize("kind", ["dag", "cpdag", "adjacency", "trace", "tuning"])
def test_pictures_that_a_notebook_shows(result, kind):
    assert result.plot(kind)._repr_png_().startswith(b"\x89PNG")


def test_pictures_on_given_axes_and_unknown_ones(result):
    from matplotlib.figure import Figure

    figure = Figure()
    assert result.plot(ax=figure.add_subplot(), legend=False) is figure
    with pytest.raises(SettingsError, match=r"no picture 'graph'; known: dag"):
        result.plot("graph")


def test_the_report_is_written(result, tmp_path):
    path = result.report(tmp_path / "report.html", title="Six variables")
    assert "<title>Six variables</title>" in path.read_text(encoding="utf-8")
