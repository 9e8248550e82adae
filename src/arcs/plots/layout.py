"""Where to draw nodes and edges.

Connected components are laid out one by one and packed on shelves; nodes without edges stand in
rows below. A component of up to :data:`LAYERED_NODES` nodes is drawn in layers, causes above
effects (Graphviz's ``dot``); larger ones by stress (``neato``) or, for thousands of nodes, by a
spring model (``fdp``), because layers of hundreds of nodes become strips that nobody can
read; overlapping nodes are then pushed apart. Without pygraphviz a plain layered layout [1]_ takes
over: longest-path layers, several sweeps that sort each layer by the mean position of its
neighbours, straight edges.

Names reach Graphviz only as the size of a box, never as text.

.. [1] K. Sugiyama, S. Tagawa, M. Toda, Methods for visual understanding of hierarchical system
   structures, IEEE Transactions on Systems, Man, and Cybernetics 11 (1981).
"""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arcs.errors import SettingsError, require
from arcs.graphs.topology import connected_groups, find_cycle, topological_order
from arcs.lazily import Lazily

__all__ = ["ENGINES", "FONT_SIZE", "LAYERED_NODES", "Layout", "layout_graph", "shown_name"]

spatial = Lazily("scipy.spatial")

#: Up to here a component is drawn in layers.
LAYERED_NODES = 80
#: Up to here by stress majorisation, whose time grows with the square of the nodes.
STRESS_NODES = 600
#: Size of the labels in points; all lengths of a layout are points.
FONT_SIZE = 10.0
ENGINES = ("auto", "dot", "neato", "fdp", "layered")
_MARGIN = 12.0
_GAP = 30.0
_LONGEST_LABEL = 24
#: Area of a drawing without layers, in multiples of the area of its nodes.
_ROOM = 4.0

Path = np.ndarray


@dataclass(frozen=True, eq=False)
class Layout:
    """A drawing's geometry in points, the y axis pointing up.

    Attributes
    ----------
    positions, sizes : ndarray of shape (p, 2)
        Centres, and widths and heights of the nodes.
    paths : mapping of (int, int) to ndarray of shape (3k + 1, 2)
        For each edge the control points of k cubic Bezier pieces, from the border of its source
        to the border of its target.
    width, height : float
        Size of the drawing; its lower left corner is (0, 0).

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.plots import layout_graph
    >>> layout_graph(np.array([[0, 1], [0, 0]], dtype=bool), ["a", "b"]).positions.shape
    (2, 2)
    """

    positions: np.ndarray
    sizes: np.ndarray
    paths: Mapping[tuple[int, int], Path]
    width: float
    height: float


def shown_name(name: str) -> str:
    """The name as pictures show it: long ones are cut in the middle, control characters out."""
    text = "".join(c if c.isprintable() else " " for c in name).strip() or "?"
    if len(text) <= _LONGEST_LABEL:
        return text
    return f"{text[: _LONGEST_LABEL - 9]}…{text[-8:]}"


def layout_graph(
    adjacency: np.ndarray, names: Sequence[str], *, engine: str = "auto", boxed: Sequence[int] = ()
) -> Layout:
    """Lay out a graph.

    Parameters
    ----------
    adjacency : ndarray of bool, shape (p, p)
        Edges to draw; may have cycles.
    names : sequence of str
        Their lengths decide the sizes of the nodes.
    engine : {"auto", "dot", "neato", "fdp", "layered"}
        "auto" chooses by size and by what is installed; "layered" needs nothing.
    boxed : sequence of int
        Nodes drawn as boxes instead of ellipses: edges end at the border of the shape.

    Examples
    --------
    >>> import numpy as np
    >>> from arcs.plots import layout_graph
    >>> sorted(layout_graph(np.array([[0, 1], [0, 0]], dtype=bool), ["a", "b"]).paths)
    [(0, 1)]
    """
    if engine not in ENGINES:
        raise SettingsError(f"engine must be one of {', '.join(ENGINES)}, got {engine!r}")
    adjacency = np.asarray(adjacency, dtype=bool)
    sizes = np.array([_node_size(shown_name(name)) for name in names]).reshape(-1, 2)
    shapes = ["box" if k in set(boxed) else "ellipse" for k in range(len(names))]
    parts = []
    for nodes in _components(adjacency):
        chosen = _engine(engine, len(nodes))
        block = adjacency[np.ix_(nodes, nodes)]
        place = _layered if chosen == "layered" else _graphviz
        positions, paths = place(block, sizes[nodes], [shapes[k] for k in nodes], chosen)
        parts.append(_Part(nodes, *_moved_to_origin(positions, paths, sizes[nodes])))
    loose = [k for k in range(len(names)) if not adjacency[k].any() and not adjacency[:, k].any()]
    return _packed(parts, loose, sizes)


@dataclass(frozen=True, eq=False)
class _Part:
    """A component laid out with its lower left corner at the origin."""

    nodes: np.ndarray
    positions: np.ndarray
    paths: dict[tuple[int, int], Path]
    width: float
    height: float


def _node_size(label: str) -> tuple[float, float]:
    """Room for a label: narrow and wide letters of a sans-serif font differ by a factor of 3."""
    ems = sum(
        0.34 if c in "iljtfrI.,:;|!' ()[]-" else 0.86 if c in "mwMW@%…" else 0.62 for c in label
    )
    wide = sum(ord(c) > 0x2E80 for c in label) * 0.4
    return max(40.0, (ems + wide) * FONT_SIZE + 18.0), 25.0


def _components(adjacency: np.ndarray) -> list[np.ndarray]:
    """Nodes of the components that have an edge, largest first."""
    found = [np.array(nodes) for nodes in connected_groups(adjacency) if len(nodes) > 1]
    return sorted(found, key=lambda nodes: (-len(nodes), int(nodes[0])))


def _engine(engine: str, p: int) -> str:
    if engine != "auto":
        return engine
    if importlib.util.find_spec("pygraphviz") is None:
        return "layered"
    if p <= LAYERED_NODES:
        return "dot"
    return "neato" if p <= STRESS_NODES else "fdp"


def _moved_to_origin(
    positions: np.ndarray, paths: dict[tuple[int, int], Path], sizes: np.ndarray
) -> tuple[np.ndarray, dict[tuple[int, int], Path], float, float]:
    corners = [positions - sizes / 2, positions + sizes / 2, *paths.values()]
    low, high = np.vstack(corners).min(axis=0), np.vstack(corners).max(axis=0)
    moved = {edge: path - low for edge, path in paths.items()}
    return positions - low, moved, *(high - low).tolist()


# ---------------------------------------------------------------------- Graphviz
def _graphviz(
    adjacency: np.ndarray, sizes: np.ndarray, shapes: list[str], engine: str
) -> tuple[np.ndarray, dict[tuple[int, int], Path]]:
    """Positions and splines by one of Graphviz's programs, in this process."""
    pygraphviz = require("pygraphviz", "viz", f"the layout engine {engine!r}")
    graph = pygraphviz.AGraph(directed=True, strict=False)
    # Lengths are inches in attributes and points in answers.
    graph.graph_attr.update(nodesep="0.2", ranksep="0.5", start="1", splines="true")
    if engine != "dot":
        graph.graph_attr.update(overlap="true", splines="line")
    graph.node_attr.update(label="", fixedsize="true")
    for k, ((width, height), shape) in enumerate(zip(sizes, shapes, strict=True)):
        graph.add_node(str(k), width=f"{width / 72:.4f}", height=f"{height / 72:.4f}", shape=shape)
    edges = np.argwhere(adjacency).tolist()
    for i, j in edges:
        graph.add_edge(str(i), str(j))
    graph.layout(prog=engine)
    positions = np.array([_point(graph.get_node(str(k)).attr["pos"]) for k in range(len(sizes))])
    if engine != "dot":
        positions = _spread(positions, sizes)
        return positions, {(i, j): _straight(positions, sizes, shapes, i, j) for i, j in edges}
    return positions, {(i, j): _spline(graph.get_edge(i, j).attr["pos"]) for i, j in edges}


def _spread(positions: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Give nodes room: stretch the drawing to a multiple of their area, then push overlaps apart.

    Each round moves the two nodes of every overlapping pair half of the overlap along the axis
    that needs the shorter way. Graphviz's own remedies either stretch one axis or need a
    triangulation library that its wheel lacks.
    """
    boxes = sizes + 10.0
    extent = np.ptp(positions, axis=0) + boxes.max(axis=0)
    factor = math.sqrt(_ROOM * float(boxes.prod(axis=1).sum()) / float(extent.prod()))
    # Boxes are wider than high, so that the room they need is, too.
    placed = np.array((positions - positions.mean(axis=0)) * max(1.0, factor) * [1.1, 0.9])
    for _ in range(400):
        pairs = _near_pairs(placed, boxes)
        i, j = pairs.T
        gap = placed[j] - placed[i]
        overlap = (boxes[i] + boxes[j]) / 2 - np.abs(gap)
        hit = (overlap > 0.01).all(axis=1)
        if not hit.any():
            break
        i, j, gap, overlap = i[hit], j[hit], gap[hit], overlap[hit]
        axis = np.argmin(overlap, axis=1)
        rows = np.arange(axis.size)
        step = np.where(gap[rows, axis] >= 0, 0.5, -0.5) * (overlap[rows, axis] + 0.02)
        np.add.at(placed, (i, axis), -step)
        np.add.at(placed, (j, axis), step)
    return placed


def _near_pairs(positions: np.ndarray, boxes: np.ndarray) -> np.ndarray:
    """Pairs of nodes whose boxes may overlap, found by a tree instead of among all p^2 pairs."""
    scale = boxes.max(axis=0)
    tree = spatial.cKDTree(positions / scale)
    return np.asarray(tree.query_pairs(1.0, p=np.inf, output_type="ndarray"))


def _point(text: str) -> tuple[float, float]:
    x, y = text.split(",")[:2]
    return float(x), float(y)


def _spline(text: str) -> Path:
    """Graphviz's ``e,x,y x,y x,y ...``: the arrow's tip, then control points."""
    tip, points = None, []
    for word in text.split():
        if word.startswith("e,"):
            tip = _point(word[2:])
        elif not word.startswith("s,"):
            points.append(_point(word))
    path = np.array(points)
    if tip is not None:
        path[-1] = tip
    return path


# ---------------------------------------------------------------------- plain layers
def _layered(
    adjacency: np.ndarray, sizes: np.ndarray, shapes: list[str], engine: str
) -> tuple[np.ndarray, dict[tuple[int, int], Path]]:
    layers = _sorted_layers(adjacency, _layers(adjacency))
    positions = np.zeros((len(sizes), 2))
    widths = [sum(sizes[k, 0] + 15 for k in layer) for layer in layers]
    for depth, layer in enumerate(layers):
        x = (max(widths) - widths[depth]) / 2
        for k in layer:
            positions[k] = x + sizes[k, 0] / 2, -70.0 * depth
            x += sizes[k, 0] + 15
    edges = [(int(i), int(j)) for i, j in np.argwhere(adjacency)]
    return positions, {(i, j): _straight(positions, sizes, shapes, i, j) for i, j in edges}


def _layers(adjacency: np.ndarray) -> list[list[int]]:
    """Longest-path layers; in a cyclic graph, edges against a heuristic order are ignored."""
    if find_cycle(adjacency) is None:
        order = topological_order(adjacency).tolist()
    else:
        surplus = adjacency.sum(axis=1) - adjacency.sum(axis=0)
        order = sorted(range(len(adjacency)), key=lambda k: (-int(surplus[k]), k))
    place = {node: k for k, node in enumerate(order)}
    depth = dict.fromkeys(order, 0)
    for node in order:
        above = [int(i) for i in np.flatnonzero(adjacency[:, node]) if place[int(i)] < place[node]]
        depth[node] = 1 + max((depth[i] for i in above), default=-1)
    layers: list[list[int]] = [[] for _ in range(max(depth.values()) + 1)]
    for node in order:
        layers[depth[node]].append(node)
    return layers


def _sorted_layers(adjacency: np.ndarray, layers: list[list[int]]) -> list[list[int]]:
    """Barycentre sweeps down and up: neighbours come to stand near each other."""
    joined = adjacency | adjacency.T
    rank = np.zeros(len(adjacency))
    for layer in layers:
        rank[layer] = np.linspace(0, 1, len(layer) + 2)[1:-1]
    for sweep in range(8):
        for layer in layers if sweep % 2 == 0 else layers[::-1]:
            layer.sort(key=lambda k: (float(rank[joined[k]].mean()), k))
            rank[layer] = np.linspace(0, 1, len(layer) + 2)[1:-1]
    return layers


def _straight(positions: np.ndarray, sizes: np.ndarray, shapes: list[str], i: int, j: int) -> Path:
    start = _border(positions[i], positions[j], sizes[i], shapes[i])
    end = _border(positions[j], positions[i], sizes[j], shapes[j])
    return np.array([start + (end - start) * t for t in (0, 1 / 3, 2 / 3, 1)])


def _border(centre: np.ndarray, other: np.ndarray, size: np.ndarray, shape: str) -> np.ndarray:
    """Where the line from `centre` to `other` leaves the shape around `centre`."""
    direction = other - centre
    ratio = np.abs(direction) / (size / 2)
    reach = ratio.max() if shape == "box" else math.hypot(*ratio)
    return np.asarray(centre + direction / max(reach, 1e-9))


# ---------------------------------------------------------------------- packing
def _packed(parts: list[_Part], loose: list[int], sizes: np.ndarray) -> Layout:
    """Components on shelves, largest first, then the nodes without edges in rows."""
    positions = np.zeros((len(sizes), 2))
    paths: dict[tuple[int, int], Path] = {}
    blocks = [(part.width, part.height) for part in parts]
    total = sum((w + _GAP) * (h + _GAP) for w, h in blocks)
    total += sum((w + _GAP / 2) * (h + _GAP / 2) for w, h in sizes[loose])
    limit = max([1.25 * math.sqrt(total), *(w for w, _ in blocks), *sizes[loose, 0], 1.0])
    corners, used = _shelves(blocks, limit, _GAP)
    for part, corner in zip(parts, corners, strict=True):
        shift = np.array([corner[0], -corner[1] - part.height])
        positions[part.nodes] = part.positions + shift
        for (i, j), path in part.paths.items():
            paths[int(part.nodes[i]), int(part.nodes[j])] = path + shift
    rows, _ = _shelves([(w, h) for w, h in sizes[loose]], limit, _GAP / 2)
    below = used + (_GAP if parts and loose else 0)
    for k, (x, y) in zip(loose, rows, strict=True):
        positions[k] = x + sizes[k, 0] / 2, -below - y - sizes[k, 1] / 2
    if not len(sizes):
        return Layout(positions, sizes, paths, 2 * _MARGIN, 2 * _MARGIN)
    moved, moved_paths, width, height = _moved_to_origin(positions, paths, sizes)
    shifted = {edge: path + _MARGIN for edge, path in moved_paths.items()}
    return Layout(moved + _MARGIN, sizes, shifted, width + 2 * _MARGIN, height + 2 * _MARGIN)


def _shelves(
    blocks: Sequence[tuple[float, float]], limit: float, gap: float
) -> tuple[list[tuple[float, float]], float]:
    """Upper left corners (y downwards) of blocks put side by side up to `limit`; total depth."""
    corners, x, y, deepest = [], 0.0, 0.0, 0.0
    for width, height in blocks:
        if x and x + width > limit:
            x, y, deepest = 0.0, y + deepest + gap, 0.0
        corners.append((x, y))
        x, deepest = x + width + gap, max(deepest, height)
    return corners, y + deepest
