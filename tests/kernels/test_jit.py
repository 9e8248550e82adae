"""Compiled code on disk is bound to every source it was compiled from."""

from pathlib import Path

from arcs.kernels import columns, equivalence, jit, l0
from arcs.kernels.greedy_equivalence_steps import after_operator
from arcs.kernels.jit import source_stamp


def test_a_change_behind_a_module_changes_its_stamp(monkeypatch):
    modules = ("statistics", "l0", "columns", "search", "ga")
    before = {name: source_stamp(name) for name in modules}
    original = jit._source

    def changed(name):
        return original(name) + (b"# a change" if name == "l0" else b"")

    monkeypatch.setattr(jit, "_source", changed)
    after = {name: source_stamp.__wrapped__(name) for name in before}
    assert {name for name in before if before[name] != after[name]} == {"l0", "columns", "search"}


def test_cached_functions_carry_the_stamp():
    """The one private corner of Numba that this relies on."""
    stamped = (
        (columns.solve_fresh, "columns"),
        (l0.l0_solve, "l0"),
        (equivalence.cpdag_kernel, "equivalence"),
        (after_operator, "greedy_equivalence_steps"),
    )
    for function, name in stamped:
        assert function._cache._cache_file._source_stamp == source_stamp(name)


def test_every_kernel_is_compiled_here():
    """A module that compiles by itself would run yesterday's code of what it imports."""
    folder = Path(jit.__file__).parent
    plain = [p.name for p in folder.glob("*.py") if b"import njit" in p.read_bytes()]
    assert plain == ["jit.py"]
