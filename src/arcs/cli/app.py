"""The command ``arcs``: one file per subcommand, put together here.

A further subcommand is a function (or a ``typer.Typer`` of several) in a file of its own and a line
in this one. Command files import the library inside their functions, so that ``arcs --help`` and
shell completion answer at once; and a command that runs is the only one whose file is read.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, MutableMapping, Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from arcs.cli.failures import exit_code

__all__ = ["app", "main"]

#: Where commands are, in the order of the help.
_COMMANDS = {
    "fit": "fit:fit",
    "compare": "compare:compare",
    "evaluate": "evaluate:evaluate",
    "show": "show:show",
    "report": "report:report",
    "repeat": "repeat:repeat",
    "effect": "effect:effect",
    "predict": "predict:predict",
    "design": "design:design",
    "simulate": "simulate:simulate",
    "methods": "methods:methods",
    "networks": "networks:networks",
    "convert": "convert:convert",
    "demo": "demo:demo",
    "warmup": "warmup:warmup",
    "audit": "audit:audit",
    "app": "window:window",
    "experiment": "experiment:app",
}


class _Commands(MutableMapping[str, Any]):
    """Commands by name, each made when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            self._made[name] = _made(name, _COMMANDS[name])
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)

    def __setitem__(self, name: str, command: Any) -> None:
        raise TypeError("commands are listed in arcs.cli.app")

    def __delitem__(self, name: str) -> None:
        raise TypeError("commands are listed in arcs.cli.app")


def _made(name: str, place: str) -> Any:
    """A command as the group would make it."""
    module, attribute = place.split(":")
    found = getattr(import_module(f"arcs.cli.{module}"), attribute)
    group = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False)
    if isinstance(found, typer.Typer):
        group.add_typer(found, name=name)
    else:
        group.command(name)(found)
    return typer.main.get_group(group).commands[name]


@contextlib.contextmanager
def _readers_may_leave() -> Iterator[None]:
    """Within the block, a reader who has seen enough (head, less) is no failure."""
    try:
        yield
    except BrokenPipeError:
        # What is still in the buffers goes nowhere, without a complaint at exit.
        for stream in (sys.stdout, sys.stderr):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class ArcsGroup(TyperGroup):
    """The group of commands, with our own way to report errors."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _Commands()

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Run a command and leave the interpreter with an exit code."""
        arguments = list(sys.argv[1:] if args is None else args)
        # "arcs fit data.csv --debug" is as good as "arcs --debug fit data.csv".
        debug = "--debug" in arguments
        arguments = [word for word in arguments if word != "--debug"] or ["--help"]
        extra["standalone_mode"] = False
        try:
            status = super().main(args=arguments, prog_name="arcs", **extra)
        except (Exception, KeyboardInterrupt) as error:
            status = exit_code(error, debug=debug)
        with _readers_may_leave():
            sys.stdout.flush()
        sys.exit(status or 0)

    def make_context(self, *arguments: Any, **extra: Any) -> Any:
        """Look at the words; some of them (``--version``) have an answer at once."""
        with _readers_may_leave():
            return super().make_context(*arguments, **extra)
        raise typer.Exit(0)

    def invoke(self, ctx: Any) -> Any:
        """Run a command; a reader (head, less) that has seen enough is no failure."""
        with _readers_may_leave():
            return super().invoke(ctx)
        raise typer.Exit(0)


app = typer.Typer(
    name="arcs",
    cls=ArcsGroup,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"arcs {version('arcs-bn')}")
        raise typer.Exit()


@app.callback()
def arcs(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Learn causal networks (Bayesian networks) from observational and experimental data.

    \b
    First steps:
      arcs demo                                a real data set from start to report
      arcs audit data.csv                      what is odd about your own data
      arcs fit data.csv                        learn a network from them
      arcs fit data.csv --interventions target with experiments, named in a column
    """


def main() -> None:
    """Entry point of the script ``arcs``."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal's encoding lacks must not stop a run that took an hour.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # What stops a fit on a cluster must not cost more than Ctrl-C does.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    typer.main.get_command(app).main()
