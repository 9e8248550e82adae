"""What the search asks of a kind of column, chosen at compile time by the type of `problem`.

Moves, pulls and relocations know no kinds. What they need to know of a node's column they ask of
the functions below, which have no bodies: an *engine*, one file per kind of problem, provides them
with ``@provide("L0Problem", gains)``, and Numba picks the provider by the name of the problem's
record while it types the caller. There is no branch when the code runs, what a fit does not need is
neither imported nor compiled, and another kind of column is another file.

A provider that is a kernel is called by its symbol (:mod:`arcs.kernels.separate`); one that is a
plain function of a few lines is compiled into the caller. Providers that Numba inlines
(``inline="always"``) take longer to type, and were seen to be miscompiled (Numba 0.68: a loop after
the call was lost). One copy of the moves per engine would have nothing in common to cache by.

Numba's disk cache does not notice that a provider changed: the caller does not import it. So
:func:`arcs.kernels.jit.source_stamp` counts all engines among the sources of who imports this file.

An engine has three records of its own: the problem (with ``allowed``, ``required`` and
``max_parents``, as in :class:`~arcs.kernels.order.l0.L0Problem`), the columns (at least ``count``,
``parents``, ``score``) and the scratch memory (at least ``chosen``, where solvers leave parents).
"""

from functools import wraps

from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import is_jitted

from arcs.kernels.jit import linked

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

_PROVIDED = {}


def _asked(function):
    """Look up who provides `function` for the problem at hand, by its type."""
    name = function.__name__

    @wraps(function)
    def ask(problem, *others):
        return _PROVIDED[problem._numba_type_.record, name].py_func(problem, *others)

    class Provider(AbstractTemplate):
        key = ask

        def generic(self, args, kws):
            chosen = _PROVIDED.get((getattr(args[0], "record", None), name))
            return chosen and chosen._numba_type_.get_call_type(self.context, args, kws)

        def get_impl_key(self, signature):
            return _PROVIDED[signature.args[0].record, name].get_overload(signature.args)

    infer_global(ask, types.Function(Provider))
    return ask


def provide(record, asked):
    """Decorator: this is what `asked` does for problems whose record has that name.

    A provider that is a kernel is called; any other one is compiled into who asks.
    """

    def register(function):
        compiled = function if is_jitted(function) else linked(function)
        _PROVIDED[record, asked.__name__] = compiled
        return function

    return register


@_asked
def gains(problem, state, u, v, work):
    """Whether u's column might change if v became a candidate."""


@_asked
def solve_present(problem, state, u, candidates, work):
    """Solve u's column, starting from the present one, in the scratch; return ``(k, score)``."""


@_asked
def solve_fresh(problem, position, u, limit, work):
    """Solve u's column for the candidates before `limit`, starting from nothing, in the scratch;
    return ``(k, score)``."""


@_asked
def solve_at(problem, state, v, slot, size, work):
    """Solve v's column for a `slot` that :func:`find_slot` found, which left `size` parents of it;
    return ``(k, score)``."""


@_asked
def write_column(problem, columns, u, k, scratch):
    """Write what belongs to the k parents left in the scratch to u's slot of `columns`."""


@_asked
def copy_column(problem, source, target, u):
    """Copy what belongs to the parents of u's column."""


@_asked
def refresh(problem, state, u):
    """Bring up to date what is derived from u's column."""


@_asked
def find_slot(problem, state, v, low, high, work):
    """The best slot for v between two, as ``(slot, total, size)``: v's score there plus the change
    of the others', and the number of parents that were found (see :func:`solve_at`).

    Slots are places in the order without v. Trial columns are left of those whom v passes.
    """


@_asked
def firm_parents(problem, state, u, out, work):
    """Write the parents of u that are worth twice their price to `out`; return how many."""


@_asked
def remembers_useless(problem):
    """Whether candidates that a column has no use for are remembered as long as it stays."""


@_asked
def starts_matter(problem):
    """Whether a column may turn out better for having started with a certain parent."""


@_asked
def score_family(problem, u, chosen, k, scratch):
    """Engines that score whole families: the score of u with the parents ``chosen[:k]``."""


@_asked
def list_candidates(problem, u, k, record, scratch):
    """Engines that score whole families: list in the memo who would be worth adding to the parents
    ``scratch.chosen[:k]`` of u, whose record that is."""


@_asked
def price_of_parent(problem, u, chosen, k):
    """Engines that score whole families: what the parent ``chosen[k]`` costs beside
    ``chosen[:k]``."""
