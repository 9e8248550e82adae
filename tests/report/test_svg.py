import xml.etree.ElementTree as ElementTree

import pytest

from arcs.report import graph_svg

SVG = "{http://www.w3.org/2000/svg}"


def parsed(result):
    return ElementTree.fromstring(graph_svg(result))


@pytest.mark.parametrize("which", ["result", "hostile"])
def test_it_is_xml_with_all_nodes_and_edges(which, request):
    result = request.getfixturevalue(which)
    groups = list(parsed(result).iter(f"{SVG}g"))
    nodes = {g.get("data-node") for g in groups if g.get("class") == "node"}
    edges = {g.get("data-edge") for g in groups if g.get("class") == "edge"}
    assert nodes == {str(k) for k in range(8)}
    assert edges == {str(k) for k in range(result.n_edges)}


def test_hostile_names_are_text_only(hostile):
    root = parsed(hostile)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags <= {"svg", "g", "title", "path", "polygon", "ellipse", "rect", "text", "line"}
    titles = [g.find(f"{SVG}title").text for g in root.iter(f"{SVG}g") if g.get("data-node")]
    assert hostile.names[0] in titles
    assert "\x1b" not in graph_svg(hostile)


def test_edges_are_numbered_as_in_the_table(result):
    rows = result.edge_table().rows()
    for group in parsed(result).iter(f"{SVG}g"):
        if group.get("class") == "edge":
            row = rows[int(group.get("data-edge"))]
            names = f"{row['from']} → {row['to']}:"
            assert group.find(f"{SVG}title").text.startswith(names)
            dashed = group.find(f"{SVG}path").get("stroke-dasharray") is not None
            assert dashed == (row["coefficient"] < 0)


def test_intervened_nodes_are_boxes(result):
    boxed = {
        int(g.get("data-node"))
        for g in parsed(result).iter(f"{SVG}g")
        if g.get("class") == "node" and g.find(f"{SVG}rect") is not None
    }
    assert boxed == {0, 2}
