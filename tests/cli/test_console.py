import csv
import json

import numpy as np

from arcs.cli.bundle import output_folder
from arcs.cli.outputs import edge_table, result_summary
from arcs.graphs.formats import graph_from_text
from arcs.results import FitResult


def test_names_cannot_command_the_terminal_or_a_spreadsheet(run, simulated):
    names = ("=1+1", "\x1b[31mred", "[bold]x[/bold]", "a,b", *simulated.data.names[4:])
    renamed = FitResult.from_structure("x", simulated.truth.adjacency, simulated.data.statistics())
    dag = type(renamed.dag)(renamed.dag.coefficients, renamed.dag.noise_variances, names)
    result = renamed.with_(dag=dag)
    result.save("hostile.json")
    shown = run("show", "hostile.json")
    assert shown.exit_code == 0
    assert "\x1b" not in shown.stdout
    assert "[bold]x[/bold]" in shown.stdout
    assert "\n=" not in edge_table(result)
    graph = graph_from_text(edge_table(result), "edges", names=names)
    np.testing.assert_array_equal(graph.coefficients, result.dag.coefficients)


def test_an_edge_list_has_no_half_empty_rows(simulated):
    single = np.zeros_like(simulated.truth.adjacency)
    single[2, 5] = True
    result = FitResult.from_structure("x", single, simulated.data.statistics())
    header, row = csv.reader(edge_table(result).splitlines())
    assert header[:3] == ["from", "to", "coefficient"]
    assert "confidence" not in header
    assert all(row)
    assert graph_from_text(edge_table(result), "edges", names=result.names).names == result.names
    (edge,) = result_summary(result)["edges"]
    assert edge["confidence"] is None
    json.dumps(edge, allow_nan=False)


def test_folders_are_made_and_taken_away_again_if_nothing_is_written(tmp_path):
    with output_folder(tmp_path / "a" / "b") as folder:
        assert folder.is_dir()
        assert list(folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
    with output_folder(tmp_path / "a" / "b") as folder:
        (folder / "file").touch()
    assert (tmp_path / "a" / "b" / "file").exists()
    (tmp_path / "old").mkdir()
    with output_folder(tmp_path / "old"):
        pass
    assert (tmp_path / "old").is_dir()
