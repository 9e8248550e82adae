"""XMLBIF 0.3, the interchange format of networks of categories in XML (Weka, SamIam, JavaBayes).

**Direction:** a ``DEFINITION`` has the child in ``FOR`` and its parents in ``GIVEN``. Its ``TABLE``
runs through the levels of the first parent slowest and of the child fastest. Counts behind the
tables are not kept. The document type that such files begin with is passed over if it declares
elements only.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np

from arcs.errors import FileFormatError
from arcs.graphs.discrete import DiscreteDag
from arcs.graphs.formats.belief_text import assembled, numbers_of, with_tables
from arcs.graphs.formats.graphml import xml_name, xml_root
from arcs.graphs.formats.parts import Graph

__all__ = ["read", "serialise"]

_TYPE = re.compile(r"<!DOCTYPE\s+BIF\s*(?:\[((?:[^\[\]<]|<!(?:ELEMENT|ATTLIST|--)[^>]*>)*)\])?\s*>")


def serialise(graph: Graph) -> str:
    """The network; only a `DiscreteDag` has tables."""
    dag = with_tables(graph, "xmlbif")
    root = ElementTree.Element("BIF", VERSION="0.3")
    network = ElementTree.SubElement(root, "NETWORK")
    ElementTree.SubElement(network, "NAME").text = "unknown"
    for name, levels in zip(dag.names, dag.levels, strict=True):
        variable = ElementTree.SubElement(network, "VARIABLE", TYPE="nature")
        ElementTree.SubElement(variable, "NAME").text = xml_name(name)
        for level in levels:
            ElementTree.SubElement(variable, "OUTCOME").text = xml_name(level)
    for j, table in enumerate(dag.tables):
        family = ElementTree.SubElement(network, "DEFINITION")
        ElementTree.SubElement(family, "FOR").text = dag.names[j]
        for parent in np.flatnonzero(dag.adjacency[:, j]).tolist():
            ElementTree.SubElement(family, "GIVEN").text = dag.names[parent]
        numbers = " ".join(repr(float(value)) for value in table.ravel())
        ElementTree.SubElement(family, "TABLE").text = numbers
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def read(text: str) -> DiscreteDag:
    """The network in an XMLBIF text."""
    network = xml_root(_TYPE.sub("", text, count=1)).find("NETWORK")
    if network is None:
        raise FileFormatError("XMLBIF: there is no NETWORK")
    levels = {_text(v, "NAME"): _texts(v, "OUTCOME") for v in network.iter("VARIABLE")}
    families = {}
    for family in network.iter("DEFINITION"):
        child, parents = _text(family, "FOR"), _texts(family, "GIVEN")
        for name in (child, *parents):
            if name not in levels:
                raise FileFormatError(f"XMLBIF: there is no variable {name[:40]!r}")
        shape = [len(levels[name]) for name in (*parents, child)]
        words = " ".join("".join(table.itertext()) for table in family.iter("TABLE")).split()
        families[child] = parents, numbers_of(words, int(np.prod(shape)), "XMLBIF").reshape(shape)
    return assembled(levels, families, "XMLBIF")


def _texts(element: ElementTree.Element, tag: str) -> list[str]:
    return [(found.text or "").strip() for found in element.iter(tag)]


def _text(element: ElementTree.Element, tag: str) -> str:
    found = _texts(element, tag)
    if len(found) != 1 or not found[0]:
        raise FileFormatError(f"XMLBIF: a {element.tag} needs one {tag}, not {len(found)}")
    return found[0]
