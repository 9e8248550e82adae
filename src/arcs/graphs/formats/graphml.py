"""GraphML.

**Direction:** ``<edge source="a" target="b"/>`` is a -> b; an undirected edge of a `Pdag` is
written once, with ``directed="false"``, as the standard has it. (networkx reads GraphML of DAGs,
but refuses graphs that mix both kinds.) Edges carry ``weight``, ``standard_error``, ``sign`` and
whatever figures they were written with (``confidence``, ``direction``, ...), nodes
``noise_variance`` and ``intercept``.

Names are escaped. Characters that XML cannot hold are refused on writing, and document type
declarations, which can make a small file expand without bound, on reading.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from arcs.errors import FileFormatError, GraphError
from arcs.graphs.formats.parts import (
    Edge,
    Figures,
    Graph,
    GraphParts,
    Node,
    edge_attributes,
    take_apart,
)
from arcs.graphs.names import NOT_XML

__all__ = ["parse", "serialise"]

_SPACE = "http://graphml.graphdrawing.org/xmlns"


def serialise(graph: Graph, figures: Figures | None = None) -> str:
    """`graph` with all its parameters and the `figures` of its edges."""
    parts = take_apart(graph, figures)
    root = ElementTree.Element("graphml", xmlns=_SPACE)
    known: dict[str, float | str] = {"weight": 0.0, "standard_error": 0.0}
    for edge in parts.edges:
        known |= edge_attributes(edge)
    for key in ("noise_variance", "intercept"):
        _declare(root, key, "node", 0.0)
    for key, value in known.items():
        _declare(root, key, "edge", value)
    _declare(root, "kind", "graph", "")
    body = ElementTree.SubElement(root, "graph", id="G", edgedefault="directed")
    ElementTree.SubElement(body, "data", key="kind").text = parts.kind
    for node in parts.nodes:
        element = ElementTree.SubElement(body, "node", id=xml_name(node.name))
        _add_data(element, noise_variance=node.noise_variance, intercept=node.intercept)
    for edge in parts.edges:
        ends = {"source": edge.source, "target": edge.target}
        element = ElementTree.SubElement(body, "edge", ends)
        if not edge.directed:
            element.set("directed", "false")
        _add_data(element, **edge_attributes(edge))
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def parse(text: str) -> GraphParts:
    """Read GraphML of one graph; attributes are found by their ``attr.name``."""
    root = xml_root(text)
    keys = {e.get("id"): e.get("attr.name") for e in _children(root, "key")}
    graphs = _children(root, "graph")
    if _local(root) != "graphml" or len(graphs) != 1:
        raise FileFormatError(f"GraphML with one graph is expected; found {len(graphs)}")
    body = graphs[0]
    default = body.get("edgedefault", "directed")
    parts = GraphParts()
    for element in _children(body, "node"):
        data = _data(element, keys)
        numbers = (_number(data, "noise_variance"), _number(data, "intercept"))
        parts.nodes.append(Node(_attribute(element, "id"), *numbers))
    for element in _children(body, "edge"):
        data = _data(element, keys)
        directed = {"true": True, "false": False}.get(
            element.get("directed", ""), default == "directed"
        )
        ends = (_attribute(element, "source"), _attribute(element, "target"))
        numbers = (_number(data, "weight"), _number(data, "standard_error"))
        parts.edges.append(Edge(*ends, directed, *numbers))
    kind = _data(body, keys).get("kind")
    parts.kind = "dag" if kind == "dag" else "pdag" if kind == "pdag" else None
    return parts


def xml_name(name: str) -> str:
    if NOT_XML.search(name):
        raise GraphError(f"XML cannot hold the name {name!r}: rename it without control characters")
    return name


def _declare(root: ElementTree.Element, key: str, domain: str, example: float | str) -> None:
    kind = "string" if isinstance(example, str) else "double"
    described = {"id": xml_name(key), "for": domain, "attr.name": key, "attr.type": kind}
    ElementTree.SubElement(root, "key", described)


def _add_data(element: ElementTree.Element, **values: float | str | None) -> None:
    for key, value in values.items():
        if value is not None:
            text = value if isinstance(value, str) else repr(value)
            ElementTree.SubElement(element, "data", key=key).text = text


def xml_root(text: str) -> ElementTree.Element:
    declared = re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE)
    if declared:
        line = text.count("\n", 0, declared.start()) + 1
        raise FileFormatError(f"line {line}: document type declarations are refused")
    try:
        # Bytes: a text with an encoding declaration is refused otherwise.
        return ElementTree.fromstring(text.encode("utf-8"))
    except ElementTree.ParseError as error:
        raise FileFormatError(f"line {error.position[0]}: not well-formed XML: {error}") from error
    except LookupError as error:  # an encoding that nobody knows
        raise FileFormatError(f"line 1: not well-formed XML: {error}") from error


def _local(element: ElementTree.Element) -> str:
    return element.tag.rsplit("}", 1)[-1]


def _children(element: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    return [child for child in element if _local(child) == tag]


def _data(element: ElementTree.Element, keys: dict[str | None, str | None]) -> dict[str, str]:
    found = {}
    for child in _children(element, "data"):
        name = keys.get(child.get("key")) or child.get("key") or ""
        found[name] = (child.text or "").strip()
    return found


def _attribute(element: ElementTree.Element, key: str) -> str:
    value = element.get(key)
    if value is None:
        raise FileFormatError(f"a <{_local(element)}> has no attribute {key!r}")
    return value


def _number(data: dict[str, str], key: str) -> float | None:
    text = data.get(key)
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        raise FileFormatError(f"the {key} {text!r} is not a number") from None
