import numpy as np

from arcs.cli.outputs import edge_table, prepare_folder, result_summary
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


def test_nodes_without_edges_are_in_the_edge_list(simulated):
    empty = np.zeros_like(simulated.truth.adjacency)
    result = FitResult.from_structure("x", empty, simulated.data.statistics())
    graph = graph_from_text(edge_table(result), "edges")
    assert graph.names == result.names
    assert graph.n_edges == 0
    assert result_summary(result)["edges"] == []


def test_folders_are_made(tmp_path):
    folder = prepare_folder(tmp_path / "a" / "b")
    assert folder.is_dir()
    assert list(folder.iterdir()) == []
