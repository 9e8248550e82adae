"""Every figure reaches the edge table, the pictures, the report and the command line."""

import csv
import io
import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

from arcs.cli.app import app
from arcs.cli.outputs import edge_table
from arcs.confidence import bootstrap
from arcs.graphs import read_graph
from arcs.learners import learner
from arcs.learners.hc import HC
from arcs.plots import plot_dag
from arcs.plots.style import edge_opacity
from arcs.report import graph_svg, write_report


@pytest.fixture(scope="module")
def told(simulated):
    result = learner("arcs", random_state=0).fit(simulated.data)
    return bootstrap(simulated.data, "hc", 8, random_state=1).attach(result)


def test_edge_table_holds_every_figure(told):
    rows = list(csv.DictReader(io.StringIO(edge_table(told))))
    expected = told.edge_table()
    assert len(rows) == told.n_edges
    for k, row in enumerate(rows):
        for name in expected.columns:
            figure = expected[name][k]
            assert row[name] == (repr(figure) if isinstance(figure, float) else figure)
        at = told.names.index(row["from"]), told.names.index(row["to"])
        for name in ("confidence", "direction_confidence"):
            assert float(row[name]) == told.edge_values[name][at]


def test_pale_edges_in_pictures(told):
    assert edge_opacity(float("nan")) == edge_opacity(1.0) == 1.0
    assert 0 < edge_opacity(0.0) < edge_opacity(0.5) < 1
    faint = told.with_(edge_values={**told.edge_values, "confidence": np.full((6, 6), 0.25)})
    assert graph_svg(faint).count('opacity="0.40"') == told.n_edges
    bare = told.with_(edge_values={})
    assert "opacity" not in graph_svg(bare)
    alphas = [patch.get_alpha() for patch in plot_dag(faint, engine="layered").patches]
    assert alphas.count(pytest.approx(0.4)) == 2 * told.n_edges


def test_report_offers_the_threshold_and_intervals(told, tmp_path):
    page = write_report(told, tmp_path / "report.html").read_text(encoding="utf-8")
    payload = re.search(r'id="payload">(.*?)</script>', page, re.S)[1]
    measures = {name for edge in json.loads(payload)["edges"] for name in edge["values"]}
    assert measures == {"weight", "confidence", "direction_confidence"}
    assert "95 % interval" in page
    assert page.count(" to ") >= told.n_edges


def test_command_line(simulated, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = simulated.data.names
    header = ",".join(names)
    np.savetxt("d.csv", simulated.data.values, delimiter=",", header=header, comments="")
    (tmp_path / "k.csv").write_text(f"from,to,kind\n{names[0]},{names[5]},required\n")
    arguments = ["fit", "d.csv", "-m", "hc", "-k", "k.csv", "-b", "4", "-q", "--out", "o"]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 0, outcome.output
    with open("o/edges.csv", newline="") as stream:
        rows = {(row["from"], row["to"]): row for row in csv.DictReader(stream)}
    assert float(rows[names[0], names[5]]["confidence"]) == 1.0
    assert read_graph("o/edges.csv").n_edges == len(rows)
    settings = json.loads((tmp_path / "o/result.json").read_text())["settings"]
    assert settings["knowledge"] == {"required": [[names[0], names[5]]]}
    assert not (tmp_path / "o/bootstrap.npz").exists()


def test_an_interrupted_bootstrap_says_where_things_are(simulated, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    header = ",".join(simulated.data.names)
    np.savetxt("d.csv", simulated.data.values, delimiter=",", header=header, comments="")
    calls = []

    def interrupted_in_the_third_resample(self, statistics, watch):
        calls.append(self.random_state)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return original(self, statistics, watch)

    original = HC.learn
    monkeypatch.setattr(HC, "learn", interrupted_in_the_third_resample)
    words = ["fit", "d.csv", "-m", "hc", "-b", "5", "-q", "--out", "o"]
    outcome = CliRunner().invoke(app, words)
    assert outcome.exit_code == 130
    assert "the resamples so far in o/bootstrap.npz; --resume goes on" in outcome.stderr
    assert (tmp_path / "o/result.json").exists()
    assert CliRunner().invoke(app, [*words, "--resume"]).exit_code == 0
    # The fit, two resamples and the interrupted one; then the fit and the three that were left.
    assert len(calls) == 4 + 4


def test_command_line_refuses_contradictions_and_deaf_methods(simulated, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    header = ",".join(simulated.data.names)
    np.savetxt("d.csv", simulated.data.values, delimiter=",", header=header, comments="")
    (tmp_path / "k.toml").write_text('required = [["a", "b"], ["b", "a"]]')
    outcome = CliRunner().invoke(app, ["fit", "d.csv", "-k", "k.toml", "-q"])
    assert outcome.exit_code != 0
    assert "a -> b -> a" in outcome.output
    (tmp_path / "k.toml").write_text(f'roots = ["{simulated.data.names[0]}"]')
    outcome = CliRunner().invoke(app, ["fit", "d.csv", "-m", "listen", "-k", "k.toml", "-q"])
    assert outcome.exit_code != 0
    assert "listen cannot make use of background knowledge" in outcome.output
