"""Reading and writing graphs in any of the text formats."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from arcs.errors import FileFormatError, GraphError
from arcs.files import refuse_impossible_name, write_atomically
from arcs.graphs.formats import (
    adjacency_csv,
    bif,
    bnlearn,
    bnlearn_fit,
    cx2,
    dagitty,
    dot,
    dsc,
    edge_list_csv,
    graphml,
    json_text,
    sif,
    tetrad,
    xmlbif,
)
from arcs.graphs.formats.parts import Figures, Graph, GraphParts, Kind, assemble, take_apart

__all__ = ["FORMATS", "TextFormat", "graph_from_text", "graph_to_text", "read_graph", "write_graph"]


@dataclass(frozen=True)
class TextFormat:
    """One format: its writer, its reader, its suffixes, and what its text looks like."""

    serialise: Callable[..., str]
    parse: Callable[[str], GraphParts] | None
    suffixes: tuple[str, ...]
    looks_like: re.Pattern[str]
    #: Whether the writer takes figures of edges beside the graph.
    takes_figures: bool = False
    #: Instead of a parser of parts: text to a graph with parameters of its own.
    read: Callable[[str], Graph] | None = None


def _starting_with(pattern: str, before: str = r"\s*") -> re.Pattern[str]:
    return re.compile(before + pattern, re.IGNORECASE)


def _header_with(words: Sequence[str]) -> str:
    """A look-ahead for one of `words` as a cell of the first line."""
    return rf'(?=(?:[^\n]*[,;\t])? *"?(?:{"|".join(words)})"? *(?:[,;\t\r\n]|$))'


_COMMENTS = r"(?:\s|//[^\n]*\n|#[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*"


FORMATS: dict[str, TextFormat] = {
    "edges": TextFormat(
        edge_list_csv.serialise,
        edge_list_csv.parse,
        (".edges.csv", ".csv"),
        # Both words are cells of the first line; an empty first cell marks a matrix.
        re.compile(
            r'(?!(?:"")?[,;\t])'
            + _header_with(edge_list_csv.SPELLINGS["source"])
            + _header_with(edge_list_csv.SPELLINGS["target"]),
            re.IGNORECASE,
        ),
    ),
    "adjacency": TextFormat(
        adjacency_csv.serialise,
        adjacency_csv.parse,
        (".adjacency.csv",),
        re.compile(r'(?:"")?[,;\t]|[^\n{\[<]*[,;\t]'),
    ),
    "dot": TextFormat(
        dot.serialise,
        dot.parse,
        (".dot", ".gv"),
        _starting_with(r"(strict\s+)?(di)?graph\b[^:{]*\{", _COMMENTS),
    ),
    "graphml": TextFormat(
        graphml.serialise, graphml.parse, (".graphml", ".xml"), _starting_with(r"<"), True
    ),
    "json": TextFormat(json_text.serialise, json_text.parse, (".json",), _starting_with(r"\{")),
    "dagitty": TextFormat(
        dagitty.serialise,
        dagitty.parse,
        (".dagitty",),
        _starting_with(r"p?dag\b[^{,;]*\{", _COMMENTS),
    ),
    "bnlearn": TextFormat(
        bnlearn.serialise, bnlearn.parse, (".bnlearn", ".modelstring"), _starting_with(r"\[")
    ),
    "tetrad": TextFormat(
        tetrad.serialise, tetrad.parse, (".tetrad", ".txt"), _starting_with(r"graph nodes:")
    ),
    "cx2": TextFormat(
        cx2.serialise, cx2.parse, (".cx2",), _starting_with(r'\[\s*\{\s*"CXVersion"'), True
    ),
    "sif": TextFormat(
        sif.serialise,
        sif.parse,
        (".sif",),
        re.compile(r"[^\t\n,;]+\t(?:positive|negative|directed|undirected)\t"),
    ),
    "bif": TextFormat(
        bif.serialise,
        None,
        (".bif",),
        _starting_with(r"network\b[^{]*\{", _COMMENTS),
        read=bif.read,
    ),
    "xmlbif": TextFormat(
        xmlbif.serialise,
        None,
        (".xmlbif", ".bifxml"),
        re.compile(r"\s*(?:<\?xml[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*<(?:!DOCTYPE\s+)?BIF\b"),
        read=xmlbif.read,
    ),
    "dsc": TextFormat(
        dsc.serialise,
        None,
        (".dsc",),
        _starting_with(r"belief\s+network\b", _COMMENTS),
        read=dsc.read,
    ),
    "bnlearn-fit": TextFormat(bnlearn_fit.serialise, None, (".r",), re.compile(r"(?!)")),
}
"""The text formats by name. Content is tried in the order cx2, tetrad, ..., edges, adjacency."""


#: Formats whose text cannot be taken for a path.
_MARKED = (
    *("cx2", "tetrad", "dagitty", "dot", "xmlbif", "graphml", "json", "bnlearn", "bif", "dsc"),
)


def graph_to_text(graph: Graph, format: str, figures: Figures | None = None) -> str:
    """`graph` in the text format of that name; see :func:`write_graph` for the `figures`.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from arcs.graphs import graph_to_text
    >>> graph_to_text(dag, "bnlearn").strip()
    '[a][b|a][c|b]'
    """
    chosen = _named(format)
    take_apart(graph)  # refuses what is no graph before a writer trips over it
    return chosen.serialise(graph, figures) if chosen.takes_figures else chosen.serialise(graph)


def graph_from_text(
    text: str,
    format: str | None = None,
    *,
    kind: Kind | None = None,
    names: Sequence[str] | None = None,
) -> Graph:
    """Read a graph from text; the format is recognised by its content if it is not given.

    See :func:`read_graph` for the other parameters.

    Examples
    --------
    >>> from arcs.graphs import graph_from_text
    >>> graph_from_text("[a][b|a][c|a:b]", "bnlearn").named_edges()
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """
    text = text.removeprefix("\ufeff")
    found = format if format is not None else _recognised(text)
    parse, read = _named(found).parse, _named(found).read
    if read is not None:
        return _listed(read(text), names)
    if parse is None:
        raise FileFormatError(f"the format {found!r} is for writing only")
    return assemble(parse(text), kind, names)


def _listed(graph: Graph, names: Sequence[str] | None) -> Graph:
    """The graph with its nodes in that order."""
    if names is None:
        return graph
    if sorted(names) != sorted(graph.names):
        raise GraphError("the names given are not those of the network")
    return graph.relabel([graph.names.index(name) for name in names])  # type: ignore[union-attr]


def read_graph(
    path_or_text: str | os.PathLike[str],
    format: str | None = None,
    *,
    kind: Kind | None = None,
    names: Sequence[str] | None = None,
) -> Graph:
    """Read a graph from a file, or from text that obviously is no path.

    Parameters
    ----------
    path_or_text : path or str
        Text is recognised by a line break or by its first characters (``[``, ``{``, ``<``,
        ``digraph``, ``dag {``); everything else, and whatever exists as a file, is a path.
    format : str, optional
        A key of :data:`FORMATS`: edges, adjacency, dot, graphml, json, dagitty, bnlearn, tetrad,
        cx2, sif, bif, xmlbif, dsc. By default the suffix decides, and the content where it leaves
        that open.
    kind : {"dag", "pdag"}, optional
        What to return. By default what the file says; if it does not say, a `Pdag` when there is an
        undirected edge and a `GaussianDag` otherwise.
    names : sequence of str, optional
        List the nodes in this order; names not in the file become nodes without edges.

    Returns
    -------
    GaussianDag or Pdag; of a BIF, XMLBIF or DSC file a DiscreteDag

    Raises
    ------
    FileFormatError
        If the file is missing, damaged, or of a format that cannot be recognised.
    GraphError
        If the graph in it is not acceptable, for example a DAG with a cycle.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs.graphs import read_graph, write_graph
    >>> write_graph(dag, Path(folder.name, "graph.json"))
    >>> read_graph(Path(folder.name, "graph.json")) == dag
    True
    >>> folder.cleanup()
    """
    if isinstance(path_or_text, str) and _is_text(path_or_text):
        return graph_from_text(path_or_text, format, kind=kind, names=names)
    path = Path(path_or_text)
    text = _content(path)
    try:
        return graph_from_text(text, format or _by_suffix(path, text), kind=kind, names=names)
    except (FileFormatError, GraphError) as error:
        raise type(error)(f"{path}: {error}") from error


def write_graph(
    graph: Graph,
    path: str | os.PathLike[str],
    format: str | None = None,
    *,
    figures: Figures | None = None,
) -> None:
    """Write `graph` to a file, all at once or not at all.

    Parameters
    ----------
    graph : GaussianDag or Pdag
    path : path
    format : str, optional
        A key of :data:`FORMATS`; by default the suffix decides. ``.csv`` is an edge list,
        ``.adjacency.csv`` a matrix, ``.R`` a script for bnlearn.
    figures : mapping, optional
        Further figures of edges, such as ``{("a", "b"): {"confidence": 0.9}}``, for the formats of
        Cytoscape (GraphML, CX2); the others do without.

    Examples
    --------
    >>> from arcs.graphs import GaussianDag
    >>> dag = GaussianDag([[0, 2.0, 0], [0, 0, 0.5], [0, 0, 0]], [1.0, 1.0, 1.0], ["a", "b", "c"])
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> from arcs.graphs import write_graph
    >>> write_graph(dag, Path(folder.name, "graph.dot"))
    >>> Path(folder.name, "graph.dot").read_text()[:9]
    'digraph {'
    >>> folder.cleanup()
    """
    chosen = format or _by_suffix(Path(path), None)
    if chosen is None:
        known = ", ".join(suffix for one in FORMATS.values() for suffix in one.suffixes)
        raise FileFormatError(f"{path}: give format=, or one of the suffixes {known}")
    text = graph_to_text(graph, chosen, figures)
    try:
        encoded = text.encode("utf-8")
    except UnicodeEncodeError as error:
        bad = text[error.start : error.end]
        raise GraphError(f"a name holds {bad!r}, which no file can; rename it") from error
    with write_atomically(path, "wb") as stream:
        stream.write(encoded)


def _named(format: str) -> TextFormat:
    if format not in FORMATS:
        raise FileFormatError(f"there is no graph format {format!r}; choose {', '.join(FORMATS)}")
    return FORMATS[format]


def _recognised(text: str) -> str:
    # The CSV patterns are the least specific and come last.
    for name in (*_MARKED, "sif", "edges", "adjacency"):
        if FORMATS[name].looks_like.match(text):
            return name
    raise FileFormatError(f"line 1: the format is not recognised; give one of {', '.join(FORMATS)}")


def _is_text(given: str) -> bool:
    if os.path.exists(given):
        return False
    return "\n" in given or any(FORMATS[name].looks_like.match(given) for name in _MARKED)


def _by_suffix(path: Path, text: str | None) -> str | None:
    """The format of the longest suffix that fits; CSV and plain text also look at the content."""
    name = path.name.lower()
    fitting = [
        (len(suffix), key)
        for key, one in FORMATS.items()
        for suffix in one.suffixes
        if name.endswith(suffix)
    ]
    if not fitting:
        return None
    if text is not None and name.endswith((".csv", ".txt", ".xml")) and not _is_double(name):
        return None
    return max(fitting)[1]


def _is_double(name: str) -> bool:
    return name.endswith((".edges.csv", ".adjacency.csv"))


def _content(path: Path) -> str:
    refuse_impossible_name(path)
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise FileFormatError(f"{path}: there is no such file") from None
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: not UTF-8 text (byte {error.start})") from error
