"""Which regimes change which node, and how."""

import itertools

import numpy as np
import pytest

from arcs.regimes.kinds import KINDS
from arcs.regimes.mechanism import COEFFICIENTS, NOISE, SET, SHIFT, UNCHANGED


def finder_of(dataset, kind="unknown", gamma=1.0):
    return KINDS[kind].finder(dataset, lambda n: 4.0, gamma)


@pytest.mark.parametrize(
    ("kind", "code"),
    [("noise", NOISE), ("shift", SHIFT), ("coefficients", COEFFICIENTS), ("set", SET)],
)
def test_finds_the_regime_and_the_kind(chain_regimes, labelled, kind, code):
    finder = finder_of(labelled(*chain_regimes(kind)))
    found = finder.node(1, np.array([0]))
    assert found.kinds.tolist() == [UNCHANGED, code, UNCHANGED]
    assert finder.evidence(1, np.array([0]), found)[1] > 10
    for v, parents in ((0, []), (2, [1])):
        assert not finder.node(v, np.array(parents, int)).kinds.any()


def test_descent_finds_the_exhaustive_optimum(chain_regimes, labelled):
    """Five mechanisms in each of three regimes, the reference among them fixed: 25 assignments."""
    for seed in range(16):
        kind = ("noise", "shift", "coefficients", "set")[seed % 4]
        values, regime = chain_regimes(kind, rows=25, seed=seed, factor=1.8)
        finder = finder_of(labelled(values, regime))
        for v, parents in ((1, [0]), (1, [0, 2]), (0, [1]), (2, [])):
            parents = np.array(parents, int)
            every = np.array([(0, a, b) for a, b in itertools.product(range(5), repeat=2)])
            _, prices = finder.prices(finder.mechanism(v, parents), every)
            assert finder.node(v, parents).price == pytest.approx(prices.min(), abs=1e-6)


def test_most_rows_changed_is_seen_from_the_control_rows(labelled):
    """Two of three regimes share a change: few control rows decide which side is unchanged."""
    rng = np.random.default_rng(0)
    regime = np.repeat([0, 1, 2, 3], [60, 150, 150, 150])
    noise = rng.normal(size=regime.size) * np.where((regime == 1) | (regime == 2), 3.0, 1.0)
    x0 = rng.normal(size=regime.size)
    finder = finder_of(labelled(np.column_stack([x0, x0 + noise]), regime))
    assert finder.node(1, np.array([0])).kinds.tolist() == [0, NOISE, NOISE, 0]


def test_a_higher_price_never_finds_more(chain_regimes, labelled):
    finder = finder_of(labelled(*chain_regimes("noise", rows=20, factor=1.7)))
    counts = [
        finder.at_price(gamma).node(1, np.array([0])).kinds.astype(bool).sum()
        for gamma in (0.0, 1.0, 3.0, 30.0)
    ]
    assert counts == sorted(counts, reverse=True)
    assert counts[-1] == 0


def test_null_regimes_are_rarely_flagged(labelled):
    """Nothing changed: 200 chances of a false target, at a price of log p beside the parameters."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(200, 50))
    finder = finder_of(labelled(values, np.repeat(np.arange(5), 40)))
    flags = sum(finder.node(v, np.array([], int)).kinds.astype(bool).sum() for v in range(50))
    assert flags <= 2


def test_a_node_that_varies_only_where_it_was_set_keeps_a_reference(labelled):
    """Flagging the one regime in which a node varies would leave a likelihood without bound."""
    rng = np.random.default_rng(2)
    regime = np.repeat([0, 1, 2], 30)
    values = rng.normal(size=(90, 2))
    values[regime != 1, 1] = 1.0
    found = finder_of(labelled(values, regime)).node(1, np.array([], int))
    assert found.kinds[1] == UNCHANGED
    assert np.isfinite(found.price)


def test_knock_outs_to_a_constant_are_targets(chain_regimes, labelled):
    values, regime = chain_regimes("set")
    values[regime == 1, 1] = 0.0
    found = finder_of(labelled(values, regime)).node(1, np.array([0]))
    assert found.kinds.tolist() == [0, SET, 0]
    assert np.isfinite(found.price)


def test_units_do_not_matter(chain_regimes, labelled):
    values, regime = chain_regimes("coefficients")
    plain = finder_of(labelled(values, regime))
    scaled = finder_of(labelled(values * [1e-6, 1e5, 1.0] + [0.0, 1e7, 0.0], regime))
    for v, parents in ((1, [0]), (2, [1])):
        one, other = plain.node(v, np.array(parents)), scaled.node(v, np.array(parents))
        assert one.kinds.tolist() == other.kinds.tolist()
        assert one.price == pytest.approx(other.price, abs=1e-3)
