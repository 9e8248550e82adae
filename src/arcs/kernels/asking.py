"""Functions without bodies, for which others provide them, chosen at compile time by type.

Who asks knows no kinds of data: ``@asked`` makes a function that has no body, and a *provider*,
one file per kind, gives it one with ``@provide("L0Problem", gains)``. Numba picks the provider by
the name of the first argument's record (a bundle or a named tuple) while it types the caller. There
is no branch when the code runs, what a fit does not need is neither imported nor compiled, and
another kind of data is another file.

A provider that is a kernel is called by its symbol (:mod:`arcs.kernels.separate`); one that is a
plain function of a few lines is compiled into the caller. Providers that Numba inlines
(``inline="always"``) take longer to type, and were seen to be miscompiled (Numba 0.68: a loop after
the call was lost).

Numba's disk cache does not notice that a provider changed: the caller does not import it. So
:func:`arcs.kernels.jit.source_stamp` counts all who provide something that a file asks for among
the sources of who imports that file.
"""

from functools import wraps

from numba import types
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import is_jitted

from arcs.kernels.jit import linked
from arcs.kernels.separate import SeparateFunction

__all__ = ["asked", "provide"]

_PROVIDED = {}


def _record(kind):
    """The name of the record of which this is the type: of a bundle, or of a named tuple."""
    of_tuple = getattr(getattr(kind, "instance_class", None), "__name__", None)
    return getattr(kind, "record", of_tuple)


def _record_of(value):
    kind = getattr(value, "_numba_type_", None)
    return type(value).__name__ if kind is None else kind.record


def asked(function):
    """Decorator: who does this is looked up by the type of the first argument."""
    question = f"{function.__module__}.{function.__name__}"

    @wraps(function)
    def ask(first, *others):
        chosen = _PROVIDED[_record_of(first), question]
        body = chosen if isinstance(chosen, SeparateFunction) else chosen.py_func
        return body(first, *others)

    class Provider(AbstractTemplate):
        key = ask

        def generic(self, args, kws):
            chosen = _PROVIDED.get((_record(args[0]), question))
            return chosen and chosen._numba_type_.get_call_type(self.context, args, kws)

        def get_impl_key(self, signature):
            chosen = _PROVIDED[_record(signature.args[0]), question]
            return chosen.get_overload(signature.args)

    ask.question = question
    infer_global(ask, types.Function(Provider))
    return ask


def provide(record, question):
    """Decorator: this is what `question` does for data whose record has that name.

    A provider that is a kernel is called; any other one is compiled into who asks.
    """

    def register(function):
        compiled = function if is_jitted(function) else linked(function)
        _PROVIDED[record, question.question] = compiled
        return function

    return register
