"""Random attacks on ARCS: what is drawn, what is done with it, and what must hold afterwards."""
