"""The command line. ``arcs --help`` tells what it can do."""

from arcs.cli.app import app, main

__all__ = ["app", "main"]
