"""Names of nodes: their defaults, their checks, and the way from a name to an index.

Nodes are integers ``0 .. p-1`` everywhere inside the package. Names are what people see; they are
untrusted text (see :mod:`arcs.graphs.formats`) but always unique and never blank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import index as as_integer
from typing import SupportsIndex

from arcs.errors import GraphError

__all__ = ["NOT_XML", "Node", "check_names", "default_names", "node_index", "node_indices"]

#: Characters that XML (GraphML, SVG) cannot hold: control characters, and halves of a surrogate.
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Node = SupportsIndex | str
"""A node as users may give it: its index or its name."""


def default_names(p: int) -> tuple[str, ...]:
    """``x0, x1, ...``: the names of nodes that nobody named, as for unnamed columns of data."""
    return tuple(f"x{i}" for i in range(p))


def check_names(names: Sequence[str] | None, p: int) -> tuple[str, ...]:
    """Return `names` as a tuple of `p` distinct, non-blank strings, or raise `GraphError`."""
    if names is None:
        return default_names(p)
    if isinstance(names, str):
        raise GraphError(f"names must be a sequence of strings, not the single string {names!r}")
    checked = tuple(names)
    if len(checked) != p:
        raise GraphError(f"{len(checked)} names were given for {p} nodes")
    for position, name in enumerate(checked):
        if not isinstance(name, str) or not name.strip():
            raise GraphError(f"the name of node {position} is {name!r}; names are non-blank text")
    repeated = [name for name, count in Counter(checked).items() if count > 1]
    if repeated:
        raise GraphError(f"names must be distinct; repeated: {', '.join(map(repr, repeated[:5]))}")
    # A numpy.str_ is a str, but prints and serialises differently.
    return tuple(str(name) for name in checked)


def node_index(node: Node, names: tuple[str, ...]) -> int:
    """The index of `node`, given as an index (negative ones are refused) or as a name."""
    if isinstance(node, str):
        try:
            return names.index(node)
        except ValueError:
            shown = ", ".join(map(repr, names[:8])) + (", ..." if len(names) > 8 else "")
            raise GraphError(f"there is no node named {node!r}; the nodes are {shown}") from None
    try:
        found = as_integer(node)
    except TypeError:
        raise GraphError(f"a node is an index or a name, not {node!r}") from None
    if not 0 <= found < len(names):
        raise GraphError(f"node {found} does not exist; nodes are numbered 0 to {len(names) - 1}")
    return found


def node_indices(nodes: Node | Iterable[Node], names: tuple[str, ...]) -> list[int]:
    """The sorted, distinct indices of one node or of several."""
    if isinstance(nodes, (str, SupportsIndex)) and not _is_array(nodes):
        return [node_index(nodes, names)]
    return sorted({node_index(node, names) for node in nodes})  # type: ignore[union-attr]


def _is_array(value: object) -> bool:
    # Arrays have __index__, too, yet stand for several nodes.
    return getattr(value, "ndim", 0) > 0
