"""Compiled code on disk is bound to every source it was compiled from."""

from pathlib import Path

import pytest

from arcs.kernels import equivalence, jit
from arcs.kernels.greedy_equivalence_steps import after_operator
from arcs.kernels.jit import source_stamp
from arcs.kernels.order import columns, l0_solver, reinsertion, search

MODULES = (
    *("statistics", "ga", "order.parent_set", "order.l0_solver", "order.descent", "order.records"),
    *("order.columns", "order.reinsertion", "order.pulls", "order.search"),
    *("hill_climbing", "skeleton"),
)
#: Who asks an engine, directly or not, is compiled from all of them.
ASKING = {
    *("order.columns", "order.reinsertion", "order.pulls", "order.search"),
    *("order.parent_set", "order.l0_solver", "order.descent"),
    "hill_climbing",  # asks for gains, which families of the order search answer
}


@pytest.mark.parametrize(
    ("module", "bound"),
    [
        ("order.parent_set", ASKING),
        ("order.l0", ASKING),
        ("order.continuous", ASKING),
        ("order.descent", ASKING),
        ("g_test", {"skeleton"}),
        ("family_gains", {"hill_climbing"}),
        ("ga", {"ga"}),
        ("order.search", {"order.search"}),
    ],
)
def test_a_change_behind_a_module_changes_its_stamp(monkeypatch, module, bound):
    before = {name: source_stamp(name) for name in MODULES}
    original = jit._source

    def changed(name):
        return original(name) + (b"# a change" if name == module else b"")

    monkeypatch.setattr(jit, "_source", changed)
    after = {name: source_stamp.__wrapped__(name) for name in before}
    assert {name for name in before if before[name] != after[name]} == bound


def test_a_new_engine_is_found(monkeypatch, tmp_path):
    """Moves import no engine: it counts because of what is written in it."""
    before = source_stamp("order.reinsertion")
    (tmp_path / "order").mkdir()
    for path in Path(jit.__file__).parent.rglob("*.py"):
        (tmp_path / path.relative_to(Path(jit.__file__).parent)).write_bytes(path.read_bytes())
    monkeypatch.setattr(jit, "_ROOT", tmp_path)
    monkeypatch.setattr(jit, "_source", jit._source.__wrapped__)
    monkeypatch.setattr(jit, "_answering", jit._answering.__wrapped__)
    assert source_stamp.__wrapped__("order.reinsertion") == before
    engine = tmp_path / "order" / "new.py"
    body = '@provide("CountsProblem", gains)\ndef _gains(): ...\n'
    engine.write_text(f"from arcs.kernels.climbing_gains import refresh_column\n\n{body}")
    assert source_stamp.__wrapped__("order.reinsertion") == before
    engine.write_text(f"from arcs.kernels.order.engine import gains\n\n{body}")
    assert source_stamp.__wrapped__("order.reinsertion") != before
    assert source_stamp.__wrapped__("statistics") == source_stamp("statistics")


def test_cached_functions_carry_the_stamp():
    """The one private corner of Numba that this relies on."""
    stamped = (
        (columns.solve_trial, "order.columns"),
        (l0_solver.l0_solve, "order.l0_solver"),
        (reinsertion.relax, "order.reinsertion"),
        (search.iterate, "order.search"),
        (equivalence.cpdag_kernel, "equivalence"),
        (after_operator, "greedy_equivalence_steps"),
    )
    for function, name in stamped:
        for compiled in (function, function.inner):
            assert compiled._cache._cache_file._source_stamp == source_stamp(name)
        assert function.inner.stamp == source_stamp(name)


def test_every_kernel_is_compiled_here():
    """A module that compiles by itself would run yesterday's code of what it imports."""
    folder = Path(jit.__file__).parent
    plain = [p.name for p in folder.rglob("*.py") if b"import njit" in p.read_bytes()]
    assert plain == []
