import numpy as np
import pytest

from arcs.errors import DataError
from arcs.plots import plot_trace, plot_tuning


def test_trace_shows_scores_and_temperature(experimental):
    ax = plot_trace(experimental)
    current, best = ax.get_lines()
    np.testing.assert_array_equal(current.get_ydata(), experimental.trace["score"])
    np.testing.assert_array_equal(best.get_ydata(), experimental.trace["best"])
    warm = next(a for a in ax.figure.axes if a is not ax)
    np.testing.assert_array_equal(
        warm.get_lines()[0].get_ydata(), experimental.trace["temperature"]
    )
    assert warm.get_yscale() == "log"


def test_trace_without_temperature_has_one_axis(experimental):
    ax = plot_trace(experimental.with_(trace={"best": np.arange(5.0)}))
    assert ax.figure.axes == [ax]


def test_results_without_trace_or_tuning_are_refused(observational):
    with pytest.raises(DataError, match="has no trace"):
        plot_trace(observational)
    with pytest.raises(DataError, match="has no tuning table"):
        plot_tuning(observational)


def test_tuning_surface_has_the_bic_in_the_right_cells(experimental):
    ax = plot_tuning(experimental)
    mesh = ax.collections[0]
    # Rows are gamma 2 and 5, columns lambda 1, 2 and 4; the fixture's BIC is gamma - lambda.
    grid = np.asarray(mesh.get_array()).reshape(2, 3)
    np.testing.assert_allclose(grid, [[1, 0, -2], [4, 3, 1]])
    star = ax.get_lines()[-1].get_xydata()[0]
    assert (int(star[0]), int(star[1])) == (0, 1)


@pytest.mark.parametrize(
    ("lam", "row", "label"),
    [
        (4.0, 0, "BIC (smaller is better)"),
        (2.0, 2, "BIC (larger is better)"),
        (1.0, 1, "BIC"),
        (3.0, None, "BIC"),
    ],
)
def test_the_choice_is_starred_and_tells_the_direction(experimental, lam, row, label):
    table = {"lambda": np.array([4.0, 1.0, 2.0]), "bic": np.array([0.0, 3.0, 5.0])}
    ax = plot_tuning(experimental.with_(tuning=table, penalty={"lambda": lam}))
    curve, *stars = ax.get_lines()
    np.testing.assert_allclose(curve.get_xydata(), [[1, 3], [2, 5], [4, 0]])
    expected = [] if row is None else [[table["lambda"][row], table["bic"][row]]]
    assert [star.get_xydata()[0].tolist() for star in stars] == expected
    assert ax.get_ylabel() == label


def test_a_price_without_lambda_marks_nothing(experimental):
    assert len(plot_tuning(experimental.with_(penalty={"kind": "l0"})).get_lines()) == 0
