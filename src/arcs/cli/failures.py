"""From exceptions to one line on standard error and an exit code.

==== =============================================================
0    success
1    failure: bad data, a file that cannot be written, a defect
2    usage: unknown options, settings out of range
130  interrupted by Ctrl-C (the best result so far is saved first)
==== =============================================================
"""

from __future__ import annotations

import re
import shlex
import traceback

import typer

from arcs.cli.console import message
from arcs.errors import ArcsError, SettingsError

__all__ = ["FAILURE", "INTERRUPTED", "USAGE", "CommandError", "exit_code", "in_terms_of_options"]

FAILURE = 1
USAGE = 2
INTERRUPTED = 130

# Recent versions of typer carry their own copy of click: this is the base class either way.
ClickError = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")


#: Parameters that the library's messages name, and the options they are here.
_OPTIONS = (
    (r"exclude=\[(.*?)\]", lambda found: f"--exclude {_name_list(found[1])}"),
    (r"(discrete|adjust)=\[(.*?)\]", lambda found: f"--{found[1]} {_name_list(found[2])}"),
    (r"(discrete|discretize)='([\w-]+)'", r"--\1 \2"),
    (r"(discrete|adjust|conditions)=\.\.\.", r"--\1"),
    (r"unmeasured='drop'", "--drop-unmeasured"),
    (r"constant='(\w+)'", r"--constant \1"),
    (r"missing='drop', 'pairwise' or 'em'", "--missing drop, pairwise or em"),
    (r"missing='(\w+)'", r"--missing \1"),
    (r"control=\.\.\.", "--control LABEL"),
    (r"interventions=\.\.\.", "--interventions"),
    (r"intervention_kind='(\w+)'", r"--intervention-kind \1"),
    (r"latent=(?:'(auto)'|(\d+))", lambda found: f"--latent {found[1] or found[2]}"),
    (r"resume=True", "--resume"),
    (r"\(n_jobs\)", "(--jobs)"),
)


def _name_list(listed: str) -> str:
    """Names in quotation marks as one word for a shell."""
    return shlex.quote(",".join(re.findall(r"'([^']*)'", listed)))


class CommandError(ArcsError):
    """A command cannot do what it was asked to, for a reason outside of the library."""


def exit_code(error: BaseException, *, debug: bool) -> int:
    """Tell the user about `error` and return the exit code."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        message("arcs: interrupted")
        return INTERRUPTED
    if debug:
        message("".join(traceback.format_exception(error)).rstrip())
    if isinstance(error, ClickError):
        return _usage(error)
    if isinstance(error, ArcsError):
        message(f"arcs: {in_terms_of_options(str(error))}")
        return USAGE if isinstance(error, SettingsError) else FAILURE
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        message(f"arcs: {where}{error.strerror or error}")
        return FAILURE
    if isinstance(error, MemoryError):
        message("arcs: out of memory; try fewer columns, or fewer jobs (--jobs 1)")
        return FAILURE
    text = next(iter(str(error).splitlines()), "")
    message(f"arcs: internal error: {type(error).__name__}: {text} (--debug shows the traceback)")
    return FAILURE


def in_terms_of_options(text: str) -> str:
    """An error of the library with its remedy in the words of the command line."""
    for pattern, option in _OPTIONS:
        text = re.sub(pattern, option, text)
    return text


def _usage(error: BaseException) -> int:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "arcs"
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    message(f"{command}: {' '.join(text.split())}\nTry '{command} --help'.")
    return int(getattr(error, "exit_code", USAGE))
