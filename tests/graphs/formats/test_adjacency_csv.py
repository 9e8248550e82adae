import pandas as pd
import pytest

from arcs.errors import FileFormatError
from arcs.graphs import GaussianDag
from arcs.graphs.formats import graph_from_text, graph_to_text


def test_rows_are_parents():
    dag = GaussianDag([[0, -0.5], [0, 0]], [1, 1], ["a", "b"])
    assert graph_to_text(dag, "adjacency") == ",a,b\na,0,-0.5\nb,0,0\n"


def test_pandas_frames_are_read(random_model, rng):
    model = random_model(rng, 5, 6)
    frame = pd.DataFrame(model.coefficients, model.names, model.names)
    for text in (frame.to_csv(), frame.to_csv(index=False), frame.to_csv(index_label="node")):
        back = graph_from_text(text, "adjacency")
        assert back.names == model.names
        assert (back.coefficients == model.coefficients).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file is empty"),
        (",a,b\na,0,1\n", "names 2 nodes, but 1 rows"),
        (",a,b\na,0,1\nb,0\n", "line 3: 1 entries instead of 2"),
        (",a,b\nb,0,1\na,0,0\n", "line 2: the row is named 'b'"),
        (",a,b\na,0,x\nb,0,0\n", "line 2: the entry in column 'b' 'x'"),
        (",a,b\na,0,1\nb,0,2\n", "line 3: 'b' has an edge to itself"),
        (",a,b\na,0,0.5\nb,0.5,0\n", "weights 0.5 and 0.5"),
    ],
)
def test_damage_is_located(text, message):
    with pytest.raises(FileFormatError, match=message):
        graph_from_text(text, "adjacency")
