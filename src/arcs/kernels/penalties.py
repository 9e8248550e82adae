"""Values and proximal operators of the scalar penalties.

    MCP   rho(x) = lam |x| - x^2 / (2 gamma)  for |x| < gamma lam,  gamma lam^2 / 2 beyond
    L1    rho(x) = lam |x|
    SCAD  rho(x) = lam |x| up to lam, a quadratic up to gamma lam, constant beyond
    L0    rho(x) = lam  for x != 0

``prox(t, x)`` is the smallest minimiser of ``rho(u) + (u - x)^2 / (2 t)``; ties go to the one
nearest zero, as in the paper (after its Lemma 6).
"""

import numpy as np

from arcs.kernels.jit import kernel

__all__ = ["L0", "L1", "MCP", "SCAD", "penalty_prox", "penalty_value"]

L0, L1, MCP, SCAD = 0, 1, 2, 3


@kernel
def penalty_value(kind, lam, gamma, x):
    """The penalty at x."""
    a = abs(x)
    if kind == MCP:
        return lam * a - a * a / (2.0 * gamma) if a < gamma * lam else 0.5 * gamma * lam * lam
    if kind == L1:
        return lam * a
    if kind == SCAD:
        if a <= lam:
            return lam * a
        if a <= gamma * lam:
            return (2.0 * gamma * lam * a - a * a - lam * lam) / (2.0 * (gamma - 1.0))
        return 0.5 * lam * lam * (gamma + 1.0)
    return lam if a > 0.0 else 0.0


@kernel
def penalty_prox(kind, lam, gamma, t, x):
    """The proximal operator with step t at x."""
    a = abs(x)
    if lam == 0.0:
        u = a
    elif kind == MCP:
        u = _mcp(lam, gamma, t, a)
    elif kind == L1:
        u = max(a - t * lam, 0.0)
    elif kind == SCAD:
        u = _scad(lam, gamma, t, a)
    else:
        u = a if a > np.sqrt(2.0 * t * lam) else 0.0
    return u if x >= 0.0 else -u


@kernel
def _mcp(lam, gamma, t, a):
    """Lemma 6 for a >= 0, all branches: alpha = t / gamma below, at and above one."""
    scale = lam * gamma
    alpha, y = t / gamma, a / scale
    if alpha < 1.0:
        if y <= alpha:
            return 0.0
        return scale * (y - alpha) / (1.0 - alpha) if y <= 1.0 else a
    if alpha == 1.0:
        return a if y > 1.0 else 0.0
    return a if y > np.sqrt(alpha) else 0.0


@kernel
def _scad(lam, gamma, t, a):
    """Exact for a >= 0: soft threshold, then a steeper line, then the identity.

    From step gamma - 1 on the middle piece is not convex: the operator jumps from the soft
    threshold to the identity where both are equally good.
    """
    soft = max(a - t * lam, 0.0)
    if t < gamma - 1.0:
        if a <= lam * (1.0 + t):
            return soft
        return ((gamma - 1.0) * a - t * gamma * lam) / (gamma - 1.0 - t) if a <= gamma * lam else a
    jump = 0.5 * (gamma + 1.0 + t) if t <= gamma + 1.0 else np.sqrt(t * (gamma + 1.0))
    return a if a > lam * jump else soft
