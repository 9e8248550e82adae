"""What the search asks of a kind of column, chosen at compile time by the type of `problem`.

Moves, pulls and relocations know no kinds. What they need to know of a node's column they ask of
the functions below, which have no bodies: an *engine*, one file per kind of problem, provides them
(:mod:`arcs.kernels.asking`). One copy of the moves per engine would have nothing in common to cache
by.

An engine has three records of its own: the problem (with ``allowed``, ``required`` and
``max_parents``, as in :class:`~arcs.kernels.order.l0.L0Problem`), the columns (at least ``count``,
``parents``, ``score``) and the scratch memory (at least ``chosen``, where solvers leave parents).
"""

from arcs.kernels.asking import asked, provide

__all__ = [
    "copy_column",
    "find_slot",
    "firm_parents",
    "gains",
    "list_candidates",
    "price_of_parent",
    "provide",
    "refresh",
    "remembers_useless",
    "score_family",
    "solve_at",
    "solve_fresh",
    "solve_present",
    "starts_matter",
    "write_column",
]


@asked
def gains(problem, state, u, v, work):
    """Whether u's column might change if v became a candidate."""


@asked
def solve_present(problem, state, u, candidates, work):
    """Solve u's column, starting from the present one, in the scratch; return ``(k, score)``."""


@asked
def solve_fresh(problem, position, u, limit, work):
    """Solve u's column for the candidates before `limit`, starting from nothing, in the scratch;
    return ``(k, score)``."""


@asked
def solve_at(problem, state, v, slot, size, work):
    """Solve v's column for a `slot` that :func:`find_slot` found, which left `size` parents of it;
    return ``(k, score)``."""


@asked
def write_column(problem, columns, u, k, scratch):
    """Write what belongs to the k parents left in the scratch to u's slot of `columns`."""


@asked
def copy_column(problem, source, target, u):
    """Copy what belongs to the parents of u's column."""


@asked
def refresh(problem, state, u):
    """Bring up to date what is derived from u's column."""


@asked
def find_slot(problem, state, v, low, high, work):
    """The best slot for v between two, as ``(slot, total, size)``: v's score there plus the change
    of the others', and the number of parents that were found (see :func:`solve_at`).

    Slots are places in the order without v. Trial columns are left of those whom v passes.
    """


@asked
def firm_parents(problem, state, u, out, work):
    """Write the parents of u that are worth twice their price to `out`; return how many."""


@asked
def remembers_useless(problem):
    """Whether candidates that a column has no use for are remembered as long as it stays."""


@asked
def starts_matter(problem):
    """Whether a column may turn out better for having started with a certain parent."""


@asked
def score_family(problem, u, chosen, k, scratch):
    """Engines that score whole families: the score of u with the parents ``chosen[:k]``."""


@asked
def list_candidates(problem, u, k, record, scratch):
    """Engines that score whole families: list in the memo who would be worth adding to the parents
    ``scratch.chosen[:k]`` of u, whose record that is."""


@asked
def price_of_parent(problem, u, chosen, k):
    """Engines that score whole families: what the parent ``chosen[k]`` costs beside
    ``chosen[:k]``."""
