"""Temperature schedules."""

import numpy as np
import pytest

from arcs.errors import SettingsError
from arcs.search import Annealing, Pulls, geometric, temperatures


def test_a_number_starts_a_geometric_schedule():
    found = temperatures(100.0, 50)
    assert found[0] == pytest.approx(100)
    assert found[-1] == pytest.approx(0.1)
    ratios = found[1:] / found[:-1]
    np.testing.assert_allclose(ratios, ratios[0])
    assert ratios[0] < 1


def test_a_start_below_the_end_stays_where_it_is():
    np.testing.assert_allclose(temperatures(0.05, 4), np.full(4, 0.05))


def test_zero_is_greedy():
    np.testing.assert_array_equal(temperatures(0, 3), np.zeros(3))


@pytest.mark.parametrize("n_iter", [0, 1, 2])
def test_short_schedules_have_the_right_length(n_iter):
    assert temperatures(1.0, n_iter).shape == (n_iter,)
    assert temperatures(0.0, n_iter).shape == (n_iter,)
    assert geometric(1.0, 0.1, n_iter).shape == (n_iter,)


def test_sequences_and_functions():
    np.testing.assert_array_equal(temperatures([3, 2, 1], 3), [3.0, 2.0, 1.0])
    found = temperatures(lambda i, n: 1.0 - i / n, 4)
    np.testing.assert_allclose(found, [1, 0.75, 0.5, 0.25])


@pytest.mark.parametrize("schedule", [7.0, 0.0, np.linspace(3, 1, 40), lambda i, n: n - i])
def test_pieces_are_parts_of_the_whole(schedule):
    whole = temperatures(schedule, 40)
    for first, last in ((0, 1), (0, 17), (17, 40), (30, 99)):
        piece = temperatures(schedule, 40, first=first, last=last)
        np.testing.assert_array_equal(piece, whole[first:last])


def test_a_piece_of_an_endless_schedule_costs_nothing():
    piece = temperatures(5.0, 10**15, first=10**12, last=10**12 + 3)
    assert piece.shape == (3,)
    assert (piece > 4.9).all()


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        ([1.0, 2.0], "2 temperatures for 3 iterations"),
        ([1.0, -1.0, 0.0], "not negative"),
        ([1.0, np.nan, 0.0], "finite"),
        (lambda i, n: np.inf, "finite"),
        (-1.0, "positive"),
        (np.nan, "positive"),
    ],
)
def test_bad_schedules_are_refused(schedule, message):
    with pytest.raises(SettingsError, match=message):
        temperatures(schedule, 3)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Annealing(-1), "n_iter must be a whole number of at least 0, got -1"),
        (lambda: Annealing(interval=1), "interval must be a whole number of at least 2, got 1"),
        (lambda: Pulls(patience=0), "patience must be a whole number of at least 1, got 0"),
        (lambda: Pulls(n_iter=-1), "n_iter must be a whole number of at least 0, or None, got -1"),
        (lambda: Pulls(temperature=-0.1), "temperature must be a number of at least 0, got -0.1"),
    ],
)
def test_bad_strategies_are_refused(make, message):
    with pytest.raises(SettingsError, match=message):
        make()
