"""``python -m arcs.cli`` is the command ``arcs``."""

from arcs.cli.app import main

main()
