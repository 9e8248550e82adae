"""ARCS."""
