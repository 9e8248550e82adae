"""What a pass tries."""

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.learners import learner
from arcs.search.strategies import PATIENCE, Pulls, nodes_of_a_pass


def test_a_pass_tries_nodes_by_the_choices_that_they_offer(searched, with_parents):
    # 0 heads 0 -> 1 -> 2 and 0 -> 1 -> 3, and has a third child 4; the children 6, 7 of 5 are not
    # adjacent; 2 -> 8 has one child, the others none.
    parents = {1: [0], 2: [0, 1], 3: [1, 0], 4: [0], 6: [5], 7: [5], 8: [2]}
    with_parents(searched, parents)
    passes = 300
    times = sum(np.bincount(nodes_of_a_pass(searched), minlength=14) for _ in range(passes))
    assert times[0] == (2 + 3 * 2) * passes
    assert times[1] == 1 * passes
    assert times[5] == 1 * passes
    rest = np.delete(times, [0, 1, 5])
    assert rest.min() > 0.2 * passes
    assert rest.max() < 0.5 * passes


def test_dense_graphs_do_not_make_a_pass_endless(searched, with_parents):
    with_parents(searched, {v: list(range(v)) for v in range(14)})
    times = np.bincount(nodes_of_a_pass(searched), minlength=14)
    assert times[0] == 4 + 12


def test_without_edges_passes_still_try_every_node(searched, with_parents):
    with_parents(searched, {})
    tried = np.concatenate([nodes_of_a_pass(searched) for _ in range(60)])
    assert set(tried) == set(range(14))


@pytest.mark.parametrize(
    ("effort", "soon", "late"),
    [("quick", 100, 100), ("normal", 240, 400), ("thorough", 720, 1200)],
)
def test_when_the_search_stops(effort, soon, late):
    """p = 100, passes of 100 steps: with the best found after 20 steps, or after 1,000."""
    strategy = Pulls(PATIENCE[effort])
    found = [strategy._enough({"nodes": [], "done": t, "idle": 0}, 100) for t in (20, 1000)]
    assert found == [soon, late]


def test_more_patience_never_stops_sooner():
    for found in (0, 30, 3000):
        progress = {"nodes": [], "done": found, "idle": 0}
        enough = [Pulls(patience)._enough(progress, 80) for patience in range(1, 30)]
        assert enough == sorted(enough)
    assert Pulls(12)._enough({"nodes": [], "done": 0, "idle": 0}, 80) == 3 * 2 * 80


def test_an_effort_is_a_patience_and_a_given_patience_counts():
    assert [learner("arcs", effort=word).passes for word in PATIENCE] == [1, 4, 12]
    assert learner("arcs").passes == 4
    assert learner("arcs", effort="thorough", patience=2).passes == 2
    with pytest.raises(SettingsError, match="effort must be"):
        learner("arcs", effort="much")
