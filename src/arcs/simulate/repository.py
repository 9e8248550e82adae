"""The networks of the Bayesian network repository, by name.

Benchmarks of structure learning use the graphs of real expert systems and fitted models that
M. Scutari collects in the Bayesian network repository
(https://www.bnlearn.com/bnrepository/). The package ships the graphs of its 24 discrete networks
and, with all parameters, its four Gaussian networks (ecoli70, arth150, magic-niab, magic-irri);
`tools/extract_networks.py` wrote the files.

Large benchmarks are made of disjoint copies of one network. The paper's observational settings
(Section 5.1) are

========== ====== ===== =====
network    copies p     edges
========== ====== ===== =====
hailfinder 4      224   264
andes      1      223   338
hepar2     4      280   492
win95pts   4      304   448
pigs       1      441   592
========== ====== ===== =====

(the text of the paper says two copies of hepar2; its counts (280, 492) are those of four).

Beware: in most files every parent is listed before its children. A learner that starts from, or
breaks ties by, the order of the columns then looks much better than it is;
:func:`arcs.simulate.sample` therefore shuffles the columns unless told otherwise.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from arcs.errors import SettingsError
from arcs.graphs import GaussianDag

__all__ = ["Network", "network", "network_names"]


@dataclass(frozen=True, eq=False)
class Network:
    """A named graph of the repository.

    Attributes
    ----------
    name : str
        Name in the repository.
    adjacency : ndarray of bool, shape (p, p)
        `adjacency[i, j]` is the edge i → j; read-only.
    names : tuple of str
        Node names, in the order of the repository's file.
    copies : int
        Number of disjoint copies.
    source : str
        Where the network comes from.
    gaussian : GaussianDag or None
        The parametrised model, for the Gaussian networks.

    Examples
    --------
    >>> from arcs.simulate import network
    >>> network("asia").names[:3]
    ('asia', 'tub', 'smoke')
    """

    name: str
    adjacency: np.ndarray
    names: tuple[str, ...]
    copies: int = 1
    source: str = ""
    gaussian: GaussianDag | None = field(default=None, repr=False)

    @property
    def p(self) -> int:
        """Number of nodes."""
        return len(self.names)

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return int(self.adjacency.sum())

    def __repr__(self) -> str:
        copies = f", copies={self.copies}" if self.copies > 1 else ""
        kind = ", gaussian" if self.gaussian is not None else ""
        return f"Network({self.name!r}{copies}: {self.p} nodes, {self.n_edges} edges{kind})"


def network_names(*, gaussian: bool | None = None) -> tuple[str, ...]:
    """Names that :func:`network` understands.

    Parameters
    ----------
    gaussian : bool, optional
        Only the networks with (True) or without (False) Gaussian parameters; all by default.

    Examples
    --------
    >>> from arcs.simulate import network_names
    >>> network_names(gaussian=True)
    ('arth150', 'ecoli70', 'magic-irri', 'magic-niab')
    """
    names = sorted(
        entry.name.removesuffix(".json")
        for entry in files("arcs.simulate").joinpath("networks").iterdir()
        if entry.name.endswith(".json")
    )
    if gaussian is None:
        return tuple(names)
    return tuple(n for n in names if ("coefficients" in _stored(n)) == gaussian)


def network(name: str, copies: int = 1) -> Network:
    """A network of the repository, or several disjoint copies of it.

    Parameters
    ----------
    name : str
        One of :func:`network_names`; upper and lower case are the same.
    copies : int
        Number of disjoint copies; with more than one, node names end in ``_1``, ``_2``, ...

    Examples
    --------
    >>> network("hailfinder", copies=4)
    Network('hailfinder', copies=4: 224 nodes, 264 edges)
    """
    if isinstance(copies, bool) or not isinstance(copies, int | np.integer) or copies < 1:
        raise SettingsError(f"copies must be a whole number of at least 1, got {copies!r}")
    stored = _stored(_known_name(name))
    names = _copied_names(stored["nodes"], copies)
    adjacency = np.kron(np.eye(copies, dtype=bool), _adjacency(stored["parents"]))
    adjacency.flags.writeable = False
    return Network(
        name=_known_name(name),
        adjacency=adjacency,
        names=names,
        copies=int(copies),
        source=stored["source"],
        gaussian=_gaussian(stored, names, copies) if "coefficients" in stored else None,
    )


def _known_name(name: str) -> str:
    """The repository's spelling of `name`, or an error that names the nearest one."""
    known = network_names()
    spelled = str(name).lower().replace("_", "-")
    if spelled in known:
        return spelled
    near = difflib.get_close_matches(spelled, known, n=1, cutoff=0.0)[0]
    raise SettingsError(
        f"there is no network {name!r}; did you mean {near!r}? known: {', '.join(known)}"
    )


@lru_cache(maxsize=64)
def _stored(name: str) -> dict[str, Any]:
    path = files("arcs.simulate").joinpath("networks", f"{name}.json")
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def _copied_names(nodes: list[str], copies: int) -> tuple[str, ...]:
    if copies == 1:
        return tuple(nodes)
    return tuple(f"{node}_{copy}" for copy in range(1, copies + 1) for node in nodes)


def _adjacency(parents: list[list[int]]) -> np.ndarray:
    adjacency = np.zeros((len(parents), len(parents)), dtype=bool)
    for child, given in enumerate(parents):
        adjacency[given, child] = True
    return adjacency


def _gaussian(stored: dict[str, Any], names: tuple[str, ...], copies: int) -> GaussianDag:
    p = len(stored["nodes"])
    coefficients = np.zeros((p, p))
    for child, given in enumerate(stored["parents"]):
        coefficients[given, child] = stored["coefficients"][child]
    return GaussianDag(
        np.kron(np.eye(copies), coefficients),
        np.tile(stored["noise_variances"], copies),
        names,
        intercepts=np.tile(stored["intercepts"], copies),
    )
