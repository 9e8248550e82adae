"""Engines are chosen by the type of the problem, and nothing else of them is compiled."""

import os
import subprocess
import sys

import numpy as np
import pytest

from arcs.kernels.order.engine import gains, remembers_useless, starts_matter


@pytest.mark.parametrize(("kind", "l0"), [("l0", True), ("mcp", False)])
def test_the_type_of_the_problem_decides(a_chain, kind, l0):
    problem = a_chain(kind).score.problem
    assert problem._numba_type_.record == ("L0Problem" if l0 else "ContinuousProblem")
    assert remembers_useless(problem) is l0
    assert starts_matter(problem) is l0


@pytest.mark.parametrize("kind", ["l0", "mcp"])
def test_who_gains_is_who_changes(a_chain, kind):
    """Where a candidate is said not to matter, solving with it changes nothing."""
    chain = a_chain(kind, 4)
    problem, state, work = chain.score.problem, chain.state, chain.work
    silent = 0
    for u in range(8):
        before = state.order[: state.position[u]]
        for v in state.order[state.position[u] + 1 :]:
            if not gains(problem, state, u, v, work):
                silent += 1
                alone = chain.score.node(u, before)
                both = chain.score.node(u, np.append(before, v))
                assert both.score >= alone.score - 1e-6
    assert silent > 5


@pytest.mark.slow
@pytest.mark.parametrize(("penalty", "compiled"), [("Ebic(1.0)", "0 1"), ("MCP(1.0, 2.0)", "1 0")])
def test_no_column_of_another_kind_is_compiled(penalty, compiled, tmp_path):
    """From an empty cache, l0 compiles no line of the continuous penalties, and vice versa."""
    program = f"""
import numpy as np
from arcs.data import Dataset
from arcs.kernels.order import descent, l0_solver
from arcs.penalties import Ebic, MCP
from arcs.scores.cholesky import CholeskyScore
rows = np.random.default_rng(0).normal(size=(50, 4))
CholeskyScore(Dataset.of(rows).statistics(), {penalty}).total(np.arange(4))
print(len(descent.descend.inner.signatures), len(l0_solver.l0_solve.inner.signatures))
"""
    command = [sys.executable, "-c", program]
    room = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    ran = subprocess.run(command, capture_output=True, text=True, check=True, env=room)
    assert ran.stdout.strip() == compiled
