"""``python -m arcs`` is the command ``arcs``."""

from arcs.cli import main

main()
